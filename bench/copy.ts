// The first import of a new instance on a long log that was just copied to EventStoreDB, compared with later ones:
// `EVENTSTOREDB_URL=… npm run bench:copy -- [events] [sources]`. Prints a table; nothing is asserted.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareLogs, copyLog } from '../application/logs/copyLog.js';
import { openLog } from '../adapters/composition/openLog.js';
import { newAddress } from '../test/helpers/eventStoreDb/eventStoreDb.js';
import { ordinaryDay } from '../test/helpers/service.js';
import { dateOf, dayNumber } from '../domain/dates.js';
import { lengthen, multiply } from './service/inputs.js';
import { startService, type BenchService } from './service/service.js';

const events = Number(process.argv[2] ?? 300_000);
/** Sources of the log, to which days are imported one by one. One source has the longest streams. */
const sources = Array.from({ length: Number(process.argv[3] ?? 100) }, (_, index) => index + 1);
const laterImports = 30;
const first = dayNumber('2015-01-05');
const dayAt = (index: number) => ordinaryDay(dateOf(first + index));

type Health = { readonly reactor: { readonly backlog: number } };
type Imported = { readonly days?: readonly object[] };

/** A log of `events` events in a folder, whose work is done. */
const makeLog = async (root: string): Promise<string> => {
  const service = await startService(root);
  const days = Array.from({ length: 60 }, (_, index) => dayAt(index));
  await service.post('/v1/import/create-source', { name: 'Gate', referenceYear: 2015, days });
  await service.analysed(1);
  await service.post('/v1/import/days', { sourceId: 1, days: [dayAt(400)] });
  await service.reactedToAll();
  await service.stop();
  await multiply(service.folder, 1, sources.length, id => `Gate ${id}`);
  await lengthen(service.folder, sources, events);
  return join(service.folder, 'events.sqlite');
};

/** Milliseconds of the nth import, from 0, with its check: of the next day of each source in turn. */
const timedImport = async (service: BenchService, n: number): Promise<number> => {
  const sourceId = sources[n % sources.length];
  const days = [dayAt(401 + Math.ceil(events / 2 / sources.length) + Math.floor(n / sources.length))];
  const begun = performance.now();
  const answer = await service.post<Imported>('/v1/import/days?allowFuture=true', { sourceId, days });
  if (answer.days?.length !== 1) throw new Error('the import was not checked in time');
  return performance.now() - begun;
};

const root = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
try {
  const file = await makeLog(root);
  const address = newAddress();
  const [source, target] = [await openLog({ kind: 'sqlite', file }), await openLog(address)];
  const begun = performance.now();
  const { count } = await copyLog({ source, target });
  const { difference } = await compareLogs({ source, target });
  if (difference !== undefined) throw new Error(difference);
  const copySeconds = (performance.now() - begun) / 1000;
  await Promise.all([source.close(), target.close()]);
  const { url, prefix } = address;
  const env = { EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: url, EVENTSTOREDB_PREFIX: prefix };
  const service = await startService(root, { env });
  const { reactor } = await service.get<Health>('/health');
  const times: number[] = [];
  for (let n = 0; n <= laterImports; n += 1) times.push(await timedImport(service, n));
  await service.stop();
  const [firstMs = NaN, ...later] = times;
  const median = later.sort((a, b) => a - b)[Math.floor(later.length / 2)] ?? NaN;
  const rows = [
    ['events copied', count.toLocaleString('en')],
    ['copy and comparison, s', copySeconds.toFixed(1)],
    ['start of a new instance, s', service.startSeconds.toFixed(1)],
    ['backlog in `/health` then', String(reactor.backlog)],
    ['first import with its check, ms', firstMs.toFixed(0)],
    [`later imports, median of ${later.length}, ms`, median.toFixed(0)],
    ['first / later', (firstMs / median).toFixed(2)],
  ];
  process.stdout.write(`| after \`copy-log\` | |\n|---|--:|\n`);
  for (const row of rows) process.stdout.write(`| ${row.join(' | ')} |\n`);
  process.stdout.write(`\nNode ${process.version}, ${availableParallelism()} cores.\n`);
} finally {
  rmSync(root, { recursive: true, force: true });
}
