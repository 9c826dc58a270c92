import { decode, type KnownEvent } from '../../domain/events.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { EventStore } from '../eventStore.js';
import type { DeliveryState } from './deliveries.js';
import { messageCauses, messageOf, type Message } from './messages.js';

/** An event with its message. */
export type Next = { readonly event: KnownEvent; readonly message: Message };

/** Messages that follow a state. */
export type Ahead = {
  readonly messages: readonly Next[];
  /** Position up to which the log has no other messages. */
  readonly reached: bigint;
  /** Whether that is the end of the log. */
  readonly isEnd: boolean;
};

/** Messages and events of one reading at most. */
const messagesMax = 100;
const eventsMax = 2000;

export type ReadingParts = {
  readonly log: Pick<EventStore, 'all'>;
  readonly models: Pick<ReadModels, 'sources' | 'alerts' | 'checkpoint'>;
  /** Resolves when the read models have all events up to a position. */
  readonly caughtUp: (position: bigint) => Promise<void>;
  /** Address of the screens for links; absent for none. */
  readonly publicUrl?: string | undefined;
};

/** Reads the next messages of a webhook. The reading ends before they are sent: a store cannot wait so long. */
export const readAhead = async (
  { log, models, caughtUp, publicUrl }: ReadingParts,
  webhook: WebhookRecord,
  { cursor, readFrom }: DeliveryState,
): Promise<Ahead> => {
  const messages: Next[] = [];
  const checkpoint = models.checkpoint('readModels').position;
  let reached = cursor;
  let looked = 0;
  for await (const stored of log.all(readFrom, messageCauses)) {
    if (stored.position <= cursor) continue;
    await caughtUp(stored.position);
    const event = decode(stored);
    const message = event && messageOf({ models, publicUrl }, webhook, event);
    if (event && message) messages.push({ event, message });
    reached = stored.position;
    looked += 1;
    if (messages.length >= messagesMax || looked >= eventsMax) return { messages, reached, isEnd: false };
  }
  // The read models were at this position before the reading began, so that no event up to it is missing.
  return { messages, reached: checkpoint > reached ? checkpoint : reached, isEnd: true };
};
