import { alertMessage, archivalTypes, type AlertEventType } from '../../domain/webhooks/messageCauses.js';
import type { MessageType } from '../../domain/webhooks/webhookTarget.js';
import type { AlertThen, MessageCause } from '../../projections/messageCauses.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import {
  isGroupingAwaited,
  shownAlert,
  sourceThen,
  type FilteredCause,
  type MessageContent,
  type MessageParts,
  type SourceThen,
} from './messageContent.js';

/** Type and data of a message. */
export type Content = { readonly type: MessageType; readonly data: object };

/**
 * Content of a message about an alert.
 * @param source    with its description as of the event
 * @param announced position of the event that announced the alert to the webhook, null for none
 */
export const alertContent = (
  models: MessageParts['models'],
  source: SourceThen,
  { type, position, detail }: MessageCause,
  alert: AlertThen & { readonly announced: bigint | null },
): Content | undefined => {
  const { announced, id, kind } = alert;
  if (announced === null) return undefined;
  const message = alertMessage(type as AlertEventType, kind, announced === position ? 'now' : 'before');
  const found = message && models.messageCauses.findingAt(id, position);
  if (!message || !found) return undefined;
  const shown = shownAlert(source, alert, found);
  const verdict = detail.verdict ?? null;
  return { type: message.type, data: { change: message.change, alert: { ...shown, verdict } } };
};

/** Largest number of incidents, and of alerts, that the end of a mute announces, and that an archived source ends. */
export const afterMuteMax = 100;
export const archivedMax = 1000;

/** Whether a source was archived or restored. */
export const isArchival = ({ type }: MessageCause): boolean => archivalTypes.some(one => one === type);

/** Position of the announcement that a message may be about: the end of a mute has no other messages. */
export const announcedFor = ({ detail, position }: MessageCause, announced: bigint | null): bigint | null =>
  detail.muteId !== undefined && announced !== position ? null : announced;

/** An alert as if an event of its own had ended it with its source, or had opened it again. */
const archivalAlert = (
  alert: AlertThen,
  type: MessageCause['type'],
): { alert: AlertThen; type: AlertEventType } => {
  if (type === 'SourceArchived') return { alert: { ...alert, state: 'ended' }, type: 'AlertEnded' };
  return { alert, type: alert.state === 'acknowledged' ? 'AlertAcknowledged' : 'AlertReopened' };
};

/** Alerts with their last events that an event that is not theirs may announce or end. */
const alertsOf = (
  { models, announcedAt }: MessageParts,
  webhook: WebhookRecord,
  { cause, about }: FilteredCause,
): readonly MessageCause[] => {
  const { position, detail, sourceId } = cause;
  const { tenant } = webhook;
  const of = { tenant, position, about };
  if (isArchival(cause)) return models.messageCauses.openAlertsAt({ ...of, sourceId }, archivedMax);
  const isWanted = (id: string): boolean => announcedAt.alert(webhook, id, position) === position;
  if (detail.muteId !== undefined)
    return models.messageCauses.openAlertsAt({ ...of, sourceId: null, isWanted }, afterMuteMax);
  if (cause.type !== 'AlertsGrouped' || !isGroupingAwaited(models, tenant, cause)) return [];
  return models.incidents
    .joinedAt(position)
    .filter(id => about === undefined || id === about)
    .flatMap(id => models.messageCauses.lastOfAlert(id, position) ?? []);
};

/**
 * The messages about open alerts for a webhook about single alerts, after an event that is not theirs: the end of a
 * mute announces those that it held back, a grouping those that waited for it, and an archived source ends its own.
 */
export const openAlertContents = (
  parts: MessageParts,
  webhook: WebhookRecord,
  filtered: FilteredCause,
): readonly MessageContent[] => {
  const { models, announcedAt } = parts;
  const { cause, filter } = filtered;
  const { position } = cause;
  const asksForAlerts = filter.events.some(type => /^(alert|source)\./.test(type));
  if (filter.grouping === 'incident' || !asksForAlerts) return [];
  return alertsOf(parts, webhook, filtered).flatMap((last): MessageContent[] => {
    const { sourceId } = last;
    const source = sourceThen(models, webhook.tenant, { sourceId, position });
    if (!last.alert || !source) return [];
    const { alert, type } = archivalAlert(last.alert, cause.type);
    const at = announcedAt.alert(webhook, alert.id, position);
    const announced = isArchival(cause) || at === position ? at : null;
    const content = alertContent(models, source, { ...last, type, position }, { ...alert, announced });
    const { id, criticity } = alert;
    const common = { source, subject: id, key: id, criticity, path: `alerts/${id}` };
    return content ? [{ ...content, ...common }] : [];
  });
};
