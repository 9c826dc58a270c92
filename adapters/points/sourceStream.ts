import type { Environment } from '../../application/ports/environment.js';
import type { BufferedPoint } from '../../application/ports/pointBuffer.js';
import type { EventStore } from '../../application/ports/eventStore.js';
import { foldedStream, partJoiner, partsOf, type Part, type StreamEvent } from './foldedStream.js';

/** A point with whether it waits for the log, as numbers: instant, value, base, and 1 or 0. */
type PointRow = readonly [at: number, value: number, base: number, waiting: number];

/** Columns of points by ascending instant; longer than the number of points. */
type Columns = {
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly bases: Float64Array;
  readonly waits: Uint8Array;
};

const columnsOf = (length: number): Columns => ({
  times: new Float64Array(length),
  values: new Float64Array(length),
  bases: new Float64Array(length),
  waits: new Uint8Array(length),
});

const sizeMin = 64;

/** Whether two points have the same value and base. */
const isSame = (one: BufferedPoint | undefined, other: BufferedPoint): boolean =>
  one?.value === other.value && one.base === other.base;

/** Points of one source in memory, by ascending instant, 25 bytes each. */
const pointSet = () => {
  let columns = columnsOf(sizeMin);
  let size = 0;

  /** Index of the first point that is not before an instant. */
  const indexOf = (at: number): number => {
    let low = 0;
    for (let high = size; low < high;) {
      const middle = (low + high) >>> 1;
      if (columns.times[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const pointAt = (index: number): BufferedPoint => ({
    at: columns.times[index]!,
    value: columns.values[index]!,
    base: columns.bases[index]!,
  });
  const find = (at: number): BufferedPoint | undefined => {
    const index = indexOf(at);
    return index < size && columns.times[index] === at ? pointAt(index) : undefined;
  };
  /** The points that are there with the same value and base. */
  const knownOf = (points: readonly BufferedPoint[]): BufferedPoint[] =>
    points.filter(point => isSame(find(point.at), point));
  const set = (index: number, [at, value, base, waits]: PointRow): void => {
    columns.times[index] = at;
    columns.values[index] = value;
    columns.bases[index] = base;
    columns.waits[index] = waits;
  };
  const rowAt = (index: number): PointRow => [
    columns.times[index]!,
    columns.values[index]!,
    columns.bases[index]!,
    columns.waits[index]!,
  ];
  const resize = (length: number): void => {
    const { times, values, bases, waits } = columns;
    columns = columnsOf(length);
    columns.times.set(times.subarray(0, size));
    columns.values.set(values.subarray(0, size));
    columns.bases.set(bases.subarray(0, size));
    columns.waits.set(waits.subarray(0, size));
  };

  /** Inserts rows of new instants, ascending, from the end on. */
  const insert = (rows: readonly PointRow[]): void => {
    if (size + rows.length > columns.times.length)
      resize(Math.max(size + rows.length, Math.ceil(size * 1.5)));
    let from = size - 1;
    size += rows.length;
    let next = rows.length - 1;
    for (let into = size - 1; next >= 0; into -= 1) {
      const row = rows[next]!;
      if (from >= 0 && columns.times[from]! > row[0]) set(into, rowAt(from--));
      else {
        set(into, row);
        next -= 1;
      }
    }
  };

  return {
    size: (): number => size,
    /** Sets points, the last one of an instant. */
    put: (rows: readonly PointRow[]): void => {
      const added = new Map<number, PointRow>();
      for (const row of rows) {
        const index = indexOf(row[0]);
        if (index < size && columns.times[index] === row[0]) set(index, row);
        else added.set(row[0], row);
      }
      insert([...added.values()].sort(([one], [other]) => one - other));
    },
    /** Points that would change something, the last one of an instant, and the number of the others. */
    changesOf: (points: readonly BufferedPoint[]) => {
      const changed = new Map<number, BufferedPoint>();
      let repeated = 0;
      for (const point of points)
        if (isSame(changed.get(point.at) ?? find(point.at), point)) repeated += 1;
        else changed.set(point.at, point);
      return { changed: [...changed.values()], repeated };
    },
    knownOf,
    /** The points that wait with the same value and base. */
    waitingOf: (points: readonly BufferedPoint[]): BufferedPoint[] =>
      knownOf(points).filter(({ at }) => columns.waits[indexOf(at)] === 1),
    between: (from: number, to: number, limit = Infinity): BufferedPoint[] => {
      const first = indexOf(from);
      const length = Math.min(limit, Math.max(0, indexOf(to) - first));
      return Array.from({ length }, (_, offset) => pointAt(first + offset));
    },
    waiting: (limit: number, before = Infinity): BufferedPoint[] => {
      const found: BufferedPoint[] = [];
      const end = indexOf(before);
      let index = columns.waits.indexOf(1);
      for (; index >= 0 && index < end && found.length < limit; index = columns.waits.indexOf(1, index + 1))
        found.push(pointAt(index));
      return found;
    },
    lastBefore: (at: number): BufferedPoint | undefined => {
      const index = indexOf(at) - 1;
      return index < 0 ? undefined : pointAt(index);
    },
    /** Forgets points before an instant that do not wait, but the last point. */
    forget: (before: number): void => {
      const end = Math.min(indexOf(before), size - 1);
      let kept = 0;
      for (let index = 0; index < size; index += 1)
        if (index >= end || columns.waits[index] === 1) {
          if (kept < index) set(kept, rowAt(index));
          kept += 1;
        }
      columns.waits.fill(0, kept, size);
      size = kept;
      if (columns.times.length > 4 * size + sizeMin) resize(Math.max(sizeMin, 2 * size));
    },
    rows: (): PointRow[] => Array.from({ length: size }, (_, index) => rowAt(index)),
    clear: (): void => {
      size = 0;
      columns = columnsOf(sizeMin);
    },
  };
};

/** Most points in one event, so that it is below 1 MiB: a point has at most some 60 bytes. */
const pointsPerEvent = 15_000;
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
