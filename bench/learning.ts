// CPU time of learning a year with choice of the number of models: `npm run bench:learning`.
// `--build <folder>` compares in turns with another build; `--data <folder> --series <name>,…` takes series.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { typicalDays } from '../analysis/learning/typicalDays.js';
import type { Calendar } from '../domain/planning/calendar.js';
import type { Day } from '../domain/day.js';
import { madeDays } from '../test/helpers/data/madeDays.js';
import { calendarFor, readSeries } from './quality/series.js';

const rounds = 5;

const { values } = parseArgs({
  options: { build: { type: 'string' }, data: { type: 'string' }, series: { type: 'string' } },
});

type Year = { readonly name: string; readonly days: readonly Day[]; readonly calendar: Calendar | null };

const years = (): Year[] => {
  const { data, series } = values;
  if (data === undefined || series === undefined)
    return [24, 144].map(slices => ({
      name: `365 made-up days of ${slices} values`,
      days: madeDays({ count: 365, slices, seed: 1 }),
      calendar: null,
    }));
  return series.split(',').map(name => {
    const read = readSeries(data, name);
    const { length } = read.reference[0]?.activity ?? [];
    return {
      name: `${name}, ${read.reference.length} days of ${length} values`,
      days: read.reference,
      calendar: calendarFor(read),
    };
  });
};

/** CPU seconds of learning a year, and the digest of the models. */
const measured = (
  learn: typeof typicalDays,
  { days, calendar }: Year,
): { readonly seconds: number; readonly digest: string } => {
  const begun = process.cpuUsage();
  const learned = learn(days, { modelCount: null, coverage: null, calendar, seed: 1 });
  const { user, system } = process.cpuUsage(begun);
  return {
    seconds: (user + system) / 1e6,
    digest: createHash('sha256').update(JSON.stringify(learned)).digest('hex'),
  };
};

const learners = [typicalDays];
if (values.build !== undefined) {
  const url = pathToFileURL(resolve(values.build, 'analysis/learning/typicalDays.js')).href;
  learners.push(((await import(url)) as { readonly typicalDays: typeof typicalDays }).typicalDays);
}
process.stdout.write(`| year | first | median of ${rounds} |${values.build ? ' other build | |' : ''}\n`);
process.stdout.write(`| --- | --: | --: |${values.build ? ' --: | --- |' : ''}\n`);
for (const year of years()) {
  const seconds = learners.map((): number[] => []);
  const digests = new Set<string>();
  for (let round = 0; round <= rounds; round += 1)
    for (const [row, learn] of learners.entries()) {
      const { seconds: taken, digest } = measured(learn, year);
      seconds[row]!.push(taken);
      digests.add(digest);
    }
  const [own, other] = seconds.map(([, ...all]) => all.sort((a, b) => a - b)[rounds >> 1] ?? NaN);
  const cells = [year.name, `${seconds[0]![0]!.toFixed(2)} s`, `${own!.toFixed(2)} s`];
  if (other !== undefined)
    cells.push(`${other.toFixed(2)} s`, digests.size === 1 ? 'same models' : 'other models');
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
