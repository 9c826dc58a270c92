import type { ImportRecord } from '../../projections/days/importRecords.js';
import { checkedInTime } from '../checks/awaitCheck.js';
import { OutcomeUnknown } from '../eventStore.js';
import { appendImport } from '../imports/appendImport.js';
import type { ImportedDays } from '../imports/assembleDays.js';
import { streams } from '../../domain/streams.js';
import { requireNotParked } from '../projecting/parking.js';
import { ownSource } from '../access/access.js';
import type { Requester } from '../access/requester.js';
import type { Service } from '../service.js';

/** A stored import; `checked` is false when its check takes longer than a request waits. */
export type DaysImport = { readonly record: ImportRecord; readonly checked: boolean };

/**
 * Stores valid recent days and waits for their check.
 * @throws Rejection `sourceNotFound` for an archived source, unless the import is stored already
 * @throws OutcomeUnknown when the read models lost the import and cannot be written
 */
export const importDays = async (
  service: Service,
  requester: Requester,
  sourceId: number,
  imported: ImportedDays,
): Promise<DaysImport> => {
  const metadata = await requester.begin();
  const importId = metadata.id;
  // A retry of a stored import gets its outcome, even if the source was archived meanwhile.
  if (metadata.isRetry) await service.caughtUp();
  const earlier = metadata.isRetry ? service.models.days.import(importId) : undefined;
  if (!earlier) ownSource(service.models, requester.actor, sourceId);
  const causeId =
    earlier?.eventId ??
    (await appendImport(service, { sourceId, kind: 'recent', imported }, importId, metadata));
  await service.caughtUp();
  requireNotParked(service.models, streams.source(sourceId), 'the days are stored in the log');
  const checked = await checkedInTime(service, causeId);
  const record = service.models.days.import(importId);
  if (!record)
    throw new OutcomeUnknown(
      'the import is in the log, but the read models lost it and cannot be written; retry later',
    );
  return { record, checked };
};
