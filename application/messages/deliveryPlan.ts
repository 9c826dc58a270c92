import { isUnprocessed } from '../../domain/alerts/alertsState.js';
import { minutesPerDay } from '../../domain/dates.js';
import { unprocessedStates } from '../../domain/incidents/incidents.js';
import type { Digest, QuietHours, WebhookTarget } from '../../domain/webhooks/webhookTarget.js';
import type { MessageCause } from '../../projections/messageCauses.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { DeliveryState } from '../ports/deliveries.js';
import { utcClock, type LocalClock } from '../ports/localClock.js';
import type { Turns } from '../ports/sharing/turns.js';
import type { MessageParts } from './messageContent.js';
import { messagesOf, type Message } from './messages.js';

/** A message that waits. Its body is made when it is sent: a thousand may wait for each webhook. */
export type Next = {
  /** Position of the event that led to it. */
  readonly position: bigint;
  readonly message: Omit<Message, 'body'>;
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
  let messages = [...before.messages];
  const countMax = messages.length + messagesMax;
  const end = models.checkpoint('readModels').position;
  let { reached } = before;
  for (let looked = 0; looked < causesMax; looked += pageMax) {
    const page = models.messageCauses.after(webhook.tenant, reached, pageMax);
    for (const cause of page) {
      messages = withRise(messages, cause);
      for (const { body, ...message } of messagesOf(parts, webhook, cause))
        if (!isDelivered(ahead, message, cause))
          messages.push({ position: cause.position, message, atMs: Date.parse(cause.at) });
      reached = cause.position;
      if (messages.length >= countMax) return { messages, reached, isEnd: false };
      await yieldToEventLoop();
    }
    if (page.length < pageMax) return { messages, reached: end > reached ? end : reached, isEnd: true };
  }
  return { messages, reached, isEnd: false };
};

/** Messages that wait, as critical as their alert or incident is now: an event may raise it and have no message. */
const withRise = (messages: Next[], { alert, detail: { incidents = [] } }: MessageCause): Next[] => {
  const risen = new Map<string, number>();
  for (const { incidentId, state, criticity } of incidents)
    if (unprocessedStates.includes(state)) risen.set(incidentId, criticity);
  if (alert && isUnprocessed(alert)) risen.set(alert.id, alert.criticity);
  if (risen.size === 0) return messages;
  return messages.map(next => {
    const { about = '', criticity } = next.message;
    const now = risen.get(about) ?? 0;
    return now > (criticity ?? 0) ? { ...next, message: { ...next.message, criticity: now } } : next;
  });
};

/** The event at a position that may have led to messages of a tenant. */
export const causeAt = (
  { messageCauses }: Pick<ReadModels, 'messageCauses'>,
  tenant: string,
  position: bigint,
): MessageCause | undefined =>
  messageCauses.after(tenant, position - 1n, 1).find(cause => cause.position === position);

/** A message as it is sent, with the event that led to it. */
export type Made = { readonly cause: MessageCause; readonly message: Message };

/** The message of one that waits; none when its webhook has none there any more. */
export const madeOf = (
  parts: MessageParts,
  webhook: WebhookRecord,
  { position, message: { id, about } }: Next,
): readonly Made[] => {
  const cause = causeAt(parts.models, webhook.tenant, position);
  const messages = cause ? messagesOf(parts, webhook, cause, about) : [];
  return messages.flatMap(message => (cause && message.id === id ? [{ cause, message }] : []));
};

const isDelivered = (
  ahead: DeliveryState['ahead'],
  { sourceId }: Pick<Message, 'sourceId'>,
  { position }: MessageCause,
): boolean => position <= BigInt(ahead[String(sourceId)] ?? 0);

/** When messages of a webhook wait. Times of the day are those of the source of a message. */
export type WaitingRules = Pick<WebhookTarget, 'digest' | 'quietHours'>;

const minuteMs = 60_000;

/** Minutes after midnight of `HH:MM`. */
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/**
 * First instant, not before another, at which the clock shows a time of a series. A time that the clock skips counts as
 * the instant after the skipped hour.
 * @param atMs         ms since 1970
 * @param everyMinutes distance of the series, a part of a day
 * @param minutes      one time of the series, in minutes after midnight
 */
const nextTime = (clock: LocalClock, atMs: number, everyMinutes: number, minutes: number): number => {
  const stepMs = everyMinutes * minuteMs;
  const phaseMs = minutes * minuteMs;
  for (let fromMs = atMs; ;) {
    const { to, offset } = clock.periodAt(fromMs / 1000);
    const endMs = to * 1000;
    const offsetMs = offset * 1000;
    const nextMs = Math.ceil((fromMs + offsetMs - phaseMs) / stepMs) * stepMs + phaseMs;
    if (nextMs - offsetMs < endMs) return nextMs - offsetMs;
    if (nextMs < endMs + clock.periodAt(to).offset * 1000) return endMs;
    fromMs = endMs;
  }
};

const isQuiet = ({ from, to }: QuietHours, clock: LocalClock, atMs: number): boolean => {
  const localMinutes = Math.floor(atMs / minuteMs + clock.periodAt(atMs / 1000).offset / 60);
  const time = ((localMinutes % minutesPerDay) + minutesPerDay) % minutesPerDay;
  const begin = minutesOf(from);
  const end = minutesOf(to);
  return begin < end ? time >= begin && time < end : time >= begin || time < end;
};

/** End of the quiet hours that contain an instant; the instant itself outside of them. In ms since 1970. */
export const afterQuietHours = ({ quietHours }: WaitingRules, clock: LocalClock, atMs: number): number => {
  let endMs = atMs;
  // A clock that skips a whole day shows quiet hours again right after them.
  while (quietHours && isQuiet(quietHours, clock, endMs))
    endMs = nextTime(clock, endMs, minutesPerDay, minutesOf(quietHours.to));
  return endMs;
};

const nextDigest = ({ everyMinutes, at = '00:00' }: Digest, clock: LocalClock, atMs: number): number =>
  nextTime(clock, atMs, everyMinutes, minutesOf(at));

/** Whether an alert is so critical that quiet hours do not delay it. */
const isUrgent = ({ quietHours }: WaitingRules, criticity: number | null): boolean =>
  criticity !== null && quietHours?.minCriticity !== undefined && criticity >= quietHours.minCriticity;

/**
 * Instant from which a message may be delivered: the next digest after its event, and after the quiet hours.
 * @param atMs instant of the event, in ms since 1970
 * @returns    ms since 1970, ≥ atMs
 */
export const releaseTime = (
  rules: WaitingRules,
  clock: LocalClock,
  { atMs, criticity }: { readonly atMs: number; readonly criticity: number | null },
): number => {
  const digestMs = rules.digest ? nextDigest(rules.digest, clock, atMs) : atMs;
  return isUrgent(rules, criticity) ? digestMs : afterQuietHours(rules, clock, digestMs);
};

/** The clock of a time zone; undefined for an unknown name. */
export type ClockOf = (timeZone: string) => LocalClock | undefined;

/** Maximum messages of one digest. */
const digestMessagesMax = 100;

/**
 * Instants from which messages may be delivered at a time, in ms since 1970. A message never waits longer than a later
 * one of its source, or about its incident, whose main alert may move to another source. So these stay in order: those
 * before an urgent one are delivered with it.
 */
const releases = (
  messages: readonly Next[],
  rules: WaitingRules,
  nowMs: number,
  clockOf: ClockOf,
): readonly number[] => {
  const ofSource = new Map<number, number>();
  const ofSubject = new Map<string, number>();
  return messages
    .toReversed()
    .map(({ atMs, message: { sourceId, about, criticity, timeZone } }) => {
      const clock = clockOf(timeZone) ?? utcClock;
      const ownMs = releaseTime(rules, clock, { atMs, criticity });
      // A message that is late, after failures or an outage, waits for the end of the present quiet hours.
      const lateMs =
        ownMs > nowMs || isUrgent(rules, criticity) ? ownMs : afterQuietHours(rules, clock, nowMs);
      const laterMs = Math.min(ofSource.get(sourceId) ?? Infinity, ofSubject.get(about ?? '') ?? Infinity);
      const releaseMs = Math.min(lateMs, laterMs);
      ofSource.set(sourceId, releaseMs);
      if (about !== undefined) ofSubject.set(about, releaseMs);
      return releaseMs;
    })
    .reverse();
};

/** The next messages to deliver, several in a digest; without any, the wait in ms until one is due. */
export type DeliveryPlan = { readonly batch: readonly Next[]; readonly waitMs: number };

/**
 * Chooses the messages to deliver now.
 * @param messages in the order of the log
 */
export const deliveryPlan = (
  messages: readonly Next[],
  rules: WaitingRules,
  nowMs: number,
  clockOf: ClockOf,
): DeliveryPlan => {
  if (messages.length === 0 || (!rules.digest && !rules.quietHours))
    return { batch: messages.slice(0, 1), waitMs: 0 };
  const releaseMs = releases(messages, rules, nowMs, clockOf);
  const due = messages.filter((_, index) => (releaseMs[index] ?? 0) <= nowMs);
  if (due.length === 0) return { batch: [], waitMs: Math.min(...releaseMs) - nowMs };
  return { batch: due.slice(0, rules.digest ? digestMessagesMax : 1), waitMs: 0 };
};

/**
 * Progress after the delivery of some of the next messages.
 * @param messages  in the order of the log
 * @param delivered some of them: of each source the first ones
 */
export const progressAfter = (
  state: DeliveryState,
  messages: readonly Next[],
  delivered: readonly Next[],
): DeliveryState => {
  const done = new Set(delivered);
  const firstWaiting = messages.find(next => !done.has(next))?.position;
  const before = delivered
    .map(({ position }) => position)
    .filter(position => firstWaiting === undefined || position < firstWaiting);
  const cursor = before.at(-1) ?? state.cursor;
  const ahead = new Map(Object.entries(state.ahead));
  // A source whose messages of one event are delivered in part gets them again, under the same ids.
  const waiting = new Set(
    messages
      .filter(next => !done.has(next))
      .map(({ position, message }) => `${message.sourceId} ${position}`),
  );
  for (const { position, message } of delivered)
    if (!waiting.has(`${message.sourceId} ${position}`))
      ahead.set(String(message.sourceId), String(position));
  return {
    ...state,
    cursor,
    ahead: Object.fromEntries([...ahead].filter(([, position]) => BigInt(position) > cursor)),
    failing: null,
  };
};
