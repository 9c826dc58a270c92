import type { Database } from 'better-sqlite3';
import type { AlertState, BrokenRun, Direction, Finding, Verdict } from '../domain/alerts.js';
import { sourceOf } from '../domain/events.js';
import { parsed, type ReadModel } from './readModel.js';

/** An alert as its tenant sees it. */
export type AlertRecord = {
  readonly id: string;
  readonly sourceId: number;
  readonly date: string;
  readonly kind: Finding['kind'];
  readonly state: AlertState;
  readonly direction: Direction | null;
  readonly criticity: number;
  readonly slices: readonly BrokenRun[];
  readonly plannedModelId: number | null;
  readonly closestModelId: number | null;
  readonly betterModelId: number | null;
  readonly looksLikeAnomaly: boolean;
  readonly modelsVersion: number;
  readonly importId: string;
  readonly verdict: Verdict | null;
  readonly comment: string | null;
  readonly raisedAt: string;
  readonly updatedAt: string;
};

/** One step in an alert's life. */
export type AlertStep = {
  readonly type: string;
  readonly at: string;
  readonly by: string;
  readonly cause: string;
  readonly eventId: string;
  readonly [detail: string]: unknown;
};

/** What to list; dates from `from` (inclusive) to `to` (exclusive). */
export type AlertFilter = {
  readonly tenant: string;
  readonly sourceId: number | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly states: readonly AlertState[];
  /** The last alert of the page before. */
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
    const raise = db.prepare(
      `insert into alerts (id, source_id, date, state, finding, models_version, import_id, raised_at, updated_at)
       values (?, ?, ?, 'open', ?, ?, ?, ?, ?)`,
    );
    const move = db.prepare(
      'update alerts set state = ?, verdict = ?, comment = ?, updated_at = ? where id = ?',
    );
    const step = db.prepare(
      `insert into alert_steps (alert_id, step, event_id, type, at, actor, cause, detail)
       select $alertId, count(*), $eventId, $type, $at, $by, $cause, $detail
       from alert_steps where alert_id = $alertId`,
    );
    return event => {
      if (!event.stream.startsWith('alerts-') || event.type === 'DaysChecked') return;
      const note = (alertId: string, detail: object) =>
        step.run({
          alertId,
          eventId: event.id,
          type: event.type,
          at: event.at,
          by: event.metadata.by,
          cause: event.metadata.cause,
          detail: JSON.stringify(detail),
        });
      const moved = (alertId: string, state: AlertState, verdict: string | null, comment: string | null) =>
        move.run(state, verdict, comment, event.at, alertId);
      switch (event.type) {
        case 'AlertRaised': {
          const { alertId, date, importId, modelsVersion, dayDigest: _, ...finding } = event.data;
          const text = JSON.stringify(finding);
          raise.run(alertId, sourceOf(event.stream), date, text, modelsVersion, importId, event.at, event.at);
          note(alertId, {});
          break;
        }
        case 'AlertInvalidated':
          moved(event.data.alertId, 'invalidated', null, null);
          note(event.data.alertId, { reason: event.data.reason });
          break;
        case 'AlertAcknowledged':
          moved(event.data.alertId, 'acknowledged', null, null);
          note(event.data.alertId, {});
          break;
        case 'AlertResolved': {
          const { alertId, verdict, comment } = event.data;
          moved(alertId, 'resolved', verdict, comment);
          note(alertId, { verdict, comment });
          break;
        }
        case 'AlertReopened':
          moved(event.data.alertId, 'open', null, null);
          note(event.data.alertId, {});
          break;
      }
    };
  },
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

/** Questions about alerts. */
export const alertQueries = (db: Database) => {
  const one = db.prepare<[string], Row>('select * from alerts where id = ?');
  const caused = db.prepare<[string, string], Row>(
    `select alerts.* from alert_steps join alerts on alerts.id = alert_id
     where cause = ? and type = ? order by date, id`,
  );
  const steps = db.prepare<
    [string],
    { event_id: string; type: string; at: string; actor: string; cause: string; detail: string }
  >('select * from alert_steps where alert_id = ? order by step');
  const page = db.prepare<Record<string, string | number | null>, Row>(
    `select alerts.* from alerts join sources on sources.id = alerts.source_id
     where tenant = $tenant and ($sourceId is null or source_id = $sourceId)
       and ($from is null or date >= $from) and ($to is null or date < $to)
       and state in (select value from json_each($states))
       and ($afterDate is null or (date, alerts.id) > ($afterDate, $afterId))
     order by date, alerts.id limit $limit`,
  );
  return {
    one: (id: string): AlertRecord | undefined => {
      const row = one.get(id);
      return row && record(row);
    },
    /** A page of alerts by date, then id. */
    page: ({ tenant, sourceId, from, to, states, after, limit }: AlertFilter): AlertRecord[] =>
      page
        .all({
          tenant,
          sourceId: sourceId ?? null,
          from: from ?? null,
          to: to ?? null,
          states: JSON.stringify(states),
          afterDate: after?.date ?? null,
          afterId: after?.id ?? null,
          limit,
        })
        .map(record),
    /** The alerts that a cause raised or invalidated, as they stand now. */
    causedBy: (cause: string, type: 'AlertRaised' | 'AlertInvalidated'): AlertRecord[] =>
      caused.all(cause, type).map(record),
    /** The life of an alert, oldest first. */
    history: (id: string): AlertStep[] =>
      steps.all(id).map(({ event_id, type, at, actor, cause, detail }) => ({
        type,
        at,
        by: actor,
        ...parsed<object>(detail),
        cause,
        eventId: event_id,
      })),
  };
};
