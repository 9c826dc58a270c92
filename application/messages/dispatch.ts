import { hkdfSync } from 'node:crypto';
import { parseAlertId } from '../../domain/alerts/alertsState.js';
import { harmlessJson } from '../../domain/text.js';
import type { ReceiverFormat, MailLanguage } from '../../domain/webhooks/webhookTarget.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import type { Sent, WebhookSender } from '../ports/deliveries.js';
import { instantOf, type Environment } from '../ports/environment.js';
import type { Person, PersonKey, People } from '../ports/people.js';
import { ntfy, slack, teams } from './formats/chats.js';
import {
  hiddenPath,
  type Format,
  type Formatted,
  type FormatInput,
  announcementOf,
  type AnnouncedEvent,
  type EventFacts,
} from './formats/format.js';
import { alertmanager, pagerduty } from './formats/pagers.js';
import { headingOf, mailTexts } from './messageWords.js';
import { announcements, freedBetween, type AnnouncedAt, type MessageParts } from './messageContent.js';

/** Formats that are not CloudEvents. */
export type ChosenFormat = Exclude<ReceiverFormat, 'cloudevents'>;

const formats: Readonly<Record<ChosenFormat, Format>> = { slack, teams, pagerduty, ntfy, alertmanager };

/** Fault of an address that cannot belong to a receiver of a format; undefined for none. */
export const formatAddressFault = (format: ReceiverFormat, url: string): string | undefined =>
  format === 'cloudevents' ? undefined : formats[format].addressFault?.(new URL(url));

/** An address for answers: its path is hidden when it is a secret. An erased one stays as it is. */
export const shownAddress = (format: ReceiverFormat, url: string): string =>
  format !== 'cloudevents' && formats[format].hasSecretPath && URL.canParse(url)
    ? `${new URL(url).origin}${hiddenPath}`
    : url;

/** The request of a message: a function of the message and of the settings of its receiver alone. */
export const formatted = (
  format: ChosenFormat,
  announcements: FormatInput['announcements'],
  {
    language = 'en',
    options = {},
  }: { readonly language?: MailLanguage | undefined } & Partial<Pick<FormatInput, 'options'>>,
): Formatted => {
  const texts = mailTexts(language);
  const heading = headingOf(announcements, texts);
  const { body, ...others } = formats[format].format({ announcements, heading, words: texts, options });
  return { body: harmlessJson(body), ...others };
};

type FactModels = MessageParts['models'] & Pick<ReadModels, 'messageFacts'>;
type Announced = EventFacts['announced'];

/** An alert and its source as of the event that announced it, also one that freed it: see `freedBetween`. */
const announcedAlert = (models: FactModels, tenant: string, id: string, position: bigint): Announced => {
  const cause = models.messageCauses.lastOfAlert(id, position);
  const described = cause && models.messageCauses.describedAt(cause.sourceId, position);
  if (!cause?.alert || !described) return undefined;
  const { kind, criticity } = cause.alert;
  const between = { after: position - 1n, to: position };
  const [{ at } = cause] = freedBetween(models, tenant, [cause.sourceId], between);
  const { name: source, labels } = described;
  return { at, kind, criticity, sourceId: cause.sourceId, source, labels };
};

/** An incident and the source of its most critical alert as of the event that announced it. */
const announcedIncident = (models: FactModels, tenant: string, id: string, position: bigint): Announced => {
  const facts = models.incidents.factsAt(id, position);
  const between = { after: position - 1n, to: position };
  const [moment] = [
    ...models.incidents.factsBetween(id, between.after, position),
    ...freedBetween(models, tenant, facts?.sourceIds ?? [], between),
  ];
  const sourceId = facts && parseAlertId(facts.mainAlertId)?.sourceId;
  const described = sourceId && models.messageCauses.describedAt(sourceId, position);
  const found = facts && models.messageCauses.findingAt(facts.mainAlertId, position);
  if (!moment || !described || !found) return undefined;
  const { name: source, labels } = described;
  const { kind } = found.finding;
  return { at: moment.at, kind, criticity: facts.criticity, sourceId, source, labels };
};

/** Facts of an event that its message does not have, as of the event. */
const factsOf = (
  models: FactModels,
  announcedAt: AnnouncedAt,
  webhook: WebhookRecord,
  { subject, position: digits, data: { alert, incident, source } }: AnnouncedEvent,
): EventFacts => {
  if (!alert || !source || subject === undefined || digits === undefined) return {};
  const position = BigInt(digits);
  const blocks = models.messageFacts.blocksAt(source.id, alert.date, position);
  const first = announcedAt[incident ? 'incident' : 'alert'](webhook, subject, position);
  const announced =
    first === null
      ? undefined
      : incident
        ? announcedIncident(models, webhook.tenant, subject, first)
        : announcedAlert(models, webhook.tenant, subject, first);
  return { ...(blocks !== undefined && { blocks }), ...(announced && { announced }) };
};

/**
 * The request of a message in the format of its webhook; undefined for CloudEvents and mails, whose senders take the
 * message itself.
 * @param body    a CloudEvent in JSON
 * @param options of the webhook, opened
 */
export type Render = (
  webhook: WebhookRecord,
  body: string,
  options: FormatInput['options'],
) => Formatted | undefined;

/** Renders messages. The same message and settings of the webhook give the same bytes at any time. */
export const renderer = (models: FactModels): Render => {
  const announcedAt = announcements(models);
  return (webhook, body, options) => {
    const { format, language } = webhook;
    if (format === undefined || format === 'cloudevents') return undefined;
    const event = JSON.parse(body) as AnnouncedEvent;
    const announce = (one: AnnouncedEvent) =>
      announcementOf(one, language, factsOf(models, announcedAt, webhook, one));
    const [first = event, ...others] = event.data.messages ?? [event];
    return formatted(format, [announce(first), ...others.map(announce)], { language, options });
  };
};

/** Bytes of a signing secret; Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** Holder of the key of a webhook. No token has such a tenant, and the audit trail opens no text of it. */
export const vaultOf = (tenant: string, webhookId: string): Person => ({
  tenant: `webhooks/${tenant}`,
  subject: webhookId,
});

/**
 * Signing secret of a webhook: `whsec_` and 32 bytes in base64, derived from its key by HKDF with SHA-256 (RFC 5869).
 * @param number of the secret, from 1
 */
export const signingSecret = ({ secret }: PersonKey, number: number): string => {
  const bytes = hkdfSync('sha256', secret, '', `daybook webhook secret ${number}`, secretBytes);
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
};

/** Signs and sends messages with the address and the secrets of a webhook. */
export type Dispatch = (
  webhook: WebhookRecord,
  message: { readonly id: string; readonly body: string },
  signal: AbortSignal,
) => Promise<Sent | 'keyLost'>;

/** `keyLost` when the key of a webhook was destroyed or is not in a restored backup. */
export const dispatcher =
  (
    people: Pick<People, 'known' | 'openedJson'>,
    sender: WebhookSender,
    environment: Pick<Environment, 'nowMs'>,
    render: Render,
  ): Dispatch =>
  async (webhook, { id, body }, signal) => {
    const vault = vaultOf(webhook.tenant, webhook.id);
    const key = await people.known(vault);
    if (key?.id !== webhook.keyId) return 'keyLost';
    const sealed = { url: webhook.url, options: webhook.options ?? {} };
    const opened = await people.openedJson(vault.tenant, JSON.stringify(sealed));
    const { url, options } = JSON.parse(opened) as Readonly<{ url: string; options: FormatInput['options'] }>;
    const rendered = render(webhook, body, options);
    const { tenant, id: webhookId, language } = webhook;
    const common = { tenant, url, id, webhookId, language };
    if (rendered) return sender.send({ ...common, ...rendered, format: webhook.format, secrets: [] }, signal);
    const { secret, previousUntil } = webhook;
    const isOverlap = previousUntil !== null && instantOf(environment) < previousUntil;
    const secrets = [secret, ...(isOverlap ? [secret - 1] : [])].map(number => signingSecret(key, number));
    return sender.send({ ...common, body, secrets }, signal);
  };
