import type { AlertKind, AlertFinding, BrokenRun, Direction, FindingFacts } from './findings.js';
import { onDate, putOn, withKey, type ByDate } from '../keyed.js';
import type { Knowledge, CheckCause, CheckedDay, CheckRules } from './checks.js';

/** Parses an alert id `{sourceId}-{yyyymmdd}-{n}`; undefined when its format is invalid. */
export const parseAlertId = (
  id: string,
): { readonly sourceId: number; readonly date: string; readonly n: number } | undefined => {
  const parts = /^([1-9]\d{0,14})-(\d{4})(\d\d)(\d\d)-([1-9]\d{0,8})$/.exec(id);
  return parts
    ? { sourceId: Number(parts[1]), date: `${parts[2]}-${parts[3]}-${parts[4]}`, n: Number(parts[5]) }
    : undefined;
};

/** Alert id: the number `n` counts the alerts of a date from 1. */
export const alertIdOf = (sourceId: number, date: string, n: number): string =>
  `${sourceId}-${date.replaceAll('-', '')}-${n}`;

/** Judgements of a person on an alert. */
export const verdicts = ['anomaly', 'expected', 'notAnomaly', 'newPattern'] as const;
export type Verdict = (typeof verdicts)[number];

/** `ended`: the reported condition is over; only silences end by themselves. */
export const alertStates = ['open', 'acknowledged', 'ended', 'resolved', 'invalidated'] as const;
export type AlertState = (typeof alertStates)[number];

/** States of alerts that are valid: new data or models did not invalidate them. */
export const validAlertStates: readonly AlertState[] = alertStates.filter(state => state !== 'invalidated');

/** Events of `alerts-{id}`. */
export type AlertsEvent =
  | {
      readonly type: 'DaysChecked';
      readonly data: CheckRules & {
        readonly cause: CheckCause;
        /** Counted from 1; the check is complete with its last part. */
        readonly part: number;
        readonly last: boolean;
        /** Name and version of the analysis; absent in older events. */
        readonly engine?: string;
        readonly modelsVersion: number;
        /** Absent in older events. */
        readonly knowledge?: Knowledge;
        /** `standing`: alerts of the day that this check did not change. */
        readonly days: readonly (CheckedDay & { readonly standing: readonly string[] })[];
      };
    }
  | {
      readonly type: 'AlertRaised';
      readonly data: FoundAlert;
    }
  /** A check against other models or another plan found the unprocessed alert again. The alert has this finding now. */
  | { readonly type: 'AlertConfirmed'; readonly data: FoundAlert }
  | {
      readonly type: 'AlertInvalidated';
      readonly data: { readonly alertId: string; readonly date: string; readonly reason: CheckCause['type'] };
    }
  | { readonly type: 'AlertAcknowledged'; readonly data: { readonly alertId: string; readonly date: string } }
  | {
      readonly type: 'AlertResolved';
      readonly data: {
        readonly alertId: string;
        readonly date: string;
        readonly verdict: Verdict;
        readonly comment: string | null;
      };
    }
  | { readonly type: 'AlertReopened'; readonly data: { readonly alertId: string; readonly date: string } }
  /** Data came after a silence. */
  | {
      readonly type: 'AlertEnded';
      readonly data: { readonly alertId: string; readonly date: string; readonly reason: CheckCause['type'] };
    };

/** A finding that is the reason of an alert. */
export type FoundAlert = AlertFinding & {
  readonly alertId: string;
  readonly date: string;
  readonly importId: string;
  readonly dayDigest: string;
  readonly modelsVersion: number;
};

/** State of `alerts-{id}`: the checks that were recorded and the alerts of each day. */
export type AlertsState = {
  /** Keys of the last checks; an older one that is repeated knows older data than a recorded one. */
  readonly checks: readonly string[];
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
  readonly direction: Direction | null;
  readonly criticity: number;
  /** Stretches of the finding. */
  readonly slices: readonly BrokenRun[];
  /** On a date in progress: what the finding said of it; undefined for a whole day. */
  readonly soFar: FindingFacts['soFar'] | undefined;
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
export const isUnprocessed = ({ state }: { readonly state: AlertState }): boolean =>
  state === 'open' || state === 'acknowledged';

/** Whether an alert is about the data of its date, not about a silence of the source. */
export const isOfDay = (alert: Alert): boolean => alert.kind !== 'noData';

/** Key of a part of a check; a repeated part has the same. */
export const checkKey = (causeId: string, part: number): string => `${causeId}/${part}`;

/** Parts of a finding that later checks compare theirs with. */
const knownOf = (found: FoundAlert): Omit<Alert, 'n' | 'state'> => {
  const { kind, plannedModelId, modelsVersion, dayDigest, direction, criticity, slices } = found;
  const soFar = found.kind === 'noData' ? undefined : found.facts?.soFar;
  return { kind, plannedModelId, modelsVersion, dayDigest, direction, criticity, slices, soFar };
};

/** State of the alerts of a source after an event. */
export const evolveAlerts = (state: AlertsState, { type, data }: AlertsEvent): AlertsState => {
  switch (type) {
    case 'DaysChecked':
      return {
        ...state,
        checks: withKey(state.checks, checkKey(data.cause.id, data.part)),
        knowledge: data.knowledge ?? state.knowledge,
        checkCount: state.checkCount + 1,
      };
    case 'AlertRaised': {
      const { date, kind } = data;
      const { raised, standing } = alertsOn(state, date);
      const alert: Alert = { n: raised + 1, state: 'open', ...knownOf(data) };
      const sourceId = parseAlertId(data.alertId)?.sourceId ?? null;
      const silenceId = kind === 'noData' ? data.alertId : state.silenceId;
      return withAlerts({ ...state, sourceId, silenceId }, date, {
        raised: alert.n,
        standing: [...standing, alert],
      });
    }
    case 'AlertConfirmed':
      return withAlert(state, data, knownOf(data));
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
