import { runJob, type AnalysisJob, type AnalysisResult } from '../../analysis/worker.js';
import type { Analyst } from '../../application/analyst.js';
import type { Chance } from '../helpers/crash/chance.js';
import type { Owner, Scheduler } from './scheduler.js';

/** Results of jobs, which depend on nothing else: seeds use few references, so that most are known. */
const results = new Map<string, AnalysisResult>();
const resultsMax = 500;
const calendar = 'FR';
const longestMs = 3000;

/**
 * All that a result depends on, as a job: without ids and times of imports, by which the days of every seed differ. To infer a
 * calendar from days would take longer than all the rest of a seed.
 */
const keyOf = (job: AnalysisJob): string =>
  JSON.stringify(
    job.kind === 'typicalDays' ? { ...job, calendarCode: calendar } : job,
    (name, value: unknown) => (name === 'importId' || name === 'importedAt' ? undefined : value),
  );

/** Worker threads that take virtual time; what they find is what real ones would. */
export const simulatedAnalyst = (owner: Owner, scheduler: Scheduler, random: Chance): Analyst => ({
  run: async <Job extends AnalysisJob>(job: Job, signal?: AbortSignal) => {
    const key = keyOf(job);
    await new Promise<void>((resolve, reject) => {
      const ended = () => {
        const error = new Error('the analysis was ended');
        error.name = 'AbortError';
        reject(error);
      };
      if (signal?.aborted) return ended();
      signal?.addEventListener('abort', ended, { once: true });
      scheduler.after(owner, random.next() ** 3 * longestMs, resolve);
    });
    const result = results.get(key) ?? runJob(JSON.parse(key) as AnalysisJob);
    if (results.size >= resultsMax) results.clear();
    results.set(key, result);
    return structuredClone(result) as never;
  },
  waiting: () => 0,
  close: async () => {},
});
