import { audit, type TrailReading } from '../../domain/audit.js';
import { streams, tenantOf, type Recorded } from '../../domain/events.js';
import { sourceIdOf } from '../../application/history/auditTrail.js';
import type { Service } from '../../application/service.js';
import { originOf } from './resources.js';
import type { Call } from './route.js';

// Whose an event of the log is, and the note that every reading of events leaves in the log.

/** The tenant that an event belongs to; undefined for a source id that was reserved and never used. */
export const tenantOfEvent = ({ models }: Service, event: Recorded): string | undefined => {
  const sourceId = sourceIdOf(event);
  return sourceId === undefined ? tenantOf(event.stream) : models.sources.setup(sourceId)?.tenant;
};

/**
 * Notes in the log that the caller is about to be shown events. No answer before it stands: a reading that cannot be
 * noted is refused. A log without events has nothing to show, and must begin with its catalog.
 * @throws StoreUnavailable, OutcomeUnknown
 */
export const noteReading = async (
  service: Service,
  call: Call<unknown, unknown, unknown>,
  reading: Omit<TrailReading, 'logSize'>,
): Promise<void> => {
  const logSize = service.models.tree.size();
  if (logSize === 0) return;
  const command = { type: 'NoteReading', reading: { ...reading, logSize } } as const;
  const origin = originOf(service, call, await call.begin());
  await service.handle(audit, streams.audit(call.actor.tenant), command, origin);
};
