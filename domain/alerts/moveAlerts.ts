import { Rejection } from '../rejection.js';
import type { AlertState } from './alertState.js';
import { stateOfAlert, alertsOn, isUnprocessed, isOfDay, type AlertsState } from './alertsState.js';
import { parseAlertId, alertIdOf } from './alertId.js';
import type { AlertsEvent } from './alertsEvents.js';

/** States from which a person can acknowledge an alert. */
export const acknowledgeable: readonly AlertState[] = ['open'];

/** States from which a person can resolve an alert. */
export const resolvable: readonly AlertState[] = ['open', 'acknowledged', 'ended'];

/**
 * The source and date of an alert that a command moves to another state.
 * @param target name of that state, for the message
 * @param from   states that the alert may have now
 * @throws Rejection when the alert does not exist or has another state
 */
export const alertToMove = (
  alertId: string,
  state: AlertsState,
  target: string,
  from: readonly AlertState[],
): { readonly sourceId: number; readonly date: string; readonly n: number } => {
  const id = parseAlertId(alertId);
  const now = stateOfAlert(alertId, state);
  if (!id || !now) throw new Rejection('alertNotFound', `no alert ${alertId}`);
  if (!from.includes(now))
    throw new Rejection(
      'alertTransition',
      `alert ${alertId} is ${now}, expected ${from.join(' or ')} for it to be ${target}`,
    );
  return id;
};

/** Alerts out of `alertIds` that have one of the states, each once. */
export const alertsIn = (
  alertIds: readonly string[],
  state: AlertsState,
  states: readonly AlertState[],
): { readonly alertId: string; readonly date: string }[] =>
  [...new Set(alertIds)].flatMap(alertId => {
    const now = stateOfAlert(alertId, state);
    const date = parseAlertId(alertId)?.date;
    return now && date !== undefined && states.includes(now) ? [{ alertId, date }] : [];
  });

/** Reopens a resolved alert, unless its day, or the source of a silence, has another unprocessed one. */
export const reopenAlert = (alertId: string, state: AlertsState): readonly AlertsEvent[] => {
  const { sourceId, date, n } = alertToMove(alertId, state, 'reopened', ['resolved']);
  const { standing } = alertsOn(state, date);
  const refusal = (owner: string, unprocessedId: string): Rejection =>
    new Rejection('alertTransition', `${owner} has the unprocessed alert ${unprocessedId} already`);
  const isSilence = standing.some(alert => alert.n === n && !isOfDay(alert));
  if (isSilence && state.silenceId !== null) throw refusal('the source', state.silenceId);
  const other = standing.find(alert => isUnprocessed(alert) && isOfDay(alert));
  if (!isSilence && other) throw refusal(date, alertIdOf(sourceId, date, other.n));
  return [{ type: 'AlertReopened', data: { alertId, date } }];
};
