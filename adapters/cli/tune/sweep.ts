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
import { analyst } from '../../workers/analyst.js';

/** Settings computed at once. Each of them holds a copy of the days. */
const concurrentMax = 4;

/** Values of a reference from which threads pay off. With fewer a setting takes less time than starting a thread. */
const threadedValuesMin = 3000;

/**
 * Tries all settings, in worker threads where they pay off. Results and their order are those of `tune`.
 * @param progress called after each setting with the number of tried settings and of all
 */
export const sweepInThreads = async (
  data: TuneData,
  sweep: Sweep,
  progress: (done: number, total: number) => void,
): Promise<TriedSetting[]> => {
  const values = data.reference.reduce((sum, { activity }) => sum + activity.length, 0);
  if (
    values < threadedValuesMin ||
    availableParallelism() < 2 ||
    sweep.counts.length + sweep.coverages.length < 2
  )
    return tune(data, sweep, progress);
  let broken: unknown;
  const { run, close } = analyst(error => (broken = error));
  const count = settingsCount(sweep);
  let done = 0;
  let total = count(1);
  const tryAll = async (settings: readonly Asked[]): Promise<TriedSetting[]> => {
    const results: TriedSetting[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < settings.length) {
        const index = next;
        next += 1;
        results[index] = await run({ kind: 'trySetting', data, asked: settings[index] ?? asCreated });
        done += 1;
        progress(done, total);
      }
    };
    await Promise.all(Array.from({ length: concurrentMax }, work));
    return results;
  };
  try {
    const first = await tryAll(firstSettings(sweep));
    const chosen = first[0]?.models.length ?? 1;
    total = count(chosen);
    return [...first, ...(await tryAll(laterSettings(sweep, chosen)))];
  } catch (error) {
    throw broken ?? error;
  } finally {
    await close();
  }
};
