import type { Decider } from '../decider.js';
import { lookUp, emptyKeyed, put, type Keyed } from '../keyed.js';
import { Rejection } from '../rejection.js';
import { isSameJson } from '../sameJson.js';
import {
  requireFormat,
  mailHost,
  patchedTarget,
  webhookLabelsMax,
  type QuietHours,
  type WebhookTarget,
  type TargetPatch,
} from './webhookTarget.js';

/** Why a webhook does not deliver: a person, 24 hours of failures, status 410 of the receiver, or a lost key. */
export const disabledReasons = ['requested', 'failing', 'gone', 'keyLost'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

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
  /** The whole target after a change. Its id, key and secrets stay. */
  | { readonly type: 'WebhookChanged'; readonly data: WebhookTarget & { readonly webhookId: string } }
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

/** Commands of `webhooks-{tenant}`. */
export type WebhookCommand =
  | {
      readonly type: 'CreateWebhook';
      readonly webhookId: string;
      readonly keyId: string;
      readonly target: WebhookTarget;
    }
  | { readonly type: 'ChangeWebhook'; readonly webhookId: string; readonly patch: TargetPatch }
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
  readonly target: WebhookTarget;
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
      case 'ChangeWebhook':
        return decideChange(command, existing(webhookId, state));
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
        const { webhookId: _, keyId, ...target } = data;
        const unused = { secret: 1, rotatedBy: null, replayedBy: null } as const;
        const created: Webhook = { status: 'active', keyId, target, ...unused };
        return { count: state.count + 1, webhooks: put(state.webhooks, webhookId, created) };
      }
      case 'WebhookChanged': {
        const { webhookId: _, ...target } = data;
        return changed(state, webhookId, { target });
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
  requireTarget(target);
  if (state.count >= webhooksMax)
    throw new Rejection(
      'tooManyWebhooks',
      `got webhook ${state.count + 1} of the tenant, expected at most ${webhooksMax}: delete one`,
    );
  return [{ type: 'WebhookCreated', data: { webhookId, keyId, ...target } }];
};

const decideChange = (
  { webhookId, patch }: Extract<WebhookCommand, { type: 'ChangeWebhook' }>,
  { target }: Webhook,
): readonly WebhookEvent[] => {
  const after = patchedTarget(target, patch);
  requireTarget(after);
  return isSameJson(after, target) ? [] : [{ type: 'WebhookChanged', data: { webhookId, ...after } }];
};

/** @throws Rejection `webhookInvalid` */
const requireTarget = (target: WebhookTarget): void => {
  requireWhole(target);
  requireHours(target.quietHours);
  requireLanguage(target);
  requireFormat(target);
  const count = Object.keys(target.labels).length;
  if (count > webhookLabelsMax)
    throw new Rejection('webhookInvalid', 'the webhook has too many labels', [
      {
        code: 'labels',
        pointer: '/labels',
        detail: `got ${count} labels, expected at most ${webhookLabelsMax}`,
      },
    ]);
};

/** @throws Rejection `webhookInvalid` for a language of messages that programs read */
const requireLanguage = ({ host, language, format }: WebhookTarget): void => {
  if (language === undefined || host === mailHost || format !== undefined) return;
  const detail = `got ${language} for a receiver of CloudEvents, expected none`;
  throw new Rejection('webhookInvalid', 'CloudEvents have no language', [
    { code: 'languageWithoutMail', pointer: '/language', detail },
  ]);
};

/** @throws Rejection `webhookInvalid` for a digest or quiet hours that a patch began and did not complete */
const requireWhole = ({ digest, quietHours }: WebhookTarget): void => {
  const needed = {
    ...(digest && { '/digest/everyMinutes': digest.everyMinutes }),
    ...(quietHours && { '/quietHours/from': quietHours.from, '/quietHours/to': quietHours.to }),
  };
  const faults = Object.entries<unknown>(needed)
    .filter(([, value]) => value === undefined)
    .map(([pointer]) => ({ code: 'required', pointer, detail: 'got none, expected one' }));
  if (faults.length > 0)
    throw new Rejection('webhookInvalid', 'the times of the webhook lack a field', faults);
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
