import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../domain/events.js';

/**
 * A read model: its tables, and functions that apply events to them, one by one or in batches. They are deterministic,
 * ignore events that do not concern them, and leave the same rows however the log is cut into batches. All events are
 * replayed when `schema` or `version` changes: raise `version` when the rows of the same events change.
 * `queryIndexes` are indexes that no applier uses, each as `name on table (columns)`: a rebuild creates them at its
 * end, from sorted rows.
 */
export type ReadModel = {
  readonly name: string;
  readonly version: number;
  readonly schema: string;
  readonly queryIndexes?: readonly string[];
  readonly apply?: (db: Database) => (event: KnownEvent) => void;
  /**
   * Returns a function that is called with a batch of events, after each was applied: for rows that no `apply` reads.
   * It is faster, since rows that many events change are written once, and rows of one table together.
   */
  readonly applyBatch?: (db: Database) => (events: readonly KnownEvent[]) => void;
};

/** Applies a batch by applying its events. */
export const oneByOne =
  (apply: (event: KnownEvent) => void) =>
  (events: readonly KnownEvent[]): void => {
    for (const event of events) apply(event);
  };

/** A row of the read models is damaged: they have to be built from the log again. */
export class RowDamaged extends Error {
  readonly name = 'RowDamaged';
}

/** Parses the JSON text of a column, which a read model wrote. @throws RowDamaged */
export const parsed = <Value>(text: string): Value => {
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    throw new RowDamaged('a column of the read models is no JSON', { cause: error });
  }
};
