import type { Database } from 'better-sqlite3';
import type { Logger } from 'pino';
import type { BufferedPoint, PointBatch, PointBuffer } from '../../application/ports/pointBuffer.js';
import { disposable, requireTables } from '../sqlite/database.js';

const tables = [
  `CREATE TABLE points (
    source_id integer not null,
    at integer not null,
    value real not null,
    base integer not null,
    waiting integer not null,
    primary key (source_id, at)
  ) strict, without rowid`,
  `CREATE TABLE writers (
    source_id integer primary key,
    by text not null
  ) strict`,
  `CREATE INDEX points_waiting on points (source_id, at) where waiting = 1`,
];

const statementsOn = (db: Database) => {
  requireTables(db, tables, 'the database has no points');
  const put = db.prepare(
    `insert into points (source_id, at, value, base, waiting) values (?, ?, ?, ?, 1)
     on conflict (source_id, at) do update set value = excluded.value, base = excluded.base, waiting = 1
     where value is not excluded.value or base is not excluded.base`,
  );
  const putWriter = db.prepare('insert or replace into writers (source_id, by) values (?, ?)');
  const mark = db.prepare(
    'update points set waiting = 0 where source_id = ? and at = ? and value = ? and base = ?',
  );
  return {
    /** Returns the number of points of each batch that changed nothing. */
    add: db.transaction((batches: readonly PointBatch[]): number[] =>
      batches.map(({ sourceId, by, points }) => {
        putWriter.run(sourceId, by);
        let repeated = 0;
        for (const { at, value, base } of points)
          if (put.run(sourceId, at, value, base).changes === 0) repeated += 1;
        return repeated;
      }),
    ),
    between: db.prepare<[number, number, number], BufferedPoint>(
      'select at, value, base from points where source_id = ? and at >= ? and at < ? order by at',
    ),
    waiting: db.prepare<[number, number], BufferedPoint>(
      `select at, value, base from points where source_id = ? and waiting = 1
       order by at limit cast(? as integer)`,
    ),
    lastBefore: db.prepare<[number, number], BufferedPoint>(
      'select at, value, base from points where source_id = ? and at < ? order by at desc limit 1',
    ),
    writer: db.prepare<[number], string>('select by from writers where source_id = ?').pluck(),
    sourcesWaiting: db
      .prepare<[], number>('select distinct source_id from points where waiting = 1 order by source_id')
      .pluck(),
    stored: db.transaction((sourceId: number, points: readonly BufferedPoint[]): void => {
      for (const { at, value, base } of points) mark.run(sourceId, at, value, base);
    }),
    forget: db.prepare(
      `delete from points where source_id = $id and at < $before and waiting = 0
         and at < (select max(at) from points where source_id = $id)`,
    ),
    clear: () => db.exec('delete from points; delete from writers'),
  };
};

/**
 * Points of the one instance of a data folder, in a SQLite file, or in memory with `:memory:`. Batches that come in one
 * turn of the event loop share a commit. When the file is damaged, its points that are not in the log are lost.
 */
export const pointFile = (file: string, logger?: Pick<Logger, 'error'>): PointBuffer => {
  const { use, close } = disposable(file, statementsOn, why =>
    logger?.error({ err: why }, 'the buffer of points cannot be read; points of the current slices are lost'),
  );
  type Pending = PointBatch & {
    readonly resolve: (repeated: number) => void;
    readonly reject: (error: unknown) => void;
  };
  let pending: Pending[] = [];
  const commit = (): void => {
    const batches = pending;
    pending = [];
    try {
      const repeated = use(({ add }) => add.immediate(batches));
      batches.forEach(({ resolve }, index) => resolve(repeated[index] ?? 0));
    } catch (error) {
      for (const { reject } of batches) reject(error);
    }
  };
  return {
    add: batch =>
      new Promise((resolve, reject) => {
        if (pending.length === 0) setImmediate(commit);
        pending.push({ ...batch, resolve, reject });
      }),
    between: async (sourceId, from, to) => use(({ between }) => between.all(sourceId, from, to)),
    waiting: async (sourceId, limit) => use(({ waiting }) => waiting.all(sourceId, limit)),
    lastBefore: async (sourceId, at) => use(({ lastBefore }) => lastBefore.get(sourceId, at)),
    writer: async sourceId => use(({ writer }) => writer.get(sourceId)),
    sourcesWaiting: async () => use(({ sourcesWaiting }) => sourcesWaiting.all()),
    stored: async (sourceId, points) => use(({ stored }) => stored.immediate(sourceId, points)),
    forget: async (id, before) => void use(({ forget }) => forget.run({ id, before })),
    clear: () => void use(({ clear }) => clear()),
    close,
  };
};
