import type { Database } from 'better-sqlite3';

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
  select 1 from sources where id = alerts.source_id and archived_at is null) and ${hasLabels('alerts.source_id')}`;

type Found = { readonly id: number; readonly key: SortKey };

/** Returns a function that finds a page of sources. Statements are prepared when first used. */
export const sourceLister = (db: Database) => {
  const prepare = (sort: SourceSort, isDescending: boolean) => {
    const [compare, order] = isDescending ? ['<', 'desc'] : ['>', 'asc'];
    const key = keys[sort];
    const name = `${sort} ${order}`;
    // Pages by ascending id use the index of the tenant.
    const after =
      name === 'id asc' ? 'id > $afterId' : `($isFirst = 1 or (${key}, id) ${compare} ($afterKey, $afterId))`;
    return db.prepare<Record<string, SortKey | null>, Found>(
      `select id, ${key} as key from sources
       where tenant = $tenant and (archived_at is not null) = $isArchived
         and ${after}
         and ($text is null or instr(search_text, $text) > 0)
         and ${hasLabels('sources.id')}
       order by ${key} ${order}, id ${order} limit cast($limit as integer)`,
    );
  };
  const statements = new Map<string, ReturnType<typeof prepare>>();
  return (filter: SourceFilter) => {
    const {
      tenant,
      labels,
      text,
      sort = 'id',
      isDescending = false,
      isArchived = false,
      after,
      limit,
    } = filter;
    const known = `${sort} ${isDescending}`;
    const statement = statements.get(known) ?? prepare(sort, isDescending);
    statements.set(known, statement);
    return statement.all({
      tenant,
      isArchived: isArchived ? 1 : 0,
      isFirst: after ? 0 : 1,
      afterKey: after?.key ?? '',
      afterId: after?.id ?? 0,
      text: text?.toLowerCase() ?? null,
      labels: labelsParameter(labels),
      limit,
    });
  };
};
