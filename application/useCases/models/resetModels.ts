import { streams } from '../../../domain/streams.js';
import { source } from '../../../domain/source/source.js';
import { ownSource, ownSourceOrArchived } from '../../access/access.js';
import { requireCapacity } from '../../sharing/capacity.js';
import { requestedCovariates } from '../../covariates/readings.js';
import { eventId } from '../../commandHandler.js';
import type { Requester } from '../../access/requester.js';
import { analysisSeed, outcomeTimeoutMs, type Service } from '../../service.js';

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
export type ResetOutcome = {
  readonly end: 'done' | 'late' | 'failed' | 'superseded';
  /** Id of the event that sets the models and causes the check. */
  readonly causeId: string;
};

/** Requests the analysis of a source's reference days and waits for its models and their check. */
export const resetModels = async (
  service: Service,
  requester: Requester,
  { sourceId, ...reset }: ModelsReset,
): Promise<ResetOutcome> => {
  requireCapacity(service, requester.actor);
  const metadata = await requester.begin();
  const requestId = metadata.id;
  const stream = streams.source(sourceId);
  // The decision refuses a retry whose event is not stored.
  const own = metadata.isRetry ? ownSourceOrArchived : ownSource;
  const { explainedBy, reference } = own(service.models, requester.actor, sourceId);
  const covariates = requestedCovariates(service.models, explainedBy, reference);
  await service.handle(source, stream, resetCommand(requestId, reset, covariates), metadata);
  // The process manager appends ModelsReset under the id of the event that requested it.
  const causeId = eventId(stream, `${eventId(stream, requestId, 0)}/analysis`, 0);
  await service.caughtUp();
  const end = await service.waiters.until(
    () => resetEnd(service, requester, { sourceId, requestId, causeId }),
    outcomeTimeoutMs,
  );
  return { end: end ?? 'late', causeId };
};

/** Outcome of a reset in the read models, undefined while it is running. */
const resetEnd = (
  { models }: Service,
  { actor }: Requester,
  { sourceId, requestId, causeId }: Readonly<Record<'requestId' | 'causeId', string>> & { sourceId: number },
): ResetOutcome['end'] | undefined => {
  if (models.days.check(causeId).complete) return 'done';
  const { pendingRequestId, analysis } = ownSourceOrArchived(models, actor, sourceId);
  if (pendingRequestId === requestId || models.planning.setBy(sourceId) === causeId) return undefined;
  return analysis.status === 'failed' && analysis['requestId'] === requestId ? 'failed' : 'superseded';
};
