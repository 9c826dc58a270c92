import type { KnownEvent, EventOf } from '../events.js';
import { checkCauses, type CheckCause } from './checks.js';

/** An event that makes a check necessary. */
export type CauseEvent = EventOf<CheckCause['type']>;

/** Whether an event makes a check necessary. An import of recent days does with its last part, when it takes effect. */
export const isCause = (event: KnownEvent): event is CauseEvent =>
  event.type === 'DaysImported'
    ? event.data.kind === 'recent' && event.data.part === event.data.parts
    : (checkCauses as readonly string[]).includes(event.type);
