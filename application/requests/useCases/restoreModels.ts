import { decode } from '../../../domain/events.js';
import { isModelsEvent, modelsAfter, type SetModels } from '../../../domain/planning/earlierModels.js';
import { Rejection } from '../../../domain/rejection.js';
import { source } from '../../../domain/source/source.js';
import { streams } from '../../../domain/streams.js';
import { eventId } from '../../commands/commandHandler.js';
import { changedSource, type Requester } from '../access.js';
import { requireCapacity } from '../capacity.js';
import { checkedInTime, type Deciding, type Following, type Service } from '../service.js';

/** Earlier models that a person wants back. */
export type ModelsRestoring = {
  readonly sourceId: number;
  readonly modelsVersion: number;
  /** Whether overrides of the planning are carried to them; they are dropped otherwise. */
  readonly keepPlanning: boolean;
};

/** The models of a version as they were last, with names and colours that people gave them. */
export const modelsOf = async (
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
  const earlier = await modelsOf(service, restoring);
  if (!earlier)
    throw new Rejection(
      'modelsVersionNotFound',
      `source ${sourceId} never had version ${modelsVersion} of its models`,
    );
  const metadata = await requester.begin();
  const stream = streams.source(sourceId);
  const command = { type: 'RestoreModels', requestId: metadata.id, earlier, keepPlanning } as const;
  await service.handle(source, stream, command, metadata);
  await service.caughtUp();
  const causeId = eventId(stream, metadata.id, 0);
  return { causeId, checked: await checkedInTime(service, causeId) };
};
