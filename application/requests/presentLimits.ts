import { adaptiveFactor } from '../../analysis/checking/adaptiveFactor.js';
import { notAdapted } from '../../domain/alerts/checks.js';
import { presentLimits, type PresentLimits } from '../../domain/planning/presentLimits.js';
import type { ReadModels } from '../../projections/readModels.js';

/**
 * The limits of a source as the alerts on its recent days have widened them, with what they detect.
 * @param tomorrow days from this date on do not count
 * @returns        null for limits that do not adapt, and where nothing was measured
 */
export const presentLimitsOf = (
  { days, planning, sources, typicalDays }: Pick<ReadModels, 'days' | 'planning' | 'sources' | 'typicalDays'>,
  sourceId: number,
  tomorrow: string,
): PresentLimits | null => {
  const measured = planning.learned(sourceId).bounds?.minimumDetectableChange;
  const setup = sources.setup(sourceId);
  if (!measured || !setup || !planning.checks(sourceId)?.adaptive) return null;
  const latest = days.adaptedBefore(sourceId, setup.modelsVersion, tomorrow);
  const factor = adaptiveFactor(latest?.adaptation ?? notAdapted);
  return presentLimits(measured, typicalDays.list(sourceId), Math.round(factor * 100) / 100);
};
