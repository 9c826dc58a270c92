import fc from '../../helpers/property.js';
import t from 'tap';
import { changeFrom, recentBaseline, levelShift } from '../../../analysis/checking/recentLevel.js';
import { criticityOf, dayPValue, pValue } from '../../../analysis/checking/checkLimits.js';
import { engine, rulesToUse } from '../../../analysis/engine.js';
import { longestFlatline } from '../../../analysis/checking/stretches.js';
import { jointScore, scoresOf, limitUse } from '../../../analysis/checking/scores.js';

const seeded = { seed: 20261121 };
const near = (found: number, wanted: number, share = 1e-12): boolean =>
  Math.abs(found - wanted) <= share * Math.max(1, Math.abs(wanted));

const f = (...values: readonly number[]): Float64Array => Float64Array.from(values);
const none = Number.NaN;

t.test('scores: worked example', async t => {
  // Six slices of four hours: a window of eight hours has two slices.
  t.same(scoresOf(f(0, 1, -3, -2, 0, 1), 8), {
    slice: -3,
    window: -2.5,
    where: { from: 2, to: 4 },
    day: -0.5,
  });
  t.same(scoresOf(f(2, 1, 0, 0, 1, 2), 8).where, { from: 0, to: 2 }, 'the earliest of equals');
  t.same(scoresOf(f(0, 0, 0, 0, 3, 1), 8).where, { from: 4, to: 6 }, 'to the end of the day');
  const gappy = scoresOf(f(none, 2, none, none, -1, -1), 8);
  t.match(gappy, { slice: 2, window: 2, where: { from: 0, to: 2 }, day: 0 });
  t.equal(scoresOf(f(none, 3, 1, none, none, 2), 8).day, 2, 'the mean of observed slices');
  t.equal(scoresOf(f(none, none, none, 5, none, none), 12).window, 0, 'a third of a window is too little');
  t.same(scoresOf(f(none, none), 8), { slice: 0, window: 0, where: { from: 0, to: 1 }, day: 0 });
  t.same(scoresOf(f(3, 1), 8).where, { from: 0, to: 1 }, 'a window has at least one slice');
});

t.test('scores: score over limit, worked example', async t => {
  const where = { from: 0, to: 1 };
  const scores = (slice: number, window: number, day: number) => ({ slice, window, where, day });
  const limits = { slice: 2, window: 1, day: 0.5, windowChange: 2, dayChange: 1 };
  const unused = { slice: 0, window: 0, day: 0, windowChange: 0, dayChange: 0 };
  t.same(limitUse(scores(-3, 0.5, -0.25), null, limits), { ...unused, slice: 1.5, window: 0.5, day: 0.5 });
  t.equal(jointScore(scores(-3, 1, 0.1), null, limits), 1.5);
  t.equal(jointScore(scores(1, -2, 0), null, limits), 2);
  t.equal(jointScore(scores(0, 0, -1.5), null, limits), 3);

  t.match(limitUse(scores(0, 2, 2), scores(9, 5, 4), limits), { windowChange: 2.5, dayChange: 4 }, 'away');
  t.match(limitUse(scores(0, -2, -2), scores(9, -5, -4), limits), { windowChange: 2.5, dayChange: 4 });
  t.match(limitUse(scores(0, -2, -2), scores(9, 5, 4), limits), { windowChange: 0, dayChange: 0 }, 'back');
  t.match(
    limitUse(scores(0, 0.4, 0.2), scores(9, 5, 4), limits),
    { windowChange: 0.8, dayChange: 0.8 },
    'near',
  );
  t.equal(
    jointScore(scores(0, 0.75, 0), scores(0, 5, 0), limits),
    1.5,
    'at most twice the use of the window limit',
  );
  t.equal(jointScore(scores(0, 0, 0.375), scores(0, 0, 4), limits), 1.5);
  t.equal(
    jointScore(scores(0, 0.75, 0), scores(0, 2.5, 0), limits),
    1.25,
    'the change counts if it is smaller',
  );
  t.equal(jointScore(scores(0, 0, 0.375), scores(0, 0, 1.25), limits), 1.25);
});

t.test('recent baseline: worked example', async t => {
  const at = (daysAgo: number, sameKind: boolean, ...values: number[]) => ({
    daysAgo,
    sameKind,
    normalised: f(...values),
  });
  t.equal(recentBaseline([]), null);
  t.equal(recentBaseline([at(1, true, 1), at(2, true, 1)]), null, 'two days are too few');
  // Weights 9/16, 3/16 (a quarter of 3/4) and 1, 28/16 in total: the middle quarter is 14 alone.
  t.same(
    [...recentBaseline([at(3, true, 7, none), at(2, false, 28, none), at(1, true, 14, none)])!],
    [14, 0],
  );
  // With the same kind the second weight is 12/16: the middle of 37/16 is 13.875 to 23.125, inside the 14's 9 to 25.
  t.ok(near(recentBaseline([at(3, true, 7), at(2, true, 28), at(1, true, 14)])![0]!, 14));
  // The last day is lowest, its 16/16 end at 16: 2.125 of the middle belong to it, the rest to the next value.
  const own = (2.125 * 7 + 7.125 * 14) / 9.25;
  t.ok(
    near(recentBaseline([at(3, true, 28), at(2, true, 14), at(1, true, 7)])![0]!, own),
    'the last day has the largest weight',
  );
  const fortnight = (last: number) =>
    recentBaseline(
      Array.from({ length: 14 }, (_, ago) => at(ago + 1, ago % 7 < 5, ago === 0 ? last : ago % 3)),
    )![0]!;
  t.equal(fortnight(1e9), fortnight(3), 'one extreme day does not move the baseline');
  t.same([...recentBaseline([at(3, true, 2), at(2, true, 2), at(1, true, none)])!], [2], 'gaps are ignored');
  t.same([...changeFrom(f(1, -2, 0), f(3, 1, none))], [2, 3, none]);
});

t.test('recent baseline: the trimmed mean of the sorted values of each slice, to the bit', async () => {
  const days = fc.array(
    fc.record({
      daysAgo: fc.integer({ min: 1, max: 14 }),
      sameKind: fc.boolean(),
      // Values that cannot be added exactly, often equal.
      values: fc.array(fc.constantFrom(0.1, 0.3, -0.7, 1 / 3, none), { minLength: 5, maxLength: 5 }),
    }),
    { minLength: 3, maxLength: 14 },
  );
  const meanOf = (values: readonly { readonly value: number; readonly weight: number }[]): number => {
    const sorted = values.filter(({ value }) => value === value).sort((a, b) => a.value - b.value);
    const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
    let passed = 0;
    let sum = 0;
    for (const { value, weight } of sorted) {
      const end = passed + weight;
      sum += Math.max(0, Math.min(0.625 * total, end) - Math.max(0.375 * total, passed)) * value;
      passed = end;
    }
    return total > 0 ? sum / (0.625 * total - 0.375 * total) : 0;
  };
  fc.assert(
    fc.property(days, recent => {
      const found = recentBaseline(
        recent.map(({ values, ...day }) => ({ ...day, normalised: f(...values) })),
      );
      const weightOf = ({ daysAgo, sameKind }: (typeof recent)[number]): number =>
        0.75 ** (daysAgo - 1) * (sameKind ? 1 : 0.25);
      return found!.every(
        (value, slice) =>
          value === meanOf(recent.map(day => ({ value: day.values[slice]!, weight: weightOf(day) }))),
      );
    }),
    seeded,
  );
});

t.test('scores: the window score is the largest mean of a window', async () => {
  const shares = fc.array(fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(none)), {
    minLength: 12,
    maxLength: 12,
  });
  fc.assert(
    fc.property(shares, values => {
      let most = 0;
      for (let from = 0; from <= 8; from += 1) {
        const seen = values.slice(from, from + 4).filter(value => value === value);
        if (seen.length >= 2) most = Math.max(most, Math.abs(seen.reduce((a, b) => a + b, 0) / seen.length));
      }
      return near(Math.abs(scoresOf(f(...values), 8).window), most);
    }),
    seeded,
  );
});

t.test('p-values: worked example', async t => {
  const scores = [0.1, 0.2, 0.5, 0.5, 1];
  t.equal(pValue(0.05, scores), 1);
  t.equal(pValue(0.5, scores), 4 / 6, 'three other scores are as high');
  t.equal(pValue(0.6, scores), 2 / 6);
  t.equal(pValue(1, scores), 2 / 6);
  t.ok(near(pValue(1.0000001, scores), 1 / 6, 1e-6), 'beyond the highest score the tail begins at 1/(n + 1)');
  // The tail of five scores has at least two: 0.8 and 1, with index 1 / ln 1.25 = 4.48; earlier 1 / (½ ln 1.25).
  const close = [0.1, 0.2, 0.5, 0.8, 1];
  t.ok(near(pValue(2, close), 2 ** -(1 / Math.log(1.25)) / 6));
  t.ok(near(pValue(2, scores, 1, rulesToUse('daybook-calendar/11')), 2 ** -(2 / Math.LN2) / 6));
  t.equal(pValue(3, []), 1, 'no calibration scores');
  t.equal(pValue(3, [0, 0, 0]), 1 / 4, 'no tail');
  // Equal scores have the steepest tail, index 8; scores far apart the flattest, index 2.
  t.ok(near(pValue(2, [1, 1, 1]), 2 ** -8 / 4));
  t.ok(near(pValue(2e6, [1e-3, 1e6]), 2 ** -2 / 3));
  const [earlier, present] = ['daybook-calendar/9', engine].map(rulesToUse);
  t.equal(dayPValue(0.6, scores, earlier!), 2 / 6, 'engines up to 9');
  t.equal(dayPValue(0.6, scores, present!), (0.6 + 1) / 6, 'a held-out day counts 0.6 of a day');
  t.equal(dayPValue(2, scores, present!), pValue(2, scores), 'the tail begins at 1/(n + 1) as before');
  t.equal(criticityOf(1), 0);
  t.ok(near(criticityOf(0.0001), 0.9));
  t.ok(near(criticityOf(0.0625), 0.5));
});

t.test('p-values: between 0 and 1, never increasing with the score', async () => {
  const score = fc.oneof(
    fc.double({ min: 0, max: 3, noNaN: true }),
    fc.double({ min: 0, max: 1e9, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(score, { maxLength: 40 }), score, score, (raw, a, b) => {
      const scores = [...raw].sort((x, y) => x - y);
      const [p, q] = [pValue(Math.min(a, b), scores), pValue(Math.max(a, b), scores)];
      return p >= q && q >= 0 && p <= 1 && criticityOf(p) >= 0 && criticityOf(q) <= 1;
    }),
    { ...seeded, numRuns: 2000 },
  );
});

t.test('flatline: the longest run of one value', async t => {
  const all = (count: number): boolean[] => Array<boolean>(count).fill(true);
  t.same(
    longestFlatline([1, 2, 2, 3, 3], all(5)),
    { from: 1, length: 2, value: 2 },
    'the earliest of equals',
  );
  t.same(longestFlatline([1, 2, 2, 3, 3, 3], all(6)), { from: 3, length: 3, value: 3 });
  t.same(longestFlatline([5, 5, 5, 5], [true, true, false, true]), { from: 0, length: 2, value: 5 });
  t.same(longestFlatline([5, 5, 5, 5], [false, true, true, true]), { from: 1, length: 3, value: 5 });
  t.same(longestFlatline([5, 5], [false, false]), { from: 0, length: 0, value: 0 });
  t.same(longestFlatline([], []), { from: 0, length: 0, value: 0 });
});

t.test('level shift: the median of recent days, with missing days as 0', async t => {
  const days = (count: number, value: number): Float64Array[] =>
    Array.from({ length: count }, () => f(value, -value));
  t.equal(levelShift([], true), null);
  t.equal(levelShift(days(10, 1), true), null, 'half of twenty working days is too few');
  t.same(levelShift(days(11, 1), true), f(1, -1), 'eleven days and nine missing ones');
  t.same(levelShift(days(20, 1), true), f(1, -1));
  t.equal(levelShift(days(4, 1), false), null, 'half of eight free days is too few');
  t.same(levelShift(days(5, 1), false), f(1, -1));
  // Eleven days have 1 to 11, nine are missing and count as 0: the median of twenty is between 1 and 2.
  t.same(
    levelShift(
      Array.from({ length: 11 }, (_, index) => f(index + 1)),
      true,
    ),
    f(1.5),
  );
  t.same(
    levelShift([...days(11, 0), ...days(9, 5)], true),
    f(0, 0),
    'an event of nine days does not shift the level',
  );
  const gappy = days(20, 1).map((day, index) => (index < 12 ? f(none, -1) : day));
  t.same(levelShift(gappy, true), f(0, -1), 'a slice observed on few days has no shift');
});

t.test('level shift: smoothed over one hour for shorter slices', async t => {
  const peak = Float64Array.from({ length: 144 }, (_, slice) => (slice === 50 ? 7 : 0));
  const shift = levelShift(
    Array.from({ length: 20 }, () => peak),
    true,
  );
  t.same(
    Array.from(shift ?? []).flatMap((value, slice) => (value === 0 ? [] : [[slice, value]])),
    [47, 48, 49, 50, 51, 52, 53].map(slice => [slice, 1]),
  );
  const hourly = Float64Array.from({ length: 24 }, (_, slice) => (slice === 5 ? 7 : 0));
  t.same(
    levelShift(
      Array.from({ length: 20 }, () => hourly),
      true,
    ),
    hourly,
  );
});
