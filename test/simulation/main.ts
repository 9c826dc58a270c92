// Runs seeds of the simulation: `npm run simulate -- --seeds 1000000 --from 1`, with one process per processor or
// --processes; or one seed with its trace: `npm run simulate -- --seed 7 --trace`. Exit code 1 after a fault.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { simulate, type Outcome } from './run.js';
import { commandOf, numbers, runSeeds } from './seeds.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    processes: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const report = ({ seed, faults }: Outcome): void => {
  for (const fault of faults) print(`seed ${seed}: ${fault}`);
  if (faults.length > 0) print(`reproduce with: ${commandOf(seed)}`);
};

if (values.seed !== undefined) {
  const outcome = await simulate(Number(values.seed), values.trace ? print : undefined);
  report(outcome);
  const { hash, steps, events, virtualMs } = outcome;
  print(`${steps} steps, ${events} events, ${virtualMs} ms of virtual time, trace ${hash}`);
  process.exitCode = outcome.faults.length > 0 ? 1 : 0;
} else {
  const [from, count] = [Number(values.from), Number(values.seeds)];
  const begun = performance.now();
  let ran = 0;
  let failed = 0;
  const rate = () =>
    `${ran} seeds from ${from}, ${((ran * 1000) / (performance.now() - begun)).toFixed(1)} per second`;
  await runSeeds({
    seeds: numbers(from, count),
    processes: Number(values.processes),
    ran: outcome => {
      ran += 1;
      if (outcome.faults.length > 0) failed += 1;
      report(outcome);
      if (ran % 1000 === 0) print(`${rate()}, ${failed} with faults`);
      return true;
    },
  });
  print(`${rate()}, ${failed} with faults`);
  process.exitCode = failed > 0 ? 1 : 0;
}
