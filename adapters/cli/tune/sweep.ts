import { availableParallelism } from 'node:os';
import {
  asCreated,
  firstSettings,
  laterSettings,
  settingsCount,
  tune,
  type Sweep,
} from '../../../analysis/tuning/tune.js';
import type { Asked, TriedSetting, TuneData } from '../../../analysis/tuning/trySetting.js';
import { analyst } from '../../analyst.js';

/** Settings whose answers a sweep may wait for at once: a queue is bounded, and each holds a copy of the days. */
const underWayMax = 4;

/** Values of a reference below which a setting takes less time than a thread needs to start. */
const threadedValues = 3000;

/**
 * The sweep of analysis/tuning/tune.ts in worker threads, where there are cores and settings enough for them to pay.
 * The answer is the same in the same order, whichever thread is faster.
 */
export const sweepInThreads = async (
  data: TuneData,
  sweep: Sweep,
  progress: (done: number, of: number) => void,
): Promise<TriedSetting[]> => {
  const values = data.reference.reduce((sum, { activity }) => sum + activity.length, 0);
  if (values < threadedValues || availableParallelism() < 2 || sweep.counts.length + sweep.levels.length < 2)
    return tune(data, sweep, progress);
  let broken: unknown;
  const { run, close } = analyst(error => (broken = error));
  const count = settingsCount(sweep);
  let done = 0;
  let of = count(1);
  const tryAll = async (settings: readonly Asked[]): Promise<TriedSetting[]> => {
    const results: TriedSetting[] = [];
    let next = 0;
    const takeTurns = async (): Promise<void> => {
      while (next < settings.length) {
        const index = next;
        next += 1;
        results[index] = await run({ kind: 'trySetting', data, asked: settings[index] ?? asCreated });
        done += 1;
        progress(done, of);
      }
    };
    await Promise.all(Array.from({ length: underWayMax }, takeTurns));
    return results;
  };
  try {
    const first = await tryAll(firstSettings(sweep));
    const chosen = first[0]?.models.length ?? 1;
    of = count(chosen);
    return [...first, ...(await tryAll(laterSettings(sweep, chosen)))];
  } catch (error) {
    throw broken ?? error;
  } finally {
    await close();
  }
};
