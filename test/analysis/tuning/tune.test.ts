import t from 'tap';
import { adaptedAfter } from '../../../analysis/checking/adaptiveFactor.js';
import {
  silhouettes,
  trySetting,
  type TriedDay,
  type TuneData,
} from '../../../analysis/tuning/trySetting.js';
import { trial, type CheckedSource } from '../../../analysis/tuning/trial.js';
import {
  asCreated,
  firstSettings,
  laterSettings,
  settingName,
  tune,
  recentCounts,
  recommended,
  compareAlerts,
  type ValidAlert,
} from '../../../analysis/tuning/tune.js';
import { notAdapted, type Adaptation } from '../../../domain/alerts/checks.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { Finding, Outcome } from '../../../domain/alerts/findings.js';
import type { Day } from '../../../domain/day.js';
import type { AcceptedChange } from '../../../domain/source/acceptedChanges.js';
import { findingOf } from '../../helpers/data/samples.js';

/** A day of four values: working days, Saturdays and Sundays differ, and each date differs slightly. */
const ordinary = (number: number, factor = 1): Day => {
  const shape = weekday(number) < 5 ? [1, 9, 8, 2] : weekday(number) === 5 ? [2, 4, 5, 3] : [3, 2, 1, 1];
  const noise = ((number * 7919) % 13) / 26;
  return {
    date: dateOf(number),
    activity: shape.map((value, slice) => factor * (10 * value + noise * (slice + 1))),
    gaps: [],
    filled: [],
  };
};
const from = dayNumber('2023-01-02');
const daysOf = (first: number, count: number, factor = 1): Day[] =>
  Array.from({ length: count }, (_, index) => ordinary(first + index, factor));

const recent: Day[] = daysOf(from + 70, 14).map((day, index) =>
  index === 3
    ? { ...day, activity: day.activity.map(value => 40 * value) }
    : index === 8
      ? { ...day, activity: [0, 0, 0, 0], gaps: [[0, 4]] }
      : day,
);
const data: TuneData = { reference: daysOf(from, 70), recent, calendar: null, seed: 1 };

t.test('silhouettes: worked example', async t => {
  // Distances on a line: within clusters 2 (0, 2) and 4 (10, 14); mean to the other cluster 12, 10, 9 and 13.
  t.strictSame(silhouettes([[0], [2], [10], [14]], [0, 0, 1, 1]), [10 / 12, 8 / 10, 5 / 9, 9 / 13]);
  t.strictSame(
    silhouettes(
      [
        [0, 3],
        [4, 0],
        [0, 0],
      ],
      [0, 0, 1],
    ),
    [(3 - 5) / 5, (4 - 5) / 5, 0],
    'Euclidean',
  );
  t.strictSame(
    silhouettes([[0], [1], [5], [9]], [0, 0, 1, 2]),
    [4 / 5, 3 / 4, 0, 0],
    'the nearest other cluster',
  );
  t.strictSame(silhouettes([[1], [1], [1], [1]], [0, 0, 1, 1]), [0, 0, 0, 0], 'rows that are all equal');
  t.strictSame(silhouettes([[0], [1], [5]], [0, 0, 3]), [4 / 5, 3 / 4, 0], 'labels without rows');
  t.equal(silhouettes([[0], [1]], [0, 0]), null, 'one cluster has no silhouette');
  t.equal(silhouettes([], []), null);
  t.throws(() => silhouettes([[0], [1]], [0]), RangeError);
});

t.test('sweep: its settings', async t => {
  const sweep = { counts: [2, 4], coverages: [0.9, 0.99], cross: false };
  const names = (settings: readonly { modelCount: number | null; coverage: number | null }[]) =>
    settings.map(settingName).join(' ');
  t.equal(names(firstSettings(sweep)), 'chosen 2 4');
  t.equal(names(laterSettings(sweep, 3)), '3@0.9 3@0.99');
  const also = { modelCount: 4, coverage: 0.9 };
  t.equal(names(laterSettings({ ...sweep, also }, 3)), '3@0.9 3@0.99 4@0.9');
  t.equal(names(laterSettings({ ...sweep, also }, 4)), '4@0.9 4@0.99', 'each setting once');
  t.equal(names(laterSettings({ ...sweep, also: { modelCount: 2, coverage: null } }, 3)), '3@0.9 3@0.99');
  t.equal(names(laterSettings({ ...sweep, cross: true }, 3)), '2@0.9 2@0.99 3@0.9 3@0.99 4@0.9 4@0.99');
  t.equal(
    names(laterSettings({ ...sweep, cross: true }, 4)),
    '2@0.9 2@0.99 4@0.9 4@0.99',
    'each setting once',
  );
});

t.test('sweep: results of each setting', async t => {
  const sweep = { counts: [1, 2, 3], coverages: [0.95], cross: false };
  const progress: string[] = [];
  const tried = tune(data, sweep, (done, total) => progress.push(`${done}/${total}`));
  t.strictSame(
    tried.map(({ asked }) => settingName(asked)),
    ['chosen', '1', '2', '3', `${tried[0]?.models.length}@0.95`],
  );
  t.strictSame(progress, ['1/5', '2/5', '3/5', '4/5', '5/5']);
  const totals = new Set<number>();
  const crossed = tune(data, { ...sweep, counts: [1], cross: true }, (_, total) => totals.add(total));
  t.strictSame([...totals], [crossed.length], 'the total is known from the first setting on');
  t.ok(JSON.stringify(tune(data, sweep)) === JSON.stringify(tried), 'a second run gives the same bytes');
  const mixed = { ...data, reference: [...data.reference].reverse(), recent: [...recent].reverse() };
  t.ok(JSON.stringify(tune(mixed, sweep)) === JSON.stringify(tried), 'independent of the order of days');

  for (const one of tried) {
    const expected = trial(data.reference, recent, {
      modelCount: one.asked.modelCount,
      coverage: one.asked.coverage,
      calendar: null,
      seed: 1,
    });
    t.strictSame(one.models, expected.models, settingName(one.asked));
    t.strictSame(
      one.days.map(({ date, outcome, plannedModelId, finding }) => [date, outcome, plannedModelId, finding]),
      expected.days.map(({ day, outcome, plan, finding }) => [day.date, outcome, plan.modelId, finding]),
      'results of the trial for recent days',
    );
    t.strictSame(one.bounds, expected.learned.bounds);
    t.strictSame(
      one.models.map(({ id }) => one.assignments.filter(({ modelId }) => modelId === id).length),
      one.models.map(({ days }) => days),
      'each reference day has the id of its model',
    );
    t.strictSame(
      one.assignments.map(({ date, plannedId }) => [date, plannedId]),
      expected.learned.assignments.map(({ date, planned = -1 }) => [date, planned + 1]),
    );
    t.ok(
      expected.learned.choice.includes(one.fit) ||
        expected.learned.choice.some(({ loss }) => loss === one.fit.loss),
    );
  }
  const [chosen, single, , three] = tried;
  t.equal(chosen?.fit.modelCount, chosen?.models.length, 'the fit of the chosen number');
  t.equal(single?.silhouette, null);
  t.equal(three?.silhouette?.models.length, 3);
  t.ok((three?.silhouette?.mean ?? 0) > 0.8, 'three kinds of days, far apart');
  const total = (three?.models ?? []).reduce(
    (sum, { days }, index) => sum + days * (three?.silhouette?.models[index] ?? 0),
    0,
  );
  t.ok(Math.abs(total / 70 - (three?.silhouette?.mean ?? 0)) < 1e-12, 'the weighted mean over models');

  t.throws(() => tune(data, { ...sweep, counts: [0] }), RangeError);
  t.throws(() => tune(data, { ...sweep, counts: [65] }), RangeError);
  t.throws(() => tune({ ...data, reference: [] }, sweep), RangeError);
});

t.test('trial: each day is checked with the limits that the days before adapted', async t => {
  const days = daysOf(from + 70, 14).map((day, index) =>
    index === 1 || index === 9 ? { ...day, activity: day.activity.map(value => 40 * value) } : day,
  );
  const setting = { modelCount: 3, calendar: null, seed: 1 };
  const tried = (coverage: number | null) => trial(data.reference, days, { ...setting, coverage });
  const { days: checked, recheck, recheckAll } = tried(null);
  let before: Adaptation = notAdapted;
  for (const { day, finding, adaptation } of checked) {
    before = adaptedAfter(before, day.date, finding);
    t.strictSame(adaptation, before, day.date);
    t.strictSame(recheck(day).adaptation, before, 'the same when it is checked again');
  }
  t.ok(before.units > 180, `two counted alerts: ${before.units} units`);
  const again = checked.slice(5).map(({ plan: _, ...own }) => own);
  t.strictSame(recheckAll(days.slice(5).reverse()), again, 'several, each after the ones before it');
  t.notOk(
    tried(0.95).days.some(({ adaptation }) => adaptation),
    'limits of a given coverage do not adapt',
  );
});

t.test('trial: days are checked with the floor and the accepted changes of their source', async t => {
  const tripled = daysOf(from + 77, 5, 3);
  const days = [...daysOf(from + 70, 5), ...tripled];
  const alertsOf = (source: CheckedSource): number =>
    trySetting({ ...data, recent: days, ...source }, asCreated).days.filter(({ finding }) => finding).length;
  const level = { type: 'level', size: 2, from: tripled[0]?.date, incidentId: 'inc-1' } as AcceptedChange;
  t.ok(alertsOf({}) > 0);
  t.equal(alertsOf({ floor: null }), alertsOf({}), 'no change is small');
  t.equal(
    alertsOf({ floor: { absolute: 10_000, percent: null, proposed: false } }),
    0,
    'all changes are below the floor',
  );
  t.equal(alertsOf({ accepted: [level] }), 0, 'three times as much is expected');
});

t.test(
  'trial: days are as complete as those of their source, days that people left out included',
  async t => {
    const [day] = daysOf(from + 70, 1);
    const size = day?.activity.length ?? 0;
    const partly: Day[] = day ? [{ ...day, gaps: [[0, Math.round(0.6 * size)]] }] : [];
    const outcomeOf = (source: CheckedSource) =>
      trySetting({ ...data, recent: partly, ...source }, asCreated).days[0]?.finding?.facts?.completeness;
    t.match(outcomeOf({}), { usual: 1 });
    t.match(outcomeOf({ completeness: 0.9 }), { usual: 0.9 });
  },
);

t.test('silhouettes do not depend on the unit or on days left out', async t => {
  const asked = { modelCount: 3, coverage: null };
  const one = trySetting(data, asked).silhouette?.mean ?? 0;
  const scaled = { ...data, reference: daysOf(from, 70, 1000) };
  t.ok(Math.abs((trySetting(scaled, asked).silhouette?.mean ?? 1) - one) < 1e-9);
  const empty: Day = { date: dateOf(from + 70), activity: [0, 0, 0, 0], gaps: [[0, 4]], filled: [] };
  const more = trySetting({ ...data, reference: [...data.reference, empty] }, asked);
  t.equal(more.leftOut.length, 1);
  t.ok(Math.abs((more.silhouette?.mean ?? 1) - one) < 1e-12);
});

t.test('counts of recent days', async t => {
  t.strictSame(recentCounts(trySetting(data, asCreated)), {
    days: 14,
    compared: 13,
    alerts: { activity: 3, frozen: 0, drift: 0, gap: 1 },
    drifting: 0,
    ordinary: 13,
    quiet: 10 / 13,
  });
  t.equal(recentCounts({ days: [] }).quiet, null);
  const tried = (kind: Finding['kind'] | null, outcome: Outcome, ordinary = true): TriedDay => ({
    ...day('2024-01-01', false),
    outcome,
    ordinary,
    finding: kind && { ...findingOf(1), kind },
  });
  t.strictSame(
    recentCounts({
      days: [
        tried('drift', 'drift'),
        tried(null, 'drift'),
        tried('frozen', 'abnormal'),
        tried('activity', 'abnormal', false),
        tried(null, 'notCompared'),
        tried(null, 'normal'),
      ],
    }),
    {
      days: 6,
      compared: 5,
      alerts: { activity: 1, frozen: 1, drift: 1, gap: 0 },
      drifting: 2,
      ordinary: 4,
      quiet: 2 / 4,
    },
    'a drift is one alert; holidays are not ordinary days',
  );
});

t.test('special days and holidays', async t => {
  const date = recent[3]?.date ?? '';
  const holidays = [{ date: recent[5]?.date ?? '', name: 'a holiday' }];
  const calendar = { code: 'FR', origin: 'given', evidence: null, library: 'none', holidays } as const;
  const special = { ...data, calendar, specials: [{ date, name: 'a fair' }] };
  const { days } = trySetting(special, asCreated);
  t.strictSame(
    days.filter(({ ordinary }) => !ordinary).map(day => day.date),
    [date, holidays[0]?.date],
  );
  t.match(days[3]?.reason, /^special day "a fair"/);
  t.match(days[5]?.reason, /^public holiday a holiday/);
});

const day = (date: string, raised: boolean): TriedDay => ({
  date,
  outcome: raised ? 'abnormal' : 'normal',
  plannedModelId: 1,
  reason: '',
  ordinary: true,
  finding: raised ? findingOf(1) : null,
});

const stood: ValidAlert[] = [
  { date: '2024-01-01', verdict: 'anomaly' },
  { date: '2024-01-02', verdict: 'anomaly' },
  { date: '2024-01-03', verdict: 'notAnomaly' },
  { date: '2024-01-04', verdict: 'expected' },
  { date: '2024-01-05', verdict: 'newPattern' },
  { date: '2024-01-06', verdict: null },
  { date: '2025-01-01', verdict: 'anomaly' },
];

t.test('comparison: valid alerts and the alerts of a setting', async t => {
  const raised = ['2024-01-01', '2024-01-04', '2024-01-06', '2024-01-08', '2024-01-09'];
  const tried = Array.from({ length: 9 }, (_, index) => `2024-01-0${index + 1}`).map(date =>
    day(date, raised.includes(date)),
  );
  t.strictSame(compareAlerts(stood, tried), {
    alerts: 5,
    gained: 2,
    all: { stood: 6, kept: 3, lost: 3 },
    confirmed: { stood: 2, kept: 1, lost: 1 },
    falseAlarms: { stood: 2, kept: 1, lost: 1 },
    undecided: { stood: 2, kept: 1, lost: 1 },
    gainedDates: ['2024-01-08', '2024-01-09'],
    lostDates: ['2024-01-02', '2024-01-03', '2024-01-05'],
  });
  t.equal(compareAlerts([], tried).gained, 5);
  t.strictSame(
    compareAlerts(stood, []).all,
    { stood: 0, kept: 0, lost: 0 },
    'days outside the trial are ignored',
  );
});

t.test('recommendation: order of the criteria', async t => {
  const some = trySetting(data, asCreated);
  const whatIf = (kept: number, saved: number, gained: number) => ({
    ...compareAlerts([], []),
    gained,
    confirmed: { stood: 5, kept, lost: 5 - kept },
    falseAlarms: { stood: 5, kept: 5 - saved, lost: saved },
  });
  const recommendedOf = (...whatIfs: ReturnType<typeof whatIf>[]) =>
    recommended(
      whatIfs.map(() => some),
      whatIfs,
    );
  t.equal(recommended([some, some], []), 0, 'without a history, the default of the engine');
  t.equal(
    recommended([some, some], [compareAlerts([], []), compareAlerts([], [])]),
    0,
    'without a verdict, the default of the engine',
  );
  const nine = { ...whatIf(3, 5, 0), falseAlarms: { stood: 4, kept: 4, lost: 0 } };
  t.equal(recommendedOf(nine, { ...nine, gained: -1 }), 0, 'nine verdicts change nothing');
  t.equal(
    recommendedOf(whatIf(3, 5, 0), whatIf(4, 0, 9)),
    1,
    'confirmed alerts have priority over false ones',
  );
  t.equal(recommendedOf(whatIf(4, 1, 0), whatIf(4, 2, 9)), 1, 'false alerts have priority over new ones');
  t.equal(
    recommendedOf(whatIf(4, 2, 3), whatIf(4, 2, 2), whatIf(4, 2, 2)),
    1,
    'then fewer new alerts, then the first of equals',
  );
});
