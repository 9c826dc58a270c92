import { LRUCache } from 'lru-cache';
import { retryOnConflict } from '../../application/commands/commandHandler.js';
import { Conflict, type EventStore } from '../../application/ports/eventStore.js';
import { givenUp, type PointBatch, type PointBuffer } from '../../application/ports/pointBuffer.js';
import { keyedQueue } from '../../application/ports/sharing/fairQueue.js';
import { sourceStream, type SourceStream, type SourceStreamParts } from './sourceStream.js';
import type { Environment } from '../../application/ports/environment.js';
import { foldedStream, partJoiner, partsOf, type Part, type StreamEvent } from './foldedStream.js';

/** Name of the stream. */
const stream = 'points-waiting';
/** Most sources in one event. */
const sourcesPerEvent = 20_000;
/** Events after which the list is compacted. */
const eventsMax = 5000;

/** A source, and the revision of its stream before its points. */
type Noted = readonly [sourceId: number, revision: number];

/** The sources of which points may wait, shared by all instances. */
type WaitingSources = {
  /** Adds a source before its first point. @param revision of its stream, -1 for none */
  readonly add: (sourceId: number, revision: number) => Promise<void>;
  /** Removes a source, unless it was added at this revision of its stream or after it. */
  readonly remove: (sourceId: number, revision: number) => Promise<void>;
  /** Ids, ascending. */
  readonly list: () => Promise<readonly number[]>;
};

/** Folds the events of the list into a map from sources to revisions. */
const noteList = () => {
  const noted = new Map<number, number>();
  const joiner = partJoiner<Noted>();
  let events = 0;
  const apply = ({ type, data }: StreamEvent): void => {
    events += 1;
    if (type === 'WaitingSourcesListed') {
      const whole = joiner.add(data as Part<Noted>);
      if (!whole) return;
      noted.clear();
      for (const [id, revision] of whole) noted.set(id, revision);
      events = 0;
      return;
    }
    joiner.interrupt();
    const { sourceId = 0, revision = 0 } = data as { sourceId?: number; revision?: number };
    if (type === 'SourceWaits') noted.set(sourceId, Math.max(revision, noted.get(sourceId) ?? -1));
    else if (type === 'SourceSettled' && (noted.get(sourceId) ?? revision) < revision) noted.delete(sourceId);
  };
  return { noted, apply, events: () => events };
};

/**
 * The sources of which points may wait, in one stream outside the log. A source is in it before its first point is
 * stored, so that every instance finds the points of an instance that ended.
 * @param truncate removes the events of a stream before a revision
 */
const waitingSources = (
  store: Pick<EventStore, 'append' | 'read'>,
  truncate: (stream: string, before: number) => Promise<void>,
  environment: Environment,
): WaitingSources => {
  const queue = keyedQueue();
  const { noted, apply, events } = noteList();
  const { refresh, append, revision: end } = foldedStream(store, stream, apply, environment);

  const compact = async (): Promise<void> => {
    if (events() < eventsMax) return;
    const first = end() + 1;
    try {
      for (const part of partsOf(environment.newId(), [...noted], sourcesPerEvent))
        await append('WaitingSourcesListed', part);
      await truncate(stream, first);
    } catch (error) {
      // Another instance has appended: the list is written with a later change.
      if (!(error instanceof Conflict)) throw error;
    }
  };
  /** Appends a change that `isNeeded`. */
  const change = (type: string, [sourceId, revision]: Noted, isNeeded: () => boolean): Promise<void> =>
    queue.run(stream, () =>
      retryOnConflict(async () => {
        await refresh();
        if (!isNeeded()) return;
        await append(type, { sourceId, revision });
        await compact();
      }, environment),
    );

  return {
    add: (sourceId, revision) =>
      change('SourceWaits', [sourceId, revision], () => (noted.get(sourceId) ?? -2) < revision),
    remove: (sourceId, revision) =>
      change('SourceSettled', [sourceId, revision], () => (noted.get(sourceId) ?? revision) < revision),
    list: () =>
      queue.run(stream, async () => {
        await refresh();
        return [...noted.keys()].sort((one, other) => one - other);
      }),
  };
};

/** Most points in memory, 25 bytes each; those of other sources are read again. */
const pointsMax = 4_000_000;
/** Memory of a source without points, in points. */
const emptySize = 100;
/** Time after its last points at which a source of which none wait is taken off the list. */
const settledMs = 3_600_000;
/** Streams read at the same time. */
const readsAtOnce = 16;

/**
 * Points that all instances on one event store share: one stream a source, outside the log. An answer has all points
 * that were acknowledged before the question, by any instance.
 */
export const pointStreams = (parts: SourceStreamParts): PointBuffer => {
  const { environment, store, truncate } = parts;
  const queue = keyedQueue();
  const listed = waitingSources(store, truncate, environment);
  const cache = new LRUCache<number, SourceStream>({ maxSize: pointsMax });

  /** Runs a task on a source; `isKnown` tells whether its stream was read before. */
  const withSource = <Result>(
    sourceId: number,
    task: (source: SourceStream, isKnown: boolean) => Promise<Result>,
  ): Promise<Result> =>
    queue.run(String(sourceId), async () => {
      const known = cache.get(sourceId);
      const source = known ?? sourceStream(parts, sourceId);
      try {
        return await task(source, known !== undefined);
      } finally {
        cache.set(sourceId, source, { size: source.points.size() + emptySize });
      }
    });
  /** Runs a task on the present state of a source. */
  const refreshed = <Result>(sourceId: number, task: (source: SourceStream) => Result | Promise<Result>) =>
    withSource(sourceId, async source => {
      await source.refresh();
      return task(source);
    });
  /** Runs a task that appends, again after each conflict with another instance. */
  const changing = (sourceId: number, task: (source: SourceStream) => Promise<void>) =>
    retryOnConflict(() => refreshed(sourceId, task), environment);
  /** Appends points of a source that is on the list then. @throws Conflict */
  const append = async (
    sourceId: number,
    source: SourceStream,
    { by, points }: Pick<PointBatch, 'by' | 'points'>,
  ): Promise<void> => {
    if (!source.state.isListed) await listed.add(sourceId, source.revision());
    await source.add(by, points);
  };
  /** Runs a task that appends, unless another instance appends at the same time. */
  const unlessConflict = async (task: Promise<void>): Promise<void> => {
    try {
      await task;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  };

  const isWaiting = async (sourceId: number): Promise<boolean> => {
    const { waits, isSettled } = await refreshed(sourceId, ({ points, state }) => ({
      waits: points.waiting(1).length > 0,
      isSettled: environment.nowMs() - state.addedMs > settledMs,
    }));
    if (!waits && isSettled)
      await unlessConflict(
        refreshed(sourceId, async source => {
          if (source.points.waiting(1).length > 0) return;
          // An instance that adds points now finds this event, and puts the source on the list again.
          await source.settle();
          await listed.remove(sourceId, source.revision());
        }),
      );
    return waits;
  };

  return {
    add: ({ sourceId, by, points }) => {
      let mayBeOld = true;
      return retryOnConflict(
        () =>
          withSource(sourceId, async (source, isKnown) => {
            if (!isKnown || !mayBeOld) await source.refresh();
            let changes = source.points.changesOf(points);
            if (isKnown && mayBeOld && changes.changed.length === 0) {
              await source.refresh();
              changes = source.points.changesOf(points);
            }
            mayBeOld = false;
            if (changes.changed.length === 0) return changes.repeated;
            await append(sourceId, source, { by, points: changes.changed });
            return changes.repeated;
          }),
        environment,
      );
    },
    between: (sourceId, ...range) => refreshed(sourceId, ({ points }) => points.between(...range)),
    waiting: (sourceId, limit, before) => refreshed(sourceId, ({ points }) => points.waiting(limit, before)),
    lastBefore: (sourceId, at) => refreshed(sourceId, ({ points }) => points.lastBefore(at)),
    writer: sourceId => refreshed(sourceId, ({ state }) => state.by),
    sourcesWaiting: async () => {
      const ids = await listed.list();
      const waiting: number[] = [];
      for (let from = 0; from < ids.length; from += readsAtOnce) {
        const some = ids.slice(from, from + readsAtOnce);
        const waits = await Promise.all(some.map(isWaiting));
        waiting.push(...some.filter((_, index) => waits[index]));
      }
      return waiting;
    },
    stored: (sourceId, points) => changing(sourceId, source => source.store(points)),
    giveUp: (sourceId, points) =>
      changing(sourceId, async source => {
        const marked = source.points.knownOf(points).map(point => ({ ...point, base: givenUp }));
        if (marked.length === 0) return;
        await append(sourceId, source, { by: source.state.by ?? '', points: marked });
        await source.store(marked);
      }),
    forget: (sourceId, before) => unlessConflict(refreshed(sourceId, source => source.forget(before))),
    clear: () => cache.clear(),
    close: () => {},
  };
};
