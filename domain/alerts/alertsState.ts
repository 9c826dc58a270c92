import type { AlertKind } from './findings.js';
import { onDate, put, putOn, type ByDate, type Keyed } from '../keyed.js';
import type { Knowledge } from './checks.js';
import type { AlertState } from './alertState.js';
import type { AlertsEvent } from './alertsEvents.js';
import { parseAlertId } from './alertId.js';

/** State of `alerts-{id}`: the checks that were recorded and the alerts of each day. */
export type AlertsState = {
  readonly checks: Keyed<true>;
  /** Newest versions that a check has used. */
  readonly knowledge: Knowledge;
  /** Number of recorded parts of checks. */
  readonly checkCount: number;
  /** The source of the alerts; null before the first alert. */
  readonly sourceId: number | null;
  readonly alerts: ByDate<DayAlerts>;
  /** Id of the unprocessed alert of a silence; null for none. */
  readonly silenceId: string | null;
};

/** An alert that is not invalidated; `n` is its number within its day, from 1. */
export type Alert = {
  readonly n: number;
  readonly state: Exclude<AlertState, 'invalidated'>;
  readonly kind: AlertKind;
  readonly plannedModelId: number | null;
  readonly modelsVersion: number;
  readonly dayDigest: string;
};

/**
 * Alerts of a day that are not invalidated, and the number of all alerts ever raised. Invalidated alerts are only
 * counted, because the state stays in memory.
 */
type DayAlerts = { readonly raised: number; readonly standing: readonly Alert[] };

const noAlerts: DayAlerts = { raised: 0, standing: [] };
/** Alerts of a date. */
export const alertsOn = ({ alerts }: AlertsState, date: string): DayAlerts =>
  onDate(alerts, date) ?? noAlerts;

/** Whether a person has still to decide about an alert. */
export const isUnprocessed = (alert: Alert): boolean =>
  alert.state === 'open' || alert.state === 'acknowledged';

/** Whether an alert is about the data of its date, not about a silence of the source. */
export const isOfDay = (alert: Alert): boolean => alert.kind !== 'noData';

/** Key of a part of a check; a repeated part has the same. */
export const checkKey = (causeId: string, part: number): string => `${causeId}/${part}`;

/** State of the alerts of a source after an event. */
export const evolveAlerts = (state: AlertsState, { type, data }: AlertsEvent): AlertsState => {
  switch (type) {
    case 'DaysChecked':
      return {
        ...state,
        checks: put(state.checks, checkKey(data.cause.id, data.part), true),
        knowledge: data.knowledge ?? state.knowledge,
        checkCount: state.checkCount + 1,
      };
    case 'AlertRaised': {
      const { date, kind, plannedModelId, modelsVersion, dayDigest } = data;
      const { raised, standing } = alertsOn(state, date);
      const alert: Alert = { n: raised + 1, state: 'open', kind, plannedModelId, modelsVersion, dayDigest };
      const sourceId = parseAlertId(data.alertId)?.sourceId ?? null;
      const silenceId = kind === 'noData' ? data.alertId : state.silenceId;
      return withAlerts({ ...state, sourceId, silenceId }, date, {
        raised: alert.n,
        standing: [...standing, alert],
      });
    }
    case 'AlertConfirmed':
      return withAlert(state, data, {
        kind: data.kind,
        plannedModelId: data.plannedModelId,
        modelsVersion: data.modelsVersion,
        dayDigest: data.dayDigest,
      });
    case 'AlertInvalidated': {
      const { raised, standing } = alertsOn(state, data.date);
      const n = parseAlertId(data.alertId)?.n;
      return withAlerts(withoutSilence(state, data), data.date, {
        raised,
        standing: standing.filter(alert => alert.n !== n),
      });
    }
    case 'AlertAcknowledged':
      return withAlert(state, data, { state: 'acknowledged' });
    case 'AlertResolved':
      return withAlert(withoutSilence(state, data), data, { state: 'resolved' });
    case 'AlertReopened': {
      const n = parseAlertId(data.alertId)?.n;
      const isSilence = alertsOn(state, data.date).standing.some(
        alert => alert.n === n && alert.kind === 'noData',
      );
      const reopened = isSilence ? { ...state, silenceId: data.alertId } : state;
      return withAlert(reopened, data, { state: 'open' });
    }
    case 'AlertEnded':
      return withAlert(withoutSilence(state, data), data, { state: 'ended' });
  }
};

const withoutSilence = (state: AlertsState, { alertId }: { readonly alertId: string }): AlertsState =>
  state.silenceId === alertId ? { ...state, silenceId: null } : state;

const withAlerts = (state: AlertsState, date: string, alerts: DayAlerts): AlertsState => ({
  ...state,
  alerts: putOn(state.alerts, date, alerts),
});

const withAlert = (
  state: AlertsState,
  { alertId, date }: { readonly alertId: string; readonly date: string },
  changed: Partial<Alert>,
): AlertsState => {
  const { raised, standing } = alertsOn(state, date);
  const n = parseAlertId(alertId)?.n;
  return withAlerts(state, date, {
    raised,
    standing: standing.map(alert => (alert.n === n ? { ...alert, ...changed } : alert)),
  });
};

/** State of an alert; undefined when the alert does not exist. */
export const stateOfAlert = (alertId: string, state: AlertsState): AlertState | undefined => {
  const id = parseAlertId(alertId);
  const { raised, standing } = id ? alertsOn(state, id.date) : noAlerts;
  if (id?.sourceId !== state.sourceId || id.n > raised) return undefined;
  return standing.find(({ n }) => n === id.n)?.state ?? 'invalidated';
};
