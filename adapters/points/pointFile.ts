import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StoreUnavailable } from '../../application/ports/eventStore.js';
import {
  givenUp,
  type BufferedPoint,
  type PointBatch,
  type PointBuffer,
} from '../../application/ports/pointBuffer.js';
import { disposable, type Disposable } from '../sqlite/database.js';
import { statementsOn, sumOf, type Page, type PointRow } from './pointStatements.js';

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

/** The last revision of a stream up to `most`; -1 for a stream without events. */
const lastRevision = async (has: (revision: number) => Promise<boolean>, most: number): Promise<number> => {
  if (most < 0 || !(await has(0))) return -1;
  if (await has(most)) return most;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await has(middle)) low = middle;
    else high = middle;
  }
  return low;
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
      const repeated = use(({ add }) => add.immediate(batches, logEnd()));
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
    sources: async () => use(({ sources }) => sources.all()),
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
    cutTo: async (end, { hasSource, hasDays }) => {
      if ((use(({ highestEnd }) => highestEnd.get()) ?? 0) <= end) return 0;
      const last = new Map<number, number | null>();
      for (const key of use(({ sources }) => sources.all())) {
        const id = Math.abs(key);
        const base = use(({ highestBase }) => highestBase.get(key)) ?? -1;
        last.set(key, (await hasSource(id)) ? await lastRevision(at => hasDays(id, at), base) : null);
      }
      return use(({ cut }) => cut.immediate(end, last));
    },
    clear: () => void use(({ clear }) => clear()),
    close,
  };
};
