import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../../domain/events.js';
import { parsed } from '../readModel.js';

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
export const stepWriter = (db: Database) => {
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

/** Returns a function that reads the history of an alert, oldest step first. */
export const stepsOf = (db: Database): ((alertId: string) => AlertStep[]) => {
  const steps = db.prepare<[string], StepRow>('select * from alert_steps where alert_id = ? order by step');
  return alertId => steps.all(alertId).map(stepOf);
};
