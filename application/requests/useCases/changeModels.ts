import { engine } from '../../../analysis/engine.js';
import { resample } from '../../../domain/day.js';
import { decode } from '../../../domain/events.js';
import {
  isModelsEvent,
  modelsAfter,
  type SetModels,
  editedIds,
  type EditedModels,
} from '../../../domain/planning/editedModels.js';
import type { ModelChange } from '../../../domain/planning/modelChange.js';
import { storedName } from '../../../domain/planning/planTexts.js';
import { requireModels, type Model, type ModelDraft } from '../../../domain/planning/models.js';
import { Rejection } from '../../../domain/rejection.js';
import { source } from '../../../domain/source/source.js';
import { streams } from '../../../domain/streams.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { eventId } from '../../commands/commandHandler.js';
import { analysisSeed } from '../../followUps/analyses.js';
import { requestedCovariates } from '../../followUps/covariates.js';
import { type Requester, ownSourceOrArchived, requireCapacity, changedSource } from '../access.js';
import { requireReference } from '../collector.js';
import {
  checkOf,
  type Checked,
  isCheckOver,
  type Clock,
  type Deciding,
  type Following,
  type Service,
} from '../service.js';

/** Maximum attempts when others change the models at the same time. */
const attemptsMax = 3;

/**
 * Changes the name, the colour or the anomaly flag of a model. When the flag changes, the planning follows and all
 * recent days are checked again; for models that people supplied the reference days are assigned again before.
 * @throws Rejection `modelNotFound`, `modelsInvalid`, `modelsOutdated`
 */
export const changeModel = async (
  service: Deciding & Following & Pick<Service, 'analyst'>,
  requester: Requester,
  { id: sourceId }: SourceSetup,
  { modelId, change: sent }: { readonly modelId: number; readonly change: ModelChange },
): Promise<Checked> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  const model = service.models.typicalDays.one(sourceId, modelId);
  const { name } = sent;
  const change = name === undefined ? sent : { ...sent, name: storedName(model, name) };
  const stream = streams.source(sourceId);
  for (let attempt = 1; ; attempt += 1) {
    const { modelsVersion, modelsOrigin } = ownSourceOrArchived(service.models, requester.actor, sourceId);
    const assignments =
      modelsOrigin === 'custom' ? await assignmentsAfter(service, sourceId, { modelId, change }) : null;
    const basis = { engine, modelsVersion, assignments };
    const command = { type: 'ChangeModel', requestId: metadata.id, modelId, change, ...basis } as const;
    try {
      const { events } = await service.handle(source, stream, command, metadata);
      return await checkOf(service, events.find(({ type }) => type === 'ModelAnomalyChanged')?.id);
    } catch (error) {
      const isOutdated = error instanceof Rejection && error.code === 'modelsOutdated';
      if (!isOutdated || attempt === attemptsMax) throw error;
      await service.caughtUp();
    }
  }
};

/** Nearest models of the reference days if the anomaly flag of a model changes; null otherwise. */
const assignmentsAfter = async (
  { models, analyst }: Pick<Service, 'models' | 'analyst'>,
  sourceId: number,
  { modelId, change: { anomaly } }: { readonly modelId: number; readonly change: ModelChange },
) => {
  const list = models.typicalDays.list(sourceId);
  if (anomaly === undefined || list.every(model => model.id !== modelId || model.anomaly === anomaly))
    return null;
  const changed = list.map(model => (model.id === modelId ? { ...model, anomaly } : model));
  return analyst.run({ kind: 'nearestModels', days: models.days.reference(sourceId), models: changed });
};

/** Replaced models; `checked` is false when the check of the recent days takes longer than a request waits. */
type ModelsReplacement = { readonly causeId: string; readonly checked: boolean };

/** A supplied model, with the id and the limits of the answer that it may be an edit of. */
type SuppliedModel = { readonly draft: ModelDraft; readonly id?: unknown; readonly limits?: unknown };

/** Models that replace those of a source. */
type ReplacingModels = {
  /** Their arrays have accepted lengths and are converted to the source's slices. */
  readonly supplied: readonly SuppliedModel[];
  /** Whether overrides of the planning are carried to these models; they are dropped otherwise. */
  readonly keepPlanning: boolean;
};

/** The supplied models that are edits of the present automatic ones; undefined when none is. */
const editsOf = async (
  service: Pick<Service, 'models' | 'log'>,
  { id: sourceId, modelsVersion, modelsOrigin }: SourceSetup,
  supplied: readonly SuppliedModel[],
): Promise<EditedModels | undefined> => {
  if (modelsOrigin !== 'automatic') return undefined;
  const from = editedIds(supplied, service.models.typicalDays.list(sourceId));
  if (from.every(id => id === null)) return undefined;
  const present = await modelsOf(service, { sourceId, modelsVersion });
  return present?.type === 'ModelsReset' ? { present: present.data, from, countsPlanned: true } : undefined;
};

/**
 * Replaces all models of a source and waits for the check of all recent days. Edits of present automatic models keep
 * their limits.
 * @throws Rejection `modelsInvalid` with a JSON Pointer to each fault, `modelsOutdated`
 */
export const replaceModels = async (
  service: Deciding & Following & Pick<Service, 'analyst' | 'log'>,
  requester: Requester,
  setup: SourceSetup,
  { supplied, keepPlanning }: ReplacingModels,
): Promise<ModelsReplacement> => {
  requireCapacity(service, requester.actor);
  const { id, activitySize, aggregation } = setup;
  const present = new Map<unknown, Model>(
    service.models.typicalDays.list(id).map(model => [model.id, model]),
  );
  const drafts = supplied.map(one => ({
    ...one.draft,
    name: storedName(present.get(one.id), one.draft.name),
  }));
  requireModels(drafts);
  const fitted = (profile: readonly number[]) => resample(profile, activitySize, aggregation);
  const models = drafts.map(model => ({
    ...model,
    activity: fitted(model.activity),
    topTolerance: fitted(model.topTolerance),
    bottomTolerance: fitted(model.bottomTolerance),
  }));
  const metadata = await requester.begin();
  const days = service.models.days.reference(id);
  const assignments = await service.analyst.run({ kind: 'nearestModels', days, models });
  const edited = await editsOf(service, setup, supplied);
  const replacement = { requestId: metadata.id, models, engine, assignments, keepPlanning };
  const command = { type: 'ReplaceModels', ...replacement, ...(edited && { edited }) } as const;
  const stream = streams.source(id);
  await service.handle(source, stream, command, metadata);
  return checkOf(service, eventId(stream, metadata.id, 0));
};

/** Request for new automatic models. */
export type ModelsReset = {
  readonly sourceId: number;
  readonly modelCount: number;
  /** Target coverage, 0.9 to 0.995; undefined for the default limits. */
  readonly coverage: number | undefined;
  /** Whether overrides of the planning are carried to the new models; they are dropped otherwise. */
  readonly keepPlanning: boolean;
};

/**
 * The command that requests new automatic models.
 * @param covariates values of the sources that explain this one, as they are now
 */
export const resetCommand = (
  requestId: string,
  { modelCount, coverage, keepPlanning }: Omit<ModelsReset, 'sourceId'>,
  covariates: ReturnType<typeof requestedCovariates>,
) =>
  ({
    type: 'RequestModelsReset',
    requestId,
    modelCount,
    seed: analysisSeed,
    keepPlanning,
    ...(coverage === undefined ? {} : { coverage }),
    ...covariates,
  }) as const;

/**
 * Outcome of a reset: `done` with all recent days checked, `late` when it takes longer than the request waits,
 * `failed` when the analysis failed, `superseded` when a newer reset or replacement took its place.
 */
type ResetOutcome = {
  readonly end: 'done' | 'late' | 'failed' | 'superseded';
  /** Id of the event that sets the models and causes the check. */
  readonly causeId: string;
};

/** Requests the analysis of a source's reference days and waits for its models and their check. */
export const resetModels = async (
  service: Deciding & Following & Clock,
  requester: Requester,
  { sourceId, ...reset }: ModelsReset,
): Promise<ResetOutcome> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  const requestId = metadata.id;
  const stream = streams.source(sourceId);
  // The decision refuses an archived source, unless the event of the request is stored.
  const setup = ownSourceOrArchived(service.models, requester.actor, sourceId);
  requireReference(service, setup);
  const { explainedBy, reference } = setup;
  const covariates = requestedCovariates(service.models, explainedBy, reference);
  await service.handle(source, stream, resetCommand(requestId, reset, covariates), metadata);
  // The process manager appends ModelsReset under the id of the event that requested it.
  const causeId = eventId(stream, `${eventId(stream, requestId, 0)}/analysis`, 0);
  await service.caughtUp();
  const end = await service.waiters.outcome(() =>
    resetEnd(service, requester, { sourceId, requestId, causeId }),
  );
  return { end: end ?? 'late', causeId };
};

/** Outcome of a reset in the read models, undefined while it is running. */
const resetEnd = (
  { models }: Pick<Service, 'models'>,
  { actor }: Requester,
  { sourceId, requestId, causeId }: Readonly<Record<'requestId' | 'causeId', string>> & { sourceId: number },
): ResetOutcome['end'] | undefined => {
  if (isCheckOver(models, causeId)) return 'done';
  const { pendingRequestId, analysis } = ownSourceOrArchived(models, actor, sourceId);
  if (pendingRequestId === requestId || models.planning.setBy(sourceId) === causeId) return undefined;
  return analysis.status === 'failed' && analysis['requestId'] === requestId ? 'failed' : 'superseded';
};

/** Earlier models that a person wants back. */
export type ModelsRestoring = {
  readonly sourceId: number;
  readonly modelsVersion: number;
  /** Whether overrides of the planning are carried to them; they are dropped otherwise. */
  readonly keepPlanning: boolean;
};

/** The models of a version as they were last, with names and colours that people gave them. */
const modelsOf = async (
  { log }: Pick<Service, 'log'>,
  { sourceId, modelsVersion }: Pick<ModelsRestoring, 'sourceId' | 'modelsVersion'>,
): Promise<SetModels | undefined> => {
  let models: SetModels | undefined;
  for await (const event of log.read(streams.source(sourceId))) {
    const known = decode(event);
    if (!known || !isModelsEvent(known)) continue;
    if ('modelsVersion' in known.data && known.data.modelsVersion > modelsVersion) break;
    models = modelsAfter(models, known);
  }
  return models?.data.modelsVersion === modelsVersion ? models : undefined;
};

/**
 * Sets earlier models of a source again and waits for the check of all recent days.
 * @throws Rejection `sourceNotFound`, `modelsVersionNotFound`, `modelsCurrent`
 */
export const restoreModels = async (
  service: Deciding & Following & Pick<Service, 'log'>,
  requester: Requester,
  restoring: ModelsRestoring,
): Promise<{ readonly causeId: string; readonly checked: boolean }> => {
  const { sourceId, modelsVersion, keepPlanning } = restoring;
  requireCapacity(service, requester.actor);
  changedSource(service.models, requester, sourceId);
  const metadata = await requester.begin();
  const earlier = await modelsOf(service, restoring);
  if (!earlier)
    throw new Rejection(
      'modelsVersionNotFound',
      `source ${sourceId} never had version ${modelsVersion} of its models`,
    );
  const stream = streams.source(sourceId);
  const command = { type: 'RestoreModels', requestId: metadata.id, earlier, keepPlanning } as const;
  await service.handle(source, stream, command, metadata);
  return checkOf(service, eventId(stream, metadata.id, 0));
};
