import type { Database } from 'better-sqlite3';
import { isOfListedSource } from '../sources/sourceLists.js';
import { alertColumns, type AlertRow } from './alertRecords.js';
import { filterParameters, alertPageStatements, type AlertFilter } from './alertFilters.js';

const columns = { date: 'date', raised: 'raised_at', criticity: 'criticity' } as const;

/** Id and sort key of an alert. */
type AlertKey = { readonly id: string; readonly key: string | number };

/** Conditions of a filter on the alerts of an owner. The plus keeps SQLite from an index on other columns. */
const conditions = (
  owner: string,
  date: string,
): string => `${owner} = $owner and ${date} >= $from and ${date} < $to
  and +tenant = $tenant and +state in (select value from json_each($states))
  and ($kinds is null or kind in (select value from json_each($kinds))) and ${isOfListedSource}`;

const ownerOf = ({ sourceId }: Pick<AlertFilter, 'sourceId'>): string =>
  sourceId === undefined ? 'tenant' : 'source_id';

/** Queries on pages of alerts in the order of a filter, then by id. */
export const alertPages = (db: Database) => {
  // One statement for each owner and order, so that a page of a tenant is read from an index and never sorted.
  const rowsOf = alertPageStatements<AlertRow>(db);
  const keysOf = alertPageStatements<AlertKey>(db);
  const idsOf = alertPageStatements<{ readonly id: string }>(db);
  const textOf = (filter: AlertFilter, selected: string): string => {
    const { sort, descending, after } = filter;
    const column = columns[sort];
    const order = descending ? 'desc' : 'asc';
    const beyond = descending ? '<' : '>';
    return `select ${selected} from alerts where ${conditions(ownerOf(filter), sort === 'date' ? 'date' : '+date')}
      ${after ? `and (${column}, id) ${beyond} ($afterKey, $afterId)` : ''}
      order by ${column} ${order}, id ${order} limit cast($limit as integer)`;
  };
  const parametersOf = (filter: AlertFilter) => ({
    ...filterParameters(filter),
    ...(filter.after && { afterKey: filter.after.key, afterId: filter.after.id }),
  });
  return {
    rows: (filter: AlertFilter): AlertRow[] => rowsOf(textOf(filter, alertColumns)).all(parametersOf(filter)),
    /** Ids of the same alerts, with the keys that the order compares. */
    keys: (filter: AlertFilter): AlertKey[] =>
      keysOf(textOf(filter, `id, ${columns[filter.sort]} as key`)).all(parametersOf(filter)),
    /** The ids of some that fit a filter. */
    fitting: (filter: Omit<AlertFilter, 'after'>, ids: readonly string[]): ReadonlySet<string> => {
      const text = `select id from alerts
        where id in (select value from json_each($ids)) and ${conditions(`+${ownerOf(filter)}`, '+date')}`;
      const found = idsOf(text).all({ ...filterParameters(filter), ids: JSON.stringify(ids) });
      return new Set(found.map(({ id }) => id));
    },
  };
};
