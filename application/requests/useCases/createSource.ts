import { proposedMinChange } from '../../../analysis/checking/floor.js';
import { catalog, claimMs, claimsAgainst, type NameClaim } from '../../../domain/catalog.js';
import { dateOf, dayNumber, year } from '../../../domain/dates.js';
import { lookUp } from '../../../domain/keyed.js';
import { rulesFor } from '../../../domain/planning/calendarRules.js';
import { Rejection, type Fault } from '../../../domain/rejection.js';
import type { MinChange } from '../../../domain/source/minChange.js';
import type { Feed } from '../../../domain/source/feed.js';
import { source } from '../../../domain/source/source.js';
import {
  descriptionFacts,
  descriptionIn,
  patchedDescription,
  type DescriptionPatch,
} from '../../../domain/source/sourceDescription.js';
import { referenceFacts, type SourceFacts } from '../../../domain/source/sourceState.js';
import { streams } from '../../../domain/streams.js';
import type { ReadModels } from '../../../projections/readModels.js';
import { type CommandMetadata, stateOf } from '../../commands/commandHandler.js';
import { analysisSeed } from '../../followUps/analyses.js';
import { requestedCovariates } from '../../followUps/covariates.js';
import { requireCapacity, type Requester } from '../access.js';
import { appendImport } from './importDays.js';
import type { ImportedDays } from '../imports/assembleDays.js';
import { afterOthers, type Clock, type Describing, type Following, type Service } from '../service.js';

/**
 * Faults of the covariates of a source: each must be another source of the tenant that is not archived, and must not be
 * explained by this one, directly or through others.
 * @param sourceId the source; undefined for a new one
 */
export const covariateFaults = (
  { sources }: { readonly sources: Pick<ReadModels['sources'], 'setup'> },
  { tenant, sourceId }: { readonly tenant: string; readonly sourceId: number | undefined },
  ids: readonly number[],
): Fault[] => {
  /** Whether a source is explained by this one, directly or through others. */
  const dependsOnSource = (id: number): boolean => {
    if (sourceId === undefined) return false;
    const reached = new Set([id]);
    // The loop also visits the ids that it adds. A source that was learned again goes on as another one.
    for (const one of reached) {
      const { explainedBy = [], relearnedAs = null } = sources.setup(one) ?? {};
      for (const other of [...explainedBy, ...(relearnedAs === null ? [] : [relearnedAs])])
        reached.add(other);
    }
    return reached.has(sourceId);
  };
  return ids.flatMap((id, index) => {
    const fault = (detail: string): Fault => ({
      code: 'explainedBy',
      pointer: `/explainedBy/${index}`,
      detail,
    });
    const setup = sources.setup(id);
    if (id === sourceId) return fault(`got source ${id} itself, expected other sources`);
    if (setup?.tenant !== tenant || setup.archivedAt !== null)
      return fault(`got ${id}, expected the id of a source: there is no source ${id}`);
    return dependsOnSource(id)
      ? fault(`got source ${id}, expected one that source ${sourceId} does not explain: a circle`)
      : [];
  });
};

/**
 * Refuses covariates that break a rule.
 * @throws Rejection `descriptionInvalid` with a JSON Pointer to each fault
 */
export const requireCovariates = (
  models: { readonly sources: Pick<ReadModels['sources'], 'setup'> },
  owner: { readonly tenant: string; readonly sourceId: number | undefined },
  ids: readonly number[],
): void => {
  const faults = covariateFaults(models, owner, ids);
  if (faults.length > 0)
    throw new Rejection('descriptionInvalid', 'the description of the source is not valid', faults);
};

/**
 * Refuses a feed that another source of the tenant has.
 * @param sourceId the source; undefined for a new one
 * @throws Rejection `descriptionInvalid`
 */
export const requireFreeFeed = (
  { sources }: { readonly sources: Pick<ReadModels['sources'], 'fed'> },
  { tenant, sourceId }: { readonly tenant: string; readonly sourceId: number | undefined },
  feed: Feed | null | undefined,
): void => {
  const other = feed ? sources.fed(tenant, feed, sourceId) : undefined;
  if (other === undefined) return;
  throw new Rejection('descriptionInvalid', 'the description of the source is not valid', [
    {
      code: 'feedTaken',
      pointer: '/feed',
      detail: `got the feed that source ${other} has, expected one of no other source: change or remove it there first`,
    },
  ]);
};

/** Refuses one more source of a tenant. @throws Rejection `tooManySources` */
export const requireSourcePlace = (
  { models, sourcesMax }: Pick<Describing, 'models' | 'sourcesMax'>,
  tenant: string,
): void => {
  const next = models.sources.presentIds(tenant).length + 1;
  if (next > sourcesMax)
    throw new Rejection(
      'tooManySources',
      `got source ${next} of the tenant, expected at most ${sourcesMax}: archive one`,
    );
};

/** A name that a source is to get. */
type WantedName = Pick<NameClaim, 'tenant' | 'name'> & {
  /** Absent for a source without an id. */
  readonly sourceId?: number;
};

/**
 * Refuses a name that another source of the tenant has, as the read models know it.
 * @throws Rejection `sourceNameTaken`
 */
const requireFreeName = ({ models }: Pick<Service, 'models'>, wanted: WantedName): void => {
  const other = models.sources.named(wanted.tenant, wanted.name, wanted.sourceId);
  if (other !== undefined)
    throw new Rejection(
      'sourceNameTaken',
      `got the name "${wanted.name}", which source ${other} has; allowDuplicate=true gives it to both`,
    );
};

/**
 * Claims a name for a source, right before the event that sets it. When requests for one name arrive at the same time,
 * also on several instances, the first claim in the catalog wins.
 * @throws Rejection `sourceNameTaken` when another source has the name or is getting it
 */
export const claimName = async (
  service: Pick<Service, 'models' | 'handle'>,
  wanted: Required<WantedName>,
  metadata: CommandMetadata,
): Promise<void> => {
  const step = { ...metadata, id: `${metadata.id}/name` };
  const claim: NameClaim = {
    ...wanted,
    requestId: metadata.id,
    at: metadata.at,
    until: new Date(Date.parse(metadata.at) + claimMs).toISOString(),
  };
  const state = await stateOf(service, catalog, streams.catalog);
  requireFreeName(service, wanted);
  const finished = claimsAgainst(state, claim)
    .map(({ requestId }) => requestId)
    .filter(service.models.sources.hasNamed);
  await service.handle(catalog, streams.catalog, { type: 'ClaimSourceName', claim, finished } as const, step);
};

/** Settings of a new source that the client chooses. */
export type SourceChoices = Pick<
  SourceFacts,
  'interpolationMethod' | 'aggregation' | 'calendar' | 'timeZone' | 'referenceYear'
> & {
  readonly description: DescriptionPatch & { readonly name: string };
  /** Whether another source of the tenant may have the same name. */
  readonly allowDuplicate: boolean;
  /** Target coverage, 0.9 to 0.995; undefined for the default limits. */
  readonly coverage: number | undefined;
};

/** Ids of a new source and of the import of its reference days. */
export type CreatedSource = { readonly sourceId: number; readonly importId: string };

/** How a source begins: with its reference days, or without any. */
type Beginning = {
  readonly facts: Pick<SourceFacts, 'activitySize' | 'reference' | 'collects'>;
  /** The floor of a source that was given none. */
  readonly minChange: MinChange | null;
  /** Stores the reference days. */
  readonly store: (sourceId: number, metadata: CommandMetadata) => Promise<unknown>;
};

/** Creates a source; its event comes last and makes it visible. */
const create = async (
  service: Describing & Following,
  requester: Requester,
  { coverage, description, allowDuplicate, ...choices }: SourceChoices,
  beginning: Beginning,
): Promise<CreatedSource> => {
  requireCapacity(service, requester.actor, 'creation');
  const described = descriptionFacts(patchedDescription(descriptionIn({ name: '' }), description));
  const { name } = described;
  const { tenant } = requester.actor;
  const metadata = await requester.begin();
  const requestId = metadata.id;
  // A repeated request may meet its own source, and so may a slow first attempt whose retry was faster.
  const mayMeetItself = metadata.isRetry || service.models.sources.hasNamed(requestId);
  if (!allowDuplicate && !mayMeetItself) requireFreeName(service, { tenant, name });
  if (!mayMeetItself) requireSourcePlace(service, tenant);
  const requireExplaining = (): void =>
    requireCovariates(service.models, { tenant, sourceId: undefined }, described.explainedBy ?? []);
  if (!mayMeetItself) requireExplaining();
  if (!mayMeetItself) requireFreeFeed(service.models, { tenant, sourceId: undefined }, described.feed);
  const sourceId = await reserveId(service, requestId, metadata);
  // A retry creates the source when no earlier attempt did: covariates of another tenant are refused then, too.
  if (service.models.sources.setup(sourceId) === undefined) requireExplaining();
  await beginning.store(sourceId, metadata);
  if (!allowDuplicate && service.models.sources.setup(sourceId) === undefined)
    await claimName(service, { tenant, name, sourceId }, metadata);
  const minChange = described.minChange ?? beginning.minChange;
  const facts: SourceFacts = {
    ...{ sourceId, tenant, ...described, ...(minChange && { minChange }) },
    ...choices,
    ...beginning.facts,
    ...firstRules(service, tenant, described.labels ?? {}),
  };
  const command = {
    type: 'CreateSource',
    requestId,
    facts,
    seed: analysisSeed,
    ...(coverage === undefined ? {} : { coverage }),
    ...(facts.collects ? {} : requestedCovariates(service.models, facts.explainedBy, facts.reference)),
  } as const;
  await afterOthers(service, { tenant, isDependent: Boolean(described.feed) }, async () => {
    if (service.models.sources.setup(sourceId) === undefined) requireSourcePlace(service, tenant);
    requireFreeFeed(service.models, { tenant, sourceId }, described.feed);
    await service.handle(source, streams.source(sourceId), command, metadata);
  });
  await service.caughtUp();
  return { sourceId, importId: requestId };
};

/** The rules for the labels of a new source, so that its first models know them; empty for none. */
const firstRules = (
  { models }: Pick<Service, 'models'>,
  tenant: string,
  labels: Readonly<Record<string, string>>,
): Pick<SourceFacts, 'calendarRules'> => {
  const calendar = models.calendarRules.calendarOf(tenant);
  const rules = calendar ? rulesFor(calendar, labels) : [];
  return calendar && rules.length > 0
    ? { calendarRules: { cleared: [], rules, followed: calendar.revision } }
    : {};
};

/**
 * Creates a source from valid reference days. The days are stored first; the source makes them visible.
 * The process manager then starts the analysis.
 * @throws Rejection `descriptionInvalid`, `tooManySources`, and `sourceNameTaken` unless duplicates are allowed
 */
export const createSource = (
  service: Describing & Following & Pick<Service, 'environment'>,
  requester: Requester,
  choices: SourceChoices,
  imported: ImportedDays,
): Promise<CreatedSource> =>
  create(service, requester, choices, {
    facts: { activitySize: imported.activitySize, reference: referenceFacts(imported.days) },
    minChange: proposedMinChange(imported.days),
    store: (sourceId, metadata) =>
      appendImport(service, { sourceId, kind: 'reference', imported }, metadata.id, metadata),
  });

/**
 * Creates a source without a reference, which it collects from its recent days.
 * @throws as `createSource`
 */
export const createCollectingSource = (
  service: Describing & Following & Clock,
  requester: Requester,
  { activitySize, ...choices }: Omit<SourceChoices, 'referenceYear'> & Pick<SourceFacts, 'activitySize'>,
): Promise<CreatedSource> => {
  const today = dateOf(dayNumber(service.tomorrowIn(choices.timeZone ?? 'UTC', service.now())) - 1);
  const reference = { from: today, to: today, days: 0, completeDays: 0, completeness: 0 };
  return create(
    service,
    requester,
    { ...choices, referenceYear: year(dayNumber(today)) },
    { facts: { activitySize, reference, collects: true }, minChange: null, store: async () => {} },
  );
};

/** Reserves an id for a new source; a repeated request gets the same. */
export const reserveId = async (
  { handle }: Pick<Service, 'handle'>,
  requestId: string,
  metadata: CommandMetadata,
): Promise<number> => {
  const { state } = await handle(
    catalog,
    streams.catalog,
    { type: 'ReserveSourceId', requestId } as const,
    metadata,
  );
  const sourceId = lookUp(state.reserved, requestId);
  if (sourceId === undefined) throw new Error(`no id was reserved for request ${requestId}`);
  return sourceId;
};
