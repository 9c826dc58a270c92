// A fleet: `npm run bench:fleet`, with `-- --sources 10000` for more. Creates a small and a large number of sources in
// services of their own, imports a day into each, reads the overview and the list, and starts again. Prints a Markdown
// table: per source, the large fleet against the small one. Nothing is asserted.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ordinaryDays } from '../test/helpers/service.js';
import { cpuSeconds, createSource, shown, startService } from './service/service.js';

const { values: flags } = parseArgs({
  options: {
    sources: { type: 'string', default: '1000' },
    peer: { type: 'string', default: '10' },
    clients: { type: 'string', default: '4' },
  },
});
const clients = Number(flags.clients);

type Fleet = {
  readonly count: number;
  readonly create: number;
  readonly analyse: number;
  readonly cpu: number;
  readonly imports: number;
  readonly overview: number;
  readonly list: number;
  readonly start: number;
  readonly megabytes: number;
};

const reference = ordinaryDays('2023-01-01', 56);
const recent = ordinaryDays('2023-02-26', 1);

/** Calls `work` for 1 to `count`, from so many clients at once; returns the seconds. */
const forEach = async (count: number, work: (n: number) => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  let next = 1;
  const client = async (): Promise<void> => {
    while (next <= count) await work(next++);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (performance.now() - begun) / 1000;
};

/** Median milliseconds of nine runs. */
const milliseconds = async (work: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let tries = 0; tries < 9; tries += 1) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[4] ?? NaN;
};

const measure = async (root: string, count: number): Promise<Fleet> => {
  const service = await startService(root);
  const begun = performance.now();
  const created = await forEach(count, n =>
    createSource(service, { name: `Station ${n}`, referenceYear: 2023, days: reference }),
  );
  await service.reactedToAll(3_600_000);
  const analysed = (performance.now() - begun) / 1000;
  const cpu = cpuSeconds(service.pid);
  const imports = await forEach(count, sourceId =>
    service.post('/v1/import/days', { sourceId, days: recent }),
  );
  const overview = await milliseconds(() => service.get('/v1/overview'));
  const list = await milliseconds(() => service.get('/v1/source/list?limit=100'));
  const megabytes = service.megabytes();
  await service.stop();
  const again = await startService(root, { folder: service.folder });
  const start = again.startSeconds;
  await again.stop();
  return {
    ...{ count, megabytes, overview, list, start },
    create: (1000 * created) / count,
    analyse: (1000 * analysed) / count,
    cpu: (1000 * cpu) / count,
    imports: (1000 * imports) / count,
  };
};

const root = mkdtempSync(join(tmpdir(), 'daybook-fleet-'));
try {
  const small = await measure(root, Number(flags.peer));
  const large = await measure(root, Number(flags.sources));
  const rows: readonly (readonly [string, keyof Fleet, string])[] = [
    ['creation of a source, until it is answered', 'create', 'ms'],
    ['creation of a source, until it has models', 'analyse', 'ms'],
    ['– processor time of that', 'cpu', 'ms'],
    ['import of a day, checked, durable', 'imports', 'ms'],
    ['overview of all sources', 'overview', 'ms'],
    ['list of 100 sources', 'list', 'ms'],
    ['start', 'start', 's'],
    ['peak memory', 'megabytes', 'MB'],
  ];
  const title = ({ count }: Fleet): string => `${count.toLocaleString('en')} sources`;
  const print = (cells: readonly string[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`);
  print(['', title(small), title(large), 'ratio']);
  print(['---', '--:', '--:', '--:']);
  for (const [name, field, unit] of rows)
    print([
      name,
      ...[small, large].map(fleet => `${shown(fleet[field])} ${unit}`),
      (large[field] / small[field]).toPrecision(2),
    ]);
  process.stdout.write(
    `\nNode ${process.version}, ${availableParallelism()} cores for ${clients} clients and the service; ` +
      `load ${(loadavg()[0] ?? NaN).toFixed(1)} at the end.\n`,
  );
} finally {
  rmSync(root, { recursive: true });
}
