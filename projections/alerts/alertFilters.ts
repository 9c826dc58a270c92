import type { Database, Statement } from 'better-sqlite3';
import { labelsParameter, type Label } from '../sources/sourceLists.js';
import type { AlertState } from '../../domain/alerts/alertState.js';
import type { AlertKind } from '../../domain/alerts/findings.js';

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

/** Parameters of a statement that has the conditions of a filter. `owner` is the source or the tenant. */
export const filterParameters = ({
  tenant,
  sourceId,
  from,
  to,
  states,
  labels,
  kinds,
  limit,
}: Omit<AlertFilter, 'after'>) => ({
  owner: sourceId ?? tenant,
  tenant,
  from: from ?? '',
  to: to ?? '~',
  limit,
  states: JSON.stringify(states),
  labels: labelsParameter(labels),
  kinds: kinds === undefined ? null : JSON.stringify(kinds),
});

/** Statement of a page, with named parameters. */
type Page<Row> = Statement<Record<string, string | number | null>, Row>;

/** Returns a function that prepares each text once. */
export const alertPageStatements = <Row>(db: Database): ((text: string) => Page<Row>) => {
  const statements = new Map<string, Page<Row>>();
  return text => {
    const statement = statements.get(text) ?? (db.prepare(text) as Page<Row>);
    statements.set(text, statement);
    return statement;
  };
};
