import fc from '../../helpers/property.js';
import t from 'tap';
import { QueueFull, type Analyst } from '../../../application/ports/analyst.js';
import type { AnalysisJob } from '../../../analysis/worker.js';
import { requireCapacity } from '../../../application/requests/access.js';
import { fairAnalyst, fairQueue, sharedCapacity } from '../../../application/ports/sharing/fairQueue.js';
import { turns } from '../../../application/ports/sharing/turns.js';
import { exactList } from '../../helpers/exactList.js';

/** Jobs that end on request, and the order in which they began. */
const jobs = () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    work: (name: string) => () => {
      begun.push(name);
      return new Promise<void>(resolve => ends.push(resolve));
    },
    endFirst: async () => {
      ends.shift()?.();
      await settledPromises();
    },
  };
};
const settledPromises = () => new Promise(resolve => setImmediate(resolve));

t.test('fair queue: tenants take turns for any queue lengths', async t => {
  const queue = fairQueue({ atOnce: 1, waitingMax: 100, name: 'things' });
  const { begun, work, endFirst } = jobs();
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map(name => queue.run(name[0] ?? '', work(name)));
  await settledPromises();
  for (let n = 0; n < all.length; n += 1) await endFirst();
  await Promise.all(all);
  t.strictSame(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  t.equal(queue.waiting(), 0);
});

t.test('fair queue: full only for the tenant that fills it', async t => {
  const queue = fairQueue({ atOnce: 1, waitingMax: 16, name: 'things' });
  const { work, endFirst } = jobs();
  const tries = (tenant: string, count: number) =>
    Array.from({ length: count }, (_, n) =>
      queue.run(tenant, work(`${tenant}${n}`)).then(() => 'done', String),
    );
  const ofOne = tries('a', 40);
  const ofOther = tries('b', 3);
  await settledPromises();
  t.equal(queue.waiting(), 8 + 3);
  for (let n = 0; n < 43; n += 1) await endFirst();
  const refused = (await Promise.all(ofOne)).filter(answer =>
    /QueueFull: 8 things of this tenant are waiting, and the load allows no more; retry later$/.test(answer),
  );
  t.equal(refused.length, 40 - 9, 'one running job, and half of the waiting places');
  t.strictSame(await Promise.all(ofOther), ['done', 'done', 'done']);
});

t.test('fair queue: the last places are reserved for other tenants', async t => {
  const queue = fairQueue({ atOnce: 16, reserving: true, waitingMax: Infinity, name: 'things' });
  const { begun, work, endFirst } = jobs();
  for (const tenant of ['a', 'b', 'c']) for (let n = 0; n < 20; n += 1) void queue.run(tenant, work(tenant));
  await settledPromises();
  const count = (tenant: string) => begun.filter(name => name === tenant).length;
  t.strictSame(['a', 'b', 'c'].map(count), [8, 4, 2]);
  for (let n = 0; n < 60; n += 1) await endFirst();
  t.strictSame(['a', 'b', 'c'].map(count), [20, 20, 20], 'all jobs run');
});

t.test('fair queue: no tenant holds more slots than it may, in any order of tasks', async t => {
  const limits = fc.record({
    atOnce: fc.integer({ min: 2, max: 6 }),
    eachMax: fc.integer({ min: 1, max: 4 }),
    reserving: fc.boolean(),
  });
  const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.nat(5)), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(limits, steps, async ({ atOnce, eachMax, reserving }, steps) => {
      const queue = fairQueue({ atOnce, eachMax, reserving, waitingMax: Infinity, name: 'things' });
      const running: { readonly tenant: string; readonly release: () => void }[] = [];
      const mayHold = (tenant: string, more: number): boolean => {
        const own = running.filter(task => task.tenant === tenant).length + more;
        const all = running.length + more;
        return all <= atOnce && own <= eachMax && (!reserving || own <= atOnce - all);
      };
      const waiting = { a: 0, b: 0, c: 0 };
      for (const step of steps) {
        if (typeof step !== 'number') {
          waiting[step] += 1;
          void queue.enter(step).then(release => {
            waiting[step] -= 1;
            running.push({ tenant: step, release });
            if (!mayHold(step, 0)) throw new Error(`${step} holds too many slots`);
          });
        } else {
          const [ended] = running.splice(step, 1);
          ended?.release();
          ended?.release();
        }
        await settledPromises();
        for (const tenant of ['a', 'b', 'c'] as const)
          if (waiting[tenant] > 0 && mayHold(tenant, 1)) return false;
      }
      return queue.waiting() === waiting.a + waiting.b + waiting.c;
    }),
    { seed: 20261124, numRuns: 300 },
  );
  t.pass('held');
});

t.test('fair queue: the job of an aborted request leaves the queue', async t => {
  const queue = fairQueue({ atOnce: 1, waitingMax: 100, name: 'things' });
  const { begun, work, endFirst } = jobs();
  const aborted = new AbortController();
  const first = queue.run('a', work('a1'));
  const dropped = queue.run('a', work('a2'), aborted.signal);
  const last = queue.run('a', work('a3'));
  await settledPromises();
  aborted.abort(new Error('gone'));
  await t.rejects(dropped, { message: 'gone' });
  await t.rejects(queue.run('a', work('a4'), aborted.signal), { message: 'gone' });
  t.equal(queue.waiting(), 1);
  for (let n = 0; n < 3; n += 1) await endFirst();
  await Promise.all([first, last]);
  t.strictSame(begun, ['a1', 'a3']);
});

t.test('fair queue: what a person waits for goes first, and the rest still has its turn', async t => {
  const queue = fairQueue({ atOnce: 1, waitingMax: 100, name: 'things' });
  const { begun, work, endFirst } = jobs();
  const later = ['a1', 'a2', 'a3'].map(name => queue.run('a', work(name), undefined, 'later'));
  const now = ['A1', 'B1', 'A2', 'A3', 'A4'].map(name => queue.run(name[0] ?? '', work(name)));
  await settledPromises();
  t.equal(queue.waiting(), 7);
  for (let n = 0; n < 8; n += 1) await endFirst();
  await Promise.all([...later, ...now]);
  t.strictSame(begun, ['a1', 'A1', 'B1', 'A2', 'a2', 'A3', 'A4', 'a3']);
});

t.test('fair queue: waiting tasks of one priority leave all places to the other', async t => {
  const queue = fairQueue({ atOnce: 1, waitingMax: 4, name: 'things' });
  const { work, endFirst } = jobs();
  const ends = ['a1', 'a2', 'a3', 'a4'].map(name =>
    queue.run('a', work(name), undefined, 'later').then(() => 'done', String),
  );
  const asked = queue.run('a', work('b1'));
  await settledPromises();
  for (let n = 0; n < 4; n += 1) await endFirst();
  t.match(await Promise.all(ends), exactList('done', 'done', 'done', /QueueFull/));
  await asked;
});

t.test('shared capacity: each tenant may use as much as is left for the others', t => {
  const room = sharedCapacity(100, 'bytes');
  room.take('a', 50);
  t.throws(() => room.take('a', 1), QueueFull);
  room.take('b', 25);
  t.throws(() => room.take('b', 1), {
    message: '25 bytes of this tenant are in use, and the load allows no 1 more; retry later',
  });
  room.take('c', 12);
  room.release('a', 50);
  t.equal(room.usedBy('a'), 0);
  room.take('b', 10);
  t.equal(room.usedBy('b'), 35);
  room.take('d', 20);
  t.throws(() => room.take('b', 1), QueueFull, 'more than is left for others');
  room.take('b', 0);
  t.equal(room.usedBy('b'), 35, 'nothing more is never refused');
  t.end();
});

t.test('fair analyst: tenants take turns in the use of threads', async t => {
  const { begun, work, endFirst } = jobs();
  const run = (({ kind }: { readonly kind: string }) => work(kind)()) as unknown as Analyst['run'];
  const analyst = fairAnalyst({ run, waiting: () => 0, close: async () => {} }, 2);
  const job = (name: string) => ({ kind: name }) as unknown as Parameters<Analyst['run']>[0];
  for (let n = 0; n < 100; n += 1) void analyst.run(job(`a${n}`), undefined, 'a');
  void analyst.run(job('b'), undefined, 'b');
  await settledPromises();
  t.equal(analyst.waiting(), 99);
  await endFirst();
  await endFirst();
  t.strictSame(begun, ['a0', 'a1', 'a2', 'b'], 'a job of another tenant is the next but one');
});

t.test('fair analyst: a reset goes before new sources, whose jobs are made when they begin', async t => {
  const { begun, work, endFirst } = jobs();
  const run = (({ kind }: { readonly kind: string }) => work(kind)()) as unknown as Analyst['run'];
  const analyst = fairAnalyst({ run, waiting: () => 0, close: async () => {} }, 1);
  const made: string[] = [];
  const job = (name: string) => () => {
    made.push(name);
    return { kind: name } as unknown as AnalysisJob;
  };
  for (let n = 0; n < 400; n += 1) void analyst.run(job(`new ${n}`), undefined, 'a', 'later');
  void analyst.run(job('reset'), undefined, 'a', 'now');
  await settledPromises();
  t.strictSame(made, ['new 0']);
  await endFirst();
  t.strictSame(begun, ['new 0', 'reset']);
  t.strictSame(made, ['new 0', 'reset'], 'no other job is in memory');
});

t.test('creations are refused before the requests that people wait for', async t => {
  const service = { backlog: () => 400, backlogOf: () => 200 };
  const actor = { tenant: 'a', subject: 'anna' };
  t.throws(() => requireCapacity(service, actor, 'creation'), {
    name: 'QueueFull',
    message: '200 analyses and checks of this tenant are waiting, and the load allows no more; retry later',
  });
  t.doesNotThrow(() => requireCapacity(service, actor));
});

/** Turns of a simulated event loop with a simulated clock. */
const simulatedTurns = () => {
  let now = 0;
  let next: (() => void) | undefined;
  const finished: string[] = [];
  const shared = turns({
    elapsedMs: () => now,
    nextTurn: () => new Promise(resolve => (next = resolve)),
  });
  return {
    finished,
    shared,
    /** Takes a turn and works for `ms` milliseconds. */
    take: async (name: string, ms: number, signal?: AbortSignal) => {
      const turn = shared.take(name[0] ?? '', signal && { signal });
      if (turn) await turn;
      finished.push(name);
      now += ms;
    },
    turn: async () => {
      const go = next;
      next = undefined;
      go?.();
      await settledPromises();
      return go !== undefined;
    },
  };
};

t.test('turns: requests share a turn of the event loop until its time is used', async t => {
  const { finished, take, turn } = simulatedTurns();
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map(name => take(name, 3));
  t.strictSame(finished, ['a1', 'a2'], 'two requests use the time of the turn');
  const seen: string[][] = [];
  for (let n = 0; n < 3; n += 1) {
    await turn();
    seen.push([...finished]);
  }
  await Promise.all(all);
  t.strictSame(
    seen.map(names => names.slice(2)),
    [['a3'], ['a3', 'b1'], ['a3', 'b1', 'a4']],
    'one request in each further turn, tenants alternate',
  );
  await turn();
  t.equal(await turn(), false, 'no request waits');
  const alone = take('a5', 1);
  t.equal(finished.at(-1), 'a5', 'a single request does not wait');
  await alone;
});

t.test('turns: an aborted request takes no turn', async t => {
  const { finished, shared, take, turn } = simulatedTurns();
  const aborted = new AbortController();
  await take('a1', 10);
  const yieldToEventLoop = shared.yielderFor('a', aborted.signal);
  const dropped = take('a2', 1, aborted.signal);
  const other = take('b1', 10);
  aborted.abort(new Error('gone'));
  await t.rejects(dropped, { message: 'gone' });
  while (await turn());
  await other;
  t.strictSame(finished, ['a1', 'b1']);
  await t.rejects(Promise.resolve(yieldToEventLoop()), { message: 'gone' }, 'its work is aborted');
});
