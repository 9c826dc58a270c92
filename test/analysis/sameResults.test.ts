// The same data give the same bytes: digests of what the engine learns from real series and finds in their recent days.
// After a wanted change of results raise the version of the engine (analysis/engine.ts), then enter the new digests.
// The reasons of plans are among them: other words need new digests only.
import { createHash } from 'node:crypto';
import t from 'tap';
import { calendarOf } from '../../analysis/calendar/holidays.js';
import { engine } from '../../analysis/engine.js';
import type { Setting } from '../../analysis/learning/typicalDays.js';
import { trial } from '../../analysis/tuning/trial.js';
import { trySetting } from '../../analysis/tuning/trySetting.js';
import { runJob } from '../../analysis/worker.js';
import { benchmarkFolder } from '../../bench/quality/dataFolder.js';
import type { Day } from '../../domain/day.js';
import { readRealSeries, realFacts } from '../helpers/data/realSeries.js';

const digest = (result: unknown): string =>
  createHash('sha256').update(JSON.stringify(result)).digest('hex').slice(0, 16);

/** A series of the public benchmark, which is in the repository. */
const series = (name: string) => {
  const { reference, recent } = readRealSeries(benchmarkFolder, name);
  const { calendar } = realFacts(benchmarkFolder, name);
  const year = Number(reference[0]?.date.slice(0, 4));
  return { reference, recent, calendar: calendar === null ? null : calendarOf(calendar, year), year };
};

type Days = Pick<ReturnType<typeof series>, 'reference' | 'recent' | 'calendar'>;

const resultsOf = ({ reference, recent, calendar }: Days, setting: Partial<Setting> = {}): unknown => {
  const { learned, days } = trial(reference, recent, {
    ...{ modelCount: null, coverage: null, seed: 1, calendar },
    ...setting,
  });
  return { learned, days: days.map(({ day: { date }, ...found }) => ({ date, ...found })) };
};

/** Recent days with faults: a level that stays, a fall, gaps, and values that repeat. */
const damaged = (day: Day, index: number): Day => {
  const { activity } = day;
  const half = activity.length / 2;
  if (index % 17 === 3) return { ...day, gaps: [[2, 2 + half]] };
  if (index % 17 === 7)
    return { ...day, activity: activity.map((value, slice) => (slice < half ? value : 0)) };
  if (index % 17 === 11) return { ...day, activity: activity.map(() => activity[0] ?? 0) };
  return index < 120 ? day : { ...day, activity: activity.map(value => value * 1.4) };
};

const dallas = series('load_dallas');
const building = series('electricity_building_cambridge');
const gas = series('gas_building_cambridge');

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean level of the days of another series, as values of a covariate. */
const covariateOf = (name: string) => {
  const { reference, recent } = series(name);
  const values = [...reference, ...recent].map(({ date, activity }) => ({ date, value: mean(activity) }));
  return { sourceId: 2, name, revision: 1, values };
};

const cases: Readonly<Record<string, readonly [digest: string, results: () => unknown]>> = {
  'a region, explained by its neighbour': [
    '6fd4bad3d86b86d4',
    () => resultsOf(dallas, { covariates: [covariateOf('load_houston')] }),
  ],
  'water of a hospital': ['80de5a877e726929', () => resultsOf(series('water_hospital_district_italy'))],
  'requests without a calendar': ['c6e2798c5ba395e0', () => resultsOf(series('api_requests_microsoft'))],
  'an office with faults': [
    '8556e7bdafd56999',
    () => resultsOf({ ...building, recent: building.recent.map(damaged) }),
  ],
  'an office of four months': [
    'd7448c85c093f4bc',
    () => resultsOf({ ...building, reference: building.reference.slice(-120) }),
  ],
  'gas with a coverage and a number of models': [
    '0f056d2616a77bef',
    () => resultsOf(gas, { coverage: 0.95, modelCount: 4 }),
  ],
  'a service, days of ten minutes': ['274a775937fe5278', () => resultsOf(series('kpi_aiops_6a757df4'))],
  'two months of days of ten minutes': ['54f48d59d9427a88', () => resultsOf(series('kpi_aiops_02e99bd4'))],
  'a calendar from the days': [
    '23111dfcfcc14c47',
    () =>
      runJob({
        ...{ kind: 'typicalDays', days: building.reference, modelCount: null, coverage: null },
        ...{ calendarCode: null, referenceYear: building.year, specials: [], seed: 1 },
      }),
  ],
  'a setting that is tried': [
    'e51b943ef382f290',
    () => trySetting({ ...gas, seed: 2 }, { modelCount: 3, coverage: null }),
  ],
};

t.test(`${engine}: the results on real series are those that were recorded`, async t => {
  for (const [name, [recorded, results]] of Object.entries(cases)) t.equal(digest(results()), recorded, name);
});
