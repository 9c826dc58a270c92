import type { Recorded } from '../../../domain/events.js';
import { ordersPerPosition, type Membership } from '../../../projections/incidents/knownIncidents.js';
import type { ReadModels } from '../../../projections/readModels.js';
import { type EventStore, eventsOfCovariate, eventsOfSource } from '../../ports/eventStore.js';
import { fairQueue } from '../../ports/sharing/fairQueue.js';
import { replay } from '../../reading/replay.js';
import type { Turns } from '../../ports/sharing/turns.js';
import { parseDate, parseInstant } from '../../../domain/dates.js';
import { streams } from '../../../domain/streams.js';

/** A point of the past: a position of the log, or an instant, ISO 8601 UTC. */
export type Moment = { readonly position: bigint } | { readonly instant: string };

/** Pattern of a position, up to 10^18 − 1: more than any log has, less than the limit of every store. */
export const positionDigits = '\\d{1,18}';
/** A position of any length: moments are only compared, never passed to a store. */
const digits = /^\d+$/;

/**
 * Moment of a text: digits are a position, a date is the end of that UTC day, otherwise it is an instant (RFC 3339);
 * `undefined` for other texts.
 */
export const momentOf = (text: string): Moment | undefined => {
  if (digits.test(text)) return { position: BigInt(text) };
  if (parseDate(text) !== undefined) return { instant: `${text}T23:59:59.999Z` };
  const instant = parseInstant(text);
  return instant === undefined ? undefined : { instant };
};

/**
 * Whether an event existed at a moment. For an instant its time of decision counts; readers in log order stop at the
 * first later event.
 */
export const existedAt = (event: Pick<Recorded, 'position' | 'at'>, moment: Moment): boolean =>
  'position' in moment ? event.position <= moment.position : event.at <= moment.instant;

/** Tenant of a query, for fairness, and the signal that its client is gone. */
export type QueryContext = { readonly tenant: string; readonly signal?: AbortSignal };

type Folded = 'all' | 'decisions';

/** Read models as of past moments. */
export type AsOf = {
  /**
   * Read models of these sources as of a moment, with the days of the sources that explain them. Their checkpoint is
   * the last event of these sources. Query them in the same turn of the event loop, or hold them: they are closed when
   * newer ones are built.
   * @param folded all events, or those of the streams `source-{id}` alone: enough for models, plans, accepted changes
   * @throws HistoryTooLong, QueueFull, StoreUnavailable, and the reason of the signal
   */
  readonly at: (
    sourceIds: readonly number[],
    moment: Moment,
    context: QueryContext,
    folded?: Folded,
  ) => Promise<ReadModels>;
  /** Keeps read models of `at` open until the returned function is called; others stay as they are. */
  readonly hold: (models: ReadModels) => () => void;
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
  /** Number of events of incidents whose groupings its alerts have; undefined for none. */
  groupings: number | undefined;
  /** Number of queries that need the read models for more than a turn. */
  holders: number;
  isEvicted: boolean;
};

/** Parts of `asOf`. */
export type AsOfParts = {
  readonly store: Pick<EventStore, 'read'>;
  /** Position of the present read models; later events are not applied. */
  readonly end: () => bigint;
  /** The present incidents; absent for none. */
  readonly incidents?: Pick<ReadModels['incidents'], 'membership' | 'eventCount'>;
  readonly turns: Turns;
  /** Opens empty read models that disappear when they are closed. */
  readonly openTemporary: () => { readonly models: ReadModels; readonly close: () => void };
  /** Maximum events applied for one answer. */
  readonly eventsMax?: number;
};

/** Sources to be folded, and the tenant that asks. */
type Fold = {
  readonly sourceIds: readonly number[];
  readonly moment: Moment;
  readonly folded: Folded;
} & QueryContext;

/**
 * Folds sources as of a moment into empty read models: their events, then the days of the sources that explain them.
 * @returns whether later events cannot belong to the moment
 */
const foldInto = async (
  models: ReadModels,
  { store, end, turns, eventsMax = defaultEventsMax }: Omit<AsOfParts, 'openTemporary'>,
  { sourceIds, moment, folded, tenant, signal }: Fold,
): Promise<boolean> => {
  const to = end();
  const yieldToEventLoop = turns.yielderFor(tenant, signal);
  let isOver = true;
  let count = 0;
  let last = 0n;
  const fold = async (events: AsyncIterable<Recorded>): Promise<void> => {
    const { next, through, ...replayed } = await replay(models, events, {
      tree: false,
      whileServing: true,
      yieldToEventLoop,
      isIncluded: (event, before) => {
        if (!existedAt(event, moment) || event.position > to) return false;
        if (count + before >= eventsMax) throw new HistoryTooLong(eventsMax);
        return true;
      },
    });
    count += replayed.count;
    isOver &&= next !== undefined && !existedAt(next, moment);
    if (through && through.position > last) last = through.position;
    // A source without an event at the moment has no step.
    await yieldToEventLoop();
  };
  for (const sourceId of sourceIds)
    await fold(folded === 'all' ? eventsOfSource(store, sourceId) : store.read(streams.source(sourceId)));
  const known = new Set(sourceIds);
  const lastOfSources = last;
  const waiting = folded === 'all' ? sourceIds.flatMap(id => models.covariates.usedBy(id)) : [];
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    if (!known.has(id)) await fold(eventsOfCovariate(store, id));
    known.add(id);
    // A covariate that was learned again goes on as another source.
    const successor = models.sources.setup(id)?.relearnedAs ?? null;
    if (successor !== null) waiting.push(successor);
  }
  models.saveCheckpoint('readModels', lastOfSources);
  return isOver;
};

/** Alerts whose incidents are taken over at once. */
const adoptedMax = 200;

/** Alerts name the incidents that they are in now, if they had been grouped then. */
const nameIncidents = async (
  one: Cached,
  { incidents, turns }: Pick<AsOfParts, 'incidents' | 'turns'>,
  { moment, folded, tenant, signal }: Fold,
): Promise<void> => {
  const groupings = incidents?.eventCount(tenant);
  if (!incidents || folded !== 'all' || one.groupings === groupings) return;
  const yieldToEventLoop = turns.yielderFor(tenant, signal);
  const wasGrouped = ({ joinedOrder, joinedAt }: Membership): boolean =>
    existedAt({ position: BigInt(Math.floor(joinedOrder / ordersPerPosition)), at: joinedAt }, moment);
  for (let after: string | undefined = ''; after !== undefined;) {
    const ids = one.models.incidents.alertsAfter(after, adoptedMax);
    one.models.incidents.adopt(incidents.membership(ids).filter(wasGrouped));
    after = ids.at(-1);
    await yieldToEventLoop();
  }
  one.groupings = groupings;
};

/** Builds read models of past moments with the present projections. */
export const asOf = ({ openTemporary, ...parts }: AsOfParts): AsOf => {
  const { end, turns } = parts;
  const cache: Cached[] = [];
  /** Cached read models, and evicted ones that a query holds. */
  const opened = new Map<ReadModels, Cached>();
  const queue = fairQueue({ atOnce: 1, waitingMax, name: 'reads of past moments' });

  const closeUnheld = (one: Cached): void => {
    if (one.holders > 0 || !opened.delete(one.models)) return;
    one.close();
  };
  const evict = (one: Cached): void => {
    one.isEvicted = true;
    closeUnheld(one);
  };

  const release = (one: Cached): void => {
    one.holders -= 1;
    if (one.isEvicted) closeUnheld(one);
  };

  const cached = async (key: string, fold: Fold): Promise<ReadModels | undefined> => {
    const one = cache.find(other => other.key === key && (other.end === null || other.end === end()));
    if (!one) return undefined;
    one.holders += 1;
    try {
      await nameIncidents(one, parts, fold);
    } finally {
      release(one);
    }
    return one.isEvicted ? undefined : one.models;
  };

  const build = async (key: string, fold: Fold): Promise<ReadModels> => {
    const to = end();
    const { models, close } = openTemporary();
    try {
      const isOver = await foldInto(models, parts, fold);
      const ended = isOver || 'position' in fold.moment ? null : to;
      const one: Cached = {
        ...{ key, end: ended, models, close, holders: 0, isEvicted: false },
        groupings: undefined,
      };
      await nameIncidents(one, parts, fold);
      cache.push(one);
      opened.set(models, one);
    } catch (error) {
      close();
      throw error;
    }
    const evicted = cache.length > cachedMax ? cache.shift() : undefined;
    // Callers that received it query it in this turn, or hold it.
    if (evicted) void turns.nextTurn().then(() => evict(evicted));
    return models;
  };

  return {
    at: async (sourceIds, moment, context, folded = 'all') => {
      const key = JSON.stringify([
        folded,
        sourceIds,
        'position' in moment ? String(moment.position) : moment.instant,
      ]);
      const fold = { sourceIds, moment, folded, ...context };
      const ready = await cached(key, fold);
      if (ready) return ready;
      const { tenant, signal } = context;
      return queue.run(tenant, async () => (await cached(key, fold)) ?? build(key, fold), signal);
    },
    hold: models => {
      const held = opened.get(models);
      if (held) held.holders += 1;
      let isHeld = held !== undefined;
      return () => {
        if (!held || !isHeld) return;
        isHeld = false;
        release(held);
      };
    },
    waiting: queue.waiting,
    close: () => {
      cache.length = 0;
      for (const one of [...opened.values()]) {
        opened.delete(one.models);
        one.close();
      }
    },
  };
};
