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

/** Maximum messages and events that one reading adds. */
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

/**
 * Reads the next messages of a webhook, those of `before` included. The reading ends before they are sent, because a
 * store cannot keep a read open so long.
 * @param before result of an earlier reading of the same state
 */
export const readAhead = async (
  { log, models, caughtUp, publicUrl }: ReadingParts,
  webhook: WebhookRecord,
  { cursor, readFrom, ahead }: DeliveryState,
  before: Ahead = { messages: [], reached: cursor, isEnd: false },
): Promise<Ahead> => {
  const messages = [...before.messages];
  const countMax = messages.length + messagesMax;
  const checkpoint = models.checkpoint('readModels').position;
  let { reached } = before;
  let looked = 0;
  for await (const stored of log.all(reached > cursor ? reached : readFrom, messageCauses)) {
    if (stored.position <= reached) continue;
    await caughtUp(stored.position);
    const event = decode(stored);
    const message = event && messageOf({ models, publicUrl }, webhook, event);
    if (event && message && !isDelivered(ahead, message, event)) messages.push({ event, message });
    reached = stored.position;
    looked += 1;
    if (messages.length >= countMax || looked >= eventsMax) return { messages, reached, isEnd: false };
  }
  // The read models were at this position before the reading began, so that no event up to it is missing.
  return { messages, reached: checkpoint > reached ? checkpoint : reached, isEnd: true };
};

const isDelivered = (
  ahead: DeliveryState['ahead'],
  { sourceId }: Message,
  { position }: KnownEvent,
): boolean => position <= BigInt(ahead[String(sourceId)] ?? 0);
