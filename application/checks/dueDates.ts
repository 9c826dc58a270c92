import { rulesToUse } from '../../analysis/engine.js';
import type { CauseEvent } from '../../domain/alerts/causes.js';
import { missingDates } from '../../domain/days.js';
import { sourceOf } from '../../domain/streams.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';

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
      return models.days.recentDates(sourceOf(event.stream));
    case 'CovariateDaysImported':
      return event.data.dates.filter(date => models.days.hasRecent(sourceOf(event.stream), date));
  }
};
