import type { EventOf } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import type { CovariateReading, CovariateSeries } from '../../domain/source/covariates.js';
import type { ImportVersion } from '../../projections/dayHistory.js';
import { readingAt, valueOf } from './covariateValues.js';
import { differenceOf, type Mismatch, type Placed } from './tally.js';
import type { LogHistory } from './logHistory.js';
import type { MissingNote } from './noteHistory.js';

// Values of covariates that events of another source recorded, compared with the imports of the covariate.

/** Positions in the log between which a value was read. */
export type LogWindow = { readonly from: number; readonly to: number };

/**
 * Compares the value that a check knew with the imports of the covariate. Imports and an archive between the cause of
 * the check and its event may be known or not.
 */
export const readingMismatch = (
  history: LogHistory,
  reading: CovariateReading,
  date: string,
  { from, to }: LogWindow,
): Mismatch => {
  const { sourceId, revision } = reading;
  if (!history.isKnown(sourceId)) return 'notInLog';
  let mismatch: Mismatch;
  for (const lineage of history.sources.lineages(sourceId, from, to)) {
    const present = lineage.ids.at(-1) ?? sourceId;
    const least = history.days.revisionAt(present, from);
    const most = history.revisionOf(present);
    if (revision < least || revision > most) {
      mismatch ??= {
        detail: `got source ${sourceId} at revision ${revision} for ${date}, expected ${least} to ${most} of days-${present}`,
      };
      continue;
    }
    for (const at of [from, to]) {
      const difference = differenceOf(readingAt(history, reading, date, { lineage, at }), reading);
      if (difference === undefined) return undefined;
      mismatch = {
        detail: `the value of source ${sourceId} on ${date} is not that of its imports up to revision ${revision} of days-${present}: ${difference}`,
      };
    }
  }
  return mismatch ?? { detail: `source ${sourceId} did not exist yet` };
};

/** Values of a covariate from one date to another, both inclusive, as an analysis gets them. */
const expectedValues = (
  history: LogHistory,
  ids: readonly number[],
  range: { readonly from: string; readonly to: string },
  revisionOf: (id: number) => number,
): CovariateSeries['values'] => {
  const byDate = new Map<string, number | null>();
  for (const id of ids)
    for (const kind of ['reference', 'recent'] as const)
      for (const day of history.days.daysAt(id, kind, revisionOf(id)))
        if (range.from <= day.date && day.date <= range.to) byDate.set(day.date, valueOf(history, id, day));
  return [...byDate]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([date, value]) => (value === null ? [] : { date, value }));
};

/**
 * Compares the values that a request of an analysis holds with the imports of the covariate up to the revision that it
 * names.
 * @param to position of the request
 */
export const seriesMismatch = (
  history: LogHistory,
  series: CovariateSeries,
  range: { readonly from: string; readonly to: string },
  to: number,
): Mismatch => {
  const { sourceId, name, revision, archived = false } = series;
  if (!history.isKnown(sourceId)) return 'notInLog';
  let mismatch: Mismatch;
  for (const lineage of history.sources.lineages(sourceId, 0, to)) {
    const present = lineage.ids.at(-1) ?? sourceId;
    if (lineage.archived !== archived || revision > history.revisionOf(present)) continue;
    const known = (id: number): number => (id === present ? revision : history.days.revisionAt(id, to));
    const values = archived ? [] : expectedValues(history, lineage.ids, range, known);
    const difference = differenceOf(values, series.values, '/values');
    if (difference === undefined && history.sources.wasNamed(present, name)) return undefined;
    mismatch = {
      detail: `the values of source ${sourceId} are not those of its imports up to revision ${revision} of days-${present}: ${difference ?? `it was never named ${name}`}`,
    };
  }
  return (
    mismatch ?? {
      detail: `source ${sourceId} was never ${archived ? 'archived' : 'in use'} with revision ${revision} of its days`,
    }
  );
};

/** Longest time between the read of a source's description and the event that rests on it, in ms. */
const descriptionAgeMs = 3_600_000;

/** Compares the covariates of a request of an analysis with those of the source. */
export const covariatesMismatch = (
  { sources }: Pick<LogHistory, 'sources'>,
  sourceId: number,
  covariates: readonly CovariateSeries[] = [],
  at: string,
): Mismatch => {
  const ids = covariates.map(one => one.sourceId);
  return sources.wasExplainedBy(sourceId, ids, Date.parse(at) - descriptionAgeMs)
    ? undefined
    : { detail: `its covariates are [${ids.join()}], expected those of the source ${sourceId}` };
};

/**
 * Compares a noted import of a covariate with that import, and its dates with the recent days of the source.
 * @param cause the import, as the log has it
 */
export const noteMismatch = (
  history: LogHistory,
  { event: { stream, data } }: Placed<EventOf<'CovariateDaysImported'>>,
  cause: ImportVersion | undefined,
): Mismatch => {
  const { covariateId, importId, revision, dates } = data;
  if (!history.isKnown(covariateId)) return 'notInLog';
  const isOfCause = cause?.importId === importId || cause?.eventId === importId;
  if (!isOfCause || cause?.revision !== revision)
    return { detail: `no import ${importId} of source ${covariateId} ended with revision ${revision}` };
  if (!history.sources.descendsFrom(cause.sourceId, covariateId))
    return {
      detail: `import ${importId} is one of source ${cause.sourceId}, expected source ${covariateId}`,
    };
  const imported = new Set(history.days.datesOf(cause.sourceId, revision));
  const sourceId = sourceOf(stream);
  const wrong = dates.find(
    (date, index) =>
      !imported.has(date) || !history.days.hasRecent(sourceId, date) || date <= (dates[index - 1] ?? ''),
  );
  if (wrong !== undefined)
    return {
      detail: `got ${wrong}, expected dates of import ${importId} with recent days of source ${sourceId}`,
    };
  const possible = history.notes.possibleDates(cause.eventId, { sourceId, covariateId });
  if (!possible || possible.some(list => list.join() === dates.join())) return undefined;
  const [first] = possible;
  return {
    detail: first
      ? `its dates are not those whose checks knew another value of source ${covariateId}: ${differenceOf(first, dates, '/dates')}`
      : `source ${sourceId} did not require a note of import ${importId}`,
  };
};

const changeOf = ({ type, data }: MissingNote['cause']['event']): string => {
  if (type === 'DateClosed') return `the end of ${data.date}`;
  return type === 'DayTakenBack' ? `the day taken back, ${data.date}` : `import ${data.importId}`;
};

/** Says which note of an import is missing. */
export const missingNoteMismatch = ({ cause, sourceId, covariateId, dates }: MissingNote): Mismatch => {
  const more = dates.length > 1 ? ` and ${dates.length - 1} more` : '';
  return {
    detail:
      `source ${sourceId} has no note of ${changeOf(cause.event)}, ` +
      `which changes the value of source ${covariateId} that its check of ${dates[0]}${more} knew`,
  };
};
