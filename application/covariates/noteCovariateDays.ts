import { days } from '../../domain/days.js';
import { sourceOf, streams, type KnownEvent } from '../../domain/events.js';
import type { FollowUpParts } from '../processManager/followUpParts.js';
import { metadataFor } from '../processManager/followUpParts.js';
import { knownIds, readingOn } from './readings.js';

/** An import of recent days. */
type Import = Extract<KnownEvent, { type: 'DaysImported' }>;

/**
 * Notes an import in the streams of the sources that it explains, for the dates whose check knew another value or none,
 * and for all dates while a check of the source is pending. The noted event causes their check. An import is
 * noted once for a source, however often this runs.
 */
export const covariateNoter =
  ({ models, handle, environment }: Pick<FollowUpParts, 'models' | 'handle' | 'environment'>) =>
  async (event: Import): Promise<void> => {
    const { importId } = event.data;
    const uses = knownIds(models, sourceOf(event.stream)).flatMap(covariateId =>
      models.covariates.usersOf(covariateId).map(sourceId => ({ covariateId, sourceId })),
    );
    for (const { covariateId, sourceId } of uses) {
      if (models.sources.setup(sourceId)?.archivedAt !== null) continue;
      // A pending check may know a value between the recorded one and the present one.
      const isCheckPending = models.days.isCheckPending(sourceId);
      const dates = models.days
        .byImport(importId)
        .map(({ date }) => date)
        .filter(date => {
          if (!models.days.hasRecent(sourceId, date)) return false;
          if (isCheckPending) return true;
          const known = models.days
            .covariates(sourceId, date)
            .find(reading => reading.sourceId === covariateId);
          return (known?.value ?? null) !== readingOn(models, covariateId, date).value;
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
