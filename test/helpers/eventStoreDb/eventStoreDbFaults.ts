// Common parts of the tests of the EventStoreDB adapter with faults of the server.
import { setImmediate as yieldToEventLoop, setTimeout as after } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import type { Test } from 'tap';
import type { EventStore } from '../../../application/ports/eventStore.js';
import { connect, type Connection } from '../../../adapters/eventstoredb/connection.js';
import { groupSubscription, type FollowedHistory } from '../../../adapters/eventstoredb/group.js';
import { eventStoreDb } from '../../../adapters/eventstoredb/store.js';
import { watch } from '../../../adapters/eventstoredb/subscriptions.js';
import { checkCauses } from '../../../domain/alerts/checks.js';
import {
  fakeEventStoreDb,
  internal,
  unavailable,
  type FakeEventStoreDb,
  type Line,
} from './fakeEventStoreDb.js';
import { id } from '../data/samples.js';
import { testOfFile } from '../inTurn.js';
import { proposed } from '../logs/storeContract.js';
import { longestMs } from '../waits.js';
import type { Delivered } from '../../../application/followUps/subscription.js';

/** Uncaught errors, which would end the service. No fault of the server may cause one. */
export const uncaught: unknown[] = [];
process.on('unhandledRejection', error => uncaught.push(error));
process.on('uncaughtException', error => uncaught.push(error));

/** Short limits, so that tests end soon. */
export const limits = { tryMs: 5000, reachMs: 500, unknownMs: 1200, quietMs: 500 };
/** For a server that does not answer. */
export const tryMs = 500;
/** Maximum wait for anything in these tests, in ms. */
export const patienceMs = longestMs;

/** Waits for `ms` and for pending work of client and server. */
export const quiet = async (ms: number): Promise<void> => {
  await after(ms);
  for (let turn = 0; turn < 30; turn += 1) await yieldToEventLoop();
};

/** Polls until a condition is true. */
export const until = async (awaited: string, isTrue: () => boolean, ms = patienceMs): Promise<void> => {
  const end = performance.now() + ms;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`timeout: not ${awaited}`);
    await after(5);
  }
};

/** Rejects if a result takes longer than the maximum wait. */
export const bounded = async <Result>(awaited: string, result: Promise<Result>): Promise<Result> => {
  const ending = new AbortController();
  const late = after(patienceMs, undefined, { signal: ending.signal }).then(() => {
    throw new Error(`timeout: ${awaited}`);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    ending.abort();
    late.catch(() => undefined);
  }
};

export const prefix = 't-';

export type Parts = {
  readonly server: FakeEventStoreDb;
  readonly connection: Connection;
  readonly store: EventStore;
  /** The same store with short limits. */
  readonly hasty: EventStore;
  /** The same store with a short timeout of an attempt, for silent servers. */
  readonly hastiest: EventStore;
};

/** A store on a new fake server. */
const opened = async (t: Test): Promise<Parts> => {
  const server = await fakeEventStoreDb();
  const connection = connect({ url: server.url, prefix });
  t.teardown(async () => {
    await bounded('a connection to close', connection.close());
    await server.close();
  });
  const store = eventStoreDb(connection, 0n);
  const hasty = eventStoreDb(connection, 0n, limits);
  return { server, connection, store, hasty, hastiest: eventStoreDb(connection, 0n, { ...limits, tryMs }) };
};

const tests: Promise<unknown>[] = [];
/** A test with a store on a new fake server. */
export const faultTest = (title: string, body: (t: Test, parts: Parts) => Promise<void>): void => {
  const file = testOfFile();
  // The tests mostly wait.
  file.jobs = 4;
  tests.push(file.test(title, async t => body(t, await opened(t))));
};

export const ids = (server: FakeEventStoreDb): readonly string[] => server.log.map(event => event.id);
export const idsUpTo = (end: number): readonly string[] => Array.from({ length: end }, (_, n) => id(n));

/** Number of calls that the client has not released. */
export const keptCalls = ({ client }: Connection): number =>
  (client as unknown as { disposableStreams: Set<unknown> }).disposableStreams.size;

/** Ways to break a call. */
export const breaks = (server: FakeEventStoreDb): Readonly<Record<string, (line: Line) => void>> => ({
  UNAVAILABLE: line => line.fail(unavailable),
  'a raw INTERNAL': line => line.fail(internal),
  // Waits until sent messages have arrived.
  'a broken connection': () => void quiet(30).then(server.drop),
});

/** A logger that records its lines. */
export const recordingLog = (): { readonly log: Logger; readonly said: Record<string, unknown>[] } => {
  const said: Record<string, unknown>[] = [];
  const log = pino({}, { write: line => void said.push(JSON.parse(line) as Record<string, unknown>) });
  return { log, said };
};

/** A watch of the log that counts its notifications. */
export const watched = (t: Test, { connection }: Pick<Parts, 'connection'>, confirmationMs = patienceMs) => {
  const counted = { wakes: 0 };
  const { log, said } = recordingLog();
  const kept = watch(connection, () => (counted.wakes += 1), log, { confirmationMs });
  const stop = () => bounded('a watch to stop', kept.stop());
  t.teardown(stop);
  return { counted, said, stop };
};

export const dayImported = (n: number, v = 1) => ({ ...proposed(n, { n }, 'DaysImported'), v });

/** One of the two groups is enough. */
export const kinds = [{ name: 'checks', types: checkCauses }];

/** A subscription of a group; `answer` handles each delivered event, or leaves it unhandled. */
export const grouped = (
  t: Test,
  { connection }: Pick<Parts, 'connection'>,
  answer: (one: Delivered, tries: number) => void = () => {},
  history?: FollowedHistory,
) => {
  const delivered: Delivered[] = [];
  const faults: unknown[] = [];
  const { log, said } = recordingLog();
  const fault = (error: unknown) => void faults.push(error);
  const waits = { statePauseMs: 20, confirmationMs: patienceMs };
  const known = history && { history };
  const group = groupSubscription({
    ...{ connection, beginning: 0n, fault, log, kinds, limits: waits },
    ...known,
  });
  group.start(async batch => {
    delivered.push(...batch);
    for (const one of batch) answer(one, delivered.filter(({ event }) => event.id === one.event.id).length);
  });
  const stop = () => bounded('deliveries to stop', group.stop());
  t.teardown(stop);
  return {
    delivered,
    faults,
    said,
    stop,
    state: group.state,
    ids: () => delivered.map(({ event }) => event.id),
  };
};

/** Numbers of unacknowledged, waiting and parked events. */
export const heldOf = ({ groups }: FakeEventStoreDb) => {
  const [group] = [...groups.values()];
  const held = [...(group?.consumers ?? [])].reduce((sum, consumer) => sum + consumer.held.size, 0);
  return { held, waiting: group?.waiting.length ?? 0, parked: group?.parked.length ?? 0 };
};

/** Waits for all tests of the file, and asserts that there was no uncaught error. */
export const finished = async (): Promise<void> => {
  await Promise.all(tests);
  await testOfFile().test('no uncaught errors', async t => {
    // Late errors of earlier tests.
    await after(300);
    t.strictSame(uncaught, []);
  });
};
