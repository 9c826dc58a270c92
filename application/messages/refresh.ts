import type { MessageCause } from '../../projections/messageCauses.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import { instantOf } from '../ports/environment.js';
import { isAccepted, type Attempt, type DeliveryState } from '../ports/deliveries.js';
import { resultOf } from './attempt.js';
import { digestMessage, messagesOf } from './messages.js';
import type { Next } from './readAhead.js';
import type { WorkerParts } from './workerParts.js';

/** Interval at which open alerts are sent again: Alertmanager forgets them after five minutes by default. */
export const refreshMs = 120_000;
/** Wait after a failed refresh. */
const retryMs = 30_000;

/** Maximum alerts and incidents of a refresh, the latest ones, and of one request. */
const alertsMax = 1000;
const incidentsMax = 300;
const requestMax = 100;

/** State after a refresh, the attempt to note, and the wait until the next refresh; undefined when none is needed. */
export type Refreshed = {
  readonly state: DeliveryState;
  readonly attempt?: Attempt;
  readonly sleepMs: number | undefined;
};

/** Milliseconds until a refresh is due; 0 after the clock was set back. */
const dueInMs = ({ refreshedAtMs = -Infinity }: DeliveryState, nowMs: number): number => {
  const waitMs = refreshedAtMs + refreshMs - nowMs;
  return waitMs > refreshMs ? 0 : Math.max(0, waitMs);
};

/** The message of an event about an alert or an incident. */
const messageAbout = (parts: WorkerParts, webhook: WebhookRecord, cause: MessageCause, id: string) =>
  messagesOf(parts, webhook, cause).find(
    ({ body }) => (JSON.parse(body) as { readonly subject?: string }).subject === id,
  );

/** Events about an alert or an incident up to a position, the latest first; the last is that which announced it. */
const causesAbout = (
  { models, announcedAt }: WorkerParts,
  webhook: WebhookRecord,
  { kind, id }: { readonly kind: 'alert' | 'incident'; readonly id: string },
  cursor: bigint,
): readonly MessageCause[] => {
  const announced = announcedAt[kind](webhook, id, cursor);
  if (announced === null) return [];
  const steps =
    kind === 'alert'
      ? models.messageCauses.ofAlert(id, announced, cursor)
      : models.incidents.factsBetween(id, announced, cursor);
  return [...steps.map(({ position }) => position).toReversed(), announced].flatMap(
    position =>
      models.messageCauses
        .after(webhook.tenant, position - 1n, 1)
        .find(cause => cause.position === position) ?? [],
  );
};

/** Ids of what is open up to the progress of a webhook, each with its events, the latest first. */
function* openCauses(
  parts: WorkerParts,
  webhook: WebhookRecord,
  cursor: bigint,
): Generator<{ readonly id: string; readonly causes: readonly MessageCause[] }> {
  const { models } = parts;
  const asksFor = (prefix: string): boolean => webhook.events.some(type => type.startsWith(prefix));
  if (asksFor('alert.') || asksFor('source.'))
    for (const id of models.messageFacts.openAlerts(webhook.tenant, alertsMax))
      yield { id, causes: causesAbout(parts, webhook, { kind: 'alert', id }, cursor) };
  if (asksFor('incident.'))
    for (const { incidentId: id } of models.incidents.liveAt(webhook.tenant, cursor, incidentsMax))
      yield { id, causes: causesAbout(parts, webhook, { kind: 'incident', id }, cursor) };
}

/** The last messages about what is open. */
const openMessages = async (
  parts: WorkerParts,
  webhook: WebhookRecord,
  { cursor }: DeliveryState,
): Promise<readonly Next[]> => {
  const yieldToEventLoop = parts.turns.yielderFor(webhook.tenant);
  const open: Next[] = [];
  for (const { id, causes } of openCauses(parts, webhook, cursor)) {
    for (const cause of causes) {
      const message = messageAbout(parts, webhook, cause, id);
      if (!message) continue;
      open.push({ cause, message, atMs: Date.parse(cause.at) });
      break;
    }
    await yieldToEventLoop();
  }
  return open;
};

/** Sends messages again, some at a time; the first attempt that failed. */
const sendAgain = async (
  { dispatch, environment }: WorkerParts,
  webhook: WebhookRecord,
  open: readonly Next[],
  signal: AbortSignal,
): Promise<Attempt | undefined> => {
  for (let from = 0; from < open.length; from += requestMax) {
    const { id, body } = digestMessage(webhook, open.slice(from, from + requestMax));
    const at = instantOf(environment);
    const result = resultOf(await dispatch(webhook, { id, body }, signal));
    const about = { type: 'alert.refresh', sourceId: null, position: null } as const;
    if (!isAccepted(result)) return { id, ...about, at, attempt: 1, ...result, outcome: 'failed' };
  }
  return undefined;
};

/**
 * Sends the open alerts of a receiver that forgets them again, when that is due. To be called when all messages are
 * delivered, by the instance that works on the webhook.
 */
export const refreshOpenAlerts = async (
  parts: WorkerParts,
  webhook: WebhookRecord,
  state: DeliveryState,
  signal: AbortSignal,
): Promise<Refreshed> => {
  const { environment } = parts;
  if (webhook.format !== 'alertmanager') return { state, sleepMs: undefined };
  const waitMs = dueInMs(state, environment.nowMs());
  if (waitMs > 0) return { state, sleepMs: waitMs };
  const open = await openMessages(parts, webhook, state);
  const attempt = await sendAgain(parts, webhook, open, signal);
  if (attempt) return { state, attempt, sleepMs: retryMs };
  // Without anything open the search is not repeated at each event.
  const refreshed = { ...state, refreshedAtMs: environment.nowMs() };
  return { state: refreshed, sleepMs: open.length > 0 ? refreshMs : undefined };
};
