import { proposedMinChange } from '../../../analysis/checking/floor.js';
import { dayAfter, dayNumber, year as yearOf } from '../../../domain/dates.js';
import { completeness, runsLength, type Day } from '../../../domain/day.js';
import type { ImportSummary } from '../../../domain/days.js';
import { lastBefore, relearnedYear, type RelearnedYear } from '../../../domain/source/reference.js';
import { source, relearnRefusal } from '../../../domain/source/source.js';
import { patchedDescription, type DescriptionPatch } from '../../../domain/source/sourceDescription.js';
import { referenceFacts } from '../../../domain/source/sourceState.js';
import { streams } from '../../../domain/streams.js';
import { importedDay } from '../../../projections/days/storedDays.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import type { CommandMetadata } from '../../commands/commandHandler.js';
import {
  createRelearned,
  isRelearned,
  relearnedImportId,
  type Relearned,
  analysisSeed,
} from '../../followUps/analyses.js';
import { requestedCovariates } from '../../followUps/covariates.js';
import { failAfterEffect } from '../../ports/eventStore.js';
import { requireCapacity, type Requester } from '../access.js';
import { appendImport } from './importDays.js';
import {
  afterOthers,
  checkOf,
  firstEventOf,
  type Describing,
  type Following,
  type Service,
} from '../service.js';
import {
  requireCovariates,
  requireFreeFeed,
  requireSourcePlace,
  claimName,
  reserveId,
  type CreatedSource,
} from './createSource.js';

/**
 * Changes the description of a source by a merge patch.
 * @throws Rejection `descriptionInvalid`, and `sourceNameTaken` unless duplicates are allowed
 */
export const describeSource = async (
  service: Describing,
  requester: Requester,
  setup: SourceSetup,
  { patch, allowDuplicate }: { readonly patch: DescriptionPatch; readonly allowDuplicate: boolean },
): Promise<void> => {
  const { id: sourceId, tenant } = setup;
  const metadata = await requester.begin();
  const isDependent = Boolean(patch.feed ?? patch.explainedBy);
  await afterOthers(service, { tenant, isDependent }, async () => {
    const present = service.models.sources.setup(sourceId) ?? setup;
    const { name, feed } = patchedDescription(present, patch);
    requireCovariates(service.models, { tenant, sourceId }, patch.explainedBy ?? []);
    requireFreeFeed(service.models, { tenant, sourceId }, patch.feed && feed);
    if (name !== present.name && !allowDuplicate)
      await claimName(service, { tenant, name, sourceId }, metadata);
    const command = { type: 'DescribeSource', requestId: metadata.id, patch } as const;
    await service.handle(source, streams.source(sourceId), command, metadata);
  });
  await service.caughtUp();
};

/** Archives a source: only the list of archived sources and the audit show it. Does nothing when it is archived. */
export const archiveSource = async (
  service: Pick<Service, 'handle' | 'caughtUp'>,
  requester: Requester,
  sourceId: number,
): Promise<void> => {
  const metadata = await requester.begin();
  const command = { type: 'ArchiveSource', requestId: metadata.id } as const;
  await service.handle(source, streams.source(sourceId), command, metadata);
  await service.caughtUp();
};

/**
 * Restores an archived source and checks its recent days again; does nothing when it is not archived.
 * @returns whether the check is complete; false when it takes longer than a request waits
 * @throws Rejection `sourceNameTaken` unless duplicates are allowed, `descriptionInvalid` when its feed is taken,
 *         `tooManySources`
 */
export const restoreSource = async (
  service: Describing & Following,
  requester: Requester,
  { id: sourceId, tenant, name, archivedAt, feed }: SourceSetup,
  allowDuplicate: boolean,
): Promise<boolean> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  const { events } = await afterOthers(service, { tenant, isDependent: feed !== null }, async () => {
    if (archivedAt !== null) requireSourcePlace(service, tenant);
    if (archivedAt !== null) requireFreeFeed(service.models, { tenant, sourceId }, feed);
    if (archivedAt !== null && !allowDuplicate)
      await claimName(service, { tenant, name, sourceId }, metadata);
    const command = { type: 'RestoreSource', requestId: metadata.id } as const;
    return service.handle(source, streams.source(sourceId), command, metadata);
  });
  return (await checkOf(service, events[0]?.id)).checked;
};

/** The parts of the service that this uses. */
export type RelearningService = Pick<
  Service,
  'handle' | 'models' | 'caughtUp' | 'environment' | 'log' | 'backlog' | 'backlogOf' | 'tomorrowIn'
>;

/**
 * Creates a source from the last full year of recent days of another one, which is archived. The days are stored first.
 * Then one append in the stream of the old source decides: it is archived and says what the new one is. The new source
 * follows from that event, by the process manager after a crash.
 * @throws Rejection `recentTooShort`; `sourceRelearned` or `sourceNotFound` for an archived source
 */
export const relearnSource = async (
  service: RelearningService,
  requester: Requester,
  setup: SourceSetup,
): Promise<CreatedSource> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  const earlier = metadata.isRetry ? await relearnedBy(service, setup, metadata) : undefined;
  if (!earlier && setup.archivedAt !== null) throw relearnRefusal(setup.id, setup.relearnedAs);
  const relearned = earlier ?? (await relearn(service, setup, metadata));
  // The old source is archived from here on.
  await createRelearned(service, relearned).catch(failAfterEffect);
  await service.caughtUp();
  const { sourceId, requestId: importId } = relearned.data.created;
  return { sourceId, importId };
};

/** The event that an earlier attempt of the request appended. */
const relearnedBy = async (
  service: Pick<Service, 'log'>,
  { id }: SourceSetup,
  metadata: CommandMetadata,
): Promise<Relearned | undefined> => {
  const known = await firstEventOf(service, streams.source(id), metadata.id);
  return known && isRelearned(known) ? known : undefined;
};

/**
 * The last year of recent days before the first date in progress, at most up to tomorrow, and the last date that counts
 * when later ones are left out.
 * @throws Rejection
 */
const yearUpTo = (
  { models, tomorrowIn }: Pick<RelearningService, 'models' | 'tomorrowIn'>,
  { id, timeZone }: SourceSetup,
  at: string,
): { readonly year: RelearnedYear; readonly countedTo: string | undefined } => {
  const tomorrow = tomorrowIn(timeZone, at);
  const recent = models.days.learnability(id);
  const open = models.days.firstOpen(id);
  const last = open === undefined ? tomorrow : lastBefore(open, tomorrow);
  const hasLater = (recent.at(-1)?.date ?? '') > last;
  return { year: relearnedYear(recent, last), countedTo: hasLater ? last : undefined };
};

const relearn = async (
  service: RelearningService,
  setup: SourceSetup,
  metadata: CommandMetadata,
): Promise<Relearned> => {
  const { id: relearnedFrom, tenant, activitySize, interpolationMethod, aggregation, timeZone } = setup;
  const { days: stored, planning } = service.models;
  const { year, countedTo } = yearUpTo(service, setup, metadata.at);
  const importId = relearnedImportId(metadata.id, stored.revision(relearnedFrom), countedTo);
  const days = stored.between(relearnedFrom, 'recent', year.from, dayAfter(year.to)).map(importedDay);
  const coverage = planning.learned(relearnedFrom).bounds?.targetCoverage ?? null;
  const minChange = proposedMinChange(days);
  const sourceId = await reserveId(service, importId, { ...metadata, id: importId, isRetry: false });
  const summary = summaryOf(relearnedFrom, year, days, stored.firstOpen(relearnedFrom));
  const imported = { days, summary };
  await appendImport(service, { sourceId, kind: 'reference', imported }, importId, metadata);
  const created = {
    sourceId,
    tenant,
    requestId: importId,
    seed: analysisSeed,
    relearnedFrom,
    ...(countedTo !== undefined && { countedTo }),
    activitySize,
    interpolationMethod,
    aggregation,
    timeZone,
    calendar: setup.calendarGiven,
    referenceYear: yearOf(dayNumber(year.from)),
    reference: referenceFacts(days),
    ...(coverage !== null && { coverage }),
    ...(minChange && { minChange }),
    ...requestedCovariates(service.models, setup.explainedBy, year),
  };
  const command = { type: 'RelearnSource', requestId: metadata.id, created } as const;
  const { events } = await service.handle(source, streams.source(relearnedFrom), command, metadata);
  const [event] = events;
  if (event?.type === 'SourceRelearned') return { id: event.id, data: event.data, metadata };
  // Another instance decided a concurrent attempt of this request.
  const decided = await relearnedBy(service, setup, metadata);
  if (!decided) throw new Error('a source was learned again without an event');
  return decided;
};

const summaryOf = (
  sourceId: number,
  { from, to }: RelearnedYear,
  days: readonly Day[],
  open: string | undefined,
): ImportSummary => {
  const outOfIt =
    open === undefined
      ? []
      : [
          `days from ${open} on are no reference days, because ${open} is in progress; their values stay in source ` +
            `${sourceId}: send them to the new source again`,
        ];
  const count = (runs: (day: Day) => Day['gaps']): number =>
    days.reduce((sum, day) => sum + runsLength(runs(day)), 0);
  const complete = days.filter(day => completeness(day) === 1).length;
  return {
    lines: 0,
    days: days.length,
    missingSamples: count(day => day.gaps) - count(day => day.skipped ?? []),
    filledSamples: count(day => day.filled),
    duplicates: 0,
    warnings: [],
    notes: [
      `recent days of source ${sourceId}, ${from} to ${to}: ${days.length}, ${complete} of them complete`,
      ...outOfIt,
    ],
  };
};
