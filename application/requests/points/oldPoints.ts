import { dayMs } from '../../../domain/dates.js';
import type { ReadModels } from '../../../projections/readModels.js';
import type { Environment } from '../../ports/environment.js';
import type { PointBuffer } from '../../ports/pointBuffer.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import { keptFrom, microsOf } from './sliceValues.js';

/** Time between two looks for old points, in ms. */
const everyMs = 3_600_000;

type Parts = {
  readonly models: Pick<ReadModels, 'sources'>;
  readonly buffer: Pick<PointBuffer, 'sources' | 'waiting' | 'lastBefore' | 'forget'>;
  readonly environment: Environment;
};

/**
 * Returns a function that forgets, once an hour, stored points of sources to which no new ones come: their points are
 * data of a household as well. Late readings of a register stay, because their age does not say when they came.
 */
export const oldPoints = ({
  models,
  buffer,
  environment,
}: Parts): ((signal: AbortSignal) => Promise<void>) => {
  let dueMs = -Infinity;
  const forgetOf = async (sourceId: number): Promise<void> => {
    const source = models.sources.setup(sourceId);
    if (!source) return;
    // Points that come meanwhile need the one before them.
    const [first] = await buffer.waiting(sourceId, 1);
    const last = await buffer.lastBefore(sourceId, first?.at ?? Number.MAX_SAFE_INTEGER);
    const from = microsOf(keptFrom(source, environment.nowMs()));
    // The slice of one that waits is computed from all of its points.
    const needed = first ? first.at - 1000 * dayMs : Infinity;
    if (last) await buffer.forget(sourceId, Math.min(from, last.at, needed));
  };
  return async signal => {
    if (!buffer.sources || environment.elapsedMs() < dueMs) return;
    dueMs = environment.elapsedMs() + everyMs;
    const yieldToEventLoop = eventLoopYielder(environment);
    for (const key of await buffer.sources()) {
      if (signal.aborted) return;
      if (key > 0) await forgetOf(key);
      await yieldToEventLoop();
    }
  };
};
