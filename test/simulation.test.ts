// Runs the service under simulation (test/simulation/run.ts): one seed drives time, store, threads, network and faults.
// SIMULATION_FROM and SIMULATION_SEEDS choose others; a seed that found a fault stays in test/simulation/seeds.json.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from './helpers/repository.js';
import type { Outcome } from './simulation/run.js';
import { commandOf, numbers, runSeeds } from './simulation/seeds.js';

const from = Number(process.env['SIMULATION_FROM'] ?? 1);
const count = Number(process.env['SIMULATION_SEEDS'] ?? 1000);
const processes = Math.min(2, availableParallelism());
const failuresMax = 5;
t.setTimeout(600_000);

type Kept = { readonly seed: number; readonly found: string };
const kept = JSON.parse(
  readFileSync(join(repositoryRoot(), 'test/simulation/seeds.json'), 'utf8'),
) as readonly Kept[];

/** Runs seeds up to the first few with faults. */
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

t.test('the same seed is the same run, whatever ran before it', async t => {
  const one = await outcomesOf(numbers(1, 6));
  const other = await outcomesOf([...numbers(1, 6)].reverse());
  t.strictSame(other, one);
  t.equal(new Set(one.map(({ hash }) => hash)).size, 6, 'and another seed is another run');
  t.ok(
    one.every(({ events, steps }) => events > 0 && steps > 100),
    'in which something happens',
  );
});

t.test('seeds that found faults find none any more', async t => {
  t.ok(kept.length > 0);
  t.strictSame(faultsOf(await outcomesOf(kept.map(({ seed }) => seed))), []);
});

t.test(`no seed from ${from} on finds a fault`, async t => {
  const begun = performance.now();
  const outcomes = await outcomesOf(numbers(from, count));
  const seconds = (performance.now() - begun) / 1000;
  t.comment(`${outcomes.length} seeds from ${from} on, ${(outcomes.length / seconds).toFixed(1)} a second`);
  t.strictSame(faultsOf(outcomes), []);
  t.equal(outcomes.length, count);
});
