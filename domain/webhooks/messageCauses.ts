import type { AlertsEvent } from '../alerts/alertsState.js';
import { unprocessedStates, type IncidentFacts } from '../incidents/incidents.js';
import type { Grouping, MessageType } from './webhookTarget.js';

/** Types of the events of an alert. */
export type AlertEventType = Exclude<AlertsEvent['type'], 'DaysChecked'>;

/** Types of the events after which incidents have other facts, and of the ends of mutes. */
export const incidentCauseTypes = [
  'AlertsGrouped',
  'IncidentAcknowledged',
  'IncidentResolved',
  'IncidentReopened',
  'IncidentDecisionApplied',
  'IncidentSplit',
  'IncidentsMerged',
  'MuteDeleted',
  'MuteEnded',
] as const;

/** Types of the events after which the open alerts of a source can be handled no longer, or again. */
export const archivalTypes = ['SourceArchived', 'SourceRestored'] as const;
export type MessageCauseType =
  | AlertEventType
  | (typeof incidentCauseTypes)[number]
  | (typeof archivalTypes)[number]
  | 'ModelsReset'
  | 'AnalysisFailed';

/** Changes of an alert that messages name. */
export type AlertChange = 'raised' | 'acknowledged' | 'reopened' | 'resolved' | 'invalidated' | 'ended';

/** A message about an alert. */
export type AlertMessage = { readonly type: MessageType; readonly change: AlertChange };

/**
 * An event of an alert for a receiver. `announces`: an alert that passes the filter is announced now, if it was not.
 * `reports`: message when the alert was announced before; null for none.
 */
type AlertTransition = { readonly announces: boolean; readonly reports: AlertMessage | null };

const updated = (change: AlertChange): AlertTransition => ({
  announces: true,
  reports: { type: 'alert.updated', change },
});
const over = (change: AlertChange): AlertTransition => ({
  announces: false,
  reports: { type: 'alert.resolved', change },
});

const alertTransitions: Readonly<Record<AlertEventType, AlertTransition>> = {
  AlertRaised: { announces: true, reports: null },
  AlertConfirmed: { announces: true, reports: null },
  AlertAcknowledged: updated('acknowledged'),
  AlertReopened: updated('reopened'),
  AlertResolved: over('resolved'),
  AlertInvalidated: over('invalidated'),
  AlertEnded: over('ended'),
};

const ofIncidents = Object.fromEntries(incidentCauseTypes.map(type => [type, null])) as Readonly<
  Record<(typeof incidentCauseTypes)[number], null>
>;

/** Events that may lead to messages; for those of an analysis the message, null for those about several subjects. */
export const messageCauses: Readonly<Record<MessageCauseType, AlertTransition | MessageType | null>> = {
  ...alertTransitions,
  ...ofIncidents,
  SourceArchived: null,
  SourceRestored: null,
  ModelsReset: 'analysis.completed',
  AnalysisFailed: 'analysis.failed',
};

/** The alerts and analyses that a receiver wants. */
export type MessageFilter = {
  readonly events: readonly MessageType[];
  readonly labels: Readonly<Record<string, string>>;
  readonly minCriticity: number;
  readonly grouping?: Grouping;
};

/** An alert right after one of its events, as far as a filter looks at it. */
export type AlertStep = {
  readonly type: AlertEventType;
  readonly kind: string;
  readonly criticity: number;
  /** Labels of its source. */
  readonly labels: Readonly<Record<string, string>>;
  readonly isHeldBack: boolean;
};

/** Whether a source has all labels of a filter. */
export const hasLabels = (
  { labels: wanted }: Pick<MessageFilter, 'labels'>,
  labels: Readonly<Record<string, string>>,
): boolean => Object.entries(wanted).every(([key, value]) => labels[key] === value);

/** Whether a filter wants the announcements of a kind of alerts: the end of a silence needs its beginning. */
export const wantsKind = ({ events }: Pick<MessageFilter, 'events'>, kind: string): boolean =>
  kind !== 'noData' || events.includes('source.silent');

/** Whether an event announces an alert to a receiver that has no message about it yet. */
export const announces = (filter: MessageFilter, step: AlertStep): boolean =>
  alertTransitions[step.type].announces &&
  !step.isHeldBack &&
  step.criticity >= filter.minCriticity &&
  wantsKind(filter, step.kind) &&
  hasLabels(filter, step.labels);

/**
 * The message of an event of an alert.
 * @param announced `now` when the event announces the alert, `before` when an earlier one did
 */
export const alertMessage = (
  type: AlertEventType,
  kind: string,
  announced: 'now' | 'before',
): AlertMessage | null =>
  announced === 'now'
    ? { type: kind === 'noData' ? 'source.silent' : 'alert.raised', change: 'raised' }
    : alertTransitions[type].reports;

/** Changes of an incident that messages name. */
export type IncidentChange =
  'opened' | 'changed' | 'acknowledged' | 'reopened' | 'resolved' | 'ended' | 'invalidated' | 'merged';

/** A message about an incident. */
export type IncidentMessage = { readonly type: MessageType; readonly change: IncidentChange };

/** An incident right after an event, as far as a filter looks at it. */
export type IncidentStep = Pick<IncidentFacts, 'state' | 'criticity' | 'sourceCount'> & {
  /** Whether it is open, or was before a person acknowledged it. */
  readonly hasBeenOpen: boolean;
  /** Labels of each of its sources, of the first ones when there are many. */
  readonly labels: readonly Readonly<Record<string, string>>[];
  readonly isHeldBack: boolean;
};

/**
 * Whether a step announces an incident to a receiver that has no message about it yet. One that has never been open
 * has alerts of another that a person acknowledged. A source whose labels are not given may have those of the filter:
 * a message too many is better than none.
 */
export const announcesIncident = (
  filter: MessageFilter,
  { state, hasBeenOpen, criticity, labels, sourceCount, isHeldBack }: IncidentStep,
): boolean =>
  unprocessedStates.includes(state) &&
  hasBeenOpen &&
  !isHeldBack &&
  criticity >= filter.minCriticity &&
  (labels.length < sourceCount || labels.some(one => hasLabels(filter, one)));

/**
 * The message of an event of an incident; null for none.
 * @param announced `now` when the event announces the incident, `before` when an earlier one did
 */
export const incidentMessage = (
  { before, state, recognised }: Pick<IncidentFacts, 'before' | 'state' | 'recognised'>,
  announced: 'now' | 'before',
): IncidentMessage | null => {
  if (announced === 'now') return { type: 'incident.opened', change: 'opened' };
  const isOver = !unprocessedStates.includes(state);
  if (before === state) return recognised && !isOver ? { type: 'incident.updated', change: 'changed' } : null;
  if (state === 'acknowledged') return { type: 'incident.updated', change: 'acknowledged' };
  if (state === 'open') return { type: 'incident.updated', change: 'reopened' };
  return { type: 'incident.ended', change: state };
};

/** The message about its most critical alert that a receiver of alerts gets for that of an incident; null for none. */
export const alertFormOf = ({ type, change }: IncidentMessage, kind: string): AlertMessage | null => {
  if (change === 'changed') return null;
  if (type === 'incident.opened')
    return { type: kind === 'noData' ? 'source.silent' : 'alert.raised', change: 'raised' };
  if (change === 'acknowledged' || change === 'reopened') return { type: 'alert.updated', change };
  const over = change === 'resolved' || change === 'ended' ? change : 'invalidated';
  return { type: 'alert.resolved', change: over };
};
