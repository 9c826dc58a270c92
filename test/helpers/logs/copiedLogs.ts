import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../../adapters/sqlite/driver.js';
import fc from '../property.js';
import { canonicalJson, eventHash } from '../../../auditing/eventBytes.js';
import { CopyFailed } from '../../../application/logs/copyLog.js';
import type { EventStore } from '../../../application/ports/eventStore.js';
import { sqliteStore } from '../../../adapters/sqlite/sqliteStore.js';
import type { Proposed, Recorded } from '../../../domain/events.js';
import { newAddress, withoutEventStoreDb } from '../eventStoreDb/eventStoreDb.js';
import { run } from '../process.js';
import { listed, proposed } from './storeContract.js';

// Sample logs for copies, and the expected copies.

export const skip = withoutEventStoreDb;
export const envOf = ({ url, prefix }: ReturnType<typeof newAddress>) => ({
  EVENTSTOREDB_URL: url,
  EVENTSTOREDB_PREFIX: prefix,
});

/** An event with its stream and revision. */
export type Placed = { readonly stream: string; readonly revision: number; readonly event: Proposed };

export const streamNames = ['catalog', 'source-1', 'days-1', 'alerts-1', 'source-2', 'days-2'];

/** Assigns events to the named streams, in order. */
export const placed = (events: readonly (readonly [stream: string, event: Proposed])[]): Placed[] => {
  const ends = new Map<string, number>();
  return events.map(([stream, event]) => {
    const revision = (ends.get(stream) ?? -1) + 1;
    ends.set(stream, revision);
    return { stream, revision, event };
  });
};

/** A log of `count` events that changes the stream after every `run` events. */
export const plainLog = (count: number, run = 3, text = ''): Placed[] =>
  placed(
    Array.from({ length: count }, (_, n) => [
      streamNames[Math.floor(n / run) % streamNames.length] ?? '',
      proposed(n, text === '' ? { n } : { n, text }),
    ]),
  );

/** Appends a log; an append contains up to `together` events of one stream. */
export const fill = async (store: EventStore, log: readonly Placed[], together = 1): Promise<void> => {
  for (let index = 0; index < log.length;) {
    const { stream, revision } = log[index] as Placed;
    let end = index;
    while (end < log.length && end - index < together && log[end]?.stream === stream) end += 1;
    const events = log.slice(index, end).map(({ event }) => event);
    await store.append(stream, revision === 0 ? 'absent' : revision - 1, events);
    index = end;
  }
};

/** Fills a store with a log. */
export const filled = async <Store extends EventStore>(
  store: Store,
  log: readonly Placed[],
): Promise<Store> => {
  await fill(store, log, 200);
  return store;
};

export const withoutPositions = (events: readonly Recorded[]) =>
  events.map(({ position: _, hash: __, ...event }) => event);

/** Events of a log without positions. */
export const contentOf = async (store: EventStore) => withoutPositions(await listed(store.all(0n)));

/** Expected events of a store with a log. */
export const expectedOf = (log: readonly Placed[]) =>
  log.map(({ stream, revision, event }) => ({
    ...(JSON.parse(JSON.stringify(event)) as Omit<Proposed, 'hash'>),
    stream,
    revision,
  }));

/** Event hashes of a log, in order. */
export const hashesOf = (log: readonly Placed[]): string[] => {
  const ends = new Map<string, string>();
  return log.map(({ stream, revision, event }) => {
    const data = JSON.parse(JSON.stringify(event.data)) as unknown;
    const hash = eventHash({ ...event, data, stream, revision }, ends.get(stream) ?? null);
    ends.set(stream, hash);
    return hash;
  });
};

/** Fields of an event in a fixed order, for comparison as text. */
export const inOrder = ({
  id,
  stream,
  revision,
  type,
  v,
  at,
  data,
  metadata,
}: Omit<Recorded, 'position'>) => [
  [id, stream, revision, type, v, at, canonicalJson(data)],
  [metadata.by, metadata.cause, metadata.correlation],
];

/** Expected digest, computed independently of the tested code. */
export const sha256Of = (log: readonly Placed[], hashes: readonly string[] = hashesOf(log)): string =>
  createHash('sha256')
    .update(
      log
        .map(({ stream, revision, event: { id, type, v, at, data, metadata } }, n) => {
          const { by, cause, correlation } = metadata;
          const rest = [id, stream, revision, type, v, at].map(field => JSON.stringify(field)).join(',');
          return `[${rest},${canonicalJson(data)},${JSON.stringify({ by, cause, correlation })},${JSON.stringify(hashes[n])}]\n`;
        })
        .join(''),
    )
    .digest('hex');

/** A read-only store: appends fail. */
export const readOnly = (store: EventStore): EventStore => ({
  ...store,
  append: () => Promise.reject(new Error('append to the source')),
});

/** A store that records appends, and fails if two of them overlap. */
export const recording = (store: EventStore) => {
  const appends: { readonly stream: string; readonly events: readonly Proposed[] }[] = [];
  let busy = false;
  const append: EventStore['append'] = async (stream, expected, events) => {
    if (busy) throw new Error('overlapping appends');
    busy = true;
    await sleep(0);
    appends.push({ stream, events });
    try {
      return await store.append(stream, expected, events);
    } finally {
      busy = false;
    }
  };
  return { store: { ...store, append }, appends };
};

/** Message of a copy that is refused. */
export const refusal = async (copying: Promise<unknown>): Promise<string> => {
  const outcome = await copying.then(
    () => 'copied',
    (error: unknown) => error,
  );
  if (!(outcome instanceof CopyFailed)) throw new Error(`got ${String(outcome)}, expected CopyFailed`);
  return outcome.message;
};
export const anyLog = fc
  .array(
    fc.record({
      stream: fc.constantFrom(...streamNames),
      run: fc.integer({ min: 1, max: 4 }),
      data: fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }),
      type: fc.constantFrom('DaysImported', 'SourceCreated', 'A later kind'),
      v: fc.integer({ min: 1, max: 3 }),
      by: fc.string({ unit: 'binary' }),
    }),
    { maxLength: 25 },
  )
  .map(runs =>
    placed([
      ['catalog', proposed(0)],
      ...runs.flatMap(({ stream, run, data, type, v, by }, at) =>
        Array.from({ length: run }, (_, n): [string, Proposed] => {
          const one = proposed(1 + at * 4 + n, data, type);
          return [stream, { ...one, v, metadata: { ...one.metadata, by } }];
        }),
      ),
    ]),
  );
export const withEvent = (log: readonly Placed[], index: number, change: Partial<Proposed>): Placed[] =>
  log.map((one, n) => (n === index ? { ...one, event: { ...one.event, ...change } } : one));
/** Writes a log into an SQLite file. */
export const logFile = async (file: string, log: readonly Placed[]): Promise<string> => {
  const store = sqliteStore(file);
  await fill(store, log, 200);
  await store.close();
  return file;
};

export const copyRun = (from: string, to: string, env: Readonly<Record<string, string>> = {}) =>
  run(['copy-log', '--from', from, '--to', to], env);

/** Rows of a log file, read without code of Daybook. */
export const rowsOf = (file: string): unknown[] => {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare('select * from events order by position').all();
  } finally {
    db.close();
  }
};

export const sha256OfFile = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex');
/** Number of events in a file, 0 if it does not exist. */
export const countIn = (file: string): number => {
  try {
    const db = new Database(file, { readonly: true });
    const count = db.prepare('select count(*) from events').pluck().get() as number;
    db.close();
    return count;
  } catch {
    return 0;
  }
};

/** Waits until a file has more than `count` events. */
export const grown = async (file: string, count: number): Promise<void> => {
  while (countIn(file) <= count) await sleep(2);
};
