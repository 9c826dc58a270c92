import { dayNumber, year as yearOf } from '../../domain/dates.js';
import type { EventOf } from '../../domain/events.js';
import { isTomorrow } from '../../domain/futureDays.js';
import { Rejection } from '../../domain/rejection.js';
import { lastBefore, relearnedYear, type RelearnedYear } from '../../domain/source/relearning.js';
import type { SourceCreation } from '../../domain/source/sourceState.js';
import { relearnedImportId } from '../followUps/creations.js';
import { analysisSeed } from '../followUps/analyses.js';
import { covariatesMismatch } from './covariateMismatches.js';
import { differenceOf, type Mismatch, type Placed } from './tally.js';
import type { LogHistory } from './logHistory.js';

// The reference of a source that was learned again, compared with the recent days of the source that it came from.

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
    return relearnedYear(
      recent.map(({ date, learnable }) => ({ date, learnable: learnable === 1 })),
      countedTo,
    );
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
