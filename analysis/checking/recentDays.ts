import { dayNumber } from '../../domain/dates.js';
import { completeness, type Day } from '../../domain/day.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import { completenessShareMin, type Comparison, type DayBefore } from './comparison.js';
import { baselineDays, recentBaseline } from './recentBaseline.js';
import { normalisedBy, residualsOf, scaledModelOf, type ScaledModel } from './residuals.js';

/** A recent day before the checked day, compared with the model planned for it. */
export type ComparedRecentDay = {
  readonly daysAgo: number;
  /** Both days are working days, or both are free days. */
  readonly sameKind: boolean;
  readonly residuals: Float64Array;
  readonly model: ScaledModel;
};

/** Compares the days before a day with their planned models. Incomplete days and days without limits are omitted. */
export const recentDays = (
  { date }: Pick<Day, 'date'>,
  { working }: DayPlan,
  {
    models,
    plan: planOf,
    completeness: referenceCompleteness,
    explained,
  }: Pick<Comparison, 'models' | 'plan' | 'completeness' | 'explained'>,
  before: readonly DayBefore[],
): ComparedRecentDay[] => {
  const number = dayNumber(date);
  return before.flatMap(({ day }) => {
    const plan = planOf(day.date);
    const found = models.find(({ id }) => id === plan.modelId);
    const model = found && (explained?.(day.date).moved(found) ?? found);
    if (!model?.limits || completeness(day) < completenessShareMin * referenceCompleteness) return [];
    return {
      daysAgo: number - dayNumber(day.date),
      sameKind: plan.working === working,
      residuals: residualsOf(day, model, model.limits),
      model: scaledModelOf(model, model.limits),
    };
  });
};

/** Recent baseline of the last fortnight; null when there are too few days. */
export const baselineOf = (recent: readonly ComparedRecentDay[]): Float64Array | null =>
  recentBaseline(
    recent
      .filter(({ daysAgo }) => daysAgo <= baselineDays)
      .map(({ daysAgo, sameKind, residuals, model }) => ({
        daysAgo,
        sameKind,
        normalised: normalisedBy(residuals, model),
      })),
  );
