import { days } from '../../domain/days.js';
import type { EventOf } from '../../domain/events.js';
import { sourceOf, streams } from '../../domain/streams.js';
import type { FollowUpParts } from '../processManager/followUpParts.js';
import { metadataFor, requireHeld } from '../processManager/followUpParts.js';
import { notedDates } from './notedDates.js';
import { knownIds, readingOn } from './readings.js';

/** An import of recent days. */
type Import = EventOf<'DaysImported'>;

/**
 * Notes an import in the streams of the sources that it explains, for the dates whose check knew another value or none,
 * and for all dates while a check of the source is pending. The noted event causes their check. An import is
 * noted once for a source, however often this runs.
 */
export const covariateNoter =
  ({ models, handle, environment }: Pick<FollowUpParts, 'models' | 'handle' | 'environment'>) =>
  async (event: Import): Promise<void> => {
    const { importId } = event.data;
    requireHeld(models, event);
    const uses = knownIds(models, sourceOf(event.stream)).flatMap(covariateId =>
      models.covariates.usersOf(covariateId).map(sourceId => ({ covariateId, sourceId })),
    );
    for (const { covariateId, sourceId } of uses) {
      requireHeld(models, event);
      if (models.sources.setup(sourceId)?.archivedAt !== null) continue;
      const imported = models.days.byImport(importId).map(({ date }) => date);
      const dates = notedDates(imported, {
        isCheckPending: models.days.isCheckPending(sourceId),
        hasRecent: date => models.days.hasRecent(sourceId, date),
        knownValue: date =>
          models.days.covariates(sourceId, date).find(known => known.sourceId === covariateId)?.value ?? null,
        presentValue: date => readingOn(models, covariateId, date).value,
      });
      const { revision } = event;
      const command = { sourceId, covariateId, importId, revision, dates } as const;
      await handle(
        days,
        streams.days(sourceId),
        { type: 'NoteCovariateDays', ...command },
        metadataFor(environment, event, `covariate/${sourceId}`),
      );
    }
  };
