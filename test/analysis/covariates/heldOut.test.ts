import t from 'tap';
import { learnEffects } from '../../../analysis/covariates/covariateEffects.js';
import {
  errorsOf,
  gainOf,
  robustRidge,
  sampleOf,
  type Fit,
} from '../../../analysis/covariates/heldOutErrors.js';
import { presentRules } from '../../../analysis/engine.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import type { PreparedReference } from '../../../analysis/learning/prepare.js';
import { dateOf } from '../../../domain/dates.js';
import type { CovariateSeries } from '../../../domain/source/covariates.js';
import { exactList } from '../../helpers/exactList.js';

// A reference in blocks of six weeks on a straight scale: the level of a day is its distance from the profile 0.

const blockDays = 42;

/** @param levels level of each day */
const reference = (
  levels: readonly number[],
  outliers: readonly number[] = [],
): { prepared: PreparedReference; outliers: ReadonlyMap<number, number>; fit: Fit } => {
  const days = levels.map((level, index) => ({
    ...{ date: dateOf(20_000 + index), ordinary: true, block: Math.floor(index / blockDays) },
    scaled: Float64Array.of(level, level),
  }));
  const prepared = { days, scale: { unit: 1, offset: 1 }, checkStop: () => {}, rules: presentRules };
  // One fold for each block, with the same profile.
  const learnedOf = () => ({ profiles: [Float64Array.of(0, 0)], expected: levels.map(() => 0) });
  const folds = Array.from({ length: Math.ceil(levels.length / blockDays) }, learnedOf);
  const fitted = days.map(({ block }, index) => ({ index, learned: folds[block], model: 0 }));
  return {
    prepared: prepared as unknown as PreparedReference,
    outliers: new Map(outliers.map(index => [index, 1])),
    fit: { learned: learnedOf(), fitted } as unknown as Fit,
  };
};

/** Values from -3 to 3 that repeat every seven days. */
const valueOn = (index: number): number => (index % 7) - 3;
const series = (values: readonly (number | undefined)[]): CovariateSeries => ({
  ...{ sourceId: 2, name: 'Temperature', revision: 1 },
  values: values.flatMap((value, index) =>
    value === undefined ? [] : { date: dateOf(20_000 + index), value },
  ),
});
const indices = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const isNear = (t: Tap, got: number, expected: number, what: string): void => {
  t.ok(Math.abs(got - expected) < 0.06 * Math.abs(expected), `${what}: got ${got}, expected ${expected}`);
};
type Tap = { readonly ok: (value: boolean, message: string) => boolean };

/** Levels of two blocks: each degree moves the first by 0.02, and the second by 0.03. */
const levels = indices(2 * blockDays).map(index => (index < blockDays ? 0.02 : 0.03) * valueOn(index));

t.test('a regression finds the coefficients of features that vary together, with any intercept', async t => {
  const expected = [2, -1, 3, 0.5];
  const random = seededRandom(5);
  const features = indices(400).map(() => {
    const common = random();
    return Float64Array.from(expected, (_, at) => 3 * random() + common + at);
  });
  const values = Float64Array.from(features, own =>
    own.reduce((sum, value, at) => sum + value * expected[at]!, 7),
  );
  for (const count of [4, 3, 2]) {
    const rest = (own: Float64Array) =>
      expected.slice(count).reduce((sum, one, at) => sum + one * own[count + at]!, 0);
    const samples = {
      features: features.map(own => own.slice(0, count)),
      values: values.map((value, at) => value - rest(features[at]!)),
    };
    for (const [at, got] of robustRidge(samples).entries())
      isNear(t, got, expected[at]!, `of ${count}: ${at}`);
  }
});

t.test('the error of a day is that of coefficients learned without its block', async t => {
  const { prepared, outliers, fit } = reference(levels);
  const values = series(indices(levels.length).map(valueOn));
  const errors = errorsOf(sampleOf({ prepared, outliers, ...fit }), [{ series: values, knee: -3 }]);
  const sumOf = (of: readonly number[]): number => of.reduce((sum, value) => sum + Math.abs(value), 0);
  const [first, second] = [0, blockDays].map(
    from => sumOf([...errors].slice(from, from + blockDays)) / sumOf(levels.slice(from, from + blockDays)),
  );
  isNear(t, first ?? 0, 1 / 2, 'share of the first block that the second does not explain');
  isNear(t, second ?? 0, 1 / 3, 'share of the second block that the first does not explain');
});

t.test('the effect on days of a block is learned without the block', async t => {
  const { prepared, outliers, fit } = reference(levels);
  const values = series(indices(levels.length).map(valueOn));
  const { fitted, learned, explainedBy } = learnEffects(prepared, outliers, fit, [values]);
  t.match(explainedBy, exactList({ used: true }));
  const growth = (of: typeof learned | undefined): number =>
    (of?.effect?.(6, 0) ?? 0) - (of?.effect?.(0, 0) ?? 0);
  const [withoutFirst, withoutSecond] = [growth(fitted[0]?.learned), growth(fitted[blockDays]?.learned)];
  isNear(t, withoutFirst / withoutSecond, 3 / 2, 'growth without the first block by that without the second');
  t.ok(withoutSecond < growth(learned) && growth(learned) < withoutFirst, 'final models know both');
});

t.test('a covariate is used when the error falls in enough blocks', async t => {
  const sample = { blocks: [0, 0, 1, 1, 2, 3] } as unknown as Parameters<typeof gainOf>[2];
  const [before, after] = [Float64Array.of(4, 1, 1, 1, 1, 2), Float64Array.of(0, 2, 1, 1, 1, 1)];
  t.strictSame(gainOf(before, after, sample), { reduction: 0.4, blocks: 0.5 });
  t.strictSame(gainOf(new Float64Array(6), new Float64Array(6), sample), { reduction: 0, blocks: 0 });
  // Two of four blocks follow the value; in the others weeks differ, and the value adds a little to their error.
  const levelOn = (index: number): number =>
    index < 2 * blockDays
      ? 0.05 * valueOn(index)
      : (Math.floor(index / 7) % 2 === 0 ? 0.2 : -0.2) - 0.002 * valueOn(index);
  const some = indices(4 * blockDays).map(levelOn);
  const { prepared, outliers, fit } = reference(some);
  const values = series(indices(some.length).map(valueOn));
  const { explainedBy } = learnEffects(prepared, outliers, fit, [values]);
  t.match(
    explainedBy,
    exactList({
      used: false,
      reason: 'the error falls in 50.0 % of the held-out blocks, expected at least 60.0 %',
    }),
  );
  t.ok((explainedBy[0]?.errorReduction ?? 0) > 0.02, 'but it falls by enough');
});

t.test('a covariate needs a value on half of the ordinary days, at least 60', async t => {
  const reasonOf = (count: number, known: number, outlierCount = 0): string | undefined => {
    const some = indices(count).map(index => 0.01 * valueOn(index));
    const { prepared, outliers, fit } = reference(some, indices(outlierCount));
    const hasValue = (place: number): boolean => {
      const [before, after] = [place, place + 1].map(n => Math.floor((n * known) / (count - outlierCount)));
      return place >= 0 && before !== after;
    };
    const values = series(
      indices(count).map(index => (hasValue(index - outlierCount) ? valueOn(index) : undefined)),
    );
    const [result] = learnEffects(prepared, outliers, fit, [values]).explainedBy;
    return result?.used === true ? 'used' : result?.reason;
  };
  t.equal(reasonOf(160, 80), 'used');
  t.match(reasonOf(160, 79), /^it has a value on 79 of 160 ordinary reference days, expected at least 80$/);
  t.equal(reasonOf(165, 80, 5), 'used', 'outliers are not counted');
  t.equal(reasonOf(100, 60), 'used');
  t.match(reasonOf(100, 59), /^it has a value on 59 of 100 .* at least 60$/);
});
