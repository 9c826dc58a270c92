import t from 'tap';
import { outliers } from '../../../analysis/learning/outliers.js';
import type { PreparedReference } from '../../../analysis/learning/prepare.js';
import { similarityWeights } from '../../../analysis/learning/similarityWeights.js';

/** Days of one slice that are all equally similar: the mean of a day is that of the others by their factors. */
const values = [
  ...[0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8],
  ...[9, 14],
];

const reference = {
  slices: 1,
  days: values.map(value => ({ scaled: Float64Array.of(value), ordinary: true })),
  profiles: values.map(value => Float64Array.of(value)),
  isComplete: true,
  weights: values.map(() => similarityWeights(values.length, () => 1)),
} as unknown as PreparedReference;

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
