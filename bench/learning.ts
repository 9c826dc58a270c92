// CPU time of learning a year with choice of the number of models: `npm run bench:learning`. The first round compiles;
// of the others the lowest and the median are printed, since a busy machine makes rounds longer and never shorter.
// `--first` takes the first analysis of new processes: firstAnswer.ts.
// `--build <folder>` compares in turns with another build; `--data <folder> --series <name>,…` takes series.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { typicalDays } from '../analysis/learning/typicalDays.js';
import type { Calendar } from '../domain/planning/calendar.js';
import type { Day } from '../domain/day.js';
import { madeDays } from '../test/helpers/data/madeDays.js';
import { firstAnswers } from './firstAnswer.js';
import { calendarFor, readSeries } from './quality/series.js';

/** Rounds after the first one: more of them for years that are learned fast. */
const roundsFor = (slices: number): number => (slices <= 48 ? 21 : 9);

const { values } = parseArgs({
  options: {
    build: { type: 'string' },
    data: { type: 'string' },
    series: { type: 'string' },
    first: { type: 'boolean' },
  },
});
if (values.first) {
  process.stdout.write(firstAnswers());
  process.exit();
}

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
const builds = learners.length === 1 ? [''] : ['', ' of the other build'];
const names = ['first', 'lowest', 'median'].flatMap(name => builds.map(build => `${name}${build}`));
process.stdout.write(`| year | rounds | ${names.join(' | ')} |${values.build ? ' models |' : ''}\n`);
process.stdout.write(`| --- |${' --: |'.repeat(names.length + 1)}${values.build ? ' --- |' : ''}\n`);
for (const year of years()) {
  const seconds = learners.map((): number[] => []);
  const digests = new Set<string>();
  const rounds = roundsFor(year.days[0]?.activity.length ?? 0);
  for (let round = 0; round <= rounds; round += 1)
    for (const [row, learn] of learners.entries()) {
      const { seconds: taken, digest } = measured(learn, year);
      seconds[row]!.push(taken);
      digests.add(digest);
    }
  const first = seconds.map(([taken]) => taken!);
  const sorted = seconds.map(([, ...others]) => others.sort((a, b) => a - b));
  const lowest = sorted.map(([least]) => least!);
  const median = sorted.map(others => others[rounds >> 1]!);
  const cells = [...first, ...lowest, ...median].map(taken => `${taken.toFixed(2)} s`);
  if (values.build !== undefined) cells.push(digests.size === 1 ? 'the same' : 'OTHERS');
  process.stdout.write(`| ${year.name} | ${rounds} | ${cells.join(' | ')} |\n`);
}
