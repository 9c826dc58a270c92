import type { Database } from 'better-sqlite3';
import type { AlertState } from '../../domain/alerts/alertsState.js';
import type { AlertKind, Finding } from '../../domain/alerts/findings.js';
import { dateAfter, dayNumber, minutesPerDay } from '../../domain/dates.js';
import {
  groupingRules,
  repeatDays,
  spanOf,
  type AlertSpan,
  type GroupedAlert,
  type Member,
  type SpanParts,
} from '../../domain/incidents/connections.js';
import type { Known, KnownIncident } from '../../domain/incidents/grouping.js';
import type { DecidedIncident } from '../../domain/incidents/decisions.js';
import { noSeverity } from '../alertPages.js';
import { column, cell, parsed } from '../readModel.js';

/** A changed alert of a source, with the revision of its last event. */
export type ChangedAlert = GroupedAlert & {
  readonly revision: number;
  /** Whether a check found it again while its date is in progress. */
  readonly isGrowing: boolean;
};

type MemberRow = {
  readonly alert_id: string;
  readonly incident_id: string;
  readonly source_id: number;
  readonly date: string;
  readonly joined_order: number;
  readonly span: string;
  readonly is_pinned: number;
  readonly state: AlertState;
  readonly kind: AlertKind;
  readonly criticity: number;
  readonly severity: number;
};

/** Incidents and alerts that one event may have: their order is that of the event, and then their own. */
export const ordersPerPosition = 1000;

/** An alert in its present incident, and when it joined one. */
export type Membership = {
  readonly alertId: string;
  readonly incidentId: string;
  readonly sourceId: number;
  readonly date: string;
  readonly joinedOrder: number;
  readonly joinedAt: string;
};

/** Longest stretch of an alert in minutes, from the beginning of its date. */
const stretchMax = minutesPerDay;

/** Largest number of alerts at one place and time that are looked at. */
const atPlaceMax = 1000;

/** The severity of a row of an alert; nothing without one. */
const severityFrom = (severity: number): { readonly severity?: number } =>
  severity === noSeverity ? {} : { severity };

const memberOf = (row: MemberRow): Member => ({
  alertId: row.alert_id,
  incidentId: row.incident_id,
  sourceId: row.source_id,
  date: row.date,
  order: row.joined_order,
  span: parsed(row.span),
  isPinned: row.is_pinned === 1,
  state: row.state,
  kind: row.kind,
  criticity: row.criticity,
  ...severityFrom(row.severity),
});

/** Returns a function that reads alerts of a source that changed since they were grouped, in that order. */
const changedReader = (db: Database) => {
  const changed = db.prepare<
    [number, number, number],
    {
      id: string;
      date: string;
      state: AlertState;
      kind: AlertKind;
      criticity: number;
      severity: number;
      finding: string;
      size: number;
      revision: number;
      lastType: string;
      grouped: string | null;
    }
  >(
    `select id, date, state, kind, criticity, severity, finding, size, revision,
       (select type from alert_steps where alert_id = alerts.id order by step desc limit 1) as lastType,
       (select span from incident_alerts where alert_id = alerts.id) as grouped
     from alerts
     where source_id = ?
       and revision > coalesce((select knowledge from grouped_alerts where source_id = ?), -1)
     order by revision, date, id limit cast(? as integer)`,
  );
  return (sourceId: number, of: Omit<SpanParts, 'grouped'>, limit: number): ChangedAlert[] =>
    changed
      .all(sourceId, sourceId, limit)
      .map(({ id, finding, size, lastType, severity, grouped, ...alert }) => {
        const { direction, slices, facts } = parsed<Pick<Finding, 'direction' | 'slices' | 'facts'>>(finding);
        const before = grouped === null ? undefined : parsed<AlertSpan>(grouped);
        const span = spanOf({ kind: alert.kind, direction, slices }, size, { ...of, grouped: before });
        return {
          alertId: id,
          sourceId,
          ...alert,
          ...severityFrom(severity),
          span,
          isGrowing: lastType === 'AlertConfirmed' && facts?.soFar !== undefined,
        };
      });
};

/** Queries on the incidents of alerts, for read models of a past moment. */
export const incidentMembership = (db: Database) => {
  const membership = db.prepare<[string], Membership>(
    `select alert_id as alertId, incident_id as incidentId, source_id as sourceId, date, joined_order as joinedOrder,
       joined_at as joinedAt
     from json_each(?) join incident_alerts on alert_id = value`,
  );
  const adopt = db.prepare<[Membership]>(
    `insert or replace into incident_alerts
       (alert_id, incident_id, source_id, date, joined_order, joined_at, span, reason, is_pinned, has_left)
     values ($alertId, $incidentId, $sourceId, $date, $joinedOrder, $joinedAt, '', '', 0, 0)`,
  );
  return {
    /** Alerts with their incidents, for read models of a past moment. */
    membership: (alertIds: readonly string[]): Membership[] => membership.all(JSON.stringify(alertIds)),
    /** Ids of all alerts, in pages. */
    alertsAfter: column<[alertId: string, limit: number], string>(
      db,
      'select id from alerts where id > ? order by id limit cast(? as integer)',
    ),
    /** Takes over the incidents of alerts. */
    adopt: (members: readonly Membership[]): void => {
      for (const member of members) adopt.run(member);
    },
  };
};

/** Returns functions that read ids of incidents that changed alerts may touch. */
const nearIncidents = (db: Database) => {
  const near = column<[number, string, string], string>(
    db,
    `select distinct incident_id from incident_alerts
       where source_id = ? and date >= ? and date <= ? and has_left = 0`,
  );
  const at = column<[string, number, number, number], string>(
    db,
    `select distinct incident_id from (
         select alert_id from incident_places
         where place = ? and from_minute > ? and from_minute < ? and to_minute > ? limit ${atPlaceMax})
       join incident_alerts using (alert_id)`,
  );
  return {
    /** Incidents of a source within the days of a repeat. */
    ofSource: (sourceId: number, changed: readonly GroupedAlert[]): string[] => {
      const dates = changed.map(({ date }) => date).sort();
      const [first, last] = [dates[0]!, dates.at(-1)!];
      return near(sourceId, dateAfter(first, -repeatDays), dateAfter(last, repeatDays));
    },
    /** Incidents at the same place and time. */
    ofPlaces: ({ date, span }: GroupedAlert): string[] => {
      const begin = dayNumber(date) * minutesPerDay;
      return span.places.flatMap(place =>
        span.minutes.flatMap(([start, end]) =>
          at(place, begin + start - stretchMax, begin + end, begin + start),
        ),
      );
    },
  };
};

/** Returns functions that read the standing alerts of an incident. */
const memberReaders = (db: Database) => {
  const prepared = (state: string) =>
    db.prepare<[string], MemberRow>(
      `select m.alert_id, m.incident_id, m.source_id, m.date, m.joined_order, m.span, m.is_pinned,
         ${state} as state, a.kind, a.criticity, a.severity
       from incident_alerts m join alerts a on a.id = m.alert_id
       where m.incident_id = ? and m.has_left = 0 order by m.joined_order`,
    );
  const [decided, applied] = [prepared('coalesce(m.decided, a.state)'), prepared('a.state')];
  return {
    decided: (id: string): Member[] => decided.all(id).map(memberOf),
    applied: (id: string): Member[] => applied.all(id).map(memberOf),
  };
};

/** Queries that decisions about incidents are made from. */
export const knownIncidents = (db: Database) => {
  const members = memberReaders(db);
  const near = nearIncidents(db);
  const one = db.prepare<[string], { opened_order: number; is_acknowledged: number; facts: string }>(
    'select opened_order, is_acknowledged, facts from incidents where id = ?',
  );
  const cuts = column<[{ id: string; inherited: number }], string>(
    db,
    `select iif(one = $id, other, one) from incident_cuts
     where (one = $id or other = $id) and is_inherited <= $inherited`,
  );
  const has = cell<[string], number>(
    db,
    'select 1 from incident_alerts where incident_id = ? and has_left = 0 limit 1',
  );
  const grouped = cell<[string], string>(db, 'select incident_id from incident_alerts where alert_id = ?');
  const knownIncident = (id: string, rules: number): KnownIncident => ({
    id,
    order: one.get(id)?.opened_order ?? 0,
    cutFrom: cuts({ id, inherited: rules < 2 ? 0 : 1 }),
  });
  return {
    changedAlerts: changedReader(db),
    /** The incidents that changed alerts of a source may touch, with all of their standing alerts. */
    knownFor: (sourceId: number, changed: readonly GroupedAlert[], rules = groupingRules): Known => {
      const own = changed.flatMap(({ alertId }) => grouped(alertId) ?? []);
      const ids = new Set([...own, ...near.ofSource(sourceId, changed), ...changed.flatMap(near.ofPlaces)]);
      return {
        members: [...ids].flatMap(members.decided),
        incidents: [...ids].map(id => knownIncident(id, rules)),
        isTaken: id => has(id) !== undefined,
        rules,
      };
    },
    /**
     * An incident for a decision; undefined when there is none. Its alerts have the states that decisions gave them, or
     * those of their streams after the decisions were applied.
     */
    decided: (id: string, states: 'decided' | 'applied' = 'decided'): DecidedIncident | undefined => {
      const row = one.get(id);
      if (!row) return undefined;
      const isAcknowledged = row.is_acknowledged === 1;
      return { id, facts: parsed(row.facts), isAcknowledged, members: members[states](id) };
    },
    /** Id of the incident of an alert, also after it has left it; undefined before it was grouped. */
    incidentOf: (alertId: string): string | undefined => grouped(alertId),
  };
};
