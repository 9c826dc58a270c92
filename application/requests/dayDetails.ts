import { wideningOf } from '../../analysis/checking/checkLimits.js';
import { presentRules } from '../../analysis/engine.js';
import { heldApart } from '../../analysis/checking/comparison.js';
import { baselineDays, baselineOf, recentDays } from '../../analysis/checking/recentLevel.js';
import { scaledModelOf } from '../../analysis/checking/scores.js';
import { similarModels } from '../../analysis/checking/assignDays.js';
import { limitLevels, valuesAt, type LimitLevels } from '../../analysis/findings/limitLevels.js';
import { changedDates } from '../../analysis/changes/changedModel.js';
import type { ExplainedFacts } from '../../domain/source/covariates.js';
import { dateOf, dayNumber, dayAfter } from '../../domain/dates.js';
import { usable } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import type { AlertRecord } from '../../projections/alertPages.js';
import type { StoredDay } from '../../projections/days/storedDays.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import { explainedNow } from '../followUps/covariates.js';
import { movedModel } from '../../analysis/covariates/effectOn.js';
import { validAlertStates } from '../../domain/alerts/alertsState.js';
import { fromScale, toScale } from '../../analysis/math/portableMath.js';
import {
  spread,
  usualRange,
  usualReferenceMax,
  usualWeeks,
  type MoveValue,
  type UsualRange,
} from '../../analysis/findings/usualRange.js';

/** One date with everything that a chart of it needs. */
export type DayDetails = {
  /** The recent day of the date, else the reference day. */
  readonly day: StoredDay | null;
  readonly plan: DayPlan;
  /** As expected on this date. */
  readonly plannedModel: Model | null;
  /** How covariates move what is expected; absent without covariates. */
  readonly explainedBy?: ExplainedFacts;
  /** Limits of the planned model on this date. */
  readonly limits: readonly LimitLevels[];
  /** The planned profile at the level of the days before; null with fewer than three of them. */
  readonly expectedByDaysBefore: readonly number[] | null;
  /** Where most comparable days were; null with fewer than ten of them. */
  readonly usual: UsualRange | null;
  /** The axis that charts of all dates of the source share; null without models. */
  readonly axis: { readonly low: number; readonly high: number } | null;
  /** The model that is nearest to the day, and another one whose limits the day keeps. */
  readonly closestModel: Model | null;
  readonly betterModel: Model | null;
  /** Alerts that are not invalidated. */
  readonly alerts: readonly AlertRecord[];
  /** Recent days of the week before, and those of the same weekday in four weeks. */
  readonly daysBefore: readonly StoredDay[];
  readonly weekdaysBefore: readonly StoredDay[];
};

/** Days and weeks before a day that are returned with it. */
const daysShown = 7;
const weeksShown = 4;

/** Details of a date of a source as the read models have it. */
export const dayDetails = (
  models: ReadModels,
  {
    id: sourceId,
    tenant,
    reference,
    modelsVersion,
  }: Pick<SourceSetup, 'id' | 'tenant' | 'reference' | 'modelsVersion'>,
  date: string,
): DayDetails => {
  const number = dayNumber(date);
  const after = dateOf(number + 1);
  const day =
    models.days.recent(sourceId, date) ?? models.days.between(sourceId, 'reference', date, after)[0] ?? null;
  const before = models.days.between(sourceId, 'recent', dateOf(number - 7 * weeksShown), date);
  const plan = models.planning.day(sourceId, date);
  const sourceModels = models.typicalDays.list(sourceId).map(heldApart);
  const find = (id: number | null): Model | null => sourceModels.find(model => model.id === id) ?? null;
  const explained = explainedNow(models, sourceId, sourceModels);
  const changed = changedDates(models.acceptedChanges.ofSource(sourceId));
  const movedOn = (model: Model, on: string): Model =>
    changed(on).moved(explained?.(on).moved(model) ?? model);
  const moved = (model: Model): Model => movedOn(model, date);
  const planned = find(plan.modelId);
  const plannedModel = planned && moved(planned);
  const isCompared = day !== null && plannedModel !== null && usable(day).includes(true);
  const adapted = models.days.adaptedBefore(sourceId, modelsVersion, date);
  const widening = wideningOf(plan, adapted?.adaptation ?? null);
  const similar = isCompared ? similarModels(day, sourceModels.map(moved), plannedModel, widening) : null;
  const recent = recentDays(
    { date },
    plan,
    {
      models: sourceModels,
      completeness: reference.completeness,
      plan: other => models.planning.day(sourceId, other),
      ...(explained && { explained }),
      changed,
      rules: presentRules,
    },
    before
      .filter(other => dayNumber(other.date) >= number - baselineDays)
      .map(other => ({ day: other, drifting: false })),
  );
  return {
    day,
    plan,
    plannedModel,
    ...(explained && planned?.limits && { explainedBy: explained(date).facts(planned) }),
    ...expectation(plannedModel, widening, baselineOf(recent)),
    usual: planned && usualOf(models, { sourceId, date, planned, movedOn: on => movedOn(planned, on) }),
    axis: axisOf(sourceModels),
    closestModel: find(similar?.closestModelId ?? null),
    betterModel: find(similar?.betterModelId ?? null),
    alerts: alertsOnDate(models, { tenant, sourceId, date }),
    daysBefore: before.filter(other => dayNumber(other.date) >= number - daysShown),
    weekdaysBefore: before.filter(other => (number - dayNumber(other.date)) % 7 === 0),
  };
};

/** Limits of a planned model, and its profile at the level of the days before. */
const expectation = (
  model: Model | null,
  widening: number,
  baseline: Float64Array | null,
): Pick<DayDetails, 'limits' | 'expectedByDaysBefore'> => {
  if (!model) return { limits: [], expectedByDaysBefore: null };
  const { limits } = model;
  return {
    limits: limitLevels(model, widening, baseline),
    expectedByDaysBefore:
      limits && baseline
        ? valuesAt(scaledModelOf(model, limits), limits, slice => baseline[slice] ?? 0)
        : null,
  };
};

/**
 * The broken limits of an alert as lines of a chart, as they were when the day was checked.
 * @returns null when the event or the model is too old to know them
 */
export const alertBounds = (
  { alerts, typicalDays, acceptedChanges }: Pick<ReadModels, 'alerts' | 'typicalDays' | 'acceptedChanges'>,
  { id, sourceId, plannedModelId, date }: AlertRecord,
): readonly LimitLevels[] | null => {
  const facts = alerts.facts(id);
  if (!facts) return null;
  const broken = new Set(facts.limits.map(({ limit }) => limit));
  if (broken.size === 0) return [];
  const model = plannedModelId === null ? undefined : typicalDays.one(sourceId, plannedModelId);
  const changed = facts.accepted ? changedDates(acceptedChanges.ofSource(sourceId))(date) : undefined;
  const moved = model && movedModel(heldApart(model), facts.explainedBy?.effect ?? 0);
  return moved
    ? limitLevels(changed?.moved(moved) ?? moved, facts.widening, facts.baseline ?? null).filter(
        ({ limit }) => broken.has(limit),
      )
    : null;
};

/** Largest number of alerts of a date that are returned. */
const alertsMax = 100;

/** Alerts of one date of a source that are not invalidated. */
export const alertsOnDate = (
  { alerts }: Pick<ReadModels, 'alerts'>,
  { tenant, sourceId, date }: { readonly tenant: string; readonly sourceId: number; readonly date: string },
): readonly AlertRecord[] =>
  alerts.page({
    tenant,
    sourceId,
    from: date,
    to: dayAfter(date),
    states: validAlertStates,
    kinds: undefined,
    sort: 'date',
    descending: false,
    after: undefined,
    limit: alertsMax,
  });

/** Share of the range of all models that is left above and below them on an axis. */
const axisRoom = 0.15;

/** The common axis of the charts of a source: what its models expect, 0 included for values that are not negative. */
export const axisOf = (models: readonly Pick<Model, 'activity'>[]): { low: number; high: number } | null => {
  if (models.length === 0) return null;
  let [low, high] = [Infinity, -Infinity];
  for (const { activity } of models)
    for (const value of activity) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const room = axisRoom * (high - Math.min(low, 0));
  const isPositive = low >= 0;
  return { low: isPositive && low < high / 2 ? 0 : low - room, high: high + room };
};

/** The date of a range, and its planned model. */
type RangeOf = {
  readonly sourceId: number;
  readonly date: string;
  readonly planned: Model;
  /** The model as it is expected on a date. */
  readonly movedOn: (date: string) => Model;
};

/** Reference days of a model, and ordinary recent days that were planned with it in the weeks before a date. */
const comparableDays = (
  { planning, days }: Pick<ReadModels, 'planning' | 'days'>,
  { sourceId, date, planned: { id } }: RangeOf,
): readonly StoredDay[] => {
  const assigned = planning
    .assignedDays(sourceId)
    .filter(({ modelId, plannedId = modelId, date: other }) => plannedId === id && other !== date)
    .map(assignment => assignment.date);
  const reference = spread(assigned, usualReferenceMax).flatMap(
    other => days.between(sourceId, 'reference', other, dayAfter(other))[0] ?? [],
  );
  const recent = days
    .between(sourceId, 'recent', dateOf(dayNumber(date) - 7 * usualWeeks), date)
    .filter(({ check }) => check?.outcome === 'normal' && check.plannedModelId === id);
  return [...reference, ...recent];
};

/** Returns a function that moves a value of a day to what is expected on the date of the range. */
const mover = ({ planned, date, movedOn }: RangeOf, other: string): MoveValue => {
  const { limits } = planned;
  const [now, then] = [movedOn(date).activity, movedOn(other).activity];
  if (!limits || now === then) return value => value;
  return (value, slice) =>
    fromScale(
      limits,
      toScale(limits, value) + toScale(limits, now[slice] ?? 0) - toScale(limits, then[slice] ?? 0),
    );
};

/**
 * The middle 90 % of comparable days of a date by slice, at most 60 of the reference and 56 recent ones. Accepted
 * changes and sources that explain this one move them as they move what is expected.
 * @returns null with fewer than ten comparable days
 */
const usualOf = (models: Pick<ReadModels, 'planning' | 'days'>, of: RangeOf): UsualRange | null =>
  usualRange(comparableDays(models, of), day => mover(of, day.date));
