import { amount } from '../../helpers/amount.js';
import fc from '../../helpers/property.js';
import t from 'tap';
import {
  hingeAt,
  missingRange,
  movedModel,
  explainedDates,
  plausibleCovariate,
} from '../../../analysis/covariates/effectOn.js';
import { robustRidge } from '../../../analysis/covariates/heldOutErrors.js';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import { presentRules, rulesToUse } from '../../../analysis/engine.js';
import { typicalDays } from '../../../analysis/learning/typicalDays.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { covariateValue, type CovariateSeries } from '../../../domain/source/covariates.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { planner } from '../../../domain/planning/planning.js';
import { firstDay, office, temperatures, weather } from '../../helpers/data/explainedOffice.js';
import { withIds, type Model } from '../../../domain/planning/models.js';
import { exactList } from '../../helpers/exactList.js';

const series = (values: readonly number[], sourceId = 2, name = 'Temperature Oslo'): CovariateSeries => ({
  sourceId,
  name,
  revision: 12,
  values: values.map((value, index) => ({ date: dateOf(firstDay + index), value })),
});

const setting = { modelCount: 3, coverage: null, calendar: null, seed: 1 };

t.test('ridge: a line through exact points has its slope, and an outlier moves it little', async t => {
  const xs = Array.from({ length: 100 }, (_, index) => (index - 50) / 25);
  const features = xs.map(x => Float64Array.of(x));
  const [exact = 0] = robustRidge({ features, values: Float64Array.from(xs, x => 3 + 2 * x) });
  t.ok(Math.abs(exact - 2) < 0.03, `slope ${exact}`);
  const [robust = 0] = robustRidge({
    features,
    values: Float64Array.from(xs, (x, at) => (at === 99 ? 500 : 3 + 2 * x + 0.1 * Math.sin(7 * at))),
  });
  t.ok(Math.abs(robust - 2) < 0.1, `slope ${robust}`);
  t.strictSame([...robustRidge({ features: [], values: new Float64Array(0) })], []);
});

t.test('ridge: a constant added to all values is in the intercept and changes no slope', async t => {
  const random = seededRandom(7);
  const features = Array.from({ length: 60 }, () => Float64Array.of(10 + random(), 5 * random()));
  const values = Float64Array.from(features, ([x = 0, y = 0]) => x - 2 * y + random());
  const slopes = robustRidge({ features, values });
  for (const constant of [-300, 0.5, 1000]) {
    const moved = robustRidge({ features, values: values.map(value => value + constant) });
    moved.forEach((slope, at) =>
      t.ok(Math.abs(slope - slopes[at]!) < 1e-9, `${constant}: ${slope}, expected ${slopes[at]}`),
    );
  }
});

t.test('ridge: the slope is that of the fifth round of Huber weights', async t => {
  const xs = Array.from({ length: 21 }, (_, at) => (at - 10) / 6);
  const ys = xs.map((x, at) => 1 + x + 0.1 * Math.sin(5 * at) + (at > 8 && at % 4 === 0 ? 3 * x : 0));
  // The line of least weighted squares plus 0.01 · n · slope², by Cramer's rule.
  const lineBy = (weights: readonly number[]): readonly [slope: number, level: number] => {
    const sum = (term: (at: number) => number): number =>
      weights.reduce((total, weight, at) => total + weight * term(at), 0);
    const [w, x, y] = [sum(() => 1), sum(at => xs[at]!), sum(at => ys[at]!)];
    const [xx, xy] = [sum(at => xs[at]! ** 2) + 0.01 * xs.length, sum(at => xs[at]! * ys[at]!)];
    const determinant = xx * w - x * x;
    return [(xy * w - x * y) / determinant, (xx * y - x * xy) / determinant];
  };
  const weightsBy = ([slope, level]: readonly [number, number]): number[] => {
    const sizes = xs.map((x, at) => Math.abs(ys[at]! - level - slope * x));
    const median = [...sizes].sort((a, b) => a - b)[10]!;
    return sizes.map(size => Math.min(1, (1.5 * 1.4826 * median) / size));
  };
  const slopeAfter = (rounds: number): number => {
    let line = lineBy(xs.map(() => 1));
    for (let round = 1; round < rounds; round += 1) line = lineBy(weightsBy(line));
    return line[0];
  };
  const [slope = 0] = robustRidge({
    features: xs.map(x => Float64Array.of(x)),
    values: Float64Array.from(ys),
  });
  t.ok(Math.abs(slope - slopeAfter(5)) < 1e-9, `got ${slope}, expected ${slopeAfter(5)}`);
  for (const rounds of [4, 6])
    t.ok(Math.abs(slopeAfter(rounds) - slopeAfter(5)) > 0.01, `${rounds} rounds give another slope`);
});

t.test('a covariate that explains the level is used and narrows the limits', async t => {
  const degrees = temperatures(1);
  const days = office(degrees, { seed: 2 });
  const without = typicalDays(days, setting);
  const learned = typicalDays(days, { ...setting, covariates: [series(degrees)] });
  const [result] = learned.explainedBy ?? [];
  t.match(result, { sourceId: 2, name: 'Temperature Oslo', used: true });
  t.ok((result?.errorReduction ?? 0) > 0.5, `error falls by ${result?.errorReduction}`);
  const [effect] = learned.checks?.covariates ?? [];
  t.ok(effect);
  // From 0 to −5 °C the heating grows from 1.3 to 1.4, which is 7.4 % on the log scale.
  const growth = hingeAt(effect!, -5) - hingeAt(effect!, 0);
  t.ok(Math.abs(growth - 0.074) < 0.025, `growth ${growth}`);
  t.equal(effect?.usual.length, learned.models.length);
  const width = ({ models }: typeof learned): number => {
    const [model] = models;
    return model!.topTolerance[12]! / model!.activity[12]!;
  };
  t.ok(width(learned) - 1 < 0.75 * (width(without) - 1), `${width(learned)} of ${width(without)}`);
  const { explainedBy: _, ...same } = without;
  t.strictSame(same, without);
});

t.test('a value of a covariate that is far beyond the others counts as missing', async t => {
  const degrees = temperatures(1, 120);
  const days = office(degrees, { seed: 2 });
  const learnedBy = (values: readonly number[], engine?: string) => {
    const covariates = [
      { ...series([]), values: series(values).values.filter(({ value }) => !isNaN(value)) },
    ];
    return typicalDays(days, { ...setting, covariates, ...(engine && { engine }) });
  };
  const withMark = learnedBy(degrees.with(60, -9999));
  t.strictSame(withMark, learnedBy(degrees.with(60, Number.NaN)));
  t.ok(withMark.explainedBy?.[0]?.used);
  t.notOk(learnedBy(degrees.with(60, -9999), 'daybook-calendar/12').explainedBy?.[0]?.used);
  const rare = (mark: number): Float64Array =>
    plausibleCovariate(
      Float64Array.from({ length: 60 }, (_, index) => (index === 7 ? 1 : index === 9 ? mark : 0)),
      presentRules,
    );
  for (const mark of [-9999, 9999])
    t.ok(isNaN(rare(mark)[9]!), `${mark} of a covariate that is 1 on one day`);
  for (const mark of [-5, 0, 1, 5]) t.equal(rare(mark)[9], mark, 'as other values');
  const engine14 = rulesToUse('daybook-calendar/14');
  t.equal(
    plausibleCovariate(Float64Array.of(...Array<number>(40).fill(0), 1, -9999), engine14).at(-1),
    -9999,
  );
  t.strictSame(
    [...plausibleCovariate(Float64Array.of(...Array<number>(40).fill(0), 1), presentRules)].at(-1),
    1,
  );
  const tiny = learnedBy(degrees.map(value => value * 1e-170)).explainedBy;
  t.match(tiny, exactList({ used: false, reason: 'it has the same value on all reference days' }));
});

t.test('a covariate without relation is dropped, or changes the limits little', async t => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), async seed => {
      const days = office(temperatures(seed), { seed: seed + 1, slices: 4 });
      const without = typicalDays(days, { ...setting, modelCount: 2 });
      const unrelated = series(weather(seededRandom(seed + 2), 365));
      const learned = typicalDays(days, { ...setting, modelCount: 2, covariates: [unrelated] });
      const [result] = learned.explainedBy ?? [];
      if (!result?.used) {
        t.match(result?.reason, /held-out/);
        const { explainedBy: _, ...rest } = learned;
        t.strictSame(rest, without);
        return;
      }
      const [before, after] = [without, learned].map(({ models }) => models[0]!.topTolerance[2]!);
      t.ok(Math.abs(after! / before! - 1) < 0.05, `${before} to ${after}`);
    }),
    { numRuns: amount({ quick: 3, slow: 8 }), seed: 7 },
  );
});

t.test('covariates that cannot be used are named with the reason', async t => {
  const degrees = temperatures(3);
  const learned = typicalDays(office(degrees, { seed: 4, slices: 4 }), {
    ...setting,
    covariates: [
      series(degrees.slice(0, 90), 3, 'Too short'),
      { ...series(degrees, 4, 'Archived'), archived: true },
      series(
        degrees.map(() => 1),
        5,
        'Constant',
      ),
      series(degrees, 2),
    ],
  });
  t.match(
    learned.explainedBy,
    exactList(
      { sourceId: 3, used: false, errorReduction: null, reason: /on \d+ of \d+ ordinary reference days/ },
      { sourceId: 4, used: false, errorReduction: null, reason: 'it is archived' },
      { sourceId: 5, used: false, errorReduction: null, reason: /the same value/ },
      { sourceId: 2, used: true },
    ),
  );
  t.strictSame(
    learned.checks?.covariates?.map(({ sourceId }) => sourceId),
    [2],
  );
});

t.test('the effect moves a model in proportion, and on a straight scale by the same everywhere', async t => {
  const model: Model = {
    ...{ id: 1, days: 9, name: 'Any', color: '#000000', anomaly: false },
    activity: [0, 50, 100, 1000],
    topTolerance: [1, 60, 120, 1200],
    bottomTolerance: [0, 40, 80, 800],
    limits: { unit: 100, offset: 0.5, windowHours: 8, window: 1, day: 1 },
  };
  t.equal(movedModel(model, 0), model);
  const moved = movedModel(model, 0.1);
  t.equal(moved.activity[0], 0);
  const factors = moved.activity.slice(1).map((value, at) => value / model.activity[at + 1]!);
  for (const factor of factors) t.ok(Math.abs(factor - 1.1) < 0.02, `factor ${factor}`);
  const { limits: _, ...custom } = model;
  t.equal(movedModel(custom, 0.1), custom);
  const straight = movedModel({ ...model, limits: { ...model.limits!, offset: 1000 } }, 0.0001);
  const shifts = straight.activity.map((value, at) => value - model.activity[at]!);
  for (const shift of shifts) t.ok(Math.abs(shift - 10) < 0.2, `shift ${shift}`);
});

t.test('the false alerts of a cold snap disappear, and those of a fault stay', async t => {
  const degrees = temperatures(5);
  const days = office(degrees, { seed: 6 });
  const learned = typicalDays(days, { ...setting, covariates: [series(degrees)] });
  const without = typicalDays(days, setting);
  // Two weeks in January a year later at -14 °C, which is at the end of the learned range.
  const coldest = Math.min(...degrees);
  const snap = office(
    Array.from({ length: 14 }, () => coldest),
    { seed: 7 },
  ).map((day, index) => ({ ...day, date: dateOf(firstDay + 371 + index) }));
  const readings = (value: number | null) => () => [{ sourceId: 2, value, revision: 1 }];
  const findings = (
    of: typeof learned,
    checked: readonly Day[],
    value: number | null,
    rules = presentRules,
  ) => {
    const { models, assignments } = withIds(of, 1);
    const comparison = {
      ...{ models, checks: of.checks, completeness: 1, referenceGaps: () => 0, rules },
      plan: planner(models, assignments, { holidays: null, specials: [] }),
      ...(of.checks?.covariates && {
        explained: explainedDates(models, of.checks.covariates, readings(value), rules),
      }),
    };
    return checked.map(day => checkDay(day, comparison, () => []));
  };
  const outcomes = (...of: Parameters<typeof findings>): string[] =>
    findings(...of).map(({ outcome }) => outcome);
  const alarmed = outcomes(without, snap, null).filter(outcome => outcome === 'abnormal');
  t.ok(alarmed.length > 4, `${alarmed.length} of 14`);
  const cold = outcomes(learned, snap, coldest).filter(outcome => outcome !== 'normal');
  t.ok(cold.length <= 1, `${cold.length} of 14`);
  const broken = snap.map(day => ({ ...day, activity: day.activity.map(value => 0.7 * value) }));
  t.same(new Set(outcomes(learned, broken, coldest)), new Set(['abnormal']));

  const engine4 = rulesToUse('daybook-calendar/4');
  const isBroken = (outcome: string): boolean => outcome === 'abnormal';
  t.ok(outcomes(learned, snap, null, engine4).filter(isBroken).length > 4, 'engine 4 without temperatures');
  t.ok(outcomes(learned, snap, null).filter(isBroken).length <= 1, 'a temperature can explain the snap');
  // A mark of missing data is no heat wave and no cold one: clamped, either would move the model.
  const engine13 = rulesToUse('daybook-calendar/13');
  for (const mark of [-9999, 9999]) {
    t.same(findings(learned, snap, mark), findings(learned, snap, null), `${mark} is missing`);
    t.notSame(findings(learned, snap, mark, engine13), findings(learned, snap, null, engine13));
  }
  const [lowest, highest] = [Math.min(...degrees), Math.max(...degrees)];
  const far = highest + 9 * (highest - lowest);
  t.same(outcomes(learned, snap, far), outcomes(learned, snap, highest), 'a plausible one is at the end');
  const doubled = snap.map(day => ({ ...day, activity: day.activity.map(value => 2 * value) }));
  const [now, before] = [presentRules, engine4].map(rules => findings(learned, doubled, null, rules));
  for (const [at, { outcome, finding }] of now!.entries()) {
    t.equal(outcome, 'abnormal', 'no temperature explains twice the energy');
    const { criticity, ...rest } = before![at]!.finding!;
    t.match(finding, rest);
    t.ok(finding!.criticity <= criticity, `${finding!.criticity} of ${criticity}`);
  }
  const afternoon = snap.map(day => ({
    ...day,
    activity: day.activity.map((value, hour) => (hour >= 12 && hour < 15 ? 0.4 * value : value)),
  }));
  t.same(new Set(outcomes(learned, afternoon, null)), new Set(['abnormal']), 'another shape of the day');
});

t.test('a missing covariate may have any effect that it had on the days of the model', async t => {
  const hinge = { name: 'Rain', knee: 5, below: 0.02, above: 0.1, from: 0, to: 9, usual: [0.2, 0.1] };
  const effects = [
    { ...hinge, sourceId: 2, spread: [[-0.1, 0.15] as const, [-0.05, 0.02] as const] },
    { ...hinge, sourceId: 3 },
  ];
  const range = (values: readonly (number | null)[], model: number) =>
    missingRange(
      effects,
      values.map((value, at) => ({ sourceId: at + 2, value, revision: 1 })),
      model,
    )?.map(end => Number(end.toFixed(9)));
  t.equal(range([1, 1], 0), undefined);
  t.strictSame(range([null, 1], 1), [-0.05, 0.02]);
  // Models of engine 4: from 0 at the knee to 0.4 at 9, minus the usual effect.
  t.strictSame(range([1, null], 0), [-0.2, 0.2]);
  t.strictSame(range([null, null], 1), [-0.15, 0.32]);
});

t.test(
  'the range of effects on the days of a model is learned, but not by the rules of engine 4',
  async t => {
    const degrees = temperatures(1);
    const days = office(degrees, { seed: 2, slices: 4 });
    const covariates = [series(degrees)];
    const [effect] = typicalDays(days, { ...setting, covariates }).checks!.covariates!;
    const { assignments } = typicalDays(days, { ...setting, covariates });
    for (const [model, usual] of effect!.usual.entries()) {
      const own = assignments
        .filter(({ planned }) => planned === model)
        .map(({ date }) => hingeAt(effect!, degrees[dayNumber(date) - firstDay]!) - usual);
      const [least, largest] = effect!.spread![model]!;
      t.ok(Math.abs(least - Math.min(...own)) < 1e-5, `${least} of model ${model}`);
      t.ok(Math.abs(largest - Math.max(...own)) < 1e-5, `${largest} of model ${model}`);
    }
    const { spread: _, ...rest } = effect!;
    const older = typicalDays(days, { ...setting, covariates, engine: 'daybook-calendar/4' });
    t.strictSame(older.checks?.covariates, [rest]);
  },
);

t.test('values beyond the learned range count as its ends', async t => {
  const hinge = { knee: 10, below: 0.02, above: 0.01, from: 0, to: 30 };
  t.same(
    [-20, 0, 5, 10, 20, 30, 45].map(value => Number(hingeAt(hinge, value).toFixed(9))),
    [0.2, 0.2, 0.1, 0, 0.1, 0.2, 0.2],
  );
});

t.test('a covariate without a value is named, and the others move the models', async t => {
  const model: Model = {
    ...{ id: 7, days: 9, name: 'Any', color: '#000000', anomaly: false },
    ...{ activity: [50, 50], topTolerance: [60, 60], bottomTolerance: [40, 40] },
    limits: { unit: 50, offset: 1, windowHours: 8, window: 1, day: 1 },
  };
  const hinge = { knee: 0, below: 0, above: 0.1, from: 0, to: 9, usual: [0.2] };
  const effects = ['Rain', 'Sun'].map((name, at) => ({ ...hinge, name, sourceId: at + 2 }));
  const readings = [
    { sourceId: 2, value: null, revision: 3 },
    { sourceId: 3, value: 5, revision: 3 },
  ];
  const { facts } = explainedDates([model], effects, () => readings)('2025-01-01');
  const { effect, covariates, missing } = facts(model);
  t.ok(Math.abs(effect - 0.3) < 1e-12, `effect ${effect}`);
  t.strictSame(covariates, [{ sourceId: 3, name: 'Sun', value: 5 }]);
  t.strictSame(missing, ['Rain']);
});

t.test(
  'the value of a day is the mean of its slices, their total when summed, and null with few of them',
  async t => {
    const day = { date: '2025-01-01', activity: [1, 2, 0, 6], gaps: [[2, 3]], filled: [] } as const;
    t.equal(covariateValue(day, 'mean'), 3);
    t.equal(covariateValue(day, 'sum'), 12);
    t.equal(covariateValue({ ...day, gaps: [[0, 2]] }, 'mean'), 3, 'half of the slices is enough');
    t.equal(covariateValue({ ...day, gaps: [[0, 3]] }, 'mean'), null);
    t.equal(covariateValue({ ...day, gaps: [[0, 4]] }, 'mean'), null);
  },
);
