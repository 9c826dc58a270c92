import { createHash } from 'node:crypto';
import fc from '../../helpers/property.js';
import t from 'tap';
import {
  adjustedRandIndex,
  mean,
  median,
  repeatedQuantile,
  sortedMedian,
  sortedQuantile,
} from '../../../analysis/math/statistics.js';
import { exp, ln, fromScale, toScale } from '../../../analysis/math/portableMath.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';

const seeded = { seed: 20261121 };
const near = (found: number, wanted: number, share = 1e-12): boolean =>
  Math.abs(found - wanted) <= share * Math.max(1, Math.abs(wanted));

/** Distance of two numbers in units in the last place (ulp). */
const ulps = (a: number, b: number): number => {
  if (a === b) return 0;
  const size = Math.max(Math.abs(a), Math.abs(b));
  return Math.abs(a - b) / 2 ** (Math.floor(Math.log2(size)) - 52);
};

t.test('means are those of the numbers in their order', async t => {
  t.equal(mean([1, 2, 6]), 3);
  t.equal(mean(Float64Array.of(0.1, 0.2, 0.3)), (0.1 + 0.2 + 0.3) / 3);
  t.ok(Number.isNaN(mean([])));
});

t.test('quantiles of values that count several times are those of the sorted, repeated values', async t => {
  const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -1e9, max: 1e9 }));
  fc.assert(
    fc.property(
      fc.array(fc.record({ value, times: fc.integer({ min: 1, max: 4 }) }), { minLength: 1, maxLength: 60 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (counted, probability) => {
        const repeated = counted.flatMap(({ value, times }) => new Array<number>(times).fill(value));
        const expected = sortedQuantile(Float64Array.from(repeated).sort(), probability);
        const values = Float64Array.from(counted, ({ value }) => value);
        const times = Int32Array.from(counted, ({ times }) => times);
        return expected === repeatedQuantile(values, times, probability);
      },
    ),
    { numRuns: 1000, seed: 22 },
  );
  t.pass('1,000 samples');
});

t.test('ln: known constants, within one unit in the last place', async t => {
  for (const [x, wanted] of [
    [1, 0],
    [2, 0.6931471805599453],
    [0.5, -0.6931471805599453],
    [3, 1.0986122886681098],
    [10, 2.302585092994046],
    [1.5, 0.4054651081081644],
    [Math.E, 1],
    [1e100, 230.25850929940458],
    [1e-300, -690.7755278982137],
    [Number.MAX_VALUE, 709.782712893384],
    [1 + 2 ** -52, 2 ** -52 - 2 ** -105],
    [1 - 2 ** -53, -(2 ** -53) - 2 ** -107],
  ] as const)
    t.ok(ulps(ln(x), wanted) <= 1, `ln ${x} is ${ln(x)}, expected ${wanted}`);
});

t.test('exp: known constants, within one unit in the last place; clamped at both ends', async t => {
  for (const [x, wanted] of [
    [0, 1],
    [1, Math.E],
    [-1, 0.36787944117144233],
    [0.5, 1.6487212707001282],
    [10, 22026.465794806718],
    [-10, 4.5399929762484854e-5],
    [100, 2.6881171418161356e43],
  ] as const)
    t.ok(ulps(exp(x), wanted) <= 1, `exp ${x} is ${exp(x)}, expected ${wanted}`);
  t.ok(near(exp(700) / 1.0142320547350045e304, 1));
  t.equal(exp(1e6), exp(700));
  t.equal(exp(Number.POSITIVE_INFINITY), exp(700));
  t.equal(exp(-1e6), exp(-700));
  t.ok(exp(-700) > 0);
});

const positive = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.double({ min: 1, max: 2, noNaN: true }))
  .map(([power, m]) => m * 2 ** power);
const exponent = fc.double({ min: -700, max: 700, noNaN: true });

t.test(
  'ln and exp: within four units in the last place of Math.log and Math.exp, over the whole range',
  async () => {
    fc.assert(
      fc.property(
        positive,
        exponent,
        (x, y) => ulps(ln(x), Math.log(x)) <= 4 && ulps(exp(y), Math.exp(y)) <= 4,
      ),
      { ...seeded, numRuns: 5000 },
    );
    for (let step = 1; step < 4000; step += 1) {
      const x = step / 1000;
      if (ulps(ln(x), Math.log(x)) > 4 || ulps(exp(x), Math.exp(x)) > 4) throw new Error(`at ${x}`);
    }
  },
);

t.test('ln and exp: the same bytes on every machine, also next to where the exponent changes', async t => {
  const values = Array.from({ length: 4000 }, (_, step) => [
    ...[ln((step + 1) / 1000), ln(1.3 + step * 3e-5), ln(2 ** (step / 4 - 500))],
    ...[exp(step / 500 - 4), exp(0.3 + step * 2e-5), exp(step / 3 - 666)],
  ]).flat();
  const bytes = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, at) => bytes.setFloat64(8 * at, value));
  t.equal(createHash('sha256').update(bytes).digest('hex').slice(0, 16), '2b13112fb1279efc');
});

t.test('ln and exp: monotone and inverse', async () => {
  fc.assert(
    fc.property(positive, positive, exponent, exponent, (a, b, x, y) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const [less, more] = [Math.min(x, y), Math.max(x, y)];
      return (
        ln(low) <= ln(high) && exp(less) <= exp(more) && near(ln(exp(x)), x) && ln(low * 1.0001) > ln(low)
      );
    }),
    { ...seeded, numRuns: 3000 },
  );
  // Around powers of two, where the exponent changes.
  for (const power of [-5, -1, 0, 1, 7])
    for (const root of [1, Math.SQRT2])
      for (let step = -50; step < 50; step += 1) {
        const x = root * 2 ** power * (1 + step * 1e-12);
        if (ln(x) > ln(x * (1 + 1e-12))) throw new Error(`ln falls at ${x}`);
      }
  for (let k = -20; k <= 20; k += 1)
    for (let step = -50; step < 50; step += 1) {
      const x = (k + 0.5) * Math.LN2 + step * 1e-12;
      if (exp(x) > exp(x + 1e-12)) throw new Error(`exp falls at ${x}`);
    }
});

const scale = fc.record({
  unit: fc.constantFrom(1e-9, 0.3, 1, 250, 1e12),
  offset: fc.constantFrom(0.1, 0.5, 1, 2),
});

t.test('log scale: worked example', async t => {
  const scale = { unit: 8, offset: 1 };
  t.equal(toScale(scale, 0), 0);
  t.ok(near(toScale(scale, 8), Math.LN2));
  t.ok(near(toScale(scale, 24), 2 * Math.LN2));
  t.equal(toScale(scale, -8), -1, 'a straight line below 0');
  t.ok(near(toScale({ unit: 2, offset: 0.5 }, -2), -Math.LN2 - 2), 'with its slope at 0');
  t.equal(fromScale(scale, 0), 0);
  t.ok(near(fromScale(scale, Math.LN2), 8));
  t.equal(fromScale(scale, -1), -8);
  t.equal(fromScale({ unit: 1e12, offset: 0.5 }, 1e6), Number.MAX_VALUE, 'finite for any argument');
});

t.test('log scale: invertible and monotone', async () => {
  fc.assert(
    fc.property(
      scale,
      fc.double({ min: -50, max: 1e6, noNaN: true }),
      fc.double({ min: -50, max: 1e6, noNaN: true }),
      (scale, a, b) => {
        const [low, high] = [Math.min(a, b) * scale.unit, Math.max(a, b) * scale.unit];
        const [y, z] = [toScale(scale, low), toScale(scale, high)];
        return (
          y <= z &&
          fromScale(scale, y) <= fromScale(scale, z) &&
          near(fromScale(scale, y) / scale.unit, low / scale.unit, 1e-11) &&
          near(toScale(scale, fromScale(scale, y)), y, 1e-11)
        );
      },
    ),
    { ...seeded, numRuns: 2000 },
  );
});

t.test('adjusted Rand index: known examples', async t => {
  t.equal(adjustedRandIndex([0, 0, 1, 1], [1, 1, 0, 0]), 1, 'labels can be permuted');
  // No pair is together in both; expected by chance 2/3, maximum 2.
  t.ok(near(adjustedRandIndex([0, 0, 1, 1], [0, 1, 0, 1]), -0.5));
  // The example in the documentation of scikit-learn.
  t.ok(near(adjustedRandIndex([0, 0, 1, 1], [0, 0, 1, 2]), 4 / 7));
  // Six rows: 6 and 6 of 15 pairs together, 2 in both; expected by chance 12/5.
  t.ok(near(adjustedRandIndex([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), (2 - 1.2) / (4.5 - 1.2)));
  t.equal(adjustedRandIndex([0, 0, 0], [0, 1, 2]), 0, 'one cluster against single rows: as by chance');
  t.equal(adjustedRandIndex([0, 0], [5, 5]), 1);
  t.equal(adjustedRandIndex([0], [0]), 1);
});

t.test('statistics: sortedMedian equals median to the last digit, of some first values', async t => {
  const random = seededRandom(11);
  for (let round = 0; round < 400; round += 1) {
    const values = Array.from({ length: 1 + Math.floor(random() * 12) }, () => exp(20 * random() - 10));
    const sorted = Float64Array.from(values).sort();
    t.equal(sortedMedian(sorted), median(values), values.join(' '));
    t.equal(sortedMedian([...sorted, -1, -2], values.length), median(values));
  }
  t.not(sortedMedian([0.1, 0.7]), sortedQuantile([0.1, 0.7], 0.5), 'sortedQuantile has another last digit');
});

t.test('statistics: sortedQuantile equals quantiles', async t => {
  t.equal(sortedQuantile([1, 2, 3, 4, 5], 0.1), 1.4);
  t.equal(sortedQuantile([1, 2, 3, 4, 5], 1), 5);
  t.equal(sortedQuantile([1, 2, 3, 4, 5], 0), 1);
  t.equal(sortedQuantile([7], 0.3), 7);
  t.equal(sortedQuantile([], 0.3), 0);
});
