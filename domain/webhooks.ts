import type { Decider } from './decider.js';
import { lookUp, emptyKeyed, put, type Keyed } from './keyed.js';
import { Rejection } from './rejection.js';

/** Types of the messages that a webhook can ask for. */
export const messageTypes = [
  'alert.raised',
  'alert.updated',
  'alert.resolved',
  'source.silent',
  'analysis.completed',
  'analysis.failed',
] as const;
export type MessageType = (typeof messageTypes)[number];

/** Why a webhook does not deliver: a person, 24 hours of failures, status 410 of the receiver, or a lost key. */
export const disabledReasons = ['requested', 'failing', 'gone', 'keyLost'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** `episode`: of consecutive dates with alerts only the first is raised; absent or `none`: every alert is. */
export const groupings = ['none', 'episode'] as const;
export type Grouping = (typeof groupings)[number];

/** Minutes between digests: parts of a day, so that digests come at the same times every day. */
export const digestMinutes = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440] as const;

/** Messages wait for the next digest, at times of the day in the time zone of their source. */
export type Digest = {
  /** Minutes between digests, one of `digestMinutes`. */
  readonly everyMinutes: number;
  /** Time of one of the digests, `HH:MM`; absent for `00:00`. */
  readonly at?: string;
};

/** Times of the day in the time zone of a source at which its messages wait. */
export type QuietHours = {
  /** Beginning, `HH:MM`. */
  readonly from: string;
  /** End, `HH:MM`; before `from` for an end on the next day. */
  readonly to: string;
  /** Least criticity of alerts that do not wait, 0–1; absent when all wait. */
  readonly minCriticity?: number;
};

/** Languages of mails. Messages to other receivers have an English sentence and its numbers. */
export const mailLanguages = ['en', 'fr'] as const;
export type MailLanguage = (typeof mailLanguages)[number];

/** Recorded as the host of every mail address, because the real host may identify a person. */
export const mailHost = 'mail';

/** Messages of a webhook, and their receiver. */
export type WebhookTarget = {
  /** Host of the address; `mail` for a mail address. */
  readonly host: string;
  /** The address, sealed with the key of the webhook: it may hold a secret, or name a person. */
  readonly url: string;
  readonly events: readonly MessageType[];
  /** Labels that a source must have; none for all sources. */
  readonly labels: Readonly<Record<string, string>>;
  /** Least criticity of an alert, 0–1. */
  readonly minCriticity: number;
  /** Which alerts are raised: `episode` for the first of consecutive dates only; absent for all. */
  readonly grouping?: Grouping;
  /** Absent when each message is delivered at once. */
  readonly digest?: Digest;
  /** Absent for none. */
  readonly quietHours?: QuietHours;
  /** Language of mails; absent for English and for other receivers. */
  readonly language?: MailLanguage;
};

/** Events of `webhooks-{tenant}`. */
export type WebhookEvent =
  | {
      readonly type: 'WebhookCreated';
      readonly data: WebhookTarget & {
        readonly webhookId: string;
        /** Id of the key that seals the address and from which the signing secrets are derived. */
        readonly keyId: string;
      };
    }
  | {
      readonly type: 'WebhookSecretRotated';
      readonly data: {
        readonly webhookId: string;
        readonly requestId: string;
        /** Number of the new secret, counted from 1. The secret itself is in no event. */
        readonly secret: number;
        /** Instant until which messages are also signed with the secret before. */
        readonly previousUntil: string;
      };
    }
  | {
      readonly type: 'WebhookDisabled';
      readonly data: { readonly webhookId: string; readonly reason: DisabledReason };
    }
  | { readonly type: 'WebhookEnabled'; readonly data: { readonly webhookId: string } }
  | {
      readonly type: 'WebhookReplayRequested';
      readonly data: {
        readonly webhookId: string;
        readonly requestId: string;
        /** Position in the log after which all messages are delivered again, in decimal digits. */
        readonly after: string;
      };
    }
  | {
      readonly type: 'WebhookDeleted';
      readonly data: {
        readonly webhookId: string;
        /** Id of the destroyed key. */
        readonly keyId: string;
      };
    };

/** Types of the events of webhooks; the compiler names a missing one. */
export const webhookEventTypes: Readonly<Record<WebhookEvent['type'], true>> = {
  WebhookCreated: true,
  WebhookSecretRotated: true,
  WebhookDisabled: true,
  WebhookEnabled: true,
  WebhookReplayRequested: true,
  WebhookDeleted: true,
};

/** Commands of `webhooks-{tenant}`. */
export type WebhookCommand =
  | {
      readonly type: 'CreateWebhook';
      readonly webhookId: string;
      readonly keyId: string;
      readonly target: WebhookTarget;
    }
  | {
      readonly type: 'RotateWebhookSecret';
      readonly webhookId: string;
      readonly requestId: string;
      readonly previousUntil: string;
    }
  | { readonly type: 'DisableWebhook'; readonly webhookId: string; readonly reason: DisabledReason }
  | { readonly type: 'EnableWebhook'; readonly webhookId: string }
  | {
      readonly type: 'ReplayWebhook';
      readonly webhookId: string;
      readonly requestId: string;
      readonly after: string;
    }
  | { readonly type: 'DeleteWebhook'; readonly webhookId: string };

/** A webhook as its rules need it. */
type Webhook = {
  readonly status: 'active' | 'disabled' | 'deleted';
  readonly keyId: string;
  /** Number of the newest secret. */
  readonly secret: number;
  /** The last requests for a new secret and for a replay. */
  readonly rotatedBy: string | null;
  readonly replayedBy: string | null;
};

/** Webhooks of a tenant by id, and the number of those that are not deleted. */
export type WebhooksState = { readonly count: number; readonly webhooks: Keyed<Webhook> };

/** Largest number of webhooks of a tenant. */
export const webhooksMax = 50;

/** Rules of `webhooks-{tenant}`: people create, disable, enable and delete webhooks; failures disable them. */
export const webhooks: Decider<WebhookCommand, WebhookEvent, WebhooksState> = {
  initial: { count: 0, webhooks: emptyKeyed },

  decide: (command, state) => {
    const { webhookId } = command;
    switch (command.type) {
      case 'CreateWebhook':
        return decideCreation(command, state);
      case 'RotateWebhookSecret': {
        const { secret, rotatedBy } = existing(webhookId, state);
        const { requestId, previousUntil } = command;
        return rotatedBy === requestId
          ? []
          : [
              {
                type: 'WebhookSecretRotated',
                data: { webhookId, requestId, secret: secret + 1, previousUntil },
              },
            ];
      }
      case 'DisableWebhook':
        return existing(webhookId, state).status === 'disabled'
          ? []
          : [{ type: 'WebhookDisabled', data: { webhookId, reason: command.reason } }];
      case 'EnableWebhook':
        return existing(webhookId, state).status === 'active'
          ? []
          : [{ type: 'WebhookEnabled', data: { webhookId } }];
      case 'ReplayWebhook': {
        const { requestId, after } = command;
        return existing(webhookId, state).replayedBy === requestId
          ? []
          : [{ type: 'WebhookReplayRequested', data: { webhookId, requestId, after } }];
      }
      case 'DeleteWebhook': {
        const { keyId } = existing(webhookId, state);
        return [{ type: 'WebhookDeleted', data: { webhookId, keyId } }];
      }
    }
  },

  evolve: (state, { type, data }) => {
    const { webhookId } = data;
    switch (type) {
      case 'WebhookCreated': {
        const { keyId } = data;
        const created: Webhook = { status: 'active', keyId, secret: 1, rotatedBy: null, replayedBy: null };
        return { count: state.count + 1, webhooks: put(state.webhooks, webhookId, created) };
      }
      case 'WebhookSecretRotated':
        return changed(state, webhookId, { secret: data.secret, rotatedBy: data.requestId });
      case 'WebhookDisabled':
        return changed(state, webhookId, { status: 'disabled' });
      case 'WebhookEnabled':
        return changed(state, webhookId, { status: 'active' });
      case 'WebhookReplayRequested':
        return changed(state, webhookId, { replayedBy: data.requestId });
      case 'WebhookDeleted':
        return { ...changed(state, webhookId, { status: 'deleted' }), count: state.count - 1 };
    }
  },
};

const decideCreation = (
  { webhookId, keyId, target }: Extract<WebhookCommand, { type: 'CreateWebhook' }>,
  state: WebhooksState,
): readonly WebhookEvent[] => {
  if (lookUp(state.webhooks, webhookId)) return [];
  requireHours(target.quietHours);
  requireMail(target);
  if (state.count >= webhooksMax)
    throw new Rejection(
      'tooManyWebhooks',
      `got webhook ${state.count + 1} of the tenant, expected at most ${webhooksMax}: delete one`,
    );
  return [{ type: 'WebhookCreated', data: { webhookId, keyId, ...target } }];
};

/** @throws Rejection `webhookInvalid` for a language without mails */
const requireMail = ({ host, language }: WebhookTarget): void => {
  if (language === undefined || host === mailHost) return;
  const detail = `got ${language} for a receiver that is not a mail address, expected none`;
  throw new Rejection('webhookInvalid', 'only mails have a language', [
    { code: 'languageWithoutMail', pointer: '/language', detail },
  ]);
};

/** @throws Rejection `webhookInvalid` for quiet hours without a length */
const requireHours = (quietHours: QuietHours | undefined): void => {
  if (!quietHours || quietHours.from !== quietHours.to) return;
  const detail = `got ${quietHours.to} for both ends, expected another time than from`;
  throw new Rejection('webhookInvalid', 'the quiet hours have no length', [
    { code: 'quietHoursEmpty', pointer: '/quietHours/to', detail },
  ]);
};

/** @throws Rejection `webhookNotFound` */
const existing = (webhookId: string, { webhooks: byId }: WebhooksState): Webhook => {
  const webhook = lookUp(byId, webhookId);
  if (!webhook || webhook.status === 'deleted')
    throw new Rejection('webhookNotFound', `no webhook ${webhookId}`);
  return webhook;
};

const changed = (state: WebhooksState, webhookId: string, change: Partial<Webhook>): WebhooksState => {
  const webhook = lookUp(state.webhooks, webhookId);
  return webhook ? { ...state, webhooks: put(state.webhooks, webhookId, { ...webhook, ...change }) } : state;
};
