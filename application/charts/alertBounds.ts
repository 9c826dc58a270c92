import { movedModel } from '../../analysis/covariates/effectShape.js';
import { limitLevels, type LimitLevels } from '../../analysis/findings/limitLevels.js';
import type { AlertRecord } from '../../projections/alerts/alertRecords.js';
import type { ReadModels } from '../../projections/readModels.js';

/**
 * The broken limits of an alert as lines of a chart, as they were when the day was checked.
 * @returns null when the event or the model is too old to know them
 */
export const alertBounds = (
  { alerts, models }: Pick<ReadModels, 'alerts' | 'models'>,
  { id, sourceId, plannedModelId }: AlertRecord,
): readonly LimitLevels[] | null => {
  const facts = alerts.facts(id);
  if (!facts) return null;
  const broken = new Set(facts.limits.map(({ limit }) => limit));
  if (broken.size === 0) return [];
  const model = plannedModelId === null ? undefined : models.one(sourceId, plannedModelId);
  return model
    ? limitLevels(
        movedModel(model, facts.explainedBy?.effect ?? 0),
        facts.widening,
        facts.baseline ?? null,
      ).filter(({ limit }) => broken.has(limit))
    : null;
};
