import {
  mailHost,
  type Digest,
  type Grouping,
  type MailLanguage,
  type QuietHours,
} from '../../domain/webhooks/webhookTarget.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { Service } from '../service.js';
import type { DeliveryState } from './deliveries.js';
import { vaultOf } from './secrets.js';

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
  /** Language of mails; null for other receivers. */
  readonly language: MailLanguage | null;
  /** Instant until which messages have a second signature, with the secret before; null for none. */
  readonly previousSecretUntil: string | null;
  readonly delivery: ShownProgress;
};

/** How far a webhook has delivered. */
export type ShownProgress = {
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
  { people, webhooks: { deliveries }, now }: Service,
  webhook: WebhookRecord,
): Promise<ShownWebhook> => {
  const { id, tenant, events, labels, minCriticity, status, disabledReason, disabledAt, createdAt } = webhook;
  const opened = await people.openedJson(vaultOf(tenant, id).tenant, JSON.stringify(webhook.url));
  const { previousUntil } = webhook;
  return {
    id,
    url: JSON.parse(opened) as string,
    events,
    labels,
    minCriticity,
    grouping: webhook.grouping ?? 'none',
    digest: webhook.digest ?? null,
    quietHours: webhook.quietHours ?? null,
    language: webhook.host === mailHost ? (webhook.language ?? 'en') : null,
    status,
    disabledReason,
    disabledAt,
    createdAt,
    previousSecretUntil: previousUntil !== null && now() < previousUntil ? previousUntil : null,
    delivery: progressOf(webhook, await deliveries.state(id)),
  };
};
