import { days } from '../../../domain/days.js';
import type { EventOf, KnownEvent } from '../../../domain/events.js';
import { sourceOf, streams } from '../../../domain/streams.js';
import { type FollowUpParts, metadataFor, requireHeld } from '../followUpParts.js';
import { knownIds, readingOn } from './readings.js';

/** Facts of a source and a covariate of it that decide which dates of an import of the covariate are noted. */
type NoteFacts = {
  /** Whether a check of the source is pending: it may know a value between the recorded one and the present one. */
  readonly isCheckPending: boolean;
  readonly hasRecent: (date: string) => boolean;
  /** Value of the covariate that the last check of a date knew, and the present one; null for none. */
  readonly knownValue: (date: string) => number | null;
  readonly presentValue: (date: string) => number | null;
};

/**
 * Dates of an import of a covariate that are noted in the source: those with recent days whose check knew another value
 * or none, and all with recent days while a check of the source is pending.
 */
export const notedDates = (
  dates: readonly string[],
  { isCheckPending, hasRecent, knownValue, presentValue }: NoteFacts,
): string[] =>
  dates.filter(date => hasRecent(date) && (isCheckPending || knownValue(date) !== presentValue(date)));

/** Types of events that change the values of a covariate. Points do when their date closes. */
const dataChanges = ['DaysImported', 'PointsImported', 'DateClosed', 'DayTakenBack'] as const;

/** An event that changes recent days. */
export type DataChange = EventOf<(typeof dataChanges)[number]>;

/** Whether an event changes recent days. */
export const isDataChange = (event: KnownEvent): event is DataChange =>
  (dataChanges as readonly string[]).includes(event.type);

/** Id under which a change of days is noted: that of the import of whole days, else of the event. */
export const noteIdOf = (event: DataChange): string =>
  event.type === 'DaysImported' ? event.data.importId : event.id;

/** Id that the recent days of a change have in the log, until another change replaces them. */
export const dataIdOf = (event: DataChange): string =>
  event.type === 'DayTakenBack' ? event.id : event.data.importId;

/**
 * Notes an import, or a day that was taken back, in the streams of the sources that it explains, for the dates whose
 * check knew another value or none, and for all dates while a check of the source is pending. The noted event causes
 * their check. A change is noted once for a source, however often this runs.
 */
export const covariateNoter =
  ({
    models,
    parking,
    handle,
    environment,
  }: Pick<FollowUpParts, 'models' | 'parking' | 'handle' | 'environment'>) =>
  async (event: DataChange): Promise<void> => {
    const importId = noteIdOf(event);
    requireHeld(models, event);
    const uses = knownIds(models, sourceOf(event.stream)).flatMap(covariateId =>
      models.covariates.usersOf(covariateId).map(sourceId => ({ covariateId, sourceId })),
    );
    for (const { covariateId, sourceId } of uses) {
      requireHeld(models, event);
      if (models.sources.setup(sourceId)?.archivedAt !== null) continue;
      const dates = notedDates(changedDates(models, event), {
        isCheckPending: models.followUps.isCheckPending(sourceId),
        hasRecent: date => models.days.hasRecent(sourceId, date),
        knownValue: date =>
          models.days.covariates(sourceId, date).find(known => known.sourceId === covariateId)?.value ?? null,
        presentValue: date => readingOn(models, covariateId, date).value,
      });
      const { revision } = event;
      const command = { sourceId, covariateId, importId, revision, dates } as const;
      const metadata = metadataFor(environment, event, `covariate/${sourceId}`);
      // An event of the other source stops it: the import of this one is not to blame.
      await parking.guard(() =>
        handle(days, streams.days(sourceId), { type: 'NoteCovariateDays', ...command }, metadata),
      );
    }
  };

/** Dates that have the data of an import still, or the date that still lacks those that were taken back. */
const changedDates = (
  { days: stored }: Pick<FollowUpParts['models'], 'days'>,
  { type, stream, data }: DataChange,
): readonly string[] => {
  if (type === 'DaysImported' || type === 'PointsImported')
    return stored.byImport(data.importId).map(({ date }) => date);
  return stored.hasRecent(sourceOf(stream), data.date) === (type === 'DateClosed') ? [data.date] : [];
};
