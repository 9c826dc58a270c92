import { audit, type TrailReading } from '../../domain/audit.js';
import { streams } from '../../domain/streams.js';
import type { Requester } from '../access/requester.js';
import type { Service } from '../service.js';

/**
 * Records in the log that the actor is about to read events. An empty log gets no event.
 * @throws StoreUnavailable, OutcomeUnknown: the events must not be shown then
 */
export const recordReading = async (
  service: Service,
  requester: Requester,
  reading: Omit<TrailReading, 'logSize'>,
): Promise<void> => {
  const logSize = service.models.tree.size();
  if (logSize === 0) return;
  const command = { type: 'NoteReading', reading: { ...reading, logSize } } as const;
  const metadata = await requester.begin();
  await service.handle(audit, streams.audit(requester.actor.tenant), command, metadata);
};
