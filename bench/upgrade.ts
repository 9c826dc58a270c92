// The first start on a log that was written before incidents: `npm run bench:upgrade`, with `-- --alerts 20000` for
// more. Makes logs with alerts that are in no incident, of one source and of fifty, starts a service on each without
// read models, and reads while it groups the alerts. Prints a Markdown table. Nothing is asserted.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../analysis/math/seededRandom.js';
import { sqliteStore } from '../adapters/sqlite/sqliteStore.js';
import { dateOf, dayNumber } from '../domain/dates.js';
import type { KnownEvent, Proposed, Recorded } from '../domain/events.js';
import { ordinaryDay, ordinaryDays } from '../test/helpers/service.js';
import { startService, type BenchService } from './service/service.js';

const { values: flags } = parseArgs({ options: { alerts: { type: 'string', default: '5000' } } });
const alertCount = Number(flags.alerts);

const referenceFrom = '2005-01-01';
const referenceDays = 84;
const firstRecent = dayNumber(referenceFrom) + referenceDays;
/** Days of one import. */
const importMax = 1000;

/** Days far above or below their profile, in random order: nearly each has an alert. */
const abnormalDays = (first: number, count: number) => {
  const random = seededRandom(first);
  const factors = [0.1, 0.3, 3, 6];
  return Array.from({ length: count }, (_, index) => {
    const factor = factors[Math.floor(random() * factors.length)] ?? 1;
    const { date, activity } = ordinaryDay(dateOf(first + index));
    return { date, activity: activity.map(value => value * factor) };
  });
};

/** Creates sources with alerts. */
const addAlerts = async (service: BenchService, sources: number): Promise<void> => {
  const days = ordinaryDays(referenceFrom, referenceDays);
  for (let n = 1; n <= sources; n += 1) {
    const body = { name: `Meter ${n}`, referenceYear: 2005, days };
    const { source } = await service.post<{ source: { id: number } }>('/v1/import/create-source', body);
    await service.analysed(source.id);
    const each = Math.ceil(alertCount / sources);
    for (let from = 0; from < each; from += importMax) {
      const recent = abnormalDays(firstRecent + from, Math.min(importMax, each - from));
      await service.post('/v1/import/days', { sourceId: source.id, days: recent });
      await service.reactedToAll();
    }
  }
};

/** The event without its place in the log. */
const proposed = ({ hash: _, stream: __, revision: ___, position: ____, ...event }: Recorded): Proposed =>
  event;

/** Copies the data of a stopped service without read models and without events of incidents. */
const copyBefore = async (from: string, to: string): Promise<void> => {
  mkdirSync(to);
  for (const file of readdirSync(from))
    if (!/^(events|read-models)\./.test(file)) cpSync(join(from, file), join(to, file), { recursive: true });
  const [old, copy] = [from, to].map(folder => sqliteStore(join(folder, 'events.sqlite'))) as [
    ReturnType<typeof sqliteStore>,
    ReturnType<typeof sqliteStore>,
  ];
  for await (const event of old.all(0n)) {
    if (event.stream.startsWith('incidents-')) continue;
    const expected = event.revision === 0 ? 'absent' : event.revision - 1;
    await copy.append(event.stream, expected, [proposed(event)]);
  }
  await Promise.all([old.close(), copy.close()]);
};

/** Alerts, groupings and incidents of a log, and the instant of the last grouping. */
const countGrouped = async (folder: string) => {
  const store = sqliteStore(join(folder, 'events.sqlite'));
  const counts = { raised: 0, joined: 0, groupings: 0, incidents: 0, lastMs: 0 };
  for await (const recorded of store.all(0n)) {
    const { type, data, at } = recorded as unknown as KnownEvent;
    if (type === 'AlertRaised') counts.raised += 1;
    if (type !== 'AlertsGrouped') continue;
    counts.groupings += 1;
    counts.joined += data.joined.length;
    counts.incidents += data.joined.filter(({ reason }) => reason === 'opened').length - data.merged.length;
    counts.lastMs = Date.parse(at);
  }
  await store.close();
  return counts;
};

/** Waits until the process manager was idle for a second. */
const settled = async (service: BenchService): Promise<void> => {
  for (let quiet = 0; quiet < 10; quiet += 1) {
    const { reactor } = await service.get<{ reactor: { backlog: number } }>('/health');
    if (reactor.backlog > 0) quiet = 0;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
};

const measure = async (root: string, sources: number): Promise<readonly string[]> => {
  const before = await startService(root);
  await addAlerts(before, sources);
  await before.stop();
  const folder = join(root, `before-${sources}`);
  await copyBefore(before.folder, folder);
  const service = await startService(root, { folder });
  const readyMs = Date.now();
  const { p99, most } = await service.whileReading(() => settled(service));
  await service.stop();
  const { raised, joined, groupings, incidents, lastMs } = await countGrouped(folder);
  if (joined < raised) throw new Error(`got ${joined} alerts in incidents, expected ${raised}`);
  const again = await startService(root, { folder });
  const idle = await again.whileReading(() => settled(again));
  await again.stop();
  return [
    ...[sources, raised, groupings, incidents].map(count => count.toLocaleString('en')),
    service.startSeconds.toFixed(2),
    ((lastMs - readyMs) / 1000).toFixed(2),
    `${p99.toFixed(0)} / ${most.toFixed(0)}`,
    `${idle.p99.toFixed(0)} / ${idle.most.toFixed(0)}`,
  ];
};

const root = mkdtempSync(join(tmpdir(), 'daybook-upgrade-'));
const print = (cells: readonly string[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`);
try {
  const heads = ['sources', 'alerts', 'groupings', 'incidents', 'start s', 'grouped after s'];
  print([...heads, 'reads ms, p99 / most', 'the next start, reads ms']);
  print(Array.from({ length: heads.length + 2 }, () => '--:'));
  for (const sources of [1, 50]) print(await measure(root, sources));
  const load = (loadavg()[0] ?? NaN).toFixed(1);
  process.stdout.write(
    `\nNode ${process.version}, ${availableParallelism()} cores, load ${load} at the end.\n`,
  );
} finally {
  rmSync(root, { recursive: true });
}
