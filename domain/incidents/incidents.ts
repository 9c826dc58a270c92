import type { AlertKind } from '../alerts/findings.js';
import type { AlertState, Verdict } from '../alerts/alertsState.js';
import type { Decider } from '../decider.js';
import { Rejection } from '../rejection.js';
import type { SourceChange } from './changes.js';
import type { AlertSpan, JoinReason } from './connections.js';

/** `ended`: what it reported is over; `merged`: its alerts are in an older one; `invalidated`: it has no alert left. */
export const incidentStates = ['open', 'acknowledged', 'resolved', 'ended', 'merged', 'invalidated'] as const;
export type IncidentState = (typeof incidentStates)[number];

/** States of an incident that waits for a person. */
export const unprocessedStates: readonly IncidentState[] = ['open', 'acknowledged'];

/** Numbers of the alerts of an incident by state, without invalidated ones. */
export type AlertCounts = Readonly<Record<Exclude<AlertState, 'invalidated'>, number>>;

/** An incident right after an event. Invalidated and merged ones keep the facts of before, without counts. */
export type IncidentFacts = {
  readonly incidentId: string;
  readonly state: IncidentState;
  /** State before the event; null for a new incident. */
  readonly before: IncidentState | null;
  readonly counts: AlertCounts;
  readonly kinds: readonly AlertKind[];
  /** That of its main alert, 0–1. */
  readonly criticity: number;
  /** Largest severity of its alerts, 0–1; absent when none has one. */
  readonly worstSeverity?: number;
  /** First and last date of its alerts, both inclusive. */
  readonly since: string;
  readonly until: string;
  /** Ids of its sources, ascending; at most `shownSourcesMax`. */
  readonly sourceIds: readonly number[];
  readonly sourceCount: number;
  /** The most critical that waits for a person, else that which was it before, else of all; in older events of all. */
  readonly mainAlertId: string;
  /** Changes of its sources, at most one a source; absent without one and in older events. */
  readonly changes?: readonly SourceChange[];
  /** Whether the event recognised a change; absent otherwise. */
  readonly recognised?: true;
};

/** Largest number of sources that the facts of an incident name. */
export const shownSourcesMax = 100;

/** An alert that joined an incident. `with`: some of the alerts for which it joined, the latest last. */
export type JoinedAlert = {
  readonly alertId: string;
  readonly incidentId: string;
  readonly reason: JoinReason;
  readonly with: readonly string[];
  /** The label that its source shares with theirs, as `key=value`; null unless that is the reason. */
  readonly label: string | null;
  readonly span: AlertSpan;
};

/** Effect of changed alerts of a source on incidents. */
export type AlertsGroupedData = {
  readonly sourceId: number;
  /** Number of the rules that it follows; absent in older events, which follow the first. */
  readonly rules?: number;
  /** Revision of `alerts-{id}` up to which the alerts are grouped. */
  readonly knowledge: number;
  /** The changed alerts. */
  readonly alertIds: readonly string[];
  readonly joined: readonly JoinedAlert[];
  /** New spans of alerts that a check found again. */
  readonly spans: readonly { readonly alertId: string; readonly span: AlertSpan }[];
  /** Alerts that were invalidated. */
  readonly left: readonly { readonly alertId: string; readonly incidentId: string }[];
  /** Incidents whose alerts are in an older one now, with the alert that connects them. */
  readonly merged: readonly {
    readonly incidentId: string;
    readonly into: string;
    readonly alertId: string;
  }[];
  /** Alerts that nothing connects with the rest of their incident any more. */
  readonly split: readonly {
    readonly incidentId: string;
    readonly from: string;
    readonly alertIds: readonly string[];
  }[];
  readonly incidents: readonly IncidentFacts[];
};

/** A decision of a person about the alerts of an incident, which are changed in their streams afterwards. */
type AlertsDecision = { readonly incidentId: string; readonly alertIds: readonly string[] };
type WithFacts = { readonly incidents: readonly IncidentFacts[] };

/** Events of `incidents-{tenant}`. */
export type IncidentEvent =
  | { readonly type: 'AlertsGrouped'; readonly data: AlertsGroupedData }
  | { readonly type: 'IncidentAcknowledged'; readonly data: AlertsDecision & WithFacts }
  | {
      readonly type: 'IncidentResolved';
      /** The comment is sealed. */
      readonly data: AlertsDecision &
        WithFacts & { readonly verdict: Verdict; readonly comment: string | null };
    }
  | { readonly type: 'IncidentReopened'; readonly data: AlertsDecision & WithFacts }
  /**
   * The alerts of a decision have been changed in their streams, as far as their states allow it. `alertIds` is absent
   * in older events.
   */
  | {
      readonly type: 'IncidentDecisionApplied';
      readonly data: WithFacts & {
        readonly incidentId: string;
        readonly decisionId: string;
        readonly alertIds?: readonly string[];
      };
    }
  /** `assignee` is a sealed subject, null for none. */
  | {
      readonly type: 'IncidentAssigned';
      readonly data: { readonly incidentId: string; readonly assignee: string | null };
    }
  | {
      readonly type: 'IncidentCommented';
      readonly data: { readonly incidentId: string; readonly requestId: string; readonly comment: string };
    }
  | {
      readonly type: 'IncidentSplit';
      readonly data: AlertsDecision & WithFacts & { readonly newIncidentId: string };
    }
  | {
      readonly type: 'IncidentsMerged';
      readonly data: { readonly incidentId: string; readonly into: string } & WithFacts;
    };

/** Decisions that change alerts in their streams. */
export const appliedDecisions = ['IncidentAcknowledged', 'IncidentResolved', 'IncidentReopened'] as const;

/** Records a decision that is made from the read model of incidents. */
export type RecordIncidents = {
  readonly type: 'RecordIncidents';
  /** Number of events of the stream that the read model has now. */
  readonly known: number;
  /** The decision from the present read model; undefined for none. */
  readonly decision: () => IncidentEvent | undefined;
};

/** Number of events of the stream. */
type IncidentsState = { readonly count: number };

/**
 * Rules of `incidents-{tenant}`. Decisions are made from the read model of incidents by the functions of this folder;
 * one that knew fewer events than the stream has is rejected and made again.
 */
export const incidents: Decider<RecordIncidents, IncidentEvent, IncidentsState> = {
  initial: { count: 0 },
  decide: ({ known, decision }, { count }) => {
    if (known !== count)
      throw new Rejection(
        'incidentsOutdated',
        `got a decision that knows ${known} events of incidents, expected ${count}`,
      );
    const event = decision();
    return event ? [event] : [];
  },
  evolve: ({ count }) => ({ count: count + 1 }),
};

/** How urgent an incident is; the field `severity` of messages, whose receivers know these words. */
export const urgencies = ['info', 'warning', 'critical'] as const;
export type Urgency = (typeof urgencies)[number];

/** Least criticities of the two higher urgencies. */
const warningMin = 0.7;
const criticalMin = 0.85;

/** Urgency of a criticity, 0–1. */
export const urgencyOf = (criticity: number): Urgency => {
  if (criticity < warningMin) return 'info';
  return criticity < criticalMin ? 'warning' : 'critical';
};
