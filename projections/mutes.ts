import type { Database } from 'better-sqlite3';
import type { Mute, MuteScope } from '../domain/incidents/mutes.js';
import { tenantOf } from '../domain/streams.js';
import { cell, parsed, record, type ReadModel } from './readModel.js';

/** A mute that was not deleted. `reason` and `by` are sealed. */
export type MuteRecord = Omit<Mute, 'muteId'> & {
  readonly id: string;
  readonly tenant: string;
  readonly by: string;
  readonly createdAt: string;
  /** Position of its creation, and of its end; null before. */
  readonly createdPosition: bigint;
  readonly endedPosition: bigint | null;
};

/** Read model of mutes; those that ended are kept, because messages are decided as of their events. */
export const mutesModel: ReadModel = {
  name: 'mutes',
  version: 1,
  schema: `
    create table mutes (
      id text primary key,
      tenant text not null,
      scope text not null,
      from_at text not null,
      until_at text not null,
      reason text not null,
      author text not null,
      created_at text not null,
      created_position integer not null,
      ended_position integer,
      ended_at text
    ) strict, without rowid;
    create index mutes_of_tenant on mutes (tenant, ended_position, created_position);
    create index mutes_due on mutes (until_at) where ended_position is null;`,
  apply: db => {
    const insert = db.prepare(
      `insert or ignore into mutes
         (id, tenant, scope, from_at, until_at, reason, author, created_at, created_position)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const end = db.prepare(
      'update mutes set ended_position = ?, ended_at = ? where id = ? and ended_position is null',
    );
    return event => {
      if (event.type === 'MuteCreated') {
        const { muteId, scope, from, until, reason } = event.data;
        const written = [event.metadata.by, event.at, event.position];
        insert.run(muteId, tenantOf(event.stream), JSON.stringify(scope), from, until, reason, ...written);
      } else if (event.type === 'MuteDeleted' || event.type === 'MuteEnded')
        end.run(event.position, event.at, event.data.muteId);
    };
  },
};

/** An event in the log, with its time of decision. */
type Moment = { readonly position: bigint; readonly at: string };

/** Columns with the names of a record. */
const columns = `id, tenant, scope, from_at as "from", until_at as until, reason, author as "by",
  created_at as createdAt, created_position as createdPosition, ended_position as endedPosition`;

type Row = Omit<MuteRecord, 'scope'> & { readonly scope: string };

const recordOf = (row: Row): MuteRecord => ({ ...row, scope: parsed<MuteScope>(row.scope) });

/** Condition on a row: its tenant's stream of mutes is not parked. */
const isMuteNotParked = `not exists (select 1 from parked where subject = 'mutes-' || tenant)`;

/** Queries on mutes. */
export const muteQueries = (db: Database) => {
  const one = db.prepare<[id: string], Row>(`select ${columns} from mutes where id = ?`).safeIntegers();
  const list = db
    .prepare<[string], Row>(
      `select ${columns} from mutes where tenant = ? and ended_position is null order by created_position`,
    )
    .safeIntegers();
  const existing = `select ${columns} from mutes where tenant = $tenant and created_position <= $position and`;
  const at = db
    .prepare<{ tenant: string; position: bigint }, Row>(
      `${existing} ended_position is null union all ${existing} ended_position > $position`,
    )
    .safeIntegers();
  const ends = db
    .prepare<[string, bigint, bigint], Moment>(
      `select ended_position as position, ended_at as at from mutes
       where tenant = ? and ended_position > ? and ended_position <= ? order by ended_position`,
    )
    .safeIntegers();
  const due = db
    .prepare<[string], Row>(
      `select ${columns} from mutes where ended_position is null and until_at <= ? and ${isMuteNotParked}
       order by until_at limit 100`,
    )
    .safeIntegers();
  return {
    one: record(one, recordOf),
    /** Mutes of a tenant that have not ended, oldest first. */
    list: (tenant: string): MuteRecord[] => list.all(tenant).map(recordOf),
    /** Mutes of a tenant that existed at a position and had not ended. */
    at: (tenant: string, position: bigint): MuteRecord[] => at.all({ tenant, position }).map(recordOf),
    /** The ends of mutes of a tenant after a position, up to another one. */
    endsBetween: (tenant: string, after: bigint, to: bigint): Moment[] => ends.all(tenant, after, to),
    /** Mutes of all tenants whose end an instant has reached, and that have no event of it. */
    due: (now: string): MuteRecord[] => due.all(now).map(recordOf),
    /** The earliest end of a mute. */
    nextEnd: cell<[], string>(
      db,
      `select until_at from mutes where ended_position is null and ${isMuteNotParked} order by until_at limit 1`,
    ),
  };
};
