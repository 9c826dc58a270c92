import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { trial } from '../../analysis/tuning/trial.js';
import type { Checked } from '../../analysis/checking/comparison.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { Day, Run } from '../../domain/day.js';
import { baselines, isolationForest } from '../../bench/quality/baselines.js';
import {
  eventRuns,
  profileError,
  pooled,
  scoreOf,
  type Score,
  intervalOf,
} from '../../bench/quality/score.js';
import { changesFor, expectedOf, isFlagged } from '../../bench/quality/definitions.js';
import { seriesNames } from '../../bench/quality/dataFolder.js';
import { boundsApart, lostSamplesOf, otherModels, withLosses } from '../../bench/quality/planning.js';
import { aucOf, rankingNumbers } from '../../bench/quality/ranking.js';
import { intervalScore, rangeTable, type RangedSeries } from '../../bench/quality/falseAlertTables.js';
import { lostTable } from '../../bench/quality/table.js';
import { faultNames, faultsFor } from '../../bench/quality/injected/faults.js';
import { injectedOf, contaminated, contaminatedOf } from '../../bench/quality/injected.js';
import { contaminatedTable, injectedTable } from '../../bench/quality/injectedTables.js';
import { peers } from '../../bench/quality/injected/peers.js';
import { unmeasured } from '../helpers/unmeasured.js';
import {
  daysOf,
  readSeries,
  shortened,
  splitAnew,
  swapped,
  type KnownEvent,
  type Series,
} from '../../bench/quality/series.js';

const dayOf = (date: string, activity: readonly number[], gaps: readonly Run[] = []): Day => ({
  date,
  activity,
  gaps,
  filled: [],
});

/** Days from a date: 10 at night, 20 by day, varying by 2 % in a cycle of five days. */
const daysFrom = (date: string, count: number, valueOf: (index: number) => number = () => 1): Day[] =>
  Array.from({ length: count }, (_, index) =>
    dayOf(
      dateOf(dayNumber(date) + index),
      Array.from(
        { length: 24 },
        (_, slice) => (slice < 8 ? 10 : 20) * valueOf(index) * (1 + 0.02 * Math.sin(index * index + slice)),
      ),
    ),
  );

const known = (date: string, kind: string, dayVsUsual: number | null, more = {}): KnownEvent => ({
  date,
  kind,
  part: 'recent',
  dayVsUsual,
  ...more,
});

const seriesOf = (recent: readonly Day[], knownEvents: readonly KnownEvent[] = []): Series => ({
  name: 'made-up',
  calendar: null,
  referenceYear: 2023,
  reference: daysFrom('2023-01-02', 84),
  recent,
  checkedPart: 'recent',
  knownEvents,
});

const dates = (days: readonly Day[]): string[] => days.map(({ date }) => date);
const march = (...days: readonly number[]): string[] =>
  days.map(day => `2024-03-${String(day).padStart(2, '0')}`);

t.test('quality: ordinary days, events and holidays', async t => {
  const recent = daysFrom('2024-03-01', 20).map((day, index) =>
    // A day may lack 2 of 24 slices, not 3.
    index === 17
      ? { ...day, gaps: [[0, 3]] as Run[] }
      : index === 18
        ? { ...day, gaps: [[0, 2]] as Run[] }
        : day,
  );
  const found = expectedOf(
    seriesOf(recent, [
      known('2024-03-03', 'holiday', 0.2),
      known('2024-03-06', 'lockdown', 0.5, { until: '2024-03-08' }),
      known('2024-03-11', 'storm', 1.34),
      known('2024-03-11', 'labelled-anomaly', 1.34),
      known('2024-03-12', 'storm', 1.33),
      known('2024-03-12', 'heat-wave', 0.75),
      known('2024-03-13', 'clock-change', 0.5),
      known('2024-03-13', 'outage', null),
      known('2024-03-14', 'holiday', 0.5),
      known('2024-03-14', 'cold-wave', 0.74),
      known('2024-03-10', 'strike', 0.5, { part: 'reference' }),
      known('2024-03-25', 'strike', 0.5),
    ]),
  );
  t.strictSame(dates(found.scored), march(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20));
  t.strictSame(dates(found.ordinary), march(1, 16, 17, 19, 20), 'not within one day of a range either');
  t.strictSame(dates(found.events), march(6, 11, 14), 'a lasting change on its first day, a day once');
  t.strictSame(dates(found.holidays), march(3), 'a holiday with an event is an event');
});

t.test('without a minimum share, a day needs one slice', async t => {
  const [a, b] = daysFrom('2024-03-01', 2) as [Day, Day];
  const recent = [
    { ...a, gaps: [[0, 23]] as Run[] },
    { ...b, gaps: [[0, 24]] as Run[] },
  ];
  const outage = [known('2024-03-01', 'outage', 0.1), known('2024-03-02', 'outage', 0.1)];
  t.strictSame(dates(expectedOf(seriesOf(recent, outage), 0).events), march(1));
  t.strictSame(dates(expectedOf(seriesOf(recent, outage)).events), []);
});

t.test('quality: gaps and drift are no flags', async t => {
  const finding = { kind: 'activity' } as NonNullable<Checked['finding']>;
  const checked = (kind: string) => ({ outcome: 'abnormal', finding: { ...finding, kind } }) as Checked;
  t.strictSame(
    ['activity', 'frozen', 'gap', 'drift'].map(kind => isFlagged(checked(kind))),
    [true, true, false, false],
  );
  t.equal(isFlagged({ outcome: 'normal', finding: null }), false);
});

t.test('quality: the four changes of the power test', async t => {
  const total = ({ activity }: Day): number => activity.reduce((sum, value) => sum + value, 0);
  const near = (got: number, expected: number): void => {
    t.ok(Math.abs(got - expected) <= 1e-9 * Math.abs(expected), `${got} is ${expected}`);
  };
  for (const slices of [24, 48, 144]) {
    const day = dayOf(
      '2024-03-01',
      Array.from({ length: slices }, (_, slice) => 100 + slice),
    );
    const [less, more, raised, lowered] = changesFor([day]).map(({ apply }) => apply(day)) as [
      Day,
      Day,
      Day,
      Day,
    ];
    t.strictSame(
      less.activity,
      day.activity.map(value => value * 0.65),
    );
    t.strictSame(
      more.activity,
      day.activity.map(value => value * 1.45),
    );
    near(total(raised), 1.45 * total(day));
    t.strictSame(
      raised.activity.map((value, slice) => value !== day.activity[slice]),
      raised.activity.map((_, slice) => slice >= (slices * 9) / 24 && slice < (slices * 17) / 24),
      'only slices of 9–17 h',
    );
    t.equal(
      new Set(raised.activity.map((value, slice) => (value - day.activity[slice]!).toFixed(6))).size,
      2,
    );
    t.equal(Math.min(...lowered.activity), 0, '9–17 h cannot lose a third of the day: values stop at 0');

    const signed =
      changesFor([day, dayOf('2024-03-02', [-1, ...day.activity.slice(1)])])[3]?.apply(day) ?? day;
    near(total(signed), 0.65 * total(day));
    t.ok(Math.min(...signed.activity) < 0, 'negative values only if the reference has some');
  }

  const peak = dayOf(
    '2024-03-01',
    Array.from({ length: 24 }, (_, hour) => (hour >= 9 && hour < 17 ? 30 : 5)),
  );
  near(total(changesFor([peak])[3]?.apply(peak) ?? peak), 0.65 * total(peak));
  const holed = dayOf(
    '2024-03-01',
    [...peak.activity.slice(0, 16), 0, ...peak.activity.slice(17)],
    [[16, 17]],
  );
  const raised = changesFor([peak])[2]?.apply(holed) ?? holed;
  near(total(raised), 1.45 * total(holed));
  t.equal(raised.activity[16], 0, 'unobserved slices stay unobserved');
  t.strictSame(raised.gaps, [[16, 17]]);
});

t.test('quality: scores of the engine on a generated series', async t => {
  const recent = daysFrom('2024-01-01', 28, index => (index === 14 ? 3 : 1));
  const series = seriesOf(recent, [known('2024-01-15', 'event', 3), known('2024-01-08', 'holiday', 1)]);
  const setting = { modelCount: 1, coverage: null, calendar: null, seed: 1 };
  const score = scoreOf(series, expectedOf(series), setting);
  t.strictSame(score.ordinary, { count: 0, of: 22 });
  t.strictSame(score.events, { count: 1, of: 1 });
  t.strictSame(score.holidays, { count: 0, of: 1 });
  t.strictSame(score.power, [1, 1, 1, 1]);
  t.ok((score.error ?? 1) < 0.03);
  t.equal(score.attainable, 1);
  const { found = [], false: wrong = [], days: count, atMost } = score.ranking ?? {};
  t.strictSame([found.length, wrong, count, atMost], [1, [], 22, [0, 0]]);
  t.strictSame(score.eventRuns, { count: 1, of: 1 });
  t.strictSame(
    [score.alerts, score.incidents],
    [
      { count: 0, of: 1 },
      { count: 0, of: 1 },
    ],
  );
  t.ok((score.stated?.falseAlertsPerYear ?? 0) > 0);

  const { days, recheck } = trial(series.reference, series.recent, setting);
  for (const { day, plan: _, ...checked } of days) t.strictSame(recheck(day), checked, day.date);
});

t.test('quality: runs of event days; attainable ones exceed all ordinary days', async t => {
  const lengths = (...days: readonly number[]): number[] =>
    eventRuns(march(...days).map(date => dayOf(date, [1]))).map(({ length }) => length);
  t.strictSame(lengths(1, 2, 3, 5, 8, 9), [3, 1, 2]);
  t.strictSame(lengths(), []);

  // One ordinary day in 22 is further away than the event: a threshold above it misses the event.
  const factors: Readonly<Record<number, number>> = { 3: 6, 14: 3 };
  const recent = daysFrom('2024-01-01', 28, index => factors[index] ?? 1);
  const series = seriesOf(recent, [known('2024-01-15', 'event', 3)]);
  const setting = { modelCount: 1, coverage: null, calendar: null, seed: 1 };
  t.equal(scoreOf(series, expectedOf(series), setting).attainable, 0);
});

t.test('quality: bootstrap intervals over series', async t => {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  t.strictSame(intervalOf([3, 3, 3], mean, 1), [3, 3], 'equal series');
  const values = Array.from({ length: 100 }, (_, index) => index);
  const [low = 0, high = 0] = intervalOf(values, mean, 1) ?? [];
  // The standard error of the mean of 0 to 99 is 2.9.
  t.ok(low > 42 && low < 46 && high > 53 && high < 57, `${low} to ${high}`);
  t.strictSame(intervalOf(values, mean, 1), intervalOf(values, mean, 1), 'the same for a seed');
  t.equal(
    intervalOf(values, () => null, 1),
    null,
  );
});

t.test('quality: AUC of found events against false alerts, and small p-values of ordinary days', async t => {
  t.equal(aucOf([3, 2], [1, 2]), (1 + 1 + 1 + 0.5) / 4, 'ties count half');
  t.equal(aucOf([], [1]), null);
  const ranks = (criticity: number, severity: number) => ({ criticity, severity, p: (1 - criticity) ** 4 });
  const series = [
    { found: [ranks(0.9, 0.5)], false: [ranks(0.8, 0.1)], days: 100, eventDays: 2, atMost: [3, 1] },
    { found: [], false: [ranks(1, 0.5)], days: 300, eventDays: 0, atMost: [1, 0] },
  ];
  t.strictSame(
    rankingNumbers.map(([, value]) => value(series)),
    // p-values 0, 0.0001 and 0.0016 of 402 days: two are discoveries, one of them false.
    [0.75, 0.5, 0.01, 0.0025, 1 / 2, 1 / 2],
  );
  t.strictSame(
    rankingNumbers.map(([, value]) => value([])),
    [null, null, null, null, null, null],
  );
});

t.test('quality: ranges of false alerts a year, next to one range of the other series', async t => {
  t.equal(intervalScore([2, 6], 4), 4, 'the width');
  t.equal(intervalScore([2, 6], 1), 24, 'one below');
  t.equal(intervalScore([2, 6], 9), 64, 'three above');
  const one = (name: string, real: number): RangedSeries => ({ name, range: [2, 6], stated: 4, real });
  t.match(
    rangeTable([one('a', 4), one('b', 4), one('c', 8)]),
    // The others of c have 4 only; those of a and b lie between 4 and 8, from 4.2 to 7.8.
    /stated range +2\/3 +17\.3\none range.* 0\/3 +31\.7\nstated number +2\/3 +26\.7\n/,
  );
  t.equal(rangeTable([one('a', 4)]), '', 'no other series');
});

t.test('quality: pooling sums days, and averages power and error over series', async t => {
  const score = (count: number, of: number, power: readonly number[], error: number | null): Score => ({
    ordinary: { count, of },
    events: { count: 1, of: 2 },
    eventRuns: { count: 1, of: 1 },
    alerts: { count: 2, of: 5 },
    incidents: { count: 1, of: 2 },
    attainable: 2,
    stated: null,
    ranking: null,
    holidays: { count: 0, of: 1 },
    power,
    error,
    errorOfAll: error && 2 * error,
  });
  t.strictSame(pooled([score(1, 10, [0, 1], 0.2), score(3, 90, [0.5, 0.5], 0.4), score(0, 0, [], null)]), {
    ordinary: { count: 4, of: 100 },
    events: { count: 3, of: 6 },
    eventRuns: { count: 3, of: 3 },
    alerts: { count: 6, of: 15 },
    incidents: { count: 3, of: 6 },
    attainable: 6,
    stated: null,
    ranking: null,
    holidays: { count: 0, of: 3 },
    power: [0.25, 0.75],
    error: (0.2 + 0.4) / 2,
    errorOfAll: (0.4 + 0.8) / 2,
  });
  const days = [dayOf('2024-03-01', [1, 2, -3, 9], [[3, 4]]), dayOf('2024-03-02', [5, 5, 5, 5])];
  t.equal(
    profileError(days, ({ date }) => (date === '2024-03-01' ? [2, 2, null, 0] : null)),
    1 / 3,
    'of slices that both know',
  );
  t.equal(
    profileError(days, ({ date }) => (date === '2024-03-01' ? [2, 2, null, 0] : null), [
      dayOf('2023-03-01', [-10, 0, 0, 10], [[1, 3]]),
    ]),
    0.05,
    'over the mean of other days',
  );
  t.equal(
    profileError(days, () => null),
    null,
  );
});

t.test('quality: reading a series', async t => {
  const row = (at: string, value: string): string => `"${at}";"${value}"\n`;
  const csv = (...rows: readonly string[]): Buffer => Buffer.from(`"date";"value"\n${rows.join('')}`);
  const bytes = csv(
    row('2023-02-28T00:00:00', '1,5'),
    row('2023-02-28T00:01:00', '-2,25'),
    row('2023-02-28T06:09:00', '0,1'),
    row('2023-02-28T06:00:00', '1e3'),
    row('2023-03-01T23:59:59', '12345678901234567890'),
  );
  t.strictSame(daysOf(bytes, 4), [
    dayOf('2023-02-28', [-0.375, 500.05, 0, 0], [[2, 4]]),
    dayOf('2023-03-01', [0, 0, 0, 12345678901234567890], [[0, 3]]),
  ]);
  t.strictSame(daysOf(csv(), 4), []);
  t.strictSame(daysOf(bytes.subarray(0, bytes.length - 1), 4), daysOf(bytes, 4), 'without a last line feed');
  for (const broken of ['2023-03-01T00:00:00;1\n', row('2023-03-01T00:00:00', ''), row('2023-03-01', '1')])
    t.throws(() => daysOf(csv(broken), 4), broken);

  const facts = JSON.stringify({ activitySize: 4, calendar: 'DE-NW', referenceYear: 2023, knownEvents: [] });
  const folder = t.testdir({
    'a.json': facts,
    'a.reference.csv': bytes,
    'a.recent.csv.gz': gzipSync(bytes),
    'b.json': facts,
    'README.md': '',
  });
  t.strictSame(seriesNames(folder), ['a'], 'series with both parts');
  const series = readSeries(folder, 'a');
  t.strictSame(series.recent, series.reference);
  t.equal(series.calendar, 'DE-NW');
});

t.test('other references', async t => {
  const series = seriesOf(daysFrom('2024-03-01', 60), [
    known('2023-01-10', 'storm', 2, { part: 'reference' }),
  ]);
  t.strictSame(dates(shortened(series, 3).reference), ['2023-03-24', '2023-03-25', '2023-03-26']);
  const other = swapped(series);
  t.equal(other?.reference, series.recent);
  t.equal(other?.referenceYear, 2024);
  t.strictSame(other && dates(expectedOf(other).events), ['2023-01-10']);
  t.equal(swapped(seriesOf(daysFrom('2024-03-01', 59))), null);
  const splits = [1, 2, 3, 4].map(seed => splitAnew(series, seed));
  for (const split of splits) {
    const [first = ''] = split ? dates(split.reference) : [];
    const all = [...dates(series.reference), ...dates(series.recent)];
    t.strictSame(split && [...dates(split.reference), ...dates(split.recent)].sort(), all, 'each day once');
    t.strictSame(
      split && dates(split.reference),
      all.slice(all.indexOf(first)).slice(0, series.reference.length),
      'days in a row',
    );
  }
  t.ok(new Set(splits.map(split => split?.reference[0]?.date)).size > 1, 'seeds differ');
  t.equal(splitAnew(seriesOf(daysFrom('2024-03-01', 59)), 1), null);
});

t.test('lost samples', async t => {
  const whole = [dayOf('2024-03-01', [1, 2, 3, 4], [[1, 2]]), dayOf('2024-03-02', [5, 6, 7, 8])];
  const [first, second] = withLosses(whole, 0.5, 1);
  t.strictSame(withLosses(whole, 0, 1), [dayOf('2024-03-01', [1, 0, 3, 4], [[1, 2]]), whole[1]]);
  t.strictSame(withLosses(whole, 0.5, 1), [first, second], 'is deterministic');
  t.ok(
    second!.activity.every((value, slice) =>
      second!.gaps.some(([from, to]) => from <= slice && slice < to) ? value === 0 : value === slice + 5,
    ),
    'lost samples are gaps',
  );

  t.strictSame(otherModels([1, 1, 1, 2, 2], [7, 7, 8, 8, 8]), [false, false, true, false, false]);
  t.strictSame(otherModels([1, 1, 2], [5, 5, 5]), [false, false, true], 'a model matches one other');

  // On this scale, the bound is at 1 from the profile above and at 0.5 below.
  const model = {
    ...{ id: 1, name: '', color: '', anomaly: false, days: 1, activity: [0.5] },
    ...{ topTolerance: [Math.E - 0.5], bottomTolerance: [Math.exp(-0.5) - 0.5] },
    limits: { unit: 1, offset: 0.5, windowHours: 8, window: 1, day: 1 },
  };
  const apart = (value: number): number => Math.round(100 * boundsApart(model, { activity: [value] })) / 100;
  t.strictSame([Math.sqrt(Math.E) - 0.5, 0.5, Math.exp(-0.1) - 0.5].map(apart), [0.5, 0, 0.2]);

  const setting = { modelCount: null, coverage: null, calendar: null, seed: 1 };
  const days = daysFrom('2023-01-02', 84, index => (index % 7 < 5 ? 2 : 1));
  const lost = [3, null].map(requested => lostSamplesOf(days, setting, requested));
  t.equal(lost[1]!.modelCount, 2, 'working days and weekends');
  for (const { modelCount, other, outside, sameClusters } of lost[1]!.losses)
    t.strictSame([modelCount, other, outside, sameClusters], [2, 0, 0, 0], 'nothing changes between them');
  t.equal(lost[0]!.modelCount, 3);
  const table = lostTable([{ ...unmeasured, lost }]);
  t.match(table, /chosen number .*\nmade-up +2 +2 2 2 +0\.0 \(0\.0\) .* – +3\/3\n/);
});

t.test('baselines', async t => {
  const { reference, recent } = seriesOf(daysFrom('2024-01-01', 14, index => (index === 3 ? 1.5 : 1)));
  const flagged = baselines.map(({ fit }) => dates(recent.filter(fit(reference))));
  t.strictSame(
    baselines.map(({ fit }) => dates(recent.filter(fit(reference)))),
    flagged,
    'are deterministic',
  );
  const [weekdays, , k8, k6] = flagged;
  t.strictSame(weekdays, ['2024-01-04']);
  t.strictSame(k8, ['2024-01-04'], '42 days are enough for 95 %');
  t.strictSame(k6, [], '42 days are too few for 99 %');

  // Mean 10 and standard deviation 1 on every weekday.
  const even = daysFrom('2023-01-02', 14).map((day, index) => ({ ...day, activity: [index < 7 ? 9 : 11] }));
  const outside = baselines[0]?.fit(even);
  t.strictSame(
    [12.99, 13.01, 7.01, 6.99].map(value => outside?.(dayOf('2024-01-01', [value]))),
    [false, true, false, true],
    'three standard deviations to both sides',
  );

  const rows = Array.from({ length: 99 }, (_, index) => [Math.sin(index), Math.cos(7 * index), 1]);
  const score = isolationForest([...rows, [9, 9, 1]], 100, 256, 1);
  const most = Math.max(...rows.map(score));
  t.ok(score([9, 9, 1]) > 0.7 && most < 0.65, `${score([9, 9, 1])} among at most ${most}`);
});

t.test('quality: a missing folder is reported and skipped', async t => {
  const script = fileURLToPath(new URL('../../bench/quality.js', import.meta.url));
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  const { status, stdout, stderr } = run('no/such/folder');
  t.equal(status, 3);
  t.equal(stdout, '');
  t.match(stderr, 'no/such/folder');
  t.equal(run('--calendar', 'of the Maya').status, 2);
});

/** A series with 40 recent days from 2024-03-01, a Friday. */
const injectable = seriesOf(daysFrom('2024-03-01', 40));
const faultNamed = (name: string, seed = 1) => {
  const fault = faultsFor(injectable, seed)[faultNames.indexOf(name)]!;
  return (day: Day): readonly number[] | undefined => fault.apply(day)?.activity;
};

t.test('quality: injected faults', async t => {
  const [friday, saturday] = injectable.recent as [Day, Day];
  t.equal(faultNames.length, 19);
  t.strictSame(faultNamed('shifted by 2 h')(friday)?.slice(2), friday.activity.slice(0, 22));
  t.strictSame(faultNamed('+40 % all day')(friday)?.[12], friday.activity[12]! * 1.4);
  t.strictSame(faultNamed('9–17 at zero')(friday)?.slice(8, 18), [
    friday.activity[8],
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    friday.activity[17],
  ]);
  t.equal(new Set(faultNamed('one value for 24 h')(friday)).size, 1);
  const outage = faultNamed('outage of 2 h between 8 and 18')(friday)!;
  t.equal(outage.filter(value => value === 0).length, 2);
  t.equal(outage.slice(8, 18).filter(value => value === 0).length, 2);
  t.strictSame(
    faultNamed('a Sunday on a working day')(friday),
    injectable.recent[2]!.activity,
    'the nearest Sunday',
  );
  t.equal(faultNamed('a Sunday on a working day')(saturday), undefined);
  const noise = 'noise of one robust sd a slice';
  t.strictSame(faultNamed(noise)(friday), faultNamed(noise)(friday), 'the same seed');
  t.not(faultNamed(noise)(friday)?.[0], faultNamed(noise, 2)(friday)?.[0]);
});

t.test('quality: gaps stay, and values stay at or above 0', async t => {
  const day = { ...injectable.recent[0]!, gaps: [[0, 2]] as Run[] };
  for (const { name, apply } of faultsFor(injectable, 1)) {
    const after = apply(day);
    t.equal(after === null, name.startsWith('shifted'), `${name}: a gap is not moved`);
    if (after === null) continue;
    const { gaps, activity } = after;
    t.strictSame(gaps, day.gaps, name);
    t.strictSame(activity.slice(0, 2), day.activity.slice(0, 2), name);
    t.ok(
      activity.every(value => value >= 0),
      name,
    );
  }
});

t.test('quality: a gap is not repeated as a value of 0', async t => {
  const repeated = faultNames.filter(name => name.startsWith('one value for'));
  const gaps: Run[] = [[4, 20]];
  const { activity, ...rest } = injectable.recent[0]!;
  const day = {
    ...rest,
    gaps,
    activity: activity.map((value, slice) => (slice < 4 || slice >= 20 ? value : 0)),
  };
  t.equal(repeated.length, 2);
  t.equal(faultNamed('one value for 24 h')(day), undefined, 'none of a gap at noon');
  for (let seed = 1; seed < 20; seed += 1)
    t.notOk(faultNamed('one value for 8 h', seed)(day)?.toSpliced(4, 16).includes(0), `seed ${seed}`);
});

t.test('quality: peers have as many false alerts as the engine', async t => {
  const injected = injectedOf(
    injectable,
    expectedOf(injectable),
    { modelCount: null, coverage: null, calendar: null, seed: 1 },
    true,
  );
  t.strictSame(injected.ordinary, { count: 0, of: 40 });
  t.strictSame(
    injected.faults.map(({ of }) => of),
    faultNames.map(name => (name.startsWith('a Sunday') ? 28 : 40)),
  );
  const one = {
    ordinary: { count: 1, of: 4 },
    events: { count: 1, of: 2 },
    faults: faultNames.map(() => ({ count: 1, of: 2 })),
    peers: peers.map(() => ({
      ordinary: [5, 1, 2, 3],
      events: [4, 3],
      faults: faultNames.map(() => [9, 3]),
    })),
  };
  const lines = injectedTable([{ ...unmeasured, injected: one }], 1).split('\n');
  t.match(
    lines.find(line => line.startsWith('false')),
    /25\.0( +25\.0){4}$/,
  );
  t.match(
    lines.find(line => line.startsWith('mean')),
    /50\.0( +50\.0){4}$/,
  );
  t.match(
    lines.find(line => line.startsWith('known')),
    /1\/2( +1\/2){4}$/,
  );
});

t.test('quality: bad days in the reference', async t => {
  const days = injectable.reference;
  const { series, dates: bad } = contaminated(injectable, 0.1, 1);
  t.equal(bad.size, 8);
  const changed = series.reference.filter((day, index) => day !== days[index]);
  t.strictSame(new Set(dates(changed)), bad);
  t.strictSame([...contaminated(injectable, 0.1, 1).dates], [...bad], 'the same seed');
  t.notSame([...contaminated(injectable, 0.1, 2).dates], [...bad]);
  const [closed, less, more, late] = [...bad].map(date => ({
    was: days.find(day => day.date === date)!.activity,
    is: changed.find(day => day.date === date)!.activity,
  }));
  t.equal(new Set(closed?.is).size, 1);
  t.strictSame(
    less?.is,
    less?.was.map(value => value * 0.4),
  );
  t.strictSame(
    more?.is,
    more?.was.map(value => value * 1.8),
  );
  t.strictSame(late?.is.slice(3), late?.was.slice(0, 21));
  const setting = { modelCount: null, coverage: null, calendar: null, seed: 1 };
  t.equal(contaminatedOf(injectable, expectedOf(injectable), setting), null, 'few events');

  const holed = days.map(day => ({ ...day, gaps: [[0, 8]] as Run[] }));
  const { series: short, dates: shortBad } = contaminated({ ...injectable, reference: holed }, 0.1, 1);
  t.strictSame(
    new Set(dates(short.reference.filter((day, index) => day !== holed[index]))),
    shortBad,
    'a day with a gap that cannot be late is bad in another way',
  );
  const partly = { ...injectable, reference: days.map((day, at) => (at % 14 === 3 ? holed[at]! : day)) };
  const expected = { ...expectedOf(injectable), events: injectable.recent.slice(0, 4) };
  const [clean] = contaminatedOf(partly, expected, setting)!;
  const { leftOut } = trial(partly.reference, [], setting).learned;
  t.equal(clean?.others, leftOut.length - 6, 'six incomplete days are no outliers');
});

t.test('quality: events kept with bad days in the reference', async t => {
  const results = [4, 3, 2, 1].map(count => ({
    ordinary: { count: 0, of: 10 },
    events: { count, of: 8 },
    attainable: 5,
    found: { count: 1, of: 7 },
    others: 2,
    guard: 1,
  }));
  const table = contaminatedTable([{ ...unmeasured, contaminated: results }], 1);
  t.match(table, /bad days, 1 series/);
  t.match(table, /\n2 % +3\/8 +75\.0 +75\.0 to 75\.0 +5 +0\.0 +1\/7 +2 +0\n/);
});
