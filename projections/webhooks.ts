import type { Database } from 'better-sqlite3';
import type { EventOf } from '../domain/events.js';
import { tenantOf } from '../domain/streams.js';
import type { DisabledReason } from '../domain/webhooks/webhooks.js';
import type { MessageFilter } from '../domain/webhooks/messageCauses.js';
import type { WebhookTarget } from '../domain/webhooks/webhookTarget.js';
import { column, cell, parsed, record, type ReadModel } from './readModel.js';

/** A webhook that is not deleted. Its address is sealed. */
export type WebhookRecord = WebhookTarget & {
  readonly id: string;
  readonly tenant: string;
  readonly keyId: string;
  readonly status: 'active' | 'disabled';
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: string | null;
  /** Number of the newest secret, and the instant until which the one before is used as well. */
  readonly secret: number;
  readonly previousUntil: string | null;
  readonly createdAt: string;
  /** Position of its creation: later events are delivered. */
  readonly createdPosition: bigint;
  /** Position after which alerts are announced to it: that of its creation, or an earlier one that it replayed from. */
  readonly announcedFrom: bigint;
  /** Revision of the event that enabled it, or changed its address or options, last. */
  readonly activation: number;
  readonly replay: WebhookReplay | null;
};

/** The last request to deliver again. `position` is that of the request in the log. */
export type WebhookReplay = {
  readonly requestId: string;
  readonly after: bigint;
  readonly position: bigint;
};

export const webhooksModel: ReadModel = {
  name: 'webhooks',
  version: 4,
  schema: `
    create table webhooks (
      id text primary key,
      tenant text not null,
      key_id text not null,
      target text not null,
      disabled_reason text,
      disabled_at text,
      secret integer not null,
      previous_until text,
      created_at text not null,
      created_position integer not null,
      announced_from integer not null,
      activation integer not null,
      replay_id text,
      replay_after text,
      replay_position integer
    ) strict;
    create index webhooks_of_tenant on webhooks (tenant, created_position);
    -- The filter of a webhook from a position on.
    create table webhook_filters (
      webhook_id text not null,
      position integer not null,
      filter text not null,
      primary key (webhook_id, position)
    ) strict, without rowid;`,
  apply: db => {
    const insert = db.prepare(
      `insert into webhooks
         (id, tenant, key_id, target, secret, created_at, created_position, announced_from, activation)
       values (?, ?, ?, ?, 1, ?, ?, ?, ?)`,
    );
    const filter = filterWriter(db);
    const change = db.prepare(
      `update webhooks set target = $target,
         activation = iif(target ->> 'url' = $url and target ->> 'format' is $format
           and target ->> 'options' is $options, activation, $revision)
       where id = $id`,
    );
    const rotate = db.prepare('update webhooks set secret = ?, previous_until = ? where id = ?');
    const disable = db.prepare('update webhooks set disabled_reason = ?, disabled_at = ? where id = ?');
    const enable = db.prepare(
      'update webhooks set disabled_reason = null, disabled_at = null, activation = ? where id = ?',
    );
    const replay = db.prepare(
      `update webhooks set replay_id = ?, replay_after = ?, replay_position = ?,
         announced_from = min(announced_from, cast(? as integer))
       where id = ?`,
    );
    const remove = db.prepare('delete from webhooks where id = ?');
    const removeFilters = db.prepare('delete from webhook_filters where webhook_id = ?');
    return event => {
      switch (event.type) {
        case 'WebhookCreated':
          insert.run(...rowOf(event));
          filter(event);
          break;
        case 'WebhookChanged': {
          const { webhookId: id, ...target } = event.data;
          const { url, format = null, options } = target;
          change.run({
            ...{ id, target: JSON.stringify(target), url, format, revision: event.revision },
            options: options ? JSON.stringify(options) : null,
          });
          filter(event);
          break;
        }
        case 'WebhookSecretRotated':
          rotate.run(event.data.secret, event.data.previousUntil, event.data.webhookId);
          break;
        case 'WebhookDisabled':
          disable.run(event.data.reason, event.at, event.data.webhookId);
          break;
        case 'WebhookEnabled':
          enable.run(event.revision, event.data.webhookId);
          break;
        case 'WebhookReplayRequested': {
          const { requestId, after, webhookId } = event.data;
          replay.run(requestId, after, event.position, after, webhookId);
          break;
        }
        case 'WebhookDeleted':
          remove.run(event.data.webhookId);
          removeFilters.run(event.data.webhookId);
          break;
      }
    };
  },
};

/** Returns a function that notes the filter of a webhook as of an event. */
const filterWriter = (db: Database) => {
  const note = db.prepare('insert into webhook_filters (webhook_id, position, filter) values (?, ?, ?)');
  return ({ position, data }: EventOf<'WebhookCreated' | 'WebhookChanged'>): void => {
    const { webhookId, events, labels, minCriticity, grouping } = data;
    const filter: MessageFilter = { events, labels, minCriticity, ...(grouping && { grouping }) };
    note.run(webhookId, position, JSON.stringify(filter));
  };
};

const rowOf = ({
  stream,
  revision,
  position,
  at,
  data: { webhookId, keyId, ...target },
}: EventOf<'WebhookCreated'>): readonly unknown[] => [
  webhookId,
  tenantOf(stream),
  keyId,
  JSON.stringify(target),
  at,
  position,
  position,
  revision,
];

/** Columns with the names of a record. */
const columns = `id, tenant, key_id as keyId, target, disabled_reason as disabledReason, disabled_at as disabledAt,
  secret, previous_until as previousUntil, created_at as createdAt, created_position as createdPosition,
  announced_from as announcedFrom, activation, replay_id as requestId, replay_after as replayAfter,
  replay_position as replayPosition`;

type Row = Omit<WebhookRecord, keyof WebhookTarget | 'status' | 'secret' | 'activation' | 'replay'> & {
  readonly target: string;
  readonly secret: bigint;
  readonly activation: bigint;
  readonly requestId: string | null;
  readonly replayAfter: string | null;
  readonly replayPosition: bigint | null;
};

const recordOf = ({
  target,
  secret,
  activation,
  requestId,
  replayAfter: after,
  replayPosition: position,
  ...kept
}: Row): WebhookRecord => ({
  ...kept,
  ...parsed<WebhookTarget>(target),
  status: kept.disabledReason === null ? 'active' : 'disabled',
  secret: Number(secret),
  activation: Number(activation),
  replay:
    requestId === null || after === null || position === null
      ? null
      : { requestId, after: BigInt(after), position },
});

/** Condition that the webhooks of a tenant are not parked. */
const isTaken = `not exists (select 1 from parked where subject = 'webhooks-' || webhooks.tenant)`;

/** Queries on webhooks. */
export const webhookQueries = (db: Database) => {
  const one = db.prepare<[id: string], Row>(`select ${columns} from webhooks where id = ?`).safeIntegers();
  const list = db
    .prepare<[string], Row>(`select ${columns} from webhooks where tenant = ? order by created_position`)
    .safeIntegers();
  const active = column<[], string>(
    db,
    `select id from webhooks where disabled_reason is null and ${isTaken} order by created_position`,
  );
  const activeOf = column<[string], string>(
    db,
    `select id from webhooks where tenant = ? and disabled_reason is null and ${isTaken}`,
  );
  // Events from before the creation have the first filter.
  const filterAt = cell<[{ readonly id: string; readonly position: bigint }], string>(
    db,
    `select filter from webhook_filters where webhook_id = $id
         and position = coalesce(
           (select max(position) from webhook_filters where webhook_id = $id and position <= $position),
           (select min(position) from webhook_filters where webhook_id = $id))`,
  );
  return {
    /** The filter of a webhook at a position; undefined for an unknown webhook. */
    filterAt: (id: string, position: bigint): MessageFilter | undefined => {
      const text = filterAt({ id, position });
      return text === undefined ? undefined : parsed(text);
    },
    /** A webhook of any tenant. */
    one: record(one, recordOf),
    /** Webhooks of a tenant, oldest first. */
    list: (tenant: string): WebhookRecord[] => list.all(tenant).map(recordOf),
    /** Ids of the webhooks that deliver, of one tenant or of all. */
    active: (tenant?: string): string[] => (tenant === undefined ? active() : activeOf(tenant)),
  };
};
