import type { Database } from 'better-sqlite3';
import { dayNumber } from '../../domain/dates.js';
import type { AlertKind } from '../../domain/alerts/findings.js';
import { isOfListedSource } from '../sources/sourceQueries.js';
import {
  filterParameters,
  alertPageStatements,
  type AlertFilter,
  type AlertSort,
  type AlertRecord,
} from './alertPages.js';
import { episodeColumn, episodeId, parseEpisodeId } from './episodes.js';
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

/** Filter of a list of episodes: those with an alert that fits. */
export type EpisodeFilter = Omit<AlertFilter, 'after' | 'limit'>;

/** An episode in the order of a list. */
export type EpisodeKey = { readonly key: string | number; readonly sourceId: number; readonly first: string };

/** Compares episodes by key, source and first date. */
export const compareEpisodes = (a: EpisodeKey, b: EpisodeKey): number =>
  compared(a.key, b.key) || a.sourceId - b.sourceId || compared(a.first, b.first);

const compared = <Value extends string | number>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0);

/** Conditions of a filter on the alerts of a source. */
const hitConditions = `source_id = $sourceId and date >= $from and date < $to and +tenant = $tenant
  and state <> 'invalidated' and +state in (select value from json_each($states))
  and ($kinds is null or kind in (select value from json_each($kinds))) and ${isOfListedSource}`;

const parametersOf = (filter: EpisodeFilter) => filterParameters({ ...filter, limit: 0 });

type Sums = {
  readonly open: number;
  readonly acknowledged: number;
  readonly resolved: number;
  readonly ended: number;
  readonly kinds: string;
  readonly raised_at: string;
};

/** Queries on episodes. @param one reads an alert */
export const episodePages = (db: Database, one: (id: string) => AlertRecord | undefined) => {
  const keysOf = alertPageStatements<EpisodeKey>(db);
  const runAt = db.prepare<[number, string], EpisodeSpan>(
    'select source_id, first, last from episodes where source_id = ? and first <= ? order by first desc limit 1',
  );
  const hit = db.prepare<object, number>(
    `select 1 from alerts where ${hitConditions} and date between $first and $last limit 1`,
  );
  /** The run that holds a date. */
  const spanAt = (sourceId: number, date: string): EpisodeSpan | undefined => {
    const span = runAt.get(sourceId, date);
    return span && span.last >= date ? span : undefined;
  };
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
  const record = ({ source_id: sourceId, first, last }: EpisodeSpan): EpisodeRecord | undefined => {
    const span = { sourceId, first, last };
    const of = sums.get(span);
    const alert = one(most.get(span) ?? '');
    if (!of || !alert) return undefined;
    const { open, acknowledged, resolved, ended } = of;
    const counts = { open, acknowledged, resolved, ended };
    return {
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
    };
  };
  return {
    /** Episodes of one source with an alert that fits a filter. */
    keys: (sourceId: number, filter: EpisodeFilter): EpisodeKey[] => {
      const text = `
        with hits as (select distinct source_id, ${episodeColumn} as first from alerts where ${hitConditions})
        select ${keys[filter.sort]} as key, e.source_id as sourceId, e.first as first
        from hits join episodes e using (source_id, first)`;
      return keysOf(text).all({ ...parametersOf(filter), sourceId });
    },
    /** Id of the episode that holds the first date of an episode now; undefined when none does or it does not fit. */
    present: (id: string, filter: EpisodeFilter): string | undefined => {
      const episode = parseEpisodeId(id);
      const span = episode && spanAt(episode.sourceId, episode.first);
      if (!span || (filter.sourceId ?? span.source_id) !== span.source_id) return undefined;
      const { source_id: sourceId, first, last } = span;
      const isHit = hit.get({ ...parametersOf(filter), sourceId, first, last }) !== undefined;
      return isHit ? episodeId(sourceId, first) : undefined;
    },
    /** One episode by its id. */
    one: (id: string): EpisodeRecord | undefined => {
      const episode = parseEpisodeId(id);
      const span = episode && spanAt(episode.sourceId, episode.first);
      return span && record(span);
    },
  };
};
