import type { Service } from '../../../application/service.js';
import type { ImportRecord } from '../../../projections/days/importRecords.js';
import { alertChanges } from './alertChanges.js';

/** Summary of an import, with its id. */
export const importSummary = ({ sourceId, kind, importedAt, eventId, countedTo, ...summary }: ImportRecord) =>
  summary;

/** An import: its summary, its days that no later import replaced with their checks, and the effect on alerts. */
export const importVerdict = (service: Service, record: ImportRecord) => {
  const { models } = service;
  const { sourceId, kind, eventId } = record;
  const unchecked = kind === 'recent' ? 'pending' : 'notCompared';
  const checked = new Map(models.days.checkedDays(eventId).map(day => [day.date, day]));
  const names = models.planning.modelNames(sourceId);
  const effects = models.planning.checks(sourceId)?.covariates ?? [];
  const missingOn = (date: string): readonly string[] => {
    if (effects.length === 0) return [];
    const readings = models.days.covariates(sourceId, date);
    return effects.flatMap(({ sourceId: id, name }) =>
      readings.some(reading => reading.sourceId === id && reading.value === null) ? name : [],
    );
  };
  return {
    import: importSummary(record),
    days: models.days.byImport(record.id).map(day => {
      const check = checked.get(day.date);
      const id = check ? check.plannedModelId : models.planning.day(sourceId, day.date).modelId;
      const missing = missingOn(day.date);
      return {
        date: day.date,
        status: check?.outcome ?? unchecked,
        completeness: day.completeness,
        // The planned model may have been deleted since: its id stays, without a name.
        plannedModel: id === null ? null : { id, name: names.get(id) ?? null },
        ...(missing.length > 0 && { missingCovariates: missing }),
      };
    }),
    alerts: alertChanges(service, eventId),
  };
};
