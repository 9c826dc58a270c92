import type { Proposed, Recorded } from '../../domain/events.js';
import { isLogStream, streams } from '../../domain/streams.js';
import { eventHash } from '../../auditing/eventBytes.js';
import { AppendTooLarge, Conflict, appendBytesMax, bytesOf, written } from '../ports/eventStore.js';
import { describeEvent, differenceOf, lineOf, pairsOf, type CopyParts } from './compareLogs.js';

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
    const { id, type, stream, revision, hash } = event;
    if (type.startsWith('foreign ') || !isLogStream(stream)) refuse('was not written by Daybook');
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
 * when called again. The logs are streamed.
 * @throws CopyFailed        when the target is not a prefix of the source, when another program writes to the target,
 *                           or when the source has events that Daybook did not write
 * @throws StoreUnavailable  when a store cannot be used; copied events stay
 */
export const copyLog = async (parts: CopyParts): Promise<Copied> => {
  const { source, target, progress } = parts;
  const { count, already, after } = await survey(parts);
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
