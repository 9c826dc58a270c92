import type { Database } from 'better-sqlite3';
import { isHandlingEvent, type EventOf, type KnownEvent } from '../domain/events.js';
import {
  defaultSettings,
  type SettingsEvent,
  type TenantSettings,
} from '../domain/incidents/tenantSettings.js';
import type { IncidentEvent, IncidentFacts } from '../domain/incidents/incidents.js';
import type { MuteEvent } from '../domain/incidents/mutes.js';
import type { AlertSpan } from '../domain/incidents/connections.js';
import { dayNumber, minutesPerDay } from '../domain/dates.js';
import { parseAlertId } from '../domain/alerts/alertsState.js';
import { tenantOf } from '../domain/streams.js';
import { noSeverity } from './alertPages.js';
import { incidentPages } from './incidents/incidentPages.js';
import { incidentMembership, knownIncidents, ordersPerPosition } from './incidents/knownIncidents.js';
import { incidentSteps, stepsSchema, stepWriter } from './incidents/incidentSteps.js';
import { cell, parsed, type ReadModel } from './readModel.js';

type HandlingEvent = Extract<KnownEvent, { type: (IncidentEvent | SettingsEvent | MuteEvent)['type'] }>;

/** Order of an incident or alert of an event among all. */
const orderOf = (position: bigint, index: number): number => Number(position) * ordersPerPosition + index;

/** Returns a function that stores the facts of incidents after an event. */
const factsWriter = (db: Database) => {
  const put = db.prepare(
    `insert into incidents
       (id, tenant, opened_order, opened_at, state, criticity, severity, since, until, facts, is_acknowledged,
        updated_at)
     values ($id, $tenant, $order, $at, $state, $criticity, $severity, $since, $until, $facts, 0, $at)
     on conflict (id) do update set state = $state, criticity = $criticity, severity = $severity, since = $since,
       until = $until, facts = $facts, updated_at = $at,
       is_acknowledged = is_acknowledged and $state in ('open', 'acknowledged'),
       merged_into = iif($state = 'merged', merged_into, null)`,
  );
  return ({ stream, position, at }: KnownEvent, incidents: readonly IncidentFacts[]): void => {
    incidents.forEach((facts, index) => {
      const { incidentId: id, state, criticity, worstSeverity: severity = noSeverity, since, until } = facts;
      const shown = { state, criticity, severity, since, until, facts: JSON.stringify(facts) };
      put.run({ id, tenant: tenantOf(stream), order: orderOf(position, index), at, ...shown });
    });
  };
};

/** Returns a function that stores which alerts are in which incidents. */
const groupingWriter = (db: Database) => {
  const put = db.prepare(
    `insert or replace into incident_alerts
       (alert_id, incident_id, source_id, date, joined_order, joined_at, span, reason, is_pinned, has_left)
     values ($alertId, $incidentId, $sourceId, $date, $order, $at, $span, $reason,
       coalesce((select is_pinned from incident_alerts where alert_id = $replaced), 0), 0)`,
  );
  const putPlace = db.prepare(
    'insert or replace into incident_places (place, from_minute, to_minute, alert_id) values (?, ?, ?, ?)',
  );
  const clearPlaces = db.prepare('delete from incident_places where alert_id = ?');
  const setSpan = db.prepare('update incident_alerts set span = ? where alert_id = ?');
  const leave = db.prepare('update incident_alerts set has_left = 1 where alert_id = ?');
  const move = db.prepare('update incident_alerts set incident_id = ? where alert_id = ?');
  const clearDecision = db.prepare('update incident_alerts set decided = null where alert_id = ?');
  const noteKnowledge = db.prepare(
    'insert or replace into grouped_alerts (source_id, knowledge) values (?, ?)',
  );
  const merge = mergeWriter(db);
  const inherit = cutsHeir(db);
  const assign = assigneeHeir(db);
  const putPlaces = (alertId: string, { places, minutes }: AlertSpan): void => {
    clearPlaces.run(alertId);
    const begin = dayNumber(parseAlertId(alertId)?.date ?? '') * minutesPerDay;
    const first = Math.min(...minutes.map(([from]) => from));
    const last = Math.max(...minutes.map(([, to]) => to));
    for (const place of places) putPlace.run(place, begin + first, begin + last, alertId);
  };
  return ({ position, at, data }: EventOf<'AlertsGrouped'>): void => {
    data.joined.forEach(({ alertId, incidentId, span, ...reason }, index) => {
      const { sourceId, date } = parseAlertId(alertId) ?? { sourceId: 0, date: '' };
      const texts = { span: JSON.stringify(span), reason: JSON.stringify(reason) };
      const [before] = reason.reason === 'replaced' && (data.rules ?? 1) >= 3 ? reason.with : [];
      const order = orderOf(position, index);
      put.run({ alertId, incidentId, sourceId, date, order, at, ...texts, replaced: before ?? null });
      putPlaces(alertId, span);
    });
    for (const { alertId, span } of data.spans) {
      setSpan.run(JSON.stringify(span), alertId);
      putPlaces(alertId, span);
    }
    for (const { alertId } of data.left) {
      leave.run(alertId);
      clearPlaces.run(alertId);
    }
    for (const { incidentId, from, alertIds } of data.split) {
      for (const id of alertIds) move.run(incidentId, id);
      inherit(from, incidentId);
      assign(from, incidentId);
    }
    for (const { incidentId, into } of data.merged) merge(incidentId, into);
    for (const id of data.alertIds) clearDecision.run(id);
    noteKnowledge.run(data.sourceId, data.knowledge);
  };
};

/** Returns a function that cuts an incident from all from which another one is cut. */
const cutsHeir = (db: Database) => {
  const copy = db.prepare(
    `insert or ignore into incident_cuts (one, other, is_inherited)
     select $heir, iif(one = $id, other, one), 1 from incident_cuts
     where $id in (one, other) and $heir not in (one, other)`,
  );
  return (id: string, heir: string): void => void copy.run({ id, heir });
};

/** Returns a function that assigns an incident without an assignee to that of another one. */
const assigneeHeir = (db: Database) => {
  const copy = db.prepare(
    `update incidents set assignee = (select assignee from incidents where id = ?)
     where id = ? and assignee is null`,
  );
  return (id: string, heir: string): void => void copy.run(id, heir);
};

/** Returns a function that moves the alerts of an incident into another one. */
const mergeWriter = (db: Database) => {
  const moveAll = db.prepare(
    'update incident_alerts set incident_id = ? where incident_id = ? and has_left = 0',
  );
  const note = db.prepare('update incidents set merged_into = ? where id = ?');
  const inherit = cutsHeir(db);
  const assign = assigneeHeir(db);
  return (incidentId: string, into: string): void => {
    moveAll.run(into, incidentId);
    note.run(into, incidentId);
    inherit(incidentId, into);
    assign(incidentId, into);
  };
};

/** Returns a function that stores the decisions of people. */
const decisionWriter = (db: Database) => {
  const decide = db.prepare('update incident_alerts set decided = ? where alert_id = ?');
  const acknowledge = db.prepare('update incidents set is_acknowledged = ? where id = ?');
  const clearAll = db.prepare('update incident_alerts set decided = null where incident_id = ?');
  const assign = db.prepare('update incidents set assignee = ?, updated_at = ? where id = ?');
  const move = db.prepare('update incident_alerts set incident_id = ? where alert_id = ?');
  const pin = db.prepare('update incident_alerts set is_pinned = 1 where incident_id in (?, ?)');
  const cut = db.prepare('insert or replace into incident_cuts (one, other, is_inherited) values (?, ?, 0)');
  const uncut = db.prepare(
    'delete from incident_cuts where (one = ? and other = ?) or (one = ? and other = ?)',
  );
  const merge = mergeWriter(db);
  const inherit = cutsHeir(db);
  const inheritAssignee = assigneeHeir(db);
  const decideAll = (alertIds: readonly string[], state: string): void => {
    for (const id of alertIds) decide.run(state, id);
  };
  return (event: HandlingEvent): void => {
    switch (event.type) {
      case 'IncidentAcknowledged':
        decideAll(event.data.alertIds, 'acknowledged');
        acknowledge.run(1, event.data.incidentId);
        break;
      case 'IncidentResolved':
        decideAll(event.data.alertIds, 'resolved');
        break;
      case 'IncidentReopened':
        decideAll(event.data.alertIds, 'open');
        acknowledge.run(0, event.data.incidentId);
        break;
      case 'IncidentDecisionApplied':
        // An older event has no alerts: those that are in the incident then.
        if (event.data.alertIds) for (const id of event.data.alertIds) decide.run(null, id);
        else clearAll.run(event.data.incidentId);
        break;
      case 'IncidentAssigned':
        assign.run(event.data.assignee, event.at, event.data.incidentId);
        break;
      case 'IncidentSplit': {
        const { incidentId, newIncidentId, alertIds } = event.data;
        for (const id of alertIds) move.run(newIncidentId, id);
        pin.run(incidentId, newIncidentId);
        inherit(incidentId, newIncidentId);
        inheritAssignee(incidentId, newIncidentId);
        cut.run(incidentId, newIncidentId);
        break;
      }
      case 'IncidentsMerged': {
        const { incidentId, into } = event.data;
        merge(incidentId, into);
        pin.run(into, into);
        uncut.run(incidentId, into, into, incidentId);
        break;
      }
    }
  };
};

/** Read model of incidents. Its rows follow from the events of `incidents-{tenant}` and `settings-{tenant}` alone. */
export const incidentsModel: ReadModel = {
  name: 'incidents',
  version: 4,
  schema: `
    create table incidents (
      id text primary key,
      tenant text not null,
      opened_order integer not null,
      opened_at text not null,
      state text not null,
      criticity real not null,
      severity real not null,
      since text not null,
      until text not null,
      facts text not null,
      -- Whether a person has acknowledged it while it waits: an alert that joins leaves it acknowledged.
      is_acknowledged integer not null,
      assignee text,
      merged_into text,
      updated_at text not null
    ) strict, without rowid;
    create table incident_alerts (
      alert_id text primary key,
      incident_id text not null,
      source_id integer not null,
      date text not null,
      joined_order integer not null,
      joined_at text not null,
      span text not null,
      reason text not null,
      -- State that a decision gives it, until its stream has it.
      decided text,
      is_pinned integer not null,
      -- Whether it was invalidated.
      has_left integer not null
    ) strict, without rowid;
    create index incident_alerts_of on incident_alerts (incident_id, date);
    create index incident_alerts_by_date on incident_alerts (source_id, date);
    create table incident_places (
      place text not null,
      from_minute integer not null,
      to_minute integer not null,
      alert_id text not null,
      primary key (place, from_minute, alert_id)
    ) strict, without rowid;
    create index incident_places_of on incident_places (alert_id);
    -- Incidents that people have split.
    create table incident_cuts (
      one text not null,
      other text not null,
      -- Whether an incident has it of another one that was merged into it.
      is_inherited integer not null,
      primary key (one, other)
    ) strict, without rowid;
    create index incident_cuts_of on incident_cuts (other);
    -- Revision of the alerts of a source up to which they are grouped.
    create table grouped_alerts (
      source_id integer primary key,
      knowledge integer not null
    ) strict;
    -- Number of events of incidents of a tenant.
    create table incident_streams (
      tenant text primary key,
      count integer not null
    ) strict, without rowid;
    create table tenant_settings (
      tenant text primary key,
      settings text not null
    ) strict, without rowid;
    ${stepsSchema}`,
  queryIndexes: [
    'incidents_by_criticity on incidents (tenant, criticity, id)',
    'incidents_by_severity on incidents (tenant, severity, id)',
    'incidents_by_date on incidents (tenant, since, id)',
    'incidents_by_opening on incidents (tenant, opened_order, id)',
    'incidents_by_state on incidents (tenant, state, opened_order)',
    'incident_steps_by_position on incident_steps (position)',
  ],
  apply: db => {
    const group = groupingWriter(db);
    const decide = decisionWriter(db);
    const putFacts = factsWriter(db);
    const note = stepWriter(db);
    const count = db.prepare(
      `insert into incident_streams (tenant, count) values (?, 1)
       on conflict (tenant) do update set count = count + 1`,
    );
    const set = db.prepare('insert or replace into tenant_settings (tenant, settings) values (?, ?)');
    return event => {
      if (!isHandlingEvent(event)) return;
      if (event.type === 'TenantSettingsChanged') set.run(tenantOf(event.stream), JSON.stringify(event.data));
      if (!event.stream.startsWith('incidents-')) return;
      count.run(tenantOf(event.stream));
      if ('incidents' in event.data) putFacts(event, event.data.incidents);
      if (event.type === 'AlertsGrouped') group(event);
      else decide(event);
      note(event);
    };
  },
};

/** Queries on incidents. */
export const incidentQueries = (db: Database) => {
  const count = cell<[string], number>(db, 'select count from incident_streams where tenant = ?');
  const settings = cell<[string], string>(db, 'select settings from tenant_settings where tenant = ?');
  return {
    ...incidentPages(db),
    ...knownIncidents(db),
    ...incidentMembership(db),
    ...incidentSteps(db),
    /** Number of events of incidents of a tenant. */
    eventCount: (tenant: string): number => count(tenant) ?? 0,
    settings: (tenant: string): TenantSettings => ({
      ...defaultSettings,
      ...parsed<Partial<TenantSettings>>(settings(tenant) ?? '{}'),
    }),
  };
};
