import type { Database } from 'better-sqlite3';

/** Returns the kept value of a version, or calls `read` and keeps the result. */
export type SourceMemo<Value> = (sourceId: number, version: number | string, read: () => Value) => Value;

/**
 * Keeps one value for each source until the version of the source's rows changes.
 * @param max number of values kept, ≥ 1; when it is exceeded, the oldest entry is dropped
 * @returns   a function that returns the kept value of a version, or calls `read` and keeps the result
 */
export const sourceMemo = <Value>(max: number): SourceMemo<Value> => {
  const entries = new Map<number, { readonly version: number | string; readonly value: Value }>();
  return (sourceId, version, read) => {
    const kept = entries.get(sourceId);
    if (kept?.version === version) return kept.value;
    const value = read();
    entries.set(sourceId, { version, value });
    // A Map iterates in insertion order.
    const [oldest] = entries.size > max ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
    return value;
  };
};

/**
 * Returns a function that reads the version of all rows of a source: of its facts, days, models and alerts. Days change
 * with their stream and with checks, models with the stream of the source. Undefined for an unknown source.
 */
export const rowsVersion = (db: Database): ((sourceId: number) => string | undefined) => {
  const version = db
    .prepare<[number], string>(
      `select version
         || coalesce((select ' days ' || revision from days_revisions where source_id = sources.id), '')
         || coalesce((select ' checks ' || parts from check_counts where source_id = sources.id), '')
         || coalesce((select ' alerts ' || max(revision) from alerts where source_id = sources.id), '')
       from sources where id = ?`,
    )
    .pluck();
  return sourceId => version.get(sourceId);
};
