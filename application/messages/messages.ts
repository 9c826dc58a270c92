import { LRUCache } from 'lru-cache';
import { alertDetails } from '../../domain/alerts/alertDetails.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { numberTexts } from '../../domain/source/sourceDescription.js';
import { harmlessJson } from '../../domain/harmlessText.js';
import {
  alertMessage,
  announces,
  hasLabels,
  messageCauses,
  type AlertEventType,
} from '../../domain/webhooks/messageCauses.js';
import type { MessageType } from '../../domain/webhooks/webhookTarget.js';
import type { AlertThen, MessageCause } from '../../projections/messageCauses.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import { derivedId } from '../commands/ids.js';

/** A message to a receiver. */
export type Message = {
  /** The same at every attempt and replay, so that receivers recognise repeats. */
  readonly id: string;
  readonly type: MessageType;
  readonly sourceId: number;
  /** IANA name of the time zone of the source. */
  readonly timeZone: string;
  /** Criticity of the alert, 0–1; null for an analysis. */
  readonly criticity: number | null;
  /** A CloudEvent 1.0 in JSON. */
  readonly body: string;
};

/** Parts of which messages of one webhook are made. */
export type MessageParts = {
  readonly models: Pick<ReadModels, 'messageCauses' | 'sources' | 'webhooks'>;
  readonly announcedAt: AnnouncedAt;
  /** Address of the screens, without a slash at its end; undefined for messages without links. */
  readonly publicUrl?: string | undefined;
};

/**
 * The message of an event for a webhook; undefined when the webhook did not ask for it. It has the facts as of the
 * event, so that every attempt and every replay on any instance has the same bytes.
 */
export const messageOf = (
  { models, announcedAt, publicUrl }: MessageParts,
  webhook: WebhookRecord,
  cause: MessageCause,
): Message | undefined => {
  const { alert, sourceId, position } = cause;
  const source = models.sources.setup(sourceId);
  const described = models.messageCauses.describedAt(sourceId, position);
  const filter = models.webhooks.filterAt(webhook.id, position);
  if (source?.tenant !== webhook.tenant || !described || !filter) return undefined;
  const content = alert
    ? alertContent(models, { ...source, ...described }, cause, {
        ...alert,
        announced: announcedAt(webhook, alert.id, position),
      })
    : hasLabels(filter, described.labels) && analysisContent(cause);
  if (!content || !filter.events.includes(content.type)) return undefined;
  const id = deliveryId(webhook.id, cause.eventId);
  const { type, data } = content;
  const { timeZone } = source;
  const cloudEvent = {
    specversion: '1.0',
    id,
    source: `/v1/source/${sourceId}`,
    type,
    ...(alert && { subject: alert.id }),
    time: cause.at,
    datacontenttype: 'application/json',
    position: String(position),
    data: {
      source: { id: sourceId, name: described.name, labels: described.labels, timeZone },
      ...data,
      ...linkTo(publicUrl, sourceId, alert?.id),
    },
  };
  return {
    id,
    type,
    sourceId,
    timeZone,
    criticity: alert?.criticity ?? null,
    body: harmlessJson(JSON.stringify(cloudEvent)),
  };
};

/**
 * A message with the messages of several events, in the order of the log.
 * @param messages with their events, at least one
 */
export const digestMessage = (
  webhook: Pick<WebhookRecord, 'id'>,
  messages: readonly { readonly cause: MessageCause; readonly message: Message }[],
): { readonly id: string; readonly body: string } => {
  const id = derivedId('digest', webhook.id, ...messages.map(({ cause }) => cause.eventId));
  const last = messages.at(-1)?.cause;
  const cloudEvent = {
    specversion: '1.0',
    id,
    source: `/v1/webhook/${webhook.id}`,
    type: 'digest',
    time: last?.at,
    datacontenttype: 'application/json',
    position: String(last?.position),
    data: { messages: messages.map(({ message }) => JSON.parse(message.body) as object) },
  };
  return { id, body: JSON.stringify(cloudEvent) };
};

/** Id of the message of an event for a webhook. */
export const deliveryId = (webhookId: string, eventId: string): string =>
  derivedId('delivery', webhookId, eventId);

/** A message that shows that a receiver can be reached. */
export const testMessage = (webhook: WebhookRecord, id: string, at: string): string =>
  JSON.stringify({
    specversion: '1.0',
    id,
    source: `/v1/webhook/${webhook.id}`,
    type: 'webhook.test',
    time: at,
    datacontenttype: 'application/json',
    data: { webhookId: webhook.id, events: webhook.events },
  });

/** Link to the screen of an alert, or of the source of an analysis. */
const linkTo = (
  publicUrl: string | undefined,
  sourceId: number,
  alertId: string | undefined,
): { readonly link?: string } => {
  if (publicUrl === undefined) return {};
  return { link: `${publicUrl}/${alertId === undefined ? `sources/${sourceId}` : `alerts/${alertId}`}` };
};

type Content = { readonly type: MessageType; readonly data: object };

const analysisContent = ({ type, detail: { analysis } }: MessageCause): Content | undefined => {
  const message = messageCauses[type];
  return typeof message === 'string' ? { type: message, data: { analysis } } : undefined;
};

/**
 * @param source    with its description as of the event
 * @param announced position of the event that announced the alert to the webhook, null for none
 */
const alertContent = (
  models: MessageParts['models'],
  source: SourceSetup,
  { type, position, detail }: MessageCause,
  alert: AlertThen & { readonly announced: bigint | null },
): Content | undefined => {
  const { announced, id, date, kind, state, criticity } = alert;
  if (announced === null) return undefined;
  const message = alertMessage(type as AlertEventType, kind, announced === position ? 'now' : 'before');
  const found = message && models.messageCauses.findingAt(id, position);
  if (!message || !found) return undefined;
  const { id: sourceId, activitySize, aggregation } = source;
  const texts = numberTexts(source);
  const dated = { date, size: activitySize, aggregation, texts, finding: found.finding };
  const { sentence, sentences, deviation } = alertDetails(dated, found.deviation);
  const { direction } = found.finding;
  const verdict = detail.verdict ?? null;
  const words = { sentence, sentences };
  const shown = { id, sourceId, date, kind, state, criticity, direction, ...words, deviation, verdict };
  return { type: message.type, data: { change: message.change, alert: shown } };
};

/**
 * Position of the event that announced an alert to a webhook, as of a position; null for none. An alert that was
 * announced before the webhook existed, and not in a replay, is unknown to its receiver.
 */
export type AnnouncedAt = (webhook: WebhookRecord, alertId: string, position: bigint) => bigint | null;

type AnnouncementModels = Pick<ReadModels, 'messageCauses' | 'webhooks'>;

/** Number of announcements that are kept in memory. */
const announcementsMax = 10_000;

/** Announcements to webhooks: a fold of the events of each alert, which goes on where it ended. */
export const announcements = (models: AnnouncementModels): AnnouncedAt => {
  const known = new LRUCache<string, { readonly to: bigint; readonly at: bigint | null }>({
    max: announcementsMax,
  });
  const find = (webhook: WebhookRecord, alertId: string, after: bigint, to: bigint): bigint | null =>
    models.messageCauses
      .ofAlert(alertId, after, to)
      .find(cause => cause.alert && isAnnounced(models, webhook, cause, cause.alert))?.position ?? null;
  return (webhook, alertId, position) => {
    const key = `${webhook.id} ${alertId}`;
    const before = known.get(key);
    const isFolded = before !== undefined && (before.at !== null || position <= before.to);
    const at = isFolded ? before.at : find(webhook, alertId, before?.to ?? 0n, position);
    if (!isFolded) known.set(key, { to: position, at });
    return at !== null && at <= position && at > webhook.announcedFrom ? at : null;
  };
};

const isAnnounced = (
  models: AnnouncementModels,
  { id }: WebhookRecord,
  { type, sourceId, position }: MessageCause,
  { kind, criticity, date }: AlertThen,
): boolean => {
  const filter = models.webhooks.filterAt(id, position);
  const step = {
    type: type as AlertEventType,
    kind,
    criticity,
    labels: models.messageCauses.describedAt(sourceId, position)?.labels ?? {},
    isContinuation: (minCriticity: number) =>
      isContinuation(models, { sourceId, date, position }, minCriticity),
  };
  return filter !== undefined && announces(filter, step);
};

/** Dates of an episode that are looked at, the latest first. */
const episodeDatesMax = 500;

/** Whether an earlier date of the episode of a date had an alert of at least a criticity, as of a position. */
const isContinuation = (
  { messageCauses: causes }: Pick<ReadModels, 'messageCauses'>,
  {
    sourceId,
    date,
    position,
  }: { readonly sourceId: number; readonly date: string; readonly position: bigint },
  minCriticity: number,
): boolean => {
  const day = dayNumber(date);
  for (let before = 1; before <= episodeDatesMax; before += 1) {
    const standing = causes
      .alertsOn(sourceId, dateOf(day - before), position)
      .filter(({ state }) => state !== 'invalidated');
    if (standing.length === 0) return false;
    if (standing.some(({ kind, criticity }) => kind !== 'noData' && criticity >= minCriticity)) return true;
  }
  return false;
};
