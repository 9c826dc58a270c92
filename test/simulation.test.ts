// Simulates the service (test/simulation/run.ts): a seed determines time, store, threads, network and faults.
// SIMULATION_FROM and SIMULATION_SEEDS select seeds; seeds that found faults are kept in test/simulation/seeds.json.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from './helpers/repository.js';
import type { Outcome } from './simulation/run.js';
import { commandOf, numbers, runSeeds } from './simulation/seeds.js';
import { amount } from './helpers/amount.js';

const from = Number(process.env['SIMULATION_FROM'] ?? 1);
const count = Number(process.env['SIMULATION_SEEDS'] ?? amount({ quick: 60, slow: 1000 }));
const processes = Math.min(2, availableParallelism());
const failuresMax = 5;
type Kept = { readonly seed: number; readonly found: string };
const kept = JSON.parse(
  readFileSync(join(repositoryRoot(), 'test/simulation/seeds.json'), 'utf8'),
) as readonly Kept[];

/** Runs seeds; stops after the first few with faults. */
const outcomesOf = async (seeds: Iterable<number>): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  await runSeeds({
    seeds,
    processes,
    ran: outcome => {
      outcomes.push(outcome);
      return outcomes.filter(({ faults }) => faults.length > 0).length < failuresMax;
    },
  });
  return outcomes.sort((a, b) => a.seed - b.seed);
};
const faultsOf = (outcomes: readonly Outcome[]) =>
  outcomes.flatMap(({ seed, faults }) => (faults.length > 0 ? [{ again: commandOf(seed), faults }] : []));

const seeds = new Set([...kept.map(({ seed }) => seed), ...numbers(from, count)]);
const begun = performance.now();
const all = outcomesOf(seeds);

t.test(`simulation: no seed from ${from} finds a fault, nor one that found a fault before`, async t => {
  t.ok(kept.length > 0);
  const outcomes = await all;
  const seconds = (performance.now() - begun) / 1000;
  t.comment(`${outcomes.length} seeds, ${(outcomes.length / seconds).toFixed(1)} per second`);
  t.strictSame(faultsOf(outcomes), []);
  t.equal(outcomes.length, seeds.size);
});

t.test('simulation: a seed reproduces its run, independent of earlier runs', async t => {
  const first = [...numbers(from, Math.min(6, count))];
  const one = (await all).filter(({ seed }) => first.includes(seed));
  t.strictSame(await outcomesOf(first.toReversed()), one);
  t.equal(new Set(one.map(({ hash }) => hash)).size, first.length, 'other seeds have other runs');
  t.ok(
    one.every(({ events, steps }) => events > 0 && steps > 100),
    'runs have steps and events',
  );
});
