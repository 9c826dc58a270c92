// Speed of this build against another one, in turns in one run: `npm run bench:builds -- --build <folder>`, where
// the folder is the `build` folder of a compiled checkout. `--rounds 5` takes the median of so many rounds.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../analysis/math/statistics.js';
import { dayOf, makeCsv, makeJson } from './service/inputs.js';
import { startService, type BenchService } from './service/service.js';

const { values } = parseArgs({
  options: {
    build: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    days: { type: 'string', default: '31' },
    json: { type: 'string', default: '50' },
  },
});
if (values.build === undefined)
  throw new Error('got no --build, expected the build folder of another checkout');
const other = join(resolve(values.build), 'adapters/cli/main.js');
const [rounds, days, jsonBytes] = [Number(values.rounds), Number(values.days), Number(values.json) * 1e6];
/** Repetitions of a short request in one round. */
const repeated = 100;

const root = mkdtempSync(join(tmpdir(), 'daybook-builds-'));
const csvFile = join(root, 'reference.csv');
const jsonFile = join(root, 'days.json');

/** Threads that a start creates are still loading when the service listens. */
const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 500));

/** Milliseconds of a task. */
const timed = async (task: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await task();
  return performance.now() - begun;
};

/** Median milliseconds of a short task that is repeated. */
const repeatedly = async (task: (index: number) => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let index = 0; index < repeated; index += 1) times.push(await timed(() => task(index)));
  return median(times);
};

/** Imports recent days one by one, reads, and starts again. */
const dailyUse = async (service: BenchService, sourceId: number): Promise<Record<string, number>> => ({
  'import of a day, checked, durable': await repeatedly(index =>
    service.post('/v1/import/days', { sourceId, days: [dayOf(400 + index)] }),
  ),
  'read of a year of days': await repeatedly(() => service.get(`/v1/day/list/${sourceId}/2024`)),
  'read of the alerts': await repeatedly(() => service.get(`/v1/alert/list?sourceId=${sourceId}`)),
  'read of the planning of a year': await repeatedly(() => service.get(`/v1/planning/list/${sourceId}/2025`)),
});

/** Answer to a creation. */
type Created = { readonly source: { readonly id: number } };

/** Milliseconds of each row for one build, on a new folder. */
const measured = async (main: string | undefined): Promise<Record<string, number>> => {
  const service = await startService(root, main === undefined ? {} : { main });
  const times: Record<string, number> = { 'start on an empty folder': 1000 * service.startSeconds };
  await settled();
  // The first import of a process pays for cold code.
  for (const [name, when] of [
    ['First', ''],
    ['Second', ', again'],
  ]) {
    const path = `/v1/import-csv/create-source?name=${name}`;
    let made: Created | undefined;
    times[`${days} days of a row per second, sent, checked, durable${when}`] = await timed(async () => {
      made = await service.post<Created>(path, { file: csvFile, type: 'text/csv' });
    });
    await service.analysed(made?.source.id ?? 0);
  }
  const reference = Array.from({ length: 365 }, (_, index) => dayOf(index));
  const created = await service.post<Created>('/v1/import/create-source', {
    name: 'Gate',
    referenceYear: 2023,
    days: reference,
  });
  times['analysis of a 10-minute year'] = await timed(() => service.analysed(created.source.id));
  // The last day of the file is wrong, so that reading is measured without the checks.
  for (const when of ['', ', again'])
    times[`${values.json} MB of JSON, sent and read${when}`] = await timed(() =>
      service.send('/v1/import/days', { file: jsonFile, type: 'application/json' }),
    );
  Object.assign(times, await dailyUse(service, created.source.id));
  await service.stop();
  const again = await startService(root, { folder: service.folder, ...(main !== undefined && { main }) });
  times['start on that log'] = 1000 * again.startSeconds;
  await again.stop();
  rmSync(service.folder, { recursive: true, force: true });
  return times;
};

try {
  makeCsv(csvFile, days, 2);
  makeJson(jsonFile, 2, jsonBytes, '2023-01-01');
  const taken = { own: [] as Record<string, number>[], other: [] as Record<string, number>[] };
  for (let round = 0; round < rounds; round += 1) {
    // The first build of a round pays for cold caches, so each is first in every second round.
    for (const isOwn of round % 2 === 0 ? [false, true] : [true, false])
      taken[isOwn ? 'own' : 'other'].push(await measured(isOwn ? undefined : other));
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  process.stdout.write('| | this build, ms | other build, ms | ratio | ratios of the rounds |\n');
  process.stdout.write('| --- | --: | --: | --: | --: |\n');
  for (const name of Object.keys(taken.own[0] ?? {})) {
    const [own, before] = [taken.own, taken.other].map(list => list.map(times => times[name] ?? NaN));
    const ratios = (own ?? []).map((ms, round) => ms / (before?.[round] ?? NaN));
    const cells = [median(own ?? []), median(before ?? []), median(ratios)].map(value =>
      value.toPrecision(3),
    );
    const span = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    process.stdout.write(`| ${name} | ${cells.join(' | ')} | ${span} |\n`);
  }
  process.stdout.write(`\nNode ${process.version}, load ${(loadavg()[0] ?? NaN).toFixed(1)} at the end.\n`);
} finally {
  rmSync(root, { recursive: true, force: true });
}
