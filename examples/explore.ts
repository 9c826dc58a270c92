// Explores a series offline with the library in analysis/, step by step as in a notebook: no server, no network.
//
// Run: node build/examples/explore.js [reference.csv] [recent.csv]
// Files have hourly values ("2023-01-01T00:00:00;5,2"). Without files the script makes up a year and three weeks.
import { readFileSync } from 'node:fs';
import { completeness, type Day } from '../domain/day.js';
import { calendarOf } from '../analysis/calendar/holidays.js';
import { trial } from '../analysis/tuning/trial.js';
import { recentCounts, settingName, tune } from '../analysis/tuning/tune.js';

const hours = 24;

// 1. Data: one value an hour. The made-up place opens on working days and Saturday mornings, not on 1 May.

const madeCsv = (from: string, days: number, closed: readonly string[]): string => {
  const lines: string[] = ['date;value'];
  // Noise from a generator with a fixed seed (Lehmer): the same file each time.
  let state = 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let index = 0; index < days * hours; index += 1) {
    const at = new Date(Date.parse(from) + index * 3_600_000);
    const date = at.toISOString().slice(0, 10);
    const [weekday, hour] = [at.getUTCDay(), at.getUTCHours()];
    const until = weekday === 0 || closed.includes(date) ? 0 : weekday === 6 ? 12 : 20;
    const level = hour >= 8 && hour < until ? 100 : 5;
    const value = level * (0.8 + 0.4 * random());
    lines.push(`${at.toISOString().slice(0, 19)};${value.toFixed(1).replace('.', ',')}`);
  }
  return lines.join('\n');
};

/** Days of hourly values from CSV; an hour without a value becomes a gap. */
const daysOf = (csv: string): Day[] => {
  const values = new Map<string, (number | undefined)[]>();
  for (const line of csv.split('\n')) {
    const [, date = '', hour = '', value = ''] =
      /^"?(\d{4}-\d\d-\d\d)T(\d\d)[^;]*;"?([-\d,]+)"?\s*$/.exec(line) ?? [];
    if (date === '') continue;
    const day = values.get(date) ?? Array.from({ length: hours }, () => undefined);
    day[Number(hour)] = Number(value.replace(',', '.'));
    values.set(date, day);
  }
  return [...values].map(([date, day]) => ({
    date,
    activity: day.map(value => value ?? 0),
    gaps: day.flatMap((value, hour) => (value === undefined ? [[hour, hour + 1] as const] : [])),
    filled: [],
  }));
};

const [referenceFile, recentFile] = process.argv.slice(2);
const reference = daysOf(
  referenceFile === undefined
    ? madeCsv('2023-01-01T00:00:00Z', 365, ['2023-05-01'])
    : readFileSync(referenceFile, 'utf8'),
);
const recent = daysOf(
  recentFile === undefined
    ? madeCsv('2024-01-08T00:00:00Z', 21, ['2024-01-24'])
    : readFileSync(recentFile, 'utf8'),
);
const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
console.log(
  `reference: ${reference.length} days, ${(100 * mean(reference.map(completeness))).toFixed(1)} % observed`,
);
console.log(`recent: ${recent.length} days`);

// 2. One setting: what a new source with this calendar would get.

const referenceYear = Number(reference[0]?.date.slice(0, 4));
const calendar = calendarOf('FR', referenceYear);
const { learned, models, plan, days } = trial(reference, recent, {
  modelCount: null,
  coverage: null,
  calendar,
  seed: 1,
});
console.log(`\n${models.length} typical days`);
for (const { id, name, days: count, activity } of models)
  console.log(
    `  ${id}  ${name.padEnd(30)} ${String(count).padStart(3)} days, mean ${mean(activity).toFixed(1)}`,
  );

// 3. Quality of the bounds, measured on reference days that were held out.

const { measuredCoverage, falseAlertsPerYear, minimumDetectableChange: change } = learned.bounds;
console.log(`\n${(100 * measuredCoverage).toFixed(1)} % of ordinary held-out days keep all limits`);
console.log(`${falseAlertsPerYear ?? '?'} false alerts a year are expected`);
const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? 'none' : `${Math.round(100 * share)} %`;
console.log(
  `smallest change of a whole day that would be detected: +${percent(change?.wholeDay.more)}, −${percent(change?.wholeDay.less)}`,
);

// 4. Planning: which model a date should follow, and why.

for (const date of [`${referenceYear + 1}-05-01`, `${referenceYear + 1}-05-02`]) {
  const { modelId, reason } = plan(date);
  console.log(`\n${date}: model ${modelId}, because ${reason}`);
}

// 5. The check of the recent days.

console.log('');
for (const { day, outcome, finding } of days)
  if (finding)
    console.log(
      `${day.date}: ${outcome}, ${finding.direction ?? finding.kind}, criticity ${finding.criticity.toFixed(2)}`,
    );

// 6. Other settings: numbers of models at the default limits, then targets at the chosen number.

const tried = tune(
  { reference, recent, calendar, seed: 1 },
  { counts: [2, 3], coverages: [0.95, 0.99], cross: false },
);
console.log('\nsetting    models  loss    false/year  alerts');
for (const setting of tried) {
  const { alerts } = recentCounts(setting);
  const raised = Object.values(alerts).reduce((sum, count) => sum + count, 0);
  console.log(
    settingName(setting.asked).padEnd(11) +
      String(setting.models.length).padEnd(8) +
      `${(100 * setting.fit.loss).toFixed(1)} %`.padEnd(8) +
      String(setting.bounds.falseAlertsPerYear).padEnd(12) +
      String(raised),
  );
}
