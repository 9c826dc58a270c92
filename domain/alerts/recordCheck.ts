import { Rejection } from '../rejection.js';
import type { Finding } from './findings.js';
import { lookUp } from '../keyed.js';
import type { RecordCheck } from './alertsCommands.js';
import {
  checkKey,
  evolveAlerts,
  alertsOn,
  isOfDay,
  isUnprocessed,
  type AlertsState,
  type Alert,
} from './alertsState.js';
import type { AlertsEvent, FoundAlert } from './alertsEvents.js';
import { alertIdOf, parseAlertId } from './alertId.js';

/**
 * Records a check. Several instances may check one source at the same time; a check that used older data than a
 * recorded one, or adapted its limits to other checks than the recorded ones, is rejected and made again.
 */
export const recordCheck = (command: RecordCheck, state: AlertsState): readonly AlertsEvent[] => {
  const { cause, part, last, engine, modelsVersion, knowledge, keepsAlerts = false } = command;
  if (lookUp(state.checks, checkKey(cause.id, part))) return [];
  if (knowledge.source < state.knowledge.source || knowledge.days < state.knowledge.days)
    throw new Rejection(
      'checkOutdated',
      `got a check that knows ${JSON.stringify(knowledge)}, expected at least ${JSON.stringify(state.knowledge)}`,
    );
  if (command.checksKnown !== undefined && command.checksKnown !== state.checkCount)
    throw new Rejection(
      'checkOutdated',
      `got a check that knows ${command.checksKnown} checks, expected ${state.checkCount}`,
    );
  const judged = command.days.map(day => judge(day, command, state));
  const events = judged.flatMap(day => day.events);
  const days = judged.map(({ day }) => day);
  const rule = keepsAlerts ? { keepsAlerts } : {};
  return [
    { type: 'DaysChecked', data: { cause, part, last, engine, modelsVersion, knowledge, ...rule, days } },
    ...events,
    ...decideSilence(command, events.reduce(evolveAlerts, state)),
  ];
};

/**
 * Applies the finding of a check to the alerts of its day. An import invalidates all unprocessed alerts of the days
 * that it brings. Other causes keep an unprocessed alert with the same kind and data, and confirm it when its model
 * or the version of the models is another one. A new alert is raised unless there is still an unprocessed one, or a
 * person has resolved one for the same data.
 */
const judge = (
  { finding, ...day }: RecordCheck['days'][number],
  { sourceId, cause, modelsVersion, keepsAlerts = false }: RecordCheck,
  state: AlertsState,
) => {
  const { raised, standing: all } = alertsOn(state, day.date);
  const present = all.filter(isOfDay);
  const idOf = ({ n }: { readonly n: number }) => alertIdOf(sourceId, day.date, n);
  const isCurrent = (alert: Alert) =>
    alert.plannedModelId === day.plannedModelId &&
    alert.modelsVersion === modelsVersion &&
    // Another value of a covariate is another finding.
    cause.type !== 'CovariateDaysImported';
  const keep = (alert: Alert) =>
    finding !== null &&
    (cause.type !== 'DaysImported' || day.missing === true) &&
    alert.kind === finding.kind &&
    alert.dayDigest === day.dayDigest &&
    (keepsAlerts || isCurrent(alert));
  const invalid = present.filter(alert => isUnprocessed(alert) && !keep(alert));
  const standing = present.filter(alert => !invalid.includes(alert));
  const hasAlert = standing.some(alert => isUnprocessed(alert) || alert.dayDigest === day.dayDigest);
  const events: AlertsEvent[] = invalid.map(alert => ({
    type: 'AlertInvalidated',
    data: { alertId: idOf(alert), date: day.date, reason: cause.type },
  }));
  const { date, importId, dayDigest } = day;
  const found = (alertId: string, details: Finding): FoundAlert => ({
    ...details,
    alertId,
    date,
    importId,
    dayDigest,
    modelsVersion,
  });
  const confirmed = standing.filter(alert => isUnprocessed(alert) && !isCurrent(alert));
  if (finding) {
    for (const alert of confirmed) events.push({ type: 'AlertConfirmed', data: found(idOf(alert), finding) });
    if (!hasAlert) events.push({ type: 'AlertRaised', data: found(idOf({ n: raised + 1 }), finding) });
  }
  const unchanged = standing.filter(alert => !confirmed.includes(alert));
  return { day: { ...day, standing: unchanged.map(idOf) }, events };
};

/**
 * Raises the alert of a silence, or ends it. A source has one unprocessed alert of a silence; a silence whose alert has
 * ended or was resolved raises no other one.
 */
const decideSilence = (
  { silence, sourceId, cause, modelsVersion }: RecordCheck,
  state: AlertsState,
): readonly AlertsEvent[] => {
  const { silenceId } = state;
  if (silence === undefined) return [];
  if (silence === null) {
    const date = silenceId === null ? undefined : parseAlertId(silenceId)?.date;
    return silenceId !== null && date !== undefined
      ? [{ type: 'AlertEnded', data: { alertId: silenceId, date, reason: cause.type } }]
      : [];
  }
  const { date, finding, importId, key } = silence;
  const { raised, standing } = alertsOn(state, date);
  if (silenceId !== null || standing.some(alert => !isOfDay(alert) && alert.dayDigest === key)) return [];
  const alertId = alertIdOf(sourceId, date, raised + 1);
  return [
    { type: 'AlertRaised', data: { ...finding, alertId, date, importId, dayDigest: key, modelsVersion } },
  ];
};
