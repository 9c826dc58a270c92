import type { Database } from 'better-sqlite3';
import { dateOf, dayNumber } from '../../domain/dates.js';

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

type Run = { readonly first: string; readonly last: string };

/** Returns functions that keep the runs: `add` for a date with its first alert, `remove` for one without alerts. */
export const episodeWriter = (db: Database) => {
  const upTo = db.prepare<[number, string], Run>(
    'select first, last from episodes where source_id = ? and first <= ? order by first desc limit 2',
  );
  const put = db.prepare('insert or replace into episodes (source_id, first, last) values (?, ?, ?)');
  const remove = db.prepare('delete from episodes where source_id = ? and first = ?');
  return {
    add: (sourceId: number, date: string): void => {
      const day = dayNumber(date);
      const dayAfter = dateOf(day + 1);
      const [latest, other] = upTo.all(sourceId, dayAfter);
      const following = latest?.first === dayAfter ? latest : undefined;
      const before = following ? other : latest;
      if (before && before.last >= date) return;
      if (following) remove.run(sourceId, dayAfter);
      const first = before && dayNumber(before.last) === day - 1 ? before.first : date;
      put.run(sourceId, first, following?.last ?? date);
    },
    remove: (sourceId: number, date: string): void => {
      const [run] = upTo.all(sourceId, date);
      if (!run || run.last < date) return;
      remove.run(sourceId, run.first);
      const day = dayNumber(date);
      if (run.first < date) put.run(sourceId, run.first, dateOf(day - 1));
      if (date < run.last) put.run(sourceId, dateOf(day + 1), run.last);
    },
  };
};
