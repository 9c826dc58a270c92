import type { DisabledReason } from './webhookEvents.js';
import type { TargetPatch, WebhookTarget } from './webhookTarget.js';

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
