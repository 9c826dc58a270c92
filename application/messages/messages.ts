import {
  afterMuteMax,
  alertContent,
  announcedFor,
  archivedMax,
  isArchival,
  openAlertContents,
  type Content,
} from './alertContents.js';
import { harmlessJson } from '../../domain/text.js';
import {
  hasLabels,
  messageCauses,
  alertFormOf,
  incidentMessage,
} from '../../domain/webhooks/messageCauses.js';
import type { MessageType } from '../../domain/webhooks/webhookTarget.js';
import type { MessageCause } from '../../projections/messageCauses.js';
import {
  areArchived,
  seenFacts,
  shownAlert,
  sourceThen,
  type AnnouncedAt,
  type FilteredCause,
  type MessageContent,
  type MessageParts,
} from './messageContent.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import { derivedId } from '../commands/commandHandler.js';
import { parseAlertId, type AlertState } from '../../domain/alerts/alertsState.js';
import { inOtherLanguages } from '../../domain/words/languages.js';
import {
  shownChange,
  withChangeSentence,
  incidentSentence,
  incidentTitle,
} from '../../domain/incidents/incidentSentence.js';
import {
  urgencyOf,
  appliedDecisions,
  type IncidentFacts,
  type IncidentState,
} from '../../domain/incidents/incidents.js';
import { worstLoss } from '../../domain/alerts/alertDetails.js';
import { mainChange } from '../../domain/incidents/changes.js';

/** A message to a receiver. */
export type Message = {
  /** The same at every attempt and replay, so that receivers recognise repeats. */
  readonly id: string;
  readonly type: MessageType;
  readonly sourceId: number;
  /** IANA name of the time zone of the source. */
  readonly timeZone: string;
  /** Incident or alert that it is about; absent for an analysis. */
  readonly about?: string;
  /** Criticity of the alert, 0–1; null for an analysis. */
  readonly criticity: number | null;
  /** A CloudEvent 1.0 in JSON. */
  readonly body: string;
};

/**
 * The messages of an event for a webhook, those that it asked for. They have the facts as of the event, so that every
 * attempt and every replay on any instance has the same bytes.
 * @param about only those about this incident or alert
 */
export const messagesOf = (
  parts: MessageParts,
  webhook: WebhookRecord,
  cause: MessageCause,
  about?: string,
): readonly Message[] => {
  const filter = parts.models.webhooks.filterAt(webhook.id, cause.position);
  if (!filter) return [];
  const filtered = { cause, filter, about };
  const contents =
    cause.sourceId === 0 || isArchival(cause)
      ? [...incidentContents(parts, webhook, filtered), ...openAlertContents(parts, webhook, filtered)]
      : sourceContents(parts, webhook, filtered);
  return contents
    .filter(({ type }) => filter.events.includes(type))
    .map(content => messageIn(parts, { webhook, cause, content }));
};

const sourceContents = (
  { models, announcedAt }: MessageParts,
  webhook: WebhookRecord,
  { cause, filter }: FilteredCause,
): readonly MessageContent[] => {
  const { alert, position } = cause;
  const source = sourceThen(models, webhook.tenant, cause);
  if (!source) return [];
  // A webhook about incidents gets the messages of their events. An archived source has ended its alerts for receivers.
  const isArchived = models.messageCauses.isArchivedAt(source.id, position);
  if (alert && (filter.grouping === 'incident' || isArchived)) return [];
  const announced = alert && announcedAt.alert(webhook, alert.id, position);
  const content = alert
    ? alertContent(models, source, cause, { ...alert, announced })
    : hasLabels(filter, source.labels) && analysisContent(cause);
  if (!content) return [];
  const path = alert ? `alerts/${alert.id}` : `sources/${source.id}`;
  const criticity = alert?.criticity ?? null;
  return [{ ...content, source, criticity, path, ...(alert && { subject: alert.id }) }];
};

const messageIn = (
  { publicUrl }: MessageParts,
  {
    webhook,
    cause,
    content,
  }: { readonly webhook: WebhookRecord; readonly cause: MessageCause; readonly content: MessageContent },
): Message => {
  const { type, source, subject, key, criticity, data, path, about = subject } = content;
  const id = deliveryId(webhook.id, key === undefined ? cause.eventId : `${cause.eventId}/${key}`);
  const { id: sourceId, name, labels, timeZone } = source;
  const cloudEvent = {
    specversion: '1.0',
    id,
    source: `/v1/source/${sourceId}`,
    type,
    ...(subject !== undefined && { subject }),
    time: cause.at,
    datacontenttype: 'application/json',
    position: String(cause.position),
    data: {
      source: { id: sourceId, name, labels, timeZone },
      ...data,
      ...(publicUrl !== undefined && { link: `${publicUrl}/${path}` }),
    },
  };
  const message = { id, type, sourceId, timeZone, criticity, ...(about !== undefined && { about }) };
  return { ...message, body: harmlessJson(JSON.stringify(cloudEvent)) };
};

/**
 * A message with the messages of several events, in the order of the log.
 * @param messages with their events, at least one
 */
export const digestMessage = (
  webhook: Pick<WebhookRecord, 'id'>,
  messages: readonly { readonly cause: MessageCause; readonly message: Message }[],
): { readonly id: string; readonly body: string } => {
  const id = derivedId('digest', webhook.id, ...messages.map(({ message }) => message.id));
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

const analysisContent = ({ type, detail: { analysis } }: MessageCause): Content | undefined => {
  const message = messageCauses[type];
  return typeof message === 'string' ? { type: message, data: { analysis } } : undefined;
};

/** State of an alert that an event has decided with its incident. */
const alertStates: Readonly<Record<IncidentState, AlertState>> = {
  open: 'open',
  acknowledged: 'acknowledged',
  resolved: 'resolved',
  ended: 'ended',
  merged: 'open',
  invalidated: 'invalidated',
};

/** Incidents with the facts that a cause may send messages about. */
const factsOf = (
  { models, announcedAt }: MessageParts,
  webhook: WebhookRecord,
  { cause, filter, about }: FilteredCause,
): readonly IncidentFacts[] => {
  const { sourceId, position, detail } = cause;
  const of = { tenant: webhook.tenant, position, about };
  const isFreed = ({ incidentId: id }: IncidentFacts): boolean =>
    announcedAt.incident(webhook, id, position) === position ||
    (filter.grouping === 'incident' && announcedAt.alertForm(webhook, id, position) === position);
  if (detail.muteId !== undefined) return models.incidents.liveAt({ ...of, isWanted: isFreed }, afterMuteMax);
  const seen = (facts: IncidentFacts) => seenFacts(models, facts, position);
  if (!isArchival(cause))
    return (detail.incidents ?? [])
      .filter(({ incidentId }) => about === undefined || incidentId === about)
      .map(seen);
  // Incidents that end because all of their sources are archived now, or that are back because one was restored.
  return models.incidents
    .liveAt({ ...of, sourceId }, archivedMax)
    .map(seen)
    .filter(({ before, state }) => before !== state);
};

/** The messages about incidents after an event, in the two forms that a webhook may ask for. */
const incidentContents = (
  parts: MessageParts,
  webhook: WebhookRecord,
  filtered: FilteredCause,
): readonly MessageContent[] => {
  const { cause, filter } = filtered;
  const { announcedAt } = parts;
  const isGrouped = filter.grouping === 'incident';
  if (!isGrouped && !filter.events.some(type => type.startsWith('incident.'))) return [];
  return factsOf(parts, webhook, filtered).flatMap((facts): MessageContent[] => {
    const { incidentId, mainAlertId, criticity } = facts;
    const messageBy = (of: AnnouncedAt['incident']) => {
      const announced = announcedFor(cause, of(webhook, incidentId, cause.position));
      return announced && incidentMessage(facts, announced === cause.position ? 'now' : 'before');
    };
    const message = messageBy(announcedAt.incident);
    const formed = isGrouped ? messageBy(announcedAt.alertForm) : null;
    const content = (message ?? formed) && contentOf(parts, webhook.tenant, cause, facts);
    if (!content) return [];
    const { incident, alert, source, kind } = content;
    const form = formed && alertFormOf(formed, kind);
    const common = { source, criticity, about: incidentId };
    const ofIncident = message && {
      type: message.type,
      subject: incidentId,
      key: incidentId,
      data: { change: message.change, incident, alert },
      path: `incidents/${incidentId}`,
    };
    const ofAlert = form && {
      type: form.type,
      subject: mainAlertId,
      key: `${incidentId}/alert`,
      data: { change: form.change, alert },
      path: `alerts/${mainAlertId}`,
    };
    return [ofIncident, ofAlert].flatMap(one => (one ? [{ ...common, ...one }] : []));
  });
};

/** State and verdict of the most critical alert of an incident. A decision changes alerts in their streams after it. */
const mainAlertThen = ({ models }: MessageParts, cause: MessageCause, facts: IncidentFacts) => {
  const { type, position, detail } = cause;
  const isDecided = appliedDecisions.some(one => one === type) || areArchived(models, facts, position);
  const last = isDecided ? undefined : models.messageCauses.lastOfAlert(facts.mainAlertId, position);
  const verdict = detail.verdict ?? last?.detail.verdict ?? null;
  return { state: last?.alert?.state ?? alertStates[facts.state], verdict };
};

/** An incident and its most critical alert as of an event; undefined without a source. */
const contentOf = (parts: MessageParts, tenant: string, cause: MessageCause, facts: IncidentFacts) => {
  const { models } = parts;
  const { position, detail } = cause;
  const main = mainAlertThen(parts, cause, facts);
  const id = parseAlertId(facts.mainAlertId);
  const source = id && sourceThen(models, tenant, { sourceId: id.sourceId, position });
  const found = models.messageCauses.findingAt(facts.mainAlertId, position);
  if (!id || !source || !found) return undefined;
  const { kind } = found.finding;
  const sources = facts.sourceIds.flatMap(sourceId => {
    const one = models.messageCauses.describedAt(sourceId, position);
    return one ? [{ id: sourceId, name: one.name }] : [];
  });
  const { incidentId, state, criticity, counts, since, until, sourceCount } = facts;
  const alerts = counts.open + counts.acknowledged + counts.resolved + counts.ended;
  const names = sources.map(({ name }) => name);
  const span = { since, until, alerts, sources: names, sourceCount };
  const change = mainChange(facts);
  const then = {
    id: facts.mainAlertId,
    date: id.date,
    kind,
    state: main.state,
    criticity,
  };
  const alert = shownAlert(source, then, found);
  const { sentence, sentences } = alert;
  return {
    kind,
    source,
    alert: { ...alert, verdict: main.verdict },
    incident: {
      id: incidentId,
      state,
      severity: urgencyOf(criticity),
      kind,
      title: incidentTitle(span),
      sentence: withChangeSentence(incidentSentence(sentence, span), change),
      sentences: inOtherLanguages((texts, tag) =>
        withChangeSentence(incidentSentence(sentences[tag], span, texts), change, texts),
      ),
      change: change && shownChange(change),
      ...{ since, until, counts, criticity, sources, sourceCount },
      ...worstLoss(facts.worstSeverity),
      verdict: detail.verdict ?? null,
    },
  };
};
