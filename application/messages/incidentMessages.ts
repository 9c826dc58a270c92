import { parseAlertId, type AlertState } from '../../domain/alerts/alertsState.js';
import { shownChange, withChangeSentence } from '../../domain/incidents/changeSentence.js';
import { mainChange } from '../../domain/incidents/changes.js';
import { incidentSentence, incidentTitle, severityOf } from '../../domain/incidents/incidentSentence.js';
import type { IncidentFacts, IncidentState } from '../../domain/incidents/incidents.js';
import { alertFormOf, incidentMessage } from '../../domain/webhooks/messageCauses.js';
import type { MessageCause } from '../../projections/messageCauses.js';
import type { WebhookRecord } from '../../projections/webhooks.js';
import {
  shownAlert,
  sourceThen,
  type FilteredCause,
  type MessageContent,
  type MessageParts,
} from './messageContent.js';

/** Largest number of incidents that the end of a mute announces. */
const afterMuteMax = 100;

/** State of the alert of a message about an incident. */
const alertStates: Readonly<Record<IncidentState, AlertState>> = {
  open: 'open',
  acknowledged: 'acknowledged',
  resolved: 'resolved',
  ended: 'ended',
  merged: 'open',
  invalidated: 'invalidated',
};

/** Incidents with the facts that a cause may send messages about. */
const factsOf = ({ models }: MessageParts, tenant: string, cause: MessageCause): readonly IncidentFacts[] =>
  cause.detail.muteId === undefined
    ? (cause.detail.incidents ?? [])
    : // Their state did not change.
      models.incidents
        .liveAt(tenant, cause.position, afterMuteMax)
        .map(facts => ({ ...facts, before: facts.state }));

/** The messages about incidents after an event, in the two forms that a webhook may ask for. */
export const incidentContents = (
  parts: MessageParts,
  webhook: WebhookRecord,
  { cause, filter }: FilteredCause,
): readonly MessageContent[] =>
  factsOf(parts, webhook.tenant, cause).flatMap((facts): MessageContent[] => {
    const { position } = cause;
    const announced = parts.announcedAt.incident(webhook, facts.incidentId, position);
    const message =
      announced === null ? null : incidentMessage(facts, announced === position ? 'now' : 'before');
    const about = message && contentOf(parts, webhook.tenant, cause, facts);
    if (!message || !about) return [];
    const { incident, alert, source } = about;
    const common = { source, criticity: facts.criticity, key: facts.incidentId };
    const { type, change } = message;
    const ofIncident = {
      type,
      subject: facts.incidentId,
      data: { change, incident, alert },
      path: `incidents/${facts.incidentId}`,
    };
    const form = alertFormOf(message, about.kind);
    const ofAlert = form && {
      type: form.type,
      subject: facts.mainAlertId,
      data: { change: form.change, alert },
      path: `alerts/${facts.mainAlertId}`,
    };
    return filter.grouping === 'incident' && ofAlert
      ? [
          { ...common, ...ofIncident },
          { ...common, ...ofAlert, key: `${facts.incidentId}/alert` },
        ]
      : [{ ...common, ...ofIncident }];
  });

/** An incident and its most critical alert as of an event; undefined without a source. */
const contentOf = ({ models }: MessageParts, tenant: string, cause: MessageCause, facts: IncidentFacts) => {
  const { position, detail } = cause;
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
    state: alertStates[state],
    criticity,
  };
  const alert = shownAlert(source, then, found);
  const { sentence, sentences } = alert;
  return {
    kind,
    source,
    alert: { ...alert, verdict: detail.verdict ?? null },
    incident: {
      id: incidentId,
      state,
      severity: severityOf(criticity),
      kind,
      title: incidentTitle(span),
      sentence: withChangeSentence(incidentSentence(sentence, span), change),
      sentences: { fr: withChangeSentence(incidentSentence(sentences.fr, span, 'fr'), change, 'fr') },
      change: change && shownChange(change),
      ...{ since, until, counts, criticity, sources },
      verdict: detail.verdict ?? null,
    },
  };
};
