import fc from 'fast-check';
import t from 'tap';
import type { Day } from '../../domain/day.js';
import type { Model } from '../../domain/models.js';
import { calendarOf } from '../../analysis/holidays.js';
import { nearestModels } from '../../analysis/assign.js';
import { checkDay } from '../../analysis/check.js';
import { colorOf, palette } from '../../analysis/colors.js';
import { modelNames } from '../../analysis/names.js';
import { typicalDays } from '../../analysis/typicalDays.js';
import runJob from '../../analysis/worker.js';
import { dateOf, dayNumber, month, weekday } from '../../domain/dates.js';

const day = (activity: readonly number[], gaps: Day['gaps'] = [], filled: Day['filled'] = []): Day => ({
  date: '2023-05-01',
  activity,
  gaps,
  filled,
});

/** A model of one width round its curve. */
const model = (id: number, activity: readonly number[], width = 1, anomaly = false): Model => ({
  id,
  name: `model ${id}`,
  color: '#000000',
  anomaly,
  activity,
  topTolerance: activity.map(value => value + width),
  bottomTolerance: activity.map(value => value - width),
  days: 1,
});

const flat = model(1, [10, 10, 10, 10]);

t.test('check: inside the bounds, and on them, is normal', async t => {
  t.same(checkDay(day([10, 11, 9, 10]), [flat], 1, 1), { outcome: 'normal', finding: null });
});

t.test('check: broken slices become runs of one direction', async t => {
  t.same(checkDay(day([12, 13, 8, 10]), [flat], 1, 1), {
    outcome: 'abnormal',
    finding: {
      kind: 'activity',
      direction: 'both',
      // The value 13 is 3 from the curve, the bound 1: z = 3.
      criticity: 1 - 1 / 3,
      slices: [
        { from: 0, to: 2, direction: 'over', excess: 2 },
        { from: 2, to: 3, direction: 'under', excess: 1 },
      ],
      plannedModelId: 1,
      closestModelId: 1,
      betterModelId: null,
      looksLikeAnomaly: false,
    },
  });
  t.match(checkDay(day([12, 10, 10, 12]), [flat], 1, 1).finding, {
    direction: 'over',
    criticity: 0.5,
    slices: [
      { from: 0, to: 1 },
      { from: 3, to: 4 },
    ],
  });
  t.match(checkDay(day([10, 10, 7, 8]), [flat], 1, 1).finding, {
    direction: 'under',
    slices: [{ from: 2, to: 4, direction: 'under', excess: 2 }],
  });
});

t.test('check: criticity is 1 where the bound lies on the curve', async t => {
  const tight = model(1, [0, 0], 0);
  t.equal(checkDay(day([0, 1e-9]), [tight], 1, 1).finding?.criticity, 1);
  t.same(checkDay(day([0, 0]), [tight], 1, 1).outcome, 'normal');
});

t.test('check: gaps are not compared, filled slices are', async t => {
  t.equal(checkDay(day([10, 10, 0, 0], [[2, 4]]), [flat], 1, 1).outcome, 'normal');
  t.equal(checkDay(day([10, 10, 0, 0], [], [[2, 4]]), [flat], 1, 1).outcome, 'abnormal');
  t.match(checkDay(day([10, 0, 0, 20], [[1, 3]]), [flat], 1, 1).finding?.slices, [{ from: 3, to: 4 }]);
  const split = day([20, 0, 20, 10], [[1, 2]]);
  t.match(
    checkDay(split, [flat], 1, 1).finding?.slices,
    [
      { from: 0, to: 1 },
      { from: 2, to: 3 },
    ],
    'a gap parts a run',
  );
});

t.test('check: a day mostly missing is a gap', async t => {
  const sparse = day([99, 0, 0, 0], [[1, 4]]);
  t.same(checkDay(sparse, [flat], 1, 1), {
    outcome: 'gap',
    finding: {
      kind: 'gap',
      direction: null,
      criticity: 0.75,
      slices: [],
      plannedModelId: 1,
      closestModelId: null,
      betterModelId: null,
      looksLikeAnomaly: false,
    },
  });
  t.equal(checkDay(sparse, [flat], null, 1).outcome, 'gap', 'whether or not a model is planned');
  t.same(checkDay(sparse, [], null, 1), { outcome: 'notCompared', finding: null }, 'but not without models');
  t.equal(checkDay(sparse, [flat], 1, 0.5).outcome, 'abnormal', 'half of the reference’s own is enough');
  t.equal(
    checkDay(day([1, 2, 3, 4], [], [[0, 4]]), [flat], 1, 1).outcome,
    'gap',
    'interpolated is not observed',
  );
  t.match(checkDay(day([0, 0], [[0, 2]]), [model(1, [1, 1])], 1, 1), {
    outcome: 'gap',
    finding: { criticity: 1 },
  });
  t.equal(
    checkDay(day([0, 0], [[0, 2]]), [model(1, [1, 1])], 1, 0).outcome,
    'notCompared',
    'nothing to compare, and a reference that has nothing either',
  );
});

t.test('check: without a planned model nothing is compared', async t => {
  t.same(checkDay(day([99, 0, 0, 0]), [flat], null, 1), { outcome: 'notCompared', finding: null });
});

t.test('check: closest and better models', async t => {
  const near = model(5, [20, 20, 20, 20], 1);
  const wide = model(6, [30, 30, 30, 30], 15);
  const odd = model(7, [50, 50, 50, 50], 1, true);
  const models = [odd, wide, near, flat];
  t.match(checkDay(day([20, 20, 20, 20]), models, 1, 1).finding, {
    closestModelId: 5,
    betterModelId: 5,
    looksLikeAnomaly: false,
  });
  t.match(
    checkDay(day([23, 20, 20, 20]), models, 1, 1).finding,
    { closestModelId: 5, betterModelId: 6 },
    'the closest is broken, the next fits whole',
  );
  t.match(checkDay(day([53, 50, 50, 50]), models, 1, 1).finding, {
    closestModelId: 7,
    betterModelId: null,
    looksLikeAnomaly: true,
  });
  t.match(
    checkDay(day([15, 15, 15, 15]), [near, flat], 1, 1).finding,
    { closestModelId: 1 },
    'a tie goes to the smaller id',
  );
  t.match(
    checkDay(day([20, 12, 0, 0], [[2, 4]]), [flat, model(2, [20, 12, 99, 99])], 1, 1).finding,
    { closestModelId: 2, betterModelId: 2 },
    'gaps count in no distance',
  );
});

t.test('check: faults of the caller are said in words', async t => {
  t.throws(() => checkDay(day([1]), [model(1, [1])], 2, 1), /got planned model 2, expected one of 1/);
  t.throws(() => checkDay(day([1, 2]), [model(1, [1])], 1, 1), /got 2 values on 2023-05-01, expected 1/);
});

const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const width = fc.double({ min: 0, max: 1e5, noNaN: true });
const bounded = fc
  .array(fc.record({ curve: value, up: width, down: width, x: value, gap: fc.boolean() }), {
    minLength: 1,
    maxLength: 24,
  })
  .map(slices => ({
    planned: {
      ...model(
        1,
        slices.map(of => of.curve),
      ),
      topTolerance: slices.map(of => of.curve + of.up),
      bottomTolerance: slices.map(of => of.curve - of.down),
    },
    day: day(
      slices.map(of => (of.gap ? 0 : of.x)),
      slices.flatMap((of, slice) => (of.gap ? [[slice, slice + 1] as const] : [])),
    ),
    usable: slices.map(of => !of.gap),
  }));

t.test('check: a finding if and only if a bound is broken, and nothing but the broken slices', async () => {
  fc.assert(
    fc.property(bounded, ({ planned, day, usable }) => {
      const broken = day.activity.map(
        (x, slice) =>
          usable[slice] === true &&
          (x > (planned.topTolerance[slice] ?? 0) || x < (planned.bottomTolerance[slice] ?? 0)),
      );
      // Completeness 0 of the reference: no day is a gap.
      const { outcome, finding } = checkDay(day, [planned], 1, 0);
      const covered = day.activity.map(
        (_, slice) => finding?.slices.some(({ from, to }) => slice >= from && slice < to) ?? false,
      );
      const criticity = finding?.criticity ?? 0;
      return (
        (outcome === 'abnormal') === broken.includes(true) &&
        (finding !== null) === broken.includes(true) &&
        JSON.stringify(covered) === JSON.stringify(broken) &&
        criticity >= 0 &&
        criticity <= 1 &&
        (finding?.slices ?? []).every(
          ({ from, to, excess }, index, all) => from < to && excess > 0 && (all[index - 1]?.to ?? 0) <= from,
        )
      );
    }),
    { seed: 20261121, numRuns: 500 },
  );
});

t.test('check: criticity never falls as a value goes farther out', async () => {
  fc.assert(
    fc.property(bounded, fc.nat(23), width, width, ({ planned, day, usable }, at, near, far) => {
      const slice = at % day.activity.length;
      if (!usable[slice]) return true;
      const criticity = (beyond: number): number => {
        const activity = day.activity.map((x, index) =>
          index === slice ? (planned.topTolerance[slice] ?? 0) + beyond : x,
        );
        return checkDay({ ...day, activity }, [planned], 1, 0).finding?.criticity ?? 0;
      };
      return criticity(Math.min(near, far)) <= criticity(Math.max(near, far));
    }),
    { seed: 20261121, numRuns: 500 },
  );
});

t.test('check: speed of 50,000 days against 8 models of 144 slices', async t => {
  const models = Array.from({ length: 8 }, (_, index) => model(index + 1, Array<number>(144).fill(index)));
  const days = Array.from({ length: 100 }, (_, index) => day(Array<number>(144).fill(index % 9)));
  const from = process.hrtime.bigint();
  let abnormal = 0;
  for (let round = 0; round < 500; round += 1)
    for (const of of days) if (checkDay(of, models, 1, 1).finding) abnormal += 1;
  const ms = Number((process.hrtime.bigint() - from) / 1_000_000n);
  t.comment(`50,000 days in ${ms} ms, ${abnormal} of them abnormal`);
  t.ok(ms < 10_000);
});

t.test('nearest models: least distance, ties to the first, anomalies never', async t => {
  const models = [model(1, [0, 0]), model(2, [10, 10], 1, true), model(3, [20, 20]), model(4, [20, 20])];
  const dated = (date: string, activity: readonly number[], gaps: Day['gaps'] = []): Day => ({
    ...day(activity, gaps),
    date,
  });
  const days = [
    dated('2023-01-03', [10, 10]),
    dated('2023-01-01', [19, 22]),
    dated('2023-01-02', [10, 11]),
    dated('2023-01-04', [0, 0], [[0, 2]]),
    dated('2023-01-05', [0, 18], [[0, 1]]),
  ];
  t.same(nearestModels(days, models), [
    { date: '2023-01-01', model: 2 },
    { date: '2023-01-02', model: 2 },
    { date: '2023-01-03', model: 0 },
    { date: '2023-01-05', model: 2 },
  ]);
  t.same(nearestModels(days, [model(1, [0, 0], 1, true)]), []);
  t.same(nearestModels(days, []), []);
  t.throws(() => nearestModels(days, [model(1, [1, 2, 3])]), /got a model of 3 values, expected 2/);
  t.same(
    nearestModels([dated('2023-01-01', [1e300, 0])], [model(1, [0, 0])]),
    [{ date: '2023-01-01', model: 0 }],
    'distances beyond all numbers too',
  );
});

const dated = (...dates: readonly string[]) =>
  dates.map(date => ({ date, weekday: weekday(dayNumber(date)), month: month(dayNumber(date)) }));
const range = (from: string, to: string): string[] => {
  const first = dayNumber(from);
  return Array.from({ length: dayNumber(to) - first + 1 }, (_, index) => dateOf(first + index));
};
const year = range('2023-01-01', '2023-12-31');
const on = (weekdays: readonly number[], dates: readonly string[] = year): string[] =>
  dates.filter(date => weekdays.includes(weekday(dayNumber(date))));
const nameOf = (dates: readonly string[], reference: readonly string[] = year): string | undefined =>
  modelNames([{ days: dated(...dates), curve: [1] }], dated(...reference))[0];

t.test('names: weekdays', async t => {
  t.equal(nameOf(on([0, 1, 2, 3, 4])), 'Monday–Friday');
  t.equal(nameOf(on([5])), 'Saturday');
  t.equal(nameOf(on([5, 6])), 'Saturday–Sunday');
  t.equal(nameOf(on([0, 2])), 'Monday, Wednesday');
  t.equal(nameOf(on([6, 0])), 'Sunday–Monday', 'weeks go round');
  t.equal(nameOf(on([0, 2, 4, 6])), 'Wednesday, Friday, Sunday–Monday');
  t.equal(nameOf(year), 'every day');
  t.equal(nameOf([...on([0, 1, 2, 3, 4]), '2023-07-01']), 'Monday–Friday', 'a stray Saturday is not named');
});

t.test('names: seasons', async t => {
  const summer = range('2023-07-01', '2023-08-31');
  t.equal(nameOf(on([0, 1, 2, 3, 4], summer)), 'Monday–Friday, Jul–Aug');
  t.equal(nameOf(summer), 'every day, Jul–Aug');
  const winter = year.filter(date => /-(11|12|01|02)-/.test(date));
  t.equal(nameOf(on([5], winter)), 'Saturday, Nov–Feb', 'years go round');
  t.equal(
    nameOf(
      on(
        [5],
        year.filter(date => /-(01|03|04)-/.test(date)),
      ),
    ),
    'Saturday, Jan, Mar–Apr',
  );
  t.equal(nameOf(on([5], winter), winter), 'Saturday', 'all of a reference that is part of a year');
});

t.test('names: few days are dates', async t => {
  t.equal(nameOf(['2023-01-01', '2023-12-25']), '1 Jan, 25 Dec');
  t.equal(nameOf(['2022-12-25', '2023-01-01']), '25 Dec, 1 Jan');
  t.equal(nameOf(['2023-01-01', '2023-12-25', '2023-12-26']), '1 Jan, 25 Dec, 26 Dec');
});

t.test('names: equal ones are told apart by level, then by number', async t => {
  const half = (odd: number): string[] => on([0]).filter((_, index) => index % 2 === odd);
  const named = (...levels: readonly number[]): string[] =>
    modelNames(
      levels.map((level, index) => ({ days: dated(...half(index % 2)), curve: [level, level] })),
      dated(...year),
    );
  t.same(named(1, 2), ['Monday, lower', 'Monday, higher']);
  t.same(named(3, 1, 2), ['Monday, highest', 'Monday, lowest', 'Monday, middle']);
  t.same(named(4, 2, 3, 1), [
    'Monday, highest',
    'Monday, level 2 of 4',
    'Monday, level 3 of 4',
    'Monday, lowest',
  ]);
  t.same(named(1, 1), ['Monday, pattern 1', 'Monday, pattern 2']);
});

t.test('names: unique and of at most 100 characters, whatever the models', async () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 365, maxLength: 365 }), fc.nat(9), (labels, few) => {
      const models = [...new Set(labels)].map(label => ({
        days: dated(...year.filter((_, index) => labels[index] === label)),
        curve: [label % (few + 1)],
      }));
      const names = modelNames(models, dated(...year));
      return (
        new Set(names).size === names.length && names.every(name => name.length > 0 && name.length <= 100)
      );
    }),
    { seed: 20261121, numRuns: 50 },
  );
});

t.test('colours: at least 64 distinct, and then again', async t => {
  t.ok(palette.length >= 64);
  t.equal(new Set(palette).size, palette.length);
  t.ok(palette.every(color => /^#[0-9A-F]{6}$/.test(color)));
  t.same(palette.slice(0, 2), ['#0072B2', '#E69F00']);
  t.equal(colorOf(3), palette[3]);
  t.equal(colorOf(palette.length), palette[0]);
});

t.test('worker: each kind of job does what its function does', async t => {
  const days = range('2023-01-02', '2023-01-29').map(date => ({
    ...day([date.length, Number(date.slice(8))]),
    date,
  }));
  const setting = { modelCount: 2, level: null, seed: 1, specials: [] };
  const learned = typicalDays(days, { ...setting, calendar: null });
  const job = { kind: 'typicalDays', days, ...setting, calendarCode: null, referenceYear: 2023 } as const;
  t.same(runJob(job), learned, 'four weeks tell of no country');
  t.same(
    runJob({ ...job, calendarCode: 'FR' }),
    typicalDays(days, { ...setting, calendar: calendarOf('FR', 2023) }),
    'the calendar that was given',
  );
  t.same(
    runJob({ kind: 'nearestModels', days, models: learned.models }),
    nearestModels(days, learned.models),
  );
});
