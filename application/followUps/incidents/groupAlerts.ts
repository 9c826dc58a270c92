import type { KnownEvent } from '../../../domain/events.js';
import { factsOf, withChange } from '../../../domain/incidents/decisions.js';
import { group, type Known } from '../../../domain/incidents/grouping.js';
import type { Member } from '../../../domain/incidents/memberIndex.js';
import { severityOf } from '../../../domain/incidents/incidentSentence.js';
import {
  incidents,
  unprocessedStates,
  type AlertsGroupedData,
  type IncidentEvent,
  type IncidentFacts,
} from '../../../domain/incidents/incidents.js';
import { Rejection } from '../../../domain/rejection.js';
import { streams } from '../../../domain/streams.js';
import type { ChangedAlert } from '../../../projections/incidents/knownIncidents.js';
import type { ReadModels } from '../../../projections/readModels.js';
import { keyedQueue } from '../../ports/sharing/keyedQueue.js';
import type { Turns } from '../../ports/sharing/turns.js';
import type { CommandMetadata } from '../../commands/commandHandler.js';
import { metadataFor, type FollowUpParts } from '../followUpParts.js';
import { changeFinder } from './findChange.js';

/** Largest number of alerts of one event, whose size it bounds: earlier builds wrote as many. */
export const alertsPerEventMax = 300;

/** Alerts of one event now: fewer of them hold the event loop for a shorter time. */
const alertsPerEvent = 50;

/** Parts of the work on incidents. */
export type IncidentParts = Pick<
  FollowUpParts,
  'models' | 'handle' | 'caughtUp' | 'environment' | 'clockOf'
> & {
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

/**
 * Whether an alert need not be grouped yet: it goes on with its date, as urgent as before. So a day that grows by
 * points adds few events; the last check of the date groups it.
 */
const mayWait = (models: ReadModels, alert: ChangedAlert, { members }: Known): boolean => {
  const member = members.find(({ alertId }) => alertId === alert.alertId);
  if (!alert.isGrowing || member?.span.sense !== alert.span.sense) return false;
  const before = models.incidents.decided(member.incidentId)?.facts?.criticity ?? 0;
  return alert.criticity <= before || severityOf(alert.criticity) === severityOf(before);
};

/** Changed alerts of a source, and the incidents that they may be in. */
type Changed = {
  readonly sourceId: number;
  readonly changed: readonly ChangedAlert[];
  readonly known: Known;
};

/**
 * The effect of changed alerts of a source.
 * @param shown adds what has changed in the source to the facts of an incident that waits
 */
export const groupedFrom = (
  models: ReadModels,
  { sourceId, changed, known }: Changed,
  shown: (facts: IncidentFacts, members: readonly Member[]) => IncidentFacts = facts => facts,
): AlertsGroupedData => {
  const { after, ...moved } = group(changed, known);
  const merged = new Set(moved.merged.map(({ incidentId }) => incidentId));
  const facts = [...after].map(([id, members]) => {
    const before = models.incidents.decided(id);
    const { facts = null, isAcknowledged = false } = before ?? {};
    const now = factsOf({ id, facts, isAcknowledged, members }, merged.has(id));
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
  const changed = models.incidents.changedAlerts(sourceId, places, alertsPerEvent);
  if (changed.length === 0) return undefined;
  const known = models.incidents.knownFor(sourceId, changed);
  if (changed.every(alert => mayWait(models, alert, known))) return undefined;
  return groupedFrom(models, { sourceId, changed, known }, (facts, members) =>
    withChange(facts, sourceId, changeOf(members)),
  );
};

/**
 * Appends a decision about the incidents of a tenant, which is made again when newer events precede it.
 * @param decision   from the present read models; undefined for none
 * @param metadataOf by the number of events of the tenant's incidents that the decision knows
 * @returns          whether an event was appended
 * @throws Rejection of `decision`
 */
export const recordIncidents = async (
  { models, handle, caughtUp }: Pick<IncidentParts, 'models' | 'handle' | 'caughtUp'>,
  tenant: string,
  decision: () => IncidentEvent | undefined,
  metadataOf: (known: number) => CommandMetadata,
): Promise<boolean> => {
  for (;;)
    try {
      const known = models.incidents.eventCount(tenant);
      const command = { type: 'RecordIncidents', known, decision } as const;
      const { events } = await handle(incidents, streams.incidents(tenant), command, metadataOf(known));
      await caughtUp();
      return events.length > 0;
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== 'incidentsOutdated') throw error;
      await caughtUp();
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
        if (!(await recordIncidents(parts, tenant, decision, metadataOf))) return;
        await turns.nextTurn();
      }
    });
  };
};
