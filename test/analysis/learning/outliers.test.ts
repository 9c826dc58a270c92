import t from 'tap';
import { presentRules, rulesToUse, type EngineRules } from '../../../analysis/engine.js';
import { outlierIndices, outliers } from '../../../analysis/learning/outliers.js';
import type { PreparedReference } from '../../../analysis/learning/prepare.js';
import { similarityWeights } from '../../../analysis/learning/similarityWeights.js';

/** Days of one slice that are all equally similar: the mean of a day is that of the others by their factors. */
const values = [
  ...[0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8],
  ...[9, 14],
];

const referenceOf = (values: readonly number[], rules: EngineRules = presentRules): PreparedReference =>
  ({
    slices: 1,
    days: values.map(value => ({ scaled: Float64Array.of(value), ordinary: true })),
    profiles: values.map(value => Float64Array.of(value)),
    isComplete: true,
    weights: values.map(() => similarityWeights(values.length, () => 1)),
    rules,
  }) as unknown as PreparedReference;
const reference = referenceOf(values);

const sumOf = (terms: readonly number[]): number => terms.reduce((sum, term) => sum + term, 0);

/** The median of an odd number of values. */
const medianOf = (of: readonly number[]): number => [...of].sort((a, b) => a - b)[(of.length - 1) / 2]!;

/** Distances after a number of rounds; a day farther than twice the median counts by the square of its excess. */
const distancesAfter = (rounds: number): readonly number[] => {
  const factors =
    rounds === 1
      ? values.map(() => 1)
      : distancesAfter(rounds - 1).map(
          (distance, _, all) => Math.min(1, (2 * medianOf(all)) / distance) ** 2,
        );
  return values.map((value, index) => {
    const others = factors.map((factor, at) => (at === index ? 0 : factor));
    return Math.abs(value - sumOf(others.map((factor, at) => factor * values[at]!)) / sumOf(others));
  });
};

/** Distances of the last two days in multiples of the median. */
const timesAfter = (rounds: number): readonly number[] => {
  const distances = distancesAfter(rounds);
  return distances.slice(-2).map(distance => distance / medianOf(distances));
};

t.test('outliers: the distances are those of the third round of weights', async t => {
  const found = outliers(
    reference,
    values.map(() => true),
  );
  t.same([...found.keys()], [20, 19], 'the farthest first');
  for (const [at, expected] of timesAfter(3).entries()) {
    const got = found.get(19 + at)!;
    t.ok(Math.abs(got - expected) < 1e-9 * expected, `day ${19 + at}: got ${got}, expected ${expected}`);
    for (const rounds of [2, 4])
      t.ok(Math.abs(timesAfter(rounds)[at]! - expected) > 1e-3, `${rounds} rounds give another distance`);
  }
});

/** Values on both sides of 0 whose distances from it have these logarithms. */
const atDistances = (logs: readonly number[]): number[] =>
  logs.map((log, index) => (index % 2 === 0 ? 1 : -1) * Math.exp(log));

/** 96 days without a gap; their farthest one is less than two deviations away. */
const dense = Array.from({ length: 96 }, (_, index) => 3.2 * (index / 95));

const found = (logs: readonly number[], rules?: EngineRules): number[] => {
  const prepared = referenceOf(atDistances(logs), rules);
  const all = logs.map(() => true);
  const places = [...outliers(prepared, all).keys()].sort((a, b) => a - b);
  t.strictSame(
    [...outlierIndices(prepared, all)].sort((a, b) => a - b),
    places,
    'by sums, too',
  );
  return places;
};

t.test('outliers: days beyond a gap, when they are enough', async t => {
  t.strictSame(found(dense), []);
  const faults = [4.4, 4.4, 4.5, 4.5, 4.6];
  t.strictSame(found([...dense, ...faults]), [96, 97, 98, 99, 100]);
  t.strictSame(found([...dense, ...faults.slice(0, 3)]), [], 'three days are none');
  t.strictSame(found([...dense, ...faults], rulesToUse('daybook-calendar/7')), [], 'not for engine 7');
});

t.test(
  'outliers: a narrower gap counts for more days, and a second pass finds what the first one hid',
  async t => {
    const nine = Array.from({ length: 9 }, () => 3.8);
    t.strictSame(found([...dense, ...nine]), [], 'nine days are too few');
    const ten = [...nine, 3.8];
    t.strictSame(
      found([...dense, ...ten]),
      Array.from({ length: 10 }, (_, index) => 96 + index),
    );
  },
);

/** Numbers at equal distances. */
const spread = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + ((to - from) * index) / (count - 1));

t.test(
  'outliers: faults that widen the distances above the median do not hide the gap before them',
  async t => {
    const uneven = [...spread(0, 1.6, 48), ...spread(1.6, 4, 48)];
    const faults = Array.from({ length: 6 }, () => 5);
    t.strictSame(found(uneven), [], 'no gap, no outlier');
    t.strictSame(found([...uneven, ...faults]), [96, 97, 98, 99, 100, 101]);
    t.strictSame(found([...uneven, ...faults], rulesToUse('daybook-calendar/8')), [], 'not for engine 8');
  },
);
