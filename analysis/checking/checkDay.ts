import type { Adaptation } from '../../domain/alerts/adaptation.js';
import type { ExplainedFacts } from '../../domain/source/covariates.js';
import { completeness, usable, type Day } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import { plannedAs } from '../findings/findingFacts.js';
import { adaptedBy } from './adaptiveFactor.js';
import { checkBounds } from './checkBounds.js';
import { checkLimits } from './checkLimits.js';
import { checkWithoutValues } from '../covariates/missingCovariates.js';
import { completenessShareMin, type Checked, type Comparison, type DayBefore } from './comparison.js';

const notCompared: Checked = { outcome: 'notCompared', finding: null };

/**
 * Compares a day with its planned model. The outcome is `notCompared` when the source has no models or none is planned,
 * and `gap` when the day has less than half of the reference's completeness. Models that people supplied are compared
 * by their bounds (checkBounds.ts), automatic models by their limits (checkLimits.ts).
 * @param day    finite values in the unit of the source
 * @param before reads the recent days of the 28 days before, by date; called only when they can change the result
 * @param adaptation state of the adaptive factor before the day; null when the limits do not adapt
 * @throws RangeError when the planned model is not in the comparison, or when lengths differ
 */
export const checkDay = (
  day: Day,
  comparison: Comparison,
  before: () => readonly DayBefore[],
  adaptation: Adaptation | null = null,
): Checked => {
  const checked = compare(day, comparison, before, adaptation);
  if (adaptation === null) return checked;
  const { outcome, finding } = checked;
  const isCompared = outcome === 'normal' || outcome === 'drift' || finding?.kind === 'activity';
  return {
    ...checked,
    adaptation: isCompared ? adaptedBy(adaptation, day.date, finding?.kind === 'activity') : adaptation,
  };
};

const compare = (
  day: Day,
  comparison: Comparison,
  before: () => readonly DayBefore[],
  adaptation: Adaptation | null,
): Checked => {
  const { models, checks } = comparison;
  if (models.length === 0) return notCompared;
  const plan = comparison.plan(day.date);
  const complete = completeness(day);
  if (complete < completenessShareMin * comparison.completeness)
    return gap(plan, { day: complete, usual: comparison.completeness });
  if (plan.modelId === null) return notCompared;
  const planned = modelOf(models, plan.modelId, day);
  const explained = planned.limits && comparison.explained?.(day.date);
  const model = explained?.moved(planned) ?? planned;
  const flags = usable(day);
  if (!flags.includes(true)) return notCompared;
  if (!checks || !model.limits) return checkBounds(day, { plan, model, models }, flags);
  const check = {
    day,
    plan,
    model,
    limits: model.limits,
    checks,
    comparison,
    before,
    adaptation,
    models: explained ? models.map(explained.moved) : models,
  };
  if (!explained) return checkLimits(check);
  const range = comparison.rules.doubtsMissingCovariates ? explained.missingRange(planned) : null;
  const checked = range ? checkWithoutValues(check, range) : checkLimits(check);
  return withExplanation(checked, explained.facts(planned));
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

const gap = (plan: DayPlan, completeness: { readonly day: number; readonly usual: number }): Checked => ({
  outcome: 'gap',
  finding: {
    kind: 'gap',
    direction: null,
    criticity: 1 - completeness.day / completeness.usual,
    slices: [],
    plannedModelId: plan.modelId,
    closestModelId: null,
    betterModelId: null,
    looksLikeAnomaly: false,
    facts: { plannedAs: plannedAs(plan), deviation: null, limits: [], widening: 1, completeness },
  },
});
