import t from 'tap';
import { findCycles } from '../../../analysis/calendar/findCycles.js';
import {
  errorOf,
  evidenceOf,
  heldOutParts,
  isEnough,
  lengthErrors,
  medianOf,
  penalised,
  penalty,
  type CoarseDay,
} from '../../../analysis/calendar/heldOutDays.js';
import { presentRules, rulesToUse } from '../../../analysis/engine.js';
import { prepare, referenceOf } from '../../../analysis/learning/prepare.js';
import { typicalDays } from '../../../analysis/learning/typicalDays.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { dateOf, dayNumber, month, weekday } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { noCalendar } from '../../../domain/planning/calendar.js';
import { amount } from '../../helpers/amount.js';
import { exactList } from '../../helpers/exactList.js';
import { readRealSeries, realSeriesFolder, realSeriesNames } from '../../helpers/data/realSeries.js';

const first = dayNumber('2023-01-02');

type Kind = 'on' | 'night' | 'off' | 'extra';

/** Level by hour of each kind of day. */
const levels: Readonly<Record<Kind, (hour: number) => number>> = {
  on: hour => (hour >= 6 && hour < 18 ? 100 : 20),
  night: hour => (hour >= 6 && hour < 18 ? 20 : 100),
  off: () => 15,
  extra: hour => (hour >= 6 && hour < 22 ? 100 : 20),
};

const madeDays = (kindOf: (number: number) => Kind, seed = 1, count = 365, from = first): Day[] => {
  const random = seededRandom(seed);
  const noise = (): number => 0.7 + 0.2 * (random() + random() + random());
  return Array.from({ length: count }, (_, index) => {
    const level = noise();
    const levelAt = levels[kindOf(from + index)];
    const activity = Array.from({ length: 24 }, (_, hour) => levelAt(hour) * level * noise());
    return { date: dateOf(from + index), activity, gaps: [], filled: [] };
  });
};

const isWorking = (number: number): boolean => weekday(number) < 5;
const isLastWorking = (number: number): boolean => {
  if (!isWorking(number)) return false;
  for (let other = number + 1; month(other) === month(number); other += 1) if (isWorking(other)) return false;
  return true;
};
const week = (number: number): Kind => (isWorking(number) ? 'on' : 'off');
const isOn = [1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0];

/** Simulated rhythms: the kind of each date, and the cycle that is found. */
const rhythms: Readonly<Record<string, readonly [(number: number) => Kind, object]>> = {
  'four days on, four off': [
    number => ((number - first) % 8 < 4 ? 'on' : 'off'),
    { kind: 'days', length: 8, first: '2023-01-02' },
  ],
  'six on, three off': [
    number => ((number - first) % 9 < 6 ? 'on' : 'off'),
    { kind: 'days', length: 9, first: '2023-01-02' },
  ],
  'two, two, three': [
    number => (isOn[(number - first) % 14] === 1 ? 'on' : 'off'),
    { kind: 'days', length: 14, first: '2023-01-02', weekdays: [0, 1, 2, 3, 4, 5, 6] },
  ],
  'two, two, three, by day and by night': [
    number => {
      const day = (number - first) % 28;
      if (isOn[day % 14] !== 1) return 'off';
      return day < 14 ? 'on' : 'night';
    },
    { kind: 'days', length: 28, first: '2023-01-02' },
  ],
  'three shifts by weeks': [
    number => {
      const kinds = ['on', 'night', 'extra'] as const;
      return isWorking(number) ? kinds[Math.floor((number - first) / 7) % 3]! : 'off';
    },
    { kind: 'days', length: 21, first: '2023-01-02', weekdays: [0, 1, 2, 3, 4] },
  ],
  'every second Saturday': [
    number => ((number - first) % 14 === 5 ? 'on' : week(number)),
    { kind: 'days', length: 14, first: '2023-01-02', weekdays: [5] },
  ],
  'closed on the last working day of the month': [
    number => (isLastWorking(number) ? 'off' : week(number)),
    { kind: 'monthDay', counts: 'workingDays', place: -1 },
  ],
  'long on the 15th': [
    number => (dateOf(number).endsWith('-15') ? 'extra' : week(number)),
    { kind: 'monthDay', counts: 'days', place: 15 },
  ],
  'closed on the first Monday of the month': [
    number => (weekday(number) === 0 && Number(dateOf(number).slice(8)) < 8 ? 'off' : week(number)),
    { kind: 'monthDay', counts: 'weekdays', place: 1, weekday: 0 },
  ],
};

/** Every `step`th one in the quick loop. */
const sampled = <One>(all: readonly One[], step: number): readonly One[] =>
  all.filter((_, index) => index % amount({ quick: step, slow: 1 }) === 0);

const setting = { modelCount: null, coverage: null, calendar: null, seed: 1 };

const coarse = (number: number, block: number, ...parts: readonly number[]): CoarseDay => ({
  ...{ number, block, weekday: 0, season: number },
  parts: Float64Array.from(parts),
});

t.test('evidence of a cycle: how far the error falls, and how often', async t => {
  t.strictSame(evidenceOf({ before: 4, after: 3.0004, better: 7, of: 9 }), {
    ...{ errorReduction: 0.25, better: 7, of: 9 },
  });
  t.equal(evidenceOf({ before: 0.5, after: 0.25, better: 9, of: 9 }).errorReduction, 0.5);
  t.equal(evidenceOf({ before: 0, after: 0, better: 0, of: 9 }).errorReduction, 0);
  t.equal(penalty(7, 140), 1.1);
  t.match(penalised({ before: 2, after: 3, better: 7, of: 9 }, [1.5, 2]), { before: 3, after: 6, of: 9 });
  const least = { days: [0.25, 8], weeks: [0.3, 8], monthDay: [0.4, 7] } as const;
  for (const kind of ['days', 'weeks', 'monthDay'] as const) {
    const [errorReduction, better] = least[kind];
    const evidence = { errorReduction, better, of: 10 };
    t.equal(isEnough(evidence, kind, 10), true, kind);
    t.equal(isEnough(evidence, kind, 11), false, `${kind}: too few`);
    t.equal(isEnough({ ...evidence, better: better - 1 }, kind, 10), false, `${kind}: too seldom`);
    const lower = { ...evidence, errorReduction: errorReduction - 0.001 };
    t.equal(isEnough(lower, kind, 10), false, `${kind}: too little`);
  }
});

t.test('errors of lengths: days are planned by those of the same place in other blocks', async t => {
  const pairs = [coarse(0, 0, 1), coarse(1, 0, 3), coarse(2, 1, 1), coarse(3, 1, 3)];
  // Less the mean they are −1, 1, −1, 1: the other block has the mean 0.
  t.strictSame(lengthErrors(pairs, [1, 2, 4]), [1, 0, Infinity], 'without a like day no error is known');
  const gapped = [coarse(0, 0, NaN, 1), coarse(1, 0, 3, 3), coarse(2, 1, 1, 2), coarse(3, 1, 5, 2)];
  // Part 0 is 0, −2, 2 around its mean of 3, part 1 is −1, 1, 0, 0.
  t.strictSame(lengthErrors(gapped, [2]), [(2 + 2 + 1 + 1 + 1 + 1) / 6]);
});

t.test(
  'errors of lengths: each day is compared less the mean of the 25 days before and after it',
  async t => {
    const random = seededRandom(4);
    const value = (): number => (random() < 0.1 ? NaN : random());
    const days = Array.from({ length: 90 }, (_, at) =>
      coarse(at - 30, Math.floor(at / 30), value(), value()),
    );
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, one) => sum + one, 0) / values.length;
    const known = (part: number) =>
      days.flatMap(({ number, block, parts }, at) => {
        const around = days.slice(Math.max(0, at - 25), at + 26).flatMap(day => day.parts[part]!);
        const residual = parts[part]! - mean(around.filter(one => one === one));
        return residual === residual ? { number, block, residual } : [];
      });
    for (const length of [1, 3, 40]) {
      const errors = [0, 1].flatMap(part =>
        known(part).flatMap(({ number, block, residual }, _, all) => {
          const like = all.filter(one => one.block !== block && (one.number - number) % length === 0);
          return like.length > 0 ? Math.abs(residual - mean(like.map(one => one.residual))) : [];
        }),
      );
      const [got] = lengthErrors(days, [length]);
      t.ok(Math.abs(got! - mean(errors)) < 1e-12, `length ${length}: got ${got}, expected ${mean(errors)}`);
    }
  },
);

t.test(
  'simulated rhythms: the cycle is found, and the planned model is the nearest one on 9 of 10 days',
  async t => {
    for (const [name, [kindOf, wanted]] of sampled(Object.entries(rhythms), 2)) {
      const { cycles = [], hitRate } = typicalDays(madeDays(kindOf), setting);
      t.equal(cycles.length, 1, name);
      t.match(cycles[0], wanted, name);
      t.ok(hitRate !== null && hitRate >= 0.9, `${name}: hit rate ${hitRate}`);
    }
  },
);

t.test('every second day of a week is a cycle alone, without dates of the month by chance', async t => {
  const closed = (own: number, parity: number) => {
    const kindOf = (number: number): Kind =>
      weekday(number) === own && Math.floor(number / 7) % 2 === parity ? 'off' : 'on';
    const days = madeDays(kindOf, 202100 + own * 2 + parity, 365, dayNumber('2021-01-01'));
    return prepare(referenceOf(days), noCalendar).days;
  };
  for (const [own, parity] of [
    [0, 0],
    [0, 1],
    [5, 0],
  ] as const) {
    const days = closed(own, parity);
    t.match(
      findCycles(days, noCalendar, presentRules),
      exactList({ kind: 'days', length: 14, weekdays: exactList(own) }),
    );
    t.match(findCycles(days, noCalendar, rulesToUse('daybook-calendar/13')), { length: 3 });
  }
  const both = (number: number): Kind => {
    if (dateOf(number).endsWith('-15')) return 'extra';
    return weekday(number) === 5 && number % 2 === 1 ? 'on' : week(number);
  };
  t.match(
    findCycles(prepare(referenceOf(madeDays(both)), noCalendar).days, noCalendar, presentRules),
    exactList(
      { kind: 'days', length: 14, weekdays: exactList(5) },
      { kind: 'monthDay', counts: 'days', place: 15 },
    ),
    'a real date of the month stays',
  );
});

t.test('by the rules of engine 8 no cycle is found', async t => {
  const learned = typicalDays(madeDays(rhythms['four days on, four off']![0]), {
    ...setting,
    engine: 'daybook-calendar/8',
  });
  t.notOk('cycles' in learned);
  t.ok(learned.hitRate! < 0.6, 'and the planning does not know the days');
});

t.test('a cycle begins after its days without any data', async t => {
  const kinds = ['on', 'on', 'night', 'night', 'on', 'off', 'off', 'off', 'off'] as const;
  const kindOf = (number: number): Kind => kinds[(number - first) % 9]!;
  // The reference begins with the second day of a cycle.
  const days = madeDays(kindOf).slice(1);
  const present = days.filter(({ date }) => kindOf(dayNumber(date)) !== 'off');
  const cyclesOf = (engine?: string) =>
    typicalDays(present, { ...setting, ...(engine !== undefined && { engine }) }).cycles;
  t.match(cyclesOf(), exactList({ kind: 'days', length: 9, first: '2023-01-11' }));
  t.match(cyclesOf('daybook-calendar/11'), exactList({ kind: 'days', length: 9, first: /^(?!2023-01-11)/ }));
});

t.test('weeks, days without a rhythm, and few days have no cycle', async t => {
  const cyclesOf = (days: readonly Day[]) => prepare(referenceOf(days), noCalendar).calendar.cycles;
  for (const seed of [1, 2, 3]) {
    t.equal(cyclesOf(madeDays(week, seed)), undefined, `a week, seed ${seed}`);
    t.equal(cyclesOf(madeDays(() => 'on', seed)), undefined, `equal days, seed ${seed}`);
    const random = seededRandom(seed);
    t.equal(
      cyclesOf(madeDays(() => (random() < 0.5 ? 'on' : 'off'), seed)),
      undefined,
      `days at random, seed ${seed}`,
    );
  }
  t.equal(cyclesOf(madeDays(rhythms['four days on, four off']![0], 1, 50)), undefined);
});

const folder = realSeriesFolder();

t.test('real series have no cycle', async t => {
  for (const name of sampled(realSeriesNames(folder), 3)) {
    const { reference } = readRealSeries(folder, name);
    t.equal(prepare(referenceOf(reference), noCalendar).calendar.cycles, undefined, name);
  }
});

t.test('holidays do not hide a cycle, and special days are no part of it', async t => {
  const days = prepare(referenceOf(madeDays(rhythms['six on, three off']![0])), noCalendar).days;
  const holidays = days.filter((_, index) => index % 40 === 3).map(({ date }) => ({ date, name: date }));
  t.match(findCycles(days, { holidays, specials: [] }, presentRules), exactList({ kind: 'days', length: 9 }));
  const specials = days.map(({ date }) => ({ date, name: 'closed' }));
  t.same(findCycles(days, { holidays: null, specials }, presentRules), []);
});

t.test('centres, and what is expected of held-out days', async t => {
  const weighted = (...pairs: readonly (readonly [number, number])[]) => ({
    values: Float64Array.from(pairs, ([value]) => value),
    weights: Float64Array.from(pairs, ([, weight]) => weight),
    count: pairs.length,
  });
  t.equal(medianOf(weighted([9, 1], [1, 1], [5, 1])), 5);
  t.equal(medianOf(weighted([9, 5], [1, 1], [5, 1])), 9);
  t.ok(Number.isNaN(medianOf(weighted())));
  t.equal(errorOf(coarse(0, 1, 1, NaN, 4, 7), Float64Array.of(2, 5, 6, NaN)), 1.5, 'of parts with values');
  t.ok(Number.isNaN(errorOf(coarse(0, 1, 1), Float64Array.of(NaN))));
  const days = [coarse(0, 1, 1, NaN), coarse(1, 1, 2, 2), coarse(2, 2, 4, 8), coarse(100, 3, 6, 6)];
  const expected = heldOutParts(days, { of: [0, 0, 0, 0], seasonFactor: 1 });
  t.same(
    expected.map(parts => [...parts]),
    [
      [4, 8],
      [4, 8],
      [2, 2],
      [2, 2],
    ],
    'days of other blocks near in the season; all of them when none is near; parts without a value are left out',
  );
});

t.test('names and counts of models tell the planned days, and calendar rules reach them', async t => {
  const specials = madeDays(week)
    .filter(({ date }) => isLastWorking(dayNumber(date)))
    .map(({ date }) => ({ date, name: 'Last working day of the month' }));
  const kindOf = (number: number): Kind => (isLastWorking(number) ? 'night' : week(number));
  const named = typicalDays(madeDays(kindOf), { ...setting, specials });
  t.same(
    named.models.map(({ name, days }) => [name, days]),
    [
      ['Monday–Friday', 249],
      ['Saturday–Sunday', 104],
      ['Last working day of the month', 12],
    ],
  );
  t.notOk('cycles' in named, 'named days are no cycle');
  const found = typicalDays(madeDays(kindOf), setting);
  t.equal(found.models[2]?.name, 'last working day of the month');
  const shifts = typicalDays(madeDays(rhythms['four days on, four off']![0]), setting);
  t.same(
    shifts.models.map(({ name }) => name),
    ['days 1–4 of 8', 'days 5–8 of 8'],
  );
  for (const engine of ['daybook-calendar/9', 'daybook-calendar/8']) {
    const [name] = realSeriesNames(folder);
    const { models, assignments } = typicalDays(readRealSeries(folder, name!).reference, {
      ...setting,
      engine,
    });
    const counted = (of: 'model' | 'planned'): readonly number[] =>
      models.map((_, index) => assignments.filter(assigned => assigned[of] === index).length);
    t.same(
      models.map(({ days }) => days),
      counted(engine === 'daybook-calendar/9' ? 'planned' : 'model'),
      engine,
    );
    t.notSame(counted('planned'), counted('model'), 'the two counts differ');
  }
});
