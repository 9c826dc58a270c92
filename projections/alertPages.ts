import type { Database, Statement } from 'better-sqlite3';
import { isListedSource, labelsParameter, type Label } from './sources/sourceQueries.js';
import type { AlertState, Verdict } from '../domain/alerts/alertsState.js';
import type { AlertKind, AlertFinding, Deviation, Finding } from '../domain/alerts/findings.js';
import { alertDetails, type AlertDetails } from '../domain/alerts/alertDetails.js';
import { type Aggregation, usable, type Run } from '../domain/day.js';
import { parsed } from './readModel.js';
import { mainDeviation } from '../domain/alerts/deviation.js';
import type { EventOf } from '../domain/events.js';
import { sourceOf } from '../domain/streams.js';
import type { Model } from '../domain/planning/models.js';
import { descriptionIn, numberTexts } from '../domain/source/sourceDescription.js';

/** An alert as clients see it. */
export type AlertRecord = Omit<Finding, 'kind' | 'facts' | 'slices'> &
  AlertDetails & {
    readonly id: string;
    readonly sourceId: number;
    readonly date: string;
    readonly kind: AlertKind;
    readonly state: AlertState;
    /** Id of its incident; null at a past moment, and until it is grouped. */
    readonly incidentId: string | null;
    readonly modelsVersion: number;
    readonly importId: string;
    readonly verdict: Verdict | null;
    readonly comment: string | null;
    readonly raisedAt: string;
    readonly updatedAt: string;
  };

/** A row of the table of alerts. */
export type AlertRow = {
  readonly id: string;
  readonly source_id: number;
  readonly date: string;
  readonly state: AlertState;
  readonly finding: string;
  readonly size: number;
  readonly aggregation: Aggregation;
  readonly deviation: string;
  readonly models_version: number;
  readonly import_id: string;
  readonly verdict: Verdict | null;
  readonly comment: string | null;
  readonly raised_at: string;
  readonly updated_at: string;
  readonly incident_id: string | null;
  /** Description of its source; null without one. */
  readonly description: string | null;
};

/** Columns of an `AlertRow`. */
export const alertColumns = `alerts.*,
  (select incident_id from incident_alerts where alert_id = alerts.id) as incident_id,
  (select description from sources where id = alerts.source_id) as description`;

/** An alert from its row. */
export const alertRecord = ({ id, date, size, aggregation, ...row }: AlertRow): AlertRecord => {
  const finding = parsed<AlertFinding>(row.finding);
  const { kind, slices, ...found } = finding;
  const { facts, silence, ...shown } = found as typeof found & { facts?: unknown; silence?: unknown };
  const texts = row.description === null ? {} : numberTexts(descriptionIn(parsed(row.description)));
  const dated = { date, size, aggregation, texts, finding };
  const details = alertDetails(dated, parsed<Deviation | null>(row.deviation));
  return {
    id,
    sourceId: row.source_id,
    date,
    kind,
    state: row.state,
    incidentId: row.incident_id,
    ...shown,
    ...details,
    modelsVersion: row.models_version,
    importId: row.import_id,
    verdict: row.verdict,
    comment: row.comment,
    raisedAt: row.raised_at,
    updatedAt: row.updated_at,
  };
};

/** Severity in a table of an alert or incident without one, so that orders by it have no null. */
export const noSeverity = -1;

/** Orders of a list of alerts. */
export const alertSorts = ['date', 'raised', 'criticity', 'severity'] as const;
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
  /** Least criticity, of the last valid alert with a p-value of each date; absent for all alerts. */
  readonly criticityFrom?: number;
  readonly sort: AlertSort;
  readonly descending: boolean;
} & PageOf;

/** The part of a list that a page has, in an order by a key and then by id. */
export type PageOf = {
  /** The last record of the previous page. */
  readonly after: PageKey | undefined;
  readonly limit: number;
};

/** Sort key and id of a record. */
export type PageKey = { readonly id: string; readonly key: string | number };

/** Condition that the criticity of an alert is that of a p-value: it broke limits of an automatic model. */
const hasPValue = `kind in ('activity', 'drift') and finding -> 'limits' is not null`;
/** Condition that an alert gives its date a p-value. */
const isTested = `state <> 'invalidated' and ${hasPValue}`;

/** Parameters of a statement that has the conditions of a filter. `owner` is the source or the tenant. */
export const filterParameters = ({
  tenant,
  sourceId,
  from,
  to,
  states,
  labels,
  kinds,
  criticityFrom,
}: Omit<AlertFilter, keyof PageOf | 'sort' | 'descending' | 'states'> & {
  readonly states: readonly string[];
}) => ({
  owner: sourceId ?? tenant,
  tenant,
  from: from ?? '',
  to: to ?? '~',
  states: JSON.stringify(states),
  labels: labelsParameter(labels),
  kinds: kinds === undefined ? null : JSON.stringify(kinds),
  criticityFrom: criticityFrom ?? null,
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

/** End of the statement of a page in the order of a column, then by id. */
export const pageEnd = (
  column: string,
  { descending, after }: Pick<PageOf, 'after'> & { readonly descending: boolean },
): string => {
  const order = descending ? 'desc' : 'asc';
  const beyond = after ? `and (${column}, id) ${descending ? '<' : '>'} ($afterKey, $afterId)` : '';
  return `${beyond} order by ${column} ${order}, id ${order} limit cast($limit as integer)`;
};

/** Parameters of `pageEnd`. */
export const pageParameters = ({ after, limit }: PageOf) => ({
  ...(after && { afterKey: after.key, afterId: after.id }),
  limit,
});

const columns = { date: 'date', raised: 'raised_at', criticity: 'criticity', severity: 'severity' } as const;

/** Conditions of a filter on the alerts of an owner. A plus keeps SQLite from the index of that column. */
const conditions = (
  owner: string,
  date: string,
): string => `${owner} = $owner and ${date} >= $from and ${date} < $to
  and +tenant = $tenant and +state in (select value from json_each($states))
  and ($kinds is null or kind in (select value from json_each($kinds)))
  and ($criticityFrom is null or (criticity >= $criticityFrom and id = (
    select id from alerts tested where tested.source_id = alerts.source_id and tested.date = alerts.date
      and ${isTested} order by +revision desc limit 1)))
  and ${isListedSource('alerts.source_id')}`;

/** States that an index has alone, so that a list of them does not read all alerts. */
const unprocessed = `state in ('open', 'acknowledged')`;
const isUnprocessed = ({ states }: Pick<AlertFilter, 'states'>): boolean =>
  states.every(state => state === 'open' || state === 'acknowledged');

/** Dates of a page in their order begin at its key: SQLite would read all alerts before it. */
const datesAfter = ({ sort, descending, after, from = '', to = '~' }: AlertFilter) => {
  if (sort !== 'date' || !after) return {};
  const date = String(after.key);
  const end = `${date}~`;
  return descending ? { to: end < to ? end : to } : { from: date > from ? date : from };
};

const ownerOf = ({ sourceId }: Pick<AlertFilter, 'sourceId'>): string =>
  sourceId === undefined ? 'tenant' : 'source_id';

/** Queries on pages of alerts in the order of a filter, then by id. */
export const alertPages = (db: Database) => {
  // One statement for each owner and order, so that a page of a tenant is read from an index and never sorted.
  const rowsOf = alertPageStatements<AlertRow>(db);
  const keysOf = alertPageStatements<PageKey & { readonly fits: 0 | 1 }>(db);
  const idsOf = alertPageStatements<{ readonly id: string }>(db);
  const textOf = (filter: AlertFilter, selected: string): string => {
    const { sort } = filter;
    return `select ${selected} from alerts where ${conditions(ownerOf(filter), sort === 'date' ? 'date' : '+date')}
      ${isUnprocessed(filter) ? `and ${unprocessed}` : ''} ${pageEnd(columns[sort], filter)}`;
  };
  const parametersOf = (filter: AlertFilter) => ({
    ...filterParameters(filter),
    ...pageParameters(filter),
    ...datesAfter(filter),
  });
  return {
    rows: (filter: AlertFilter): AlertRow[] => rowsOf(textOf(filter, alertColumns)).all(parametersOf(filter)),
    /**
     * Ids in the order of a filter after a key, with the keys that the order compares. Alerts that do not fit are among
     * them, so that a page takes no longer when few fit.
     */
    keys: (filter: AlertFilter) => {
      const column = columns[filter.sort];
      const page = `select * from alerts where ${ownerOf(filter)} = $owner
        ${filter.sort === 'date' ? 'and date >= $from and date < $to' : ''}
        ${isUnprocessed(filter) ? `and ${unprocessed}` : ''} ${pageEnd(column, filter)}`;
      const text = `with page as materialized (${page})
        select id, ${column} as key, (${conditions(ownerOf(filter), 'date')}) as fits from page as alerts`;
      return keysOf(text).all(parametersOf(filter));
    },
    /** The ids of some that fit a filter. */
    fitting: (filter: Omit<AlertFilter, keyof PageOf>, ids: readonly string[]): ReadonlySet<string> => {
      const text = `select id from alerts
        where id in (select value from json_each($ids)) and ${conditions(`+${ownerOf(filter)}`, '+date')}`;
      const found = idsOf(text).all({ ...filterParameters(filter), ids: JSON.stringify(ids) });
      return new Set(found.map(({ id }) => id));
    },
  };
};

/**
 * Returns a function that reads the criticities of the days of a source that have one of a p-value, from `from`
 * (inclusive) to `to` (exclusive): of the last alert of each date that is not invalidated.
 */
export const testedCriticities = (db: Database) => {
  const read = db.prepare<[number, string, string], { readonly criticity: number }>(
    `select criticity, max(revision) from alerts
     where source_id = ? and date >= ? and date < ? and ${isTested}
     group by date`,
  );
  return (sourceId: number, from = '', to = '~'): number[] =>
    read.all(sourceId, from, to).map(({ criticity }) => criticity);
};

/**
 * Returns a function that derives the deviation of an alert whose event has no facts. The result is null for events
 * with facts, for kinds of alerts without a deviation, and when the day or the model have changed since.
 */
export const olderDeviations = (db: Database) => {
  const read = db.prepare<
    [number, number, string, string],
    { activity: string; gaps: string; model: string }
  >(
    `select activity, gaps, model from days
     join day_values using (event_position, date)
     join models on models.source_id = days.source_id and models.id = ?
     where days.source_id = ? and days.kind = 'recent' and days.date = ? and days.import_id = ?`,
  );
  return ({ stream, data }: EventOf<'AlertRaised'>): Deviation | null => {
    if (data.kind === 'noData' || data.facts) return null;
    const { date, importId, plannedModelId, slices, limits, kind } = data;
    // Without the limit on slices, the only run is a window or the day. A limit on changes needs the days before.
    const isRun = limits === undefined || limits.includes('slice');
    const isMean = !isRun && (limits.includes('window') || limits.includes('day') || kind === 'frozen');
    if (plannedModelId === null || (!isRun && !isMean)) return null;
    const row = read.get(plannedModelId, sourceOf(stream), date, importId);
    if (!row) return null;
    const day = { date, activity: parsed<number[]>(row.activity), gaps: parsed<Run[]>(row.gaps), filled: [] };
    const expected = parsed<Model>(row.model).activity;
    const compared = { activity: day.activity, expected, usable: usable(day) };
    const main = mainDeviation(compared, isRun ? slices : [], isRun ? [] : slices);
    return main && { ...main, comparedWith: 'model' };
  };
};
