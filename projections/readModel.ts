import type { Database, Statement } from 'better-sqlite3';
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

/** Prepares a query of one value: of the first column of its first row, undefined without a row. */
export const cell = <Params extends unknown[], Value>(db: Database, sql: string) => {
  const query = db.prepare<Params, Value>(sql).pluck();
  return (...params: Params): Value | undefined => query.get(...params);
};

/** Prepares a query of the values of one column. */
export const column = <Params extends unknown[], Value>(db: Database, sql: string) => {
  const query = db.prepare<Params, Value>(sql).pluck();
  return (...params: Params): Value[] => query.all(...params);
};

/** Returns a function that reads the first row of a query as a record; undefined without a row. */
export const record =
  <Params extends unknown[], Row, Value>(query: Statement<Params, Row>, recordOf: (row: Row) => Value) =>
  (...params: Params): Value | undefined => {
    const row = query.get(...params);
    return row && recordOf(row);
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
  const version = cell<[number], string>(
    db,
    `select version
         || coalesce((select ' days ' || revision from days_revisions where source_id = sources.id), '')
         || coalesce((select ' checks ' || parts from check_counts where source_id = sources.id), '')
         || coalesce((select ' alerts ' || max(revision) from alerts where source_id = sources.id), '')
       from sources where id = ?`,
  );
  return sourceId => version(sourceId);
};

/** A value of a column; integers are bigints. These tables have no bytes. */
export type RowValue = string | bigint | number | null;

/** A row of a table of the read models, or an entry of one of its indexes. */
export type TableRow = {
  /** Name of the table or the index. */
  readonly table: string;
  /** Primary key of the row; of an entry of an index all its values. */
  readonly key: readonly RowValue[];
  readonly values: readonly RowValue[];
};

/** Tables whose rows belong to no subject of events, or are not derived from events alone. */
const tablesOfLog = new Set(['checkpoints', 'shapes', 'parked', 'tree_leaves', 'tree_nodes']);

/** A table, or an index with the columns that it has. */
type Relation = {
  readonly name: string;
  readonly from: string;
  /** Condition of a partial index; `true` for others. */
  readonly where: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
};

export const quoted = (name: string): string => `"${name}"`;

/** A table with its columns and its primary key. */
export const tableOf = (db: Database, name: string): Relation => {
  const columns = db.prepare<[string], { name: string; pk: number }>(
    'select name, pk from pragma_table_info(?)',
  );
  const all = columns.all(name);
  const key = all.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const namesOf = (some: typeof all): readonly string[] => some.map(column => column.name);
  return { name, from: quoted(name), where: 'true', columns: namesOf(all), key: namesOf(key) };
};

const indexesOf = (db: Database, table: Relation): Relation[] => {
  const indexes = db.prepare<[string], { name: string; sql: string }>(
    "select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null",
  );
  const columnsOf = column<[string], string>(db, 'select name from pragma_index_info(?)');
  return indexes.all(table.name).map(({ name, sql }) => {
    const columns = [...new Set([...columnsOf(name), ...table.key])];
    const [, where = 'true'] = / where (.*)$/is.exec(sql) ?? [];
    return { name, from: `${table.from} indexed by ${quoted(name)}`, where, columns, key: columns };
  });
};

/** Names of the tables of a database. */
export const tablesOf = (db: Database): string[] =>
  column<[], string>(
    db,
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`,
  )();

const relationsOf = (db: Database): Relation[] =>
  tablesOf(db)
    .filter(name => !tablesOfLog.has(name))
    .map(name => tableOf(db, name))
    .flatMap(table => [table, ...indexesOf(db, table)]);

/** The rows of all tables about subjects of events, and the entries of their indexes, for comparisons. */
export const tableRows = (db: Database) => {
  const finds = new Map<string, (key: readonly RowValue[]) => readonly RowValue[] | undefined>();
  const findIn = ({ name, from, where, columns, key }: Relation) => {
    const known = finds.get(name);
    if (known) return known;
    const isKey = key.map(column => `${quoted(column)} is ?`).join(' and ');
    const sql = `select ${columns.map(quoted).join(', ')} from ${from} where ${where} and ${isKey}`;
    const statement = db.prepare<RowValue[], RowValue[]>(sql).raw().safeIntegers();
    const find = (of: readonly RowValue[]) => statement.get(...of);
    finds.set(name, find);
    return find;
  };
  let relations: readonly Relation[] | undefined;
  const known = (): readonly Relation[] => (relations ??= relationsOf(db));
  const valuesOf = ({ table, key }: Pick<TableRow, 'table' | 'key'>): readonly RowValue[] | undefined => {
    const relation = known().find(({ name }) => name === table);
    return relation && findIn(relation)(key);
  };
  return {
    /** Names of the tables and indexes. */
    names: (): readonly string[] => known().map(({ name }) => name),
    *all(): Generator<TableRow> {
      for (const { name: table, from, where, columns, key } of known()) {
        const sql = `select ${columns.map(quoted).join(', ')} from ${from} where ${where}`;
        const places = key.map(column => columns.indexOf(column));
        for (const values of db.prepare<[], RowValue[]>(sql).raw().safeIntegers().iterate())
          yield { table, key: places.map(place => values[place] ?? null), values };
      }
    },
    /** The row that a table has now in place of one of the same key; undefined without any. */
    inPlaceOf: ({ table, key }: Pick<TableRow, 'table' | 'key'>): TableRow | undefined => {
      const values = valuesOf({ table, key });
      return values && { table, key, values };
    },
    /** Whether the table has a row of this key with the same values. */
    has: ({ table, key, values }: TableRow): boolean => {
      const found = valuesOf({ table, key });
      return found !== undefined && values.every((value, at) => Object.is(value, found[at]));
    },
  };
};
