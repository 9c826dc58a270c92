import { ownWebhook, type Requester } from '../access.js';
import { derivedId } from '../../commands/commandHandler.js';
import type { WebhookRecord } from '../../../projections/webhooks.js';
import { QueueFull } from '../../ports/analyst.js';
import type { Service } from '../service.js';
import { fairQueue, type FairQueue } from '../../ports/sharing/fairQueue.js';
import { resultOf } from '../../messages/attempt.js';
import type { Attempt, DeliveryState } from '../../ports/deliveries.js';
import { testMessage } from '../../messages/messages.js';
import { isAccepted } from '../../ports/deliveries.js';
import {
  receiverOptions,
  type ReceiverFormat,
  type ReceiverOption,
  mailHost,
  type Digest,
  type Grouping,
  type MailLanguage,
  type QuietHours,
} from '../../../domain/webhooks/webhookTarget.js';
import { shownAddress, vaultOf } from '../../messages/dispatch.js';

/** Longest time of a test; the sender ends earlier by its own limit. */
const testMaxMs = 15_000;
/** Longest wait for a place. */
const waitMaxMs = 5000;

/** Tests at once: of all tenants, and of each. */
const testsAtOnce = 32;
const testsEachMax = 2;
const testsWaitingMax = 256;

/** Places of test messages. */
export const testPlaces = (): FairQueue =>
  fairQueue({
    atOnce: testsAtOnce,
    eachMax: testsEachMax,
    waitingMax: testsWaitingMax,
    name: 'tests of webhooks',
  });

/** Waits for a place. @throws QueueFull when there is none in time */
const enter = async (tests: FairQueue, tenant: string): Promise<() => void> => {
  const signal = AbortSignal.timeout(waitMaxMs);
  try {
    return await tests.enter(tenant, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new QueueFull(`${testsEachMax} tests of webhooks of this tenant are running; retry later`);
  }
};

/**
 * Sends a message of type `webhook.test` once, also for a disabled webhook, and stores the attempt.
 * @throws Rejection `webhookNotFound`, QueueFull
 */
export const testWebhook = async (
  service: Pick<Service, 'models' | 'webhooks' | 'now'>,
  { actor, begin }: Requester,
  webhookId: string,
): Promise<Attempt> => {
  const webhook = ownWebhook(service.models, actor, webhookId);
  const metadata = await begin();
  const leave = await enter(service.webhooks.tests, actor.tenant);
  try {
    return await sendTest(service, webhook, metadata.id);
  } finally {
    leave();
  }
};

const sendTest = async (
  service: Pick<Service, 'now' | 'webhooks'>,
  webhook: WebhookRecord,
  requestId: string,
): Promise<Attempt> => {
  const id = derivedId('webhook test', webhook.id, requestId);
  const at = service.now();
  const body = testMessage(webhook, id, at);
  const sent = await service.webhooks.dispatch(webhook, { id, body }, AbortSignal.timeout(testMaxMs));
  const result = resultOf(sent);
  const attempt: Attempt = {
    id,
    type: 'webhook.test',
    sourceId: null,
    position: null,
    at,
    attempt: 1,
    ...result,
    outcome: isAccepted(result) ? 'delivered' : 'failed',
  };
  await service.webhooks.deliveries.note(webhook.id, attempt);
  return attempt;
};

/** A webhook as its tenant sees it. */
export type ShownWebhook = Pick<
  WebhookRecord,
  | 'id'
  | 'url'
  | 'events'
  | 'labels'
  | 'minCriticity'
  | 'status'
  | 'disabledReason'
  | 'disabledAt'
  | 'createdAt'
> & {
  readonly grouping: Grouping;
  readonly digest: Digest | null;
  readonly quietHours: QuietHours | null;
  /** Language of mails and of formats that people read; null for CloudEvents. */
  readonly language: MailLanguage | null;
  /** null for a mail. */
  readonly format: ReceiverFormat | null;
  /** Names of the options that are set. */
  readonly options: readonly ReceiverOption[];
  /** Instant until which messages have a second signature, with the secret before; null for none. */
  readonly previousSecretUntil: string | null;
  readonly delivery: ShownProgress;
};

/** How far a webhook has delivered. */
type ShownProgress = {
  /** All messages of events up to this position are delivered. */
  readonly position: string;
  /** Instant of the first failed attempt of the message that is not delivered yet. */
  readonly failingSince: string | null;
  readonly failedAttempts: number;
  readonly nextAttemptAt: string | null;
};

const progressOf = (
  { createdPosition, activation }: WebhookRecord,
  state: DeliveryState | undefined,
): ShownProgress => {
  const failing = state?.failing?.activation === activation ? state.failing : undefined;
  return {
    position: String(state?.cursor ?? createdPosition),
    failingSince: failing?.since ?? null,
    failedAttempts: failing?.attempts ?? 0,
    nextAttemptAt: failing?.nextAt ?? null,
  };
};

/** A webhook with its address opened, `erased` when its key is lost, and its progress. */
export const shownWebhook = async (
  { people, webhooks: { deliveries }, now }: Pick<Service, 'people' | 'webhooks' | 'now'>,
  webhook: WebhookRecord,
): Promise<ShownWebhook> => {
  const { id, tenant, events, labels, minCriticity, status, disabledReason, disabledAt, createdAt } = webhook;
  const opened = await people.openedJson(vaultOf(tenant, id).tenant, JSON.stringify(webhook.url));
  const { previousUntil } = webhook;
  const isMail = webhook.host === mailHost;
  return {
    id,
    url: shownAddress(webhook.format ?? 'cloudevents', JSON.parse(opened) as string),
    events,
    labels,
    minCriticity,
    grouping: webhook.grouping ?? 'none',
    digest: webhook.digest ?? null,
    quietHours: webhook.quietHours ?? null,
    language: isMail || webhook.format !== undefined ? (webhook.language ?? 'en') : null,
    format: isMail ? null : (webhook.format ?? 'cloudevents'),
    options: receiverOptions.filter(name => webhook.options?.[name] !== undefined),
    status,
    disabledReason,
    disabledAt,
    createdAt,
    previousSecretUntil: previousUntil !== null && now() < previousUntil ? previousUntil : null,
    delivery: progressOf(webhook, await deliveries.state(id)),
  };
};
