import fc from '../../helpers/property.js';
import t from 'tap';
import { learn } from '../../../analysis/learning/learn.js';
import { smoothedDays } from '../../../analysis/learning/clustering/clusterRows.js';
import { prepare, referenceOf } from '../../../analysis/learning/prepare.js';
import { residualEnds, type Ends } from '../../../analysis/learning/tolerances.js';
import { chooseSimilar } from '../../../analysis/learning/similarityWeights.js';
import { weightedRows } from '../../../analysis/math/flatRows.js';
import { sortedQuantile } from '../../../analysis/math/statistics.js';
import { noCalendar } from '../../../domain/planning/calendar.js';
import { madeDays } from '../../helpers/data/madeDays.js';

t.test('ends of residuals equal the quantiles of all sorted residuals', async t => {
  const value = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.double({ min: -9, max: 9, noNaN: true }),
    fc.constant(NaN),
  );
  const model = (slices: number) =>
    fc.record({
      profile: fc.array(fc.double({ min: -2, max: 2, noNaN: true }), {
        minLength: slices,
        maxLength: slices,
      }),
      members: fc.array(
        fc.record({
          day: fc.array(value, { minLength: slices, maxLength: slices }),
          times: fc.integer({ min: 1, max: 5 }),
        }),
        { maxLength: 25 },
      ),
    });
  const models = fc
    .integer({ min: 1, max: 5 })
    .chain(slices => fc.array(model(slices), { minLength: 1, maxLength: 3 }));
  /** Residuals of one slice with their repetitions, ascending. */
  type Made = { readonly profile: number[]; readonly members: { day: number[]; times: number }[] };
  const sorted = (of: readonly Made[], slice: number): Float64Array =>
    Float64Array.from(
      of.flatMap(({ profile, members }) =>
        members.flatMap(({ day, times }) => new Array<number>(times).fill(day[slice]! - profile[slice]!)),
      ),
    )
      .filter(residual => !Number.isNaN(residual))
      .sort();
  const expected = (of: readonly Made[], slice: number): Ends => {
    const residuals = sorted(of, slice);
    if (residuals.length === 0) return [0, 0];
    return [Math.max(0, sortedQuantile(residuals, 0.9)), Math.max(0, -sortedQuantile(residuals, 1 - 0.9))];
  };
  fc.assert(
    fc.property(models, made => {
      const slices = made[0]!.profile.length;
      const { own, pooled } = residualEnds(
        made.map(({ profile, members }) => ({
          profile: Float64Array.from(profile),
          days: members.map(({ day }) => Float64Array.from(day)),
          times: Int32Array.from(members, ({ times }) => times),
        })),
        slices,
      );
      const isSame = (ends: readonly Ends[], of: readonly Made[]): boolean =>
        ends.length === slices &&
        ends.every((found, slice) => found.every((end, side) => end === expected(of, slice)[side]));
      return isSame(pooled, made) && made.every((one, at) => isSame(own[at]!, [one]));
    }),
    { numRuns: 1000, seed: 25 },
  );
  t.pass('1,000 samples');
});

t.test('a planned model has the largest weight of the days that count for a date', async t => {
  const prepared = prepare(referenceOf(madeDays({ count: 150, slices: 6, seed: 9 })), noCalendar);
  const { days, weights } = prepared;
  const shares = [1, 0.5, 0.04];
  for (const share of shares) {
    // With the first days alone, most dates have no near day: all days count then.
    const included = days.map((_, index) => index < share * days.length);
    const smoothed = smoothedDays(prepared, included);
    const { plan, expected, profiles } = learn(
      prepared,
      smoothed,
      smoothed.indices.map(index => index % 3),
    );
    const factors = Float64Array.from(expected, model => (model === null ? 0 : 1));
    for (const similar of weights) {
      const sums = profiles.map(() => 0);
      const chosen = chooseSimilar(similar, factors, weightedRows(days.length));
      for (let at = 0; at < chosen.count; at += 1)
        sums[expected[chosen.indices[at]!]!]! += chosen.weights[at]!;
      t.equal(plan(similar), sums.indexOf(Math.max(...sums)));
    }
  }
});
