/** A point as the buffer keeps it. */
export type BufferedPoint = {
  /** Microseconds since 1970, an integer. */
  readonly at: number;
  readonly value: number;
  /** Revision of the last event that had set the whole day of the point when it came; -1 for none; or `givenUp`. */
  readonly base: number;
};

/** Base of a reading that was given up: it is before that of every other point, so that the reading counts nowhere. */
export const givenUp = -2;

/** Points of one source that came together. */
export type PointBatch = {
  /** The id of the source; its negative for late readings of a register. */
  readonly sourceId: number;
  /** Encrypted subject of the client. */
  readonly by: string;
  readonly points: readonly BufferedPoint[];
};

/**
 * Points before they are in the log: acknowledged points are durable here, and the log gets the values of slices that
 * have elapsed. A point is known by its source and instant. It is kept after its slice was stored, until its date is
 * closed for a week, so that repeated and corrected points are recognised.
 */
export type PointBuffer = {
  /**
   * Stores points, all or none. A point of a known instant replaces it, unless it has the same value and base.
   * @returns the number of points that changed nothing
   * @throws StorageFull, StoreUnavailable
   */
  readonly add: (batch: PointBatch) => Promise<number>;
  /** Points of a source from `from` (inclusive) to `to` (exclusive), ascending; the first ones up to a limit. */
  readonly between: (
    sourceId: number,
    from: number,
    to: number,
    limit?: number,
  ) => Promise<readonly BufferedPoint[]>;
  /** Points that are not in the log yet, ascending; only those before an instant, if one is given. */
  readonly waiting: (sourceId: number, limit: number, before?: number) => Promise<readonly BufferedPoint[]>;
  /** The last point of a source before an instant; undefined for none. */
  readonly lastBefore: (sourceId: number, at: number) => Promise<BufferedPoint | undefined>;
  /** Client that sent the last points of a source. */
  readonly writer: (sourceId: number) => Promise<string | undefined>;
  /** Sources with points that are not in the log yet, ascending. */
  readonly sourcesWaiting: () => Promise<readonly number[]>;
  /** Keys under which points may be, also without any that wait. Absent where each would be a stream to read. */
  readonly sources?: () => Promise<readonly number[]>;
  /** Marks points as in the log, unless others of their instants came meanwhile. */
  readonly stored: (sourceId: number, points: readonly BufferedPoint[]) => Promise<void>;
  /** Marks points as `givenUp`, unless others of their instants came meanwhile; a repeat of one waits again. */
  readonly giveUp: (sourceId: number, points: readonly BufferedPoint[]) => Promise<void>;
  /** Forgets points before an instant that are in the log, but the last one. */
  readonly forget: (sourceId: number, before: number) => Promise<void>;
  /**
   * Lets points wait again that were marked as in the log after its present end: it was restored. Points of a source
   * that it lacks are dropped, because another source will have its id; bases that it lacks become its last revision.
   * Absent where points are next to the log.
   * @param log whether it has a source, and a revision of the days of one
   * @returns the number of points that wait again
   */
  readonly cutTo?: (
    end: bigint,
    log: {
      readonly hasSource: (sourceId: number) => Promise<boolean>;
      readonly hasDays: (sourceId: number, revision: number) => Promise<boolean>;
    },
  ) => Promise<number>;
  readonly clear: () => void;
  readonly close: () => void;
};
