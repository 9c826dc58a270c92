import { createHash } from 'node:crypto';
import { isLogStream, streams, type Proposed, type Recorded } from '../domain/events.js';
import { NotCanonical, canonicalJson } from '../auditing/canonicalJson.js';
import { eventHash } from '../auditing/eventHash.js';
import { AppendTooLarge, Conflict, appendBytesMax, bytesOf, written, type EventStore } from './eventStore.js';

/** How far a copy is: `of` is undefined while the log is read for the first time. */
export type Progress = {
  readonly step: 'checking' | 'copying' | 'comparing';
  readonly events: number;
  readonly of?: number;
};

export type CopyParts = {
  readonly source: EventStore;
  readonly target: EventStore;
  /** Is told often; whoever shows it leaves out what is too much. */
  readonly progress?: (at: Progress) => void;
};

/** What a copy did: the target had `already` events of the source's `count` before. */
export type Copied = { readonly count: number; readonly already: number };

/** A log as its digest sees it. */
export type Digest = { readonly count: number; readonly sha256: string };

/** Two logs side by side; `difference` names the first event that is not the same in both. */
export type Comparison = {
  readonly source: Digest;
  readonly target: Digest;
  readonly difference: string | undefined;
};

/** The logs hold what cannot be copied: the message names the event. What was copied before it stays. */
export class NotCopied extends Error {
  readonly name = 'NotCopied';
}

/** Events of one append at most; small ones would else be thousands. */
const batchMax = 500;

/** The form of our ids. EventStoreDB takes no other, and gives capitals back as small letters. */
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const fields = ['id', 'stream', 'revision', 'type', 'v', 'at', 'data', 'metadata', 'hash'] as const;

/** A value with its names in one order, which stores and versions write in orders of their own. */
const textOf = (value: unknown): string => {
  try {
    return canonicalJson(value ?? null);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return JSON.stringify(value);
  }
};

/** What of an event must be the same in both logs, as texts; only its position is the store's own. */
const partsOf = (event: Recorded): readonly string[] => fields.map(field => textOf(event[field]));

/** The same as one line of JSON. */
const lineOf = (event: Recorded): string => `[${partsOf(event).join()}]`;

/** An event in words; `index` counts from 0 in its log, people from 1. */
const named = (index: number, { id, stream, revision, type }: Recorded): string =>
  `event ${index + 1} (${type} ${id}, ${stream} revision ${revision})`;

/** What two logs do not have in common at one place, in words. */
const differenceOf = (index: number, here: Recorded | undefined, there: Recorded | undefined): string => {
  if (!here) return there ? `the target has ${named(index, there)}, the source ends before it` : 'nothing';
  if (!there) return `the source has ${named(index, here)}, the target ends before it`;
  if (here.id !== there.id)
    return `the source has ${named(index, here)}, the target has ${named(index, there)}`;
  const [ours, theirs] = [partsOf(here), partsOf(there)];
  const others = fields.filter((_, at) => ours[at] !== theirs[at]);
  // Another hash follows from whatever else is another.
  const told = others.length > 1 ? others.filter(field => field !== 'hash') : others;
  return `${named(index, here)} has another ${told.join(' and ')} in the target`;
};

type Pair = {
  readonly index: number;
  readonly here: Recorded | undefined;
  readonly there: Recorded | undefined;
};

/** Both logs from their beginning, event beside event; the shorter one brings undefined at its end. */
async function* abreast(source: EventStore, target: EventStore): AsyncGenerator<Pair> {
  const sides = [source, target].map(store => store.all(0n)[Symbol.asyncIterator]());
  try {
    for (let index = 0; ; index += 1) {
      const [here, there] = await Promise.all(sides.map(side => side.next()));
      if (here?.done !== false && there?.done !== false) return;
      yield {
        index,
        here: here?.done === false ? here.value : undefined,
        there: there?.done === false ? there.value : undefined,
      };
    }
  } finally {
    await Promise.all(sides.map(side => side.return?.()));
  }
}

/** Looks at a source's events one after the other: whether they are a log of ours, whole. */
const logRules = (): ((index: number, event: Recorded) => void) => {
  // As many as there are streams; ids would be as many as events.
  const ends = new Map<string, Pick<Recorded, 'revision' | 'hash'>>();
  return (index, event) => {
    const refuse = (why: string): never => {
      throw new NotCopied(`the source's ${named(index, event)} ${why}`);
    };
    const { id, type, stream, revision, hash } = event;
    if (type.startsWith('foreign ') || !isLogStream(stream)) refuse('was not written by Daybook');
    if (!idPattern.test(id)) refuse('was not written by Daybook: its id is not a UUID in small letters');
    // Where a log begins is found by its catalog.
    if (index === 0 && stream !== streams.catalog) refuse('is its first, expected one of the catalog');
    const before = ends.get(stream);
    const next = (before?.revision ?? -1) + 1;
    if (revision !== next) refuse(`has events missing before it: expected revision ${next} of its stream`);
    if (hash !== undefined && hash !== eventHash(event, before?.hash ?? null))
      refuse(
        'does not fit its hash: it, or one before it in its stream, was changed (daybook verify tells more)',
      );
    if (hash === undefined && before?.hash !== undefined)
      refuse('has no hash, expected one like the event before it in its stream');
    ends.set(stream, { revision, ...(hash !== undefined && { hash }) });
  };
};

/** Where a copy begins: behind what both logs have. */
type Survey = { readonly count: number; readonly already: number; readonly after: bigint };

/** Reads the source whole, and the target beside it to its end, before anything is written. */
const survey = async ({ source, target, progress }: CopyParts): Promise<Survey> => {
  const look = logRules();
  let count = 0;
  let already = 0;
  let after = 0n;
  for await (const { index, here, there } of abreast(source, target)) {
    if (there && (!here || lineOf(here) !== lineOf(there)))
      throw new NotCopied(`the target holds another log: ${differenceOf(index, here, there)}`);
    if (!here) break;
    look(index, here);
    count += 1;
    if (there) {
      already += 1;
      after = here.position;
    }
    progress?.({ step: 'checking', events: count });
  }
  return { count, already, after };
};

type Batch = { readonly stream: string; readonly events: [Recorded, ...Recorded[]]; bytes: number };

/** At most `limit` events in runs that one append takes. Where a run begins decides alone where it ends. */
async function* batches(events: AsyncIterable<Recorded>, limit: number): AsyncGenerator<Batch> {
  let batch: Batch | undefined;
  let taken = 0;
  if (limit === 0) return;
  for await (const event of events) {
    const { stream } = event;
    const bytes = bytesOf(written(stream, [event]));
    const fits =
      batch?.stream === stream && batch.bytes + bytes <= appendBytesMax && batch.events.length < batchMax;
    if (batch && fits) {
      batch.events.push(event);
      batch.bytes += bytes;
    } else {
      if (batch) yield batch;
      batch = { stream, events: [event], bytes };
    }
    taken += 1;
    if (taken === limit) break;
  }
  if (batch) yield batch;
}

/** An event without what a store gave it, but with the hash that it has. */
const proposed = ({ id, type, v, data, metadata, at, hash }: Recorded): Proposed => ({
  id,
  type,
  v,
  data,
  metadata,
  at,
  hash: hash ?? null,
});

/**
 * Copies what the target does not have yet of the source's log, in its order, one append after the other. It may
 * be broken off at any point and called again. Neither log is ever held in memory.
 * @throws NotCopied         when the target is not a beginning of the source, when somebody else writes to it
 *                           meanwhile, or when the source holds what is not ours
 * @throws StoreUnavailable  when a store cannot be used; what was copied stays
 */
export const copyLog = async (parts: CopyParts): Promise<Copied> => {
  const { source, target, progress } = parts;
  const { count, already, after } = await survey(parts);
  let copied = already;
  // What a source gets meanwhile is left for the comparison to find: nobody has looked at it.
  for await (const { stream, events } of batches(source.all(after), count - already)) {
    const { revision } = events[0];
    try {
      await target.append(stream, revision === 0 ? 'absent' : revision - 1, events.map(proposed));
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof AppendTooLarge)) throw error;
      const hint = error instanceof Conflict ? '; does anything else write to the target?' : '';
      throw new NotCopied(`${named(copied, events[0])} cannot be appended: ${error.message}${hint}`, {
        cause: error,
      });
    }
    copied += events.length;
    progress?.({ step: 'copying', events: copied, of: count });
  }
  return { count: copied, already };
};

/** Takes lines, and answers how many there were and the SHA-256 of their text. */
const digesting = () => {
  const hash = createHash('sha256');
  let count = 0;
  return {
    take: (line: string): void => {
      hash.update(`${line}\n`);
      count += 1;
    },
    done: (): Digest => ({ count, sha256: hash.digest('hex') }),
  };
};

/**
 * Reads both logs whole. Each has a digest of its own: SHA-256 of its events' lines in the order of the log.
 * @param total  events that are expected, to show how far it is
 */
export const compareLogs = async (
  { source, target, progress }: CopyParts,
  total?: number,
): Promise<Comparison> => {
  const digests = [digesting(), digesting()] as const;
  let difference: string | undefined;
  for await (const { index, here, there } of abreast(source, target)) {
    const lines = [here && lineOf(here), there && lineOf(there)] as const;
    for (const [side, line] of lines.entries()) if (line !== undefined) digests[side]?.take(line);
    if (lines[0] !== lines[1]) difference ??= differenceOf(index, here, there);
    progress?.({ step: 'comparing', events: index + 1, ...(total === undefined ? {} : { of: total }) });
  }
  return { source: digests[0].done(), target: digests[1].done(), difference };
};
