import type { Database, Statement } from 'better-sqlite3';
import type { AlertState } from '../../domain/alerts/alertState.js';
import type { AlertKind } from '../../domain/alerts/findings.js';
import { isOfListedSource, labelsParameter, type Label } from '../sources/sourceLists.js';
import { alertColumns, type AlertRow } from './alertRecords.js';

/** Orders of a list of alerts. */
export const alertSorts = ['date', 'raised', 'criticity'] as const;
export type AlertSort = (typeof alertSorts)[number];

/** Filter and order of a list: one source of the tenant or all; dates from `from` (inclusive) to `to` (exclusive). */
export type AlertFilter = {
  readonly tenant: string;
  readonly sourceId: number | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly states: readonly AlertState[];
  /** Labels that the sources have, all of them. */
  readonly labels?: readonly Label[];
  /** undefined for all kinds. */
  readonly kinds: readonly AlertKind[] | undefined;
  readonly sort: AlertSort;
  readonly descending: boolean;
  /** Sort key and id of the last alert of the previous page. */
  readonly after: { readonly key: string | number; readonly id: string } | undefined;
  readonly limit: number;
};

const columns = { date: 'date', raised: 'raised_at', criticity: 'criticity' } as const;

type Page = Statement<Record<string, string | number | null>, AlertRow>;

/** Returns a function that reads a page of alerts in the order of a filter, then by id. */
export const alertPages = (db: Database) => {
  // One statement for each owner and order, so that a page of a tenant is read from an index and never sorted.
  const statements = new Map<string, Page>();
  const pageOf = ({ sourceId, sort, descending, after }: AlertFilter): Page => {
    const owner = sourceId === undefined ? 'tenant' : 'source_id';
    const [column, order, beyond] = [columns[sort], descending ? 'desc' : 'asc', descending ? '<' : '>'];
    // The plus keeps SQLite from another index than that of the order.
    const date = sort === 'date' ? 'date' : '+date';
    const text = `select ${alertColumns} from alerts where ${owner} = $owner and ${date} >= $from and ${date} < $to
      ${after ? `and (${column}, id) ${beyond} ($afterKey, $afterId)` : ''}
      and +tenant = $tenant and +state in (select value from json_each($states))
      and ($kinds is null or kind in (select value from json_each($kinds)))
      and ${isOfListedSource}
      order by ${column} ${order}, id ${order} limit cast($limit as integer)`;
    const statement = statements.get(text) ?? db.prepare(text);
    statements.set(text, statement as Page);
    return statement as Page;
  };
  return (filter: AlertFilter): AlertRow[] => {
    const { tenant, sourceId, from, to, states, labels, kinds, after, limit } = filter;
    return pageOf(filter).all({
      ...{ owner: sourceId ?? tenant, tenant, from: from ?? '', to: to ?? '~', limit },
      states: JSON.stringify(states),
      labels: labelsParameter(labels),
      kinds: kinds === undefined ? null : JSON.stringify(kinds),
      ...(after && { afterKey: after.key, afterId: after.id }),
    });
  };
};
