import { simulate } from './run.js';

// A process that runs the seeds it receives in sequence, so that each seed has the globals of the process.
process.on('message', (seed: number) => {
  void simulate(seed).then(outcome => process.send?.(outcome));
});
