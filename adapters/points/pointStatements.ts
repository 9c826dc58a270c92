import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { givenUp, type BufferedPoint, type PointBatch } from '../../application/ports/pointBuffer.js';
import { hasTables, logEndOf, logEndTable, requireTables } from '../sqlite/database.js';

/** Columns of later versions, the oldest first: SQLite writes an added column behind the last one. */
const laterColumns = [', sum integer', ', log_end integer'];

const tables = [
  `CREATE TABLE points (
    source_id integer not null,
    at integer not null,
    value real not null,
    base integer not null,
    waiting integer not null${laterColumns.join('')},
    primary key (source_id, at)
  ) strict, without rowid`,
  `CREATE TABLE writers (
    source_id integer primary key,
    by text not null
  ) strict`,
  `CREATE INDEX points_waiting on points (source_id, at) where waiting = 1`,
  logEndTable,
];

/** A row of the table of points; `sum` is null in rows of older versions. */
export type PointRow = BufferedPoint & { readonly sum: number | null };

const summed = new DataView(new ArrayBuffer(32));

/** Sum over a point: a flipped bit of its row changes it. */
export const sumOf = (sourceId: number, { at, value, base }: BufferedPoint): number => {
  // SQLite stores -0 as 0.
  [sourceId, at, value + 0, base].forEach((field, index) => summed.setFloat64(8 * index, field));
  return crc32(summed);
};

/** Adds the columns that the table of an older version lacks. */
const addColumns = (db: Database): void =>
  laterColumns.forEach((column, known) => {
    const older = tables.map(sql => sql.replace(laterColumns.slice(known).join(''), ''));
    if (older.some((_, index) => hasTables(db, older.slice(0, index + 1))))
      db.exec(`alter table points add column ${column.slice(2)}`);
  });

/** Points from one instant (inclusive) to another (exclusive), so many. */
export type Page = {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
};
const pageOf = (table: string): string =>
  `select at, value, base, sum from ${table} where source_id = $id and at >= $from and at < $to`;

/** By itself SQLite takes the primary key, and reads all points that are kept. */
export const waitingPoints = `${pageOf('points indexed by points_waiting')} and waiting = 1
  order by at limit cast($limit as integer)`;

/** Statements that mark points as in the log, and take that back when a restored log ends earlier. */
const settling = (db: Database) => {
  const mark = db.prepare(
    `update points set waiting = 0, base = ?, sum = ?, log_end = ?
     where source_id = ? and at = ? and value = ? and base = ?`,
  );
  const { raise, set, highest } = logEndOf(db);
  const drop = ['points', 'writers'].map(table => db.prepare(`delete from ${table} where source_id = ?`));
  const reopen = db.prepare(
    `update points set waiting = 1 where log_end > ? and waiting = 0 and base <> ${givenUp}`,
  );
  // The sum of such a row is left out, as in rows of older versions.
  const rebase = db.prepare('update points set base = ?, sum = null where source_id = ? and base > ?');
  return {
    raise,
    /** Marks points as in the log, or with a base of their own as given up. */
    settle: db.transaction(
      (sourceId: number, points: readonly BufferedPoint[], logEnd: bigint, own?: number): void => {
        for (const point of points) {
          const settled = { ...point, base: own ?? point.base };
          const sum = sumOf(sourceId, settled);
          mark.run(settled.base, sum, logEnd, sourceId, point.at, point.value, point.base);
        }
        raise.run(logEnd);
      },
    ),
    highestEnd: highest,
    sources: db.prepare<[], number>('select source_id from writers').pluck(),
    highestBase: db
      .prepare<[number], number | null>('select max(base) from points where source_id = ?')
      .pluck(),
    /**
     * Lets points wait that were marked after the end, and returns their number.
     * @param last the last revisions of the days of sources, -1 without days; null for a source that the log lacks
     */
    cut: db.transaction((end: bigint, last: ReadonlyMap<number, number | null>): number => {
      for (const [sourceId, revision] of last)
        if (revision === null) for (const statement of drop) statement.run(sourceId);
        else rebase.run(revision, sourceId, revision);
      set.run(end);
      return reopen.run(end).changes;
    }),
  };
};

/**
 * Prepares the statements; creates the tables in an empty database, and the parts that one of an older version lacks.
 * @throws OtherDatabase when the database has other contents
 */
export const statementsOn = (db: Database) => {
  addColumns(db);
  requireTables(db, tables, 'the database has no points');
  // The first commit also makes the name of the write-ahead log durable; `flushes` flushes it after later ones.
  db.pragma('user_version = 1');
  db.pragma('synchronous = NORMAL');
  const put = db.prepare(
    `insert into points (source_id, at, value, base, sum, waiting) values (?, ?, ?, ?, ?, 1)
     on conflict (source_id, at) do update
       set value = excluded.value, base = excluded.base, sum = excluded.sum, waiting = 1
     where value is not excluded.value or base is not excluded.base`,
  );
  const { raise, ...settled } = settling(db);
  const putWriter = db.prepare('insert or replace into writers (source_id, by) values (?, ?)');
  return {
    /** Returns the number of points of each batch that changed nothing. */
    add: db.transaction((batches: readonly PointBatch[], logEnd: bigint): number[] => {
      // A restored log may lack the sources of these points.
      raise.run(logEnd);
      return batches.map(({ sourceId, by, points }) => {
        putWriter.run(sourceId, by);
        let repeated = 0;
        for (const point of points) {
          const { at, value, base } = point;
          if (put.run(sourceId, at, value, base, sumOf(sourceId, point)).changes === 0) repeated += 1;
        }
        return repeated;
      });
    }),
    between: db.prepare<[Page], PointRow>(`${pageOf('points')} order by at limit cast($limit as integer)`),
    waiting: db.prepare<[Page], PointRow>(waitingPoints),
    lastBefore: db.prepare<[number, number], PointRow>(
      'select at, value, base, sum from points where source_id = ? and at < ? order by at desc limit 1',
    ),
    drop: db.prepare('delete from points where source_id = ? and at = ?'),
    writer: db.prepare<[number], string>('select by from writers where source_id = ?').pluck(),
    // One search of the index a source: `distinct` would read all points that wait.
    sourcesWaiting: db
      .prepare<[], number>(
        `with recursive sources (id) as (
           select min(source_id) from points where waiting = 1
           union all
           select (select min(source_id) from points where waiting = 1 and source_id > id)
             from sources where id is not null)
         select id from sources where id is not null`,
      )
      .pluck(),
    ...settled,
    /** The instant of the first point after a page. */
    afterPage: db
      .prepare<{ id: number; from: number; pageRows: number }, number>(
        `select at from points where source_id = $id and at >= $from order by at
         limit 1 offset cast($pageRows as integer)`,
      )
      .pluck(),
    forget: db.prepare(
      `delete from points where source_id = $id and at >= $from and at < $before and waiting = 0
         and at < (select max(at) from points where source_id = $id)`,
    ),
    clear: () => db.exec('delete from points; delete from writers; delete from log_end'),
    /** Writes the write-ahead log to the database, durably. */
    checkpoint: (): boolean => {
      const [row] = db.pragma('wal_checkpoint(truncate)') as { readonly busy: number }[];
      return row?.busy === 0;
    },
  };
};
