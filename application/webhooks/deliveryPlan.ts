import { utcClock, type LocalClock } from '../imports/localClock.js';
import type { DeliveryState } from './deliveries.js';
import type { Next } from './readAhead.js';
import { afterQuietHours, isUrgent, releaseTime, type WaitingRules } from './releaseTime.js';

/** The clock of a time zone; undefined for an unknown name. */
export type ClockOf = (timeZone: string) => LocalClock | undefined;

/** Maximum messages of one digest. */
const digestMessagesMax = 100;

/**
 * Instants from which messages may be delivered at a time, in ms since 1970. A message never waits longer than a later
 * one of its source, so that messages of a source stay in order: those before an urgent one are delivered with it.
 */
const releases = (
  messages: readonly Next[],
  rules: WaitingRules,
  nowMs: number,
  clockOf: ClockOf,
): readonly number[] => {
  const ofSource = new Map<number, number>();
  return messages
    .toReversed()
    .map(({ atMs, message: { sourceId, criticity, timeZone } }) => {
      const clock = clockOf(timeZone) ?? utcClock;
      const ownMs = releaseTime(rules, clock, { atMs, criticity });
      // A message that is late, after failures or an outage, waits for the end of the present quiet hours.
      const lateMs =
        ownMs > nowMs || isUrgent(rules, criticity) ? ownMs : afterQuietHours(rules, clock, nowMs);
      const releaseMs = Math.min(lateMs, ofSource.get(sourceId) ?? Infinity);
      ofSource.set(sourceId, releaseMs);
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
  const firstWaiting = messages.find(next => !done.has(next))?.cause.position;
  const before = delivered
    .map(({ cause }) => cause.position)
    .filter(position => firstWaiting === undefined || position < firstWaiting);
  const cursor = before.at(-1) ?? state.cursor;
  const ahead = new Map(Object.entries(state.ahead));
  for (const { cause } of delivered) ahead.set(String(cause.sourceId), String(cause.position));
  return {
    ...state,
    cursor,
    ahead: Object.fromEntries([...ahead].filter(([, position]) => BigInt(position) > cursor)),
    failing: null,
  };
};
