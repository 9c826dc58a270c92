import type { Database } from 'better-sqlite3';
import { isOfListedSource } from '../sources/sourceLists.js';
import { alertColumns, type AlertRow } from './alertRecords.js';
import { filterParameters, alertPageStatements, type AlertFilter } from './alertFilters.js';

const columns = { date: 'date', raised: 'raised_at', criticity: 'criticity' } as const;

/** Returns a function that reads a page of alerts in the order of a filter, then by id. */
export const alertPages = (db: Database) => {
  // One statement for each owner and order, so that a page of a tenant is read from an index and never sorted.
  const statementOf = alertPageStatements<AlertRow>(db);
  const pageOf = ({ sourceId, sort, descending, after }: AlertFilter) => {
    const owner = sourceId === undefined ? 'tenant' : 'source_id';
    const column = columns[sort];
    const order = descending ? 'desc' : 'asc';
    const beyond = descending ? '<' : '>';
    // The plus keeps SQLite from another index than that of the order.
    const date = sort === 'date' ? 'date' : '+date';
    const text = `select ${alertColumns} from alerts where ${owner} = $owner and ${date} >= $from and ${date} < $to
      ${after ? `and (${column}, id) ${beyond} ($afterKey, $afterId)` : ''}
      and +tenant = $tenant and +state in (select value from json_each($states))
      and ($kinds is null or kind in (select value from json_each($kinds)))
      and ${isOfListedSource}
      order by ${column} ${order}, id ${order} limit cast($limit as integer)`;
    return statementOf(text);
  };
  return (filter: AlertFilter): AlertRow[] => {
    const { after } = filter;
    return pageOf(filter).all({
      ...filterParameters(filter),
      ...(after && { afterKey: after.key, afterId: after.id }),
    });
  };
};
