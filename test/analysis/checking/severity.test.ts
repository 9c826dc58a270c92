import t from 'tap';
import { withGapSeverity, withSeverity } from '../../../analysis/checking/severity.js';
import { checkDay } from '../../../analysis/checking/checkDay.js';
import type { Comparison } from '../../../analysis/checking/comparison.js';
import { presentRules, rulesToUse } from '../../../analysis/engine.js';
import type { BrokenRun, Finding } from '../../../domain/alerts/findings.js';
import type { Day } from '../../../domain/day.js';
import type { Limits, Model } from '../../../domain/planning/models.js';
import { elapsedPart } from '../../../domain/points.js';
import fc from '../../helpers/property.js';
import { planOf } from '../../helpers/data/plans.js';

const day = (activity: readonly number[], more: Partial<Day> = {}): Day => ({
  date: '2023-05-01',
  activity,
  gaps: [],
  filled: [],
  ...more,
});

/** Expects 10 in each slice, at most 14 and at least 8. */
const model: Model = {
  ...{ id: 1, name: 'model', color: '#000000', anomaly: false, days: 1 },
  activity: [10, 10, 10, 10],
  topTolerance: [14, 14, 14, 14],
  bottomTolerance: [8, 8, 8, 8],
};

const found = (kind: Finding['kind'], slices: readonly BrokenRun[] = []): Finding => ({
  ...{ kind, slices, direction: null, criticity: 0.5, looksLikeAnomaly: false },
  ...{ plannedModelId: 1, closestModelId: null, betterModelId: null },
});

const severityOf = (one: Day, expected: Model | null = model, finding = found('activity')) =>
  withSeverity({ outcome: 'abnormal', finding }, one, expected, presentRules).finding?.severity;

t.test('severity: what a day lost over that and what its bounds allow', async t => {
  t.equal(severityOf(day([14, 14, 14, 14])), 0.5, 'on the bound from beginning to end');
  t.equal(severityOf(day([8, 8, 8, 8])), 0.5);
  t.equal(severityOf(day([2, 2, 2, 2])), 0.8, '32 lost, 8 allowed');
  t.equal(severityOf(day([10, 10, 10, 2])), 0.5, 'a quarter of the day, 8 lost, 8 allowed');
  t.equal(severityOf(day([14, 8, 10, 10])), 0.375, '6 of 16: differences of both signs count');
  t.equal(severityOf(day([10, 10, 10, 10])), 0);
});

t.test('severity: edges', async t => {
  const tight = { ...model, topTolerance: model.activity, bottomTolerance: model.activity };
  t.equal(severityOf(day([10, 10, 10, 11]), tight), 1, 'bounds without width');
  t.equal(severityOf(day([10, 10, 10, 10]), tight), 0);
  t.equal(severityOf(day([1e308, 1e308, 1e308, 1e308]), model), 1, 'a sum beyond the range of numbers');
  const limits = { unit: 10, offset: 0.5, window: 1, day: 1, windowHours: 8 } as Limits;
  const wide = { ...model, limits, topTolerance: [1e300, 1e300, 1e300, 1e300] };
  t.equal(severityOf(day([20, 20, 20, 20]), wide), 0.3333, 'a bound counts up to twice the mean magnitude');
});

t.test(
  'severity: a flatline counts as on its bound at least, a date in progress what it lost so far',
  async t => {
    const run = { from: 0, to: 2, direction: 'under', excess: 0 } as const;
    const frozen = found('frozen', [run]);
    t.equal(severityOf(day([10, 10, 10, 10]), model, frozen), 0.3333, '4 of 12');
    t.equal(severityOf(day([2, 2, 10, 10]), model, frozen), 0.6667, '16 of 24');
    t.equal(severityOf(day([5, 5, 7, 8]), null, frozen), 0.3333, 'without models slices are equal');
    const whole = day([2, 2, 2, 2]);
    t.equal(severityOf(elapsedPart(whole, 1)), 0.5, '8 of 16');
    t.equal(severityOf(elapsedPart(whole, 2)), 0.6667, '16 of 24');
  },
);

const comparison = (rules = presentRules): Comparison => ({
  ...{ models: [model], checks: null, completeness: 1, rules, referenceGaps: () => 1 },
  plan: planOf,
});

t.test('severity: slices without data count as on their bound', async t => {
  const gapSeverity = (one: Day, finding = found('gap')) =>
    withGapSeverity({ outcome: 'gap', finding }, one, comparison()).finding?.severity;
  t.equal(gapSeverity(day([0, 0, 0, 0], { gaps: [[0, 4]] })), 0.5);
  t.equal(gapSeverity(day([10, 10, 0, 0], { gaps: [[2, 4]] })), 0.3333, '4 of 12');
  t.equal(
    gapSeverity(day([10, 0, 0, 0], { gaps: [[1, 4]], skipped: [[1, 2]] })),
    0.3333,
    'skipped by the clock',
  );
  t.equal(gapSeverity(day([2, 2, 0, 0], { gaps: [[2, 4]] }), { ...found('gap'), severity: 0.5 }), 0.6);
  t.equal(gapSeverity(day([0, 0, 0, 0], { gaps: [[0, 4]] }), { ...found('gap'), plannedModelId: null }), 0.5);
});

t.test('severity: a gap is compared with what was expected on its date, from engine 15 on', async t => {
  const wider = (one: Model): Model => ({ ...one, bottomTolerance: one.bottomTolerance.map(() => 2) });
  const changed = () => ({ moved: wider, applied: [] });
  const partly = { ...found('gap'), severity: 0.2 };
  const lost = (given: Comparison) =>
    withGapSeverity({ outcome: 'gap', finding: partly }, day([20, 20, 0, 0], { gaps: [[2, 4]] }), given)
      .finding?.severity;
  t.equal(lost(comparison()), 0.3684, '4 missing and 3 lost of 12');
  t.equal(lost({ ...comparison(), changed }), 0.4783, '16 missing and 6 lost of 24');
  t.equal(lost({ ...comparison(rulesToUse('daybook-calendar/14')), changed }), 0.3684);
});

t.test('severity: each finding of a check has it, with engine 9', async t => {
  const check = (one: Day, engine?: string) =>
    checkDay(one, comparison(engine === undefined ? presentRules : rulesToUse(engine)), () => []).finding;
  const closed = day([2, 2, 2, 2]);
  t.equal(check(closed)?.severity, 0.8);
  t.equal(check(day([10, 0, 0, 0], { gaps: [[1, 4]] }))?.severity, 0.4286, '6 of 14');
  t.notOk('severity' in (check(closed, 'daybook-calendar/8') ?? {}), 'findings of engine 8 are as before');
  t.equal(check(day([10, 10, 10, 10])), null);
});

t.test('severity: a value that moves further from its profile never loses less', async () => {
  const value = fc.integer({ min: -100, max: 100 }).map(move => move || 1);
  fc.assert(
    fc.property(fc.array(value, { minLength: 4, maxLength: 4 }), fc.nat(3), fc.nat(50), (moves, at, more) => {
      const severity = (extra: number): number =>
        severityOf(
          day(moves.map((move, slice) => 10 + (slice === at ? move + Math.sign(move) * extra : move))),
        ) ?? -1;
      const [near, far] = [severity(0), severity(more)];
      return near >= 0 && near <= far && far <= 1;
    }),
  );
});
