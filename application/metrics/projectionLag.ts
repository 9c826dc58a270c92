import type { ReadModels } from '../../projections/readModels.js';
import type { Environment } from '../environment.js';
import type { EventStore } from '../eventStore.js';
import type { ProjectionLag } from './metrics.js';

/** Largest number of events that is counted. */
export const lagEventsMax = 1000;

/**
 * The lag of the read models, read from the log after their checkpoint.
 * @throws StoreUnavailable
 */
export const projectionLag = async (
  log: Pick<EventStore, 'all'>,
  models: Pick<ReadModels, 'checkpoint'>,
  { nowMs }: Pick<Environment, 'nowMs'>,
): Promise<ProjectionLag> => {
  let oldest: string | undefined;
  let events = 0;
  for await (const { at } of log.all(models.checkpoint('readModels').position)) {
    oldest ??= at;
    events += 1;
    if (events === lagEventsMax) break;
  }
  const seconds = oldest === undefined ? 0 : Math.max(0, nowMs() - Date.parse(oldest)) / 1000;
  return { events, seconds };
};
