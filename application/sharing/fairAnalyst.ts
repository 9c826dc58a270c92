import { madeJob, type Analyst } from '../analyst.js';
import { fairQueue } from './fairQueue.js';

/** Maximum analyses of one priority that wait for a thread. The process manager submits one per source at a time. */
const waitingMax = 1024;

/**
 * An `Analyst` whose threads are shared fairly: analyses that a person waits for go first, and tenants are served
 * round-robin. Jobs are made when they get a thread.
 * @param threads  jobs that the analyst runs concurrently
 */
export const fairAnalyst = (analyst: Analyst, threads: number): Analyst => {
  const queue = fairQueue({ atOnce: threads, waitingMax, name: 'analyses' });
  return {
    run: (job, signal, tenant = '', priority = 'now') =>
      queue.run(tenant, () => analyst.run(madeJob(job), signal, tenant), signal, priority),
    waiting: () => queue.waiting() + analyst.waiting(),
    close: analyst.close,
  };
};
