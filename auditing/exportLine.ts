import { requireSound, type Recorded } from '../domain/events.js';
import { isLogStream } from '../domain/streams.js';
import { NotCanonical, canonicalJson } from './canonicalJson.js';

/** An event of an export: all fields except the position, which differs between stores. */
export type Exported = Omit<Recorded, 'position'>;

/**
 * Line of an event in an export, without line end: canonical JSON, with the hash if it has one. These lines are the
 * leaves of the log's Merkle tree, so the tree can be computed from an export with SHA-256 only.
 * @throws NotCanonical for an event that Daybook did not write
 */
export const exportLine = (event: Exported): string => lineOfText(event, canonicalJson(event.data));

/** The same, from data and metadata that are canonical JSON already. */
export const lineOfText = (event: Omit<Exported, 'data'>, data: string): string => {
  const { at, hash, id, metadata, revision, stream, type, v } = event;
  const { by, cause, correlation } = metadata;
  const rest = canonicalJson({ hash, id, metadata: { by, cause, correlation }, revision, stream, type, v });
  return `{"at":${canonicalJson(at)},"data":${data},${rest.slice(1)}`;
};

/** Line for an event without canonical JSON; a verification reports its fault. */
export const lineOfNone = (
  { id, stream, revision, type }: Pick<Exported, 'id' | 'stream' | 'revision' | 'type'>,
  why: string,
): string => JSON.stringify({ type, stream, revision, id, not: why });

/** Line of any event, also of one without canonical JSON. @throws EventDamaged */
export const lineOf = (event: Exported): string => {
  requireSound(event);
  try {
    return exportLine(event);
  } catch (error) {
    // RangeError: nested deeper than any event of Daybook.
    if (!(error instanceof NotCanonical || error instanceof RangeError)) throw error;
    return lineOfNone(event, error.message);
  }
};

/** First line of an export of selected events: the filter. It cannot be mistaken for an event. */
export const partLine = (filter: object): string => canonicalJson({ partOfLog: filter });

/** Whether the first line of an export contains a filter. */
export const isPartLine = (line: string): boolean => line.startsWith('{"partOfLog":');

const names = ['at', 'data', 'hash', 'id', 'metadata', 'revision', 'stream', 'type', 'v'];
const metadataNames = ['by', 'cause', 'correlation'];
const hashPattern = /^[0-9a-f]{64}$/;

const isCount = (value: unknown, from: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= from;
const isText = (value: unknown): boolean => typeof value === 'string';

const namesOf = (value: object): string => Object.keys(value).sort().join();

/** The event of a line, or the fault of the line. */
export const readLine = (line: string): Exported | string => {
  let value: unknown;
  try {
    value = JSON.parse(line);
    if (canonicalJson(value) !== line) return 'is not in canonical form';
  } catch {
    return 'is not canonical JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not an event';
  const event = value as Exported;
  const { metadata, hash } = event;
  const expected = names.filter(name => name !== 'hash' || hash !== undefined);
  if (namesOf(event) !== expected.join())
    return `has the fields ${namesOf(event)}, expected ${expected.join()}`;
  if (typeof metadata !== 'object' || metadata === null || namesOf(metadata) !== metadataNames.join())
    return 'has metadata that differ from those of an event';
  const whole =
    [event.id, event.stream, event.type, event.at, ...Object.values(metadata)].every(isText) &&
    isCount(event.revision, 0) &&
    isCount(event.v, 1) &&
    (hash === undefined || hashPattern.test(hash));
  if (!whole) return 'has a field with a wrong type';
  if (event.type.startsWith('foreign ') || !isLogStream(event.stream)) return 'was not written by Daybook';
  return event;
};
