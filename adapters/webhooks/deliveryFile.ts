import type { Database } from 'better-sqlite3';
import type { Logger } from 'pino';
import {
  attemptsMax,
  type Attempt,
  type DeliveryState,
  type DeliveryStore,
  type Failing,
} from '../../application/webhooks/deliveries.js';
import { disposable, OtherDatabase } from '../sqlite/database.js';

type StateRow = {
  readonly position: bigint;
  readonly read_from: bigint;
  readonly replay_id: string | null;
  readonly failing: string | null;
};

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
];

const plain = (sql: string): string => sql.replaceAll(/\s+/g, ' ');

/** Creates the tables in an empty database. @throws OtherDatabase when it has other tables */
const requireTables = (db: Database): void => {
  const found = db
    .prepare<[], string>('select sql from sqlite_master where sql is not null order by name desc')
    .pluck()
    .all();
  if (found.length === 0) for (const sql of tables) db.exec(sql);
  else if (found.map(plain).join() !== tables.map(plain).join())
    throw new OtherDatabase('the database has no deliveries of webhooks');
};

const statementsOn = (db: Database) => {
  requireTables(db);
  const put = db.prepare(
    'insert or replace into progress (webhook_id, position, read_from, replay_id, failing) values (?, ?, ?, ?, ?)',
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
  const forgetProgress = db.prepare('delete from progress where webhook_id = ?');
  const forgetAttempts = db.prepare('delete from attempts where webhook_id = ?');
  return {
    state: db.prepare<[string], StateRow>('select * from progress where webhook_id = ?').safeIntegers(),
    attempts: db
      .prepare<[string, number], string>(
        'select attempt from attempts where webhook_id = ? order by n desc limit cast(? as integer)',
      )
      .pluck(),
    note: db.transaction(note),
    save: db.transaction((webhookId: string, state: DeliveryState, attempt?: Attempt): void => {
      const { cursor, readFrom, replayId, failing } = state;
      put.run(webhookId, cursor, readFrom, replayId, failing && JSON.stringify(failing));
      if (attempt) note(webhookId, attempt);
    }),
    forget: db.transaction((webhookId: string): void => {
      forgetProgress.run(webhookId);
      forgetAttempts.run(webhookId);
    }),
    clear: () => db.exec('delete from progress; delete from attempts'),
  };
};

const stateOf = ({ position, read_from, replay_id, failing }: StateRow): DeliveryState => ({
  cursor: position,
  readFrom: read_from,
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
    const row = use(({ state }) => state.get(webhookId));
    return row && stateOf(row);
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
