import type { Decider } from '../decider.js';
import {
  type AlertsEvent,
  evolveAlerts,
  type AlertsState,
  type AlertState,
  parseAlertId,
  alertIdOf,
  stateOfAlert,
  alertsOn,
  isUnprocessed,
  isOfDay,
  checkKey,
  type Alert,
  type FoundAlert,
  type Verdict,
} from './alertsState.js';
import { Rejection } from '../rejection.js';
import type { Finding } from './findings.js';
import type { CheckCause, CheckRules, Knowledge, CheckedDay, CheckedSilence } from './checks.js';

/** Commands of `alerts-{id}`. */
export type AlertsCommand =
  | (CheckRules & {
      readonly type: 'RecordCheck';
      readonly sourceId: number;
      readonly cause: CheckCause;
      readonly part: number;
      readonly last: boolean;
      readonly engine: string;
      readonly modelsVersion: number;
      readonly knowledge: Knowledge;
      /** Number of parts of checks that the limits have adapted to; absent when they do not adapt. */
      readonly checksKnown?: number;
      readonly days: readonly (CheckedDay & { readonly finding: Finding | null })[];
      /** A silence, or null when the source is not silent; absent when the check does not look at silences. */
      readonly silence?: CheckedSilence | null;
    })
  | { readonly type: 'AcknowledgeAlert'; readonly alertId: string }
  | {
      readonly type: 'ResolveAlert';
      readonly alertId: string;
      readonly verdict: Verdict;
      readonly comment: string | null;
    }
  /** Acknowledges those of several alerts whose state allows it; the others do not change. */
  | { readonly type: 'AcknowledgeAlerts'; readonly alertIds: readonly string[] }
  | {
      readonly type: 'ResolveAlerts';
      readonly alertIds: readonly string[];
      readonly verdict: Verdict;
      readonly comment: string | null;
    }
  | { readonly type: 'ReopenAlert'; readonly alertId: string }
  /** Reopens those of several alerts that may be. */
  | { readonly type: 'ReopenAlerts'; readonly alertIds: readonly string[] };

/** Records the result of a check. */
export type RecordCheck = Extract<AlertsCommand, { type: 'RecordCheck' }>;

/**
 * Records a check. Several instances may check one source at the same time; a check that used older data than a
 * recorded one, or adapted its limits to other checks than the recorded ones, is rejected and made again.
 */
const recordCheck = (command: RecordCheck, state: AlertsState): readonly AlertsEvent[] => {
  const {
    cause,
    part,
    last,
    engine,
    modelsVersion,
    knowledge,
    keepsAlerts = false,
    confirmsChanges = false,
    confirmsCriticity = false,
  } = command;
  if (state.checks.includes(checkKey(cause.id, part))) return [];
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
  const rule = {
    ...(keepsAlerts && { keepsAlerts }),
    ...(confirmsChanges && isOfChange(cause) && { confirmsChanges }),
    ...(confirmsCriticity && isGrowth(cause) && { confirmsCriticity }),
  };
  return [
    { type: 'DaysChecked', data: { cause, part, last, engine, modelsVersion, knowledge, ...rule, days } },
    ...events,
    ...decideSilence(command, events.reduce(evolveAlerts, state)),
  ];
};

/** Whether a change was accepted or withdrawn: days are expected otherwise with the same models. */
const isOfChange = ({ type }: CheckCause): boolean => type === 'ChangeAccepted' || type === 'ChangeWithdrawn';

/** Whether a day grew by points, or closed: its unprocessed alert goes on. */
export const isGrowth = ({ type }: CheckCause): boolean => type === 'PointsImported' || type === 'DateClosed';

/** Whether a finding has the direction of an alert, and only stretches that overlap or touch those of the alert. */
const isOfStretches = ({ direction, slices }: Alert, finding: Finding): boolean =>
  direction === finding.direction &&
  finding.slices.every(run =>
    slices.some(one => one.direction === run.direction && one.from <= run.to && run.from <= one.to),
  );

const lengthOf = (slices: Finding['slices']): number =>
  slices.reduce((sum, { from, to }) => sum + to - from, 0);

/** Whether a grown day is news about its alert: another direction or stretch, twice the length, its end, or a close. */
const isNews = (alert: Alert, { kind, direction, slices, facts }: Finding): boolean =>
  alert.kind !== kind ||
  alert.direction !== direction ||
  alert.slices.length !== slices.length ||
  alert.soFar?.ongoing !== facts?.soFar?.ongoing ||
  lengthOf(slices) >= 2 * lengthOf(alert.slices);

/** Number of steps of criticity, 0–1, up to a value: twentieths, and hundredths from 0.9 on. */
const criticitySteps = (criticity: number): number => Math.floor(criticity * (criticity < 0.9 ? 20 : 100));

/** Whether a criticity is higher than another one by a step, which is news: receivers may have a least criticity. */
export const isMoreCritical = (now: number, before: number): boolean =>
  criticitySteps(now) > criticitySteps(before);

/**
 * Applies the finding of a check to the alerts of its day. An import invalidates all unprocessed alerts of the days
 * that it brings. Other causes keep an unprocessed alert with the same kind and data, and confirm it when its model
 * or the version of the models is another one, or when a change was accepted or withdrawn. Points keep it as long as
 * there is a finding, and confirm it with news. A new alert is raised unless there is still an unprocessed one, or a
 * person has resolved one for the same data, or for the same stretches of a day that grows.
 */
const judge = (
  { finding, ...day }: RecordCheck['days'][number],
  { sourceId, cause, modelsVersion, ...rules }: RecordCheck,
  state: AlertsState,
) => {
  const { raised, standing: all } = alertsOn(state, day.date);
  const present = all.filter(isOfDay);
  const idOf = ({ n }: { readonly n: number }) => alertIdOf(sourceId, day.date, n);
  const isCurrent = (alert: Alert) =>
    alert.plannedModelId === day.plannedModelId &&
    alert.modelsVersion === modelsVersion &&
    !(rules.confirmsChanges && isOfChange(cause)) &&
    // Another value of a covariate is another finding.
    cause.type !== 'CovariateDaysImported';
  const grows = isGrowth(cause);
  const keep = (alert: Alert) =>
    finding !== null &&
    (grows ||
      ((cause.type !== 'DaysImported' || day.missing === true) &&
        alert.kind === finding.kind &&
        (alert.dayDigest === day.dayDigest || day.elapsed !== undefined) &&
        (rules.keepsAlerts || isCurrent(alert))));
  const invalid = present.filter(alert => isUnprocessed(alert) && !keep(alert));
  const standing = present.filter(alert => !invalid.includes(alert));
  const isDecided = (alert: Alert) =>
    alert.dayDigest === day.dayDigest || (grows && finding !== null && isOfStretches(alert, finding));
  const hasAlert = standing.some(alert => isUnprocessed(alert) || isDecided(alert));
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
  const isConfirmed = (alert: Alert) =>
    !isCurrent(alert) ||
    (grows &&
      finding !== null &&
      (isNews(alert, finding) ||
        (rules.confirmsCriticity === true && isMoreCritical(finding.criticity, alert.criticity))));
  const confirmed = standing.filter(alert => isUnprocessed(alert) && isConfirmed(alert));
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

/** States from which a person can acknowledge an alert. */
const acknowledgeable: readonly AlertState[] = ['open'];

/** States from which a person can resolve an alert. */
const resolvable: readonly AlertState[] = ['open', 'acknowledged', 'ended'];

/**
 * The source and date of an alert that a command moves to another state.
 * @param target name of that state, for the message
 * @param from   states that the alert may have now
 * @throws Rejection when the alert does not exist or has another state
 */
const alertToMove = (
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
const alertsIn = (
  alertIds: readonly string[],
  state: AlertsState,
  states: readonly AlertState[],
): { readonly alertId: string; readonly date: string }[] =>
  [...new Set(alertIds)].flatMap(alertId => {
    const now = stateOfAlert(alertId, state);
    const date = parseAlertId(alertId)?.date;
    return now && date !== undefined && states.includes(now) ? [{ alertId, date }] : [];
  });

/** States from which a person can reopen an alert. */
const reopenable: readonly AlertState[] = ['acknowledged', 'resolved'];

/**
 * Reopens an acknowledged or resolved alert, unless its day, or the source of a silence, has another unprocessed one.
 */
const reopenAlert = (alertId: string, state: AlertsState): readonly AlertsEvent[] => {
  const { sourceId, date, n } = alertToMove(alertId, state, 'reopened', reopenable);
  const { standing } = alertsOn(state, date);
  const refusal = (owner: string, unprocessedId: string): Rejection =>
    new Rejection('alertTransition', `${owner} has the unprocessed alert ${unprocessedId} already`);
  const isSilence = standing.some(alert => alert.n === n && !isOfDay(alert));
  if (isSilence && state.silenceId !== null && state.silenceId !== alertId)
    throw refusal('the source', state.silenceId);
  const other = standing.find(alert => alert.n !== n && isUnprocessed(alert) && isOfDay(alert));
  if (!isSilence && other) throw refusal(date, alertIdOf(sourceId, date, other.n));
  return [{ type: 'AlertReopened', data: { alertId, date } }];
};

/** Reopens alerts one by one; one that may not be reopened stays as it is. */
const reopenAlerts = (alertIds: readonly string[], state: AlertsState): readonly AlertsEvent[] => {
  let after = state;
  return alertsIn(alertIds, state, reopenable).flatMap(({ alertId }) => {
    try {
      const events = reopenAlert(alertId, after);
      after = events.reduce(evolveAlerts, after);
      return events;
    } catch (error) {
      if (error instanceof Rejection) return [];
      throw error;
    }
  });
};

/** Rules of `alerts-{id}`: checks raise and invalidate alerts, people acknowledge, resolve and reopen them. */
export const alerts: Decider<AlertsCommand, AlertsEvent, AlertsState> = {
  initial: {
    checks: [],
    knowledge: { source: -1, days: -1 },
    checkCount: 0,
    sourceId: null,
    alerts: {},
    silenceId: null,
  },

  decide: (command, state) => {
    switch (command.type) {
      case 'RecordCheck':
        return recordCheck(command, state);
      case 'AcknowledgeAlert': {
        const { date } = alertToMove(command.alertId, state, 'acknowledged', acknowledgeable);
        return [{ type: 'AlertAcknowledged', data: { alertId: command.alertId, date } }];
      }
      case 'ResolveAlert': {
        const { date } = alertToMove(command.alertId, state, 'resolved', resolvable);
        const { alertId, verdict, comment } = command;
        return [{ type: 'AlertResolved', data: { alertId, date, verdict, comment } }];
      }
      case 'AcknowledgeAlerts':
        return alertsIn(command.alertIds, state, acknowledgeable).map(alert => ({
          type: 'AlertAcknowledged',
          data: alert,
        }));
      case 'ResolveAlerts': {
        const { verdict, comment } = command;
        return alertsIn(command.alertIds, state, resolvable).map(alert => ({
          type: 'AlertResolved',
          data: { ...alert, verdict, comment },
        }));
      }
      case 'ReopenAlert':
        return reopenAlert(command.alertId, state);
      case 'ReopenAlerts':
        return reopenAlerts(command.alertIds, state);
    }
  },

  evolve: evolveAlerts,
};
