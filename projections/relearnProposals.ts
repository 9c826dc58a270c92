import type { Database } from 'better-sqlite3';
import { unitsMax } from '../domain/alerts/adaptation.js';
import { learnedShareMin } from '../domain/day.js';
import { lastYearOf, relearnProposal, type RelearnProposal } from '../domain/source/relearning.js';

/** Returns a function that finds the reason to learn a source again, from its days up to tomorrow; null for none. */
export const relearnProposer = (db: Database) => {
  const recent = `from days where source_id = $id and kind = 'recent' and date <= $tomorrow`;
  // Each end is looked up in the index; both at once would scan all days of the source.
  const ends = db.prepare<{ id: number; tomorrow: string }, { first: string | null; last: string | null }>(
    `select (select min(date) ${recent}) as first, (select max(date) ${recent}) as last`,
  );
  const enough = db
    .prepare<{ id: number; tomorrow: string; from: string; least: number }, number>(
      `select count(*) ${recent} and date >= $from and completeness >= $least`,
    )
    .pluck();
  const adapted = `${recent} and models_version = $modelsVersion and adaptation is not null`;
  const units = db
    .prepare<{ id: number; tomorrow: string; modelsVersion: number }, number>(
      `select adaptation ->> 'units' ${adapted} order by date desc limit 1`,
    )
    .pluck();
  const maximumSince = db
    .prepare<{ id: number; tomorrow: string; modelsVersion: number; max: number }, string | null>(
      `select min(date) ${adapted} and date > coalesce(
         (select max(date) ${adapted} and adaptation ->> 'units' < $max), '')`,
    )
    .pluck();
  const drifting = db
    .prepare<{ id: number; tomorrow: string }, string>(
      `select date ${recent} and outcome = 'drift' order by date`,
    )
    .pluck();

  return (id: number, modelsVersion: number, tomorrow: string): RelearnProposal | null => {
    const { first, last } = ends.get({ id, tomorrow }) ?? { first: null, last: null };
    if (first === null || last === null) return null;
    const { from } = lastYearOf(last);
    const version = { id, modelsVersion, tomorrow };
    return relearnProposal({
      first,
      last,
      enoughDays: first <= from ? (enough.get({ id, from, tomorrow, least: learnedShareMin }) ?? 0) : 0,
      atMaximumSince:
        units.get(version) === unitsMax ? (maximumSince.get({ ...version, max: unitsMax }) ?? null) : null,
      drifting: drifting.all({ id, tomorrow }),
    });
  };
};
