import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Test } from 'tap';
import { NotCanonical, eventHash } from '../../../auditing/eventBytes.js';
import {
  AppendTooLarge,
  appendBytesMax,
  Conflict,
  type OpenEventStore,
} from '../../../application/ports/eventStore.js';
import type { Proposed, Recorded } from '../../../domain/events.js';
import { id, instant } from '../data/samples.js';
import { testOfFile } from '../inTurn.js';

/** The nth sample event. */
export const proposed = (n: number, data: unknown = { n }, type = 'SourceIdReserved'): Proposed => ({
  id: id(n),
  type,
  v: 1,
  data,
  metadata: { by: 'anna', cause: id(n + 1000), correlation: id(n + 2000) },
  at: instant(n),
});

/** All items of an iteration. */
export const listed = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};

const several = (from: number, to: number, type?: string): Proposed[] =>
  Array.from({ length: to - from }, (_, index) => proposed(from + index, { n: from + index }, type));

/** The expected event in `stream` at `revision`, without its position. */
const stored = (event: Proposed, stream: string, revision: number) => ({ ...event, stream, revision });
const withoutPosition = ({ position: _, hash: __, ...event }: Recorded) => event;

/** Asserts that the hash chain of a stream is valid. */
const assertChain = async (t: Test, store: OpenEventStore, stream: string): Promise<void> => {
  let previous: string | null = null;
  const expected: string[] = [];
  const events = await listed(store.read(stream));
  for (const event of events) expected.push((previous = eventHash(event, previous)));
  t.strictSame(
    events.map(({ hash }) => hash),
    expected,
    `${stream} has a valid hash chain`,
  );
};

/** Asserts that an append fails with a Conflict with these fields. */
const assertConflict = async (
  t: Test,
  append: Promise<number>,
  fields: {
    readonly stream: string;
    readonly expected: number | 'absent';
    readonly actual: number | 'absent';
  },
): Promise<void> => {
  const failure = await append.then(
    revision => `appended as ${revision}`,
    (error: unknown) => error,
  );
  if (!(failure instanceof Conflict)) {
    t.fail(`got ${String(failure)}, expected a Conflict`);
    return;
  }
  const { stream, expected, actual } = failure;
  t.strictSame({ stream, expected, actual }, fields, 'the Conflict has the revision of the stream');
};

/**
 * Contract of every event store. `open` opens an empty store; the suite closes it. `skip` is the reason to skip it.
 * @param anyIdOnce  whether the store refuses an id that another stream has
 */
export const storeContract = (
  name: string,
  open: () => OpenEventStore | Promise<OpenEventStore>,
  { skip = false, anyIdOnce = true }: { readonly skip?: string | false; readonly anyIdOnce?: boolean } = {},
): void => {
  const file = testOfFile();
  const rule = (title: string, body: (t: Test, store: OpenEventStore) => Promise<void>): void => {
    void file.test(`${name}: ${title}`, { skip }, async t => {
      const store = await open();
      t.teardown(() => store.close());
      await body(t, store);
    });
  };

  rule('an unknown stream is empty', async (t, store) => {
    t.strictSame(await listed(store.read('source-1')), []);
    t.strictSame(await listed(store.read('source-1', 7)), []);
    t.strictSame(await listed(store.all(0n)), []);
    t.strictSame(await listed(store.all(0n, ['SourceCreated'])), []);
  });

  rule('an append returns the new revision, and events are read as appended', async (t, store) => {
    t.equal(await store.append('source-1', 'absent', several(0, 3)), 2);
    t.equal(await store.append('source-1', 2, [proposed(3)]), 3);
    t.equal(await store.append('days-1', 'absent', [proposed(4)]), 0);
    const events = await listed(store.read('source-1'));
    t.strictSame(
      events.map(withoutPosition),
      several(0, 4).map((event, revision) => stored(event, 'source-1', revision)),
    );
    t.ok(events.every(({ position }) => typeof position === 'bigint' && position > 0n));
    t.strictSame((await listed(store.read('days-1'))).map(withoutPosition), [
      stored(proposed(4), 'days-1', 0),
    ]);
  });

  rule('all events after any position, also one that no event has', async (t, store) => {
    await store.append('catalog', 'absent', several(0, 3));
    await store.append('source-1', 'absent', several(10, 13));
    await store.append('catalog', 2, several(20, 22));
    const events = await listed(store.all(0n));
    const near = events.flatMap(({ position }) => [-2n, -1n, 0n, 1n, 2n].map(by => position + by));
    const end = events.at(-1)?.position ?? 0n;
    for (const after of [...near.filter(position => position >= 0n), end + 1_000_000n]) {
      const expected = events.filter(({ position }) => position > after);
      t.strictSame(await listed(store.all(after)), expected, `${expected.length} after ${after}`);
    }
  });

  rule('data of all JSON types are read unchanged', async (t, store) => {
    const data = [
      { text: 'Zähler „Süd“ 北 🗓️ \u2028\u0000 "quoted" \\ \' ; --', empty: '', nothing: null, list: [] },
      { numbers: [0, 0.1, -1.5e-300, 1e100, 2 ** 53, -(2 ** 53), 123_456_789.123] },
      { nested: { a: [{ b: [[0, 1]] }, true, false] }, 'key with "quotes"': 1, __proto__x: 1 },
      [],
    ];
    const events = data.map((value, n) => ({
      ...proposed(n, value, 'Ünusual type'),
      v: n + 1,
      metadata: { by: 'zoë', cause: '', correlation: 'ß' },
    }));
    await store.append('source-77', 'absent', events);
    const expected = events.map((event, revision) => stored(event, 'source-77', revision));
    t.strictSame((await listed(store.read('source-77'))).map(withoutPosition), expected);
    t.strictSame((await listed(store.all(0n))).map(withoutPosition), expected);
  });

  rule('mutations of an event after its append do not change the log', async (t, store) => {
    const data = { list: [1] };
    await store.append('source-1', 'absent', [proposed(0, data)]);
    data.list.push(2);
    t.strictSame((await listed(store.read('source-1')))[0]?.data, { list: [1] });
  });

  rule('the hash of an event includes the hash before it in its stream', async (t, store) => {
    await store.append('source-1', 'absent', several(0, 3));
    await store.append('days-1', 'absent', [proposed(3, { text: 'Zähler', left: undefined, zero: -0 })]);
    await store.append('source-1', 2, [proposed(4)]);
    for (const stream of ['source-1', 'days-1']) await assertChain(t, store, stream);
    const log = await listed(store.all(0n));
    t.equal(new Set(log.map(({ hash }) => hash)).size, 5, 'all hashes differ');
    t.equal(
      log.find(({ stream }) => stream === 'days-1')?.hash,
      createHash('sha256')
        .update(
          `{"at":"${instant(3)}","data":{"text":"Zähler","zero":0},"id":"${id(3)}","metadata":` +
            `{"by":"anna","cause":"${id(1003)}","correlation":"${id(2003)}"},"previous":null,"revision":0,` +
            `"stream":"days-1","type":"SourceIdReserved","v":1}`,
        )
        .digest('hex'),
      'a known hash',
    );
  });

  rule('a retry at another time does not change the hash chain', async (t, store) => {
    const at = (events: readonly Proposed[]) => events.map(event => ({ ...event, at: instant(5000) }));
    await store.append('source-1', 'absent', several(0, 2));
    t.equal(await store.append('source-1', 'absent', at(several(0, 2))), 1);
    t.equal(await store.append('source-1', 1, several(2, 4)), 3);
    t.equal(await store.append('source-1', 1, at(several(2, 4))), 3);
    t.equal(await store.append('source-1', 3, [proposed(4)]), 4, 'an append after the retry');
    await assertChain(t, store, 'source-1');
    t.ok((await listed(store.all(0n))).every(event => event.at < instant(5000)));
  });

  rule('a copied event keeps its hash, or has none, and the chain continues', async (t, store) => {
    const hash = 'ab'.repeat(32);
    const [older, copied] = several(0, 2);
    if (!older || !copied) throw new Error('no events');
    await store.append('source-1', 'absent', [
      { ...older, hash: null },
      { ...copied, hash },
    ]);
    await store.append('source-1', 1, [proposed(2)]);
    await store.append('source-2', 'absent', [{ ...proposed(3), hash: null }]);
    await store.append('source-2', 0, [proposed(4)]);
    const log = await listed(store.all(0n));
    t.strictSame(
      log.map(event => event.hash),
      [undefined, hash, log[2] && eventHash(log[2], hash), undefined, log[4] && eventHash(log[4], null)],
    );
    t.notOk(log.some(event => event.hash === undefined && 'hash' in event));
  });

  rule('another expected revision is a conflict', async (t, store) => {
    const at = (expected: number | 'absent', actual: number | 'absent') =>
      assertConflict(t, store.append('source-1', expected, [proposed(90)]), {
        stream: 'source-1',
        expected,
        actual,
      });
    await at(0, 'absent');
    await at(5, 'absent');
    await store.append('source-1', 'absent', several(0, 3));
    await at('absent', 2);
    await at(0, 2);
    await at(1, 2);
    await at(3, 2);
    await at(99, 2);
    t.equal((await listed(store.all(0n))).length, 3, 'no event is stored');
    t.equal(await store.append('source-1', 2, [proposed(90)]), 3, 'the correct revision is no conflict');
  });

  rule('a retried append returns the same and stores nothing', async (t, store) => {
    const first = several(0, 2);
    const second = several(2, 5);
    const repeated = async () => {
      t.equal(await store.append('source-1', 'absent', first), 1, 'the first again');
      t.equal(await store.append('source-1', 1, second), 4, 'the second again');
    };
    await repeated();
    await repeated();
    await store.append('source-1', 4, [proposed(5)]);
    await store.append('days-1', 'absent', [proposed(6)]);
    await repeated();
    t.strictSame(
      (await listed(store.read('source-1'))).map(event => event.id),
      several(0, 6).map(event => event.id),
    );
  });

  rule('other or additional ids are a conflict, not a retry', async (t, store) => {
    await store.append('source-1', 'absent', several(0, 3));
    const at = (expected: number | 'absent', events: readonly Proposed[]) =>
      assertConflict(t, store.append('source-1', expected, events), {
        stream: 'source-1',
        expected,
        actual: 2,
      });
    await at('absent', [proposed(90)]);
    await at('absent', [proposed(0), proposed(90), proposed(2)]);
    await at('absent', [proposed(0), proposed(2)]);
    await at('absent', several(0, 4));
    await at(0, several(0, 2));
    t.equal(
      await store.append('source-1', 'absent', several(0, 2)),
      1,
      'the first of the events are a retry',
    );
    t.equal(await store.append('source-1', 0, several(1, 3)), 2, 'events after a revision are a retry');
    t.equal((await listed(store.all(0n))).length, 3);
  });

  rule('an append without events or with duplicates is refused', async (t, store) => {
    await t.rejects(store.append('source-1', 'absent', []), RangeError);
    await t.rejects(store.append('source-1', 'absent', [proposed(9), proposed(9)]), RangeError);
    t.strictSame(await listed(store.all(0n)), []);
  });

  if (anyIdOnce)
    rule('ids are unique in the log', async (t, store) => {
      await store.append('source-1', 'absent', several(0, 2));
      await t.rejects(store.append('source-1', 1, [proposed(0)]), 'in the same stream');
      await t.rejects(store.append('source-2', 'absent', [proposed(9), proposed(0)]), 'in another stream');
      t.equal((await listed(store.all(0n))).length, 2, 'no event is stored');
      t.equal(
        await store.append('source-2', 'absent', [proposed(9)]),
        0,
        'the id of a refused append is free',
      );
    });

  rule('the log orders the events of all streams', async (t, store) => {
    const names = ['source-1', 'days-1', 'source-2'];
    const revisions = new Map<string, number>();
    for (let n = 0; n < 30; n += 2) {
      const stream = names[(n / 2) % 3] ?? '';
      const at = revisions.get(stream);
      revisions.set(stream, await store.append(stream, at ?? 'absent', several(n, n + 2)));
    }
    const log = await listed(store.all(0n));
    t.strictSame(
      log.map(event => event.id),
      several(0, 30).map(event => event.id),
    );
    t.ok(log.every((event, n) => n === 0 || event.position > (log[n - 1]?.position ?? event.position)));
    for (const stream of names)
      t.strictSame(
        await listed(store.read(stream)),
        log.filter(event => event.stream === stream),
        `events of ${stream} have the same positions in the log`,
      );
  });

  rule('a stream name that is a prefix of another one is a separate stream', async (t, store) => {
    await store.append('source-1', 'absent', [proposed(0)]);
    await store.append('source-11', 'absent', [proposed(1)]);
    t.equal(await store.append('source-1', 0, [proposed(2)]), 1);
    t.strictSame(
      (await listed(store.read('source-1'))).map(event => event.id),
      [id(0), id(2)],
    );
  });

  rule('`all` begins after a position, `read` at a revision', async (t, store) => {
    await store.append('source-1', 'absent', several(0, 5));
    await store.append('days-1', 'absent', several(5, 8));
    const log = await listed(store.all(0n));
    for (const [n, { position }] of log.entries())
      t.strictSame(await listed(store.all(position)), log.slice(n + 1), `after the event ${n}`);
    for (let from = 0; from <= 6; from += 1)
      t.strictSame(await listed(store.read('source-1', from)), log.slice(from, 5), `from revision ${from}`);
  });

  rule('`all` returns only the requested types', async (t, store) => {
    await store.append('source-1', 'absent', several(0, 2, 'SourceCreated'));
    await store.append('days-1', 'absent', several(2, 4, 'DaysImported'));
    await store.append('source-1', 1, several(4, 6, 'ModelsReset'));
    const log = await listed(store.all(0n));
    const indicesOf = async (after: bigint, ...types: readonly string[]) =>
      (await listed(store.all(after, types))).map(event => log.findIndex(one => one.id === event.id));
    t.strictSame(await indicesOf(0n, 'SourceCreated'), [0, 1]);
    t.strictSame(
      await indicesOf(0n, 'ModelsReset', 'SourceCreated'),
      [0, 1, 4, 5],
      'in the order of the log',
    );
    t.strictSame(await indicesOf(log[0]?.position ?? 0n, 'ModelsReset', 'SourceCreated'), [1, 4, 5]);
    t.strictSame(await indicesOf(0n, 'NoSuchType'), []);
    t.strictSame(await indicesOf(0n), [], 'no types, no events');
    t.strictSame(await indicesOf(0n, 'sourcecreated'), [], 'types are case-sensitive');
  });

  rule('long streams and logs are read completely, in pages', async (t, store) => {
    const count = 1205;
    for (let n = 0; n < count; n += 5)
      await store.append('source-1', n === 0 ? 'absent' : n - 1, [
        ...several(n, n + 4, 'SourceCreated'),
        proposed(n + 4, { n: n + 4 }, 'DayPlanned'),
      ]);
    const numbers = (events: readonly Recorded[]) => events.map(({ data }) => (data as { n: number }).n);
    const from = (first: number) => Array.from({ length: count - first }, (_, index) => first + index);
    const log = await listed(store.all(0n));
    t.strictSame(numbers(log), from(0));
    t.strictSame(numbers(await listed(store.read('source-1'))), from(0));
    t.strictSame(numbers(await listed(store.read('source-1', 203))), from(203));
    t.strictSame(numbers(await listed(store.all(log[999]?.position ?? 0n))), from(1000));
    t.strictSame(
      numbers(await listed(store.all(0n, ['DayPlanned']))),
      from(0).filter(n => n % 5 === 4),
    );
    t.strictSame(
      numbers(await listed(store.all(0n, ['SourceCreated']))),
      from(0).filter(n => n % 5 !== 4),
    );
  });

  rule('appends during a read, and reads that stop early', async (t, store) => {
    await store.append('source-1', 'absent', several(0, 450));
    let seen = 0;
    for await (const event of store.all(0n)) {
      if (event.revision === seen) seen += 1;
      if (event.revision % 100 === 0)
        await store.append(`days-${event.revision + 1}`, 'absent', [proposed(1000 + event.revision)]);
      if (event.stream === 'source-1' && event.revision === 430) break;
    }
    t.equal(seen, 431);
    t.equal(await store.append('source-1', 449, [proposed(450)]), 450, 'the store is usable after that');
  });

  rule('an append below one mebibyte is stored, a larger one is refused', async (t, store) => {
    const large = 'x'.repeat(appendBytesMax - 2000);
    t.equal(appendBytesMax, 1_048_576);
    t.equal(await store.append('days-1', 'absent', [proposed(0, { large })]), 0);
    t.strictSame((await listed(store.read('days-1')))[0]?.data, { large });
    const refused = (title: string, ...events: readonly Proposed[]) =>
      t.rejects(store.append('days-1', 0, events), AppendTooLarge, title);
    await refused('one event', proposed(1, 'x'.repeat(appendBytesMax)));
    await refused(
      'several events together',
      proposed(1, 'x'.repeat(400_000)),
      proposed(2, 'x'.repeat(400_000)),
      proposed(3, 'x'.repeat(400_000)),
    );
    await refused('bytes are counted, not characters', proposed(1, 'é'.repeat(600_000)));
    await refused('metadata count', {
      ...proposed(1),
      metadata: { ...proposed(1).metadata, by: large + large },
    });
    t.equal((await listed(store.all(0n))).length, 1, 'no event is stored');
    t.equal(await store.append('days-1', 0, [proposed(1)]), 1);
  });

  rule('events without a canonical form are not stored', async (t, store) => {
    await store.append('source-1', 'absent', [proposed(0)]);
    await t.rejects(store.append('source-1', 0, [proposed(1), proposed(2, 'half: \ud83d')]), NotCanonical);
    await t.rejects(store.append('source-2', 'absent', [proposed(2, { '\udead': 1 })]), NotCanonical);
    t.equal((await listed(store.all(0n))).length, 1);
    t.equal(await store.append('source-1', 0, [proposed(1)]), 1);
  });

  rule('concurrent appends are independent', async (t, store) => {
    await store.append('source-1', 'absent', several(0, 2));
    const caughtUp = await Promise.allSettled([
      store.append('source-1', 1, several(2, 4)),
      store.append('source-1', 0, [proposed(90)]),
      store.append('source-2', 'absent', several(4, 6)),
      store.append('source-3', 'absent', [proposed(6), proposed(7, 'half: \ud83d')]),
      store.append('days-1', 'absent', []),
      store.append('source-1', 1, several(2, 4)),
      store.append('days-1', 'absent', [proposed(8)]),
    ]);
    const [first, ...others] = caughtUp.map(one =>
      one.status === 'fulfilled' ? one.value : (one.reason as Error).name,
    );
    const twin = others.splice(4, 1)[0];
    t.strictSame(others, ['Conflict', 1, 'NotCanonical', 'RangeError', 0]);
    // A server can refuse one of the two before the other is visible; the command handler reads again then.
    t.ok([first, twin].includes(3), 'one of the two is stored');
    t.ok(
      [first, twin].every(one => one === 3 || one === 'Conflict'),
      'the other is a retry or a conflict',
    );
    t.strictSame(
      (await listed(store.all(0n))).map(event => event.id).sort(),
      [0, 1, 2, 3, 4, 5, 8].map(id).sort(),
      'failed appends stored nothing, the others are stored once',
    );
    for (const stream of ['source-1', 'source-2', 'days-1']) await assertChain(t, store, stream);
  });

  rule('of concurrent appends at one revision, one succeeds', async (t, store) => {
    const race = (expected: number | 'absent', from: number) =>
      Promise.allSettled(
        Array.from({ length: 10 }, async (_, n) => {
          if (n % 2 === 1) await yieldToEventLoop();
          return store.append('source-1', expected, [proposed(from + 2 * n), proposed(from + 2 * n + 1)]);
        }),
      );
    for (const [expected, from] of [
      ['absent', 0],
      [1, 100],
    ] as const) {
      const outcomes = await race(expected, from);
      t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      t.equal(
        outcomes.filter(outcome => outcome.status === 'rejected' && outcome.reason instanceof Conflict)
          .length,
        9,
        'the others fail with a Conflict',
      );
    }
    t.equal((await listed(store.all(0n))).length, 4);
    await assertChain(t, store, 'source-1');
  });
};
