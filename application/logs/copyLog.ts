import { createHash } from 'node:crypto';
import { NotCanonical, canonicalJson, eventHash } from '../../auditing/eventBytes.js';
import { isForeign, requireSound, type Recorded, type Proposed } from '../../domain/events.js';
import { streams } from '../../domain/streams.js';
import {
  type EventStore,
  AppendTooLarge,
  Conflict,
  LogDamaged,
  appendBytesMax,
  bytesOf,
  damageAdvice,
  written,
} from '../ports/eventStore.js';

/** Progress of a copy; `total` is undefined while the log is read for the first time. */
export type CopyProgress = {
  readonly step: 'checking' | 'copying' | 'comparing';
  readonly events: number;
  readonly total?: number;
};

/** The two logs of a copy or a comparison. */
type CopyParts = {
  readonly source: EventStore;
  readonly target: EventStore;
  /** Called often; the caller throttles. */
  readonly progress?: (at: CopyProgress) => void;
};

const fields = ['id', 'stream', 'revision', 'type', 'v', 'at', 'data', 'metadata', 'hash'] as const;

/** Canonical text of a value: stores order the names of an object differently. */
const textOf = (value: unknown): string => {
  try {
    return canonicalJson(value ?? null);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return JSON.stringify(value);
  }
};

/** Fields of an event that must be equal in both logs, as texts. Only positions may differ. @throws EventDamaged */
const fieldTextsOf = (event: Recorded): readonly string[] => {
  requireSound(event);
  return fields.map(field => textOf(event[field]));
};

/** Fields of an event that must be equal in both logs, as one line of JSON. */
export const lineOf = (event: Recorded): string => `[${fieldTextsOf(event).join()}]`;

/** Description of an event for messages; `index` counts from 0, the message from 1. */
const describeEvent = (index: number, { id, stream, revision, type }: Recorded): string =>
  `event ${index + 1} (${type} ${id}, ${stream} revision ${revision})`;

/** Description of the difference of two logs at one index. */
const differenceOf = (index: number, here: Recorded | undefined, there: Recorded | undefined): string => {
  if (!here)
    return there ? `the target has ${describeEvent(index, there)}, the source ends before it` : 'nothing';
  if (!there) return `the source has ${describeEvent(index, here)}, the target ends before it`;
  if (here.id !== there.id)
    return `the source has ${describeEvent(index, here)}, the target has ${describeEvent(index, there)}`;
  const sourceTexts = fieldTextsOf(here);
  const targetTexts = fieldTextsOf(there);
  const differing = fields.filter((_, at) => sourceTexts[at] !== targetTexts[at]);
  // A different hash only follows from a different field.
  const named = differing.length > 1 ? differing.filter(field => field !== 'hash') : differing;
  return `${describeEvent(index, here)} differs in the target: ${named.join(', ')}`;
};

type Pair = {
  readonly index: number;
  readonly here: Recorded | undefined;
  readonly there: Recorded | undefined;
};

/** Refuses an event without data: copied, it would be a sound event of nothing. @throws LogDamaged */
const refuseDamaged = (side: 'source' | 'target', index: number, event: Recorded): void => {
  if (event.damage === undefined) return;
  const described = describeEvent(index, event);
  throw new LogDamaged(`the ${side}'s ${described} is damaged: ${event.damage}; ${damageAdvice}`);
};

/**
 * Pairs of events with the same index in both logs; undefined after the end of the shorter log.
 * @throws LogDamaged for an event whose bytes are damaged
 */
export async function* pairsOf(source: EventStore, target: EventStore): AsyncGenerator<Pair> {
  const sides = [source, target].map(store => store.all(0n)[Symbol.asyncIterator]());
  try {
    for (let index = 0; ; index += 1) {
      const [here, there] = await Promise.all(sides.map(side => side.next()));
      if (here?.done !== false && there?.done !== false) return;
      if (here?.done === false) refuseDamaged('source', index, here.value);
      if (there?.done === false) refuseDamaged('target', index, there.value);
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

/** Number of events of a log, and the SHA-256 of their lines. */
export type LogDigest = { readonly count: number; readonly sha256: string };

/** Comparison of two logs; `difference` names the first event that differs. */
export type LogComparison = {
  readonly source: LogDigest;
  readonly target: LogDigest;
  readonly difference: string | undefined;
};

/** Counts lines and computes the SHA-256 of their text. */
const digester = () => {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add: (line: string): void => {
      hash.update(`${line}\n`);
      count += 1;
    },
    done: (): LogDigest => ({ count, sha256: hash.digest('hex') }),
  };
};

/**
 * Reads and compares both logs, and computes the digest of each.
 * @param total  expected number of events, for the progress
 */
export const compareLogs = async (
  { source, target, progress }: CopyParts,
  total?: number,
): Promise<LogComparison> => {
  const digests = [digester(), digester()] as const;
  let difference: string | undefined;
  for await (const { index, here, there } of pairsOf(source, target)) {
    const lines = [here && lineOf(here), there && lineOf(there)] as const;
    for (const [side, line] of lines.entries()) if (line !== undefined) digests[side]?.add(line);
    if (lines[0] !== lines[1]) difference ??= differenceOf(index, here, there);
    progress?.({ step: 'comparing', events: index + 1, ...(total === undefined ? {} : { total }) });
  }
  return { source: digests[0].done(), target: digests[1].done(), difference };
};

/** Result of a copy. The target had `already` of the source's `count` events before. */
export type Copied = { readonly count: number; readonly already: number };

/** The log cannot be copied; the message names the event. Events copied before it stay in the target. */
export class CopyFailed extends Error {
  readonly name = 'CopyFailed';
}

/** Maximum events of one append. */
const batchMax = 500;

/** Accepted event ids. EventStoreDB accepts UUIDs only and returns them in lower case. */
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns a function that checks a log's events in order: each must be valid, and none may be missing. */
const logRules = (): ((index: number, event: Recorded) => void) => {
  const lastOf = new Map<string, Pick<Recorded, 'revision' | 'hash'>>();
  return (index, event) => {
    const refuse = (why: string): never => {
      throw new CopyFailed(`the source's ${describeEvent(index, event)} ${why}`);
    };
    const { id, stream, revision, hash } = event;
    if (isForeign(event)) refuse('was not written by Daybook');
    if (!idPattern.test(id)) refuse('was not written by Daybook: its id is not a UUID in lower case');
    // The first event of a log is found by its stream, the catalog.
    if (index === 0 && stream !== streams.catalog)
      refuse('is the first of the log, expected the first to be in stream catalog');
    const before = lastOf.get(stream);
    const next = (before?.revision ?? -1) + 1;
    if (revision !== next) refuse(`follows missing events: expected revision ${next} of its stream`);
    if (hash !== undefined && hash !== eventHash(event, before?.hash ?? null))
      refuse(
        'does not match its hash: it or an earlier event of its stream was changed; run daybook verify for details',
      );
    if (hash === undefined && before?.hash !== undefined)
      refuse('has no hash, expected one because the event before it in its stream has one');
    lastOf.set(stream, { revision, ...(hash !== undefined && { hash }) });
  };
};

/** Sizes of the logs, and the position of the last event that both have. */
type Survey = { readonly count: number; readonly already: number; readonly after: bigint };

/** Reads both logs before anything is written, and compares the events that the target has. */
const survey = async ({ source, target, progress }: CopyParts): Promise<Survey> => {
  const look = logRules();
  let count = 0;
  let already = 0;
  let after = 0n;
  for await (const { index, here, there } of pairsOf(source, target)) {
    if (there && (!here || lineOf(here) !== lineOf(there)))
      throw new CopyFailed(`the target contains another log: ${differenceOf(index, here, there)}`);
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

/** The first `limit` events in batches of one append each. The end of a batch depends on its beginning only. */
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

/** An event as it is proposed to the target, with its hash. */
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
 * Appends the events of the source that the target does not have, in order. A copy that was interrupted continues
 * when called again. The logs are streamed. Before the first event is written `ready` may refuse the target.
 * @throws CopyFailed        when the target is not a prefix of the source, when another program writes to the target,
 *                           or when the source has events that Daybook did not write
 * @throws StoreUnavailable  when a store cannot be used; copied events stay. LogDamaged before anything is written
 */
export const copyLog = async (
  parts: CopyParts & { readonly ready?: () => Promise<void> },
): Promise<Copied> => {
  const { source, target, progress, ready } = parts;
  const { count, already, after } = await survey(parts);
  await ready?.();
  let copied = already;
  // Events that the source gets meanwhile were not checked. They are not copied; the comparison reports them.
  for await (const { stream, events } of batches(source.all(after), count - already)) {
    const { revision } = events[0];
    try {
      await target.append(stream, revision === 0 ? 'absent' : revision - 1, events.map(proposed));
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof AppendTooLarge)) throw error;
      const hint = error instanceof Conflict ? '; stop other programs that write to the target' : '';
      throw new CopyFailed(
        `${describeEvent(copied, events[0])} cannot be appended: ${error.message}${hint}`,
        {
          cause: error,
        },
      );
    }
    copied += events.length;
    progress?.({ step: 'copying', events: copied, total: count });
  }
  return { count: copied, already };
};
