import type { AlertsEvent } from '../alerts/alertsState.js';
import type { Grouping, MessageType } from './webhookTarget.js';

/** Types of the events of an alert. */
export type AlertEventType = Exclude<AlertsEvent['type'], 'DaysChecked'>;
export type MessageCauseType = AlertEventType | 'ModelsReset' | 'AnalysisFailed';

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

/** Events that may lead to messages; for those of an analysis the message. */
export const messageCauses: Readonly<Record<MessageCauseType, AlertTransition | MessageType>> = {
  ...alertTransitions,
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
  /** Whether an earlier date of its episode has an alert that is critical enough. */
  readonly isContinuation: (minCriticity: number) => boolean;
};

/** Whether a source has all labels of a filter. */
export const hasLabels = (
  { labels: wanted }: Pick<MessageFilter, 'labels'>,
  labels: Readonly<Record<string, string>>,
): boolean => Object.entries(wanted).every(([key, value]) => labels[key] === value);

/** Whether an event announces an alert to a receiver that has no message about it yet. */
export const announces = (filter: MessageFilter, step: AlertStep): boolean =>
  alertTransitions[step.type].announces &&
  step.criticity >= filter.minCriticity &&
  hasLabels(filter, step.labels) &&
  // A silence belongs to no episode.
  !(filter.grouping === 'episode' && step.kind !== 'noData' && step.isContinuation(filter.minCriticity));

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
