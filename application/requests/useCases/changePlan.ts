import { streams } from '../../../domain/streams.js';
import { source } from '../../../domain/source/source.js';
import type { SourceCommand } from '../../../domain/source/sourceCommands.js';
import { requireCapacity } from '../capacity.js';
import { checkedInTime, type Deciding, type Following } from '../service.js';
import type { Requester } from '../access.js';

/** One date of a source. */
export type SourceDate = { readonly sourceId: number; readonly date: string };

/** A changed plan: the event that caused the check, undefined when nothing changed. */
export type PlanChange = { readonly causeId: string | undefined; readonly checked: boolean };

type Change = Extract<
  SourceCommand,
  { type: 'PlanDay' | 'ClearDayPlan' | 'NameSpecialDay' | 'ClearSpecialDay' }
>;

/** Runs a command that may change the plan of one date and waits for the check of its day. */
const changePlan = async (
  service: Deciding & Following,
  requester: Requester,
  sourceId: number,
  commandOf: (requestId: string) => Change,
): Promise<PlanChange> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  const command = commandOf(metadata.id);
  const { events } = await service.handle(source, streams.source(sourceId), command, metadata);
  await service.caughtUp();
  const causeId = events[0]?.id;
  return { causeId, checked: causeId === undefined || (await checkedInTime(service, causeId)) };
};

/** Overrides the planned model of a date. */
export const planDay = (
  service: Deciding & Following,
  requester: Requester,
  { sourceId, date }: SourceDate,
  modelId: number,
): Promise<PlanChange> =>
  changePlan(service, requester, sourceId, requestId => ({ type: 'PlanDay', requestId, date, modelId }));

/** Removes the override of a date. */
export const clearDayPlan = (
  service: Deciding & Following,
  requester: Requester,
  { sourceId, date }: SourceDate,
): Promise<PlanChange> =>
  changePlan(service, requester, sourceId, requestId => ({ type: 'ClearDayPlan', requestId, date }));

/** Names a date a special day: it is planned like other days of that name. */
export const nameSpecialDay = (
  service: Deciding & Following,
  requester: Requester,
  { sourceId, date }: SourceDate,
  name: string,
): Promise<PlanChange> =>
  changePlan(service, requester, sourceId, requestId => ({ type: 'NameSpecialDay', requestId, date, name }));

/** Removes the name of a special day. */
export const clearSpecialDay = (
  service: Deciding & Following,
  requester: Requester,
  { sourceId, date }: SourceDate,
): Promise<PlanChange> =>
  changePlan(service, requester, sourceId, requestId => ({ type: 'ClearSpecialDay', requestId, date }));
