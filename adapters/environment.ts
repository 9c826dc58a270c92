import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from '../application/environment.js';

/** Environment of a real service. */
export const system: Environment = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  nextTurn: () => nextTurn(),
  newId: () => randomUUID(),
  randomBytes: count => randomBytes(count),
};
