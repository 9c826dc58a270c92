import { LRUCache } from 'lru-cache';
import { alertDetails } from '../../domain/alerts/alertDetails.js';
import { parseAlertId } from '../../domain/alerts/alertsState.js';
import {
  unprocessedStates,
  type IncidentFacts,
  type IncidentState,
} from '../../domain/incidents/incidents.js';
import { isActive, mutedUntil } from '../../domain/incidents/mutes.js';
import { numberTexts, type SourceDescription } from '../../domain/source/sourceDescription.js';
import {
  announces,
  announcesIncident,
  wantsKind,
  type AlertEventType,
  type MessageFilter,
} from '../../domain/webhooks/messageCauses.js';
import type { MessageType } from '../../domain/webhooks/webhookTarget.js';
import type { AlertThen, MessageCause, FindingThen } from '../../projections/messageCauses.js';
import type { ReadModels } from '../../projections/readModels.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { WebhookRecord } from '../../projections/webhooks.js';

/**
 * Position of the event that announced an alert or an incident to a webhook, as of a position; null for none. One that
 * was announced before the webhook existed, and not in a replay, is unknown to its receiver. `alertForm`: that of an
 * incident in the form of an alert, for which a webhook without `source.silent` waits until silences are over.
 */
export type AnnouncedAt = Readonly<
  Record<
    'alert' | 'incident' | 'alertForm',
    (webhook: WebhookRecord, id: string, position: bigint) => bigint | null
  >
>;

type Models = Pick<ReadModels, 'messageCauses' | 'sources' | 'webhooks' | 'incidents' | 'mutes'>;

/** An event of the log, or the end of a mute. */
type Moment = { readonly position: bigint; readonly at: string };

/** An incident at a moment. */
type StepThen = Moment & { readonly facts: IncidentFacts };

/** Number of announcements that are kept in memory. */
const announcementsMax = 10_000;

/** The first event after a position, up to another one, that announces an alert or an incident. */
type Find = (webhook: WebhookRecord, id: string, after: bigint, to: bigint) => bigint | null;

/** A fold of events that goes on where it ended. */
const folded = (find: Find): AnnouncedAt['alert'] => {
  const known = new LRUCache<string, { readonly to: bigint; readonly at: bigint | null }>({
    max: announcementsMax,
  });
  return (webhook, id, position) => {
    const key = `${webhook.id} ${webhook.announcedFrom} ${id}`;
    const before = known.get(key);
    const isFolded = before !== undefined && (before.at !== null || position <= before.to);
    const at = isFolded ? before.at : find(webhook, id, before?.to ?? 0n, position);
    if (!isFolded) known.set(key, { to: position, at });
    return at !== null && at <= position ? at : null;
  };
};

/** Announcements that a webhook knows: those since it exists, or since the beginning of its replay. */
const known =
  (announcedAt: AnnouncedAt['alert']): AnnouncedAt['alert'] =>
  (webhook, id, position) => {
    const at = announcedAt(webhook, id, position);
    return at !== null && at > webhook.announcedFrom ? at : null;
  };

const alertAnnouncements = (models: Models): AnnouncedAt['alert'] =>
  folded((webhook, alertId, after, to) => {
    const steps = models.messageCauses.ofAlert(alertId, after, to);
    // A mute that ended before the alert was raised is not looked at.
    const since = after === 0n ? (steps[0]?.position ?? to) : after;
    const sourceIds = [parseAlertId(alertId)?.sourceId ?? 0];
    const freed = [
      ...freedBetween(models, webhook.tenant, sourceIds, { after: since, to }),
      ...groupedBetween(models, webhook.tenant, alertId, { after: since, to }),
    ];
    const ends = freed.flatMap(moment => {
      const last = models.messageCauses.lastOfAlert(alertId, moment.position);
      return last ? [{ ...last, ...moment }] : [];
    });
    const moments = [...steps, ...ends].sort((a, b) => (a.position < b.position ? -1 : 1));
    return (
      moments.find(cause => cause.alert && isAnnounced(models, webhook, cause, cause.alert))?.position ?? null
    );
  });

/** Whether a webhook wants the most critical alert of an incident at a moment. */
type Wants = (webhook: WebhookRecord, step: StepThen) => boolean;

const wantsMainAlert =
  (models: Models): Wants =>
  ({ id }, { facts, position }) => {
    const filter = models.webhooks.filterAt(id, position);
    const found = models.messageCauses.findingAt(facts.mainAlertId, position);
    return filter !== undefined && found !== undefined && wantsKind(filter, found.finding.kind);
  };

const incidentAnnouncements = (models: Models, wants: Wants = () => true): AnnouncedAt['incident'] => {
  /** Whether an event merged an incident that was announced into an open one, which a mute does not hold back then. */
  const tookAnnounced = (webhook: WebhookRecord, { position, facts }: StepThen): boolean =>
    facts.state === 'open' &&
    models.incidents
      .mergedAt(facts.incidentId, position)
      .some(id => (announced(webhook, id, position - 1n) ?? 0n) > webhook.announcedFrom);
  const announced = folded((webhook, incidentId, after, to) => {
    const steps = models.incidents.factsBetween(incidentId, after, to);
    const { sourceIds = [] } = models.incidents.factsAt(incidentId, to) ?? {};
    // A mute that ended before the incident was opened is not looked at.
    const since = after === 0n ? (steps[0]?.position ?? to) : after;
    const ends = freedBetween(models, webhook.tenant, sourceIds, { after: since, to }).flatMap(moment => {
      const facts = models.incidents.factsAt(incidentId, moment.position);
      return facts ? [{ ...moment, facts }] : [];
    });
    const moments = [...steps, ...ends].sort((a, b) => (a.position < b.position ? -1 : 1));
    return (
      moments.find(
        step =>
          wants(webhook, step) &&
          isIncidentAnnounced(models, webhook, step, () => tookAnnounced(webhook, step)),
      )?.position ?? null
    );
  });
  return announced;
};

/** Announcements to webhooks. */
export const announcements = (models: Models): AnnouncedAt => ({
  alert: known(alertAnnouncements(models)),
  incident: known(incidentAnnouncements(models)),
  alertForm: known(incidentAnnouncements(models, wantsMainAlert(models))),
});

/** Ends of mutes of a tenant, and events that restored sources: both announce what they held back. */
export const freedBetween = (
  { mutes, messageCauses }: Pick<Models, 'mutes' | 'messageCauses'>,
  tenant: string,
  sourceIds: readonly number[],
  { after, to }: { readonly after: bigint; readonly to: bigint },
): readonly Moment[] => [
  ...mutes.endsBetween(tenant, after, to),
  ...sourceIds.flatMap(id => messageCauses.restoredBetween(id, after, to)),
];

/** Whether alerts wait until they are grouped: an incident is muted that they may join. */
export const isGroupingAwaited = ({ mutes }: Models, tenant: string, { position, at }: Moment): boolean =>
  mutes.at(tenant, position).some(mute => 'incidentId' in mute.scope && isActive(mute, at));

/** The event that grouped an alert, if it was awaited, after a position and up to another one. */
const groupedBetween = (
  models: Models,
  tenant: string,
  alertId: string,
  { after, to }: { readonly after: bigint; readonly to: bigint },
): readonly Moment[] => {
  const grouping = models.incidents.groupingOf(alertId);
  if (!grouping || grouping.position <= after || grouping.position > to) return [];
  return isGroupingAwaited(models, tenant, grouping) ? [grouping] : [];
};

/** Whether all sources of an incident were archived at a position, so that it cannot be handled. */
export const areArchived = (
  { messageCauses }: Pick<Models, 'messageCauses'>,
  { sourceIds, sourceCount }: Pick<IncidentFacts, 'sourceIds' | 'sourceCount'>,
  position: bigint,
): boolean =>
  sourceCount <= sourceIds.length && sourceIds.every(id => messageCauses.isArchivedAt(id, position));

/** State of an incident as receivers see it: it has ended for them while all of its sources are archived. */
const seenState = (models: Models, facts: IncidentFacts, position: bigint): IncidentState =>
  unprocessedStates.includes(facts.state) && areArchived(models, facts, position) ? 'ended' : facts.state;

/** Facts at an event with the states before and after it as receivers see them. */
export const seenFacts = (models: Models, facts: IncidentFacts, position: bigint): IncidentFacts => {
  const earlier = models.incidents.factsAt(facts.incidentId, position - 1n);
  const before = earlier ? seenState(models, earlier, position - 1n) : facts.before;
  return { ...facts, before, state: seenState(models, facts, position) };
};

const labelsAt = ({ messageCauses }: Models, sourceId: number, position: bigint) =>
  messageCauses.describedAt(sourceId, position)?.labels ?? {};

/** Whether an incident, or an alert of one source, is muted at an event. */
const isMuted = (
  models: Models,
  tenant: string,
  { position, at }: Moment,
  { incidentId, sourceIds, sourceCount }: Pick<IncidentFacts, 'incidentId' | 'sourceIds' | 'sourceCount'>,
): boolean => {
  const mutes = models.mutes.at(tenant, position);
  if (mutes.length === 0) return false;
  const sources = sourceIds.map(id => ({
    ids: models.sources.lineage(id),
    labels: labelsAt(models, id, position),
  }));
  return mutedUntil(mutes, { incidentId, sources, sourceCount }, at) !== null;
};

const isIncidentAnnounced = (
  models: Models,
  { id, tenant }: WebhookRecord,
  { facts, ...moment }: StepThen,
  tookAnnounced: () => boolean,
): boolean => {
  const { position } = moment;
  const filter = models.webhooks.filterAt(id, position);
  if (!filter) return false;
  const labels = facts.sourceIds.map(sourceId => labelsAt(models, sourceId, position));
  const { incidentId, state, criticity, sourceCount } = facts;
  return announcesIncident(filter, {
    ...{ state, criticity, labels, sourceCount },
    hasBeenOpen: models.incidents.hasBeenOpen(incidentId, position),
    isHeldBack:
      areArchived(models, facts, position) || (isMuted(models, tenant, moment, facts) && !tookAnnounced()),
  });
};

const isAnnounced = (
  models: Models,
  { id, tenant }: WebhookRecord,
  { type, sourceId, position, at }: MessageCause,
  alert: AlertThen,
): boolean => {
  const filter = models.webhooks.filterAt(id, position);
  const incidentId = models.incidents.incidentAt(alert.id, position);
  const isAwaited = incidentId === undefined && isGroupingAwaited(models, tenant, { position, at });
  const held = { incidentId: incidentId ?? '', sourceIds: [sourceId], sourceCount: 1 };
  const step = {
    type: type as AlertEventType,
    kind: alert.kind,
    criticity: alert.criticity,
    labels: labelsAt(models, sourceId, position),
    isHeldBack:
      isAwaited || areArchived(models, held, position) || isMuted(models, tenant, { position, at }, held),
  };
  return filter !== undefined && announces(filter, step);
};

/** Parts that messages of one webhook are made from. */
export type MessageParts = {
  readonly models: Models;
  readonly announcedAt: AnnouncedAt;
  /** Address of the screens, without a slash at its end; undefined for messages without links. */
  readonly publicUrl?: string | undefined;
};

/**
 * Content of a message. `key` tells the messages of one event apart; absent for the only one. `about` is what it is
 * about when that is not its subject: an incident in the form of an alert.
 */
export type MessageContent = {
  readonly type: MessageType;
  readonly source: SourceThen;
  readonly subject?: string;
  readonly key?: string;
  readonly about?: string;
  readonly criticity: number | null;
  readonly data: object;
  /** Path of its screen. */
  readonly path: string;
};

/** A source with its description as of an event. */
export type SourceThen = SourceSetup & SourceDescription;

/** The event of messages, and the filter of the webhook as of it. `about`: the only incident or alert of messages. */
export type FilteredCause = {
  readonly cause: MessageCause;
  readonly filter: MessageFilter;
  readonly about: string | undefined;
};

/** A source of a tenant with its description as of a position; undefined when the tenant has none of this id. */
export const sourceThen = (
  models: Pick<MessageParts['models'], 'sources' | 'messageCauses'>,
  tenant: string,
  { sourceId, position }: Pick<MessageCause, 'sourceId' | 'position'>,
): SourceThen | undefined => {
  const source = models.sources.setup(sourceId);
  const described = models.messageCauses.describedAt(sourceId, position);
  return source?.tenant === tenant && described ? { ...source, ...described } : undefined;
};

/** An alert in a message, with its finding as of an event. */
export const shownAlert = (
  source: SourceThen,
  { id, date, kind, state, criticity }: AlertThen,
  { finding, deviation: older }: FindingThen,
) => {
  const { id: sourceId, activitySize: size, aggregation } = source;
  const dated = { date, size, aggregation, texts: numberTexts(source), finding };
  const { sentence, sentences, deviation, loss, losses } = alertDetails(dated, older);
  const { direction, severity } = finding;
  const lost = { ...(severity !== undefined && { severity }), ...(loss !== undefined && { loss, losses }) };
  return { id, sourceId, date, kind, state, criticity, ...lost, direction, sentence, sentences, deviation };
};
