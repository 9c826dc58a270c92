import { decode, type KnownEvent, type Recorded } from '../domain/events.js';
import type { ReadModels } from '../projections/readModels.js';
import { growth } from './audit/logTree.js';
import { system, type Environment } from './environment.js';
import type { Through } from './follow.js';
import { breather } from './pieces.js';
import { guarded } from './stores/database.js';

/** How far events were taken. */
export type Replayed = {
  /** Events taken. */
  readonly count: number;
  /** The last of them. */
  readonly through: Through | undefined;
  /** The first that was left, if there was one. */
  readonly left: Recorded | undefined;
};

/** Events of a batch. */
const batchMax = 200;

/** Batches of a transaction: with one each, most of what a catch-up does is to write the same pages again. */
const batchesMax = 25;

/**
 * Takes events into read models, in their order and in batches as a follower takes them: to their end, or up to the
 * first that is not to be taken. A crash, or a batch that fails, leaves the read models as of some batch before.
 * @param options.tree   whether they are the log from its beginning, so that its tree grows with them
 * @param options.isTaken given an event and how many were taken before it
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
    environment = system,
  }: {
    readonly tree: boolean;
    readonly isTaken?: (event: Recorded, before: number) => boolean;
    readonly taken?: (count: number) => void;
    readonly environment?: Environment;
  },
): Promise<Replayed> => {
  const breathe = breather(environment);
  let batch: KnownEvent[] = [];
  let stored: Recorded[] = [];
  let through: Through | undefined;
  let left: Recorded | undefined;
  let count = 0;
  let batches = 0;
  const flush = async (): Promise<void> => {
    const to = through;
    try {
      if (to) guarded(() => models.apply(batch, to, tree ? growth(models.tree, stored) : undefined));
    } catch (error) {
      models.rollback();
      throw error;
    }
    batch = [];
    stored = [];
    batches += 1;
    if (batches % batchesMax === 0)
      guarded(() => {
        models.commit();
        models.begin();
      });
    taken(count);
    await breathe();
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
      if (stored.length === batchMax) await flush();
    }
    await flush();
  } finally {
    try {
      guarded(() => models.isOpen() && models.commit());
    } finally {
      guarded(() => models.makeRoom(false));
    }
  }
  return { count, through, left };
};
