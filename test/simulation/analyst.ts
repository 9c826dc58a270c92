import { runJob, type AnalysisJob, type AnalysisResult } from '../../analysis/worker.js';
import { madeJob, type Analyst, type Job } from '../../application/ports/analyst.js';
import type { Chance } from '../helpers/crash/chance.js';
import type { Owner, Scheduler } from './scheduler.js';

/** Cache of analysis results by job: seeds use few references. */
const results = new Map<string, AnalysisResult>();
const resultsMax = 500;
const calendar = 'FR';
const longestMs = 3000;

/**
 * Cache key of a job: without ids and times of imports, which differ between seeds. No calendar is inferred, since
 * that takes longer than all other work of a seed.
 */
const keyOf = (job: AnalysisJob): string =>
  JSON.stringify(
    job.kind === 'typicalDays' ? { ...job, calendarCode: calendar } : job,
    (name, value: unknown) => (name === 'importId' || name === 'importedAt' ? undefined : value),
  );

/** Worker threads in virtual time; results equal those of real ones. */
export const simulatedAnalyst = (owner: Owner, scheduler: Scheduler, random: Chance): Analyst => ({
  run: async <Made extends AnalysisJob>(job: Job<Made>, signal?: AbortSignal) => {
    const key = keyOf(madeJob(job));
    await new Promise<void>((resolve, reject) => {
      const ended = () => {
        const error = new Error('the analysis was aborted');
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
