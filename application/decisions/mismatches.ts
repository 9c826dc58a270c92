import { dayNumber, year as yearOf } from '../../domain/dates.js';
import type { EventOf } from '../../domain/events.js';
import { isTomorrow } from '../../domain/futureDays.js';
import { Rejection } from '../../domain/rejection.js';
import type { CovariateReading, CovariateSeries } from '../../domain/source/covariates.js';
import { lastBefore, relearnedYear, type RelearnedYear } from '../../domain/source/reference.js';
import type { SourceCreation } from '../../domain/source/sourceState.js';
import { sourceOf } from '../../domain/streams.js';
import type { ImportVersion } from '../../projections/dayHistory.js';
import { analysisSeed, relearnedImportId } from '../followUps/analyses.js';
import type { LogHistory, MissingNote } from './logHistory.js';
import { readingAt, valueOf } from './sourceHistory.js';
import { differenceOf, type Mismatch, type Placed } from './tally.js';

/**
 * Compares the value that a check knew with the imports of the covariate. Imports and an archive between the cause of
 * the check and its event, `from` and `to` in the log, may be known or not.
 */
export const readingMismatch = (
  history: LogHistory,
  reading: CovariateReading,
  date: string,
  { from, to }: { readonly from: number; readonly to: number },
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

/** Revision of the days of the other source that a request used: the id of the import was derived from both. */
const usedRevision = (
  history: LogHistory,
  from: number,
  request: string,
  { requestId: importId, countedTo }: Pick<SourceCreation, 'requestId' | 'countedTo'>,
): number | undefined => {
  for (let revision = history.revisionOf(from); revision >= 0; revision -= 1)
    if (relearnedImportId(request, revision, countedTo) === importId) return revision;
  return undefined;
};

/** Settings that the new source has from the other one. */
const settingsOf = ({
  tenant,
  activitySize,
  interpolationMethod,
  aggregation,
  timeZone = 'UTC',
  calendar,
}: SourceCreation): object => ({
  tenant,
  activitySize,
  interpolationMethod,
  aggregation,
  timeZone,
  calendar,
});

/** The year that the recent days of a source have at a revision; the reason when they have none. */
const yearAt = (
  history: LogHistory,
  { relearnedFrom: from = 0, countedTo }: SourceCreation,
  revision: number,
): RelearnedYear | string => {
  try {
    const recent = history.days.daysAt(from, 'recent', revision);
    const days = recent.map(({ date, learnable }) => ({ date, learnable: learnable === 1 }));
    return relearnedYear(days, countedTo, true);
  } catch (error) {
    if (error instanceof Rejection) return error.message;
    throw error;
  }
};

/** Whether the last date that counts is the one before the first date in progress. */
const isBeforeOpen = (
  history: LogHistory,
  { relearnedFrom: from = 0, countedTo = '' }: SourceCreation,
  revision: number,
): boolean => {
  const open = history.days.daysAt(from, 'recent', revision).find(day => day.open === 1);
  return open !== undefined && countedTo === lastBefore(open.date, open.date);
};

/** Compares the days of the new source with the recent days of the other one, by their digests. */
const referenceMismatch = (
  history: LogHistory,
  { sourceId, relearnedFrom: from = 0 }: SourceCreation,
  revision: number,
  year: RelearnedYear,
): Mismatch => {
  const digests = (days: readonly { readonly date: string; readonly digest: string }[]) =>
    new Map(days.map(({ date, digest }) => [date, digest]));
  const used = digests(
    history.days.daysAt(from, 'recent', revision).filter(({ date }) => year.from <= date && date <= year.to),
  );
  const reference = digests(history.days.daysAt(sourceId, 'reference', history.revisionOf(sourceId)));
  for (const date of [...new Set([...used.keys(), ...reference.keys()])].sort())
    if (used.get(date) !== reference.get(date))
      return {
        detail: `its reference day ${date} is not the recent day of source ${from} at revision ${revision} of days-${from}`,
      };
  return undefined;
};

/**
 * Compares the input of the analysis with that of the other source: the seed of the service, and the target coverage
 * and the covariates that the other source had when it was asked for.
 * @param at position of the import whose days were used
 */
const inputMismatch = (
  history: LogHistory,
  { event, n }: Placed<EventOf<'SourceRelearned'>>,
  from: number,
  at: number,
): Mismatch => {
  const { coverage = null, covariates, seed } = event.data.created;
  if (seed !== analysisSeed) return { detail: `got the seed ${seed}, expected ${analysisSeed}` };
  const coverages = [...new Set(history.sources.coverages(from, at, n))];
  if (!coverages.includes(coverage))
    return {
      detail: `got the target coverage ${coverage ?? 'none'}, expected that of source ${from}, ${coverages.map(one => one ?? 'none').join(' or ')}`,
    };
  return covariatesMismatch(history, from, covariates, event.at);
};

/** Compares the creation of a source that was learned again with the source that it came from. */
export const relearnMismatch = (
  history: LogHistory,
  { event: { data } }: Placed<EventOf<'SourceCreated'>>,
): Mismatch => {
  const { relearnedFrom: from, sourceId, requestId } = data;
  if (from === undefined) return undefined;
  const known = history.sources.created(from);
  if (!known || !history.isKnown(from)) return 'notInLog';
  const relearning = history.sources.relearning(sourceId);
  if (relearning?.event.stream !== `source-${from}`)
    return { detail: `no event of source ${from} asks for source ${sourceId}` };
  const difference = differenceOf(relearning.event.data.created, data);
  if (difference !== undefined)
    return { detail: `it differs from the event of source ${from} that asks for it: ${difference}` };
  const revision = usedRevision(history, from, relearning.event.data.requestId, data);
  if (revision === undefined)
    return { detail: `import ${requestId} does not follow from a revision of the days of source ${from}` };
  const { countedTo } = data;
  const { at } = relearning.event;
  if (countedTo !== undefined && !isTomorrow(countedTo, at) && !isBeforeOpen(history, data, revision))
    return {
      detail: `its last counted date ${countedTo} is not tomorrow of ${at}, or before a date in progress`,
    };
  const year = yearAt(history, data, revision);
  if (typeof year === 'string')
    return { detail: `source ${from} could not be learned again at revision ${revision}: ${year}` };
  const expected = { ...settingsOf(known), referenceYear: yearOf(dayNumber(year.from)) };
  const settings = differenceOf(expected, { ...settingsOf(data), referenceYear: data.referenceYear });
  if (settings !== undefined) return { detail: `its settings are not those of source ${from}: ${settings}` };
  return (
    inputMismatch(history, relearning, from, history.days.positionAt(from, revision)) ??
    referenceMismatch(history, data, revision, year)
  );
};
