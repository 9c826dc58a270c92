import { changedDates } from '../../../analysis/changes/changedModel.js';
import { detectChange } from '../../../analysis/changes/detectChange.js';
import type { LikeDay } from '../../../analysis/changes/fits.js';
import { dateOf, dayNumber, secondsPerDay } from '../../../domain/dates.js';
import { usable } from '../../../domain/day.js';
import { likeDaysMax, likeDaysMin, type MeasuredChange } from '../../../domain/incidents/changes.js';
import type { Member } from '../../../domain/incidents/memberIndex.js';
import type { ReadModels } from '../../../projections/readModels.js';
import { explainedNow } from '../covariates/readings.js';
import type { FollowUpParts } from '../followUpParts.js';

/** Days before the first like day in which a change of the clock explains a shift by an hour. */
const clockDays = 7;
const hourMinutes = 60;
const hourSeconds = 3600;

/** Whether the clock of a source changed by an hour shortly before a date, or on it. */
const hasClockChanged = (
  models: Pick<ReadModels, 'sources'>,
  clockOf: FollowUpParts['clockOf'],
  sourceId: number,
  date: string,
): boolean => {
  const clock = clockOf?.(models.sources.setup(sourceId)?.timeZone ?? 'UTC');
  if (!clock) return false;
  const at = dayNumber(date);
  const offset = (day: number): number => clock.periodAt(day * secondsPerDay).offset;
  return Math.abs(offset(at + 1) - offset(at - clockDays)) === hourSeconds;
};

/** Longest time before the last like day in which days are looked at. */
const daysBeforeMax = 60;

/** Returns a function that gives days of a source what was expected on them. */
const likeDayReader = (models: ReadModels, sourceId: number) => {
  const sourceModels = models.typicalDays.list(sourceId);
  const explained = explainedNow(models, sourceId, sourceModels);
  const changed = changedDates(models.acceptedChanges.ofSource(sourceId));
  return (first: string, isLike: (date: string) => boolean, last: string): readonly LikeDay[] =>
    models.days.between(sourceId, 'recent', first, dateOf(dayNumber(last) + 1)).flatMap((day): LikeDay[] => {
      const { date, activity, check } = day;
      const planned = sourceModels.find(({ id }) => id === check?.plannedModelId);
      const isOrdinary = check?.outcome === 'normal';
      if (!planned || planned.activity.length !== activity.length) return [];
      if (!isLike(date) && !isOrdinary) return [];
      const expected = changed(date).moved(explained?.(date).moved(planned) ?? planned).activity;
      const likeDay = { date, values: activity, expected, flags: usable(day), modelId: planned.id };
      return [isLike(date) ? likeDay : { ...likeDay, isOrdinary }];
    });
};

/** Returns a function that finds what has changed in a source, from its last alerts of days in an incident. */
export const changeFinder = (models: ReadModels, clockOf: FollowUpParts['clockOf'], sourceId: number) => {
  let reader: ReturnType<typeof likeDayReader> | undefined;
  return (members: readonly Pick<Member, 'sourceId' | 'kind' | 'date'>[]): MeasuredChange | null => {
    const own = members.filter(
      one => one.sourceId === sourceId && (one.kind === 'activity' || one.kind === 'drift'),
    );
    const dates = [...new Set(own.map(({ date }) => date))].sort().slice(-likeDaysMax);
    const last = dates.at(-1);
    if (last === undefined || dates.length < likeDaysMin) return null;
    const read = (reader ??= likeDayReader(models, sourceId));
    const near = dateOf(dayNumber(last) - daysBeforeMax);
    const first = dates.find(date => date >= near) ?? last;
    const found = detectChange(read(first, date => dates.includes(date), last));
    const isSlip =
      found?.type === 'clock' &&
      Math.abs(found.size) === hourMinutes &&
      hasClockChanged(models, clockOf, sourceId, found.from);
    return found && isSlip ? { ...found, daylightSaving: true } : found;
  };
};
