import { parseAlertId } from '../../domain/alerts/alertsState.js';
import type { Database, Statement } from 'better-sqlite3';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { KnownEvent } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';

/**
 * Runs of consecutive dates on which a source has alerts that are not invalidated; `last` is inclusive. A run is found,
 * lengthened, merged or split in logarithmic time.
 */
export const episodesSchema = `
  create table episodes (
    source_id integer not null,
    first text not null,
    last text not null,
    primary key (source_id, first)
  ) strict, without rowid;`;

/** First date of the episode of a row of the table of alerts, for the columns of a query. */
export const episodeColumn = `(select max(first) from episodes
  where episodes.source_id = alerts.source_id and episodes.first <= alerts.date)`;

/** Id of an episode: its source and its first date. It changes when an earlier date joins the run. */
export const episodeId = (sourceId: number, first: string): string =>
  `${sourceId}-${first.replaceAll('-', '')}`;

/** Source and first date of an episode from its id; undefined when its format is invalid. */
export const parseEpisodeId = (
  id: string,
): { readonly sourceId: number; readonly first: string } | undefined => {
  const alert = parseAlertId(`${id}-1`);
  return alert && { sourceId: alert.sourceId, first: alert.date };
};

type DateRun = { readonly first: string; readonly last: string };
type RunStatements = { readonly put: Statement; readonly remove: Statement };

/** Returns a function that changes the runs by the alerts that a batch of events raised and invalidated. */
export const episodeWriter = (db: Database) => {
  const runs = {
    put: db.prepare('insert or replace into episodes (source_id, first, last) values (?, ?, ?)'),
    remove: db.prepare('delete from episodes where source_id = ? and first = ?'),
  };
  const add = runAdder(db, runs);
  const remove = dateRemover(db, runs);
  const isStanding = db.prepare(
    `select 1 from alerts where source_id = ? and date = ? and +state <> 'invalidated' limit 1`,
  );
  return (events: readonly KnownEvent[]): void => {
    for (const [sourceId, { raised, invalidated }] of changedDates(events)) {
      for (const run of runsOf(raised)) add(sourceId, run);
      // Also dates whose alerts the batch both raised and invalidated.
      for (const date of invalidated) if (!isStanding.get(sourceId, date)) remove(sourceId, date);
    }
  };
};

/** Dates on which alerts were raised, and on which some were invalidated. */
type ChangedDates = { readonly raised: Set<string>; readonly invalidated: Set<string> };

/** Dates whose alerts a batch of events changed, by source. */
const changedDates = (events: readonly KnownEvent[]): ReadonlyMap<number, ChangedDates> => {
  const changed = new Map<number, ChangedDates>();
  for (const { type, stream, data } of events) {
    if (type !== 'AlertRaised' && type !== 'AlertInvalidated') continue;
    const sourceId = sourceOf(stream);
    const dates = changed.get(sourceId) ?? { raised: new Set(), invalidated: new Set() };
    changed.set(sourceId, dates);
    dates[type === 'AlertRaised' ? 'raised' : 'invalidated'].add(data.date);
  }
  return changed;
};

/** The runs that dates form. */
const runsOf = (dates: ReadonlySet<string>): readonly DateRun[] => {
  const runs: DateRun[] = [];
  let dayBefore = NaN;
  for (const date of [...dates].sort()) {
    const day = dayNumber(date);
    const run = day === dayBefore + 1 ? runs.pop() : undefined;
    runs.push({ first: run?.first ?? date, last: date });
    dayBefore = day;
  }
  return runs;
};

const shifted = (date: string, days: number): string => dateOf(dayNumber(date) + days);

/** Returns a function that adds a run and merges it with those that it touches. */
const runAdder = (db: Database, { put, remove }: RunStatements) => {
  // The last run up to the first date, and those that follow it up to the day after the last date.
  const near = db.prepare<[number, string, number, string], DateRun>(
    `select first, last from episodes where source_id = ? and first <= ?
       and first >= (select coalesce(max(first), '') from episodes where source_id = ? and first <= ?)
     order by first`,
  );
  return (sourceId: number, { first, last }: DateRun): void => {
    const dayBefore = shifted(first, -1);
    const dayAfter = shifted(last, 1);
    const touched = near.all(sourceId, dayAfter, sourceId, first).filter(run => run.last >= dayBefore);
    for (const run of touched) if (run.first > first) remove.run(sourceId, run.first);
    const earliest = touched[0];
    const latest = touched.at(-1);
    put.run(
      sourceId,
      earliest && earliest.first < first ? earliest.first : first,
      latest && latest.last > last ? latest.last : last,
    );
  };
};

/** Returns a function that removes a date from its run. */
const dateRemover = (db: Database, { put, remove }: RunStatements) => {
  const upTo = db.prepare<[number, string], DateRun>(
    'select first, last from episodes where source_id = ? and first <= ? order by first desc limit 1',
  );
  return (sourceId: number, date: string): void => {
    const run = upTo.get(sourceId, date);
    if (!run || run.last < date) return;
    remove.run(sourceId, run.first);
    if (run.first < date) put.run(sourceId, run.first, shifted(date, -1));
    if (date < run.last) put.run(sourceId, shifted(date, 1), run.last);
  };
};
