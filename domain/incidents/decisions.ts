import { isUnprocessed, type Verdict } from '../alerts/alertsState.js';
import { Rejection } from '../rejection.js';
import { continued, isSameChange, type MeasuredChange } from './changes.js';
import { incidentAlertsMax } from './grouping.js';
import { groupingRules, type Member } from './connections.js';
import {
  shownSourcesMax,
  unprocessedStates,
  type AlertCounts,
  type IncidentEvent,
  type IncidentFacts,
  type IncidentState,
} from './incidents.js';

/** An incident as decisions know it, with its standing alerts. */
export type DecidedIncident = {
  readonly id: string;
  readonly facts: IncidentFacts | null;
  /** Whether a person has acknowledged it while it waits. */
  readonly isAcknowledged: boolean;
  readonly members: readonly Member[];
};

const noCounts: AlertCounts = { open: 0, acknowledged: 0, resolved: 0, ended: 0 };

const stateOf = (counts: AlertCounts, isAcknowledged: boolean): IncidentState => {
  if (counts.open > 0) return isAcknowledged ? 'acknowledged' : 'open';
  if (counts.acknowledged > 0) return 'acknowledged';
  if (counts.resolved > 0) return 'resolved';
  return counts.ended > 0 ? 'ended' : 'invalidated';
};

/** Facts of an incident without alerts: those that it had before. */
const emptyFacts = (
  id: string,
  { recognised, ...facts }: Partial<IncidentFacts>,
  state: IncidentState,
): IncidentFacts => ({
  kinds: [],
  criticity: 0,
  since: '',
  until: '',
  sourceIds: [],
  sourceCount: 0,
  mainAlertId: '',
  ...facts,
  incidentId: id,
  counts: noCounts,
  state,
  before: facts.state ?? null,
});

const isMoreCritical = (one: Member, other: Member): boolean =>
  one.criticity > other.criticity || (one.criticity === other.criticity && one.alertId < other.alertId);

/**
 * The most critical alert that waits for a person; when none does, the one that was it before, whose end is a message.
 * Without one, and by earlier rules, the most critical of all.
 */
const mainOf = (members: readonly Member[], rules: number, before?: string): Member | undefined => {
  const waiting = rules < 3 ? [] : members.filter(isUnprocessed);
  const last = members.find(({ alertId }) => alertId === before);
  if (rules >= 3 && waiting.length === 0 && last) return last;
  const [first, ...others] = waiting.length > 0 ? waiting : members;
  return first && others.reduce((most, one) => (isMoreCritical(one, most) ? one : most), first);
};

/**
 * Facts of an incident after a decision; `merged` when its alerts are in another one now.
 * @param known changes of sources before it, also those of incidents whose alerts it has now: of each the first holds
 * @param rules number of the rules that they follow
 */
export const factsOf = (
  { id, facts, isAcknowledged, members }: DecidedIncident,
  isMerged = false,
  known = facts?.changes ?? [],
  rules = groupingRules,
): IncidentFacts => {
  const main = mainOf(members, rules, facts?.mainAlertId);
  if (!main) return emptyFacts(id, facts ?? {}, isMerged ? 'merged' : 'invalidated');
  const count = (state: keyof AlertCounts): number => members.filter(one => one.state === state).length;
  const counts = {
    open: count('open'),
    acknowledged: count('acknowledged'),
    resolved: count('resolved'),
    ended: count('ended'),
  };
  const dates = members.map(({ date }) => date).sort();
  const sources = [...new Set(members.map(({ sourceId }) => sourceId))].sort((a, b) => a - b);
  const changes = sources.flatMap(id => known.find(({ sourceId }) => sourceId === id) ?? []);
  const severities = members.flatMap(({ severity }) => severity ?? []);
  return {
    incidentId: id,
    state: stateOf(counts, isAcknowledged),
    before: facts?.state ?? null,
    counts,
    kinds: [...new Set(members.map(({ kind }) => kind))].sort(),
    criticity: main.criticity,
    ...(severities.length > 0 && { worstSeverity: Math.max(...severities) }),
    since: dates[0] ?? '',
    until: dates.at(-1) ?? '',
    sourceIds: sources.slice(0, shownSourcesMax),
    sourceCount: sources.length,
    mainAlertId: main.alertId,
    ...(changes.length > 0 && { changes: changes.slice(0, shownSourcesMax) }),
  };
};

/**
 * Facts with what has changed in a source, as its alerts show it now.
 * @param found null when they show no change
 */
export const withChange = (
  facts: IncidentFacts,
  sourceId: number,
  found: MeasuredChange | null,
): IncidentFacts => {
  const { changes: before = [], ...rest } = facts;
  const known = before.find(change => change.sourceId === sourceId);
  const others = before.filter(change => change !== known);
  if (!found) return others.length > 0 ? { ...rest, changes: others } : rest;
  const { values, modelId, ...change } = found;
  const changes = [...others, { ...continued(change, known), sourceId }]
    .sort((a, b) => a.sourceId - b.sourceId)
    .slice(0, shownSourcesMax);
  const isNew = known === undefined || !isSameChange(found, known);
  return { ...rest, changes, ...(isNew && { recognised: true }) };
};

/** @throws Rejection `incidentTransition` */
const requireState = (
  { id, facts }: DecidedIncident,
  target: string,
  from: readonly IncidentState[],
): void => {
  const state = facts?.state ?? 'invalidated';
  if (!from.includes(state))
    throw new Rejection(
      'incidentTransition',
      `incident ${id} is ${state}, expected ${from.join(' or ')} for it to be ${target}`,
    );
};

/**
 * Refuses an incident whose alerts are in another one: who has it and what is said about it is not read there.
 * @throws Rejection `incidentTransition`
 */
export const requireApart = (
  { id, facts }: DecidedIncident,
  target: string,
  mergedInto: string | null,
): void => {
  if (facts?.state === 'merged')
    throw new Rejection(
      'incidentTransition',
      `incident ${id} is merged into ${mergedInto}, expected one with alerts for it to be ${target}`,
    );
};

const idsOf = (members: readonly Member[]): readonly string[] => members.map(({ alertId }) => alertId);

/** Facts when some alerts have a state. */
const factsWith = (
  incident: DecidedIncident,
  changed: readonly Member[],
  state: Member['state'],
): IncidentFacts => {
  const isChanged = new Set(changed);
  const members = incident.members.map(one => (isChanged.has(one) ? { ...one, state } : one));
  return factsOf({ ...incident, isAcknowledged: false, members });
};

/** Acknowledges an open incident. @throws Rejection `incidentTransition` */
export const acknowledged = (incident: DecidedIncident): IncidentEvent => {
  requireState(incident, 'acknowledged', ['open']);
  const changed = incident.members.filter(({ state }) => state === 'open');
  const incidents = [factsWith(incident, changed, 'acknowledged')];
  return {
    type: 'IncidentAcknowledged',
    data: { incidentId: incident.id, alertIds: idsOf(changed), incidents },
  };
};

/** Resolves an incident: its alerts that are not resolved. @throws Rejection `incidentTransition` */
export const resolved = (
  incident: DecidedIncident,
  { verdict, comment }: { readonly verdict: Verdict; readonly comment: string | null },
): IncidentEvent => {
  requireState(incident, 'resolved', [...unprocessedStates, 'ended']);
  const changed = incident.members.filter(({ state }) => state !== 'resolved');
  const incidents = [factsWith(incident, changed, 'resolved')];
  return {
    type: 'IncidentResolved',
    data: { incidentId: incident.id, alertIds: idsOf(changed), verdict, comment, incidents },
  };
};

/** Reopens an acknowledged or resolved incident. @throws Rejection `incidentTransition` */
export const reopened = (incident: DecidedIncident): IncidentEvent => {
  requireState(incident, 'reopened', ['acknowledged', 'resolved']);
  const isResolved = incident.facts?.state === 'resolved';
  const changed = incident.members.filter(
    ({ state }) => state === 'acknowledged' || (isResolved && state === 'resolved'),
  );
  const incidents = [factsWith(incident, changed, 'open')];
  return { type: 'IncidentReopened', data: { incidentId: incident.id, alertIds: idsOf(changed), incidents } };
};

/**
 * Moves some alerts of an incident to a new one, which is never merged with it by itself.
 * @throws Rejection `incidentTransition` unless some of its alerts stay and all the others belong to it
 */
export const splitOff = (
  incident: DecidedIncident,
  alertIds: readonly string[],
  newIncidentId: string,
): IncidentEvent => {
  const wanted = new Set(alertIds);
  const moved = incident.members.filter(({ alertId }) => wanted.has(alertId));
  const rest = incident.members.filter(({ alertId }) => !wanted.has(alertId));
  const other = alertIds.find(alertId => !moved.some(member => member.alertId === alertId));
  if (other !== undefined)
    throw new Rejection(
      'incidentTransition',
      `got alert ${other}, expected alerts of incident ${incident.id}`,
    );
  if (rest.length === 0)
    throw new Rejection(
      'incidentTransition',
      `got all ${moved.length} alerts of incident ${incident.id}, expected at least one that stays`,
    );
  const incidents = [
    factsOf({ ...incident, members: rest }),
    factsOf(
      { id: newIncidentId, facts: null, isAcknowledged: false, members: moved },
      false,
      incident.facts?.changes,
    ),
  ];
  return {
    type: 'IncidentSplit',
    data: { incidentId: incident.id, alertIds: idsOf(moved), newIncidentId, incidents },
  };
};

/** Merges an incident into another one. @throws Rejection `incidentTransition` */
export const mergedInto = (incident: DecidedIncident, into: DecidedIncident): IncidentEvent => {
  const refuse = (why: string): Rejection => new Rejection('incidentTransition', why);
  if (incident.id === into.id) throw refuse(`got ${into.id} twice, expected another incident`);
  for (const one of [incident, into])
    if (one.members.length === 0) throw refuse(`incident ${one.id} has no alerts, expected some`);
  const members = [...into.members, ...incident.members];
  if (members.length > incidentAlertsMax)
    throw refuse(`got ${members.length} alerts, expected at most ${incidentAlertsMax} of an incident`);
  const changes = [into, incident].flatMap(({ facts }) => facts?.changes ?? []);
  const incidents = [
    factsOf({ ...incident, members: [] }, true),
    factsOf({ ...into, members }, false, changes),
  ];
  return { type: 'IncidentsMerged', data: { incidentId: incident.id, into: into.id, incidents } };
};
