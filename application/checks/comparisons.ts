import { LRUCache } from 'lru-cache';
import type { Comparison } from '../../analysis/checking/comparison.js';
import { referenceGaps, type ReferenceGaps } from '../../analysis/checking/stretches.js';
import type { EngineRules } from '../../analysis/engine.js';
import type { Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import type { CovariateReading } from '../../domain/source/covariates.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import { explainedComparison, readingOn, type ExplainedComparison } from '../covariates/readings.js';
import type { CheckedModels } from './checkedModels.js';
import type { CheckPart } from './checkPart.js';

/** Maximum sources whose models are cached. */
const cachedMax = 100;

/** Makes the comparisons of checks; keeps the models of the sources that were checked last. */
export const comparisonMaker = (models: CheckedModels) => {
  /** Models by their key. Checks cache values per model object (analysis/checking/checkDay.ts). */
  const cache = new LRUCache<string, readonly Model[]>({ max: cachedMax });
  const modelsOf = (sourceId: number): readonly Model[] => {
    const key = models.planning.modelsKey(sourceId);
    if (key === undefined) return [];
    const list = cache.get(key) ?? models.models.list(sourceId);
    cache.set(key, list);
    return list;
  };
  const gapsCache = new LRUCache<string, ReferenceGaps>({ max: cachedMax });
  /** Gaps of the reference under the present models; computed when a day has a long stretch without data. */
  const referenceGapsOf = (sourceId: number): ReferenceGaps => {
    const key = models.planning.modelsKey(sourceId) ?? '';
    const assigned = models.planning.assignedDays(sourceId);
    return modelId => {
      const gaps = gapsCache.get(key) ?? referenceGaps(models.days.reference(sourceId), assigned);
      gapsCache.set(key, gaps);
      return gaps(modelId);
    };
  };

  /** Models, limits and plan that days are compared with. */
  return (
    { id: sourceId, reference }: SourceSetup,
    rules: EngineRules,
    { dates, covariates }: Pick<CheckPart, 'dates' | 'covariates'>,
  ): Comparison & ExplainedComparison => {
    const plans = new Map<string, DayPlan>();
    const current = modelsOf(sourceId);
    const checks = models.planning.checks(sourceId);
    const checkedDates = new Set(dates);
    const readingsOn = (date: string, ids: readonly number[]): readonly CovariateReading[] => {
      // Days before the checked ones keep the values that their own check knew.
      if (!checkedDates.has(date)) return models.days.covariates(sourceId, date);
      if (covariates) return covariates.get(date) ?? [];
      return ids.map(id => readingOn(models, id, date));
    };
    return {
      models: current,
      checks,
      ...explainedComparison(current, checks, readingsOn),
      rules,
      completeness: reference.completeness,
      referenceGaps: referenceGapsOf(sourceId),
      plan: date => {
        const plan = plans.get(date) ?? models.planning.day(sourceId, date);
        plans.set(date, plan);
        return plan;
      },
    };
  };
};
