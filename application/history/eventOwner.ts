import type { Recorded } from '../../domain/events.js';
import { tenantOf } from '../../domain/streams.js';
import type { Service } from '../service.js';
import { sourceIdOf } from './auditTrail.js';

/** Tenant of an event; undefined for a source id that was reserved and never used. */
export const tenantOfEvent = ({ models }: Pick<Service, 'models'>, event: Recorded): string | undefined => {
  const sourceId = sourceIdOf(event);
  return sourceId === undefined ? tenantOf(event.stream) : models.sources.setup(sourceId)?.tenant;
};
