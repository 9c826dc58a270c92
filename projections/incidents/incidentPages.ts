import type { Database } from 'better-sqlite3';
import type { AlertKind } from '../../domain/alerts/findings.js';
import type { AlertCounts, IncidentFacts, IncidentState } from '../../domain/incidents/incidents.js';
import type { SourceChange } from '../../domain/incidents/changes.js';
import type { JoinReason } from '../../domain/incidents/connections.js';
import {
  alertColumns,
  alertRecord,
  alertPageStatements,
  filterParameters,
  pageEnd,
  pageParameters,
  type PageKey,
  type PageOf,
  type AlertRecord,
  type AlertRow,
  type AlertSort,
} from '../alertPages.js';
import { hasLabels, isListedSource, type Label } from '../sources/sourceQueries.js';
import { parsed } from '../readModel.js';

/** Why an alert is in its incident. */
export type JoinedBy = {
  readonly alertId: string;
  readonly reason: JoinReason;
  /** Some of the alerts for which it joined. */
  readonly with: readonly string[];
  /** The label that their sources share, as `key=value`. */
  readonly label: string | null;
};

/** An incident with its most critical alert. */
export type IncidentRecord = {
  readonly id: string;
  readonly tenant: string;
  readonly state: IncidentState;
  readonly kind: AlertKind | null;
  readonly criticity: number;
  /** Largest severity of its alerts, 0–1; null when none has one. */
  readonly worstSeverity: number | null;
  /** First and last date of its alerts, both inclusive. */
  readonly since: string;
  readonly until: string;
  /** Ids of its alerts by date, the first `shownAlertsMax`. */
  readonly alertIds: readonly string[];
  readonly counts: AlertCounts;
  readonly sources: readonly { readonly id: number; readonly name: string }[];
  readonly sourceCount: number;
  /** Sealed subject of the person that it is assigned to. */
  readonly assignee: string | null;
  /** Reasons of the alerts of `alertIds`. */
  readonly joinedBy: readonly JoinedBy[];
  readonly mergedInto: string | null;
  /** Changes of its sources, by source. */
  readonly changes: readonly SourceChange[];
  readonly openedAt: string;
  readonly updatedAt: string;
  /** The most critical alert; null without alerts. */
  readonly alert: AlertRecord | null;
};

/** Largest number of alerts that an incident names. */
export const shownAlertsMax = 500;

/** Filter and order of a list: incidents with an alert of these sources, dates and kinds. */
export type IncidentFilter = {
  readonly tenant: string;
  readonly sourceId: number | undefined;
  /** Dates of alerts: `from` inclusive, `to` exclusive. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly states: readonly IncidentState[];
  readonly labels: readonly Label[];
  readonly kinds: readonly AlertKind[] | undefined;
  /** Sealed subjects, null for none; undefined for any. */
  readonly assignee: string | null | undefined;
  /** By first date, by opening, by the largest criticity, by the largest severity. */
  readonly sort: AlertSort;
  readonly descending: boolean;
};

const columns = {
  date: 'since',
  raised: 'opened_order',
  criticity: 'criticity',
  severity: 'severity',
} as const;

/** Condition that a source of an incident is not archived. */
const hasPresentSource = `exists (
    select 1 from sources where archived_at is null and (
      id in (select source_id from incident_alerts m where m.incident_id = incidents.id and m.has_left = 0)
      or id in (select value from json_each(incidents.facts, '$.sourceIds'))))`;

/** Condition that an incident without alerts had a source and a kind that fit a filter. */
const didFit = `state in ('merged', 'invalidated')
  and ($kinds is null or exists (
    select 1 from json_each(facts, '$.kinds') as had where had.value in (select value from json_each($kinds))))
  and exists (
    select 1 from json_each(facts, '$.sourceIds') as had
    where ($sourceId is null or had.value = $sourceId) and ${hasLabels('had.value')})`;

/**
 * Condition that an incident has an alert that fits a filter. One without alerts has the sources and kinds that it had,
 * and each has the sources whose change was accepted: their alerts have left.
 */
const fits = `(exists (
    select 1 from incident_alerts m
    where m.incident_id = incidents.id and m.has_left = 0
      and ($sourceId is null or m.source_id = $sourceId)
      and m.date >= $from and m.date < $to
      and ($kinds is null
        or (select kind from alerts where id = m.alert_id) in (select value from json_each($kinds)))
      and ${isListedSource('m.source_id')})
  or (since < $to and until >= $from
    and ((${didFit})
      or ($kinds is null and $labels = '[]' and exists (
        select 1 from accepted_changes c where c.source_id = $sourceId and c.incident_id = incidents.id)))
    and ${hasPresentSource}))`;

/** Conditions that an incident shows by itself. */
const ownConditions = `tenant = $tenant and state in (select value from json_each($states))
  and ($anyone or assignee is $assignee)`;

const parametersOf = (filter: Omit<IncidentFilter, 'sort' | 'descending'>) => {
  const { sourceId, assignee } = filter;
  return {
    ...filterParameters(filter),
    sourceId: sourceId ?? null,
    anyone: assignee === undefined ? 1 : 0,
    assignee: assignee ?? null,
  };
};

type Row = {
  readonly id: string;
  readonly tenant: string;
  readonly opened_at: string;
  readonly facts: string;
  readonly assignee: string | null;
  readonly merged_into: string | null;
  readonly updated_at: string;
};

/** Returns a function that reads an incident of any tenant. */
const incidentReader = (db: Database) => {
  const one = db.prepare<[string], Row>('select * from incidents where id = ?');
  const alerts = db.prepare<[string], { alert_id: string; reason: string }>(
    `select alert_id, reason from incident_alerts where incident_id = ? and has_left = 0
     order by date, alert_id limit ${shownAlertsMax}`,
  );
  const mainAlert = db.prepare<[string], AlertRow>(`select ${alertColumns} from alerts where id = ?`);
  const names = db.prepare<[string], { id: number; name: string }>(
    'select id, name from sources where id in (select value from json_each(?)) order by id',
  );
  return (id: string): IncidentRecord | undefined => {
    const row = one.get(id);
    if (!row) return undefined;
    const facts = parsed<IncidentFacts>(row.facts);
    const members = alerts.all(id);
    const main = mainAlert.get(facts.mainAlertId);
    const alert = main ? alertRecord(main) : null;
    return {
      id,
      tenant: row.tenant,
      state: facts.state,
      kind: alert?.kind ?? facts.kinds[0] ?? null,
      criticity: facts.criticity,
      worstSeverity: facts.worstSeverity ?? null,
      since: facts.since,
      until: facts.until,
      alertIds: members.map(({ alert_id }) => alert_id),
      counts: facts.counts,
      sources: names.all(JSON.stringify(facts.sourceIds)),
      sourceCount: facts.sourceCount,
      assignee: row.assignee,
      joinedBy: members.map(({ alert_id, reason }) => ({
        alertId: alert_id,
        ...parsed<Omit<JoinedBy, 'alertId'>>(reason),
      })),
      mergedInto: row.merged_into,
      changes: facts.changes ?? [],
      openedAt: row.opened_at,
      updatedAt: row.updated_at,
      alert,
    };
  };
};

/** Queries on lists of incidents. */
export const incidentPages = (db: Database) => {
  const keysOf = alertPageStatements<PageKey>(db);
  const idsOf = alertPageStatements<{ readonly id: string }>(db);
  const present = db.prepare<[string]>(`select 1 from incidents where id = ? and ${hasPresentSource}`);
  return {
    one: incidentReader(db),
    /** Whether a source of an incident is not archived. */
    hasPresentSource: (id: string): boolean => present.get(id) !== undefined,
    /**
     * Ids in the order of a filter after a key, with the keys that the order compares. Incidents whose alerts do not
     * fit are among them: `fitting` looks at up to 1,000 alerts of each.
     */
    keys: (filter: IncidentFilter & PageOf) => {
      const column = columns[filter.sort];
      const text = `select id, ${column} as key from incidents where ${ownConditions} ${pageEnd(column, filter)}`;
      return keysOf(text).all({ ...parametersOf(filter), ...pageParameters(filter) });
    },
    /** The ids of some that fit a filter. */
    fitting: (
      filter: Omit<IncidentFilter, 'sort' | 'descending'>,
      ids: readonly string[],
    ): ReadonlySet<string> => {
      const text = `select id from incidents where id in (select value from json_each($ids))
        and ${ownConditions} and ${fits}`;
      const found = idsOf(text).all({ ...parametersOf(filter), ids: JSON.stringify(ids) });
      return new Set(found.map(({ id }) => id));
    },
  };
};
