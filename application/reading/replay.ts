import type { Recorded } from '../../domain/events.js';
import { type ReadModels, readModelRows } from '../../projections/readModels.js';
import { growth, batchMax, weightOf, type Through } from './projectionRunner.js';
import { eventLoopYielder } from '../ports/sharing/turns.js';
import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';

/** Result of a replay. */
export type Replayed = {
  /** Number of applied events. */
  readonly count: number;
  /** The last applied event. */
  readonly through: Through | undefined;
  /** The first event that was not applied. */
  readonly next: Recorded | undefined;
};

/** Maximum weight of a batch when no request waits: rows that many events change are written once per batch. */
const batchAloneMax = 1000;
/** Batches of one transaction. With one batch each, the same pages would be written many times. */
const batchesMax = 100;

/**
 * Applies events as `project` does, in order and in batches, up to the first that is not included. After a crash or a
 * failed batch the read models are as after an earlier batch; the next replay creates missing indexes.
 * @param options.tree       whether `events` are the next of the whole log, so that the Merkle tree grows
 * @param options.whileServing whether requests are answered meanwhile: batches are small, indexes are kept
 * @param options.isIncluded given an event and the number of events before it
 * @param options.progress   called with the number of events after each batch
 * @param options.yieldToEventLoop awaited between events
 * @throws StoreUnavailable
 */
export const replay = async (
  models: ReadModels,
  events: AsyncIterable<Recorded>,
  {
    tree,
    whileServing = false,
    isIncluded = () => true,
    progress = () => {},
    yieldToEventLoop = eventLoopYielder(),
  }: {
    readonly tree: boolean;
    readonly whileServing?: boolean;
    readonly isIncluded?: (event: Recorded, before: number) => boolean;
    readonly progress?: (count: number) => void;
    readonly yieldToEventLoop?: () => Promise<void> | undefined;
  },
): Promise<Replayed> => {
  let stored: Recorded[] = [];
  let weight = 0;
  let through: Through | undefined;
  let next: Recorded | undefined;
  let count = 0;
  let batches = 0;
  const weightMax = whileServing ? batchMax : batchAloneMax;
  const wasEmpty = models.checkpoint('readModels').position === 0n;
  const flush = (): void => {
    try {
      // Few events are not worth it.
      if (!whileServing && wasEmpty && batches === 0 && weight >= weightMax) models.dropIndexes();
      if (stored.length > 0) models.project(stored, tree ? growth(models.tree, stored) : undefined);
    } catch (error) {
      models.rollback();
      throw error;
    }
    stored = [];
    weight = 0;
    batches += 1;
    if (batches % batchesMax === 0) {
      models.commit();
      models.begin();
    }
    progress(count);
  };
  models.useCatchUpCache(true);
  models.begin();
  try {
    for await (const event of events) {
      if (!isIncluded(event, count)) {
        next = event;
        break;
      }
      count += 1;
      stored.push(event);
      through = event;
      weight += weightOf(event);
      if (weight >= weightMax) flush();
      const turn = yieldToEventLoop();
      if (turn) await turn;
    }
    flush();
  } finally {
    try {
      if (models.isOpen()) models.commit();
      while (models.createIndex()) await yieldToEventLoop();
    } finally {
      models.useCatchUpCache(false);
    }
  }
  return { count, through, next };
};

/** SHA-256 in hexadecimal over the rows of each table of the read models, one line of JSON per row. */
export const tableDigests = (db: Database): ReadonlyMap<string, string> => {
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const { table, row } of readModelRows(db)) {
    const hash = hashes.get(table) ?? createHash('sha256');
    hashes.set(table, hash.update(row).update('\n'));
  }
  return new Map([...hashes].map(([table, hash]) => [table, hash.digest('hex')]));
};

/** SHA-256 over the digests of all tables with rows, ordered by name. */
export const digestOfAll = (digests: ReadonlyMap<string, string>): string =>
  createHash('sha256')
    .update(JSON.stringify([...digests].sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex');

/** Names of the tables that differ. */
export const tablesThatDiffer = (
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter(table => one.get(table) !== other.get(table)).sort();
