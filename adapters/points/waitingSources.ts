import { retryOnConflict } from '../../application/commands/commandHandler.js';
import type { Environment } from '../../application/ports/environment.js';
import { Conflict, type EventStore } from '../../application/ports/eventStore.js';
import { keyedQueue } from '../../application/ports/sharing/keyedQueue.js';
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
export type WaitingSources = {
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
export const waitingSources = (
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
