import { Rejection } from '../../../domain/rejection.js';
import { source } from '../../../domain/source/source.js';
import type { LeftOutCommand } from '../../../domain/source/leftOutDays.js';
import { streams } from '../../../domain/streams.js';
import type { CommandMetadata } from '../../commands/commandHandler.js';
import { changedSource, type Requester } from '../access.js';
import { requireCapacity } from '../capacity.js';
import type { Deciding, Following, Service } from '../service.js';
import type { SourceDate } from './changePlan.js';

/** Runs a command about a reference day. @throws Rejection `sourceNotFound`, `referenceDayNotFound` */
const change = async (
  service: Deciding & Following,
  requester: Requester,
  { sourceId, date }: SourceDate,
  commandOf: (metadata: CommandMetadata) => Promise<LeftOutCommand>,
): Promise<void> => {
  requireCapacity(service, requester.actor);
  changedSource(service.models, requester, sourceId);
  if (!service.models.days.hasReference(sourceId, date))
    throw new Rejection('referenceDayNotFound', `source ${sourceId} has no reference day on ${date}`);
  const metadata = await requester.begin();
  await service.handle(source, streams.source(sourceId), await commandOf(metadata), metadata);
  await service.caughtUp();
};

/**
 * Leaves a reference day out of learning, from the next reset on. The reason is encrypted before it is stored.
 * @throws Rejection `sourceNotFound`, `referenceDayNotFound`, `tooFewReferenceDays`
 */
export const leaveOutDay = (
  service: Deciding & Following & Pick<Service, 'people'>,
  requester: Requester,
  place: SourceDate,
  reason: string,
): Promise<void> =>
  change(service, requester, place, async ({ id: requestId }) => ({
    type: 'LeaveOutReferenceDay',
    requestId,
    date: place.date,
    reason: await service.people.sealed(requester.actor, reason),
  }));

/**
 * Takes the leaving-out of a reference day back: the next reset learns from it again.
 * @throws Rejection `sourceNotFound`, `referenceDayNotFound`
 */
export const takeBackLeavingOut = (
  service: Deciding & Following,
  requester: Requester,
  place: SourceDate,
): Promise<void> =>
  change(service, requester, place, async ({ id: requestId }) => ({
    type: 'TakeBackLeavingOut',
    requestId,
    date: place.date,
  }));
