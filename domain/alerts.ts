import type { Decider } from './decider.js';
import { Rejection } from './rejection.js';
import { lookUp, nothingKeyed, put, type Keyed } from './keyed.js';

export type Direction = 'over' | 'under' | 'both';

/** Slices `from` (inclusive) to `to` (exclusive) that broke a bound; `excess` is the most, in the source's unit. */
export type BrokenRun = {
  readonly from: number;
  readonly to: number;
  readonly direction: 'over' | 'under';
  readonly excess: number;
};

/**
 * A bound in a slice, the mean over a window, the mean over the day, and the two means against the days before
 * (domain/models.ts, Limits).
 */
export const brokenLimits = ['slice', 'window', 'day', 'windowChange', 'dayChange'] as const;
export type BrokenLimit = (typeof brokenLimits)[number];

/** Why a day deserves an alert. `criticity` is 0–1, higher for a day less probable. */
export type Finding = {
  /**
   * `frozen`: the sensor repeats itself longer than the reference ever did; `drift`: the source has moved as a whole,
   * told once and not each day.
   */
  readonly kind: 'activity' | 'gap' | 'frozen' | 'drift';
  readonly direction: Direction | null;
  readonly criticity: number;
  readonly slices: readonly BrokenRun[];
  readonly plannedModelId: number | null;
  readonly closestModelId: number | null;
  readonly betterModelId: number | null;
  /** The limits that were broken; absent where bounds alone decide. */
  readonly limits?: readonly BrokenLimit[];
  /** The closest model describes abnormal days: the day looks like a known anomaly. */
  readonly looksLikeAnomaly: boolean;
};

/**
 * What came of one day's check. `notCompared`: the source has no models, or none is planned; `drift`: outside its
 * limits, but as the days before it were.
 */
export const outcomes = ['normal', 'abnormal', 'gap', 'drift', 'notCompared'] as const;
export type Outcome = (typeof outcomes)[number];

export const verdicts = ['anomaly', 'expected', 'notAnomaly', 'newPattern'] as const;
export type Verdict = (typeof verdicts)[number];
export const alertStates = ['open', 'acknowledged', 'resolved', 'invalidated'] as const;
export type AlertState = (typeof alertStates)[number];

/** The types of events that make a check necessary. */
export const checkCauses = [
  'DaysImported',
  'ModelsReset',
  'ModelsReplaced',
  'DayPlanned',
  'DayPlanCleared',
  'SpecialDayNamed',
  'SpecialDayCleared',
] as const;

/** The event that made a check necessary. */
export type CheckCause = { readonly id: string; readonly type: (typeof checkCauses)[number] };

/**
 * What a check knew: the revisions of `source-{id}` and `days-{id}` that it had read, −1 for nothing. Whoever reads
 * the log in its order has of two such states one that holds all of the other.
 */
export type Knowledge = { readonly source: number; readonly days: number };

export type CheckedDay = {
  readonly date: string;
  readonly importId: string;
  readonly dayDigest: string;
  readonly plannedModelId: number | null;
  readonly outcome: Outcome;
};

export type AlertsEvent =
  | {
      readonly type: 'DaysChecked';
      readonly data: {
        readonly cause: CheckCause;
        /** Counted from 1; the check is complete with the part that is the last. */
        readonly part: number;
        readonly last: boolean;
        /** What compared the days; not in events of versions that did not say. */
        readonly engine?: string;
        readonly modelsVersion: number;
        /** Not in events of versions that had one instance alone. */
        readonly knowledge?: Knowledge;
        /** `standing`: alerts of that day which this check left as they were. */
        readonly days: readonly (CheckedDay & { readonly standing: readonly string[] })[];
      };
    }
  | {
      readonly type: 'AlertRaised';
      readonly data: Finding & {
        readonly alertId: string;
        readonly date: string;
        readonly importId: string;
        readonly dayDigest: string;
        readonly modelsVersion: number;
      };
    }
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
  | { readonly type: 'AlertReopened'; readonly data: { readonly alertId: string; readonly date: string } };

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
      readonly days: readonly (CheckedDay & { readonly finding: Finding | null })[];
    }
  | { readonly type: 'AcknowledgeAlert'; readonly alertId: string }
  | {
      readonly type: 'ResolveAlert';
      readonly alertId: string;
      readonly verdict: Verdict;
      readonly comment: string | null;
    }
  | { readonly type: 'ReopenAlert'; readonly alertId: string };

/** An alert that no check has invalidated; `n` counts the alerts of its day. */
type Alert = {
  readonly n: number;
  readonly state: Exclude<AlertState, 'invalidated'>;
  readonly kind: Finding['kind'];
  readonly plannedModelId: number | null;
  readonly modelsVersion: number;
  readonly dayDigest: string;
};

/**
 * The alerts of a day. Of the invalidated ones their number alone is kept: every reset of the models invalidates
 * and raises all alerts anew, and a state lives as long as the service does.
 */
type DayAlerts = { readonly raised: number; readonly standing: readonly Alert[] };

/** By year `YYYY`, then month `MM`, then date: one change copies years, months of one, days of one. */
type ByDate<Value> = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Value>>>>>>;

export type AlertsState = {
  readonly checks: Keyed<true>;
  /** The most that a check has known. */
  readonly knowledge: Knowledge;
  /** Whose alerts these are, `null` before the first. */
  readonly sourceId: number | null;
  readonly alerts: ByDate<DayAlerts>;
};

const bucketsOf = (date: string): [year: string, month: string] => [date.slice(0, 4), date.slice(5, 7)];
const noAlerts: DayAlerts = { raised: 0, standing: [] };
const alertsOn = ({ alerts }: AlertsState, date: string): DayAlerts => {
  const [year, month] = bucketsOf(date);
  return alerts[year]?.[month]?.[date] ?? noAlerts;
};
const unprocessed = (alert: Alert): boolean => alert.state === 'open' || alert.state === 'acknowledged';
const checkKey = (causeId: string, part: number): string => `${causeId}/${part}`;

/** What an alert's id `{sourceId}-{yyyymmdd}-{n}` says, or `undefined` when it is none. */
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

/** The rules of `alerts-{id}`: checks raise and invalidate, people acknowledge, resolve and reopen. */
export const alerts: Decider<AlertsCommand, AlertsEvent, AlertsState> = {
  initial: { checks: nothingKeyed, knowledge: { source: -1, days: -1 }, sourceId: null, alerts: {} },

  decide: (command, state) => {
    switch (command.type) {
      case 'RecordCheck':
        return decideCheck(command, state);
      case 'AcknowledgeAlert': {
        const { date } = movable(command.alertId, state, 'acknowledged', ['open']);
        return [{ type: 'AlertAcknowledged', data: { alertId: command.alertId, date } }];
      }
      case 'ResolveAlert': {
        const { date } = movable(command.alertId, state, 'resolved', ['open', 'acknowledged']);
        const { alertId, verdict, comment } = command;
        return [{ type: 'AlertResolved', data: { alertId, date, verdict, comment } }];
      }
      case 'ReopenAlert': {
        const { sourceId, date } = movable(command.alertId, state, 'reopened', ['resolved']);
        const other = alertsOn(state, date).standing.find(unprocessed);
        if (other)
          throw new Rejection(
            'alertTransition',
            `${date} has the unprocessed alert ${alertIdOf(sourceId, date, other.n)} already`,
          );
        return [{ type: 'AlertReopened', data: { alertId: command.alertId, date } }];
      }
    }
  },

  evolve: (state, { type, data }) => {
    switch (type) {
      case 'DaysChecked':
        return {
          ...state,
          checks: put(state.checks, checkKey(data.cause.id, data.part), true),
          knowledge: data.knowledge ?? state.knowledge,
        };
      case 'AlertRaised': {
        const { date, kind, plannedModelId, modelsVersion, dayDigest } = data;
        const { raised, standing } = alertsOn(state, date);
        const alert: Alert = { n: raised + 1, state: 'open', kind, plannedModelId, modelsVersion, dayDigest };
        const sourceId = parseAlertId(data.alertId)?.sourceId ?? null;
        return withAlerts({ ...state, sourceId }, date, { raised: alert.n, standing: [...standing, alert] });
      }
      case 'AlertInvalidated': {
        const { raised, standing } = alertsOn(state, data.date);
        const n = parseAlertId(data.alertId)?.n;
        return withAlerts(state, data.date, { raised, standing: standing.filter(alert => alert.n !== n) });
      }
      case 'AlertAcknowledged':
        return withState(state, data, 'acknowledged');
      case 'AlertResolved':
        return withState(state, data, 'resolved');
      case 'AlertReopened':
        return withState(state, data, 'open');
    }
  },
};

const withAlerts = (state: AlertsState, date: string, those: DayAlerts): AlertsState => {
  const [year, month] = bucketsOf(date);
  const inYear = state.alerts[year];
  return {
    ...state,
    alerts: { ...state.alerts, [year]: { ...inYear, [month]: { ...inYear?.[month], [date]: those } } },
  };
};

const withState = (
  state: AlertsState,
  { alertId, date }: { readonly alertId: string; readonly date: string },
  to: Alert['state'],
): AlertsState => {
  const { raised, standing } = alertsOn(state, date);
  const n = parseAlertId(alertId)?.n;
  return withAlerts(state, date, {
    raised,
    standing: standing.map(alert => (alert.n === n ? { ...alert, state: to } : alert)),
  });
};

const movable = (
  alertId: string,
  state: AlertsState,
  wish: string,
  from: readonly AlertState[],
): { readonly sourceId: number; readonly date: string } => {
  const id = parseAlertId(alertId);
  const there = id ? alertsOn(state, id.date) : noAlerts;
  if (id?.sourceId !== state.sourceId || id.n > there.raised)
    throw new Rejection('alertNotFound', `no alert ${alertId}`);
  const now = there.standing.find(({ n }) => n === id.n)?.state ?? 'invalidated';
  if (!from.includes(now))
    throw new Rejection(
      'alertTransition',
      `alert ${alertId} is ${now}, expected ${from.join(' or ')} for it to be ${wish}`,
    );
  return id;
};

type RecordCheck = Extract<AlertsCommand, { type: 'RecordCheck' }>;

/**
 * Checks of one source are made side by side when several instances share the work. One that knew less than one
 * recorded already is refused, so the last word on every day is that of somebody who knew all that came before.
 */
const decideCheck = (command: RecordCheck, state: AlertsState): readonly AlertsEvent[] => {
  const { cause, part, last, engine, modelsVersion, knowledge } = command;
  if (lookUp(state.checks, checkKey(cause.id, part))) return [];
  if (knowledge.source < state.knowledge.source || knowledge.days < state.knowledge.days)
    throw new Rejection(
      'checkOutdated',
      `got a check that knows ${JSON.stringify(knowledge)}, expected at least ${JSON.stringify(state.knowledge)}`,
    );
  const judged = command.days.map(day => judge(day, command, state));
  return [
    {
      type: 'DaysChecked',
      data: { cause, part, last, engine, modelsVersion, knowledge, days: judged.map(({ day }) => day) },
    },
    ...judged.flatMap(({ events }) => events),
  ];
};

/**
 * What a check's finding does to the alerts of its day. An import invalidates the unprocessed ones. A change of
 * the planning leaves those whose model is still planned; new models leave those that were raised by them
 * already, when an import was checked between the models and their own check. Either leaves alerts of the same kind
 * alone: where a drift begins, it is told as one, or nobody would hear of it. A person's verdict stands while
 * the day's data do: nothing is raised anew for data that somebody has resolved already.
 */
const judge = (
  { finding, ...day }: RecordCheck['days'][number],
  { sourceId, cause, modelsVersion }: RecordCheck,
  state: AlertsState,
) => {
  const { raised, standing: there } = alertsOn(state, day.date);
  const idOf = ({ n }: { readonly n: number }) => alertIdOf(sourceId, day.date, n);
  const keep = (alert: Alert) =>
    finding !== null &&
    cause.type !== 'DaysImported' &&
    alert.kind === finding.kind &&
    alert.plannedModelId === day.plannedModelId &&
    alert.modelsVersion === modelsVersion &&
    alert.dayDigest === day.dayDigest;
  const invalid = there.filter(alert => unprocessed(alert) && !keep(alert));
  const standing = there.filter(alert => !invalid.includes(alert));
  const settled = standing.some(alert => unprocessed(alert) || alert.dayDigest === day.dayDigest);
  const events: AlertsEvent[] = invalid.map(alert => ({
    type: 'AlertInvalidated',
    data: { alertId: idOf(alert), date: day.date, reason: cause.type },
  }));
  if (finding && !settled)
    events.push({
      type: 'AlertRaised',
      data: {
        ...finding,
        alertId: idOf({ n: raised + 1 }),
        date: day.date,
        importId: day.importId,
        dayDigest: day.dayDigest,
        modelsVersion,
      },
    });
  return { day: { ...day, standing: standing.map(idOf) }, events };
};
