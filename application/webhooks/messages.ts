import { validAlertStates, type AlertState } from '../../domain/alerts/alertState.js';
import type { EventType, KnownEvent } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import { findingKinds } from '../../domain/alerts/findings.js';
import type { MessageType } from '../../domain/webhooks/webhookTarget.js';
import type { AlertRecord } from '../../projections/alerts/alertRecords.js';
import { parseEpisodeId } from '../../projections/alerts/episodes.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import { derivedId } from '../ids.js';

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

/** Message type, change and alert state of an event for receivers. */
type Meaning = { readonly type: MessageType; readonly change: string; readonly state: AlertState };

const alertMeanings: Partial<Record<EventType, Meaning>> = {
  AlertRaised: { type: 'alert.raised', change: 'raised', state: 'open' },
  AlertAcknowledged: { type: 'alert.updated', change: 'acknowledged', state: 'acknowledged' },
  AlertReopened: { type: 'alert.updated', change: 'reopened', state: 'open' },
  AlertResolved: { type: 'alert.resolved', change: 'resolved', state: 'resolved' },
  AlertInvalidated: { type: 'alert.resolved', change: 'invalidated', state: 'invalidated' },
  AlertEnded: { type: 'alert.resolved', change: 'ended', state: 'ended' },
};

/** Types of the events that lead to messages. */
export const messageCauses: readonly EventType[] = [
  ...(Object.keys(alertMeanings) as EventType[]),
  'ModelsReset',
  'AnalysisFailed',
];

/** Facts that a message has besides those of its event. */
export type MessageFacts = {
  readonly models: Pick<ReadModels, 'sources' | 'alerts'>;
  /** Address of the screens, without a slash at its end; undefined for messages without links. */
  readonly publicUrl?: string | undefined;
};

/** The message of an event for a webhook; undefined when the webhook did not ask for it. */
export const messageOf = (
  { models, publicUrl }: MessageFacts,
  webhook: WebhookRecord,
  event: KnownEvent,
): Message | undefined => {
  const source = models.sources.setup(sourceOf(event.stream));
  if (source?.tenant !== webhook.tenant || !hasLabels(source, webhook.labels)) return undefined;
  const content = contentOf(models, event);
  if (!content || !webhook.events.includes(content.type)) return undefined;
  if ((content.criticity ?? 1) < webhook.minCriticity) return undefined;
  if (content.type === 'alert.raised' && isContinuation(models, webhook, content.subject)) return undefined;
  const id = deliveryId(webhook.id, event.id);
  const { type, subject, data } = content;
  const cloudEvent = {
    specversion: '1.0',
    id,
    source: `/v1/source/${source.id}`,
    type,
    ...(subject !== undefined && { subject }),
    time: event.at,
    datacontenttype: 'application/json',
    position: String(event.position),
    data: { source: shownSource(source), ...data, ...linkTo(publicUrl, source, subject) },
  };
  const { id: sourceId, timeZone } = source;
  return {
    id,
    type,
    sourceId,
    timeZone,
    criticity: content.criticity ?? null,
    body: JSON.stringify(cloudEvent),
  };
};

/**
 * A message with the messages of several events, in the order of the log.
 * @param messages with their events, at least one
 */
export const digestMessage = (
  webhook: Pick<WebhookRecord, 'id'>,
  messages: readonly { readonly event: KnownEvent; readonly message: Message }[],
): { readonly id: string; readonly body: string } => {
  const id = derivedId('digest', webhook.id, ...messages.map(({ event }) => event.id));
  const last = messages.at(-1)?.event;
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

/** Alerts of an episode that are looked at, the latest first. */
const episodeAlertsMax = 500;

/** Whether an alert continues an episode that the webhook has a message about. */
const isContinuation = (
  { alerts }: MessageFacts['models'],
  { grouping = 'none', tenant, minCriticity }: WebhookRecord,
  alertId: string | undefined,
): boolean => {
  if (grouping !== 'episode' || alertId === undefined) return false;
  const alert = alerts.one(alertId);
  const first = alert?.episode ? parseEpisodeId(alert.episode)?.first : undefined;
  if (!alert || first === undefined || first === alert.date) return false;
  const earlier = alerts.page({
    tenant,
    sourceId: alert.sourceId,
    from: first,
    to: alert.date,
    states: validAlertStates,
    kinds: findingKinds,
    sort: 'date',
    descending: true,
    after: undefined,
    limit: episodeAlertsMax,
  });
  return earlier.some(({ criticity }) => criticity >= minCriticity);
};

const hasLabels = (source: SourceSetup, wanted: WebhookRecord['labels']): boolean => {
  const { labels } = source;
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
};

/** Link to the screen of an alert, or of the source of an analysis. */
const linkTo = (
  publicUrl: string | undefined,
  { id }: SourceSetup,
  alertId: string | undefined,
): { readonly link?: string } => {
  if (publicUrl === undefined) return {};
  return { link: `${publicUrl}/${alertId === undefined ? `sources/${id}` : `alerts/${alertId}`}` };
};

const shownSource = ({ id, name, labels, timeZone }: SourceSetup): object => ({ id, name, labels, timeZone });

type Content = {
  readonly type: MessageType;
  readonly subject?: string;
  readonly criticity?: number;
  readonly data: object;
};

const contentOf = (models: MessageFacts['models'], event: KnownEvent): Content | undefined => {
  if (event.type === 'ModelsReset') {
    const { engine, modelsVersion, models: learned, requestId } = event.data;
    const analysis = { requestId, engine, modelsVersion, modelCount: learned.length };
    return { type: 'analysis.completed', data: { analysis } };
  }
  if (event.type === 'AnalysisFailed') return { type: 'analysis.failed', data: { analysis: event.data } };
  const meaning = alertMeanings[event.type];
  if (!meaning) return undefined;
  const alert = models.alerts.one((event.data as { readonly alertId: string }).alertId);
  return alert && alertContent(meaning, alert, event);
};

const alertContent = ({ type, change, state }: Meaning, alert: AlertRecord, event: KnownEvent): Content => {
  const { id, sourceId, date, kind, criticity, direction, sentence, deviation } = alert;
  const verdict = event.type === 'AlertResolved' ? event.data.verdict : null;
  const shown = { id, sourceId, date, kind, state, criticity, direction, sentence, deviation, verdict };
  return {
    type: kind === 'noData' && event.type === 'AlertRaised' ? 'source.silent' : type,
    subject: id,
    criticity,
    data: { change, alert: shown },
  };
};
