import type { Analyst } from '../analyst.js';
import { fairQueue } from './fairQueue.js';

/** Maximum analyses that wait for a thread. The process manager submits one per source at a time. */
const waitingMax = 256;

/**
 * An `Analyst` whose threads are shared fairly: tenants are served round-robin.
 * @param threads  jobs that the analyst runs concurrently
 */
export const fairAnalyst = (analyst: Analyst, threads: number): Analyst => {
  const queue = fairQueue({ atOnce: threads, waitingMax, name: 'analyses' });
  return {
    run: (job, signal, tenant = '') => queue.run(tenant, () => analyst.run(job, signal, tenant), signal),
    waiting: () => queue.waiting() + analyst.waiting(),
    close: analyst.close,
  };
};
