import type { Adaptation } from '../../domain/alerts/checks.js';
import type { Finding, FindingFacts, BrokenRun } from '../../domain/alerts/findings.js';
import type { ExplainedFacts } from '../../domain/source/covariates.js';
import { completeness, isIn, observed, slicesOf, usable, type Day, runsWhere } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import { plannedAs, boundsFindingFacts, directionOf } from '../findings/findingFacts.js';
import type { AcceptedChange } from '../../domain/source/acceptedChanges.js';
import { changedModel } from '../changes/changedModel.js';
import { elapsedPart, type InProgress } from '../../domain/points.js';
import { adaptedAfter } from './adaptiveFactor.js';
import { checkLimits, isFrozen, type LimitCheck } from './checkLimits.js';
import { checkCollectedDay } from './collectedDays.js';
import { withFloor } from './floor.js';
import { unusualGap } from './stretches.js';
import {
  completenessShareMin,
  expectedOn,
  isUnlikeReference,
  notCompared,
  type Checked,
  type Comparison,
  type DayBefore,
  withHeldBounds,
} from './comparison.js';
import { isWithinBounds, similarModels } from './assignDays.js';
import { effectShape, levelOf, movedModel } from '../covariates/effectOn.js';
import type { EngineRules } from '../engine.js';
import { residualsOf, scaledModelOf } from './scores.js';
import { withGapSeverity, withSeverity } from './severity.js';

/**
 * Compares a day whose covariates lack a value. Limits are made for days whose effect is known, so a finding counts
 * only when it is still there with the effect that fits the day best, among those that the missing covariates may have.
 * It has the lesser criticity of both; its other numbers are those without the effect.
 * @param range least and largest effect of the missing covariates on the log scale
 */
const checkWithoutValues = (
  check: LimitCheck,
  [least, largest]: readonly [least: number, largest: number],
): Checked => {
  const checked = checkLimits(check);
  const { finding } = checked;
  if (checked.outcome === 'normal' || finding?.kind === 'frozen') return checked;
  const { day, model, limits } = check;
  const shape = effectShape(limits, scaledModelOf(model, limits).profile);
  const level = levelOf(shape, residualsOf(day, model, limits));
  const fitting = checkLimits({
    ...check,
    model: movedModel(model, Math.min(largest, Math.max(least, level))),
  });
  if (fitting.outcome === 'normal') return fitting;
  // A repeated drift day has no finding.
  if (!finding) return checked;
  const criticity = Math.min(finding.criticity, fitting.finding?.criticity ?? finding.criticity);
  return { ...checked, finding: { ...finding, criticity } };
};

/** A check without the shape, which a missing value may have changed. */
const withoutShape = (check: LimitCheck): LimitCheck => {
  const { shape: _, ...limits } = check.limits;
  return { ...check, limits };
};

/** The plan of a day, its model, and all models of the source. */
type PlannedModel = {
  readonly plan: DayPlan;
  readonly model: Model;
  readonly models: readonly Model[];
  readonly rules: EngineRules;
};

/**
 * Compares a day with a model that people supplied. One usable slice outside the bounds makes the day `abnormal`.
 * Its criticity is 1 − 1/z, where z is the largest distance from the profile in multiples of the distance to the bound.
 * @param flags which slices are usable
 */
const checkBounds = (
  day: Day,
  { plan, model: planned, models, rules }: PlannedModel,
  flags: readonly boolean[],
): Checked => {
  if (isWithinBounds(day, planned, flags)) return { outcome: 'normal', finding: null };
  const slices = [
    ...outsideRuns(day, planned, flags, 'over'),
    ...outsideRuns(day, planned, flags, 'under'),
  ].sort((a, b) => a.from - b.from);
  return {
    outcome: 'abnormal',
    finding: {
      ...similarModels(day, models, planned, 1),
      kind: 'activity',
      direction: directionOf(slices),
      criticity: boundsCriticity(day, planned, slices),
      slices,
      plannedModelId: planned.id,
      facts: { plannedAs: plannedAs(plan, rules), ...boundsFindingFacts(day, planned, slices) },
    },
  };
};

/** Distance of a value beyond a bound in one direction, in the unit of the source; > 0 outside the bound. */
const excessOf = (day: Day, model: Model, slice: number, direction: 'over' | 'under'): number => {
  const value = day.activity[slice]!;
  return direction === 'over' ? value - model.topTolerance[slice]! : model.bottomTolerance[slice]! - value;
};

const outsideRuns = (
  day: Day,
  model: Model,
  flags: readonly boolean[],
  direction: 'over' | 'under',
): BrokenRun[] =>
  runsWhere(
    day.activity.length,
    slice => flags[slice] === true && excessOf(day, model, slice, direction) > 0,
  ).map(([from, to]) => {
    let excess = 0;
    for (let slice = from; slice < to; slice += 1)
      excess = Math.max(excess, excessOf(day, model, slice, direction));
    return { from, to, direction, excess };
  });

/** 1 − 1/z. It computes 1/z directly, so that a bound on the profile (z infinite) needs no special case. */
const boundsCriticity = (day: Day, model: Model, slices: readonly BrokenRun[]): number => {
  let least = 1;
  for (const { from, to, direction } of slices) {
    const bounds = direction === 'over' ? model.topTolerance : model.bottomTolerance;
    for (let slice = from; slice < to; slice += 1) {
      const expected = model.activity[slice]!;
      const toBound = Math.abs(bounds[slice]! - expected);
      least = Math.min(least, toBound / Math.abs(day.activity[slice]! - expected));
    }
  }
  return 1 - least;
};

/**
 * Compares a day with its planned model, by its limits, or by its bounds if people supplied it. The outcome is
 * `notCompared` without models (see collectedDays.ts), a planned one or slices; `gap` with less than half of the usual
 * completeness, or with an unusual stretch without data (stretches.ts), whose facts have a finding of the rest. A
 * finding below the floor (floor.ts) is none. A date in progress has no gap, nor another adaptive factor.
 * @param day    finite values in the unit of the source
 * @param before reads the recent days of the 28 days before, by date; called only when they can change the result
 * @param adaptation state of the adaptive factor before the day; null when the limits do not adapt
 * @throws RangeError when the planned model is not in the comparison, or when lengths differ
 */
export const checkDay = (
  day: Day & { readonly inProgress?: InProgress },
  given: Comparison,
  before: () => readonly DayBefore[],
  adaptation: Adaptation | null = null,
): Checked => {
  const comparison = withHeldBounds(given);
  if (day.inProgress) return checkElapsed(day, day.inProgress.elapsed, { comparison, before, adaptation });
  const checked = compare(day, comparison, before, adaptation);
  if (adaptation === null) return checked;
  const { outcome, finding } = checked;
  const isCompared =
    (outcome === 'normal' || outcome === 'drift' || finding?.kind === 'activity') &&
    (!comparison.rules.adaptsToOwnAlerts || hasLimits(comparison, day.date));
  return {
    ...checked,
    adaptation: isCompared ? adaptedAfter(adaptation, day.date, finding) : adaptation,
  };
};

/** Whether the model planned for a date is an automatic one; those of people have bounds only. */
const hasLimits = ({ models, plan }: Comparison, date: string): boolean => {
  const { modelId } = plan(date);
  return models.some(({ id, limits }) => id === modelId && limits);
};

const compare = (
  day: Day,
  comparison: Comparison,
  before: () => readonly DayBefore[],
  adaptation: Adaptation | null,
): Checked => {
  const { models, rules, referenceGaps } = comparison;
  if (slicesOf(day) === 0) return notCompared;
  if (models.length === 0) return compareCollected(day, comparison, before);
  const plan = comparison.plan(day.date);
  const complete = completeness(day);
  if (rules.needsLikeDaysFirst && isUnlikeReference(plan, comparison, day, complete > 0)) return notCompared;
  const half = completenessShareMin * comparison.completeness;
  const gap = rules.gapStretches ? unusualGap(day, () => referenceGaps(plan.modelId)) : null;
  const shares = { day: complete, usual: comparison.completeness };
  const gapOf = (stretch: typeof gap, rest: Finding | null): Checked =>
    withGapSeverity(gapFound({ plan, rules }, shares, stretch, rest), day, comparison);
  if (complete < half) return gapOf(gap, null);
  const checked = compareObserved(day, plan, { comparison, before, adaptation });
  if (gap) return gapOf(gap, checked.finding);
  const isHalf = rules.gapStretches && complete > 0 && complete === half;
  return isHalf && !checked.finding ? gapOf(null, null) : checked;
};

/** Compares a day of a source without models with its days so far, if the source collects them. */
const compareCollected = (day: Day, comparison: Comparison, before: () => readonly DayBefore[]): Checked =>
  comparison.collects === true
    ? withSeverity(checkCollectedDay(day, comparison, before), day, null, comparison.rules)
    : notCompared;

/** End of the last elapsed slice of a day with data, or filled with 0; slices that the clock skips need no data. */
const dataEndOf = (day: Day, elapsed: number, { endsWithFilled }: EngineRules): number => {
  const isKnown = endsWithFilled ? usable(day) : observed(day);
  let end = elapsed;
  while (end > 0 && !isKnown[end - 1] && !isIn(day.skipped ?? [], end - 1)) end -= 1;
  return end;
};

/** Compares the slices of a date in progress that have elapsed: a finding is one that the whole day will have too. */
const checkElapsed = (day: Day, elapsed: number, around: Around): Checked => {
  const { comparison } = around;
  if (elapsed === 0) return notCompared;
  const part = elapsedPart(day, elapsed);
  const checked =
    comparison.models.length === 0
      ? compareCollected(part, comparison, around.before)
      : compareObserved(part, comparison.plan(day.date), { ...around, elapsed });
  const { finding } = checked;
  if (!finding?.facts) return checked;
  const dataEnd = comparison.rules.namesDataEnd ? dataEndOf(day, elapsed, comparison.rules) : elapsed;
  const ongoing = finding.slices.some(({ to }) => to >= dataEnd);
  const soFar = { elapsed, ongoing, ...(dataEnd < elapsed && { dataEnd }) };
  const facts = { ...finding.facts, soFar };
  return { ...checked, finding: { ...finding, facts } };
};

type Around = {
  readonly comparison: Comparison;
  readonly before: () => readonly DayBefore[];
  readonly adaptation: Adaptation | null;
  /** Number of elapsed slices of a date in progress, whose later slices are gaps; absent for a whole day. */
  readonly elapsed?: number;
};

/** Compares the observed slices of a day with its planned model. */
const compareObserved = (
  day: Day,
  plan: DayPlan,
  { comparison, before, adaptation, elapsed }: Around,
): Checked => {
  const { models, checks, rules } = comparison;
  if (plan.modelId === null) return notCompared;
  const planned = modelOf(models, plan.modelId, day);
  if (isUnlikeReference(plan, comparison, day)) return notCompared;
  const explained = planned.limits && comparison.explained?.(day.date);
  const changed = comparison.changed?.(day.date);
  const expected = (one: Model): Model => expectedOn(comparison, day.date, one);
  const model = expected(planned);
  const flags = usable(day);
  if (!flags.includes(true)) return notCompared;
  const finished = (checked: Checked): Checked =>
    withSeverity(withFloor(checked, day, model, comparison.floor ?? null), day, model, comparison.rules);
  if (!checks || !model.limits) return finished(checkBounds(day, { plan, model, models, rules }, flags));
  const accepted = changed?.applied.filter(one => changedModel(planned, one) !== planned) ?? [];
  const check = {
    day,
    accepted,
    plan,
    model,
    limits: model.limits,
    checks,
    comparison,
    before,
    adaptation,
    elapsed,
    models: explained || changed ? models.map(expected) : models,
  };
  if (!explained) return withAccepted(finished(checkLimits(check)), accepted);
  const range = comparison.rules.doubtsMissingCovariates ? explained.missingRange(planned) : null;
  // The effect that fits the elapsed slices best may not be that of the day.
  const waits = range !== null && elapsed !== undefined;
  if (waits && !(comparison.rules.findsFlatlinesAboveMinimum && isFrozen(check)))
    return { outcome: 'normal', finding: null };
  const result = range ? checkWithoutValues(withoutShape(check), range) : checkLimits(check);
  return withAccepted(withExplanation(finished(result), explained.facts(planned)), accepted);
};

/** A result with the accepted changes that moved what was expected, without their profiles. */
const withAccepted = (checked: Checked, changes: readonly AcceptedChange[]): Checked => {
  const { finding } = checked;
  if (!finding?.facts || changes.length === 0) return checked;
  const accepted = changes.map(({ values, modelId, modelIds, incidentId, ...change }) => change);
  return { ...checked, finding: { ...finding, facts: { ...finding.facts, accepted } } };
};

const withExplanation = (checked: Checked, explainedBy: ExplainedFacts): Checked => {
  const { finding } = checked;
  return finding?.facts
    ? { ...checked, finding: { ...finding, facts: { ...finding.facts, explainedBy } } }
    : checked;
};

const modelOf = (models: readonly Model[], id: number, day: Day): Model => {
  const found = models.find(model => model.id === id);
  if (!found)
    throw new RangeError(
      `got planned model ${id}, expected one of ${models.map(model => model.id).join(', ')}`,
    );
  if (found.activity.length !== day.activity.length)
    throw new RangeError(
      `got ${day.activity.length} values on ${day.date}, expected ${found.activity.length} as the model has`,
    );
  return found;
};

/** A gap. @param rest finding of the observed slices, whose facts the gap has too; null for none */
const gapFound = (
  { plan, rules }: { readonly plan: DayPlan } & Pick<Comparison, 'rules'>,
  completeness: { readonly day: number; readonly usual: number },
  gap: FindingFacts['gap'] | null,
  rest: Finding | null,
): Checked => ({
  outcome: 'gap',
  finding: {
    closestModelId: null,
    betterModelId: null,
    looksLikeAnomaly: false,
    ...rest,
    kind: 'gap',
    direction: null,
    criticity: Math.max(0, 1 - completeness.day / completeness.usual, rest?.criticity ?? 0),
    slices: gap ? [{ from: gap.from, to: gap.to, direction: 'under', excess: 0 }] : [],
    plannedModelId: plan.modelId,
    facts: {
      ...(rest?.facts ?? {
        plannedAs: plannedAs(plan, rules),
        deviation: null,
        limits: [],
        widening: 1,
      }),
      completeness,
      ...(gap && { gap }),
    },
  },
});
