import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import type { Logger } from 'pino';
import { StoreUnavailable } from '../../application/ports/eventStore.js';
import {
  givenUp,
  type BufferedPoint,
  type PointBatch,
  type PointBuffer,
} from '../../application/ports/pointBuffer.js';
import { disposable, hasTables, requireTables, type Disposable } from '../sqlite/database.js';

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
  // The highest `log_end` of points: a start compares it alone.
  `CREATE TABLE log_end (
    only integer primary key check (only = 1),
    position integer not null
  ) strict`,
];

/** A row of the table of points; `sum` is null in rows of older versions. */
type PointRow = BufferedPoint & { readonly sum: number | null };

const summed = new DataView(new ArrayBuffer(32));

/** Sum over a point: a flipped bit of its row changes it. */
const sumOf = (sourceId: number, { at, value, base }: BufferedPoint): number => {
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
type Page = { readonly id: number; readonly from: number; readonly to: number; readonly limit: number };
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
  const raiseEnd = db.prepare(
    `insert into log_end values (1, ?)
     on conflict (only) do update set position = excluded.position where position < excluded.position`,
  );
  const drop = ['points', 'writers'].map(table => db.prepare(`delete from ${table} where source_id = ?`));
  const reopen = db.prepare(
    `update points set waiting = 1 where log_end > ? and waiting = 0 and base <> ${givenUp}`,
  );
  const lowerEnd = db.prepare('update log_end set position = ?');
  return {
    /** Marks points as in the log, or with a base of their own as given up. */
    settle: db.transaction(
      (sourceId: number, points: readonly BufferedPoint[], logEnd: bigint, own?: number): void => {
        for (const point of points) {
          const settled = { ...point, base: own ?? point.base };
          const sum = sumOf(sourceId, settled);
          mark.run(settled.base, sum, logEnd, sourceId, point.at, point.value, point.base);
        }
        raiseEnd.run(logEnd);
      },
    ),
    highestEnd: db.prepare<[], number>('select position from log_end').pluck(),
    sources: db.prepare<[], number>('select source_id from writers').pluck(),
    /** Lets points wait that were marked after the end, and drops these sources. Returns the number of points. */
    cut: db.transaction((end: bigint, gone: readonly number[]): number => {
      for (const sourceId of gone) for (const statement of drop) statement.run(sourceId);
      lowerEnd.run(end);
      return reopen.run(end).changes;
    }),
  };
};

const statementsOn = (db: Database) => {
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
  const putWriter = db.prepare('insert or replace into writers (source_id, by) values (?, ?)');
  return {
    /** Returns the number of points of each batch that changed nothing. */
    add: db.transaction((batches: readonly PointBatch[]): number[] =>
      batches.map(({ sourceId, by, points }) => {
        putWriter.run(sourceId, by);
        let repeated = 0;
        for (const point of points) {
          const { at, value, base } = point;
          if (put.run(sourceId, at, value, base, sumOf(sourceId, point)).changes === 0) repeated += 1;
        }
        return repeated;
      }),
    ),
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
    ...settling(db),
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

/** Flushes the write-ahead log of a database to the disk, on another thread. */
const flushLog = async (file: string): Promise<void> => {
  const log = await open(`${file}-wal`, 'r+').catch((error: NodeJS.ErrnoException) => {
    // SQLite removes it when the database is closed, after a checkpoint.
    if (error.code !== 'ENOENT') throw error;
  });
  try {
    await log?.datasync();
  } finally {
    await log?.close();
  }
};

/**
 * Returns a function that makes the commits before its call durable. Calls during a flush share the next one.
 * @param checkpoint makes them durable after a failed flush, of which a second one would know nothing
 */
const flushes = (file: string, checkpoint: () => boolean): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let hasFailed = false;
  const flush = async (): Promise<void> => {
    try {
      if (!hasFailed) return await flushLog(file);
    } catch {
      hasFailed = true;
    }
    if (!checkpoint()) throw new StoreUnavailable('the buffer of points cannot be written to the disk');
    hasFailed = false;
  };
  const begin = (): Promise<void> => {
    next = undefined;
    running = flush().finally(() => (running = undefined));
    return running;
  };
  return () => (running ? (next ??= running.then(begin, begin)) : begin());
};

/** Points of a commit, some milliseconds of work; a batch is never cut. */
const pointsPerCommit = 500;
/** Points that are read or forgotten in one go. */
const pageRows = 2000;

/** Returns the points of rows of a source, without those that are damaged. */
type SoundPoints = (sourceId: number, rows: readonly PointRow[]) => readonly BufferedPoint[];

/** Reads pages of points one after the other; the event loop has a turn after each. */
const inPages = async (
  { limit, ...range }: Page,
  read: (page: Page) => readonly PointRow[],
  sound: SoundPoints,
): Promise<readonly BufferedPoint[]> => {
  const all: BufferedPoint[] = [];
  for (let { from } = range; ;) {
    const most = Math.min(pageRows, limit - all.length);
    const rows = read({ ...range, from, limit: most });
    all.push(...sound(range.id, rows));
    const last = rows.at(-1);
    if (!last || rows.length < most || all.length >= limit) return all;
    from = last.at + 1;
    await nextTurn();
  }
};

/** Returns a filter of rows that deletes damaged ones and names them in the log of the service. */
const soundPoints = (
  use: Disposable<ReturnType<typeof statementsOn>>['use'],
  file: string,
  logger: Pick<Logger, 'error'> | undefined,
): SoundPoints => {
  const isSound = (source: number, row: PointRow): boolean => {
    const { at, sum } = row;
    if (sum === null || sum === sumOf(source, row)) return true;
    logger?.error({ file, source, at }, 'a point in the buffer of points is damaged; it is left out');
    use(({ drop }) => drop.run(source, at));
    return false;
  };
  return (source, rows) =>
    rows.filter(row => isSound(source, row)).map(({ at, value, base }) => ({ at, value, base }));
};

/**
 * Points of the one instance of a data folder, in a SQLite file, or in memory with `:memory:`. Batches of one turn of
 * the event loop share commits, and the event loop does not wait for the disk. When the file is damaged, its points
 * that are not in the log are lost; of a damaged row, one point.
 * @param logEnd last position of the log
 */
export const pointFile = (
  file: string,
  logger?: Pick<Logger, 'error'>,
  logEnd = (): bigint => 0n,
): PointBuffer => {
  const { use, close } = disposable(file, statementsOn, why =>
    logger?.error({ err: why }, 'the buffer of points cannot be read; points of the current slices are lost'),
  );
  const sound = soundPoints(use, file, logger);
  const lastBefore = (sourceId: number, at: number): BufferedPoint | undefined => {
    for (;;) {
      const row = use(statements => statements.lastBefore.get(sourceId, at));
      const [last] = row ? sound(sourceId, [row]) : [];
      if (last || !row) return last;
    }
  };
  const flushed =
    file === ':memory:' ? undefined : flushes(file, () => use(({ checkpoint }) => checkpoint()));
  type Pending = PointBatch & {
    readonly resolve: (repeated: number) => void;
    readonly reject: (error: unknown) => void;
  };
  const pending: Pending[] = [];
  /** Batches of the next commit. */
  const nextBatches = (): Pending[] => {
    let count = 0;
    const end = pending.findIndex(({ points }) => (count += points.length) > pointsPerCommit);
    return pending.splice(0, end < 0 ? pending.length : Math.max(1, end));
  };
  const commit = (): void => {
    const batches = nextBatches();
    if (pending.length > 0) setImmediate(commit);
    const refuse = (error: unknown): void => batches.forEach(({ reject }) => reject(error));
    try {
      const repeated = use(({ add }) => add.immediate(batches));
      const accept = (): void => batches.forEach(({ resolve }, index) => resolve(repeated[index] ?? 0));
      if (flushed) void flushed().then(accept, refuse);
      else accept();
    } catch (error) {
      refuse(error);
    }
  };
  const settled =
    (base?: number): PointBuffer['stored'] =>
    async (sourceId, points) => {
      const end = logEnd();
      for (let from = 0; from < points.length; from += pointsPerCommit) {
        if (from > 0) await nextTurn();
        use(({ settle }) =>
          settle.immediate(sourceId, points.slice(from, from + pointsPerCommit), end, base),
        );
      }
    };
  return {
    add: batch =>
      new Promise((resolve, reject) => {
        if (pending.length === 0) setImmediate(commit);
        pending.push({ ...batch, resolve, reject });
      }),
    between: (id, from, to, limit = Infinity) =>
      inPages({ id, from, to, limit }, page => use(({ between }) => between.all(page)), sound),
    waiting: (id, limit, before = Infinity) =>
      inPages(
        { id, from: Number.MIN_SAFE_INTEGER, to: before, limit },
        page => use(({ waiting }) => waiting.all(page)),
        sound,
      ),
    lastBefore: async (sourceId, at) => lastBefore(sourceId, at),
    writer: async sourceId => use(({ writer }) => writer.get(sourceId)),
    sourcesWaiting: async () => use(({ sourcesWaiting }) => sourcesWaiting.all()),
    stored: settled(),
    giveUp: settled(givenUp),
    forget: async (id, before) => {
      for (let from = Number.MIN_SAFE_INTEGER; from < before;) {
        const next = use(({ afterPage }) => afterPage.get({ id, from, pageRows })) ?? before;
        const to = Math.min(next, before);
        use(({ forget }) => forget.run({ id, from, before: to }));
        from = to;
        if (from < before) await nextTurn();
      }
    },
    cutTo: async (end, hasSource) => {
      if ((use(({ highestEnd }) => highestEnd.get()) ?? 0) <= end) return 0;
      const gone: number[] = [];
      for (const key of use(({ sources }) => sources.all()))
        if (!(await hasSource(Math.abs(key)))) gone.push(key);
      return use(({ cut }) => cut.immediate(end, gone));
    },
    clear: () => void use(({ clear }) => clear()),
    close,
  };
};
