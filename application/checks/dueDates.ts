import { rulesToUse } from '../../analysis/engine.js';
import type { CauseEvent } from '../../domain/alerts/causes.js';
import { sourceOf } from '../../domain/streams.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import { missingDates } from './missingDates.js';

/** The read models that determine the dates of a check. */
type DueModels = { readonly days: Pick<ReadModels['days'], 'byImport' | 'hasRecent' | 'recentDates'> };

/** Dates of an import, and missing dates between them of which there are no data. */
const importedDates = (
  { days }: DueModels,
  event: Extract<CauseEvent, { type: 'DaysImported' }>,
  by: string,
): readonly string[] => {
  const dates = days.byImport(event.data.importId).map(day => day.date);
  const missing = rulesToUse(by).missingDates ? missingDates(dates) : [];
  if (missing.length === 0) return dates;
  const isKnown = (date: string) => days.hasRecent(sourceOf(event.stream), date);
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
