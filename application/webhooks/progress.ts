import type { KnownEvent } from '../../domain/events.js';
import type { DisabledReason } from '../../domain/webhooks.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { Environment } from '../environment.js';
import type { Attempt, DeliveryState, Sent } from './deliveries.js';
import { nextFailing } from './retrySchedule.js';

/** State at the start of a delivery: a new webhook begins at its creation, a new replay goes back. */
export const startingState = (
  { createdPosition, replay, activation }: WebhookRecord,
  state: DeliveryState = {
    cursor: createdPosition,
    readFrom: createdPosition,
    replayId: null,
    failing: null,
  },
): DeliveryState => {
  if (replay && replay.requestId !== state.replayId) {
    // A copied log has other positions: a replay never goes beyond its own request.
    const cursor = replay.after < replay.position ? replay.after : replay.position;
    return { cursor, readFrom: 0n, replayId: replay.requestId, failing: null };
  }
  return state.failing && state.failing.activation !== activation ? { ...state, failing: null } : state;
};

/** Milliseconds until the next attempt; 0 when it is due. */
export const waitOf = ({ failing }: DeliveryState, nowMs: number): number =>
  failing ? Math.max(0, Date.parse(failing.nextAt) - nowMs) : 0;

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

/** State after an attempt. The cursor moves only when the receiver accepted the message. */
export const judge = (
  sent: Sent | 'keyLost',
  state: DeliveryState,
  {
    webhook: { activation },
    event: { id: eventId, position },
  }: { readonly webhook: WebhookRecord; readonly event: Pick<KnownEvent, 'id' | 'position'> },
  { nowMs, randomBytes }: Pick<Environment, 'nowMs' | 'randomBytes'>,
): Judged => {
  const stopped = { ...state, failing: null };
  if (sent === 'keyLost') return { state: stopped, outcome: 'disabled', disable: 'keyLost' };
  if (isAccepted(sent))
    return { state: { ...stopped, cursor: position, readFrom: position }, outcome: 'delivered' };
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
