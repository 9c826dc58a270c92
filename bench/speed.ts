// Speed of the service, compared with other programs on the same bytes, machine and run: `npm run bench`, with
// `-- --days 365` for a year of one row per second, `--events 1000000` for a longer log, `--only json,daily` for
// some parts. DuckDB takes part when installed (`npm install --no-save @duckdb/node-api@1.5.6-r.1`). Prints a
// Markdown table of times and ratios. Nothing is asserted: absolute speeds depend on the machine and its load.
import { randomUUID as newId } from 'node:crypto';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { median } from '../analysis/math/statistics.js';
import { sqliteStore } from '../adapters/sqlite/sqliteStore.js';
import { dayOf, makeCsv, makeJson, lengthen, multiply } from './service/inputs.js';
import { newSource, shown, startService } from './service/service.js';

const { values: flags } = parseArgs({
  options: {
    days: { type: 'string', default: '31' },
    json: { type: 'string', default: '200' },
    clients: { type: 'string', default: '16' },
    events: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'csv,json,daily,growth' },
  },
});
const [days, jsonBytes, clients] = [Number(flags.days), Number(flags.json) * 1e6, Number(flags.clients)];
const events = Number(flags.events);
const measuredMs = 1000 * Number(flags.seconds);

const root = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const rows: (readonly string[])[] = [];
type Cost = { readonly megabytes?: number; readonly p99?: number };
/** Prints a row of the table: name, seconds or rate, ratio, megabytes, milliseconds. */
const addRow = (
  title: string,
  measured: string,
  ratio = NaN,
  { megabytes = NaN, p99 = NaN }: Cost = {},
): void => {
  rows.push([title, measured, shown(ratio, 2), shown(megabytes), shown(p99)]);
  process.stderr.write(`${rows.at(-1)?.join(' | ')}\n`);
};
const inSeconds = (seconds: number): string => `${shown(seconds)} s`;
const perSecond = (rate: number): string => `${shown(rate)} per second`;

type Peer = { readonly seconds: number; readonly megabytes: number };
const peerFile = fileURLToPath(new URL('./peer.js', import.meta.url));
/** Measures another program on a file, in its own process; NaN, with the reason printed, when it is not installed. */
const peer = async (name: 'duckdb' | 'csv-parse' | 'json', file: string): Promise<Peer> => {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [peerFile, name, file]);
    return JSON.parse(stdout) as Peer;
  } catch (error) {
    process.stderr.write(`${name} is skipped: ${String(error).split('\n').slice(0, 3).join(' ')}\n`);
    return { seconds: NaN, megabytes: NaN };
  }
};

/** Imports a reference of one row per second; returns the seconds per row. */
const csv = async (days: number, decimals?: 2): Promise<number> => {
  const file = join(root, 'reference.csv');
  const megabytes = makeCsv(file, days, decimals) / 1e6;
  const service = await startService(root);
  const { seconds, p99 } = await service.whileReading(() =>
    service.post('/v1/import-csv/create-source?name=Seconds', { file, type: 'text/csv' }),
  );
  const held = service.megabytes();
  await service.stop();
  const duck = await peer('duckdb', file);
  const csvParse = await peer('csv-parse', file);
  const digits = decimals === undefined ? ', with all digits of a double' : '';
  const title = `${days} days of one row per second${digits} (${shown(megabytes)} MB of CSV)`;
  addRow(`${title}, sent, checked, durable`, inSeconds(seconds), seconds / duck.seconds, {
    megabytes: held,
    p99,
  });
  addRow('– DuckDB `read_csv` from disk, 10-minute means', inSeconds(duck.seconds), 1, duck);
  addRow('– csv-parse, rows only', inSeconds(csvParse.seconds), csvParse.seconds / duck.seconds, csvParse);
  return seconds / (days * 86_400);
};

/** Imports recent days of one value per minute. */
const json = async (): Promise<void> => {
  const service = await startService(root);
  const id = await newSource(service);
  const [file, faulty] = [join(root, 'days.json'), join(root, 'faulty.json')];
  const megabytes = makeJson(file, id, jsonBytes - 100_000) / 1e6;
  makeJson(faulty, id, jsonBytes - 100_000, '2023-01-01');
  const type = 'application/json';
  const read = await service.whileReading(() => service.send('/v1/import/days', { file: faulty, type }));
  const held = service.megabytes();
  const whole = await service.whileReading(() => service.post('/v1/import/days', { file, type }));
  const heldWhole = service.megabytes();
  await service.stop();
  const parsed = await peer('json', file);
  const title = `${shown(megabytes)} MB of JSON, one value per minute`;
  addRow(`${title}, sent, read, checked`, inSeconds(read.seconds), read.seconds / parsed.seconds, {
    megabytes: held,
    p99: read.p99,
  });
  addRow('– `JSON.parse`', inSeconds(parsed.seconds), 1, parsed);
  const ratio = whole.seconds / parsed.seconds;
  addRow(`${title}, to the verdict on each day, or 202`, inSeconds(whole.seconds), ratio, {
    megabytes: heldWhole,
    p99: whole.p99,
  });
};

/** Rate of a request, per second, with so many clients at once. */
const rate = async (count: number, step: (client: number) => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  let done = 0;
  const client = async (_: unknown, index: number): Promise<void> => {
    for (; performance.now() - begun < measuredMs; done += 1) await step(index);
  };
  await Promise.all(Array.from({ length: count }, client));
  return (1000 * done) / (performance.now() - begun);
};

/** Imports single days of 144 values, as sources send them every night. */
const daily = async (): Promise<void> => {
  const store = sqliteStore(join(root, 'appends.sqlite'));
  const appends = (count: number): Promise<number> => {
    const streams = Array.from({ length: count }, () => ({ name: `days-${newId()}`, next: 0 }));
    return rate(count, client => {
      const stream = streams[client] as (typeof streams)[number];
      const data = {
        sourceId: 1,
        importId: newId(),
        kind: 'recent',
        part: 1,
        parts: 1,
        days: [dayOf(stream.next)],
      };
      const event = { id: newId(), type: 'DaysImported', v: 1, data, at: '2024-01-01T00:00:00.000Z' };
      const metadata = { by: 'bench', cause: event.id, correlation: event.id };
      const expected = stream.next === 0 ? ('absent' as const) : stream.next - 1;
      stream.next += 1;
      return store.append(stream.name, expected, [{ ...event, metadata }]);
    });
  };
  const service = await startService(root);
  const sources: { readonly id: number; next: number }[] = [];
  while (sources.length < clients) sources.push({ id: await newSource(service), next: 400 });
  const imports = (count: number): Promise<number> =>
    rate(count, client => {
      const source = sources[client] as (typeof sources)[number];
      return service.post('/v1/import/days', { sourceId: source.id, days: [dayOf((source.next += 1))] });
    });
  // Both warm up first and are measured right after each other, because they share the disk.
  await appends(1);
  await imports(clients);
  const [append, one] = [await appends(1), await imports(1)];
  const [appendMany, many] = [await appends(clients), await imports(clients)];
  await service.stop();
  await store.close();
  addRow('appends of one event (a day of 144 values), one client', perSecond(append), 1);
  addRow(`– ${clients} clients`, perSecond(appendMany), appendMany / append);
  addRow('imports of such a day, checked, durable, one client', perSecond(one), one / append);
  addRow(`– ${clients} clients`, perSecond(many), many / append);
};

/** Index of the day that is imported next: after the last day of all logs. */
let unseenDay = 200_000;

/** A log in a folder, one of its sources, and a year in which that source has days. */
type Log = {
  readonly title: string;
  readonly folder: string;
  readonly sourceId: number;
  readonly year: number;
};

/**
 * Starts a service on each log, imports and reads in turns, because the speed of the disk varies. Prints the times
 * and their ratios to the first log.
 */
const compareLogs = async (logs: readonly Log[]): Promise<void> => {
  const measured = logs.map(() => ({ start: [] as number[], import: [] as number[], read: [] as number[] }));
  const timed = async (times: number[], work: () => Promise<unknown>): Promise<void> => {
    for (let tries = 0; tries < 101; tries += 1) {
      const begun = performance.now();
      await work();
      times.push(performance.now() - begun);
    }
  };
  for (let round = 0; round < 3; round += 1)
    for (const [index, { folder, sourceId, year }] of logs.entries()) {
      const times = measured[index] as (typeof measured)[number];
      const service = await startService(root, { folder });
      times.start.push(1000 * service.startSeconds);
      await timed(times.import, () =>
        service.post('/v1/import/days', { sourceId, days: [dayOf((unseenDay += 1))] }),
      );
      await timed(times.read, () => service.get(`/v1/day/list/${sourceId}/${year}`));
      await service.stop();
    }
  const first = measured[0];
  for (const [index, { title }] of logs.entries())
    for (const [name, field] of [
      ['start', 'start'],
      ['import of a day', 'import'],
      ['reading a year of days', 'read'],
    ] as const) {
      const value = median(measured[index]?.[field] ?? []);
      addRow(
        `${title}: ${name}`,
        `${shown(value)} ms`,
        index === 0 ? NaN : value / median(first?.[field] ?? []),
      );
    }
};

/** Starts once to build the read models and to let the process manager read all events. */
const caughtUp = async (folder: string): Promise<void> => {
  const service = await startService(root, { folder });
  await service.reactedToAll();
  await service.stop();
};

/** Compares a log of ten thousand events with a longer one, and ten sources with a thousand. */
const growth = async (): Promise<void> => {
  const service = await startService(root);
  const sources: number[] = [];
  while (sources.length < 10) sources.push(await newSource(service));
  for (const sourceId of sources) await service.post('/v1/import/days', { sourceId, days: [dayOf(400)] });
  await service.stop();
  const [sourceId = 1] = sources;
  const logs: Log[] = [];
  for (const count of [10_000, events]) {
    const folder = mkdtempSync(join(root, 'log-'));
    cpSync(service.folder, folder, { recursive: true });
    await lengthen(folder, sources, count);
    await caughtUp(folder);
    logs.push({ title: `log of ${count.toLocaleString('en')} events`, folder, sourceId, year: 2024 });
  }
  await compareLogs(logs);

  const wide: Log[] = [];
  for (const count of [10, 1000]) {
    const empty = await startService(root);
    const only = await newSource(empty);
    await empty.stop();
    await multiply(empty.folder, only, count);
    await caughtUp(empty.folder);
    wide.push({
      title: `${count.toLocaleString('en')} sources`,
      folder: empty.folder,
      sourceId: only,
      year: 2023,
    });
  }
  await compareLogs(wide);
};

/** Imports of a month, with all digits and with two, and of a longer time. */
const csvFiles = async (): Promise<void> => {
  await csv(31);
  const monthRowSeconds = await csv(31, 2);
  if (days <= 31) return;
  const longRowSeconds = await csv(days, 2);
  const measured = `${shown(longRowSeconds * 1e9)} ns`;
  addRow(`a row of ${days} days, against one of 31`, measured, longRowSeconds / monthRowSeconds);
};

/** Parts of the benchmark by name. */
const parts: Readonly<Record<string, () => Promise<void>>> = { csv: csvFiles, json, daily, growth };

try {
  const chosen = flags.only.split(',').map(name => {
    const part = parts[name];
    if (!part) throw new Error(`got --only ${name}, expected ${Object.keys(parts).join(', ')}`);
    return part;
  });
  for (const part of chosen) await part();
  const table = [
    ['', 'measured', 'ratio', 'peak MB', 'others’ reads, p99 ms'],
    ['---', '--:', '--:', '--:', '--:'],
    ...rows,
  ];
  for (const cells of table) process.stdout.write(`| ${cells.join(' | ')} |\n`);
  const load = loadavg()[0] ?? NaN;
  process.stdout.write(
    `\nNode ${process.version}, ${availableParallelism()} cores for client, service and store; load ${load.toFixed(1)} at the end.\n`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
