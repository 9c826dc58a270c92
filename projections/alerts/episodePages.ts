import type { Database } from 'better-sqlite3';
import { dayNumber } from '../../domain/dates.js';
import type { AlertKind } from '../../domain/alerts/findings.js';
import { isOfListedSource } from '../sources/sourceLists.js';
import { filterParameters, alertPageStatements, type AlertFilter, type AlertSort } from './alertFilters.js';
import type { AlertRecord } from './alertRecords.js';
import { episodeColumn, episodeId } from './episodes.js';
import { parsed } from '../readModel.js';

/** A run of consecutive dates with alerts of one source, as clients see it. Invalidated alerts do not belong to it. */
export type EpisodeRecord = {
  readonly id: string;
  readonly sourceId: number;
  /** First and last date, both inclusive. */
  readonly firstDate: string;
  readonly lastDate: string;
  readonly days: number;
  /** State of its first alert in the order of `episodeStates`: `open` while one is open, and so on. */
  readonly state: (typeof episodeStates)[number];
  readonly counts: Readonly<Record<(typeof episodeStates)[number], number>>;
  readonly kinds: readonly AlertKind[];
  /** The largest criticity of its alerts. */
  readonly criticity: number;
  /** Instant at which its newest alert was raised. */
  readonly raisedAt: string;
  /** Ids of the first unprocessed alerts, by date. */
  readonly unprocessedIds: readonly string[];
  /** The most critical alert. */
  readonly alert: AlertRecord;
};

/** Filter of a list of episodes: those with an alert that fits. */
export type EpisodeFilter = Omit<AlertFilter, 'after'> & {
  /** Sort key, source and first date of the last episode of the previous page. */
  readonly after:
    { readonly key: string | number; readonly sourceId: number; readonly first: string } | undefined;
};

/** States of episodes; the first one that an alert has is that of its episode. */
export const episodeStates = ['open', 'acknowledged', 'resolved', 'ended'] as const;

/** Largest number of unprocessed ids of an episode. */
export const episodeIdsMax = 500;

type EpisodeSpan = { readonly source_id: number; readonly first: string; readonly last: string };

/** Whole-episode sort keys; `a` are the alerts of an episode `e`. */
const keys: Readonly<Record<AlertSort, string>> = {
  date: 'e.first',
  raised:
    '(select max(raised_at) from alerts a where a.source_id = e.source_id and a.date between e.first and e.last ' +
    `and a.state <> 'invalidated')`,
  criticity:
    `(select max(criticity) from alerts a where a.source_id = e.source_id and a.date between e.first and e.last ` +
    `and a.state <> 'invalidated')`,
};

/** Returns a function that reads a page of episodes in the order of a filter, then by source and first date. */
const spanPages = (db: Database) => {
  const statementOf = alertPageStatements<EpisodeSpan>(db);
  const pageOf = ({ sourceId, sort, descending, after }: EpisodeFilter) => {
    const owner = sourceId === undefined ? 'tenant' : 'source_id';
    const order = descending ? 'desc' : 'asc';
    const beyond = descending ? '<' : '>';
    const text = `
      with hits as (
        select distinct source_id, ${episodeColumn} as first from alerts
        where ${owner} = $owner and date >= $from and date < $to and +tenant = $tenant
          and state <> 'invalidated' and +state in (select value from json_each($states))
          and ($kinds is null or kind in (select value from json_each($kinds))) and ${isOfListedSource}
      ), spans as (
        select e.source_id, e.first, e.last, ${keys[sort]} as key from hits join episodes e using (source_id, first)
      )
      select source_id, first, last from spans
      ${after ? `where (key, source_id, first) ${beyond} ($afterKey, $afterSource, $afterFirst)` : ''}
      order by key ${order}, source_id ${order}, first ${order} limit cast($limit as integer)`;
    return statementOf(text);
  };
  return (filter: EpisodeFilter): EpisodeSpan[] => {
    const { after } = filter;
    return pageOf(filter).all({
      ...filterParameters(filter),
      ...(after && { afterKey: after.key, afterSource: after.sourceId, afterFirst: after.first }),
    });
  };
};

type Sums = {
  readonly open: number;
  readonly acknowledged: number;
  readonly resolved: number;
  readonly ended: number;
  readonly kinds: string;
  readonly raised_at: string;
};

/** Returns a function that reads a page of episodes. @param one reads an alert */
export const episodePages = (db: Database, one: (id: string) => AlertRecord | undefined) => {
  const spans = spanPages(db);
  const spanClause = `from alerts where source_id = $sourceId and date between $first and $last`;
  const sums = db.prepare<object, Sums>(
    `select sum(state = 'open') as open, sum(state = 'acknowledged') as acknowledged,
       sum(state = 'resolved') as resolved, sum(state = 'ended') as ended,
       json_group_array(distinct kind) as kinds, max(raised_at) as raised_at
     ${spanClause} and state <> 'invalidated'`,
  );
  const most = db
    .prepare<object, string>(
      `select id ${spanClause} and state <> 'invalidated' order by criticity desc, date, id limit 1`,
    )
    .pluck();
  const unprocessed = db
    .prepare<object, string>(
      `select id ${spanClause} and state in ('open', 'acknowledged') order by date, id limit ${episodeIdsMax}`,
    )
    .pluck();
  const record = ({ source_id: sourceId, first, last }: EpisodeSpan): EpisodeRecord[] => {
    const span = { sourceId, first, last };
    const of = sums.get(span);
    const alert = one(most.get(span) ?? '');
    if (!of || !alert) return [];
    const { open, acknowledged, resolved, ended } = of;
    const counts = { open, acknowledged, resolved, ended };
    return [
      {
        id: episodeId(sourceId, first),
        sourceId,
        firstDate: first,
        lastDate: last,
        days: dayNumber(last) - dayNumber(first) + 1,
        state: episodeStates.find(state => counts[state] > 0) ?? 'ended',
        counts,
        kinds: parsed<AlertKind[]>(of.kinds).sort(),
        criticity: alert.criticity,
        raisedAt: of.raised_at,
        unprocessedIds: unprocessed.all(span),
        alert,
      },
    ];
  };
  return (filter: EpisodeFilter): EpisodeRecord[] => spans(filter).flatMap(record);
};
