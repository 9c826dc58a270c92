import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../../domain/events.js';
import {
  unprocessedStates,
  type IncidentEvent,
  type IncidentFacts,
} from '../../domain/incidents/incidents.js';
import { tenantOf } from '../../domain/streams.js';
import { stepOf, type AlertStep, type StepRow } from '../alerts.js';
import { ordersPerPosition } from './knownIncidents.js';
import { lookedMax, type MomentOf } from '../messageCauses.js';
import { cell, parsed } from '../readModel.js';

/** Events of incidents by incident, each with the facts of the incident after it. */
export const stepsSchema = `
  create table incident_steps (
    incident_id text not null,
    position integer not null,
    event_id text not null,
    type text not null,
    at text not null,
    actor text not null,
    cause text not null,
    detail text not null,
    -- Absent for an event that changes no fact.
    facts text,
    primary key (incident_id, position)
  ) strict, without rowid;`;

/** One step in the history of an incident. */
export type IncidentStep = AlertStep & { readonly position: bigint };

/** Facts of an incident after an event. */
export type FactsThen = { readonly position: bigint; readonly at: string; readonly facts: IncidentFacts };

type StoredIncidentEvent = Extract<KnownEvent, { type: IncidentEvent['type'] }>;

/** The part of a grouping that concerns an incident. */
const groupingDetail = (
  { joined, left, merged, split }: Extract<StoredIncidentEvent, { type: 'AlertsGrouped' }>['data'],
  id: string,
): object => {
  const ofIncident = {
    joined: joined
      .filter(({ incidentId }) => incidentId === id)
      .map(({ alertId, reason, with: others, label }) => ({ alertId, reason, with: others, label })),
    left: left.filter(({ incidentId }) => incidentId === id).map(({ alertId }) => alertId),
    merged: merged.filter(({ incidentId, into }) => incidentId === id || into === id),
    split: split.filter(({ incidentId, from }) => incidentId === id || from === id),
  };
  return Object.fromEntries(Object.entries(ofIncident).filter(([, list]) => list.length > 0));
};

const detailOf = (event: StoredIncidentEvent, id: string): object => {
  switch (event.type) {
    case 'AlertsGrouped':
      return groupingDetail(event.data, id);
    case 'IncidentResolved':
      return { verdict: event.data.verdict, comment: event.data.comment };
    case 'IncidentAssigned':
      return { assignee: event.data.assignee };
    case 'IncidentCommented':
      return { comment: event.data.comment };
    case 'IncidentSplit':
      return {
        from: event.data.incidentId,
        newIncidentId: event.data.newIncidentId,
        alertIds: event.data.alertIds,
      };
    case 'IncidentsMerged':
      return { merged: [{ incidentId: event.data.incidentId, into: event.data.into }] };
    default:
      return {};
  }
};

/** Returns a function that adds an event to the histories of its incidents. */
export const stepWriter = (db: Database) => {
  const insert = db.prepare(
    `insert into incident_steps (incident_id, position, event_id, type, at, actor, cause, detail, facts)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (event: KnownEvent): void => {
    if (tenantOf(event.stream) === undefined) return;
    const stored = event as StoredIncidentEvent;
    const facts = 'incidents' in stored.data ? stored.data.incidents : [];
    const ids = 'incidentId' in stored.data ? [stored.data.incidentId] : [];
    for (const id of new Set([...ids, ...facts.map(({ incidentId }) => incidentId)])) {
      const own = facts.find(({ incidentId }) => incidentId === id);
      const { position, id: eventId, type, at, metadata } = stored;
      const detail = JSON.stringify(detailOf(stored, id));
      insert.run(
        ...[id, position, eventId, type, at, metadata.by, metadata.cause, detail],
        own ? JSON.stringify(own) : null,
      );
    }
  };
};

/** The part of the detail of a step that says where alerts are. Only a split by a person has `newIncidentId`. */
type Moves = {
  readonly joined?: readonly { readonly alertId: string }[];
  readonly merged?: readonly { readonly incidentId: string; readonly into: string }[];
  readonly split?: readonly Split[];
  readonly newIncidentId?: string;
} & Partial<Omit<Split, 'incidentId'>>;
type Split = {
  readonly incidentId: string;
  readonly from: string;
  readonly alertIds: readonly string[];
};

const splitsOf = ({ split = [], newIncidentId, from, alertIds }: Moves): readonly Split[] =>
  newIncidentId !== undefined && from !== undefined && alertIds
    ? [{ incidentId: newIncidentId, from, alertIds }]
    : split;

/** The incident of an alert after an event, from that before it. A grouping splits first, and then merges. */
const movedTo = (id: string, alertId: string, moves: readonly Moves[]): string => {
  const isOf = ({ from, alertIds }: Split): boolean => from === id && alertIds.includes(alertId);
  const merged = moves.flatMap(one => one.merged ?? []);
  let now = moves.flatMap(splitsOf).find(isOf)?.incidentId ?? id;
  for (;;) {
    const merge = merged.find(({ incidentId }) => incidentId === now);
    if (!merge) return now;
    now = merge.into;
  }
};

/** Queries on the alerts of incidents as of a position. */
const membershipQueries = (db: Database) => {
  const grouping = db.prepare<[string], { order: number; at: string }>(
    'select joined_order as "order", joined_at as at from incident_alerts where alert_id = ?',
  );
  const ofEvent = db.prepare<[bigint], { id: string; detail: string }>(
    'select incident_id as id, detail from incident_steps where position = ?',
  );
  const nextMove = db
    .prepare<[string, bigint, bigint], bigint>(
      `select position from incident_steps
       where incident_id = ? and position > ? and position <= ?
         and coalesce(detail ->> 'merged', detail ->> 'split', detail ->> 'alertIds') is not null
       order by position limit 1`,
    )
    .safeIntegers()
    .pluck();
  const stepsAt = (position: bigint) =>
    ofEvent.all(position).map(({ id, detail }) => ({ id, moves: parsed<Moves>(detail) }));
  /** The event that grouped an alert; undefined before it. */
  const groupingOf = (alertId: string): Omit<FactsThen, 'facts'> | undefined => {
    const found = grouping.get(alertId);
    return found && { position: BigInt(Math.floor(found.order / ordersPerPosition)), at: found.at };
  };
  return {
    groupingOf,
    /** Ids of the alerts that an event grouped. */
    joinedAt: (position: bigint): readonly string[] =>
      stepsAt(position).flatMap(({ moves }) => moves.joined?.map(({ alertId }) => alertId) ?? []),
    /** Ids of the incidents that an event merged into one, also by way of others. */
    mergedAt: (id: string, position: bigint): readonly string[] => {
      const moves = stepsAt(position).map(one => one.moves);
      const merged = moves.flatMap(one => one.merged?.map(({ incidentId }) => incidentId) ?? []);
      return [...new Set(merged)].filter(one => movedTo(one, '', moves) === id);
    },
    /** Id of the incident of an alert at a position, also after it has left it; undefined before its grouping. */
    incidentAt: (alertId: string, position: bigint): string | undefined => {
      let at = groupingOf(alertId)?.position ?? position + 1n;
      if (at > position) return undefined;
      let id = stepsAt(at).find(({ moves }) => moves.joined?.some(one => one.alertId === alertId))?.id;
      for (let next: bigint | undefined = at; id !== undefined && next !== undefined;) {
        at = next;
        const moves = stepsAt(at).map(one => one.moves);
        id = movedTo(id, alertId, moves);
        next = nextMove.get(id, at, position);
      }
      return id;
    },
  };
};

/** Condition that an incident was opened up to a position. A plus before it keeps it from the choice of an index. */
const isOpened = `opened_order < ($position + 1) * ${ordersPerPosition}`;

type Row = StepRow & { readonly position: bigint };

type LiveAt = MomentOf & {
  readonly sourceId?: number;
  readonly isWanted?: (facts: IncidentFacts) => boolean;
};

/** Parameters of the search for incidents that wait; a limit of −1 is none. */
type AskedLive = {
  readonly tenant: string;
  readonly position: bigint;
  readonly states: string;
  readonly sourceId: number | null;
  readonly limit: number;
};

/** Reader of the ids of incidents that may wait for a person, the latest first. */
const liveReader = (db: Database) => {
  // Incidents that wait for a person, and those that changed after the position, as far as they were opened before it.
  const maybeLive = db
    .prepare<AskedLive, string>(
      `select id from (
         select id, opened_order, merged_into, facts from incidents
         where tenant = $tenant and ${isOpened} and state in (select value from json_each($states))
         union
         select id, opened_order, merged_into, facts from incidents
         where tenant = $tenant and +${isOpened}
           and id in (select incident_id from incident_steps where position > $position))
       where $sourceId is null or merged_into is not null
         or exists (select 1 from json_each(facts, '$.sourceIds') where value = $sourceId)
       order by opened_order desc limit cast($limit as integer)`,
    )
    .pluck();
  const asked = ({ tenant, position, sourceId }: LiveAt, limit: number): AskedLive => ({
    ...{ tenant, position, limit, states: JSON.stringify(unprocessedStates) },
    sourceId: sourceId ?? null,
  });
  return {
    list: (live: LiveAt, limit: number): string[] => maybeLive.all(asked(live, limit)),
    iterate: (live: LiveAt): Iterable<string> => maybeLive.iterate(asked(live, -1)),
  };
};

/** Queries on the histories of incidents. */
export const incidentSteps = (db: Database) => {
  const maybeLive = liveReader(db);
  const steps = db
    .prepare<[string], Row>(
      `select position, event_id, type, at, actor, cause, detail from incident_steps
       where incident_id = ? order by position`,
    )
    .safeIntegers();
  const factsBetween = db
    .prepare<[string, bigint, bigint], { position: bigint; at: string; facts: string }>(
      `select position, at, facts from incident_steps
       where incident_id = ? and position > ? and position <= ? and facts is not null order by position`,
    )
    .safeIntegers();
  const factsAt = cell<[string, bigint], string>(
    db,
    `select facts from incident_steps
       where incident_id = ? and position <= ? and facts is not null order by position desc limit 1`,
  );
  const openStep = cell<[string, bigint], number>(
    db,
    `select 1 from incident_steps
       where incident_id = ? and position <= ? and facts ->> 'state' = 'open' limit 1`,
  );
  const at = (id: string, position: bigint): IncidentFacts | undefined => {
    const facts = factsAt(id, position);
    return facts === undefined ? undefined : parsed<IncidentFacts>(facts);
  };
  return {
    ...membershipQueries(db),
    /** Facts of an incident as of a position; undefined before it was opened. */
    factsAt: at,
    /** Whether an incident was open after an event up to a position. */
    hasBeenOpen: (id: string, position: bigint): boolean => openStep(id, position) !== undefined,
    /** Ids of the last incidents of a tenant of which some may not wait for a person, the latest first. */
    maybeLive: (of: MomentOf, limit: number): string[] => maybeLive.list(of, limit),
    /**
     * Facts of the last incidents of a tenant that waited for a person at a position, the oldest first.
     * @param sourceId only incidents that name this source; absent for all
     * @param isWanted whether an incident is; asked for the latest ones, see `lookedMax`
     */
    liveAt: (live: LiveAt, limit: number): IncidentFacts[] => {
      const { position, about, sourceId, isWanted = () => true } = live;
      const isOf = ({ state, sourceIds }: IncidentFacts): boolean =>
        unprocessedStates.includes(state) && (sourceId === undefined || sourceIds.includes(sourceId));
      const found: IncidentFacts[] = [];
      let looked = 0;
      for (const id of about === undefined ? maybeLive.iterate(live) : [about]) {
        const facts = at(id, position);
        if (!facts || !isOf(facts)) continue;
        if (isWanted(facts)) found.unshift(facts);
        looked += 1;
        if (found.length >= limit || looked >= lookedMax) break;
      }
      return found;
    },
    /** History of an incident, oldest step first. */
    history: (id: string): IncidentStep[] =>
      steps.all(id).map(row => ({ position: row.position, ...stepOf(row) })),
    /** Facts of an incident after each event that changed them, after a position and up to another one. */
    factsBetween: (id: string, after: bigint, to: bigint): FactsThen[] =>
      factsBetween
        .all(id, after, to)
        .map(({ facts, ...moment }) => ({ ...moment, facts: parsed<IncidentFacts>(facts) })),
  };
};
