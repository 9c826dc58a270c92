import { changedDates } from '../../analysis/changes/changedModel.js';
import { detectChange, type LikeDay } from '../../analysis/changes/detectChange.js';
import { alerts, type AlertsCommand } from '../../domain/alerts/alerts.js';
import { parseAlertId } from '../../domain/alerts/alertsState.js';
import { dayNumber, secondsPerDay, dayAfter, dateAfter } from '../../domain/dates.js';
import { usable } from '../../domain/day.js';
import { isSameJson } from '../../domain/sameJson.js';
import type { KnownEvent } from '../../domain/events.js';
import type { AppliedDecision } from '../../domain/followUps.js';
import { likeDaysMax, likeDaysMin, type MeasuredChange } from '../../domain/incidents/changes.js';
import { factsOf, withChange } from '../../domain/incidents/decisions.js';
import { group, type Known } from '../../domain/incidents/grouping.js';
import { isMoreCritical } from '../../domain/alerts/alerts.js';
import {
  unprocessedStates,
  type AlertsGroupedData,
  type IncidentEvent,
  type IncidentFacts,
} from '../../domain/incidents/incidents.js';
import { groupingRules, type Member } from '../../domain/incidents/connections.js';
import { streams, tenantOf } from '../../domain/streams.js';
import type { ChangedAlert } from '../../projections/incidents/knownIncidents.js';
import type { ReadModels } from '../../projections/readModels.js';
import { keyedQueue } from '../ports/sharing/fairQueue.js';
import type { Turns } from '../ports/sharing/turns.js';
import { SourceParked } from '../reading/parking.js';
import { explainedNow } from './covariates.js';
import { type FollowUpParts, metadataFor } from './followUpParts.js';
import { recordIncidents, type IncidentDecision } from './recordIncidents.js';

/** Days before the first like day in which a change of the clock explains a shift by an hour. */
const clockDays = 7;
const hourMinutes = 60;
const hourSeconds = 3600;

/** Whether the clock of a source changed by an hour shortly before a date, or on it. */
const hasClockChanged = (
  models: Pick<ReadModels, 'sources'>,
  clockOf: FollowUpParts['clockOf'],
  sourceId: number,
  date: string,
): boolean => {
  const clock = clockOf?.(models.sources.setup(sourceId)?.timeZone ?? 'UTC');
  if (!clock) return false;
  const at = dayNumber(date);
  const offset = (day: number): number => clock.periodAt(day * secondsPerDay).offset;
  return Math.abs(offset(at + 1) - offset(at - clockDays)) === hourSeconds;
};

/** Longest time before the last like day in which days are looked at. */
const daysBeforeMax = 60;

/** Returns a function that gives days of a source what was expected on them. */
const likeDayReader = (models: ReadModels, sourceId: number) => {
  const sourceModels = models.typicalDays.list(sourceId);
  const explained = explainedNow(models, sourceId, sourceModels);
  const changed = changedDates(models.acceptedChanges.ofSource(sourceId));
  return (first: string, isLike: (date: string) => boolean, last: string): readonly LikeDay[] =>
    models.days.between(sourceId, 'recent', first, dayAfter(last)).flatMap((day): LikeDay[] => {
      const { date, activity, check } = day;
      const planned = sourceModels.find(({ id }) => id === check?.plannedModelId);
      const isOrdinary = check?.outcome === 'normal';
      if (!planned || planned.activity.length !== activity.length) return [];
      if (!isLike(date) && !isOrdinary) return [];
      const expected = changed(date).moved(explained?.(date).moved(planned) ?? planned).activity;
      const likeDay = { date, values: activity, expected, flags: usable(day), modelId: planned.id };
      return [isLike(date) ? likeDay : { ...likeDay, isOrdinary }];
    });
};

/** Returns a function that finds what has changed in a source, from its last alerts of days in an incident. */
export const changeFinder = (models: ReadModels, clockOf: FollowUpParts['clockOf'], sourceId: number) => {
  let reader: ReturnType<typeof likeDayReader> | undefined;
  return (members: readonly Pick<Member, 'sourceId' | 'kind' | 'date'>[]): MeasuredChange | null => {
    const own = members.filter(
      one => one.sourceId === sourceId && (one.kind === 'activity' || one.kind === 'drift'),
    );
    const dates = [...new Set(own.map(({ date }) => date))].sort().slice(-likeDaysMax);
    const last = dates.at(-1);
    if (last === undefined || dates.length < likeDaysMin) return null;
    const read = (reader ??= likeDayReader(models, sourceId));
    const near = dateAfter(last, -daysBeforeMax);
    const first = dates.find(date => date >= near) ?? last;
    const found = detectChange(read(first, date => dates.includes(date), last));
    const isSlip =
      found?.type === 'clock' &&
      Math.abs(found.size) === hourMinutes &&
      hasClockChanged(models, clockOf, sourceId, found.from);
    return found && isSlip ? { ...found, daylightSaving: true } : found;
  };
};

/** Largest number of alerts of one event, whose size it bounds: earlier builds wrote as many. */
export const alertsPerEventMax = 300;

/** Alerts of one event now: fewer of them hold the event loop for a shorter time. */
const alertsPerEvent = 50;

/** Parts of the work on incidents. */
type IncidentParts = Pick<FollowUpParts, 'models' | 'handle' | 'caughtUp' | 'environment' | 'clockOf'> & {
  readonly turns: Turns;
};

/** Labels of a source that join it with others, with its time zone: times are compared by the local clock. */
export const placesOf = (models: ReadModels, sourceId: number, tenant: string): readonly string[] => {
  const { incidentLabels } = models.incidents.settings(tenant);
  const source = models.sources.setup(sourceId);
  return incidentLabels.flatMap(key => {
    const value = source?.labels[key];
    return value === undefined ? [] : [`${source?.timeZone} ${key}=${value}`];
  });
};

/** Levels of severity that the screens show (web/parts/days.ts). Each of them may cost a day that grows one event. */
const severityLevels = [0.2, 0.5] as const;
const severitySteps = (severity = 0): number => severityLevels.filter(level => severity >= level).length;

/**
 * Whether an alert need not be grouped yet: it goes on with its date, in its state, no more critical or severe than its
 * incident by a step. A day that grows by points adds few events so; the last check of the date groups it.
 */
const mayWait = (models: ReadModels, alert: ChangedAlert, { members }: Known): boolean => {
  const member = members.find(({ alertId }) => alertId === alert.alertId);
  if (!alert.isGrowing || member?.span.sense !== alert.span.sense) return false;
  const incident = models.incidents.decided(member.incidentId);
  if (!incident?.facts) return false;
  // A person may have decided an alert since.
  return (
    isSameJson(factsOf(incident).counts, incident.facts.counts) &&
    !isMoreCritical(alert.criticity, incident.facts.criticity) &&
    severitySteps(alert.severity) <= severitySteps(incident.facts.worstSeverity)
  );
};

/** Changed alerts of a source, and the incidents that they may be in. */
type Changed = {
  readonly sourceId: number;
  readonly changed: readonly ChangedAlert[];
  readonly known: Known;
};

/** Ids of an incident and of those from which a grouping moved alerts into it, also by way of others. */
const originsOf = (id: string, { merged, split }: Pick<AlertsGroupedData, 'merged' | 'split'>) => {
  const origins = new Set([id]);
  for (const one of origins) {
    for (const { incidentId, into } of merged) if (into === one) origins.add(incidentId);
    for (const { incidentId, from } of split) if (incidentId === one) origins.add(from);
  }
  return [...origins];
};

/**
 * The effect of changed alerts of a source.
 * @param shown adds what has changed in the source to the facts of an incident that waits
 */
export const groupedFrom = (
  models: ReadModels,
  { sourceId, changed, known: before }: Changed,
  shown: (facts: IncidentFacts, members: readonly Member[]) => IncidentFacts = facts => facts,
): AlertsGroupedData => {
  const { after, ...moved } = group(changed, before);
  const merged = new Set(moved.merged.map(({ incidentId }) => incidentId));
  const facts = [...after].map(([id, members]) => {
    const { facts = null, isAcknowledged = false } = models.incidents.decided(id) ?? {};
    const known = originsOf(id, moved).flatMap(one => models.incidents.decided(one)?.facts?.changes ?? []);
    const now = factsOf({ id, facts, isAcknowledged, members }, merged.has(id), known, before.rules);
    return unprocessedStates.includes(now.state) ? shown(now, members) : now;
  });
  return {
    sourceId,
    knowledge: changed.at(-1)?.revision ?? -1,
    alertIds: changed.map(({ alertId }) => alertId),
    ...moved,
    incidents: facts,
  };
};

/** The effect of the alerts of a source that changed since they were grouped; undefined for none. */
const grouped = (
  { models, clockOf }: Pick<IncidentParts, 'models' | 'clockOf'>,
  sourceId: number,
  tenant: string,
): AlertsGroupedData | undefined => {
  const changeOf = changeFinder(models, clockOf, sourceId);
  const places = placesOf(models, sourceId, tenant);
  const of = { places, rules: groupingRules };
  const changed = models.incidents.changedAlerts(sourceId, of, alertsPerEvent);
  if (changed.length === 0) return undefined;
  const known = models.incidents.knownFor(sourceId, changed);
  if (changed.every(alert => mayWait(models, alert, known))) return undefined;
  const data = groupedFrom(models, { sourceId, changed, known }, (facts, members) =>
    withChange(facts, sourceId, changeOf(members)),
  );
  return { ...data, rules: groupingRules };
};

/** `recordIncidents` for the process manager: false while the incidents of the tenant are parked. */
const recordUnlessParked = async (parts: IncidentParts, decided: IncidentDecision): Promise<boolean> => {
  try {
    return await recordIncidents(parts, decided);
  } catch (error) {
    if (error instanceof SourceParked) return false;
    throw error;
  }
};

/** Groups the alerts of sources into incidents. */
export type AlertGrouper = (sourceId: number, cause: KnownEvent) => Promise<void>;

/** Returns a function that groups the alerts of a source that changed; the sources of a tenant take turns. */
export const alertGrouper = (parts: IncidentParts): AlertGrouper => {
  const { models, environment, turns } = parts;
  const queue = keyedQueue();
  return async (sourceId, cause) => {
    const tenant = models.sources.setup(sourceId)?.tenant;
    if (tenant === undefined) return;
    await queue.run(tenant, async () => {
      for (let part = 1; ; part += 1) {
        const decision = (): IncidentEvent | undefined => {
          const data = grouped(parts, sourceId, tenant);
          return data && { type: 'AlertsGrouped', data };
        };
        // Another instance may append a part of the same cause: each decision has an id of its own.
        const metadataOf = (known: number) =>
          metadataFor(environment, cause, `incidents/${sourceId}/${part}/${known}`);
        if (!(await recordUnlessParked(parts, { tenant, decision, metadataOf }))) return;
        await turns.nextTurn();
      }
    });
  };
};

/** Maximum alerts of one append: with the longest comments it stays below the limit of 1 MiB. */
const alertsPerAppend = 64;

/** The command that a decision means for some of its alerts. */
const commandOf = (event: AppliedDecision, alertIds: readonly string[]): AlertsCommand => {
  switch (event.type) {
    case 'IncidentAcknowledged':
      return { type: 'AcknowledgeAlerts', alertIds };
    case 'IncidentResolved': {
      const { verdict, comment } = event.data;
      return { type: 'ResolveAlerts', alertIds, verdict, comment };
    }
    case 'IncidentReopened':
      return { type: 'ReopenAlerts', alertIds };
  }
};

/** Alerts of one source that fit one append; `part` counts those of a source from 0. */
export type AlertPart = { readonly sourceId: number; readonly part: number; readonly ids: readonly string[] };

/** Alerts by source, in parts that fit one append. */
export const partsOfAlerts = (alertIds: readonly string[]): readonly AlertPart[] => {
  const bySource = new Map<number, string[]>();
  for (const alertId of alertIds) {
    const sourceId = parseAlertId(alertId)?.sourceId ?? 0;
    bySource.set(sourceId, [...(bySource.get(sourceId) ?? []), alertId]);
  }
  return [...bySource].flatMap(([sourceId, ids]) =>
    Array.from({ length: Math.ceil(ids.length / alertsPerAppend) }, (_, part) => ({
      sourceId,
      part,
      ids: ids.slice(part * alertsPerAppend, (part + 1) * alertsPerAppend),
    })),
  );
};

/** Returns a function that changes the alerts of a decision, as far as their states allow it, and notes that it did. */
export const decisionApplier =
  (parts: IncidentParts & Pick<FollowUpParts, 'parking'>, group: AlertGrouper) =>
  async (event: AppliedDecision): Promise<void> => {
    const { models, handle, caughtUp, environment, parking } = parts;
    const tenant = tenantOf(event.stream) ?? '';
    const { incidentId, alertIds } = event.data;
    const alertParts = partsOfAlerts(alertIds);
    const isChanged = (alertId: string): boolean =>
      models.alerts.history(alertId).some(({ cause }) => cause === event.id);
    await caughtUp();
    for (const [index, { sourceId, ids }] of alertParts.entries()) {
      // After a crash a decision is applied again; meanwhile a person may have reopened an alert.
      if (ids.some(isChanged)) continue;
      // A person decided it, so the histories of the alerts name that person.
      const metadata = metadataFor(environment, event, `alerts/${index}`, event.metadata.by);
      // An event of one source that cannot be read does not keep the others from the decision.
      await parking.guard(() => handle(alerts, streams.alerts(sourceId), commandOf(event, ids), metadata));
    }
    await caughtUp();
    for (const sourceId of new Set(alertParts.map(part => part.sourceId))) await group(sourceId, event);
    const applied = (): IncidentEvent | undefined => {
      const incident = models.incidents.decided(incidentId, 'applied');
      if (!models.followUps.isDue(event.position) || !incident) return undefined;
      // The event that took all of its alerts, such as a merge, has its facts.
      const incidents = incident.members.length > 0 ? [factsOf(incident)] : [];
      const data = { incidentId, decisionId: event.id, alertIds, incidents };
      return { type: 'IncidentDecisionApplied', data };
    };
    const metadataOf = () => metadataFor(environment, event, 'applied');
    await recordUnlessParked(parts, { tenant, decision: applied, metadataOf });
  };
