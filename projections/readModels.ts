import type { Database } from 'better-sqlite3';
import type { KnownEvent, Recorded } from '../domain/events.js';
import { alertQueries, alertsModel } from './alerts.js';
import { dayQueries, daysModel } from './days.js';
import { modelQueries, modelsModel } from './models.js';
import { peopleModel, peopleQueries } from './people.js';
import { planningModel, planningQueries } from './planning.js';
import { sourceQueries, sourcesModel } from './sources.js';
import { treeModel, treeQueries, type Growth } from './tree.js';

/** All that events are applied to. They live in one database and move together, behind one checkpoint. */
const readModelsThere = [sourcesModel, daysModel, modelsModel, planningModel, alertsModel, peopleModel];
const tablesThere = [...readModelsThere, treeModel];

/** Pages that are kept in memory while many events are caught up with, and else: SQLite's own default. */
const catchUpKiB = 32_768;
const usualKiB = 2000;

/** How far something has come in the log, and which event is there, if that was kept. */
export type Checkpoint = {
  readonly position: bigint;
  readonly event: { readonly id: string; readonly stream: string; readonly revision: number } | null;
};

/** The last event of a batch. */
type Through = Pick<Recorded, 'position' | 'id' | 'stream' | 'revision'>;

const checkpointsSchema = `
  create table checkpoints (
    name text primary key,
    position integer not null,
    event_id text,
    stream text,
    revision integer
  ) strict;
  create table shapes (shape text not null) strict;`;

/** What tells whether a database holds just these: tables cannot change without it. */
const shape = JSON.stringify([
  checkpointsSchema,
  ...tablesThere.map(({ name, version, schema }) => [name, version, schema]),
]);

/** Whether a database holds these read models, as this program makes them. */
export const holdsReadModels = (db: Database): boolean =>
  db.prepare(`select 1 from sqlite_master where name = 'shapes'`).get() !== undefined &&
  db.prepare('select shape from shapes').pluck().get() === shape;

/** The tables of a database. */
const tablesOf = (db: Database): string[] =>
  db
    .prepare<[], string>(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
    .pluck()
    .all();

/**
 * Every row of read models, table by table in the order of their keys, as JSON: those that have taken the same events
 * have the same. How far other followers have come is left out.
 */
export function* rowsOf(db: Database): Generator<{ readonly table: string; readonly row: string }> {
  const columnsOf = db.prepare<[string], { name: string; pk: number }>(
    'select name, pk from pragma_table_info(?)',
  );
  for (const table of tablesOf(db).sort()) {
    if (table === 'shapes') continue;
    const columns = columnsOf.all(table);
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    const quoted = (of: typeof columns): string => of.map(({ name }) => `"${name}"`).join(', ');
    // JSON has no bytes.
    const values = columns.map(({ name }) => `iif(typeof("${name}") = 'blob', hex("${name}"), "${name}")`);
    const rows = db
      .prepare<[], string>(
        `select json_array(${values.join(', ')}) from "${table}"
         ${table === 'checkpoints' ? `where name = 'readModels'` : ''} order by ${quoted(key)}`,
      )
      .pluck();
    for (const row of rows.iterate()) yield { table, row };
  }
}

/**
 * The read models in `db`, made anew when it is empty or holds another shape of them.
 * Rows and checkpoint commit together, so a crash leaves them as of some event, never in between.
 */
export const readModels = (db: Database) => {
  const clear = (): void => {
    db.transaction(() => {
      for (const table of tablesOf(db)) db.exec(`drop table "${table}"`);
      db.exec(checkpointsSchema);
      for (const { schema } of tablesThere) db.exec(schema);
      db.prepare('insert into shapes (shape) values (?)').run(shape);
    })();
  };
  if (!holdsReadModels(db)) clear();

  const appliers = readModelsThere.map(model => model.apply(db));
  const grow = treeModel.grow(db);
  const advance = db.prepare(
    'insert or replace into checkpoints (name, position, event_id, stream, revision) values (?, ?, ?, ?, ?)',
  );
  const checkpoint = db
    .prepare<
      [string],
      { position: bigint; event_id: string | null; stream: string | null; revision: bigint | null }
    >('select position, event_id, stream, revision from checkpoints where name = ?')
    .safeIntegers();

  const take = (events: readonly KnownEvent[], through: Through, growth?: Growth): void => {
    for (const event of events) for (const apply of appliers) apply(event);
    if (growth) grow(growth);
    const { position, id, stream, revision } = through;
    advance.run('readModels', position, id, stream, revision);
  };
  const takeAlone = db.transaction(take);

  return {
    sources: sourceQueries(db),
    days: dayQueries(db),
    models: modelQueries(db),
    planning: planningQueries(db),
    alerts: alertQueries(db),
    people: peopleQueries(db),
    tree: treeQueries(db),

    /**
     * Takes a batch that ends at `through`; without its growth the log has no tree here, and so no proofs. Where it
     * fails within a transaction that is open, whoever began that has to roll it back: a savepoint would copy every
     * page that the batch changes.
     */
    apply: (events: readonly KnownEvent[], through: Through, growth?: Growth): void =>
      db.inTransaction ? take(events, through, growth) : takeAlone(events, through, growth),
    /**
     * Makes room in memory for the pages of a catch-up, or goes back to the usual: there pages are written at commits
     * alone, so that a full disk stops no statement.
     */
    makeRoom: (forCatchUp: boolean): void => {
      db.pragma(`cache_size = -${forCatchUp ? catchUpKiB : usualKiB}`);
      db.pragma(`cache_spill = ${forCatchUp ? 'on' : 'off'}`);
    },
    /** Begins a transaction of many batches: a page that they share is written once, at `commit`. */
    begin: (): void => void db.exec('begin'),
    /** Commits it. */
    commit: (): void => void db.exec('commit'),
    /** Whether it is open: a disk that is full ends it. */
    isOpen: (): boolean => db.inTransaction,
    /** Undoes it whole: the checkpoint tells where the log goes on. */
    rollback: (): void => {
      if (db.inTransaction) db.exec('rollback');
    },
    /** How far the read models, or another follower by its name, have come. */
    checkpoint: (name: string): Checkpoint => {
      const row = checkpoint.get(name);
      if (!row) return { position: 0n, event: null };
      const { position, event_id: id, stream, revision } = row;
      const kept = id !== null && stream !== null && revision !== null;
      return { position, event: kept ? { id, stream, revision: Number(revision) } : null };
    },
    saveCheckpoint: (name: string, position: bigint): void => {
      advance.run(name, position, null, null, null);
    },
    /** Forgets everything; the log brings it back. */
    clear,
  };
};

export type ReadModels = ReturnType<typeof readModels>;
