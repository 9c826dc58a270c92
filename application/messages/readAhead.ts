import type { MessageCause } from '../../projections/messageCauses.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { Turns } from '../ports/sharing/turns.js';
import type { DeliveryState } from '../ports/deliveries.js';
import type { MessageParts } from './messageContent.js';
import { messagesOf, type Message } from './messages.js';

/** A message with the event that led to it. */
export type Next = {
  readonly cause: MessageCause;
  readonly message: Message;
  /** Instant from which the message waits, in ms since 1970: that of its event, unless that is in the future. */
  readonly atMs: number;
};

/** Messages that follow a state. */
export type Ahead = {
  /** In the order of the log. */
  readonly messages: readonly Next[];
  /** Position up to which the tenant has no other messages. */
  readonly reached: bigint;
  /** Whether that is the end of the log. */
  readonly isEnd: boolean;
};

/** Maximum messages and events that one reading adds, and events that one query reads. */
const messagesMax = 100;
const causesMax = 2000;
const pageMax = 100;

export type ReadingParts = Omit<MessageParts, 'models'> & {
  readonly models: MessageParts['models'] & Pick<ReadModels, 'checkpoint'>;
  readonly turns: Pick<Turns, 'yielderFor'>;
};

/**
 * Reads the next messages of a webhook, those of `before` included, from the events of its tenant.
 * @param before result of an earlier reading of the same state
 */
export const readAhead = async (
  parts: ReadingParts,
  webhook: WebhookRecord,
  { cursor, ahead }: DeliveryState,
  before: Ahead = { messages: [], reached: cursor, isEnd: false },
): Promise<Ahead> => {
  const { models, turns } = parts;
  const yieldToEventLoop = turns.yielderFor(webhook.tenant);
  const messages = [...before.messages];
  const countMax = messages.length + messagesMax;
  const end = models.checkpoint('readModels').position;
  let { reached } = before;
  for (let looked = 0; looked < causesMax; looked += pageMax) {
    const page = models.messageCauses.after(webhook.tenant, reached, pageMax);
    for (const cause of page) {
      const atMs = Date.parse(cause.at);
      for (const message of messagesOf(parts, webhook, cause))
        if (!isDelivered(ahead, message, cause)) messages.push({ cause, message, atMs });
      reached = cause.position;
      if (messages.length >= countMax) return { messages, reached, isEnd: false };
      await yieldToEventLoop();
    }
    if (page.length < pageMax) return { messages, reached: end > reached ? end : reached, isEnd: true };
  }
  return { messages, reached, isEnd: false };
};

const isDelivered = (
  ahead: DeliveryState['ahead'],
  { sourceId }: Message,
  { position }: MessageCause,
): boolean => position <= BigInt(ahead[String(sourceId)] ?? 0);
