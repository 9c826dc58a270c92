import { incidents, type IncidentEvent } from '../../domain/incidents/incidents.js';
import { Rejection } from '../../domain/rejection.js';
import { streams } from '../../domain/streams.js';
import { retryOnConflict, type CommandMetadata } from '../commands/commandHandler.js';
import { Conflict } from '../ports/eventStore.js';
import { requireNotParked } from '../reading/parking.js';
import type { FollowUpParts } from './followUpParts.js';

/** A decision about the incidents of a tenant. */
export type IncidentDecision = {
  readonly tenant: string;
  /** From the present read models; undefined for none. */
  readonly decision: () => IncidentEvent | undefined;
  /** By the number of events of the tenant's incidents that the decision knows. */
  readonly metadataOf: (known: number) => CommandMetadata;
};

/** Revision of a stream with a number of events. */
const revisionOf = (count: number): number | 'absent' => (count === 0 ? 'absent' : count - 1);

/**
 * Appends a decision about incidents, which is made again when newer events precede it.
 * @returns whether an event was appended
 * @throws SourceParked when the incidents of the tenant are parked, Contention when newer events precede every retry,
 *   Rejection of `decision`
 */
export const recordIncidents = (
  {
    models,
    handle,
    caughtUp,
    environment,
  }: Pick<FollowUpParts, 'models' | 'handle' | 'caughtUp' | 'environment'>,
  { tenant, decision, metadataOf }: IncidentDecision,
): Promise<boolean> => {
  const stream = streams.incidents(tenant);
  return retryOnConflict(async () => {
    // The read models of a parked stream never know all of its events.
    requireNotParked(models, stream);
    const known = models.incidents.eventCount(tenant);
    try {
      const command = { type: 'RecordIncidents', known, decision } as const;
      const { events } = await handle(incidents, stream, command, metadataOf(known));
      await caughtUp();
      return events.length > 0;
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== 'incidentsOutdated') throw error;
      await caughtUp();
      throw new Conflict(stream, revisionOf(known), revisionOf(models.incidents.eventCount(tenant)));
    }
  }, environment);
};
