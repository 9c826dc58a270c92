import { randomUUID as newId } from 'node:crypto';
// Speed of the stores, compared on this machine: `npm run bench:stores`, with EVENTSTOREDB_URL for both. Prints a
// Markdown table of medians. Nothing is asserted: absolute speeds depend on the machine. Clients share the thread of
// their service or store; instances that read or catch up have a thread each.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { bytesOf, written } from '../application/ports/eventStore.js';
import { mintToken, scopes } from '../adapters/http/middleware/tokens.js';
import { start } from '../adapters/main.js';
import { readSettings } from '../adapters/settings/settings.js';
import type { LogAddress } from '../adapters/settings/logAddress.js';
import { openLog, type OpenLog } from '../adapters/composition/openLog.js';
import { dateOf, dayNumber } from '../domain/dates.js';
import type { Proposed, Recorded } from '../domain/events.js';
import { newAddress, withoutEventStoreDb } from '../test/helpers/eventStoreDb/eventStoreDb.js';
import { eventually, ordinaryDay } from '../test/helpers/service.js';
import { shown } from './service/service.js';

/** Numbers of concurrent clients, sources or instances. */
const many = 16;
/** Measured rounds; one more round warms up. */
const rounds = 3;
const measuredMs = 1000;
const instanceFile = new URL('./instance.js', import.meta.url);
/** Events of the log that is replayed; the service wrote it. */
const replayedEvents = 2000;

/** A measurement: rates per second by number of clients. */
type Measure = (clients: number) => Promise<number>;
/** Close functions, called in reverse order. */
const closing: (() => unknown)[] = [];
const fault = (error: unknown): void =>
  void setImmediate(() => {
    throw error;
  });

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const rate = async (clients: number, work: (client: number) => Promise<number>): Promise<number> => {
  const begun = performance.now();
  const done = await Promise.all(range(clients).map(work));
  return (1000 * done.reduce((sum, count) => sum + count, 0)) / (performance.now() - begun);
};
/** Repeats a step until the time is over; returns the number. */
const countSteps = async (step: (index: number) => Promise<unknown>): Promise<number> => {
  let count = 0;
  for (const end = performance.now() + measuredMs; performance.now() < end; count += 1) await step(count);
  return count;
};

/** A day of 144 values with noise; 0 is the first of the reference. */
const dayAt = (index: number) => {
  const date = (index: number): string => dateOf(dayNumber('2023-01-01') + index);
  const activity = range(6).flatMap(week => ordinaryDay(date(index + 7 * week)).activity);
  return { date: date(index), activity };
};

/** A service whose clients import day after day over HTTP, each to its own source. */
const startService = async (dataDir: string, address: LogAddress) => {
  const settings = { ...readSettings({ DATA_DIR: dataDir, PORT: '0' }), log: address };
  const running = await start(settings, pino({ level: 'silent' }), fault);
  closing.push(running.stop);
  const call = async <Body>(token: string, path: string, json?: object): Promise<Body> => {
    const answer = await fetch(running.address + path, {
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(json && { method: 'POST', body: JSON.stringify(json) }),
    });
    if (answer.status > 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Body;
  };
  type Source = { readonly id: number; readonly analysis: { readonly status: string } };
  const newSource = async (client: number) => {
    // At most eight bodies of one tenant are read at once.
    const claims = { subject: 'bench', tenant: `t${client % 2}`, scopes };
    const token = await mintToken(settings.tokens, claims, 3600);
    const body = { name: `Gate ${client}`, referenceYear: 2023, days: range(35).map(dayAt) };
    const { source } = await call<{ source: Source }>(token, '/v1/import/create-source', body);
    await eventually('models', async () => {
      const { analysis } = await call<Source>(token, `/v1/source/${source.id}`);
      return analysis.status === 'completed' || undefined;
    });
    let next = 365;
    return () => call(token, '/v1/import/days', { sourceId: source.id, days: [dayAt((next += 1))] });
  };
  const importers = await Promise.all(range(many).map(newSource));
  return (client: number) => importers[client]?.() ?? Promise.reject(new RangeError());
};

const kilobytes = (event: Recorded): string => `${(bytesOf(written('', [event])) / 1000).toFixed(1)} KB`;

/** Appends of one event, each client to its own new streams. */
const appends = (store: OpenLog, event: Proposed) => (clients: number) =>
  rate(clients, () => {
    const stream = `days-${newId()}`;
    return countSteps(index =>
      store.append(stream, index === 0 ? 'absent' : index - 1, [{ ...event, id: newId() }]),
    );
  });

/** Instances on a copy of the log; their work is counted in events. */
const startInstances = async (log: readonly Recorded[], address: LogAddress) => {
  const store = await openLog(address);
  for (const { stream, revision, ...event } of log)
    await store.append(stream, revision === 0 ? 'absent' : revision - 1, [event]);
  await store.close();
  const threads = range(many).map(() => new Worker(instanceFile, { workerData: address }));
  closing.push(() => Promise.all(threads.map(thread => thread.terminate())));
  await Promise.all(threads.map(thread => once(thread, 'message')));
  return async (client: number, folder: string | null): Promise<number> => {
    threads[client]?.postMessage(folder);
    const [count] = (await once(threads[client] as Worker, 'message')) as [number];
    return count;
  };
};

/** The log that is replayed. */
const log: Recorded[] = [];

/** All measurements on the logs that `newLog` creates, by name. */
const measuresOf = async (
  newLog: () => LogAddress,
  newFolder: () => string,
): Promise<readonly (readonly [string, Measure])[]> => {
  const address = newLog();
  const importDay = await startService(newFolder(), address);
  if (log.length === 0) {
    for (const _ of range(replayedEvents / 2 / many)) await Promise.all(range(many).map(importDay));
    const store = await openLog(address);
    for await (const event of store.all(0n)) log.push(event);
    await store.close();
    log.splice(replayedEvents);
  }
  const store = await openLog(newLog());
  closing.push(store.close);
  const imported = log.filter(({ type }) => type === 'DaysImported');
  const [month, day] = [imported[0], imported.at(-1)] as [Recorded, Recorded];
  const instances = await startInstances(log, newLog());
  // In this order, because all logs of a server share one log: reads would have to skip later appends.
  return [
    ['events read', n => rate(n, client => instances(client, null))],
    ['events applied to read models', n => rate(n, client => instances(client, newFolder()))],
    ['imports of a day, checked', n => rate(n, client => countSteps(() => importDay(client)))],
    [`appends of a day (${kilobytes(day)})`, appends(store, day)],
    [`appends of 31 days (${kilobytes(month)})`, appends(store, month)],
  ];
};

/** Measures everything on the stores in turn and prints the table. */
const bench = async (): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  closing.push(() => rmSync(root, { recursive: true, force: true }));
  const newFolder = (): string => mkdtempSync(join(root, 'data-'));
  const newFile = (): LogAddress => ({ kind: 'sqlite', file: join(newFolder(), 'events.sqlite') });
  const sqlite = await measuresOf(newFile, newFolder);
  const eventStoreDbRows = withoutEventStoreDb === false ? await measuresOf(newAddress, newFolder) : [];

  const speeds = sqlite.map(() => [[], [], [], []] as number[][]);
  for (const [row, [name, sqliteRows]] of sqlite.entries()) {
    process.stderr.write(`${name} …\n`);
    for (let round = 0; round <= rounds; round += 1)
      for (const [column, clients] of (round === 0 ? [1] : [1, many]).entries())
        for (const [store, measure] of [sqliteRows, eventStoreDbRows[row]?.[1]].entries()) {
          const speed = (await measure?.(clients)) ?? NaN;
          if (round > 0) speeds[row]?.[2 * store + column]?.push(speed);
        }
  }

  const head = ['per second', 'SQLite', `${many} clients`, `${many} / 1`, 'EventStoreDB', `${many} clients`];
  const rows = sqlite.map(([name], row) => {
    const medians = (speeds[row] ?? []).map(
      values => values.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? NaN,
    );
    const [sqlite1 = NaN, sqlite16 = NaN, eventStoreDb1 = NaN, eventStoreDb16 = NaN] = medians;
    const cells = [
      sqlite1,
      sqlite16,
      sqlite16 / sqlite1,
      eventStoreDb1,
      eventStoreDb16,
      eventStoreDb16 / eventStoreDb1,
    ];
    return [
      name,
      ...[...cells, eventStoreDb1 / sqlite1, eventStoreDb16 / sqlite16].map(value => shown(value)),
    ];
  });
  for (const cells of [
    [...head, `${many} / 1`, 'EventStoreDB / SQLite', `${many} clients`],
    ['---', ...range(8).map(() => '--:')],
    ...rows,
  ])
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  process.stdout.write(
    `\nMedians of ${rounds} rounds, Node ${process.version}, ${availableParallelism()} cores in total.\n` +
      (withoutEventStoreDb === false ? '' : `EventStoreDB is skipped: ${withoutEventStoreDb}.\n`),
  );
};

try {
  await bench();
} finally {
  for (const close of closing.reverse()) await close();
}
