import { streams } from '../../../domain/streams.js';
import { Rejection } from '../../../domain/rejection.js';
import { type WebhookCommand, webhooks } from '../../../domain/webhooks/webhooks.js';
import type { WebhookRecord } from '../../../projections/webhooks.js';
import { ownWebhook, type Requester } from '../access.js';
import type { Deciding, Service } from '../service.js';
import {
  usualEvents,
  type ReceiverFormat,
  type ReceiverOption,
  defaultMessageTypes,
  mailHost,
  patchedTarget,
  type TargetPatch,
  type WebhookTarget,
} from '../../../domain/webhooks/webhookTarget.js';
import type { Person, PersonKey } from '../../ports/people.js';
import { formatAddressFault, signingSecret, vaultOf } from '../../messages/dispatch.js';
import { derivedId } from '../../commands/commandHandler.js';

/** Time in which messages are signed with two secrets, so that a receiver can change over. */
const overlapMs = 24 * 3_600_000;

type Change = Exclude<WebhookCommand, { type: 'CreateWebhook' }>;

/**
 * Runs a command of a webhook of the actor's tenant. A retry may come after the deletion, so a request with a key is
 * refused after `begin` only.
 * @throws Rejection `webhookNotFound`
 */
const change = async (
  service: Deciding,
  { actor, hasKey, begin }: Requester,
  webhookId: string,
  commandOf: (requestId: string, at: string) => Change | Promise<Change>,
): Promise<void> => {
  if (!hasKey) ownWebhook(service.models, actor, webhookId);
  const metadata = await begin();
  const command = await commandOf(metadata.id, metadata.at);
  await service.handle(webhooks, streams.webhooks(actor.tenant), command, metadata);
  await service.caughtUp();
};

/** `change`, and the webhook after it. */
const changed = async (...changing: Parameters<typeof change>): Promise<WebhookRecord> => {
  await change(...changing);
  const [{ models }, { actor }, webhookId] = changing;
  return ownWebhook(models, actor, webhookId);
};

/** The key of a webhook. @throws Rejection `webhookNotFound` when it is lost */
const requireKey = async (
  { people }: Pick<Service, 'people'>,
  { id, tenant, keyId }: WebhookRecord,
): Promise<PersonKey> => {
  const key = await people.known(vaultOf(tenant, id));
  if (key?.id !== keyId)
    throw new Rejection('webhookNotFound', 'the key of the webhook is lost: create another webhook');
  return key;
};

/** The sealed address of a patch; empty for the present one. @throws Rejection `webhookInvalid` */
const sealedUrl = async (
  { people }: Pick<Service, 'people'>,
  { tenant, id, url: present }: WebhookRecord,
  url: string,
): Promise<TargetPatch> => {
  const vault = vaultOf(tenant, id);
  if ((await people.openedJson(vault.tenant, JSON.stringify(present))) === JSON.stringify(url)) return {};
  return { host: new URL(url).host || mailHost, url: await people.sealed(vault, url) };
};

/** Values of options, as clients give them; null removes one. */
type GivenOptions = Readonly<Partial<Record<ReceiverOption, string | number | null>>>;

/** Sealed options. The same value is sealed to the same text, so a patch without an effect is no event. */
const sealedOptions = async (
  { people }: Pick<Service, 'people'>,
  vault: Person,
  given: GivenOptions,
): Promise<NonNullable<TargetPatch['options']>> => {
  const sealed = Object.entries(given).map(async ([name, value]) => {
    const text = value === null ? null : await people.sealed(vault, String(value));
    return [name, text] as const;
  });
  return Object.fromEntries(await Promise.all(sealed));
};

/** The sealed parts of a patch. @throws Rejection `webhookInvalid` */
const sealedParts = async (
  service: Pick<Service, 'people' | 'webhooks'>,
  webhook: WebhookRecord,
  { url, format, options }: WebhookPatch,
): Promise<TargetPatch> => {
  const { people } = service;
  const vault = vaultOf(webhook.tenant, webhook.id);
  if (url !== undefined || format !== undefined) {
    const opened = await people.openedJson(vault.tenant, JSON.stringify(webhook.url));
    requireAddress(service, url ?? (JSON.parse(opened) as string), format ?? webhook.format);
  }
  if (url !== undefined || options) await requireKey(service, webhook);
  return {
    ...(url !== undefined && (await sealedUrl(service, webhook, url))),
    ...(options === null && { options }),
    ...(options && { options: await sealedOptions(service, vault, options) }),
  };
};

/** A merge patch as clients give it. */
type WebhookPatch = Omit<TargetPatch, 'host' | 'options'> & { readonly options?: GivenOptions | null };

/**
 * Changes the address, the filter or the times of a webhook by a merge patch.
 * @throws Rejection `webhookNotFound`, `webhookInvalid`
 */
export const patchWebhook = (
  service: Deciding & Pick<Service, 'people' | 'webhooks'>,
  requester: Requester,
  webhookId: string,
  given: WebhookPatch,
): Promise<WebhookRecord> =>
  changed(service, requester, webhookId, async () => {
    const webhook = ownWebhook(service.models, requester.actor, webhookId);
    const { url: _url, options: _options, ...patch } = given;
    const sealed = await sealedParts(service, webhook, given);
    return { type: 'ChangeWebhook', webhookId, patch: { ...patch, ...sealed } };
  });

/** Stops the deliveries until the webhook is enabled. */
export const disableWebhook = (service: Deciding, requester: Requester, webhookId: string) =>
  changed(service, requester, webhookId, () => ({ type: 'DisableWebhook', webhookId, reason: 'requested' }));

/** Starts the deliveries where they stopped. */
export const enableWebhook = (service: Deciding, requester: Requester, webhookId: string) =>
  changed(service, requester, webhookId, () => ({ type: 'EnableWebhook', webhookId }));

/** Deletes a webhook and destroys its key. */
export const deleteWebhook = (service: Deciding, requester: Requester, webhookId: string): Promise<void> =>
  change(service, requester, webhookId, () => ({ type: 'DeleteWebhook', webhookId }));

/** Makes a new secret; the one before stays valid for a day. A retry gets the same secret. */
export const rotateWebhookSecret = async (
  service: Deciding & Pick<Service, 'people'>,
  requester: Requester,
  webhookId: string,
): Promise<WebhookWithSecret> => {
  const webhook = await changed(service, requester, webhookId, (requestId, at) => ({
    type: 'RotateWebhookSecret',
    webhookId,
    requestId,
    previousUntil: new Date(Date.parse(at) + overlapMs).toISOString(),
  }));
  const key = await requireKey(service, webhook);
  return { webhook, secret: signingSecret(key, webhook.secret) };
};

/**
 * Delivers all messages after a position again.
 * @param after position in the log, from 0
 * @throws Rejection `webhookInvalid` for a position beyond the end of the log
 */
export const replayWebhook = async (
  service: Deciding,
  requester: Requester,
  webhookId: string,
  after: bigint,
): Promise<WebhookRecord> => {
  const { position: end } = service.models.checkpoint('readModels');
  if (after > end)
    throw new Rejection('webhookInvalid', 'the position is not in the log', [
      {
        code: 'positionUnknown',
        pointer: '/position',
        detail: `got ${after}, expected 0 to ${end}, the end of the log`,
      },
    ]);
  return changed(service, requester, webhookId, requestId => ({
    type: 'ReplayWebhook',
    webhookId,
    requestId,
    after: String(after),
  }));
};

/** A webhook with its newest signing secret, which is answered only when it is made. */
export type WebhookWithSecret = { readonly webhook: WebhookRecord; readonly secret: string };

/** Settings of a new webhook that the client chooses; `events` are all that its format takes by default. */
type NewWebhook = Omit<WebhookTarget, 'host' | 'options' | 'events'> & {
  readonly events?: WebhookTarget['events'];
  readonly options?: GivenOptions;
};

/**
 * Creates a webhook with a key of its own. A retry gets the same id and the same secret.
 * @throws Rejection `webhookInvalid` for an address that messages must not go to, `tooManyWebhooks`
 */
export const createWebhook = async (
  service: Deciding & Pick<Service, 'people' | 'webhooks'>,
  requester: Requester,
  { url, format = 'cloudevents', options = {}, ...wanted }: NewWebhook,
): Promise<WebhookWithSecret> => {
  requireAddress(service, url, format);
  const { actor } = requester;
  const metadata = await requester.begin();
  const webhookId = derivedId('webhook', actor.tenant, metadata.id);
  const vault = vaultOf(actor.tenant, webhookId);
  const key = await service.people.keyOf(vault);
  const target = patchedTarget(
    {
      host: new URL(url).host || mailHost,
      url: await service.people.sealed(vault, url),
      events: usualEvents(format, defaultMessageTypes),
      ...wanted,
    },
    { format, options: await sealedOptions(service, vault, options) },
  );
  try {
    const command = { type: 'CreateWebhook', webhookId, keyId: key.id, target } as const;
    await service.handle(webhooks, streams.webhooks(actor.tenant), command, metadata);
    await service.caughtUp();
    return { webhook: ownWebhook(service.models, actor, webhookId), secret: signingSecret(key, 1) };
  } catch (error) {
    // Another attempt of the request may have created it; else its key has no use.
    if (error instanceof Rejection) {
      await service.caughtUp();
      if (!service.models.webhooks.one(webhookId)) await service.people.destroy(key.id);
    }
    throw error;
  }
};

/** @throws Rejection `webhookInvalid` for an address that messages must not go to, or that is of another receiver */
const requireAddress = (
  { webhooks: { addressFault } }: Pick<Service, 'webhooks'>,
  url: string,
  format: ReceiverFormat = 'cloudevents',
): void => {
  const refused = addressFault(url);
  const detail = refused ?? formatAddressFault(format, url);
  if (detail !== undefined)
    throw new Rejection('webhookInvalid', 'the address of the receiver is refused', [
      { code: refused === undefined ? 'addressOfFormat' : 'addressRefused', pointer: '/url', detail },
    ]);
};
