import type { Database } from 'better-sqlite3';
import type { Logger } from 'pino';
import {
  attemptsMax,
  type Attempt,
  type DeliveryState,
  type DeliveryStore,
  type Failing,
} from '../../application/ports/deliveries.js';
import { disposable, OtherDatabase } from '../sqlite/database.js';

type StateRow = {
  readonly position: bigint;
  readonly replay_id: string | null;
  readonly failing: string | null;
};

/** `read_from` is used by older versions only. */
const tables = [
  `CREATE TABLE progress (
    webhook_id text primary key,
    position integer not null,
    read_from integer not null,
    replay_id text,
    failing text
  ) strict, without rowid`,
  `CREATE TABLE attempts (
    webhook_id text not null,
    n integer not null,
    attempt text not null,
    primary key (webhook_id, n)
  ) strict, without rowid`,
  `CREATE TABLE ahead (
    webhook_id text not null,
    source_id text not null,
    position text not null,
    primary key (webhook_id, source_id)
  ) strict, without rowid`,
];

const plain = (sql: string): string => sql.replaceAll(/\s+/g, ' ');

/** Creates the tables that are missing: older files have the first ones. @throws OtherDatabase for other tables */
const requireTables = (db: Database): void => {
  const found = db
    .prepare<[], string>('select sql from sqlite_master where sql is not null order by name desc')
    .pluck()
    .all();
  const expected = tables.slice(0, found.length);
  if (found.map(plain).join() !== expected.map(plain).join())
    throw new OtherDatabase('the database has no deliveries of webhooks');
  for (const sql of tables.slice(found.length)) db.exec(sql);
};

const statementsOn = (db: Database) => {
  requireTables(db);
  const put = db.prepare(
    'insert or replace into progress (webhook_id, position, read_from, replay_id, failing) values (?, ?, 0, ?, ?)',
  );
  const last = db
    .prepare<[string], number>('select coalesce(max(n), 0) from attempts where webhook_id = ?')
    .pluck();
  const add = db.prepare('insert into attempts (webhook_id, n, attempt) values (?, ?, ?)');
  const trim = db.prepare('delete from attempts where webhook_id = ? and n <= ?');
  const note = (webhookId: string, attempt: Attempt): void => {
    const n = (last.get(webhookId) ?? 0) + 1;
    add.run(webhookId, n, JSON.stringify(attempt));
    trim.run(webhookId, n - attemptsMax);
  };
  const putAhead = db.prepare('insert into ahead (webhook_id, source_id, position) values (?, ?, ?)');
  const clearAhead = db.prepare('delete from ahead where webhook_id = ?');
  const forgetProgress = db.prepare('delete from progress where webhook_id = ?');
  const forgetAttempts = db.prepare('delete from attempts where webhook_id = ?');
  return {
    state: db.prepare<[string], StateRow>('select * from progress where webhook_id = ?').safeIntegers(),
    ahead: db
      .prepare<[string], [string, string]>('select source_id, position from ahead where webhook_id = ?')
      .raw(),
    attempts: db
      .prepare<[string, number], string>(
        'select attempt from attempts where webhook_id = ? order by n desc limit cast(? as integer)',
      )
      .pluck(),
    note: db.transaction(note),
    save: db.transaction((webhookId: string, state: DeliveryState, attempt?: Attempt): void => {
      const { cursor, replayId, failing, ahead } = state;
      put.run(webhookId, cursor, replayId, failing && JSON.stringify(failing));
      clearAhead.run(webhookId);
      for (const [sourceId, position] of Object.entries(ahead)) putAhead.run(webhookId, sourceId, position);
      if (attempt) note(webhookId, attempt);
    }),
    forget: db.transaction((webhookId: string): void => {
      forgetProgress.run(webhookId);
      clearAhead.run(webhookId);
      forgetAttempts.run(webhookId);
    }),
    clear: () => db.exec('delete from progress; delete from attempts; delete from ahead'),
  };
};

const stateOf = (
  { position, replay_id, failing }: StateRow,
  ahead: readonly (readonly [string, string])[],
): DeliveryState => ({
  cursor: position,
  ahead: Object.fromEntries(ahead),
  replayId: replay_id,
  failing: failing === null ? null : (JSON.parse(failing) as Failing),
});

/**
 * Deliveries of the one instance of a data folder, in a SQLite file, or in memory with `:memory:`. When the file is
 * lost or damaged, messages are delivered again from the creation of each webhook on, with the same ids.
 */
export const deliveryFile = (file: string, logger?: Pick<Logger, 'warn'>): DeliveryStore => {
  const { use, close } = disposable(file, statementsOn, why =>
    logger?.warn({ err: why }, 'the deliveries of webhooks cannot be read; messages are delivered again'),
  );
  const stateIn = (webhookId: string): DeliveryState | undefined => {
    return use(({ state, ahead }) => {
      const row = state.get(webhookId);
      return row && stateOf(row, ahead.all(webhookId));
    });
  };
  return {
    claim: async webhookId => ({ state: stateIn(webhookId) }),
    save: async (webhookId, state, attempt) => {
      use(({ save }) => save.immediate(webhookId, state, attempt));
      return true;
    },
    release: async () => {},
    note: async (webhookId, attempt) => use(({ note }) => note.immediate(webhookId, attempt)),
    state: async webhookId => stateIn(webhookId),
    attempts: async (webhookId, limit) =>
      use(({ attempts }) => attempts.all(webhookId, limit)).map(text => JSON.parse(text) as Attempt),
    forget: async webhookId => use(({ forget }) => forget.immediate(webhookId)),
    clear: () => void use(({ clear }) => clear()),
    close,
  };
};
