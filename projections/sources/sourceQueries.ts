import type { Database } from 'better-sqlite3';
import { cell, column, rowsVersion, type SourceMemo, parsed } from '../readModel.js';
import {
  withCounts,
  setup,
  type SourceRow,
  type SourceSetup,
  type CountedSourceRow,
  type CountedSource,
} from './sourceRecords.js';
import { unitsMax } from '../../domain/alerts/checks.js';
import { endsOf, lastYearOf, relearnProposal, type RelearnProposal } from '../../domain/source/reference.js';
import { isNotParked } from '../parked.js';
import { feedText, type Feed } from '../../domain/source/feed.js';
import { nameForm } from '../../domain/source/sourceDescription.js';

/** Returns a function that finds the reason to learn a source again, from its days up to tomorrow; null for none. */
const relearnProposer = (db: Database) => {
  const recent = `from days
    where source_id = $id and kind = 'recent' and date <= $tomorrow and closes_at is null`;
  // Each end is looked up in the index; both at once would scan all days of the source.
  const ends = column<[{ id: number; tomorrow: string }], string>(
    db,
    `select date from (select date ${recent} order by date limit 2)
       union
       select date from (select date ${recent} order by date desc limit 2) order by date`,
  );
  const enough = cell<[{ id: number; tomorrow: string; from: string }], number>(
    db,
    `select count(*) ${recent} and date >= $from and learnable`,
  );
  const adapted = `${recent} and models_version = $modelsVersion and adaptation is not null`;
  const units = cell<[{ id: number; tomorrow: string; modelsVersion: number }], number>(
    db,
    `select adaptation ->> 'units' ${adapted} order by date desc limit 1`,
  );
  const maximumSince = cell<
    [{ id: number; tomorrow: string; modelsVersion: number; max: number }],
    string | null
  >(
    db,
    `select min(date) ${adapted} and date > coalesce(
         (select max(date) ${adapted} and adaptation ->> 'units' < $max), '')`,
  );
  const drifting = column<[{ id: number; tomorrow: string }], string>(
    db,
    `select date ${recent} and outcome = 'drift' order by date`,
  );

  return (id: number, modelsVersion: number, tomorrow: string): RelearnProposal | null => {
    const found = ends({ id, tomorrow });
    if (found.length === 0) return null;
    const { first, last } = endsOf(found);
    const { from } = lastYearOf(last);
    const upToLast = { id, tomorrow: last };
    const version = { ...upToLast, modelsVersion };
    return relearnProposal({
      first,
      last,
      enoughDays: first <= from ? (enough({ ...upToLast, from }) ?? 0) : 0,
      atMaximumSince:
        units(version) === unitsMax ? (maximumSince({ ...version, max: unitsMax }) ?? null) : null,
      drifting: drifting(upToLast),
    });
  };
};

/** Queries on the feeds of sources. */
const feedQueries = (db: Database) => {
  const isOfFeed = `tenant = ? and feed is not null and archived_at is null`;
  const awaitsSuccessor = 'relearned_as is not null and relearned_as not in (select id from sources)';
  const feeds = db.prepare<[string], { id: number; feed: string }>(
    `select id, description ->> 'feed' as feed from sources where ${isOfFeed}`,
  );
  const feedChanges = cell<[string], number | null>(
    db,
    'select sum(feed_changes) from sources where tenant = ? and feed_changes > 0',
  );
  const fed = cell<[string, string, number], number>(
    db,
    `select id from sources where tenant = ? and feed = ? and id <> ? and (archived_at is null or ${awaitsSuccessor})
       order by id limit 1`,
  );
  return {
    /** Feeds of the sources of a tenant that are not archived. */
    feeds: (tenant: string): { readonly sourceId: number; readonly feed: Feed }[] =>
      feeds.all(tenant).map(({ id, feed }) => ({ sourceId: id, feed: parsed(feed) })),
    /** Number of events of a tenant that may have changed the feeds of its sources. */
    feedChanges: (tenant: string): number => feedChanges(tenant) ?? 0,
    /** A source of a tenant, other than `exceptId`, that has a feed, or whose successor is getting it. */
    fed: (tenant: string, feed: Feed, exceptId = 0): number | undefined =>
      fed(tenant, feedText(feed), exceptId),
  };
};

/**
 * Returns a function that reads a source of any tenant with its counts, which are kept until one of its streams has a
 * later event. Recent days after tomorrow are no reason to learn it again.
 */
const countedSource = (db: Database, kept: SourceMemo<CountedSource | undefined>) => {
  const one = db.prepare<[number], CountedSourceRow>(`
    select sources.*,
      (select count(*) from days where source_id = sources.id and kind = 'reference') as reference_days,
      (select count(*) from days where source_id = sources.id and kind = 'recent') as recent_days,
      (select count(*) from models where source_id = sources.id) as models,
      (select count(*) from alerts where source_id = sources.id and state in ('open', 'acknowledged'))
        as unprocessed_alerts
    from sources where id = ?`);
  const version = rowsVersion(db);
  const propose = relearnProposer(db);
  return (id: number, tomorrow: string): CountedSource | undefined => {
    const current = version(id);
    if (current === undefined) return undefined;
    return kept(id, `${current} ${tomorrow}`, () => {
      const row = one.get(id);
      return (
        row && withCounts(row, row.archived_at === null ? propose(id, row.models_version, tomorrow) : null)
      );
    });
  };
};

/** Facts of sources that stay in memory. */
export type SourceMemos = {
  readonly setups: SourceMemo<SourceSetup | undefined>;
  readonly counted: SourceMemo<CountedSource | undefined>;
};

/** A text as a search compares it: in lower case and in one form of Unicode. */
export const searched = (text: string): string => text.toLowerCase().normalize('NFC');

/** Queries on sources. */
export const sourceQueries = (db: Database, { setups: keptSetup, counted: keptCounted }: SourceMemos) => {
  const plain = db.prepare<[number], SourceRow>('select * from sources where id = ?');
  const version = cell<[number], number>(db, 'select version from sources where id = ?');
  // A source that is learned again has its name until the new one has it.
  const named = cell<[string, string, number], number>(
    db,
    `select id from sources as one where tenant = ? and name_form = ? and id <> ? and (archived_at is null or
         (relearned_as is not null and not exists (select 1 from sources where id = one.relearned_as)))
       order by id limit 1`,
  );
  const naming = cell<[string], number>(db, 'select 1 from source_namings where request_id = ?');
  const { keys, fitting } = sourceLister(db);
  const pending = cell<[], number>(db, 'select count(*) from sources where pending_request_id is not null');

  return {
    /** One source of any tenant, archived or not, without counts. */
    setup: (id: number): SourceSetup | undefined => {
      const current = version(id);
      if (current === undefined) return undefined;
      return keptSetup(id, current, () => {
        const row = plain.get(id);
        return row && setup(row, {});
      });
    },
    /** A source, and those that it was learned again from. */
    lineage: column<[id: number], number>(
      db,
      `with recursive one (id) as (
         values (?) union
         select relearned_from from sources join one using (id) where relearned_from is not null)
       select id from one`,
    ),
    one: countedSource(db, keptCounted),
    keys,
    fitting,
    /** A source of a tenant, other than `exceptId`, that has a name. */
    named: (tenant: string, name: string, exceptId = 0): number | undefined =>
      named(tenant, nameForm(name), exceptId),
    ...feedQueries(db),
    /** Ids of the sources that collect their reference, ascending. */
    collecting: column<[], number>(
      db,
      `select id from sources where archived_at is null and json_extract(facts, '$.collects') = 1
       order by id`,
    ),
    /** Whether the event of a request that gives a source its name is known. */
    hasNamed: (requestId: string): boolean => naming(requestId) === 1,
    /** Ids of the sources of a tenant that are not archived, ascending. */
    presentIds: column<[tenant: string], number>(
      db,
      'select id from sources where tenant = ? and archived_at is null order by id',
    ),
    /** Ids of all sources of a tenant, archived or not, ascending. */
    ids: column<[tenant: string], number>(db, 'select id from sources where tenant = ? order by id'),
    /** Number of sources whose analysis has not ended. */
    pendingCount: (): number => pending() ?? 0,
  };
};

/** A label that sources of a list have. */
export type Label = { readonly key: string; readonly value: string };

/** Orders of a list of sources; within equal ones, by id. */
export const sourceSorts = ['id', 'name', 'created', 'lastData', 'openAlerts'] as const;
type SourceSort = (typeof sourceSorts)[number];
export type SortKey = string | number;

/** The sources of a tenant that a list has, and their order. */
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
  lastData: `iif(last_data_date = '', facts ->> '$.reference.to', last_data_date)`,
  openAlerts: `(select count(*) from alerts where source_id = sources.id and state in ('open', 'acknowledged'))`,
};

/** Condition that a source has all labels of the parameter `$labels`, see `labelsParameter`. */
export const hasLabels = (sourceId: string): string => `($labels = '[]' or not exists (
  select 1 from json_each($labels) as wanted where not exists (
    select 1 from source_labels where source_id = ${sourceId}
      and key = wanted.value ->> 0 and value = wanted.value ->> 1)))`;

/** Labels as the parameter `$labels`. */
export const labelsParameter = (labels: readonly Label[] = []): string =>
  JSON.stringify(labels.map(({ key, value }) => [key, value]));

/** Condition that a source is neither archived nor parked, and has all labels of `$labels`. */
export const isListedSource = (sourceId: string): string => `exists (
  select 1 from sources where id = ${sourceId} and archived_at is null)
  and ${isNotParked(sourceId)} and ${hasLabels(sourceId)}`;

type Found = { readonly id: number; readonly key: SortKey };

/** Conditions of a filter. */
const conditions = `tenant = $tenant and (archived_at is not null) = $isArchived
  and ($text is null or instr(search_text, $text) > 0) and ${hasLabels('sources.id')}`;

/** Queries on the sources of a list. Statements are prepared when first used. */
const sourceLister = (db: Database) => {
  const fitting = column<[Record<string, SortKey | null>], number>(
    db,
    `select id from sources where id in (select value from json_each($ids)) and ${conditions}`,
  );
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
    text: text === undefined ? null : searched(text),
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
      new Set(fitting({ ...parametersOf(filter), ids: JSON.stringify(ids) })),
  };
};
