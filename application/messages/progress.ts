import type { DisabledReason } from '../../domain/webhooks/webhooks.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { Environment } from '../ports/environment.js';
import {
  isAccepted,
  type Attempt,
  type DeliveryState,
  type Sent,
  type Failing,
} from '../ports/deliveries.js';

const firstMs = 5000;
const factor = 2;
const longestMs = 3_600_000;

/** Time of failures, as a sum of waits, after which a webhook is disabled. */
export const failingMaxMs = 24 * 3_600_000;

/**
 * Wait before the next attempt: exponential backoff from 5 seconds to an hour, shortened by a random share up to half.
 * @param attempts     failed so far, ≥ 1
 * @param random       in [0, 1)
 * @param retryAfterMs wait that the receiver asked for; more than an hour counts as an hour
 */
export const retryDelayMs = (attempts: number, random: number, retryAfterMs = 0): number => {
  const backoffMs = Math.min(longestMs, firstMs * factor ** Math.min(attempts - 1, 30));
  return Math.max(backoffMs * (1 - random / 2), Math.min(retryAfterMs, longestMs));
};

/** The failure after one more attempt; null when its time is over. */
export const nextFailing = (
  before: Failing | null,
  { eventId, activation }: Pick<Failing, 'eventId' | 'activation'>,
  { nowMs, random, retryAfterMs }: { nowMs: number; random: number; retryAfterMs: number | undefined },
): Failing | null => {
  const now = new Date(nowMs).toISOString();
  const since = before && before.since < now ? before.since : now;
  const attempts = (before?.attempts ?? 0) + 1;
  const waitedMs = (before?.waitedMs ?? 0) + (before?.waitMs ?? 0);
  if (waitedMs >= failingMaxMs) return null;
  const waitMs = retryDelayMs(attempts, random, retryAfterMs);
  const nextAt = new Date(nowMs + waitMs).toISOString();
  return { eventId, activation, since, attempts, nextAt, waitMs, waitedMs };
};

/** Milliseconds until an attempt that an earlier process planned, at most an hour; 0 when it is due. */
const plannedWaitMs = ({ since, nextAt }: Failing, nowMs: number): number => {
  const waitMs = Date.parse(nextAt) - nowMs;
  // The clock was set back: no attempt is made in the future, and none is planned for later than in an hour.
  return Date.parse(since) > nowMs || waitMs > longestMs ? 0 : Math.max(0, waitMs);
};

/** Returns a function that gives the milliseconds until the next attempt, by a clock that does not jump. */
export const retryWait = ({
  nowMs,
  elapsedMs,
}: {
  readonly nowMs: () => number;
  readonly elapsedMs: () => number;
}): ((failing: Failing | null) => number) => {
  let planned: { readonly failing: Failing; readonly dueMs: number } | undefined;
  return failing => {
    if (!failing) return 0;
    if (planned?.failing.nextAt !== failing.nextAt || planned.failing.attempts !== failing.attempts)
      planned = { failing, dueMs: elapsedMs() + plannedWaitMs(failing, nowMs()) };
    return Math.max(0, planned.dueMs - elapsedMs());
  };
};

/** Progress as if no message after a position was delivered; those before it that wait still do. */
const stateUpTo = ({ cursor, ahead, ...state }: DeliveryState, position: bigint): DeliveryState => {
  if (position <= cursor) return { ...state, cursor: position, ahead: {} };
  const last = Object.entries(ahead).map(
    ([id, digits]) => [id, BigInt(digits) < position ? digits : String(position)] as const,
  );
  return { ...state, cursor, ahead: Object.fromEntries(last) };
};

/** Whether a replay, or a later one that a restored log does not have any more, was begun. */
const isBegun = (
  { requestId, position }: NonNullable<WebhookRecord['replay']>,
  { replayId, replayPosition }: DeliveryState,
): boolean => requestId === replayId || (replayPosition !== undefined && position <= BigInt(replayPosition));

/** State at the start of a delivery: a new webhook begins at its creation, a new replay goes back. */
export const startingState = (
  { createdPosition, replay, activation }: WebhookRecord,
  state: DeliveryState = {
    cursor: createdPosition,
    ahead: {},
    replayId: null,
    failing: null,
  },
): DeliveryState => {
  if (replay && !isBegun(replay, state)) {
    // A copied log has other positions: a replay never goes beyond its own request.
    const from = replay.after < replay.position ? replay.after : replay.position;
    const begun = { replayId: replay.requestId, replayPosition: String(replay.position) };
    return { ...stateUpTo(state, from), ...begun, failing: null };
  }
  return state.failing && state.failing.activation !== activation ? { ...state, failing: null } : state;
};

/** Whether a state is on the way of a replay, from its first position to its request. */
export const isReplaying = ({ replay }: Pick<WebhookRecord, 'replay'>, state: DeliveryState): boolean =>
  replay !== null && isBegun(replay, state) && state.cursor < replay.position;

/** Result of an attempt. */
export type Judged = {
  readonly state: DeliveryState;
  readonly outcome: Attempt['outcome'];
  /** Why the webhook has to be disabled. */
  readonly disable?: DisabledReason;
};

/**
 * State after an attempt. Progress is made only when the receiver accepted the message.
 * @param accepted state when it did
 * @param eventId  of the first event of the message
 */
export const judge = (
  sent: Sent | 'keyLost',
  state: DeliveryState,
  {
    accepted,
    activation,
    eventId,
  }: { readonly accepted: DeliveryState; readonly activation: number; readonly eventId: string },
  { nowMs, randomBytes }: Pick<Environment, 'nowMs' | 'randomBytes'>,
): Judged => {
  const stopped = { ...state, failing: null };
  if (sent === 'keyLost') return { state: stopped, outcome: 'disabled', disable: 'keyLost' };
  if (isAccepted(sent)) return { state: accepted, outcome: 'delivered' };
  if (sent.status === 410) return { state: stopped, outcome: 'disabled', disable: 'gone' };
  const failing = nextFailing(
    state.failing,
    { eventId, activation },
    {
      nowMs: nowMs(),
      random: randomBytes(4).readUInt32LE() / 2 ** 32,
      retryAfterMs: sent.retryAfterMs,
    },
  );
  return failing
    ? { state: { ...state, failing }, outcome: 'retrying' }
    : { state: stopped, outcome: 'disabled', disable: 'failing' };
};
