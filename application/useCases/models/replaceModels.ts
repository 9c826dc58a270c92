import { engine } from '../../../analysis/engine.js';
import { resample } from '../../../domain/day.js';
import { streams } from '../../../domain/streams.js';
import { modelFaults, type ModelDraft } from '../../../domain/planning/models.js';
import { Rejection } from '../../../domain/rejection.js';
import { source } from '../../../domain/source/source.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { ownSource } from '../../access/access.js';
import { requireCapacity } from '../../sharing/capacity.js';
import { checkedInTime } from '../../checks/awaitCheck.js';
import { eventId } from '../../commandHandler.js';
import type { Requester } from '../../access/requester.js';
import type { Service } from '../../service.js';

/** Faults listed in a refusal. */
const faultsMax = 100;

/** Replaced models; `checked` is false when the check of the recent days takes longer than a request waits. */
export type ModelsReplacement = { readonly causeId: string; readonly checked: boolean };

/** Models that replace those of a source. */
export type ReplacingModels = {
  /** Their arrays have accepted lengths and are converted to the source's slices. */
  readonly drafts: readonly ModelDraft[];
  /** Whether overrides of the planning are carried to these models; they are dropped otherwise. */
  readonly keepPlanning: boolean;
};

/**
 * Replaces all models of a source and waits for the check of all recent days.
 * @throws Rejection `modelsInvalid` with a JSON Pointer to each fault
 */
export const replaceModels = async (
  service: Service,
  requester: Requester,
  { id, activitySize, aggregation }: SourceSetup,
  { drafts, keepPlanning }: ReplacingModels,
): Promise<ModelsReplacement> => {
  requireCapacity(service, requester.actor);
  const faults = modelFaults(drafts);
  if (faults.length > 0)
    throw new Rejection('modelsInvalid', 'the models are not valid', faults.slice(0, faultsMax));
  const fitted = (profile: readonly number[]) => resample(profile, activitySize, aggregation);
  const models = drafts.map(model => ({
    ...model,
    activity: fitted(model.activity),
    topTolerance: fitted(model.topTolerance),
    bottomTolerance: fitted(model.bottomTolerance),
  }));
  const days = service.models.days.reference(id);
  const assignments = await service.analyst.run({ kind: 'nearestModels', days, models });
  const metadata = await requester.begin();
  // The decision refuses a retry whose event is not stored.
  if (!metadata.isRetry) ownSource(service.models, requester.actor, id);
  const replacement = { requestId: metadata.id, models, engine, assignments, keepPlanning };
  const command = { type: 'ReplaceModels', ...replacement } as const;
  const stream = streams.source(id);
  await service.handle(source, stream, command, metadata);
  const causeId = eventId(stream, metadata.id, 0);
  await service.caughtUp();
  return { causeId, checked: await checkedInTime(service, causeId) };
};
