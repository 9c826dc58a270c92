import { engine } from '../../../analysis/engine.js';
import { streams } from '../../../domain/streams.js';
import type { ModelChange } from '../../../domain/planning/modelChange.js';
import { Rejection } from '../../../domain/rejection.js';
import { source } from '../../../domain/source/source.js';
import type { SourceSetup } from '../../../projections/sources/sourceRecords.js';
import { ownSource } from '../../access/access.js';
import { requireCapacity } from '../../sharing/capacity.js';
import { checkedInTime } from '../../checks/awaitCheck.js';
import type { Requester } from '../../access/requester.js';
import type { Service } from '../../service.js';

/** A changed model: the event that caused a check, undefined when none is necessary. */
export type ChangedModel = { readonly causeId: string | undefined; readonly checked: boolean };

/** Maximum attempts when others change the models at the same time. */
const attemptsMax = 3;

/**
 * Changes the name, the colour or the anomaly flag of a model. When the flag changes, the planning follows and all
 * recent days are checked again; for models that people supplied the reference days are assigned again before.
 * @throws Rejection `modelNotFound`, `modelsInvalid`, `modelsOutdated`
 */
export const changeModel = async (
  service: Service,
  requester: Requester,
  { id: sourceId }: SourceSetup,
  { modelId, change }: { readonly modelId: number; readonly change: ModelChange },
): Promise<ChangedModel> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  const stream = streams.source(sourceId);
  for (let attempt = 1; ; attempt += 1) {
    const { modelsVersion, modelsOrigin } = ownSource(service.models, requester.actor, sourceId);
    const assignments =
      modelsOrigin === 'custom' ? await assignmentsAfter(service, sourceId, { modelId, change }) : null;
    const basis = { engine, modelsVersion, assignments };
    const command = { type: 'ChangeModel', requestId: metadata.id, modelId, change, ...basis } as const;
    try {
      const { events } = await service.handle(source, stream, command, metadata);
      await service.caughtUp();
      const causeId = events.find(({ type }) => type === 'ModelAnomalyChanged')?.id;
      return { causeId, checked: causeId === undefined || (await checkedInTime(service, causeId)) };
    } catch (error) {
      const isOutdated = error instanceof Rejection && error.code === 'modelsOutdated';
      if (!isOutdated || attempt === attemptsMax) throw error;
      await service.caughtUp();
    }
  }
};

/** Nearest models of the reference days if the anomaly flag of a model changes; null otherwise. */
const assignmentsAfter = async (
  { models, analyst }: Service,
  sourceId: number,
  { modelId, change: { anomaly } }: { readonly modelId: number; readonly change: ModelChange },
) => {
  const list = models.models.list(sourceId);
  if (anomaly === undefined || list.every(model => model.id !== modelId || model.anomaly === anomaly))
    return null;
  const changed = list.map(model => (model.id === modelId ? { ...model, anomaly } : model));
  return analyst.run({ kind: 'nearestModels', days: models.days.reference(sourceId), models: changed });
};
