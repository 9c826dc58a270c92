import type { AnalysisJob, AnalysisResults } from '../../analysis/worker.js';

/** When a job of several waiting ones is run: `now` when a person waits for it, else `later`. */
export type Priority = 'now' | 'later';

/** A job, or a function that makes it when it begins: waiting jobs then hold no days in memory. */
export type Job<Made extends AnalysisJob> = Made | (() => Made);

/** A job for an analyst, with the type of its result. */
export const madeJob = <Made extends AnalysisJob>(job: Job<Made>): Made =>
  typeof job === 'function' ? job() : job;

/** Runs analyses outside the thread that serves requests. */
export type Analyst = {
  /**
   * @param tenant   tenant of the job
   * @param priority default: `now`
   * @throws QueueFull   when too many jobs are waiting
   * @throws AbortError  (by name) when `signal` or `close` cancels the job
   * @throws RangeError  when the days cannot be analysed
   */
  readonly run: <Made extends AnalysisJob>(
    job: Job<Made>,
    signal?: AbortSignal,
    tenant?: string,
    priority?: Priority,
  ) => Promise<AnalysisResults[Made['kind']]>;
  /** Number of jobs that wait for a thread. */
  readonly waiting: () => number;
  /** Cancels all jobs and ends the threads. A thread ends after it has loaded and stopped its job. */
  readonly close: () => Promise<void>;
};

/** A queue is full; the request may be repeated later. */
export class QueueFull extends Error {
  readonly name = 'QueueFull';
}
