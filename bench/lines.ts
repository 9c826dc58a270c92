// Writes of line protocol while other clients read: `npm run bench:lines`, with `-- --rate 20000` points a second,
// `--seconds 30`, `--sources 200`, `--profile <file>` for a CPU profile. InfluxDB 1.x gets the same bytes when its
// program is there. Prints Markdown. Nothing is asserted.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startInfluxd, withoutInfluxd } from '../test/helpers/influxd.js';
import { ordinaryDays } from '../test/helpers/service.js';
import { cpuSeconds, createSource, startService } from './service/service.js';

const { values: flags } = parseArgs({
  options: {
    rate: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '30' },
    sources: { type: 'string', default: '200' },
    profile: { type: 'string' },
  },
});
const rate = Number(flags.rate);
const measuredMs = 1000 * Number(flags.seconds);
const sources = Number(flags.sources);
/** Points of a body, the usual batch of InfluxDB's clients. */
const batch = 5000;

const root = mkdtempSync(join(tmpdir(), 'daybook-lines-'));
const service = await startService(root, {
  env: {
    NODE_OPTIONS: `--import=${new URL('./meter.js', import.meta.url).href}`,
    ...(flags.profile !== undefined && { LOAD_PROFILE: flags.profile }),
  },
});
const headers = { Authorization: `Bearer ${service.token}` };

/** A body of points of the present second, as many of each series. */
const bodyOf = (round: number): string => {
  const now = Date.now() * 1_000_000;
  return Array.from({ length: batch }, (_, index) => {
    const series = index % sources;
    const at = BigInt(now) + BigInt(Math.floor(index / sources)) * 4_000_000n;
    return `energy,site=lyon,room=r${series},host=pi${series % 7} value=${(series + round) % 97}.25 ${at}`;
  }).join('\n');
};

type Measured = {
  readonly pointsPerSecond: number;
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
};

const at = (values: number[], share: number): number =>
  values.sort((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? NaN;

/** Writes for a time, at a rate or as fast as it goes, and measures how long a write takes. */
const writing = async (
  pid: number,
  write: (body: string) => Promise<Response>,
  pointsPerSecond: number,
): Promise<Measured> => {
  const begun = performance.now();
  const cpu = cpuSeconds(pid);
  const times: number[] = [];
  let points = 0;
  for (let round = 0; performance.now() - begun < measuredMs; round += 1) {
    const body = bodyOf(round);
    const since = performance.now();
    const answer = await write(body);
    if (answer.status !== 204) throw new Error(`${answer.status}: ${await answer.text()}`);
    times.push(performance.now() - since);
    points += batch;
    const ahead = (1000 * points) / pointsPerSecond - (performance.now() - begun);
    if (ahead > 0) await sleep(ahead);
  }
  const seconds = (performance.now() - begun) / 1000;
  return {
    pointsPerSecond: points / seconds,
    cpu: (cpuSeconds(pid) - cpu) / seconds,
    p50: at(times, 0.5),
    p99: at(times, 0.99),
  };
};

/** Repeats a read until it is stopped. @returns its times */
const reading = (path: string) => {
  const times: number[] = [];
  let stopped = false;
  const run = async (): Promise<void> => {
    while (!stopped) {
      const since = performance.now();
      const answer = await fetch(service.address + path, { headers });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      times.push(performance.now() - since);
      await sleep(20);
    }
  };
  const running = run();
  return async (): Promise<number[]> => {
    stopped = true;
    await running;
    return times;
  };
};

const reads = ['/health', '/v1/source/list', '/v1/overview'] as const;

/** Runs work while other clients read. @returns the p50 and p99 of each read */
const besides = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const stops = reads.map(reading);
  await work();
  const times = await Promise.all(stops.map(stop => stop()));
  return times.map(own => `${at(own, 0.5).toFixed(1)} / ${at(own, 0.99).toFixed(1)}`);
};

const print = (...cells: readonly string[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`);
const row = (name: string, { pointsPerSecond, cpu, p50, p99 }: Measured, others: readonly string[]): void =>
  print(
    name,
    pointsPerSecond.toFixed(0),
    cpu.toFixed(2),
    `${p50.toFixed(0)} / ${p99.toFixed(0)}`,
    ...(others.length > 0 ? others : reads.map(() => '–')),
  );

for (let series = 0; series < sources; series += 1) {
  const feed = { measurement: 'energy', field: 'value', tags: { room: `r${series}` } };
  const days = ordinaryDays('2023-01-01', 20);
  await createSource(service, { name: `Room ${series}`, referenceYear: 2023, days, feed });
}
await service.reactedToAll();
const write = (body: string) => fetch(`${service.address}/api/v2/write`, { method: 'POST', headers, body });

print(
  'writer',
  'points a second',
  'cores',
  'write ms, p50 / p99',
  ...reads.map(path => `${path} ms, p50 / p99`),
);
print('---', '--:', '--:', '--:', ...reads.map(() => '--:'));
print('no writes', '–', '–', '–', ...(await besides(() => sleep(measuredMs / 3))));
process.kill(service.pid, 'SIGUSR2');
let measured: Measured | undefined;
const paced = await besides(async () => (measured = await writing(service.pid, write, rate)));
if (measured) row(`Daybook, ${rate} a second`, measured, paced);
process.kill(service.pid, 'SIGUSR2');
const free = await besides(async () => (measured = await writing(service.pid, write, Infinity)));
if (measured) row('Daybook, one writer without a pause', measured, free);
await service.stop();
if (withoutInfluxd !== false) process.stdout.write(`InfluxDB: ${withoutInfluxd}\n`);
else {
  const influxd = await startInfluxd(join(root, 'influxdb'));
  await influxd.query('CREATE DATABASE "bench"');
  const both = [rate, Infinity] as const;
  for (const one of both)
    row(
      `InfluxDB 1.x, ${one === Infinity ? 'one writer without a pause' : `${one} a second`}`,
      await writing(influxd.pid, body => influxd.write('bench', body), one),
      [],
    );
  await influxd.stop();
}
rmSync(root, { recursive: true });
process.stdout.write(
  `load ${loadavg()[0]?.toFixed(1)}; ${service.stderr().split('\n').slice(0, 2).join(' ')}\n`,
);
