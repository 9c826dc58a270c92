// Values at the edges of small functions that the results on whole series do not show.
import { presentRules } from '../../analysis/engine.js';
import t from 'tap';
import { evidenceOf } from '../../analysis/calendar/heldOutDays.js';
import { coursesOf } from '../../analysis/checking/shape.js';
import { shapeDifference } from '../../analysis/findings/shapeFacts.js';
import { levelOf } from '../../analysis/covariates/effectOn.js';
import { alertRange } from '../../analysis/learning/limits/calibrate.js';
import { busiestFrom } from '../../analysis/learning/limits/minimumDetectableChange.js';
import { hourRows } from '../../analysis/misread/windows.js';
import { registerIn } from '../../analysis/misread/wrongValues.js';

const f = (...values: readonly number[]): Float64Array => Float64Array.from(values);

t.test('nothing to compare is 0', async t => {
  t.equal(levelOf(f(0, 0), f(1, 2)), 0, 'a shape of zeros explains nothing');
  t.equal(levelOf(f(1, 1), f(1, NaN)), 1);
  t.same(coursesOf([f(1, NaN, 3), f(3, NaN, 5)]).means, f(2, 0, 4));
  t.match(evidenceOf({ before: 0, after: 0, better: 0, of: 3 }), { errorReduction: 0 });
});

t.test('the share by which an error falls has three digits', async t => {
  t.strictSame(evidenceOf({ before: 3, after: 1, better: 2, of: 3 }), {
    errorReduction: 0.667,
    better: 2,
    of: 3,
  });
});

t.test('an error that falls to a hundredth falls by 0.99', async t => {
  t.equal(evidenceOf({ before: 100, after: 1, better: 3, of: 3 }).errorReduction, 0.99);
});

t.test('a number of false alerts that is too large for its distribution has a range that ends', async t => {
  t.strictSame(alertRange(1e90, 365, false), { low: 0, high: 0 });
});

t.test('the busiest slices are the first of the largest sum', async t => {
  t.equal(busiestFrom(f(9, 9, 0, 1, 9, 9), 2), 0);
  t.equal(busiestFrom(f(0, 5, 6, 7, 1), 3), 1);
  t.equal(busiestFrom(f(1, 2, 3), 1), 2);
});

t.test('hours are means of the slices with a value', async t => {
  const values = Array.from({ length: 48 }, (_, slice) => (slice % 2 === 0 ? 1 : 3));
  const [first, second, third] = hourRows([
    { dayNumber: 7, values: [1, NaN, NaN, NaN, ...values.slice(4)] },
  ]).values;
  t.strictSame([first, second, third], [1, NaN, 2]);
});

t.test('a register is looked for from a date on, in whole stretches', async t => {
  const dayOf = (dayNumber: number) => ({
    dayNumber,
    values: [0, 1, 2, 3].map(part => 4 * dayNumber + part),
  });
  const rows = hourRows(Array.from({ length: 10 }, (_, n) => dayOf(100 + n)));
  t.strictSame(registerIn(rows, 100), { days: 10, rises: 39, falls: 0 }, 'from the first day');
  t.strictSame(registerIn(rows, 0), { days: 10, rises: 39, falls: 0 });
  t.strictSame(registerIn(rows, 105), { days: 5, rises: 19, falls: 0 });
  t.equal(registerIn(rows, 108), undefined, 'two days are too few');
  t.equal(registerIn(rows, 110), undefined, 'no day');
});

t.test('noise is named however small it is, unless few differences make it', async t => {
  const profile = Array.from({ length: 24 }, (_, hour) => 100 + 10 * hour);
  const model = { id: 1, name: 'm', color: '#000000', anomaly: false, days: 9, activity: profile };
  const typeOf = (residuals: readonly number[]) =>
    shapeDifference({
      day: {
        date: '2024-03-04',
        activity: profile.map((value, at) => value + residuals[at]!),
        gaps: [],
        filled: [],
      },
      model: { ...model, topTolerance: profile, bottomTolerance: profile },
      residuals: f(...residuals),
      ...{ checks: { longestRun: 24, minimum: 0 }, rules: presentRules, score: 2, allowed: 1 },
    }).type;
  const alternating = profile.map((_, hour) => (hour % 2 === 0 ? 0.01 : -0.01));
  t.equal(typeOf(alternating), 'noise');
  t.equal(typeOf(alternating.map(residual => residual + 5)), 'noise', 'around any level');
  t.equal(typeOf(profile.map((_, hour) => (hour === 12 ? 0.01 : 0))), 'shape', 'a single slice');
  t.equal(typeOf(profile.map((_, hour) => hour / 1000)), 'shape', 'a slope');
});
