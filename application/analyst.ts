import type { AnalysisJob, AnalysisResults } from '../analysis/worker.js';

/** Runs analyses outside the thread that serves requests. */
export type Analyst = {
  /**
   * @param tenant  tenant that the job belongs to
   * @throws QueueFull   when too many jobs wait already
   * @throws AbortError  (by name) when `signal` or `close` ends the job; its thread is asked to stop it
   * @throws RangeError  when the days cannot be analysed
   */
  readonly run: <Job extends AnalysisJob>(
    job: Job,
    signal?: AbortSignal,
    tenant?: string,
  ) => Promise<AnalysisResults[Job['kind']]>;
  /** Number of jobs that wait for a thread. */
  readonly waiting: () => number;
  /** Ends all jobs, then the threads: each when it has loaded and has stopped its job. */
  readonly close: () => Promise<void>;
};

/** A queue has no room for one more job now; the request may be repeated later. */
export class QueueFull extends Error {
  readonly name = 'QueueFull';
}
