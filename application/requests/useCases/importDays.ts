import type { ImportRecord } from '../../../projections/days/importRecords.js';
import { checkedInTime, type Deciding, type Following, type Service } from '../service.js';
import { OutcomeUnknown } from '../../ports/eventStore.js';
import { appendImport } from '../imports/appendImport.js';
import type { ImportedDays } from '../imports/assembleDays.js';
import { streams } from '../../../domain/streams.js';
import { requireNotParked } from '../../reading/parking.js';
import { ownSource, type Requester, changedSource } from '../access.js';
import { days } from '../../../domain/days.js';
import { requireCapacity } from '../capacity.js';
import type { PlanChange, SourceDate } from './changePlan.js';

/** A stored import; `checked` is false when its check takes longer than a request waits. */
export type DaysImport = { readonly record: ImportRecord; readonly checked: boolean };

/**
 * Stores valid recent days and waits for their check.
 * @throws Rejection `sourceNotFound` for an archived source, unless the import is stored already
 * @throws OutcomeUnknown when the read models lost the import and cannot be written
 */
export const importDays = async (
  service: Deciding & Pick<Service, 'environment' | 'waiters'>,
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

/**
 * Takes back the recent day of a date and waits for the check that invalidates its alerts. Nothing changes when it was
 * taken back before. The reason is encrypted before it is stored.
 * @throws Rejection `sourceNotFound`; `dayNotFound` when the date never had a recent day
 */
export const takeDayBack = async (
  service: Deciding & Following & Pick<Service, 'people'>,
  requester: Requester,
  { sourceId, date }: SourceDate,
  reason: string | null,
): Promise<PlanChange> => {
  const { actor } = requester;
  requireCapacity(service, actor);
  changedSource(service.models, requester, sourceId);
  const metadata = await requester.begin();
  const sealed = reason === null ? null : await service.people.sealed(actor, reason);
  const command = { type: 'TakeDayBack', sourceId, date, reason: sealed } as const;
  const { events } = await service.handle(days, streams.days(sourceId), command, metadata);
  await service.caughtUp();
  const causeId = events[0]?.id;
  return { causeId, checked: causeId === undefined || (await checkedInTime(service, causeId)) };
};
