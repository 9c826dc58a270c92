import { decode, type KnownEvent, type Recorded } from '../../domain/events.js';
import type { ReadModels } from '../../projections/readModels.js';
import { growth } from '../../auditing/logTree.js';
import { batchMax, weightOf, type Through } from './projectionRunner.js';
import { eventLoopYielder } from '../chunks.js';
import { guarded } from '../../adapters/sqlite/database.js';

/** How far events were taken. */
export type Replayed = {
  /** Events taken. */
  readonly count: number;
  /** The last of them. */
  readonly through: Through | undefined;
  /** The first that was left, if there was one. */
  readonly left: Recorded | undefined;
};

/** Batches of a transaction: with one each, most of what a catch-up does is to write the same pages again. */
const batchesMax = 25;

/**
 * Takes events into read models, in their order and in batches as a follower takes them: to their end, or up to the
 * first that is not to be taken. A crash, or a batch that fails, leaves the read models as of some batch before.
 * @param options.tree   whether they are the log from its beginning, so that its tree grows with them
 * @param options.isTaken given an event and how many were taken before it
 * @param options.breathe awaited between events, where others may go first
 * @param options.taken  told how many there are, after each batch
 * @throws StoreUnavailable, UnknownVersion
 */
export const replay = async (
  models: ReadModels,
  events: AsyncIterable<Recorded>,
  {
    tree,
    isTaken = () => true,
    taken = () => {},
    yieldToEventLoop: yieldToEventLoop = eventLoopYielder(),
  }: {
    readonly tree: boolean;
    readonly isTaken?: (event: Recorded, before: number) => boolean;
    readonly taken?: (count: number) => void;
    readonly yieldToEventLoop?: () => Promise<void> | undefined;
  },
): Promise<Replayed> => {
  let batch: KnownEvent[] = [];
  let stored: Recorded[] = [];
  let weight = 0;
  let through: Through | undefined;
  let left: Recorded | undefined;
  let count = 0;
  let batches = 0;
  const flush = (): void => {
    const to = through;
    try {
      if (to) guarded(() => models.apply(batch, to, tree ? growth(models.tree, stored) : undefined));
    } catch (error) {
      models.rollback();
      throw error;
    }
    batch = [];
    stored = [];
    weight = 0;
    batches += 1;
    if (batches % batchesMax === 0)
      guarded(() => {
        models.commit();
        models.begin();
      });
    taken(count);
  };
  guarded(() => {
    models.makeRoom(true);
    models.begin();
  });
  try {
    for await (const event of events) {
      if (!isTaken(event, count)) {
        left = event;
        break;
      }
      count += 1;
      const understood = decode(event);
      if (understood) batch.push(understood);
      stored.push(event);
      through = event;
      weight += weightOf(event);
      if (weight >= batchMax) flush();
      const turn = yieldToEventLoop();
      if (turn) await turn;
    }
    flush();
  } finally {
    try {
      guarded(() => models.isOpen() && models.commit());
    } finally {
      guarded(() => models.makeRoom(false));
    }
  }
  return { count, through, left };
};
