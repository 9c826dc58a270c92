import type { AnalysisJob, AnalysisResults } from '../analysis/worker.js';

/** Runs analyses outside the thread that serves requests. */
export type Analyst = {
  /**
   * @param tenant  tenant of the job
   * @throws QueueFull   when too many jobs are waiting
   * @throws AbortError  (by name) when `signal` or `close` cancels the job
   * @throws RangeError  when the days cannot be analysed
   */
  readonly run: <Job extends AnalysisJob>(
    job: Job,
    signal?: AbortSignal,
    tenant?: string,
  ) => Promise<AnalysisResults[Job['kind']]>;
  /** Number of jobs that wait for a thread. */
  readonly waiting: () => number;
  /** Cancels all jobs and ends the threads. A thread ends after it has loaded and stopped its job. */
  readonly close: () => Promise<void>;
};

/** A queue is full; the request may be repeated later. */
export class QueueFull extends Error {
  readonly name = 'QueueFull';
}
