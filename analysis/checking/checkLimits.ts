import {
  residualLimits,
  type BrokenRun,
  type Finding,
  type FindingFacts,
} from '../../domain/alerts/findings.js';
import type { Day } from '../../domain/day.js';
import type { AcceptedChange } from '../../domain/source/acceptedChanges.js';
import type { CheckFacts, Limits, Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import {
  brokenRuns,
  directionOf,
  flatlineFacts,
  limitFindingFacts,
  plannedAs,
} from '../findings/findingFacts.js';
import { notAdapted, type Adaptation } from '../../domain/alerts/checks.js';
import { adaptiveFactor } from './adaptiveFactor.js';
import type { Checked, Comparison, DayBefore } from './comparison.js';
import { dayScores, isDrift } from './dayScores.js';
import { activityFacts, hasNoDirection, shapeOf } from './shapeCheck.js';
import { unusualFlatline, type FlatlineRule } from './stretches.js';
import { isStraight } from '../covariates/effectOn.js';
import { recentDays, type ComparedRecentDay } from './recentLevel.js';
import { largestUse } from './scores.js';
import { similarModels } from './assignDays.js';
import { presentRules, type EngineRules } from '../engine.js';
import { exp, ln } from '../math/portableMath.js';

/** Share of the scores that is the upper tail, and the range of the tail index. */
const tailShare = 0.1;
const tailIndex = { min: 2, max: 8 } as const;

/**
 * Conformal p-value of a joint score: the share of the n reference scores and the score itself that are at least as
 * high (Vovk, Gammerman and Shafer 2005). Above the highest reference score, where that share is always 1/(n + 1), the
 * p-value decreases like a Pareto tail. Its index is estimated from the highest tenth (Hill 1975), clamped to 2–8.
 * @param score  > 0
 * @param scores joint scores of ordinary reference days, ascending
 * @param weight of a reference score, in days
 */
export const pValue = (
  score: number,
  scores: readonly number[],
  weight = 1,
  { leavesBaseOut }: Pick<EngineRules, 'leavesBaseOut'> = presentRules,
): number => {
  const highest = scores.at(-1) ?? 0;
  const count = scores.length;
  if (score <= highest) return (weight * scores.filter(other => other >= score).length + 1) / (count + 1);
  if (highest <= 0) return 1 / (count + 1);
  const tail = scores.slice(-Math.max(2, Math.ceil(count * tailShare)));
  const base = tail[0] ?? highest;
  const excess = tail.reduce((sum, other) => sum + ln(Math.max(other, 1e-9) / Math.max(base, 1e-9)), 0);
  const mean = excess / (tail.length - (leavesBaseOut ? 1 : 0));
  const index = Math.min(tailIndex.max, Math.max(tailIndex.min, mean > 0 ? 1 / mean : tailIndex.max));
  return exp(index * ln(highest / score)) / (count + 1);
};

/**
 * Weight of a held-out score: days are harder to predict while they are held out, and limits adapt, so new days have
 * high scores less often: 0.6 times as many days that are exchangeable do (docs/quality.md).
 */
const heldOutWeight = 0.6;

/** P-value of the joint score of a day, by the rules of an engine. */
export const dayPValue = (
  score: number,
  scores: readonly number[],
  rules: Pick<EngineRules, 'correctsPValues' | 'leavesBaseOut'>,
): number => pValue(score, scores, rules.correctsPValues ? heldOutWeight : 1, rules);

/** Criticity of a p-value: 1 − p^¼, 0–1. A p-value of 0.01 gives 0.68, one of 0.0001 gives 0.9. */
export const criticityOf = (p: number): number => 1 - Math.sqrt(Math.sqrt(p));

/** P-value of a criticity. */
export const pValueOf = (criticity: number): number => {
  const root = 1 - criticity;
  return root * root * root * root;
};

/** Limits are wider by up to this share in seasons that the reference does not contain. */
const unseenWidening = 0.25;

/** Factor on all limits of a date, ≥ 1. */
export const wideningOf = ({ unseen }: Pick<DayPlan, 'unseen'>, adaptation: Adaptation | null): number =>
  (1 + unseenWidening * unseen) * adaptiveFactor(adaptation ?? notAdapted);

/** A day with its planned automatic model and everything that the check may need. */
export type LimitCheck = {
  readonly day: Day;
  readonly plan: DayPlan;
  readonly model: Model;
  readonly limits: Limits;
  readonly checks: CheckFacts;
  readonly comparison: Comparison;
  /** All models as they are expected on the date. */
  readonly models: readonly Model[];
  readonly before: () => readonly DayBefore[];
  readonly adaptation: Adaptation | null;
  /** Accepted changes that move the planned model. */
  readonly accepted: readonly AcceptedChange[];
  /** Number of elapsed slices of a date in progress, whose later slices are gaps; undefined for a whole day. */
  readonly elapsed: number | undefined;
};

/** Direction of a flatline from what was expected; earlier engines had always `under`. */
const flatlineDirection = (
  { deviation }: Pick<FindingFacts, 'deviation'>,
  { findsFlatlinesAboveMinimum }: FlatlineRule,
): 'over' | 'under' =>
  findsFlatlinesAboveMinimum && deviation && deviation.actual > deviation.expected ? 'over' : 'under';

/** Whether a day has a flatline that its reference does not explain. */
export const isFrozen = ({ day, checks, comparison }: LimitCheck): boolean =>
  unusualFlatline(day, checks, comparison.rules) !== null;

/**
 * Compares a day with an automatic model. A flatline is reported as `frozen`. A day that breaks a limit is `abnormal`,
 * with the criticity of its p-value. It is `drift` instead when it breaks no limit after the level shift of the 28 days
 * before is subtracted; only the first such day in 28 days has a finding. A level shift never raises an alert, and it
 * does not excuse a broken limit on the change from the recent baseline. A drifting day is not judged by its shape. On
 * a date in progress only what the whole day will break as well counts: limits on slices and on windows that have
 * elapsed, where no level shift explains them.
 */
export const checkLimits = (check: LimitCheck): Checked => {
  const { day, plan, model, limits, checks, comparison, before, elapsed } = check;
  const widening = wideningOf(plan, check.adaptation);
  let known: readonly ComparedRecentDay[] | undefined;
  const recent = () => (known ??= recentDays(day, plan, comparison, before()));
  const compared = dayScores(day, { model, limits }, { widening, elapsed }, recent);
  const findingOf = (
    { kind, criticity }: Pick<Finding, 'kind' | 'criticity'>,
    slices: readonly BrokenRun[],
    facts: Omit<FindingFacts, 'plannedAs'>,
  ): Finding => ({
    ...similarModels(day, check.models, model, widening),
    kind,
    direction: kind === 'frozen' || hasNoDirection(facts) ? null : directionOf(slices),
    criticity,
    slices,
    plannedModelId: model.id,
    limits: [
      ...residualLimits.filter(limit => compared.use[limit] > 1),
      ...(facts.shape ? (['shape'] as const) : []),
    ],
    facts: {
      plannedAs: plannedAs(plan, comparison.rules),
      ...(comparison.rules.comparesWithoutFactors && isStraight(limits) && { straight: true }),
      ...facts,
    },
  });

  const residual = largestUse(compared.use);
  const criticityAt = (use: number): number => criticityOf(dayPValue(use, checks.scores, comparison.rules));
  const flatline = unusualFlatline(day, checks, comparison.rules);
  if (flatline) {
    const { from, length } = flatline;
    const stretch = { from, to: from + length };
    const byLimits = comparison.rules.comparesConstants && residual > 1 ? criticityAt(residual) : 0;
    const criticity = Math.max(1 - checks.longestRun / length, byLimits);
    const facts = flatlineFacts(day, model, stretch, checks.longestRun);
    const slices = [{ ...stretch, direction: flatlineDirection(facts, comparison.rules), excess: 0 }];
    return { outcome: 'abnormal', finding: findingOf({ kind: 'frozen', criticity }, slices, facts) };
  }
  const comparedDay = { day, model, limits, scores: compared, rules: comparison.rules };
  const { windowHours } = limits;
  if (residual > 1 && isDrift(compared, recent(), plan, { ...comparison.rules, windowHours, elapsed })) {
    if (elapsed !== undefined) return { outcome: 'normal', finding: null };
    if (before().some(({ drifting }) => drifting)) return { outcome: 'drift', finding: null };
    const runs = brokenRuns(day, model, limits, compared);
    const facts = limitFindingFacts(comparedDay, runs);
    const criticity = criticityAt(residual);
    return { outcome: 'drift', finding: findingOf({ kind: 'drift', criticity }, runs, facts) };
  }
  const shape = shapeOf(check, widening * adaptiveFactor(check.adaptation?.shape ?? notAdapted));
  const shapeUse = shape ? shape.score / shape.allowed : 0;
  const joint = Math.max(residual, shapeUse);
  if (joint <= 1) return { outcome: 'normal', finding: null };
  const criticity = criticityAt(joint);
  const comparedShape =
    shape && shapeUse > 1
      ? { day, model, residuals: compared.residuals, checks, rules: comparison.rules, ...shape }
      : null;
  const { runs, facts } = activityFacts(comparedDay, comparedShape);
  const finding = findingOf({ kind: 'activity', criticity }, runs, facts);
  // No model has differences that no day has; its hours may be those of another kind of day.
  const isLikeNoModel = comparedShape && !shape?.ofHours;
  return { outcome: 'abnormal', finding: isLikeNoModel ? { ...finding, betterModelId: null } : finding };
};
