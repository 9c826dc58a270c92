import t from 'tap';
import { QueueFull, type Analyst } from '../../application/analyst.js';
import { fairAnalyst } from '../../application/sharing/fairAnalyst.js';
import { fairQueue } from '../../application/sharing/fairQueue.js';
import { sharedCapacity } from '../../application/sharing/sharedCapacity.js';
import { turns } from '../../application/sharing/turns.js';

/** Work that ends when it is told to, and the order in which such works began. */
const works = () => {
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

t.test('tenants take turns, however long the line of one of them is', async t => {
  const queue = fairQueue({ atOnce: 1, waitingMax: 100, what: 'things' });
  const { begun, work, endFirst } = works();
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map(name => queue.run(name[0] ?? '', work(name)));
  await settledPromises();
  for (let n = 0; n < all.length; n += 1) await endFirst();
  await Promise.all(all);
  t.strictSame(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  t.equal(queue.waiting(), 0);
});

t.test('a queue is full for the tenant who fills it, and for no other', async t => {
  const queue = fairQueue({ atOnce: 1, waitingMax: 16, what: 'things' });
  const { work, endFirst } = works();
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
    /QueueFull: 8 things of this tenant/.test(answer),
  );
  t.equal(refused.length, 40 - 9, 'one place, and half of those that may wait');
  t.strictSame(await Promise.all(ofOther), ['done', 'done', 'done']);
});

t.test('no tenant takes the last places of a queue that reserves them', async t => {
  const queue = fairQueue({ atOnce: 16, reserving: true, waitingMax: Infinity, what: 'things' });
  const { begun, work, endFirst } = works();
  for (const tenant of ['a', 'b', 'c']) for (let n = 0; n < 20; n += 1) void queue.run(tenant, work(tenant));
  await settledPromises();
  const count = (tenant: string) => begun.filter(name => name === tenant).length;
  t.strictSame(['a', 'b', 'c'].map(count), [8, 4, 2]);
  for (let n = 0; n < 60; n += 1) await endFirst();
  t.strictSame(['a', 'b', 'c'].map(count), [20, 20, 20], 'all have their turn');
});

t.test('who is gone leaves the queue, and what it waited for is not begun', async t => {
  const queue = fairQueue({ atOnce: 1, waitingMax: 100, what: 'things' });
  const { begun, work, endFirst } = works();
  const gone = new AbortController();
  const first = queue.run('a', work('a1'));
  const dropped = queue.run('a', work('a2'), gone.signal);
  const last = queue.run('a', work('a3'));
  await settledPromises();
  gone.abort(new Error('gone'));
  await t.rejects(dropped, { message: 'gone' });
  await t.rejects(queue.run('a', work('a4'), gone.signal), { message: 'gone' });
  t.equal(queue.waiting(), 1);
  for (let n = 0; n < 3; n += 1) await endFirst();
  await Promise.all([first, last]);
  t.strictSame(begun, ['a1', 'a3']);
});

t.test('of shared room each may have as much as is left for the others', t => {
  const room = sharedCapacity(100, 'bytes');
  room.take('a', 50);
  t.throws(() => room.take('a', 1), QueueFull);
  room.take('b', 25);
  t.throws(() => room.take('b', 1), {
    message: '25 bytes of this tenant are in use, 75 of all tenants; retry later',
  });
  room.take('c', 12);
  room.release('a', 50);
  t.equal(room.usedBy('a'), 0);
  room.take('b', 10);
  t.equal(room.usedBy('b'), 35);
  t.end();
});

t.test('the threads of the analysis are taken in turns', async t => {
  const { begun, work, endFirst } = works();
  const run = (({ kind }: { readonly kind: string }) => work(kind)()) as unknown as Analyst['run'];
  const analyst = fairAnalyst({ run, waiting: () => 0, close: async () => {} }, 2);
  const job = (name: string) => ({ kind: name }) as unknown as Parameters<Analyst['run']>[0];
  for (let n = 0; n < 100; n += 1) void analyst.run(job(`a${n}`), undefined, 'a');
  void analyst.run(job('b'), undefined, 'b');
  await settledPromises();
  t.equal(analyst.waiting(), 99);
  await endFirst();
  await endFirst();
  t.strictSame(begun, ['a0', 'a1', 'a2', 'b'], 'a job of another is the next but one');
});

/** Turns of an event loop that turns when it is told to, by a clock that is set. */
const ownTurns = () => {
  let now = 0;
  let next: (() => void) | undefined;
  const taken: string[] = [];
  const shared = turns({
    elapsedMs: () => now,
    nextTurn: () => new Promise(resolve => (next = resolve)),
  });
  return {
    taken,
    shared,
    /** Takes a turn, and works so long in it. */
    take: async (name: string, ms: number, signal?: AbortSignal) => {
      const turn = shared.take(name[0] ?? '', signal);
      if (turn) await turn;
      taken.push(name);
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

t.test('a turn of the event loop is given to more requests until its time is over', async t => {
  const { taken, take, turn } = ownTurns();
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map(name => take(name, 3));
  t.strictSame(taken, ['a1', 'a2'], 'six milliseconds are enough');
  const seen: string[][] = [];
  for (let n = 0; n < 3; n += 1) {
    await turn();
    seen.push([...taken]);
  }
  await Promise.all(all);
  t.strictSame(
    seen.map(names => names.slice(2)),
    [['a3'], ['a3', 'b1'], ['a3', 'b1', 'a4']],
    'then one at each turn, tenant by tenant',
  );
  await turn();
  t.equal(await turn(), false, 'nobody is waited for any more');
  const alone = take('a5', 1);
  t.equal(taken.at(-1), 'a5', 'who comes alone waits for nothing');
  await alone;
});

t.test('who is gone takes no turn', async t => {
  const { taken, shared, take, turn } = ownTurns();
  const gone = new AbortController();
  await take('a1', 10);
  const yieldToEventLoop = shared.yielderFor('a', gone.signal);
  const dropped = take('a2', 1, gone.signal);
  const other = take('b1', 10);
  gone.abort(new Error('gone'));
  await t.rejects(dropped, { message: 'gone' });
  while (await turn());
  await other;
  t.strictSame(taken, ['a1', 'b1']);
  await t.rejects(Promise.resolve(yieldToEventLoop()), { message: 'gone' }, 'nor goes on with its work');
});
