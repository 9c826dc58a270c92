import type { Database } from 'better-sqlite3';
import { isNotParked } from '../parked.js';

/** A label that sources of a list have. */
export type Label = { readonly key: string; readonly value: string };

/** Orders of a list of sources; within equal ones, by id. */
export const sourceSorts = ['id', 'name', 'created', 'lastData', 'openAlerts'] as const;
export type SourceSort = (typeof sourceSorts)[number];
export type SortKey = string | number;

/** Which sources of a tenant a list has, and in which order. */
export type SourceFilter = {
  readonly tenant: string;
  /** All of these. */
  readonly labels?: readonly Label[];
  /** Part of the name, a label `key:value` or the address, in any case of letters. */
  readonly text?: string | undefined;
  readonly sort?: SourceSort;
  readonly isDescending?: boolean;
  /** Archived sources instead of the others. */
  readonly isArchived?: boolean;
  /** The last source of the page before. */
  readonly after?: { readonly key: SortKey; readonly id: number } | undefined;
  readonly limit: number;
};

/** Orders by a key that changes with the data or the description of a source. */
export const changingSourceSorts: readonly SourceSort[] = ['name', 'lastData', 'openAlerts'];

/** The value that a list is sorted by. */
const keys: Readonly<Record<SourceSort, string>> = {
  id: 'id',
  name: 'name_key',
  created: 'created_at',
  lastData: 'last_data_date',
  openAlerts: `(select count(*) from alerts where source_id = sources.id and state in ('open', 'acknowledged'))`,
};

/** Condition that a source has all labels of the parameter `$labels`, see `labelsParameter`. */
const hasLabels = (sourceId: string): string => `($labels = '[]' or not exists (
  select 1 from json_each($labels) as wanted where not exists (
    select 1 from source_labels where source_id = ${sourceId}
      and key = wanted.value ->> 0 and value = wanted.value ->> 1)))`;

/** Labels as the parameter `$labels`. */
export const labelsParameter = (labels: readonly Label[] = []): string =>
  JSON.stringify(labels.map(({ key, value }) => [key, value]));

/** Condition that the source of an alert is not archived and has all labels of `$labels`. */
export const isOfListedSource = `exists (
  select 1 from sources where id = alerts.source_id and archived_at is null)
  and ${isNotParked('alerts.source_id')} and ${hasLabels('alerts.source_id')}`;

type Found = { readonly id: number; readonly key: SortKey };

/** Conditions of a filter. */
const conditions = `tenant = $tenant and (archived_at is not null) = $isArchived
  and ($text is null or instr(search_text, $text) > 0) and ${hasLabels('sources.id')}`;

/** Queries on the sources of a list. Statements are prepared when first used. */
export const sourceLister = (db: Database) => {
  const fitting = db
    .prepare<Record<string, SortKey | null>, number>(
      `select id from sources where id in (select value from json_each($ids)) and ${conditions}`,
    )
    .pluck();
  const prepare = (sort: SourceSort, isDescending: boolean) => {
    const [compare, order] = isDescending ? ['<', 'desc'] : ['>', 'asc'];
    const key = keys[sort];
    const name = `${sort} ${order}`;
    // Pages by ascending id use the index of the tenant.
    const after =
      name === 'id asc' ? 'id > $afterId' : `($isFirst = 1 or (${key}, id) ${compare} ($afterKey, $afterId))`;
    return db.prepare<Record<string, SortKey | null>, Found>(
      `select id, ${key} as key from sources
       where ${conditions} and ${after}
       order by ${key} ${order}, id ${order} limit cast($limit as integer)`,
    );
  };
  const statements = new Map<string, ReturnType<typeof prepare>>();
  const parametersOf = ({ tenant, labels, text, isArchived = false }: Omit<SourceFilter, 'limit'>) => ({
    tenant,
    isArchived: isArchived ? 1 : 0,
    text: text?.toLowerCase() ?? null,
    labels: labelsParameter(labels),
  });
  return {
    /** Ids of a page of sources with their keys in the order of the page. */
    keys: (filter: SourceFilter): Found[] => {
      const { sort = 'id', isDescending = false, after, limit } = filter;
      const known = `${sort} ${isDescending}`;
      const statement = statements.get(known) ?? prepare(sort, isDescending);
      statements.set(known, statement);
      return statement.all({
        ...parametersOf(filter),
        isFirst: after ? 0 : 1,
        afterKey: after?.key ?? '',
        afterId: after?.id ?? 0,
        limit,
      });
    },
    /** The ids of some that fit a filter. */
    fitting: (filter: Omit<SourceFilter, 'limit'>, ids: readonly number[]): ReadonlySet<number> =>
      new Set(fitting.all({ ...parametersOf(filter), ids: JSON.stringify(ids) })),
  };
};
