// CPU time of the check of a day: `npm run bench:checks`. `--build <folder>` compares in turns with another build,
// `--data <folder> --series <name>,…` takes series instead of made-up days.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../analysis/math/statistics.js';
import { trial } from '../analysis/tuning/trial.js';
import type { Calendar } from '../domain/planning/calendar.js';
import type { Day } from '../domain/day.js';
import { madeDays } from '../test/helpers/data/madeDays.js';
import { calendarFor, readSeries } from './quality/series.js';

const rounds = 5;

/** Factors on the values of the checked days. */
const factors = [1, 0.85, 1.3];

const { values } = parseArgs({
  options: { build: { type: 'string' }, data: { type: 'string' }, series: { type: 'string' } },
});

type Series = {
  readonly name: string;
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  readonly calendar: Calendar | null;
};

const allSeries = (): Series[] => {
  const { data, series } = values;
  if (data !== undefined && series !== undefined)
    return series.split(',').map(name => {
      const read = readSeries(data, name);
      return { name, reference: read.reference, recent: read.recent, calendar: calendarFor(read) };
    });
  const days = madeDays({ count: 728, slices: 144, seed: 1 });
  return [{ name: 'made-up days', reference: days.slice(0, 364), recent: days.slice(364), calendar: null }];
};

const trials = [trial];
if (values.build !== undefined) {
  const url = pathToFileURL(resolve(values.build, 'analysis/tuning/trial.js')).href;
  trials.push(((await import(url)) as { readonly trial: typeof trial }).trial);
}

const isCompared = trials.length > 1;
process.stdout.write(
  `| series | values times | findings | ms a day |${isCompared ? ' other build | |' : ''}\n`,
);
process.stdout.write(`| --- | --: | --: | --: |${isCompared ? ' --: | --- |' : ''}\n`);
for (const { name, reference, recent, calendar } of allSeries()) {
  const tried = trials.map(tryDays =>
    tryDays(reference, recent, { modelCount: null, coverage: null, calendar, seed: 1 }),
  );
  for (const factor of factors) {
    const taken = tried.map((): number[] => []);
    const answers = tried.map(() => '');
    let findings = 0;
    for (let round = 0; round <= rounds; round += 1)
      for (const [row, { recheck }] of tried.entries()) {
        // New objects: nothing is kept of these days.
        const days = recent.map(day => ({ ...day, activity: day.activity.map(value => value * factor) }));
        const begun = process.cpuUsage();
        const checked = days.map(recheck);
        const { user, system } = process.cpuUsage(begun);
        if (round > 0) taken[row]!.push((user + system) / 1000 / days.length);
        answers[row] = JSON.stringify(checked);
        findings = checked.filter(({ finding }) => finding !== null).length;
      }
    const [own, other] = taken.map(median);
    const cells = [name, factor, `${findings} of ${recent.length}`, own!.toFixed(3)];
    if (other !== undefined)
      cells.push(other.toFixed(3), answers[0] === answers[1] ? 'same checks' : 'other checks');
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}
