import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { days, daysPerPart, type DayKind } from '../../../domain/days.js';
import { streams } from '../../../domain/streams.js';
import type { ImportRecord } from '../../../projections/days/dayRecords.js';
import { eventId, type CommandHandler, type CommandMetadata } from '../../commands/commandHandler.js';
import type { Environment } from '../../ports/environment.js';
import { OutcomeUnknown } from '../../ports/eventStore.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import { requireNotParked } from '../../reading/parking.js';
import { ownSource, type Requester, changedSource, requireCapacity } from '../access.js';
import type { ImportedDays } from '../imports/assembleDays.js';
import { freshDaysMax, knownDaysBefore } from '../imports/importWarnings.js';
import {
  type Service,
  type Checked,
  checkedInTime,
  checkOf,
  type Deciding,
  type Following,
} from '../service.js';
import type { SourceDate } from './changePlan.js';

/** Days to import into a source. */
export type DayImport = {
  readonly sourceId: number;
  readonly kind: DayKind;
  readonly imported: Pick<ImportedDays, 'days' | 'summary'>;
};

/**
 * Appends a valid import in parts. It takes effect with its last part; after a crash the same import continues
 * where it stopped.
 * @returns the id of the event of the last part, which causes the check
 */
export const appendImport = async (
  {
    handle,
    environment,
  }: { readonly handle: CommandHandler; readonly environment: Pick<Environment, 'nextTurn'> },
  { sourceId, kind, imported }: DayImport,
  importId: string,
  metadata: CommandMetadata,
): Promise<string> => {
  const parts = Math.ceil(imported.days.length / daysPerPart);
  for (let part = 1; part <= parts; part += 1) {
    const command = {
      type: 'ImportDays',
      sourceId,
      importId,
      kind,
      part,
      parts,
      days: imported.days.slice((part - 1) * daysPerPart, part * daysPerPart),
      ...(part === parts ? { summary: imported.summary } : {}),
    } as const;
    await handle(days, streams.days(sourceId), command, {
      ...metadata,
      // The state has the parts that are stored.
      isRetry: false,
      id: partId(importId, part),
    });
    if (part < parts) await environment.nextTurn();
  }
  return eventId(streams.days(sourceId), partId(importId, parts), 0);
};

const partId = (importId: string, part: number): string => `${importId}/${part}`;

/** Fewest days of an import that are compared with a whole reference; fewer are compared with the days before them. */
const seasonDaysMin = 3;

/** Reads the stored days of a source that the new days of an import are compared with: at most some 1,300. */
export const knownDays =
  ({ days: stored }: Service['models'], sourceId: number) =>
  async (fresh: readonly Day[]): Promise<readonly Day[]> => {
    const newest = fresh.slice(-freshDaysMax);
    const first = dayNumber(newest[0]?.date ?? '1970-01-01');
    const last = dayNumber(newest.at(-1)?.date ?? '1970-01-01');
    const from = dateOf(first - knownDaysBefore);
    const to = dateOf(Math.min(last, first + freshDaysMax) + 1);
    const days = new Map<string, Day>();
    const yieldToEventLoop = eventLoopYielder();
    const references =
      newest.length < seasonDaysMin
        ? stored.each(sourceId, 'reference', from, to)
        : stored.reference(sourceId);
    for (const found of [references, stored.each(sourceId, 'recent', from, to)])
      for (const day of found) {
        days.set(day.date, day);
        await yieldToEventLoop();
      }
    return [...days.values()];
  };

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
): Promise<Checked> => {
  const { actor } = requester;
  requireCapacity(service, actor);
  changedSource(service.models, requester, sourceId);
  const metadata = await requester.begin();
  const sealed = reason === null ? null : await service.people.sealed(actor, reason);
  const command = { type: 'TakeDayBack', sourceId, date, reason: sealed } as const;
  const { events } = await service.handle(days, streams.days(sourceId), command, metadata);
  return checkOf(service, events[0]?.id);
};
