import { simulate } from './run.js';

// A process that runs the seeds it is sent, one after the other: each has the process's globals for itself.
process.on('message', (seed: number) => {
  void simulate(seed).then(outcome => process.send?.(outcome));
});
