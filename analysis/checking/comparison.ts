import type { Adaptation } from '../../domain/alerts/checks.js';
import type { Finding, Outcome } from '../../domain/alerts/findings.js';
import type { Day } from '../../domain/day.js';
import type { CheckFacts, Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import type { MinChange } from '../../domain/source/minChange.js';
import type { ChangedDate } from '../changes/changedModel.js';
import type { ExplainedDate } from '../covariates/effectOn.js';
import type { EngineRules } from '../engine.js';
import { toleranceMin } from '../learning/tolerances.js';
import { oncePer } from '../math/oncePer.js';
import { fromScale, toScale } from '../math/portableMath.js';
import type { ReferenceShapes } from './shape.js';
import type { ReferenceGaps } from './stretches.js';

/** Everything of a source that its days are compared with. */
export type Comparison = {
  /** All models of the source, with profiles as long as a day. */
  readonly models: readonly Model[];
  /** Measurements that come with automatic models; null for models that people supplied. */
  readonly checks: CheckFacts | null;
  /** Median completeness of the reference days, 0–1. */
  readonly completeness: number;
  /** Longest stretches without data of the reference. */
  readonly referenceGaps: ReferenceGaps;
  /** Reference days that shapes are compared with, read when they are needed; absent without such days. */
  readonly referenceShapes?: () => ReferenceShapes | null;
  readonly plan: (date: string) => DayPlan;
  /** How covariates move the models of a date; absent without covariates. */
  readonly explained?: (date: string) => ExplainedDate;
  /** How accepted changes move the models of a date, after covariates; absent for none. */
  readonly changed?: (date: string) => ChangedDate;
  /** The floor of the source; absent for none. */
  readonly floor?: MinChange | null;
  /** Whether the source collects its reference: without models only frozen values are found. Absent for no. */
  readonly collects?: boolean;
  /** Rules of the engine version that checks. */
  readonly rules: EngineRules;
};

/** A recent day before the checked day. `drifting`, `abnormal`: its own check had the outcome `drift` or `abnormal`. */
export type DayBefore = { readonly day: Day; readonly drifting: boolean; readonly abnormal?: boolean };

/**
 * Result of a check. There is no finding for the outcomes `normal` and `notCompared`. `adaptation` is the state of the
 * adaptive factor after the day; absent when the limits do not adapt.
 */
export type Checked = {
  readonly outcome: Outcome;
  readonly finding: Finding | null;
  readonly adaptation?: Adaptation;
  /** Whether there was a finding below the floor of the source; absent otherwise. */
  readonly belowFloor?: true;
};

/** Result for a day that is not compared. */
export const notCompared: Checked = { outcome: 'notCompared', finding: null };

/** A day with less than this share of the reference's completeness is not compared. */
export const completenessShareMin = 0.5;

/**
 * Whether no reference day is similar to a date, planned automatically to a learned model: a Saturday of a reference
 * that has working days alone. For a date without data, or with zeros alone, other weekdays or places in a cycle are
 * not similar either.
 */
export const isUnlikeReference = (
  { origin, share, modelId, similar }: DayPlan,
  { models, rules }: Pick<Comparison, 'models' | 'rules'>,
  { activity }: Day,
  hasData = true,
): boolean => {
  const isLearned = models.some(({ id, limits }) => id === modelId && limits);
  if (!rules.needsLikeDays || origin !== 'automatic' || !isLearned) return false;
  if (!rules.needsLikeDaysFirst) return share === null && !models.some(({ anomaly }) => anomaly);
  const isIdle = rules.leavesIdleDays && activity.every(value => value === 0);
  return similar === 'none' || (similar === 'others' && (!hasData || isIdle));
};

/** A model as expected on a date: moved by covariates, then by accepted changes; the same object without them. */
export const expectedOn = (
  { explained, changed }: Pick<Comparison, 'explained' | 'changed'>,
  date: string,
  model: Model,
): Model => {
  const moved = explained?.(date).moved(model) ?? model;
  return changed?.(date).moved(moved) ?? moved;
};

/** A model whose bounds on its profile are moved away by the smallest tolerance; the same object without such ones. */
export const heldApart = (model: Model): Model => {
  const { activity, limits } = model;
  if (!limits) return model;
  const held = (bounds: readonly number[], sign: 1 | -1): readonly number[] => {
    if (!bounds.some((bound, slice) => bound === activity[slice])) return bounds;
    return bounds.map((bound, slice) =>
      bound === activity[slice]
        ? fromScale(limits, toScale(limits, bound) + sign * toleranceMin(limits))
        : bound,
    );
  };
  const [topTolerance, bottomTolerance] = [held(model.topTolerance, 1), held(model.bottomTolerance, -1)];
  return topTolerance === model.topTolerance && bottomTolerance === model.bottomTolerance
    ? model
    : { ...model, topTolerance, bottomTolerance };
};

/**
 * A comparison without bounds on a profile, as a person may set them for hours that are closed: a value over a distance
 * of 0 has no finite residual.
 */
export const withHeldBounds = oncePer((comparison: Comparison): Comparison => {
  if (!comparison.rules.holdsBoundsApart) return comparison;
  const models = comparison.models.map(heldApart);
  return models.every((model, place) => model === comparison.models[place])
    ? comparison
    : { ...comparison, models };
});
