import type { ReadModels } from '../../projections/readModels.js';
import type { EventStore } from '../eventStore.js';
import { fairQueue } from '../sharing/fairQueue.js';
import { replay } from '../projecting/replay.js';
import type { Turns } from '../sharing/turns.js';
import { existedAt, type Moment } from './moment.js';
import { eventsOfSource } from './sourceEvents.js';

/** Tenant of a query, for fairness, and the signal that its client is gone. */
export type QueryContext = { readonly tenant: string; readonly signal?: AbortSignal };

/** Read models as of past moments. */
export type AsOf = {
  /**
   * Read models of these sources as of a moment. Query them in the same turn of the event loop: they are closed when
   * newer ones are built.
   * @throws HistoryTooLong, QueueFull, StoreUnavailable, and the reason of the signal
   */
  readonly at: (sourceIds: readonly number[], moment: Moment, context: QueryContext) => Promise<ReadModels>;
  /** Number of waiting queries. */
  readonly waiting: () => number;
  readonly close: () => void;
};

/** The answer needs more events than one query may apply. */
export class HistoryTooLong extends Error {
  readonly name = 'HistoryTooLong';

  constructor(eventsMax: number) {
    super(
      `the answer needs more than ${eventsMax} events: ask for one source or an earlier moment, or run daybook replay`,
    );
  }
}

/** Default maximum of events applied for one query. */
const defaultEventsMax = 50_000;
/** Maximum waiting queries of all tenants; one runs at a time. See `fairQueue`. */
const waitingMax = 64;
/** Maximum cached moments: clients ask several questions about one moment. */
const cachedMax = 4;

type Cached = {
  readonly key: string;
  /** Position up to which the log was read; null when later events cannot belong to the moment. */
  readonly end: bigint | null;
  readonly models: ReadModels;
  readonly close: () => void;
};

/** Parts of `asOf`. */
export type AsOfParts = {
  readonly store: Pick<EventStore, 'read'>;
  /** Position of the present read models; later events are not applied. */
  readonly end: () => bigint;
  readonly turns: Turns;
  /** Opens empty read models that disappear when they are closed. */
  readonly openTemporary: () => { readonly models: ReadModels; readonly close: () => void };
  /** Maximum events applied for one answer. */
  readonly eventsMax?: number;
};

/** Builds read models of past moments with the present projections. */
export const asOf = ({ store, end, turns, openTemporary, eventsMax = defaultEventsMax }: AsOfParts): AsOf => {
  const cache: Cached[] = [];
  const queue = fairQueue({ atOnce: 1, waitingMax, name: 'reads of past moments' });

  const cached = (key: string): ReadModels | undefined =>
    cache.find(one => one.key === key && (one.end === null || one.end === end()))?.models;

  const build = async (
    sourceIds: readonly number[],
    moment: Moment,
    key: string,
    { tenant, signal }: QueryContext,
  ): Promise<ReadModels> => {
    const to = end();
    const { models, close } = openTemporary();
    try {
      let isOver = true;
      let count = 0;
      for (const sourceId of sourceIds) {
        const { count: more, next } = await replay(models, eventsOfSource(store, sourceId), {
          tree: false,
          whileServing: true,
          yieldToEventLoop: turns.yielderFor(tenant, signal),
          isIncluded: (event, before) => {
            if (!existedAt(event, moment) || event.position > to) return false;
            if (count + before >= eventsMax) throw new HistoryTooLong(eventsMax);
            return true;
          },
        });
        count += more;
        isOver &&= next !== undefined && !existedAt(next, moment);
      }
      cache.push({ key, end: isOver || 'position' in moment ? null : to, models, close });
    } catch (error) {
      close();
      throw error;
    }
    const evicted = cache.length > cachedMax ? cache.shift() : undefined;
    // Callers that received it query it in this turn.
    if (evicted) void turns.nextTurn().then(evicted.close);
    return models;
  };

  return {
    at: async (sourceIds, moment, context) => {
      const key = JSON.stringify([
        sourceIds,
        'position' in moment ? String(moment.position) : moment.instant,
      ]);
      const ready = cached(key);
      if (ready) return ready;
      const { tenant, signal } = context;
      return queue.run(tenant, async () => cached(key) ?? build(sourceIds, moment, key, context), signal);
    },
    waiting: queue.waiting,
    close: () => {
      for (const { close } of cache.splice(0)) close();
    },
  };
};
