import t from 'tap';
import fc from '../../helpers/property.js';
import { presentRules, rulesToUse } from '../../../analysis/engine.js';
import { hourlyScore, hoursOf, referenceHours, squaredAtOneLevel } from '../../../analysis/checking/hours.js';

const f = (...values: readonly number[]): Float64Array => Float64Array.from(values);
const none = Number.NaN;

t.test('hours: means of the slices of an hour; slices that are longer count as hours', async t => {
  const half = Float64Array.from({ length: 48 }, (_, slice) => slice);
  t.equal(hoursOf(half).length, 24);
  t.strictSame([...hoursOf(half).subarray(0, 2)], [0.5, 2.5]);
  t.strictSame([...hoursOf(f(1, 2, 4))], [1, 2, 4]);
  half[0] = half[2] = half[3] = none;
  t.strictSame([...hoursOf(half).subarray(0, 3)], [1, none, 4.5], 'without slices that have no value');
  t.equal(hoursOf(new Float64Array(90)).length, 30, 'no slice is divided');
});

t.test('hours: days are compared at one level, without hours that one of them lacks', async t => {
  t.equal(squaredAtOneLevel(f(1, 2, 3, 4), f(11, 12, 13, 14)), 0);
  t.equal(squaredAtOneLevel(f(0, 0, 0, 4), f(0, 0, 0, 0)), 16 - 4);
  t.equal(squaredAtOneLevel(f(0, 2, none, 9), f(0, 0, 5, none)), (4 - 2) * 2, 'half of the hours are enough');
  t.equal(squaredAtOneLevel(f(0, none, none, 9), f(0, 0, 5, none)), Number.POSITIVE_INFINITY);
});

/** Four working days and three free ones; the distance of each to its nearest ones is 1. */
const rows = [...[f(0, 0), f(0, 1), f(0, 2), f(0, 8)], ...[f(0, 4), f(0, 5), f(0, 6)]];
const reference = referenceHours(
  rows,
  { distances: rows.map(() => 1), free: [4, 5, 6], factor: 2 },
  presentRules,
);
const scoreOf = (
  scaled: Float64Array,
  { working = true, before = [] as readonly Float64Array[], limit = 99, isExact = true } = {},
): number => hourlyScore({ scaled, working }, reference, { limit, before: () => before }, isExact);
const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-12;

t.test('hours: the three nearest days of its kind, in units of the limit on the shape', async t => {
  // Two hours that differ by d have the squared distance d²/2, and d/2 per hour.
  t.ok(near(scoreOf(f(5, 5)), 2 * ((0 + 0.5 + 1) / 3)));
  t.ok(near(scoreOf(f(5, 5), { working: false }), 2 * ((2 + 2.5 + 3) / 3)));
  t.ok(near(scoreOf(f(5, 5), { before: [f(1, 1), f(2, 2)] }), 0), 'days before count as well');
});

t.test('hours: without three days of its kind a day is not judged', async t => {
  const few = referenceHours(
    rows.slice(0, 6),
    { distances: [1, 1, 1, 1, 1, 1], free: [4, 5], factor: 1 },
    presentRules,
  );
  const compared = { limit: 1, before: () => [] };
  t.equal(hourlyScore({ scaled: f(0, 30), working: false }, few, compared, true), 0);
  t.ok(hourlyScore({ scaled: f(0, 30), working: true }, few, compared, true) > 1);
});

t.test('hours: with one kind compared, days of the other kind have no score', async t => {
  const facts = { distances: [1, 1, 1, 1], free: [4, 5, 6], factor: 2, only: 'working' as const };
  const alone = referenceHours(rows, facts, presentRules);
  const compared = { limit: 99, before: () => [] };
  t.equal(hourlyScore({ scaled: f(0, 30), working: false }, alone, compared, true), 0);
  t.equal(hourlyScore({ scaled: f(0, 30), working: true }, alone, compared, true), scoreOf(f(0, 30)));
});

t.test('hours: a kind of day that the reference lacks has no score', async t => {
  const facts = { distances: [1, 1, 1, 1], free: [], factor: 2 };
  const before = () => [f(0, 1), f(0, 2), f(0, 3)];
  const scoreBy = (rules = presentRules, working = false) =>
    hourlyScore(
      { scaled: f(0, 30), working },
      referenceHours(rows.slice(0, 4), facts, rules),
      { limit: 1, before },
      true,
    );
  t.equal(scoreBy(), 0);
  t.ok(scoreBy(presentRules, true) > 0);
  t.ok(scoreBy(rulesToUse('daybook-calendar/12')) > 0, 'earlier: by the days before alone');
});

t.test('hours: the fast answer is 0 or the exact score, and 0 only within the limit', async () => {
  const values = fc.array(fc.double({ min: 0, max: 9, noNaN: true }), { minLength: 2, maxLength: 2 });
  const limits = fc.double({ min: 0.1, max: 9, noNaN: true });
  fc.assert(
    fc.property(values, values, limits, fc.boolean(), (day, other, limit, working) => {
      const given = { working, before: [Float64Array.from(other)], limit };
      const exact = scoreOf(Float64Array.from(day), given);
      const fast = scoreOf(Float64Array.from(day), { ...given, isExact: false });
      return fast === exact || (fast === 0 && exact <= limit + 1e-6);
    }),
  );
});
