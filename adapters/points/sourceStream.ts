import type { Environment } from '../../application/ports/environment.js';
import type { BufferedPoint } from '../../application/ports/pointBuffer.js';
import type { EventStore } from '../../application/ports/eventStore.js';
import { foldedStream, partJoiner, partsOf, type Part, type StreamEvent } from './foldedStream.js';
import { pointSet, type PointRow } from './pointSet.js';

/** Most points in one event, so that it is below 1 MiB: a point has at most some 60 bytes. */
export const pointsPerEvent = 15_000;
/** Events after which a stream is compacted: the kept points are appended, and the events before are removed. */
const eventsMax = 20_000;
/** Points in events, beyond twice the kept ones, after which a stream is compacted. */
const spareMax = 10_000;

type Added = Part<readonly [at: number, value: number, base: number]> & { readonly by: string };
type Stored = { readonly items: readonly (readonly [at: number, value: number, base: number])[] };
type Kept = Part<PointRow> & Pick<SourceState, 'by' | 'isListed' | 'addedMs'>;

/** The state of a stream besides its points. */
type SourceState = {
  /** Client of the last points. */
  by: string | undefined;
  /** Whether the source was put on the list of waiting ones after it was taken off. */
  isListed: boolean;
  /** When the last points came. */
  addedMs: number;
};

/** Where the stream of a source is. */
export type SourceStreamParts = {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  /** Removes the events of a stream before a revision. */
  readonly truncate: (stream: string, before: number) => Promise<void>;
  readonly environment: Environment;
};

const tripleOf = ({ at, value, base }: BufferedPoint) => [at, value, base] as const;

/** Folds the events of a source. */
const sourceFold = () => {
  const points = pointSet();
  const state: SourceState = { by: undefined, isListed: false, addedMs: 0 };
  const added = partJoiner<Added['items'][number]>();
  const kept = partJoiner<PointRow>();
  const read = { events: 0, points: 0 };

  const applyAdded = (data: Added, atMs: number): void => {
    const whole = added.add(data);
    if (!whole) return;
    points.put(whole.map(([at, value, base]) => [at, value, base, 1]));
    Object.assign(state, { by: data.by, isListed: true, addedMs: atMs });
  };
  const applyKept = ({ by, isListed, addedMs, ...part }: Kept): void => {
    const whole = kept.add(part);
    if (!whole) return;
    points.clear();
    points.put(whole);
    Object.assign(state, { by, isListed, addedMs });
    Object.assign(read, { events: 0, points: whole.length });
  };
  const applyStored = ({ items }: Stored): void => {
    const stored = points.waitingOf(items.map(([at, value, base]) => ({ at, value, base })));
    points.put(stored.map(point => [...tripleOf(point), 0]));
  };
  const apply = ({ type, data, atMs }: StreamEvent): void => {
    read.events += 1;
    read.points += (data as Partial<Stored>).items?.length ?? 0;
    if (type !== 'PointsAdded') added.interrupt();
    if (type !== 'PointsKept') kept.interrupt();
    if (type === 'PointsAdded') applyAdded(data as Added, atMs);
    else if (type === 'PointsKept') applyKept(data as Kept);
    else if (type === 'PointsStored') applyStored(data as Stored);
    else if (type === 'PointsSettled') state.isListed = false;
  };
  return { points, state, read, apply };
};

/**
 * The points of one source in a stream outside the log: `PointsAdded` has points that changed something, `PointsStored`
 * those that are in the log, `PointsSettled` says that none wait, `PointsKept` has all that were kept.
 */
export const sourceStream = ({ store, truncate, environment }: SourceStreamParts, sourceId: number) => {
  const stream = `points-${sourceId}`;
  const { points, state, read, apply } = sourceFold();
  const { refresh, append, revision } = foldedStream(store, stream, apply, environment);
  return {
    ...{ points, refresh, revision },
    state: state as Readonly<SourceState>,
    /** Appends points, which take effect together. @throws Conflict */
    add: async (by: string, changed: readonly BufferedPoint[]): Promise<void> => {
      for (const part of partsOf(environment.newId(), changed.map(tripleOf), pointsPerEvent))
        await append('PointsAdded', { ...part, by });
    },
    /** Marks points as in the log, unless others of their instants came meanwhile. @throws Conflict */
    store: async (stored: readonly BufferedPoint[]): Promise<void> => {
      const waiting = points.waitingOf(stored).map(tripleOf);
      for (const { items } of waiting.length > 0 ? partsOf('', waiting, pointsPerEvent) : [])
        await append('PointsStored', { items });
    },
    settle: (): Promise<void> => append('PointsSettled', {}),
    /** Forgets points in memory. Removes them from the stream when most of it is forgotten. @throws Conflict */
    forget: async (before: number): Promise<void> => {
      points.forget(before);
      if (read.events < eventsMax && read.points <= 2 * points.size() + spareMax) return;
      const first = revision() + 1;
      const { by, isListed, addedMs } = state;
      for (const part of partsOf(environment.newId(), points.rows(), pointsPerEvent))
        await append('PointsKept', { ...part, by, isListed, addedMs });
      await truncate(stream, first);
    },
  };
};

/** See `sourceStream`. */
export type SourceStream = ReturnType<typeof sourceStream>;
