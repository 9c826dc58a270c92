import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../domain/events.js';

/**
 * A read model: its tables, and a function that applies events to them. `apply` is deterministic and ignores events
 * that do not concern it. All events are replayed when `schema` or `version` changes: raise `version` when `apply`
 * changes. `queryIndexes` are indexes that `apply` does not use, each as `name on table (columns)`: a rebuild creates
 * them at its end, from sorted rows.
 */
export type ReadModel = {
  readonly name: string;
  readonly version: number;
  readonly schema: string;
  readonly queryIndexes?: readonly string[];
  readonly apply: (db: Database) => (event: KnownEvent) => void;
  /** Returns a function that is called with the last event of each stream of a batch, after all were applied. */
  readonly applyLast?: (db: Database) => (event: KnownEvent) => void;
};

/** Parses the JSON text of a column. */
export const parsed = <Value>(text: string): Value => JSON.parse(text) as Value;
