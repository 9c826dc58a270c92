import { Piscina } from 'piscina';
import type { AnalysisJob, AnalysisResult, AnalysisResults } from '../analysis/worker.js';

/** Runs analyses in worker threads, so that requests go on meanwhile. */
export type Analyst = {
  /**
   * @throws QueueFull   when too many jobs wait already
   * @throws AbortError  (by name) when `signal` ends the job, which stops its thread
   * @throws RangeError  when the days cannot be analysed
   */
  readonly run: <Job extends AnalysisJob>(
    job: Job,
    signal?: AbortSignal,
  ) => Promise<AnalysisResults[Job['kind']]>;
  /** How many jobs wait for a thread. */
  readonly waiting: () => number;
  readonly close: () => Promise<void>;
};

/** No room for one more job now; it may be asked again later. */
export class QueueFull extends Error {
  readonly name = 'QueueFull';
}

/** Threads: an analysis is pure computation, and the main thread wants a core of its own. */
const threadsMax = 2;

/** Jobs that may wait. The reactor hands over one a source at a time, so this bounds sources, not events. */
const queueMax = 256;

/**
 * An `Analyst` with a pool of threads, started when first needed.
 * @param fault  called when threads cannot be started at all
 */
export const analyst = (fault: (error: unknown) => void): Analyst => {
  const pool = new Piscina<AnalysisJob, AnalysisResult>({
    filename: new URL('../analysis/worker.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: threadsMax,
    maxQueue: queueMax,
    idleTimeout: 60_000,
  });
  pool.on('error', fault);
  return {
    run: async <Job extends AnalysisJob>(job: Job, signal?: AbortSignal) => {
      try {
        // The worker answers each kind of job with its own result, which the pool's one type cannot say.
        return (await pool.run(job, signal ? { signal } : {})) as AnalysisResults[Job['kind']];
      } catch (error) {
        if (error instanceof Error && /queue is at limit/.test(error.message))
          throw new QueueFull(`${queueMax} analyses wait already`);
        throw error;
      }
    },
    waiting: () => pool.queueSize,
    close: () => pool.destroy(),
  };
};
