import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import t from 'tap';
import { slowTest } from '../helpers/amount.js';
import { analyst } from '../../adapters/analyst.js';
import type { Analyst } from '../../application/ports/analyst.js';
import type { AnalysisJob } from '../../analysis/worker.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { madeDays } from '../helpers/data/madeDays.js';
import { eventually } from '../helpers/service.js';

/** Exit codes of the threads of this process: 0 if it ended, 1 if it was terminated. */
const ends: number[] = [];
let started = 0;
/** Called with the first message of a thread: it is ready. */
let isReady = (): void => {};
process.on('worker', (thread: Worker) => {
  started += 1;
  thread.once('message', () => isReady());
  thread.once('exit', code => ends.push(code));
});
t.beforeEach(() => {
  started = 0;
  ends.length = 0;
});

const jobOf = (count: number, slices: 24 | 144): AnalysisJob => ({
  kind: 'typicalDays',
  days: madeDays({ count, slices, seed: 1 }),
  modelCount: null,
  coverage: null,
  calendarCode: 'FR',
  referenceYear: 2023,
  specials: [],
  seed: 1,
});
const short = jobOf(28, 24);
const long = jobOf(365, 144);

const fault = (error: unknown): never => {
  throw error;
};

/** Outcome of a job. */
const outcomeOf = (pool: Analyst, job: AnalysisJob, signal?: AbortSignal): Promise<string> =>
  pool.run(job, signal).then(
    () => 'done',
    (error: Error) => error.name,
  );

t.test('analyst: a loading thread is not terminated', async t => {
  const pool = analyst(fault);
  const outcome = outcomeOf(pool, short);
  await pool.close();
  t.equal(await outcome, 'AbortError', 'its job is aborted');
  t.same(ends, [0], 'the thread ended normally');
  t.equal(await outcomeOf(pool, short), 'AbortError', 'a closed pool refuses jobs');
});

t.test('analyst: an aborted job stops, its thread continues', async t => {
  const pool = analyst(fault);
  const ending = new AbortController();
  const outcomes = [outcomeOf(pool, long, ending.signal), outcomeOf(pool, long, ending.signal)];
  const waits = outcomeOf(pool, short, ending.signal);
  await eventually('both threads', () => (pool.waiting() === 1 ? true : undefined));
  ending.abort();
  t.same(await Promise.all([...outcomes, waits]), ['AbortError', 'AbortError', 'AbortError']);
  t.equal(pool.waiting(), 0);
  t.same(await Promise.all([outcomeOf(pool, short), outcomeOf(pool, short)]), ['done', 'done']);
  t.equal(started, 2, 'in the same threads');
  const running = outcomeOf(pool, long);
  await pool.close();
  t.equal(await running, 'AbortError');
  t.same(ends, [0, 0], 'which ended normally');
});

t.test('analyst: a thread that practises takes the first job', async t => {
  for (const begins of ['while it loads', 'while it practises', 'when it is idle']) {
    started = 0;
    const pool = analyst(fault);
    const ready = new Promise<void>(resolve => (isReady = resolve));
    pool.practise();
    if (begins !== 'while it loads') await ready;
    if (begins === 'when it is idle') await sleep(1500);
    t.equal(pool.waiting(), 0, 'practice is no job');
    t.equal(await outcomeOf(pool, short), 'done', begins);
    t.equal(started, 1, 'in the same thread');
    pool.practise();
    t.equal(started, 1, 'only once');
    t.same(await Promise.all([outcomeOf(pool, short), outcomeOf(pool, short)]), ['done', 'done']);
    await pool.close();
  }
  t.same(new Set(ends), new Set([0]));
});

t.test('analyst: practice ends with the pool, and does not start after it', async t => {
  for (const ms of [0, 700]) {
    const pool = analyst(fault);
    pool.practise();
    await sleep(ms);
    await pool.close();
    pool.practise();
  }
  t.equal(started, 2);
  t.same(ends, [0, 0]);
});

slowTest('analyst: quick resets and closing at any time', async t => {
  const seed = 19;
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let round = 0; round < 10; round += 1) {
    const pool = analyst(fault);
    for (let reset = 0; reset < 3; reset += 1) {
      const ending = new AbortController();
      void outcomeOf(pool, short, ending.signal);
      void outcomeOf(pool, long, ending.signal);
      await sleep(100 * random());
      ending.abort();
    }
    await pool.close();
  }
  t.same(new Set(ends), new Set([0]));
  t.equal(ends.length, started);
});

t.test('analyst: a process that exits while threads load has its exit code', async t => {
  const folder = t.testdir({
    'end.mjs': `
      import { analyst } from '${new URL('../../adapters/analyst.js', import.meta.url).href}';
      const { run } = analyst(error => { throw error; });
      run({ kind: 'nearestModels', days: [], models: [] }).catch(() => {});
      setTimeout(() => process.exit(7), Number(process.argv[2]));`,
  });
  for (const ms of [0, 20, 40, 80, 120, 160]) {
    const { status, signal } = spawnSync(process.execPath, [join(folder, 'end.mjs'), String(ms)]);
    t.same({ status, signal }, { status: 7, signal: null }, `after ${ms} ms`);
  }
});
