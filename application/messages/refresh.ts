import { unprocessedStates } from '../../domain/incidents/incidents.js';
import type { MessageCause } from '../../projections/messageCauses.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import { type Attempt, type DeliveryState, isAccepted } from '../ports/deliveries.js';
import { instantOf } from '../ports/environment.js';
import { resultOf, type WorkerParts } from './attempt.js';
import { causeAt, type Made } from './deliveryPlan.js';
import { areArchived } from './messageContent.js';
import { digestMessage, messagesOf } from './messages.js';

/** Interval at which open alerts are sent again: Alertmanager forgets them after five minutes by default. */
export const refreshMs = 120_000;
/** Wait after a failed refresh. */
const retryMs = 30_000;

/** Maximum alerts and incidents of a refresh, the latest ones that the receiver knows, and of one request. */
const alertsMax = 1000;
const incidentsMax = 300;
const requestMax = 100;
/** The latest open alerts and incidents of a tenant that are looked at for those that a receiver knows. */
const lookedMax = 5000;

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
  messagesOf(parts, webhook, cause, id).find(
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
    position => causeAt(models, webhook.tenant, position) ?? [],
  );
};

type OpenCauses = { readonly id: string; readonly causes: readonly MessageCause[] };

/** Ids with their events up to a number of those that have events: the receiver knows no other ones. */
function* knownAmong(
  ids: readonly string[],
  causesOf: (id: string) => readonly MessageCause[],
  max: number,
): Generator<OpenCauses> {
  let known = 0;
  for (const id of ids) {
    if (known >= max) return;
    const causes = causesOf(id);
    if (causes.length > 0) known += 1;
    yield { id, causes };
  }
}

/** Ids of what is open up to the progress of a webhook, each with its events, the latest first. */
function* openCauses(parts: WorkerParts, webhook: WebhookRecord, cursor: bigint): Generator<OpenCauses> {
  const { models } = parts;
  const { tenant } = webhook;
  const asksFor = (prefix: string): boolean => webhook.events.some(type => type.startsWith(prefix));
  if (asksFor('alert.') || asksFor('source.'))
    yield* knownAmong(
      models.messageFacts.openAlerts(tenant, lookedMax),
      id => causesAbout(parts, webhook, { kind: 'alert', id }, cursor),
      alertsMax,
    );
  if (asksFor('incident.'))
    yield* knownAmong(
      models.incidents.maybeLive({ tenant, position: cursor }, lookedMax),
      id => {
        const facts = models.incidents.factsAt(id, cursor);
        const isLive =
          facts && unprocessedStates.includes(facts.state) && !areArchived(models, facts, cursor);
        return isLive ? causesAbout(parts, webhook, { kind: 'incident', id }, cursor) : [];
      },
      incidentsMax,
    );
}

/** The last messages about what is open, those of one request at a time. */
async function* openMessages(
  parts: WorkerParts,
  webhook: WebhookRecord,
  { cursor }: DeliveryState,
): AsyncGenerator<readonly Made[]> {
  let open: Made[] = [];
  const yieldToEventLoop = parts.turns.yielderFor(webhook.tenant);
  for (const { id, causes } of openCauses(parts, webhook, cursor)) {
    for (const cause of causes) {
      const message = messageAbout(parts, webhook, cause, id);
      if (!message) continue;
      open.push({ cause, message });
      break;
    }
    await yieldToEventLoop();
    if (open.length < requestMax) continue;
    yield open;
    open = [];
  }
  if (open.length > 0) yield open;
}

/** Sends messages again in one request; the attempt when it failed. */
const sendAgain = async (
  { dispatch, environment }: WorkerParts,
  webhook: WebhookRecord,
  open: readonly Made[],
  signal: AbortSignal,
): Promise<Attempt | undefined> => {
  const { id, body } = digestMessage(webhook, open);
  const at = instantOf(environment);
  const result = resultOf(await dispatch(webhook, { id, body }, signal));
  const about = { type: 'alert.refresh', sourceId: null, position: null } as const;
  return isAccepted(result) ? undefined : { id, ...about, at, attempt: 1, ...result, outcome: 'failed' };
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
  let isAnyOpen = false;
  for await (const open of openMessages(parts, webhook, state)) {
    isAnyOpen = true;
    const attempt = await sendAgain(parts, webhook, open, signal);
    if (attempt) return { state, attempt, sleepMs: retryMs };
  }
  // Without anything open the search is not repeated at each event.
  const refreshed = { ...state, refreshedAtMs: environment.nowMs() };
  return { state: refreshed, sleepMs: isAnyOpen ? refreshMs : undefined };
};
