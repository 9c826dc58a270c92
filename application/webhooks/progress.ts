import type { DisabledReason } from '../../domain/webhooks/webhookEvents.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { Environment } from '../environment.js';
import type { Attempt, DeliveryState, Sent } from './deliveries.js';
import { nextFailing } from './retrySchedule.js';

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
  if (replay && replay.requestId !== state.replayId) {
    // A copied log has other positions: a replay never goes beyond its own request.
    const cursor = replay.after < replay.position ? replay.after : replay.position;
    return { cursor, ahead: {}, replayId: replay.requestId, failing: null };
  }
  return state.failing && state.failing.activation !== activation ? { ...state, failing: null } : state;
};

/** Whether a state is on the way of a replay, from its first position to its request. */
export const isReplaying = ({ replay }: Pick<WebhookRecord, 'replay'>, state: DeliveryState): boolean =>
  replay !== null && replay.requestId === state.replayId && state.cursor < replay.position;

/** Result of an attempt. */
export type Judged = {
  readonly state: DeliveryState;
  readonly outcome: Attempt['outcome'];
  /** Why the webhook has to be disabled. */
  readonly disable?: DisabledReason;
};

/** Whether an answer says that the message was accepted. */
export const isAccepted = ({ status }: Pick<Sent, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

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
