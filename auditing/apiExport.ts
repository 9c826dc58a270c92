import { processManagerName, type Recorded } from '../domain/events.js';
import { NotCanonical, eventHash } from './eventBytes.js';

/** An event as the API shows it: with its position, and names of people in place of their sealed form. */
export type ApiEvent = Omit<Recorded, 'position'> & {
  readonly position: string;
  /** Absent in exports of earlier builds. */
  readonly byKind?: string;
};

/** A problem in an export of the API; `n` counts its events from 1. */
export type ApiFinding = {
  readonly code: 'event' | 'order' | 'sequence' | 'hash';
  readonly n: number;
  readonly detail: string;
};

/** Facts that an export of the API shows without other data. */
export type ApiExportFacts = {
  readonly events: number;
  readonly streams: number;
  readonly first: string | null;
  readonly last: string | null;
  /** Events whose hash is right. */
  readonly checked: number;
  /** Events of people: the API shows names, the hash covers their sealed form, so it cannot be computed. */
  readonly named: number;
  /** Events whose predecessor in the stream is not in the export. */
  readonly detached: number;
  readonly withoutHash: number;
  /** Revisions that are missing within streams, at their beginning included. */
  readonly missingRevisions: number;
  /** Positions between the first event and the last that are not in the export. */
  readonly missingPositions: string;
  readonly findings: readonly ApiFinding[];
  readonly findingCount: number;
};

const findingsMax = 100;

const isText = (value: unknown): value is string => typeof value === 'string';

/** The event of a JSON value; undefined for other values. */
const apiEventOf = (value: unknown): ApiEvent | undefined => {
  const event = value as Partial<ApiEvent> | null;
  if (typeof event !== 'object' || event === null) return undefined;
  const { position, id, stream, revision, type, v, at, metadata, hash } = event;
  const isWhole =
    isText(position) &&
    /^\d{1,18}$/.test(position) &&
    [id, stream, type, at, metadata?.by, metadata?.cause, metadata?.correlation].every(isText) &&
    Number.isSafeInteger(revision) &&
    Number(revision) >= 0 &&
    Number.isSafeInteger(v) &&
    (hash === undefined || isText(hash));
  return isWhole ? (event as ApiEvent) : undefined;
};

/** Whether the hash of an event is right; false also for an event without canonical JSON. */
const hasRightHash = (event: ApiEvent, previous: string | null): boolean => {
  try {
    return event.hash === eventHash(event, previous);
  } catch (error) {
    if (error instanceof NotCanonical || error instanceof RangeError) return false;
    throw error;
  }
};

/** Whether the service caused an event. */
const isOfService = ({
  metadata: { by },
  byKind = by === processManagerName ? 'service' : 'person',
}: ApiEvent) => byKind === 'service';

type End = { readonly revision: number; readonly hash: string | null };

/** Checks an export of the API, event by event, from its content alone. */
export const apiExportVerifier = () => {
  const ends = new Map<string, End>();
  const findings: ApiFinding[] = [];
  let [n, checked, named, detached, withoutHash, missingRevisions, findingCount] = [0, 0, 0, 0, 0, 0, 0];
  let first: string | null = null;
  let last: string | null = null;

  const find = (code: ApiFinding['code'], detail: string): void => {
    findingCount += 1;
    if (findings.length < findingsMax) findings.push({ code, n, detail });
  };

  const checkHash = (event: ApiEvent, previous: string | null | undefined): void => {
    const { stream, revision, hash } = event;
    if (hash === undefined) withoutHash += 1;
    else if (previous === undefined) detached += 1;
    else if (hasRightHash(event, previous)) checked += 1;
    else if (!isOfService(event)) named += 1;
    else
      find(
        'hash',
        `the hash of ${stream} revision ${revision} does not fit: it or the event before it was changed`,
      );
  };

  return {
    take: (value: unknown): void => {
      n += 1;
      const event = apiEventOf(value);
      if (!event) return find('event', 'is no event of the API');
      const { stream, revision, position, hash } = event;
      if (last !== null && BigInt(position) <= BigInt(last))
        find('order', `position ${position} comes after position ${last}`);
      first ??= position;
      last = position;
      const before = ends.get(stream);
      const next = before ? before.revision + 1 : 0;
      ends.set(stream, { revision, hash: hash ?? null });
      if (revision < next) return find('sequence', `revision ${revision} of ${stream} was there before`);
      missingRevisions += revision - next;
      checkHash(event, revision > next ? undefined : (before?.hash ?? null));
    },
    done: (): ApiExportFacts => ({
      events: n,
      streams: ends.size,
      first,
      last,
      checked,
      named,
      detached,
      withoutHash,
      missingRevisions,
      missingPositions:
        first === null || last === null ? '0' : String(BigInt(last) - BigInt(first) + 1n - BigInt(n)),
      findings,
      findingCount,
    }),
  };
};
