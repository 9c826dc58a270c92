import { driftDays } from '../../../analysis/checking/recentLevel.js';
import type { CauseEvent } from '../../../domain/followUps.js';
import { dateOf, dayNumber, dateAfter } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import type { InProgress } from '../../../domain/points.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { type CheckedModels, takesSteps, type CheckPart } from './checkPart.js';
import { rulesToUse, type EngineRules } from '../../../analysis/engine.js';
import { missingDates } from '../../../domain/days.js';
import { sourceOf } from '../../../domain/streams.js';
import type { ReadModels } from '../../../projections/readModels.js';
import { LRUCache } from 'lru-cache';
import { changedDates } from '../../../analysis/changes/changedModel.js';
import type { Comparison } from '../../../analysis/checking/comparison.js';
import { referenceShapes, type ReferenceShapes } from '../../../analysis/checking/shape.js';
import { referenceGaps, type ReferenceGaps } from '../../../analysis/checking/stretches.js';
import type { Model } from '../../../domain/planning/models.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import type { CovariateReading } from '../../../domain/source/covariates.js';
import { explainedComparison, readingOn, type ExplainedComparison } from '../covariates.js';

/** A day that is checked; `missing` has no data, and `takenBack` is not compared for that reason. */
export type CheckedDayData = Day & {
  readonly importId: string;
  readonly missing?: true;
  readonly takenBack?: true;
  readonly inProgress?: InProgress;
};

/** Recent days that a part of a check reads. */
type ReadDays = {
  /** The days to check, by date. */
  readonly toCheck: readonly CheckedDayData[];
  /** Days that the first step reads: those to check that have data; in a check of several steps also those before. */
  readonly ahead: readonly StoredDay[];
  /** Recent days of the 28 days before a date, by date, without those in progress. */
  readonly before: (date: string) => readonly StoredDay[];
};

/** Recent days of ascending dates and of `daysBefore` days before each: in order, each once. */
const recentAround = (
  { days }: CheckedModels,
  sourceId: number,
  dates: readonly string[],
  daysBefore: number,
): StoredDay[] => {
  const stretches: { readonly from: number; to: number }[] = [];
  for (const date of dates) {
    const number = dayNumber(date);
    const last = stretches.at(-1);
    if (last && number - daysBefore <= last.to) last.to = number + 1;
    else stretches.push({ from: number - daysBefore, to: number + 1 });
  }
  return stretches.flatMap(({ from, to }) => days.between(sourceId, 'recent', dateOf(from), dateOf(to)));
};

/**
 * A date without data, as a day without a value: one that an import misses and that was not taken back since, or one
 * that was taken back. Undefined for other causes.
 */
const missingDay = (
  { days }: CheckedModels,
  event: CauseEvent,
  { id: sourceId, activitySize }: SourceSetup,
  date: string,
): CheckedDayData | undefined => {
  const isTakenBack = event.type === 'DayTakenBack';
  if (event.type !== 'DaysImported' && !isTakenBack) return undefined;
  if (!isTakenBack && days.takenBackSince(sourceId, date, event.revision)) return undefined;
  return {
    date,
    importId: event.data.importId,
    missing: true,
    ...(isTakenBack && { takenBack: true }),
    activity: Array<number>(activitySize).fill(0),
    gaps: [[0, activitySize]],
    filled: [],
  };
};

/**
 * Reads the days of a part of a check. A part of several steps reads all of them now, because changes between steps
 * belong to a later check.
 * @param dates dates of the part, ascending
 */
export const readDays = (
  models: CheckedModels,
  event: CauseEvent,
  present: SourceSetup,
  dates: readonly string[],
): ReadDays => {
  const isInSteps = takesSteps(dates);
  const ahead = recentAround(models, present.id, dates, isInSteps ? driftDays : 0);
  const checkedDates = new Set(dates);
  const due = new Map(ahead.filter(({ date }) => checkedDates.has(date)).map(day => [day.date, day]));
  // Read on demand: days inside their limits do not need the days before them.
  let around = isInSteps ? ahead : undefined;
  return {
    toCheck: dates.flatMap(date => due.get(date) ?? missingDay(models, event, present, date) ?? []),
    ahead,
    before: date => {
      // The same objects, because checks cache values per day object.
      around ??= recentAround(models, present.id, dates, driftDays).map(day => due.get(day.date) ?? day);
      const first = dateAfter(date, -driftDays);
      return around.filter(day => first <= day.date && day.date < date && !day.inProgress);
    },
  };
};

/** The read models that determine the dates of a check. */
type DueModels = {
  readonly days: Pick<
    ReadModels['days'],
    'byImport' | 'missingDates' | 'hasRecent' | 'takenBackSince' | 'recentDates'
  >;
};

/** Dates whose data are still those of an import, and dates that it misses and of which there are no data. */
const importedDates = (
  { days }: DueModels,
  event: Extract<CauseEvent, { type: 'DaysImported' }>,
  by: string,
): readonly string[] => {
  const { importId } = event.data;
  const dates = days.byImport(importId).map(day => day.date);
  const { missingDates: rule } = rulesToUse(by);
  if (rule === 'none') return dates;
  const missing = rule === 'ofImport' ? days.missingDates(importId) : missingDates(dates);
  if (missing.length === 0) return dates;
  const sourceId = sourceOf(event.stream);
  const isKnown = (date: string) =>
    days.hasRecent(sourceId, date) || days.takenBackSince(sourceId, date, event.revision);
  return [...dates, ...missing.filter(date => !isKnown(date))].sort();
};

/**
 * Dates that a cause requires to be checked, ascending; none when newer models will check all days, or in an archived
 * source.
 * @param by name of the engine whose rules are used
 */
export const dueDates = (
  models: DueModels,
  event: CauseEvent,
  { modelsVersion, archivedAt }: Pick<SourceSetup, 'modelsVersion' | 'archivedAt'>,
  by: string,
): readonly string[] => {
  if (archivedAt !== null) return [];
  switch (event.type) {
    case 'DaysImported':
      return importedDates(models, event, by);
    case 'PointsImported':
      return models.days.byImport(event.data.importId).map(({ date }) => date);
    case 'DateClosed':
      return models.days.hasRecent(sourceOf(event.stream), event.data.date) ? [event.data.date] : [];
    case 'DayTakenBack':
      return models.days.hasRecent(sourceOf(event.stream), event.data.date) ? [] : [event.data.date];
    case 'ClockTicked':
      return [];
    case 'ModelsReset':
    case 'ModelsReplaced':
    case 'ModelAnomalyChanged':
      return event.data.modelsVersion === modelsVersion
        ? models.days.recentDates(sourceOf(event.stream))
        : [];
    case 'DayPlanned':
    case 'DayPlanCleared':
    case 'SpecialDayNamed':
    case 'SpecialDayCleared':
      return [event.data.date];
    case 'SourceRestored':
    case 'CalendarRuleApplied':
    case 'CalendarRuleWithdrawn':
      return models.days.recentDates(sourceOf(event.stream));
    case 'ChangeAccepted':
    case 'ChangeWithdrawn': {
      const { from } = event.type === 'ChangeAccepted' ? event.data.change : event.data;
      return models.days.recentDates(sourceOf(event.stream)).filter(date => date >= from);
    }
    case 'CovariateDaysImported':
      return event.data.dates.filter(date => models.days.hasRecent(sourceOf(event.stream), date));
  }
};

/** Maximum sources whose models are cached. */
const cachedMax = 100;

/** Maximum sources whose reference days are cached: a year of 10-minute slices has 0.4 MB. */
const shapesMax = 25;

/** Makes the comparisons of checks; keeps the models of the sources that were checked last. */
export const comparisonMaker = (models: CheckedModels) => {
  /** Models by their key. Checks cache values per model object (analysis/checking/checkDay.ts). */
  const cache = new LRUCache<string, readonly Model[]>({ max: cachedMax });
  const modelsOf = (sourceId: number): readonly Model[] => {
    const key = models.planning.modelsKey(sourceId);
    if (key === undefined) return [];
    const list = cache.get(key) ?? models.typicalDays.list(sourceId);
    cache.set(key, list);
    return list;
  };
  /** Key of the present models and their reference, which may grow while models of people stay. */
  const referenceKey = (sourceId: number): string =>
    [models.planning.modelsKey(sourceId), models.days.referenceVersion(sourceId)].join(' ');
  const gapsCache = new LRUCache<string, ReferenceGaps>({ max: cachedMax });
  /** Gaps of the reference under the present models; computed when a day has a long stretch without data. */
  const referenceGapsOf = (sourceId: number): ReferenceGaps => {
    const key = referenceKey(sourceId);
    const assigned = models.planning.assignedDays(sourceId);
    return modelId => {
      const gaps = gapsCache.get(key) ?? referenceGaps(models.days.reference(sourceId), assigned);
      gapsCache.set(key, gaps);
      return gaps(modelId);
    };
  };

  const shapesCache = new LRUCache<string, { readonly shapes: ReferenceShapes | null }>({ max: shapesMax });
  /** Reference days that shapes are compared with, read when the first whole day is checked. */
  const referenceShapesOf =
    (sourceId: number, { checks, models: list, rules }: Pick<Comparison, 'checks' | 'models' | 'rules'>) =>
    (): ReferenceShapes | null => {
      const { comparesLeftShapes, needsLikeDays } = rules;
      const key = [referenceKey(sourceId), comparesLeftShapes, needsLikeDays].join(' ');
      const known = shapesCache.get(key);
      // Models that a person added have no limits.
      const limits = list.find(model => model.limits)?.limits;
      if (known || !checks?.shape || !limits) return known?.shapes ?? null;
      const shapes = referenceShapes(models.days.reference(sourceId), checks.shape, limits, rules);
      shapesCache.set(key, { shapes });
      return shapes;
    };

  /** Models, limits and plan that days are compared with. */
  return (
    { id: sourceId, reference, minChange, collects }: SourceSetup,
    rules: EngineRules,
    { dates, covariates }: Pick<CheckPart, 'dates' | 'covariates'>,
  ): Comparison & ExplainedComparison => {
    const plans = new Map<string, DayPlan>();
    const current = modelsOf(sourceId);
    const checks = models.planning.checks(sourceId);
    const accepted = models.acceptedChanges.ofSource(sourceId);
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
      collects,
      ...explainedComparison(current, checks, readingsOn, rules),
      ...(accepted.length > 0 && { changed: changedDates(accepted) }),
      rules,
      completeness: reference.completeness,
      floor: minChange,
      referenceGaps: referenceGapsOf(sourceId),
      referenceShapes: referenceShapesOf(sourceId, { checks, models: current, rules }),
      plan: date => {
        const plan = plans.get(date) ?? models.planning.day(sourceId, date);
        plans.set(date, plan);
        return plan;
      },
    };
  };
};
