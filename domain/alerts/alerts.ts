import type { Adaptation } from './adaptation.js';
import type { CovariateReading } from '../source/covariates.js';
import type { Decider } from '../decider.js';
import { Rejection } from '../rejection.js';
import type { AlertFinding, AlertKind, Finding, Outcome, SilenceFinding } from './findings.js';
import { lookUp, emptyKeyed, put, type Keyed } from '../keyed.js';

export const verdicts = ['anomaly', 'expected', 'notAnomaly', 'newPattern'] as const;
export type Verdict = (typeof verdicts)[number];
/** `ended`: the reported condition is over; only silences end by themselves. */
export const alertStates = ['open', 'acknowledged', 'ended', 'resolved', 'invalidated'] as const;
export type AlertState = (typeof alertStates)[number];

/** Types of events that cause a check. */
export const checkCauses = [
  'DaysImported',
  'ModelsReset',
  'ModelsReplaced',
  'ModelAnomalyChanged',
  'DayPlanned',
  'DayPlanCleared',
  'SpecialDayNamed',
  'SpecialDayCleared',
  'ClockTicked',
  'SourceRestored',
  'CovariateDaysImported',
] as const;

/** The event that caused a check. */
export type CheckCause = { readonly id: string; readonly type: (typeof checkCauses)[number] };

/**
 * Versions of the data that a check used: the revisions of `source-{id}` and `days-{id}`, −1 for none. Readers in log
 * order see totally ordered versions.
 */
export type Knowledge = { readonly source: number; readonly days: number };

export type CheckedDay = {
  readonly date: string;
  readonly importId: string;
  readonly dayDigest: string;
  readonly plannedModelId: number | null;
  readonly outcome: Outcome;
  /** State of the adaptive factor after the day; absent when the limits do not adapt. */
  readonly adaptation?: Adaptation;
  /** Whether the date is missing inside an import: it has no data. */
  readonly missing?: true;
  /** Values of the sources that explain this one, as the check knew them; absent without such sources. */
  readonly covariates?: readonly CovariateReading[];
};

/** A silence of a source, as the finding of its date. `key` is the same for the same silence. */
export type CheckedSilence = {
  readonly date: string;
  readonly finding: SilenceFinding;
  readonly importId: string;
  readonly key: string;
};

/** A finding that is the reason of an alert. */
type FoundAlert = AlertFinding & {
  readonly alertId: string;
  readonly date: string;
  readonly importId: string;
  readonly dayDigest: string;
  readonly modelsVersion: number;
};

export type AlertsEvent =
  | {
      readonly type: 'DaysChecked';
      readonly data: {
        readonly cause: CheckCause;
        /** Counted from 1; the check is complete with its last part. */
        readonly part: number;
        readonly last: boolean;
        /** Name and version of the analysis; absent in older events. */
        readonly engine?: string;
        readonly modelsVersion: number;
        /** Absent in older events. */
        readonly knowledge?: Knowledge;
        /** Alerts that a check raises again are confirmed. Absent in older events: they were replaced. */
        readonly keepsAlerts?: boolean;
        /** `standing`: alerts of the day that this check did not change. */
        readonly days: readonly (CheckedDay & { readonly standing: readonly string[] })[];
      };
    }
  | {
      readonly type: 'AlertRaised';
      readonly data: FoundAlert;
    }
  /** A check of other models, or of another plan, would raise the unprocessed alert again. It has this finding now. */
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

export type AlertsCommand =
  | {
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
      /** Whether alerts are confirmed; older versions replaced them. */
      readonly keepsAlerts?: boolean;
      readonly days: readonly (CheckedDay & { readonly finding: Finding | null })[];
      /** A silence, or null when the source is not silent; absent when the check does not look at silences. */
      readonly silence?: CheckedSilence | null;
    }
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
  | { readonly type: 'ReopenAlert'; readonly alertId: string };

/** An alert that is not invalidated; `n` is its number within its day, from 1. */
type Alert = {
  readonly n: number;
  readonly state: Exclude<AlertState, 'invalidated'>;
  readonly kind: AlertKind;
  readonly plannedModelId: number | null;
  readonly modelsVersion: number;
  readonly dayDigest: string;
};

/**
 * Alerts of a day. Invalidated alerts are only counted, in `raised`: each reset of the models replaces all alerts, and
 * the state stays in memory.
 */
type DayAlerts = { readonly raised: number; readonly standing: readonly Alert[] };

/** By year `YYYY`, month `MM` and date, so that a change copies only one year, one month and one day. */
type ByDate<Value> = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Value>>>>>>;

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

const bucketsOf = (date: string): [year: string, month: string] => [date.slice(0, 4), date.slice(5, 7)];
const noAlerts: DayAlerts = { raised: 0, standing: [] };
const alertsOn = ({ alerts }: AlertsState, date: string): DayAlerts => {
  const [year, month] = bucketsOf(date);
  return alerts[year]?.[month]?.[date] ?? noAlerts;
};
const isUnprocessed = (alert: Alert): boolean => alert.state === 'open' || alert.state === 'acknowledged';
/** Whether an alert is about the data of its date, not about a silence of the source. */
const isOfDay = (alert: Alert): boolean => alert.kind !== 'noData';
const checkKey = (causeId: string, part: number): string => `${causeId}/${part}`;

/** Parses an alert id `{sourceId}-{yyyymmdd}-{n}`; undefined when its format is invalid. */
export const parseAlertId = (
  id: string,
): { readonly sourceId: number; readonly date: string; readonly n: number } | undefined => {
  const parts = /^([1-9]\d{0,14})-(\d{4})(\d\d)(\d\d)-([1-9]\d{0,8})$/.exec(id);
  return parts
    ? { sourceId: Number(parts[1]), date: `${parts[2]}-${parts[3]}-${parts[4]}`, n: Number(parts[5]) }
    : undefined;
};
const alertIdOf = (sourceId: number, date: string, n: number): string =>
  `${sourceId}-${date.replaceAll('-', '')}-${n}`;

/** States from which a person can acknowledge or resolve an alert. */
const acknowledgeable: readonly AlertState[] = ['open'];
const resolvable: readonly AlertState[] = ['open', 'acknowledged', 'ended'];

/** Rules of `alerts-{id}`: checks raise and invalidate alerts, people acknowledge, resolve and reopen them. */
export const alerts: Decider<AlertsCommand, AlertsEvent, AlertsState> = {
  initial: {
    checks: emptyKeyed,
    knowledge: { source: -1, days: -1 },
    checkCount: 0,
    sourceId: null,
    alerts: {},
    silenceId: null,
  },

  decide: (command, state) => {
    switch (command.type) {
      case 'RecordCheck':
        return decideCheck(command, state);
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
        return alertsIn(command.alertIds, state, acknowledgeable).map(of => ({
          type: 'AlertAcknowledged',
          data: of,
        }));
      case 'ResolveAlerts': {
        const { verdict, comment } = command;
        return alertsIn(command.alertIds, state, resolvable).map(of => ({
          type: 'AlertResolved',
          data: { ...of, verdict, comment },
        }));
      }
      case 'ReopenAlert':
        return decideReopening(command.alertId, state);
    }
  },

  evolve: (state, { type, data }) => {
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
  },
};

const withoutSilence = (state: AlertsState, { alertId }: { readonly alertId: string }): AlertsState =>
  state.silenceId === alertId ? { ...state, silenceId: null } : state;

const withAlerts = (state: AlertsState, date: string, alerts: DayAlerts): AlertsState => {
  const [year, month] = bucketsOf(date);
  const inYear = state.alerts[year];
  return {
    ...state,
    alerts: { ...state.alerts, [year]: { ...inYear, [month]: { ...inYear?.[month], [date]: alerts } } },
  };
};

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

const decideReopening = (alertId: string, state: AlertsState): readonly AlertsEvent[] => {
  const { sourceId, date, n } = alertToMove(alertId, state, 'reopened', ['resolved']);
  const { standing } = alertsOn(state, date);
  const isSilence = standing.some(alert => alert.n === n && alert.kind === 'noData');
  const other = standing.find(alert => isUnprocessed(alert) && isOfDay(alert));
  const rival = isSilence ? state.silenceId : other ? alertIdOf(sourceId, date, other.n) : null;
  if (rival !== null)
    throw new Rejection(
      'alertTransition',
      `${isSilence ? 'the source' : date} has the unprocessed alert ${rival} already`,
    );
  return [{ type: 'AlertReopened', data: { alertId, date } }];
};

/** State of an alert; undefined when the alert does not exist. */
export const stateOfAlert = (alertId: string, state: AlertsState): AlertState | undefined => {
  const id = parseAlertId(alertId);
  const { raised, standing } = id ? alertsOn(state, id.date) : noAlerts;
  if (id?.sourceId !== state.sourceId || id.n > raised) return undefined;
  return standing.find(({ n }) => n === id.n)?.state ?? 'invalidated';
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

type RecordCheck = Extract<AlertsCommand, { type: 'RecordCheck' }>;

/**
 * Records a check. Several instances may check one source at the same time; a check that used older data than a
 * recorded one, or adapted its limits to other checks than the recorded ones, is rejected and made again.
 */
const decideCheck = (command: RecordCheck, state: AlertsState): readonly AlertsEvent[] => {
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
    ...decideSilence(command, events.reduce(alerts.evolve, state)),
  ];
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
  const isSettled = standing.some(alert => isUnprocessed(alert) || alert.dayDigest === day.dayDigest);
  const events: AlertsEvent[] = invalid.map(alert => ({
    type: 'AlertInvalidated',
    data: { alertId: idOf(alert), date: day.date, reason: cause.type },
  }));
  const { date, importId, dayDigest } = day;
  const found = (alertId: string, of: Finding): FoundAlert => ({
    ...of,
    ...{ alertId, date, importId, dayDigest, modelsVersion },
  });
  const confirmed = standing.filter(alert => isUnprocessed(alert) && !isCurrent(alert));
  if (finding) {
    for (const alert of confirmed) events.push({ type: 'AlertConfirmed', data: found(idOf(alert), finding) });
    if (!isSettled) events.push({ type: 'AlertRaised', data: found(idOf({ n: raised + 1 }), finding) });
  }
  const unchanged = standing.filter(alert => !confirmed.includes(alert));
  return { day: { ...day, standing: unchanged.map(idOf) }, events };
};
