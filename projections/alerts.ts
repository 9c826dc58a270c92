import type { Database } from 'better-sqlite3';
import type { AlertState, Verdict } from '../domain/alerts.js';
import type { Finding } from '../domain/findings.js';
import { sourceOf, type KnownEvent } from '../domain/events.js';
import { parsed, type ReadModel } from './readModel.js';

/** An alert as clients see it. */
export type AlertRecord = Finding & {
  readonly id: string;
  readonly sourceId: number;
  readonly date: string;
  readonly state: AlertState;
  readonly modelsVersion: number;
  readonly importId: string;
  readonly verdict: Verdict | null;
  readonly comment: string | null;
  readonly raisedAt: string;
  readonly updatedAt: string;
};

/** One step in the history of an alert. */
export type AlertStep = {
  readonly type: string;
  readonly at: string;
  readonly by: string;
  readonly cause: string;
  readonly eventId: string;
  readonly [detail: string]: unknown;
};

/** Filter of a list: one source of the tenant or all; dates from `from` (inclusive) to `to` (exclusive). */
export type AlertFilter = {
  readonly tenant: string;
  readonly sourceId: number | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly states: readonly AlertState[];
  /** The last alert of the previous page. */
  readonly after: { readonly date: string; readonly id: string } | undefined;
  readonly limit: number;
};

export const alertsModel: ReadModel = {
  name: 'alerts',
  version: 1,
  schema: `
    create table alerts (
      id text primary key,
      source_id integer not null,
      tenant text not null,
      date text not null,
      state text not null,
      finding text not null,
      models_version integer not null,
      import_id text not null,
      verdict text,
      comment text,
      raised_at text not null,
      updated_at text not null
    ) strict, without rowid;
    create index alerts_by_date on alerts (source_id, date, id);
    create index alerts_of_tenant on alerts (tenant, date, id);
    create index alerts_by_state on alerts (source_id, state);
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
    ) strict, without rowid;
    create index alert_steps_by_cause on alert_steps (cause, type);`,
  apply: db => {
    const raise = alertWriter(db);
    const addStep = stepWriter(db);
    const setState = db.prepare(
      'update alerts set state = ?, verdict = ?, comment = ?, updated_at = ? where id = ?',
    );
    return event => {
      const move = (state: AlertState, alertId: string): void => {
        setState.run(state, null, null, event.at, alertId);
      };
      switch (event.type) {
        case 'AlertRaised':
          raise(event);
          addStep(event, {});
          break;
        case 'AlertInvalidated':
          move('invalidated', event.data.alertId);
          addStep(event, { reason: event.data.reason });
          break;
        case 'AlertAcknowledged':
          move('acknowledged', event.data.alertId);
          addStep(event, {});
          break;
        case 'AlertResolved': {
          const { alertId, verdict, comment } = event.data;
          setState.run('resolved', verdict, comment, event.at, alertId);
          addStep(event, { verdict, comment });
          break;
        }
        case 'AlertReopened':
          move('open', event.data.alertId);
          addStep(event, {});
          break;
      }
    };
  },
};

type AlertEvent = Extract<KnownEvent, { readonly data: { readonly alertId: string } }>;

/** Returns a function that inserts a new alert. */
const alertWriter = (db: Database) => {
  const insert = db.prepare(
    `insert into alerts
       (id, source_id, tenant, date, state, finding, models_version, import_id, raised_at, updated_at)
     select $id, id, tenant, $date, 'open', $finding, $modelsVersion, $importId, $at, $at
     from sources where id = $sourceId`,
  );
  return ({ stream, at, data }: Extract<KnownEvent, { type: 'AlertRaised' }>): void => {
    const { alertId: id, date, importId, modelsVersion, dayDigest: _, ...rest } = data;
    const finding = JSON.stringify(rest);
    insert.run({ id, sourceId: sourceOf(stream), date, finding, modelsVersion, importId, at });
  };
};

/** Returns a function that adds a step to the history of an alert. */
const stepWriter = (db: Database) => {
  const insert = db.prepare(
    `insert into alert_steps (alert_id, step, event_id, type, at, actor, cause, detail)
     select $alertId, count(*), $eventId, $type, $at, $by, $cause, $detail
     from alert_steps where alert_id = $alertId`,
  );
  return ({ id, type, at, metadata, data: { alertId } }: AlertEvent, detail: object): void => {
    const { by, cause } = metadata;
    insert.run({ alertId, eventId: id, type, at, by, cause, detail: JSON.stringify(detail) });
  };
};

type Row = {
  readonly id: string;
  readonly source_id: number;
  readonly date: string;
  readonly state: AlertState;
  readonly finding: string;
  readonly models_version: number;
  readonly import_id: string;
  readonly verdict: Verdict | null;
  readonly comment: string | null;
  readonly raised_at: string;
  readonly updated_at: string;
};

const record = (row: Row): AlertRecord => {
  const { kind, ...finding } = parsed<Finding>(row.finding);
  return {
    id: row.id,
    sourceId: row.source_id,
    date: row.date,
    kind,
    state: row.state,
    ...finding,
    modelsVersion: row.models_version,
    importId: row.import_id,
    verdict: row.verdict,
    comment: row.comment,
    raisedAt: row.raised_at,
    updatedAt: row.updated_at,
  };
};

type StepRow = {
  readonly event_id: string;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string;
  readonly detail: string;
};

const stepOf = ({ event_id, type, at, actor, cause, detail }: StepRow): AlertStep => ({
  type,
  at,
  by: actor,
  ...parsed<object>(detail),
  cause,
  eventId: event_id,
});

/** Returns a function that reads a page of alerts by date, then id. */
const pageReader = (db: Database) => {
  // One statement per source and one per tenant, each in the order of its index, so that no page is sorted.
  const pageOf = (owner: 'source_id' | 'tenant') =>
    db.prepare<Record<string, string | number>, Row>(
      `select * from alerts where ${owner} = $owner and date >= $from and date < $to
         and (date, id) > ($afterDate, $afterId) and +tenant = $tenant and +state in (select value from json_each($states))
       order by date, id limit cast($limit as integer)`,
    );
  const pageOfSource = pageOf('source_id');
  const pageOfTenant = pageOf('tenant');
  return ({ tenant, sourceId, from, to, states, after, limit }: AlertFilter): AlertRecord[] =>
    (sourceId === undefined ? pageOfTenant : pageOfSource)
      .all({
        owner: sourceId ?? tenant,
        tenant,
        from: from ?? '',
        to: to ?? '~',
        states: JSON.stringify(states),
        afterDate: after?.date ?? '',
        afterId: after?.id ?? '',
        limit,
      })
      .map(record);
};

/** Queries on alerts. */
export const alertQueries = (db: Database) => {
  const one = db.prepare<[string], Row>('select * from alerts where id = ?');
  const caused = db.prepare<[string, string, number], Row>(
    `select alerts.* from alert_steps join alerts on alerts.id = alert_id
     where cause = ? and type = ? order by date, id limit cast(? as integer)`,
  );
  const causedCount = db
    .prepare<[string, string], number>('select count(*) from alert_steps where cause = ? and type = ?')
    .pluck();
  const steps = db.prepare<[string], StepRow>('select * from alert_steps where alert_id = ? order by step');
  return {
    one: (id: string): AlertRecord | undefined => {
      const row = one.get(id);
      return row && record(row);
    },
    /** A page of alerts by date, then id. */
    page: pageReader(db),
    /** The first alerts by date that a cause raised or invalidated, in their current state, and the number of all. */
    causedBy: (
      cause: string,
      type: 'AlertRaised' | 'AlertInvalidated',
      limit: number,
    ): { readonly first: AlertRecord[]; readonly count: number } => {
      const first = caused.all(cause, type, limit).map(record);
      return { first, count: first.length < limit ? first.length : (causedCount.get(cause, type) ?? 0) };
    },
    /** History of an alert, oldest step first. */
    history: (id: string): AlertStep[] => steps.all(id).map(stepOf),
  };
};
