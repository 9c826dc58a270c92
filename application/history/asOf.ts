import type { ReadModels } from '../../projections/readModels.js';
import type { EventStore } from '../eventStore.js';
import { fairQueue } from '../sharing/fairQueue.js';
import { replay } from '../projecting/replay.js';
import type { Turns } from '../sharing/turns.js';
import { wasThere, type Moment } from './moment.js';
import { eventsOfSource } from './sourceEvents.js';

/** Who asks: tenants take turns, and nothing is folded for a client that is gone. */
export type Asker = { readonly tenant: string; readonly signal?: AbortSignal };

/** What was known at a moment. */
export type AsOf = {
  /**
   * Read models that hold the events of these sources up to a moment and nothing else: to be asked at once, for they
   * go when newer ones are made.
   * @throws HistoryTooLong, QueueFull, StoreUnavailable, and the reason of the asker's signal
   */
  readonly at: (sourceIds: readonly number[], moment: Moment, asker: Asker) => Promise<ReadModels>;
  readonly close: () => void;
};

/** More events than one answer may cost. */
export class HistoryTooLong extends Error {
  readonly name = 'HistoryTooLong';

  constructor(eventsMax: number) {
    super(
      `the answer takes more than ${eventsMax} events: ask for one source, or an earlier moment, or use daybook replay`,
    );
  }
}

/** Events folded for one question at most. */
const eventsMaxUsual = 50_000;
/** Questions of all tenants that wait; one is worked on at a time. See `fairQueue`. */
const waitingMax = 64;
/** Moments that stay ready: a client asks for several things of one. */
const keptMax = 4;

type Kept = {
  readonly key: string;
  /** The position to which the log was known; none when nothing that may come can be of the moment. */
  readonly end: bigint | null;
  readonly models: ReadModels;
  readonly close: () => void;
};

/** Parts of `past`. */
export type AsOfParts = {
  readonly store: Pick<EventStore, 'read'>;
  /** Position up to which the present is known; later events are left out. */
  readonly end: () => bigint;
  readonly turns: Turns;
  /** Opens empty read models that disappear when they are closed. */
  readonly openTemporary: () => { readonly models: ReadModels; readonly close: () => void };
  /** Events applied for one answer at most. */
  readonly eventsMax?: number;
};

/** Read models of past moments, built by the projections of the present. */
export const asOf = ({
  store,
  end,
  turns: turning,
  openTemporary,
  eventsMax = eventsMaxUsual,
}: AsOfParts): AsOf => {
  const kept: Kept[] = [];
  const queue = fairQueue({ atOnce: 1, waitingMax, what: 'questions about the past' });

  const known = (key: string): ReadModels | undefined =>
    kept.find(one => one.key === key && (one.end === null || one.end === end()))?.models;

  const fold = async (
    sourceIds: readonly number[],
    moment: Moment,
    key: string,
    { tenant, signal }: Asker,
  ): Promise<ReadModels> => {
    const to = end();
    const { models, close } = openTemporary();
    try {
      let isOver = true;
      let count = 0;
      for (const sourceId of sourceIds) {
        const { count: more, left } = await replay(models, eventsOfSource(store, sourceId), {
          tree: false,
          yieldToEventLoop: turning.breather(tenant, signal),
          isTaken: (event, before) => {
            if (!wasThere(event, moment) || event.position > to) return false;
            if (count + before >= eventsMax) throw new HistoryTooLong(eventsMax);
            return true;
          },
        });
        count += more;
        isOver &&= left !== undefined && !wasThere(left, moment);
      }
      kept.push({ key, end: isOver || 'position' in moment ? null : to, models, close });
    } catch (error) {
      close();
      throw error;
    }
    const oldest = kept.length > keptMax ? kept.shift() : undefined;
    // Whoever has been given it goes on in this turn.
    if (oldest) void turning.nextTurn().then(oldest.close);
    return models;
  };

  return {
    at: async (sourceIds, moment, asker) => {
      const key = JSON.stringify([
        sourceIds,
        'position' in moment ? String(moment.position) : moment.instant,
      ]);
      const ready = known(key);
      if (ready) return ready;
      const { tenant, signal } = asker;
      return queue.run(tenant, async () => known(key) ?? fold(sourceIds, moment, key, asker), signal);
    },
    close: () => {
      for (const { close } of kept.splice(0)) close();
    },
  };
};
