import { days } from '../../domain/days.js';
import { streams } from '../../domain/streams.js';
import { changedSource } from '../access/access.js';
import type { Requester } from '../access/requester.js';
import { checkedInTime } from '../checks/awaitCheck.js';
import { requireCapacity } from '../sharing/capacity.js';
import type { Service } from '../service.js';
import type { PlanChange, SourceDate } from './changePlan.js';

/**
 * Takes back the recent day of a date and waits for the check that invalidates its alerts. Nothing changes when it was
 * taken back before. The reason is encrypted before it is stored.
 * @throws Rejection `sourceNotFound`; `dayNotFound` when the date never had a recent day
 */
export const takeDayBack = async (
  service: Service,
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
