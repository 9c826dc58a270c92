import { alerts } from '../../domain/alerts/alerts.js';
import type { ReadModels } from '../../projections/readModels.js';
import { alertNotFound } from '../access/access.js';

const refuse = (): never => {
  throw alertNotFound();
};

/**
 * Rules of the alerts of a source. An archived source refuses every command with `alertNotFound`; a retry whose events
 * are stored is not decided again.
 */
export const alertRulesOf = (models: ReadModels, sourceId: number): typeof alerts =>
  models.sources.setup(sourceId)?.archivedAt === null ? alerts : { ...alerts, decide: refuse };
