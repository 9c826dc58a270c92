import type { Analyst } from '../analyst.js';
import { fairQueue } from './fairQueue.js';

/** Analyses that may wait for a thread. The process manager hands over one a source at a time. */
const waitingMax = 256;

/**
 * An `Analyst` whose threads tenants take in turns: many sources of one tenant keep no other's from being analysed.
 * @param threads  jobs that the analyst works on at once
 */
export const fairAnalyst = (analyst: Analyst, threads: number): Analyst => {
  const queue = fairQueue({ atOnce: threads, waitingMax, what: 'analyses' });
  return {
    run: (job, signal, tenant = '') => queue.run(tenant, () => analyst.run(job, signal, tenant), signal),
    waiting: () => queue.waiting() + analyst.waiting(),
    close: analyst.close,
  };
};
