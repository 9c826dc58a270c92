import type { Database } from 'better-sqlite3';
import type { KnownEvent } from '../domain/events.js';

/**
 * One read model: its tables, and how events change them. `apply` is deterministic and total, knows no clock,
 * and passes by what does not concern it. Raise `version` when `apply` changes: all is replayed then, as when
 * `schema` changes.
 */
export type ReadModel = {
  readonly name: string;
  readonly version: number;
  readonly schema: string;
  readonly apply: (db: Database) => (event: KnownEvent) => void;
};

/** JSON text of a column back as what was put in. */
export const parsed = <Value>(text: string): Value => JSON.parse(text) as Value;
