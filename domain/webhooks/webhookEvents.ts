import type { WebhookTarget } from './webhookTarget.js';

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

/** Types of the events of webhooks; the compiler names a missing one. */
export const webhookEventTypes: Readonly<Record<WebhookEvent['type'], true>> = {
  WebhookCreated: true,
  WebhookChanged: true,
  WebhookSecretRotated: true,
  WebhookDisabled: true,
  WebhookEnabled: true,
  WebhookReplayRequested: true,
  WebhookDeleted: true,
};
