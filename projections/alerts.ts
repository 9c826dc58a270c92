import type { Database } from 'better-sqlite3';
import type { AlertState } from '../domain/alerts/alertsState.js';
import type { Finding } from '../domain/alerts/findings.js';
import type { EventOf, KnownEvent } from '../domain/events.js';
import { sourceOf } from '../domain/streams.js';
import {
  alertPages,
  type AlertFilter,
  alertColumns,
  alertRecord,
  type AlertRecord,
  type AlertRow,
  noSeverity,
  olderDeviations,
  testedCriticities,
} from './alertPages.js';
import { cell, parsed, record, type ReadModel } from './readModel.js';

/** One step in the history of an alert. */
export type AlertStep = {
  readonly type: string;
  readonly at: string;
  readonly by: string;
  readonly cause: string;
  readonly eventId: string;
  readonly [detail: string]: unknown;
};

type AlertEvent = Extract<KnownEvent, { readonly data: { readonly alertId: string } }>;

/** Fields of an event that the step shows. */
const detailOf = (event: AlertEvent): object => {
  switch (event.type) {
    case 'AlertInvalidated':
    case 'AlertEnded':
      return { reason: event.data.reason };
    case 'AlertResolved':
      return { verdict: event.data.verdict, comment: event.data.comment };
    default:
      return {};
  }
};

/** Returns a function that adds the events of a batch to the histories of their alerts. */
const stepWriter = (db: Database) => {
  const columns = '(alert_id, step, event_id, type, at, actor, cause, detail)';
  const insertFirst = db.prepare(`insert into alert_steps ${columns} values (?, 0, ?, ?, ?, ?, ?, ?)`);
  // With "insert … select" SQLite would copy the result to a temporary table first.
  const insertNext = db.prepare(
    `insert into alert_steps ${columns}
     values (?, (select count(*) from alert_steps where alert_id = ?), ?, ?, ?, ?, ?, ?)`,
  );
  const add = (event: AlertEvent): void => {
    const { id, type, at, metadata } = event;
    const { alertId } = event.data;
    const step = [id, type, at, metadata.by, metadata.cause, JSON.stringify(detailOf(event))];
    if (type === 'AlertRaised') insertFirst.run(alertId, ...step);
    else insertNext.run(alertId, alertId, ...step);
  };
  return (events: readonly KnownEvent[]): void => {
    for (const event of events) if (isOfAlert(event)) add(event);
  };
};

const isOfAlert = (event: KnownEvent): event is AlertEvent => 'alertId' in event.data;

/** A step in a table of steps. */
export type StepRow = {
  readonly event_id: string;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string;
  readonly detail: string;
};

/** A step in the history of an alert or an incident from its row. */
export const stepOf = ({ event_id, type, at, actor, cause, detail }: StepRow): AlertStep => ({
  type,
  at,
  by: actor,
  ...parsed<object>(detail),
  cause,
  eventId: event_id,
});

/** Returns a function that reads the history of an alert, oldest step first. */
const stepsOf = (db: Database): ((alertId: string) => AlertStep[]) => {
  const steps = db.prepare<[string], StepRow>('select * from alert_steps where alert_id = ? order by step');
  return alertId => steps.all(alertId).map(stepOf);
};

export const alertsModel: ReadModel = {
  name: 'alerts',
  version: 4,
  schema: `
    create table alerts (
      id text primary key,
      source_id integer not null,
      tenant text not null,
      date text not null,
      state text not null,
      kind text not null,
      criticity real not null,
      -- Below all others without one, as in events of engines up to 8.
      severity real not null,
      planned_model_id integer,
      finding text not null,
      -- Slices of a day, and the aggregation of the source.
      size integer not null,
      aggregation text not null,
      -- Derived deviation of an event without facts.
      deviation text not null,
      models_version integer not null,
      import_id text not null,
      verdict text,
      comment text,
      raised_at text not null,
      updated_at text not null,
      -- Revision of its last event in the stream of the alerts of its source.
      revision integer not null
    ) strict, without rowid;
    create index alerts_by_date on alerts (source_id, date, id);
    create index alerts_by_revision on alerts (source_id, revision);
    create table alert_steps (
      alert_id text not null,
      step integer not null,
      event_id text not null,
      type text not null,
      at text not null,
      actor text not null,
      cause text not null,
      detail text not null,
      primary key (alert_id, step)
    ) strict, without rowid;`,
  queryIndexes: [
    'alerts_of_tenant on alerts (tenant, date, id)',
    `alerts_unprocessed on alerts (tenant, date, id) where state in ('open', 'acknowledged')`,
    'alerts_by_raising on alerts (tenant, raised_at, id)',
    'alerts_by_criticity on alerts (tenant, criticity, id)',
    'alerts_by_severity on alerts (tenant, severity, id)',
    // Has all that the overview reads: rows are long.
    'alerts_by_state on alerts (source_id, state, severity, criticity, date, kind)',
    'alert_steps_by_cause on alert_steps (cause, type)',
  ],
  apply: db => {
    const raise = alertWriter(db);
    const confirm = findingWriter(db);
    const setState = db.prepare(
      'update alerts set state = ?, verdict = ?, comment = ?, updated_at = ?, revision = ? where id = ?',
    );
    return event => {
      const move = (state: AlertState, alertId: string): void => {
        setState.run(state, null, null, event.at, event.revision, alertId);
      };
      switch (event.type) {
        case 'AlertRaised':
          raise(event);
          break;
        case 'AlertConfirmed':
          confirm(event);
          break;
        case 'AlertInvalidated':
          move('invalidated', event.data.alertId);
          break;
        case 'AlertAcknowledged':
          move('acknowledged', event.data.alertId);
          break;
        case 'AlertResolved': {
          const { alertId, verdict, comment } = event.data;
          setState.run('resolved', verdict, comment, event.at, event.revision, alertId);
          break;
        }
        case 'AlertReopened':
          move('open', event.data.alertId);
          break;
        case 'AlertEnded':
          move('ended', event.data.alertId);
          break;
      }
    };
  },
  applyBatch: stepWriter,
};

/** Finding of an event as JSON: its data without the fields that have columns of their own. */
const findingText = (data: EventOf<'AlertRaised' | 'AlertConfirmed'>['data']): string => {
  // JSON omits undefined fields. A rest pattern would take longer than the whole insert.
  const own = { alertId: undefined, date: undefined, importId: undefined, modelsVersion: undefined };
  return JSON.stringify({ ...data, ...own, dayDigest: undefined });
};

/** Values of the columns that both events of a finding set. */
const foundColumns = (data: EventOf<'AlertRaised' | 'AlertConfirmed'>['data']) => {
  const { kind, criticity, severity = noSeverity, plannedModelId } = data;
  return [kind, criticity, severity, plannedModelId, findingText(data)];
};

/** Returns a function that inserts a new alert. */
const alertWriter = (db: Database) => {
  const insert = db.prepare(
    `insert into alerts
       (id, source_id, tenant, date, state, kind, criticity, severity, planned_model_id, finding, size, aggregation,
        deviation, models_version, import_id, raised_at, updated_at, revision)
     values (?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const knownSource = sourceReader(db);
  const olderDeviation = olderDeviations(db);
  return (event: EventOf<'AlertRaised'>): void => {
    const { stream, at, revision, data } = event;
    const sourceId = sourceOf(stream);
    const source = knownSource(sourceId);
    if (!source) return;
    const { alertId, date, modelsVersion, importId } = data;
    const found = [...foundColumns(data), source.size, source.aggregation];
    const deviation = JSON.stringify(olderDeviation(event));
    const origin = [modelsVersion, importId, at, at, revision];
    insert.run(alertId, sourceId, source.tenant, date, ...found, deviation, ...origin);
  };
};

/** Facts of a source that every row of its alerts repeats. */
type AlertSource = { readonly tenant: string; readonly size: number; readonly aggregation: string };

/** Returns a function that reads the facts of a source; undefined for an unknown source. They never change. */
const sourceReader = (db: Database) => {
  const read = db.prepare<[number], AlertSource>(
    `select tenant, facts ->> 'activitySize' as size, facts ->> 'aggregation' as aggregation
     from sources where id = ?`,
  );
  const known = new Map<number, AlertSource>();
  return (sourceId: number): AlertSource | undefined => {
    const source = known.get(sourceId) ?? read.get(sourceId);
    if (source) known.set(sourceId, source);
    return source;
  };
};

/** Returns a function that gives an alert a new finding. */
const findingWriter = (db: Database) => {
  const update = db.prepare(
    `update alerts set kind = ?, criticity = ?, severity = ?, planned_model_id = ?, finding = ?, deviation = 'null',
       models_version = ?, import_id = ?, updated_at = ?, revision = ?
     where id = ?`,
  );
  return ({ at, revision, data }: EventOf<'AlertConfirmed'>): void => {
    const { alertId, modelsVersion, importId } = data;
    update.run(...foundColumns(data), modelsVersion, importId, at, revision, alertId);
  };
};

/** Queries on alerts. */
export const alertQueries = (db: Database) => {
  const one = db.prepare<[id: string], AlertRow>(`select ${alertColumns} from alerts where id = ?`);
  const pages = alertPages(db);
  const caused = db.prepare<[string, string, number], AlertRow>(
    `select ${alertColumns} from alert_steps join alerts on alerts.id = alert_id
     where cause = ? and type = ? order by date, id limit cast(? as integer)`,
  );
  const causedCount = cell<[string, string], number>(
    db,
    'select count(*) from alert_steps where cause = ? and type = ?',
  );
  const count = cell<[number, string, string], number>(
    db,
    'select count(*) from alerts where source_id = ? and date >= ? and date < ?',
  );
  const read = record(one, alertRecord);
  return {
    one: read,
    /** Facts of the finding of an alert; undefined in older events. */
    facts: record(one, ({ finding }) => parsed<Finding>(finding).facts),
    /** A page of alerts in the order of a filter. */
    page: (filter: AlertFilter): AlertRecord[] => pages.rows(filter).map(alertRecord),
    testedCriticities: testedCriticities(db),
    keys: pages.keys,
    fitting: pages.fitting,
    /** Number of alerts of a source on dates from `from` (inclusive) to `to` (exclusive), in any state. */
    count: (sourceId: number, from: string, to: string): number => count(sourceId, from, to) ?? 0,
    /** The first alerts by date that a cause raised, invalidated or ended, as they are now, and the number of all. */
    causedBy: (
      cause: string,
      type: 'AlertRaised' | 'AlertConfirmed' | 'AlertInvalidated' | 'AlertEnded',
      limit: number,
    ): { readonly first: AlertRecord[]; readonly count: number } => {
      const first = caused.all(cause, type, limit).map(alertRecord);
      return { first, count: first.length < limit ? first.length : (causedCount(cause, type) ?? 0) };
    },
    /** History of an alert, oldest step first. */
    history: stepsOf(db),
  };
};
