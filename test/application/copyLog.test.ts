import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../adapters/sqlite/driver.js';
import fc from 'fast-check';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { canonicalJson } from '../../auditing/canonicalJson.js';
import { eventHash } from '../../auditing/eventHash.js';
import { copyLog as copyCommand, copyProgress } from '../../adapters/cli/commands/copyLog.js';
import { NotCopied, compareLogs, copyLog, type Progress } from '../../application/copyLog.js';
import {
  OutcomeUnknown,
  StoreUnavailable,
  appendBytesMax,
  bytesOf,
  written,
  type EventStore,
  type OpenEventStore,
} from '../../application/eventStore.js';
import { connect } from '../../adapters/eventstoredb/connection.js';
import { groupSubscription } from '../../adapters/eventstoredb/group.js';
import { DataDirInUse, lockDataDir } from '../../adapters/sqlite/lock.js';
import { SettingsError } from '../../adapters/settings.js';
import { memoryStore } from '../../adapters/memory/memoryStore.js';
import { openLog } from '../../adapters/composition/openLog.js';
import { sqliteStore } from '../../adapters/sqlite/sqliteStore.js';
import type { Proposed, Recorded } from '../../domain/events.js';
import { newAddress, withoutEventStoreDb } from '../helpers/eventStoreDb.js';
import { launch, run } from '../helpers/process.js';
import { id } from '../helpers/samples.js';
import { listed, proposed } from '../helpers/storeContract.js';

t.setTimeout(300_000);

const skip = withoutEventStoreDb;
const envOf = ({ url, prefix }: ReturnType<typeof newAddress>) => ({
  EVENTSTOREDB_URL: url,
  EVENTSTOREDB_PREFIX: prefix,
});

/** An event and where it stands. */
type Placed = { readonly stream: string; readonly revision: number; readonly event: Proposed };

const streamNames = ['catalog', 'source-1', 'days-1', 'alerts-1', 'source-2', 'days-2'];

/** Places events in the streams that are named for them, in this order. */
const placed = (events: readonly (readonly [stream: string, event: Proposed])[]): Placed[] => {
  const ends = new Map<string, number>();
  return events.map(([stream, event]) => {
    const revision = (ends.get(stream) ?? -1) + 1;
    ends.set(stream, revision);
    return { stream, revision, event };
  });
};

/** A log of `count` events that changes its stream every `run` of them. */
const plainLog = (count: number, run = 3, text = ''): Placed[] =>
  placed(
    Array.from({ length: count }, (_, n) => [
      streamNames[Math.floor(n / run) % streamNames.length] ?? '',
      proposed(n, text === '' ? { n } : { n, text }),
    ]),
  );

/** Appends a log as it was, up to `together` events of one stream at once. */
const fill = async (store: EventStore, log: readonly Placed[], together = 1): Promise<void> => {
  for (let index = 0; index < log.length;) {
    const { stream, revision } = log[index] as Placed;
    let end = index;
    while (end < log.length && end - index < together && log[end]?.stream === stream) end += 1;
    const events = log.slice(index, end).map(({ event }) => event);
    await store.append(stream, revision === 0 ? 'absent' : revision - 1, events);
    index = end;
  }
};

/** A store with a log in it. */
const filled = async <Store extends EventStore>(store: Store, log: readonly Placed[]): Promise<Store> => {
  await fill(store, log, 200);
  return store;
};

const withoutPositions = (events: readonly Recorded[]) =>
  events.map(({ position: _, hash: __, ...event }) => event);

/** What a log holds, but for positions. */
const contentOf = async (store: EventStore) => withoutPositions(await listed(store.all(0n)));

/** What a store is to bring of a log. */
const expectedOf = (log: readonly Placed[]) =>
  log.map(({ stream, revision, event }) => ({
    ...(JSON.parse(JSON.stringify(event)) as Omit<Proposed, 'hash'>),
    stream,
    revision,
  }));

/** The hashes that a log's events get, one after the other. */
const hashesOf = (log: readonly Placed[]): string[] => {
  const ends = new Map<string, string>();
  return log.map(({ stream, revision, event }) => {
    const data = JSON.parse(JSON.stringify(event.data)) as unknown;
    const hash = eventHash({ ...event, data, stream, revision }, ends.get(stream) ?? null);
    ends.set(stream, hash);
    return hash;
  });
};

/** An event's fields in one order, to be compared as text. */
const inOrder = ({ id, stream, revision, type, v, at, data, metadata }: Omit<Recorded, 'position'>) => [
  [id, stream, revision, type, v, at, canonicalJson(data)],
  [metadata.by, metadata.cause, metadata.correlation],
];

/** The digest, worked out from what was put in and not by the code under test. */
const sha256Of = (log: readonly Placed[], hashes: readonly string[] = hashesOf(log)): string =>
  createHash('sha256')
    .update(
      log
        .map(({ stream, revision, event: { id, type, v, at, data, metadata } }, n) => {
          const { by, cause, correlation } = metadata;
          const rest = [id, stream, revision, type, v, at].map(of => JSON.stringify(of)).join(',');
          return `[${rest},${canonicalJson(data)},${JSON.stringify({ by, cause, correlation })},${JSON.stringify(hashes[n])}]\n`;
        })
        .join(''),
    )
    .digest('hex');

/** A store that can only be read: whoever appends to a source fails. */
const readOnly = (store: EventStore): EventStore => ({
  ...store,
  append: () => Promise.reject(new Error('the source is appended to')),
});

/** A store that notes what is appended, and fails when two appends overlap. */
const noting = (store: EventStore) => {
  const appends: { readonly stream: string; readonly events: readonly Proposed[] }[] = [];
  let busy = false;
  const append: EventStore['append'] = async (stream, expected, events) => {
    if (busy) throw new Error('two appends at once');
    busy = true;
    await sleep(0);
    appends.push({ stream, events });
    try {
      return await store.append(stream, expected, events);
    } finally {
      busy = false;
    }
  };
  return { store: { ...store, append }, appends };
};

/** What a copy that is to be refused says. */
const refusal = async (copying: Promise<unknown>): Promise<string> => {
  const outcome = await copying.then(
    () => 'copied',
    (error: unknown) => error,
  );
  if (!(outcome instanceof NotCopied)) throw new Error(`got ${String(outcome)}, expected NotCopied`);
  return outcome.message;
};

// --- between two stores -----------------------------------------------------------------------------------------

const anyLog = fc
  .array(
    fc.record({
      stream: fc.constantFrom(...streamNames),
      run: fc.integer({ min: 1, max: 4 }),
      data: fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }),
      type: fc.constantFrom('DaysImported', 'SourceCreated', 'A later kind'),
      v: fc.integer({ min: 1, max: 3 }),
      by: fc.string({ unit: 'binary' }),
    }),
    { maxLength: 25 },
  )
  .map(runs =>
    placed([
      ['catalog', proposed(0)],
      ...runs.flatMap(({ stream, run, data, type, v, by }, at) =>
        Array.from({ length: run }, (_, n): [string, Proposed] => {
          const one = proposed(1 + at * 4 + n, data, type);
          return [stream, { ...one, v, metadata: { ...one.metadata, by } }];
        }),
      ),
    ]),
  );

const kinds: Readonly<Record<string, () => OpenEventStore>> = {
  memory: memoryStore,
  sqlite: () => sqliteStore(':memory:'),
};

for (const [from, openSource] of Object.entries(kinds))
  for (const [to, openTarget] of Object.entries(kinds))
    void t.test(`${from} to ${to}: any log, any beginning of it there already`, async t => {
      await fc.assert(
        fc.asyncProperty(anyLog, fc.nat(), async (log, cut) => {
          const [source, target] = [openSource(), openTarget()];
          await fill(source, log, 3);
          const before = await listed(source.all(0n));
          const already = cut % (log.length + 1);
          await fill(target, log.slice(0, already));
          const { store, appends } = noting(target);
          const copied = await copyLog({ source: readOnly(source), target: store });
          const same = (found: unknown, wanted: unknown, what: string) => {
            if (JSON.stringify(found) !== JSON.stringify(wanted))
              throw new Error(`${what}: ${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
          };
          same(copied, { count: log.length, already }, 'what it says');
          same((await contentOf(target)).map(inOrder), expectedOf(log).map(inOrder), 'the copy');
          same(withoutPositions(await listed(source.all(0n))), withoutPositions(before), 'the source');
          same(
            appends.flatMap(({ events }) => events.map(event => event.id)),
            log.slice(already).map(({ event }) => event.id),
            'what was appended, once and in order',
          );
          const runs = log
            .slice(already)
            .filter(({ stream }, n, all) => n === 0 || all[n - 1]?.stream !== stream);
          same(
            appends.map(({ stream }) => stream),
            runs.map(({ stream }) => stream),
            'one append for a run of one stream',
          );
          const digest = { count: log.length, sha256: sha256Of(log) };
          const compared = await compareLogs({ source, target });
          same(compared, { source: digest, target: digest }, 'the comparison');
          await Promise.all([source.close(), target.close()]);
        }),
        { numRuns: 60 },
      );
      t.pass('copied whole, with the digest worked out by hand');
    });

t.test('no event is a log too', async t => {
  const parts = { source: memoryStore(), target: memoryStore() };
  t.strictSame(await copyLog(parts), { count: 0, already: 0 });
  const empty = { count: 0, sha256: createHash('sha256').digest('hex') };
  t.strictSame(await compareLogs(parts), { source: empty, target: empty, difference: undefined });
});

t.test('broken off at every append, and started again', async t => {
  const log = plainLog(45, 2);
  const source = readOnly(await filled(memoryStore(), log));
  const whole = noting(memoryStore());
  await copyLog({ source, target: whole.store });
  const appends = whole.appends.length;
  t.equal(appends, 23);
  for (const stored of [false, true])
    for (let failing = 0; failing < appends; failing += 1) {
      const target = memoryStore();
      let left = failing;
      const append: EventStore['append'] = async (...what) => {
        if (left === 0) {
          if (stored) await target.append(...what);
          throw stored ? new OutcomeUnknown('the answer is lost') : new StoreUnavailable('gone');
        }
        left -= 1;
        return target.append(...what);
      };
      await t.rejects(
        copyLog({ source, target: { ...target, append } }),
        stored ? OutcomeUnknown : StoreUnavailable,
      );
      const there = (await listed(target.all(0n))).length;
      t.equal(there, Math.min(45, 2 * (failing + (stored ? 1 : 0))), `after ${failing} appends`);
      const { already } = await copyLog({ source, target });
      t.equal(already, there, 'it goes on where it stopped');
      t.strictSame(await contentOf(target), expectedOf(log));
      t.equal((await compareLogs({ source, target })).difference, undefined);
    }
});

t.test('every store has positions of its own', async t => {
  const log = plainLog(30);
  const inner = await filled(memoryStore(), log);
  const source: EventStore = {
    ...readOnly(inner),
    async *all(after) {
      for await (const event of inner.all(0n)) {
        const position = 1000n + event.position * 7n;
        if (position > after) yield { ...event, position };
      }
    },
  };
  const { store, appends } = noting(await filled(memoryStore(), log.slice(0, 13)));
  t.strictSame(await copyLog({ source, target: store }), { count: 30, already: 13 });
  t.equal(appends.flatMap(({ events }) => events).length, 17, 'it goes on behind what is there');
  t.strictSame(await contentOf(store), expectedOf(log));
  t.equal((await compareLogs({ source, target: store })).difference, undefined);
});

t.test('a source that goes away is a store that is unavailable', async t => {
  const log = plainLog(30);
  const source = await filled(memoryStore(), log);
  let reads = 0;
  const target = memoryStore();
  const going: EventStore = {
    ...source,
    async *all(after) {
      reads += 1;
      for await (const event of source.all(after)) {
        // The first read looks at what there is, the second is the copy.
        if (reads === 2 && event.position > 14n) throw new StoreUnavailable('gone');
        yield event;
      }
    },
  };
  await t.rejects(copyLog({ source: going, target }), StoreUnavailable);
  const there = (await listed(target.all(0n))).length;
  t.ok(there > 0 && there < 30, `${there} events`);
  t.strictSame(await copyLog({ source, target }), { count: 30, already: there });
  t.strictSame(await contentOf(target), expectedOf(log));
});

t.test('an append that comes late, of a copy that was killed, is met again', async t => {
  const log = plainLog(30);
  const source = await filled(memoryStore(), log);
  const target = await filled(memoryStore(), log.slice(0, 9));
  let late = true;
  const append: EventStore['append'] = async (...what) => {
    // The killed copy's append arrives when the next one has read the target already.
    if (late) await target.append(...what);
    late = false;
    return target.append(...what);
  };
  await copyLog({ source, target: { ...target, append } });
  t.strictSame(await contentOf(target), expectedOf(log));
});

/** The log with one event put in the place of another. */
const withEvent = (log: readonly Placed[], index: number, change: Partial<Proposed>): Placed[] =>
  log.map((one, n) => (n === index ? { ...one, event: { ...one.event, ...change } } : one));

t.test('a target that holds another log is named and left alone', async t => {
  const log = plainLog(12);
  const source = await filled(memoryStore(), log);
  const fifth = log[4]?.event as Proposed;
  const cases: readonly (readonly [what: string, there: readonly Placed[], message: RegExp])[] = [
    [
      'another event',
      withEvent(log.slice(0, 6), 4, { id: id(900) }),
      new RegExp(`source has event 5 .*${id(4)}.*target has event 5 .*${id(900)}`),
    ],
    [
      'another first event',
      placed([['source-7', proposed(901)]]),
      new RegExp(`event 1 .*${id(0)}.*target has event 1 .*${id(901)}, source-7 revision 0`),
    ],
    ['other data', withEvent(log, 4, { data: { n: 'x' } }), /event 5 .* differs in the target: data/],
    [
      'another time',
      withEvent(log, 4, { at: '2020-01-01T00:00:00.000Z' }),
      /event 5 .* differs in the target: at/,
    ],
    ['another type', withEvent(log, 4, { type: 'Other' }), /event 5 .* differs in the target: type/],
    ['another version', withEvent(log, 4, { v: 2 }), /event 5 .* differs in the target: v$/],
    [
      'other metadata',
      withEvent(log, 4, { metadata: { ...fifth.metadata, by: 'eve' } }),
      /event 5 .* differs in the target: metadata/,
    ],
    [
      'another order',
      placed([...log.slice(3, 6), ...log.slice(0, 3)].map(({ stream, event }) => [stream, event])),
      new RegExp(`event 1 .*${id(0)}.*target has event 1 .*${id(3)}`),
    ],
    [
      'more events',
      [...log, { stream: 'catalog', revision: 3, event: proposed(902) }],
      new RegExp(`target has event 13 .*${id(902)}, catalog revision 3.*source ends`),
    ],
  ];
  for (const [what, there, message] of cases) {
    const target = await filled(memoryStore(), there);
    t.match(await refusal(copyLog({ source, target: readOnly(target) })), message, what);
    t.equal((await listed(target.all(0n))).length, there.length);
  }
});

t.test('what a source may hold', async t => {
  const log = plainLog(12);
  const wrong = async (index: number, change: Partial<Recorded>): Promise<string> => {
    const source = await filled(memoryStore(), log);
    const changed: EventStore = {
      ...source,
      async *all(after) {
        for await (const event of source.all(after))
          yield event.position === BigInt(index + 1) ? { ...event, ...change } : event;
      },
    };
    // Not even what comes before it is copied.
    return refusal(copyLog({ source: changed, target: readOnly(memoryStore()) }));
  };
  const by = /was not written by Daybook/;
  t.match(
    await wrong(7, { type: 'foreign Order' }),
    /source's event 8 \(foreign Order .*, days-1 revision 1\)/,
  );
  t.match(await wrong(7, { type: 'foreign Order' }), by);
  t.match(await wrong(7, { stream: 'orders-1' }), by);
  t.match(await wrong(7, { id: id(7).replace('000', 'ABC') }), /lower case/);
  t.match(await wrong(7, { id: 'seven' }), by);
  t.match(await wrong(7, { revision: 2 }), /event 8 .*follows missing events: expected revision 1 /);
  t.match(await wrong(6, { revision: 5 }), /event 7 .*follows missing events: expected revision 0 /);
  t.match(await wrong(7, { data: { n: 8 } }), /event 8 .*does not match its hash/);
  t.match(await wrong(7, { hash: '0'.repeat(64) }), /event 8 .*does not match its hash/);
  const later = await filled(memoryStore(), placed([['source-1', proposed(0)]]));
  t.match(await refusal(copyLog({ source: later, target: memoryStore() })), /event 1 .* catalog/);
});

t.test('somebody else who writes to the target meanwhile', async t => {
  const log = plainLog(40, 2);
  const source = await filled(memoryStore(), log);
  const target = memoryStore();
  let appends = 0;
  const append: EventStore['append'] = async (stream, expected, events) => {
    appends += 1;
    if (appends === 9) await target.append(stream, expected, [proposed(903)]);
    return target.append(stream, expected, events);
  };
  const message = await refusal(copyLog({ source, target: { ...target, append } }));
  t.match(
    message,
    new RegExp(`event 17 .*${id(16)}.* revision 2, expected 1.*stop other programs that write`),
  );
  t.match(
    await refusal(copyLog({ source, target })),
    new RegExp(`event 17 .*target has event 17 .*${id(903)}`),
  );
});

t.test('a source that grows meanwhile is copied as far as it was looked at', async t => {
  const source = await filled(memoryStore(), plainLog(10));
  const target = await filled(memoryStore(), plainLog(10).slice(0, 4));
  let grows: Promise<number> | undefined;
  // Looked at to its end, not copied yet.
  const progress = ({ events }: Progress) => {
    if (events === 10) grows ??= source.append('source-9', 'absent', [proposed(904)]);
  };
  t.strictSame(await copyLog({ source, target, progress }), { count: 10, already: 4 });
  t.equal(await grows, 0);
  const { difference, source: one, target: other } = await compareLogs({ source, target });
  t.match(difference, new RegExp(`source has event 11 .*${id(904)}, source-9 revision 0.*target ends`));
  t.strictSame([one.count, other.count], [11, 10]);
  t.not(one.sha256, other.sha256);
  t.strictSame(await copyLog({ source, target }), { count: 11, already: 10 });
});

t.test('the comparison finds every change, and nothing else', async t => {
  const log = plainLog(8);
  const source = await filled(memoryStore(), log);
  const seen = async (index: number, change: (event: Recorded) => Partial<Recorded>) =>
    compareLogs({
      source,
      target: {
        ...source,
        async *all(after) {
          for await (const event of source.all(after))
            yield event.position === BigInt(index + 1) ? { ...event, ...change(event) } : event;
        },
      },
    });
  const changes: readonly (readonly [string, (event: Recorded) => Partial<Recorded>])[] = [
    ['stream', () => ({ stream: 'days-9' })],
    ['revision', () => ({ revision: 9 })],
    ['type', () => ({ type: 'Other' })],
    ['v', () => ({ v: 9 })],
    ['at', () => ({ at: '' })],
    ['data', () => ({ data: { n: '5' } })],
    ['metadata', ({ metadata }) => ({ metadata: { ...metadata, by: '' } })],
    ['metadata', ({ metadata }) => ({ metadata: { ...metadata, cause: '' } })],
    ['metadata', ({ metadata }) => ({ metadata: { ...metadata, correlation: '' } })],
    ['metadata', ({ metadata }) => ({ metadata: { ...metadata, more: 1 } as Recorded['metadata'] })],
    ['hash', () => ({ hash: '0'.repeat(64) })],
  ];
  for (const [field, change] of changes)
    for (const index of [0, 5, 7]) {
      const { source: one, target: other, difference } = await seen(index, change);
      t.match(difference, new RegExp(`^event ${index + 1} .* differs in the target: ${field}$`));
      t.equal(one.sha256, sha256Of(log));
      t.not(other.sha256, one.sha256, `${field} is in the digest`);
    }
  const twice = await filled(memoryStore(), withEvent(withEvent(log, 2, { v: 9 }), 6, { at: '' }));
  t.match(
    (await compareLogs({ source, target: twice })).difference,
    /^event 3 .* differs in the target: v$/,
    'the first of two',
  );
  const { difference } = await seen(5, () => ({ id: id(905) }));
  t.match(difference, new RegExp(`source has event 6 .*${id(5)}.*target has event 6 .*${id(905)}`));
  for (const harmless of [
    ({ position }: Recorded) => ({ position: position + 1000n }),
    ({ metadata: { by, cause, correlation } }: Recorded) => ({ metadata: { correlation, cause, by } }),
  ]) {
    const { source: one, target: other, difference } = await seen(5, harmless);
    t.strictSame([difference, other], [undefined, one]);
  }
});

t.test('large events, and very many small ones', async t => {
  const frame = bytesOf(written('days-1', [proposed(0, '', 'DaysImported')]));
  const sized = (n: number, bytes: number): Proposed =>
    proposed(n, 'x'.repeat(bytes - frame), 'DaysImported');
  const sizes = [
    ...[appendBytesMax, appendBytesMax - 1, 300, appendBytesMax - 300, 300, 300, appendBytesMax],
    ...[400_000, 400_000, 400_000, 248_576, 400_000, 500_000, 548_577, 1000],
  ];
  const log = placed([
    ['catalog', proposed(0)],
    ...sizes.map((bytes, n): [string, Proposed] => ['days-1', sized(10 + n, bytes)]),
    ...Array.from({ length: 1700 }, (_, n): [string, Proposed] => ['source-1', proposed(100 + n)]),
  ]);
  const source = memoryStore();
  await fill(source, log);
  const { store, appends } = noting(memoryStore());
  await copyLog({ source, target: store });
  t.strictSame(await contentOf(store), expectedOf(log));
  const bytes = appends.map(({ stream, events }) => bytesOf(written(stream, events)));
  t.ok(Math.max(...bytes) === appendBytesMax, 'up to the limit');
  t.equal(
    appends.filter(({ stream }) => stream === 'days-1').length,
    9,
    'as few appends as the limit allows',
  );
  t.ok(appends.filter(({ stream }) => stream === 'source-1').length <= 10, 'small ones go together');
});

t.test('how far it is', async t => {
  const log = plainLog(30);
  const source = await filled(memoryStore(), log);
  const target = await filled(memoryStore(), log.slice(0, 10));
  const seen: Progress[] = [];
  const progress = (at: Progress) => void seen.push(at);
  await copyLog({ source, target, progress });
  await compareLogs({ source, target, progress }, 30);
  const of = (step: string) => seen.filter(at => at.step === step);
  t.strictSame(
    of('checking').map(({ events }) => events),
    Array.from({ length: 30 }, (_, n) => n + 1),
  );
  t.strictSame(of('copying')[0], { step: 'copying', events: 12, of: 30 });
  for (const step of ['copying', 'comparing']) t.strictSame(of(step).at(-1), { step, events: 30, of: 30 });
});

t.test('the bar on a terminal, plain lines elsewhere', async t => {
  const texts: string[] = [];
  const write = (text: string) => void texts.push(text);
  const terminal = copyProgress({ write, isTTY: true });
  terminal.show({ step: 'copying', events: 1500, of: 3000 });
  terminal.show({ step: 'copying', events: 1501, of: 3000 });
  t.strictSame(texts, [
    `\r${'copying'}    ${'█'.repeat(15)}${'░'.repeat(15)}   50 %  1,500 of 3,000 events\u001b[K`,
  ]);
  await sleep(80);
  terminal.show({ step: 'checking', events: 7 });
  terminal.clear();
  t.strictSame(texts.slice(1), ['\rchecking   7 events\u001b[K', '\r\u001b[K']);
  texts.length = 0;
  const plain = copyProgress({ write });
  for (let n = 0; n < 1000; n += 1) plain.show({ step: 'copying', events: n, of: 1000 });
  plain.clear();
  t.strictSame(texts, [], 'a short copy has no line');
  await sleep(2050);
  for (let n = 0; n < 1000; n += 1) plain.show({ step: 'copying', events: 250 + n, of: 1000 });
  t.strictSame(texts, ['copying     25 %  250 of 1,000 events\n'], 'a long one has few');
});

// --- the command ------------------------------------------------------------------------------------------------

/** Writes a log into a file, as whoever filled it. */
const logFile = async (file: string, log: readonly Placed[]): Promise<string> => {
  const store = sqliteStore(file);
  await fill(store, log, 200);
  await store.close();
  return file;
};

const bare = { bare: true };
const copyRun = (from: string, to: string, env: Readonly<Record<string, string>> = {}) =>
  run(['copy-log', '--from', from, '--to', to], env, bare);

/** The rows of a file, read with nothing of ours. */
const rowsOf = (file: string): unknown[] => {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare('select * from events order by position').all();
  } finally {
    db.close();
  }
};

const sha256OfFile = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

t.test('copy-log from a folder to a folder that is not there', async t => {
  const dir = t.testdir({ data: {} });
  const log = plainLog(100);
  const from = await logFile(join(dir, 'data', 'events.sqlite'), log);
  const before = sha256OfFile(from);
  const to = join(dir, 'deep', 'new');
  const first = await copyRun(join(dir, 'data'), to);
  t.strictSame([first.code, first.stdout], [0, `100 events, sha256 ${sha256Of(log)}\n`]);
  t.match(first.stderr, /^copied 100 events, 0 existed already\n/m);
  t.equal(statSync(to).mode & 0o777, 0o700);
  t.strictSame(readdirSync(to).sort(), ['events.sqlite', 'lock.sqlite', 'people.sqlite'], 'closed cleanly');
  t.equal(sha256OfFile(from), before, 'the source is as it was');
  t.strictSame(rowsOf(join(to, 'events.sqlite')), rowsOf(from));

  const again = await copyRun(from, join(to, 'events.sqlite'));
  t.strictSame([again.code, again.stdout], [0, first.stdout], 'again');
  t.match(again.stderr, /^copied 0 events, 100 existed already\n/m);

  const beside = await copyRun(from, join(dir, 'data', 'other.sqlite'));
  t.strictSame([beside.code, beside.stdout], [0, first.stdout], 'both in one folder');
  writeFileSync(join(dir, 'empty.sqlite'), '');
  const emptied = await copyRun(from, join(dir, 'empty.sqlite'));
  t.strictSame([emptied.code, emptied.stdout], [0, first.stdout], 'into an empty file');
});

t.test('copy-log finds another log, and says where', async t => {
  const dir = t.testdir();
  const log = plainLog(50);
  const from = await logFile(join(dir, 'from.sqlite'), log);
  for (const [name, there, message] of [
    ['other.sqlite', withEvent(log, 20, { id: id(906) }), `event 21 .*${id(20)}.*${id(906)}`],
    ['changed.sqlite', withEvent(log, 20, { data: 1 }), 'event 21 .*differs in the target: data'],
    [
      'longer.sqlite',
      [...log, { stream: 'source-8', revision: 0, event: proposed(907) }],
      `event 51 .*${id(907)}`,
    ],
  ] as const) {
    const to = await logFile(join(dir, name), there);
    const before = sha256OfFile(to);
    const { code, stdout, stderr } = await copyRun(from, to);
    t.strictSame([code, stdout], [1, ''], name);
    t.match(stderr, new RegExp(`^the target contains another log: .*${message}.*\n$`));
    t.equal(sha256OfFile(to), before, 'it is as it was');
  }
});

t.test('a store that does not keep what it is given is found', async t => {
  const log = plainLog(50);
  const [source, kept] = [memoryStore(), memoryStore()];
  await fill(source, log);
  await fill(kept, log.slice(0, 10));
  // Writes something else than it was told to, of one event.
  const bend = (event: Proposed): Proposed => (event.id === id(30) ? { ...event, data: { n: 31 } } : event);
  const target: EventStore = {
    ...kept,
    append: (stream, expected, events) => kept.append(stream, expected, events.map(bend)),
  };
  t.strictSame(await copyLog({ source, target }), { count: 50, already: 10 });
  const { difference, ...digests } = await compareLogs({ source, target });
  t.match(difference, new RegExp(`^event 31 .*${id(30)}.* differs in the target: data$`));
  t.strictSame(
    digests,
    {
      source: { count: 50, sha256: sha256Of(log) },
      target: { count: 50, sha256: sha256Of(withEvent(log, 30, { data: { n: 31 } }), hashesOf(log)) },
    },
    'the hash is the one that was copied',
  );
});

t.test('copy-log writes into no file that has a trigger of others', async t => {
  const dir = t.testdir();
  const log = plainLog(50);
  const from = await logFile(join(dir, 'from.sqlite'), log);
  const to = await logFile(join(dir, 'to.sqlite'), log.slice(0, 10));
  const db = new Database(to);
  db.exec(`drop trigger events_never_updated; create trigger bends after insert on events when new.id = '${id(30)}'
    begin update events set data = '{"n":31}' where id = new.id; end;`);
  db.close();
  t.match(await copyRun(from, to), {
    code: 3,
    stdout: '',
    stderr: /got trigger bends, which Daybook did not create/,
  });
});

t.test('copy-log, wrong usage', async t => {
  const dir = t.testdir({
    data: {},
    nothing: {},
    'note.sqlite': 'this is no database at all, only some text',
  });
  const data = join(dir, 'data');
  const from = await logFile(join(data, 'events.sqlite'), plainLog(5));
  symlinkSync(from, join(dir, 'symbolic.sqlite'));
  // A log with two names cannot be locked, so the hard link is one of a copy.
  const linked = join(dir, 'linked.sqlite');
  copyFileSync(from, linked);
  linkSync(linked, join(dir, 'hard.sqlite'));
  symlinkSync(data, join(dir, 'folder'));
  const other = join(dir, 'other.sqlite');
  const db = new Database(other);
  db.exec('create table events (id integer)');
  db.close();
  const files = () =>
    readdirSync(dir, { recursive: true }).filter(name => !String(name).endsWith('lock.sqlite'));
  const before = [files(), sha256OfFile(other)];
  const env = { EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false' };
  for (const [args, message, withEnv = {}] of [
    [[], /^--from: got none/],
    [['--from', data], /^--to: got none/],
    [['--to', data], /^--from: got none/],
    [['--from', '', '--to', data], /^--from: got none/],
    [['--from', data, '--to', join(dir, 'new'), 'more'], /more/],
    [['--from', data, '--to', join(dir, 'new'), '--fast'], /--fast/],
    [['--from', join(dir, 'nowhere'), '--to', data], /^--from: there is no log .*nowhere.events\.sqlite/],
    [['--from', join(dir, 'nothing'), '--to', data], /^--from: there is no log .*nothing.events\.sqlite/],
    [['--from', join(dir, 'none.sqlite'), '--to', data], /^--from: there is no log .*none\.sqlite/],
    [['--from', join(dir, 'note.sqlite'), '--to', join(dir, 'new')], /^--from: .*is not a log/],
    [['--from', other, '--to', join(dir, 'new')], /^--from: .*is not a log/],
    [['--from', data, '--to', other], /^--to: .*is not a log/],
    [['--from', data, '--to', join(dir, 'note.sqlite')], /^--to: .*is not a log/],
    [['--from', data, '--to', join(dir, 'copy.db')], /^--to: got .*copy\.db/],
    [['--from', data, '--to', data], /^--to: got the log of --from/],
    [['--from', data, '--to', from], /^--to: got the log of --from/],
    [['--from', from, '--to', join(dir, 'symbolic.sqlite')], /^--to: got the log of --from/],
    [['--from', linked, '--to', join(dir, 'hard.sqlite')], /^--to: got the log of --from/],
    [['--from', join(dir, 'folder'), '--to', data], /^--to: got the log of --from/],
    [['--from', 'eventstoredb', '--to', 'eventstoredb'], /^--to: got the log of --from/, env],
    [['--from', data, '--to', 'eventstoredb'], /^EVENTSTOREDB_URL: got none/],
    [
      ['--from', data, '--to', 'eventstoredb'],
      /^EVENTSTOREDB_PREFIX: /,
      { ...env, EVENTSTOREDB_PREFIX: 'X' },
    ],
    [['--from', data, '--to', 'esdb://anna:geheim@host'], /EVENTSTOREDB_URL/],
    [['--from=esdb+discover://anna:geheim@host', '--to', data], /EVENTSTOREDB_URL/],
    [['esdb://anna:geheim@host'], /EVENTSTOREDB_URL/],
  ] as readonly (readonly [readonly string[], RegExp, Record<string, string>?])[]) {
    // What main makes the exit code 2 of, and a message without a stack.
    const fault = await copyCommand.run(args, withEnv).then(
      code => new Error(`ended with ${code}`),
      (error: unknown) => error,
    );
    const { name, message: said, code = '' } = fault as NodeJS.ErrnoException;
    t.match(said, message, args.join(' '));
    t.ok(fault instanceof SettingsError || code.startsWith('ERR_PARSE_ARGS'), name);
    t.notMatch(said, /geheim/);
    // A refused target may leave the folder that it was to be in, but no log.
    t.strictSame(
      files().filter(name => name !== 'new'),
      before[0],
      'nothing is made',
    );
  }
  t.equal(sha256OfFile(other), before[1], 'another database is left alone');
  for (const args of [
    ['--from', data],
    ['--from', data, '--fast'],
    ['--from', join(dir, 'note.sqlite'), '--to', join(dir, 'new')],
    ['--from', data, '--to', 'esdb://anna:geheim@host'],
  ]) {
    const { code, stdout, stderr } = await run(['copy-log', ...args], {}, bare);
    t.strictSame([code, stdout, stderr.trimEnd().split('\n').length], [2, '', 1], args.join(' '));
    t.notMatch(stderr, /geheim/);
  }
});

t.test('the list of commands, and their help', async t => {
  const { stdout } = await run(['--help'], {}, bare);
  const list = stdout.split('\n').flatMap(line => /^ {2}([a-z-]+)( {2,})\S/.exec(line) ?? []);
  t.ok(list.includes('copy-log') && list.includes('replay-parked'));
  t.equal(new Set(stdout.match(/^ {2}[a-z-]+ {2,}/gm)?.map(({ length }) => length)).size, 1, 'in one column');
  for (const name of ['copy-log', 'replay-parked']) {
    const help = await run([name, '--help'], {}, bare);
    t.equal(help.code, 0);
    t.ok(help.stdout.startsWith(`usage: daybook ${name}`));
    t.match(help.stdout, /EVENTSTOREDB_URL/);
  }
});

t.test('copy-log, a folder in use', async t => {
  const dir = t.testdir({ one: {}, other: {} });
  const from = await logFile(join(dir, 'one', 'events.sqlite'), plainLog(5));
  for (const used of ['one', 'other']) {
    const unlock = lockDataDir(join(dir, used));
    const { code, stdout, stderr } = await copyRun(join(dir, 'one'), join(dir, 'other'));
    t.strictSame([code, stdout], [3, ''], used);
    t.match(stderr, new RegExp(`${used} is used by a running Daybook\n$`));
    t.notOk(existsSync(join(dir, 'other', 'events.sqlite')), 'nothing was copied');
    unlock();
  }
  const { code } = await copyRun(from, join(dir, 'other'));
  t.equal(code, 0, 'free again');
});

t.test('copy-log, a store that cannot be used', async t => {
  const dir = t.testdir({ data: {}, full: {} });
  await logFile(join(dir, 'data', 'events.sqlite'), plainLog(5));
  const env = { EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false' };
  const { code, stdout, stderr } = await copyRun(join(dir, 'data'), 'eventstoredb', env);
  t.strictSame([code, stdout], [3, '']);
  t.match(stderr, /EventStoreDB cannot be used.*\nRun the same command again/);
  const to = join(dir, 'data', 'events.sqlite', 'below');
  t.equal((await copyRun(join(dir, 'data'), to)).code, 3, 'a folder in a file');
});

/** Events in a file, 0 while there is none. */
const countIn = (file: string): number => {
  try {
    const db = new Database(file, { readonly: true });
    const count = db.prepare('select count(*) from events').pluck().get() as number;
    db.close();
    return count;
  } catch {
    return 0;
  }
};

/** Waits until a file has more than `count` events. */
const grown = async (file: string, count: number): Promise<void> => {
  while (countIn(file) <= count) await sleep(2);
};

t.test('copy-log killed in the midst, twice, and started again', async t => {
  const dir = t.testdir({ from: {} });
  const log = plainLog(2000, 1);
  const from = await logFile(join(dir, 'from', 'events.sqlite'), log);
  const folder = join(dir, 'to');
  const to = join(folder, 'events.sqlite');
  let there = 0;
  for (const round of ['first', 'second']) {
    const copying = launch(['copy-log', '--from', from, '--to', to], {}, bare);
    t.teardown(() => copying.end('SIGKILL'));
    await Promise.race([grown(to, there + 50), copying.exit]);
    if (existsSync(folder))
      for (const locked of [join(dir, 'from'), folder])
        t.throws(() => lockDataDir(locked)(), DataDirInUse, 'no service could have started meanwhile');
    t.strictSame(await copying.end('SIGKILL'), { code: null, signal: 'SIGKILL' });
    const now = countIn(to);
    t.ok(now > there && now < log.length, `the ${round} had ${now} of ${log.length}`);
    there = now;
  }
  const { code, stdout, stderr } = await copyRun(from, to);
  t.strictSame([code, stdout], [0, `2000 events, sha256 ${sha256Of(log)}\n`]);
  const counted = (count: number) => count.toLocaleString('en');
  t.ok(
    stderr.includes(`copied ${counted(2000 - there)} events, ${counted(there)} existed already\n`),
    stderr,
  );
  t.strictSame(rowsOf(to), rowsOf(from));
});

/** Runs a copy and answers the most memory that it had resident, in bytes. */
const peakOf = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const copying = launch(['copy-log', ...args], env, bare);
  let peak = 0;
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${copying.pid}/status`, 'utf8');
      const known = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
      if (known !== undefined) peak = Math.max(peak, 1024 * Number(known));
    } catch {
      // It has ended.
    }
  }, 20);
  const since = performance.now();
  const { code } = await copying.exit;
  clearInterval(watch);
  return {
    code,
    stderr: copying.stderr,
    peak,
    perSecond: (count: number) => Math.round((1000 * count) / (performance.now() - since)),
  };
};

const megabyte = 1_048_576;

t.test('memory stays flat', async t => {
  if (!existsSync('/proc/self/status')) {
    t.pass('memory', { skip: 'there is no /proc here to read it from' });
    return;
  }
  const dir = t.testdir();
  const count = 20_000;
  const from = await logFile(join(dir, 'from.sqlite'), plainLog(count, 200, 'x'.repeat(3000)));
  const to = join(dir, 'to.sqlite');
  for (const what of ['copied', 'compared, as it is there already']) {
    // The text alone of all events is 60 MB: who holds it, dies.
    const env = { NODE_OPTIONS: '--max-old-space-size=48' };
    const { code, stderr, peak, perSecond } = await peakOf(['--from', from, '--to', to], env);
    t.equal(code, 0, stderr());
    t.comment(
      `${count} events ${what}: at most ${(peak / megabyte).toFixed()} MB resident, ${perSecond(count)} events/s`,
    );
    t.ok(peak < 300 * megabyte);
  }
});

// --- EventStoreDB -----------------------------------------------------------------------------------------------

t.test('eventstoredb: there and back again, any log', { skip }, async t => {
  await fc.assert(
    fc.asyncProperty(anyLog, fc.nat(), async (log, failing) => {
      const address = newAddress();
      const [source, back] = [sqliteStore(':memory:'), sqliteStore(':memory:')];
      await fill(source, log, 3);
      const wanted = { count: log.length, sha256: sha256Of(log) };
      // The first try breaks off somewhere.
      const once = await openLog(address);
      let left = failing % 12;
      const append: EventStore['append'] = async (...what) => {
        if ((left -= 1) < 0) throw new StoreUnavailable('gone');
        return once.append(...what);
      };
      await copyLog({ source, target: { ...once, append } }).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
      });
      await once.close();
      const there = await openLog(address);
      await copyLog({ source, target: there });
      await copyLog({ source: readOnly(there), target: back });
      for (const [one, other] of [
        [source, there],
        [there, back],
      ] as const) {
        const {
          source: first,
          target: second,
          difference,
        } = await compareLogs({ source: one, target: other });
        if (difference !== undefined) throw new Error(difference);
        if (first.sha256 !== wanted.sha256 || second.count !== wanted.count)
          throw new Error(`got ${JSON.stringify([first, second])}, expected ${JSON.stringify(wanted)}`);
      }
      await Promise.all([source.close(), there.close(), back.close()]);
    }),
    { numRuns: 25 },
  );
  t.pass('the same log');
});

t.test('eventstoredb: the command, there and back again', { skip }, async t => {
  const dir = t.testdir();
  const count = 1500;
  const log = plainLog(count, 3, 'text '.repeat(40));
  const from = await logFile(join(dir, 'from.sqlite'), log);
  const env = envOf(newAddress());
  for (const [one, other] of [
    [from, 'eventstoredb'],
    ['eventstoredb', join(dir, 'back')],
  ] as const) {
    const since = performance.now();
    const { code, stdout, stderr } = await copyRun(one, other, env);
    t.comment(
      `${one === from ? 'there' : 'back'}: ${Math.round((1000 * count) / (performance.now() - since))} events/s`,
    );
    t.strictSame([code, stdout], [0, `${count} events, sha256 ${sha256Of(log)}\n`], stderr);
  }
  t.strictSame(rowsOf(join(dir, 'back', 'events.sqlite')), rowsOf(from));
  const again = await copyRun(from, 'eventstoredb', env);
  t.strictSame([again.code, again.stderr.includes('copied 0 events, 1,500 existed already\n')], [0, true]);
  const other = await logFile(join(dir, 'other.sqlite'), withEvent(log, 1000, { at: 'another time' }));
  for (const [one, two] of [
    [other, 'eventstoredb'],
    ['eventstoredb', other],
  ] as const) {
    const { code, stdout, stderr } = await copyRun(one, two, env);
    t.strictSame([code, stdout], [1, '']);
    t.match(stderr, new RegExp(`event 1001 .*${id(1000)}.* differs in the target: at`));
  }
});

t.test('eventstoredb: the largest events', { skip }, async t => {
  const address = newAddress();
  const frame = bytesOf(written('days-1', [proposed(0, '', 'DaysImported')]));
  const log = placed([
    ['catalog', proposed(0)],
    ...[appendBytesMax, 500_000, appendBytesMax - 500_000, 300, appendBytesMax - 1].map(
      (bytes, n): [string, Proposed] => [
        'days-1',
        proposed(1 + n, 'x'.repeat(bytes - frame), 'DaysImported'),
      ],
    ),
    ...Array.from({ length: 900 }, (_, n): [string, Proposed] => [
      'source-1',
      proposed(10 + n, 'y'.repeat(2000)),
    ]),
  ]);
  const source = memoryStore();
  await fill(source, log);
  const target = await openLog(address);
  t.teardown(() => target.close());
  await copyLog({ source, target });
  const { difference, target: digest } = await compareLogs({ source, target });
  t.equal(difference, undefined);
  t.strictSame(digest, { count: 906, sha256: sha256Of(log) });
});

t.test('eventstoredb: what others wrote, and what is not there', { skip }, async t => {
  const dir = t.testdir();
  const address = newAddress();
  const { code, stderr } = await copyRun('eventstoredb', join(dir, 'none'), envOf(address));
  t.equal(code, 2, 'a prefix without a log');
  t.match(stderr, address.prefix);

  const store = await openLog(address);
  await fill(store, plainLog(4), 3);
  await store.close();
  const connection = connect(address);
  await connection.client.appendToStream(`${address.prefix}source-1`, [
    { id: id(908), type: 'Order', contentType: 'application/json', data: {}, metadata: {} },
  ]);
  await connection.close();
  const found = await copyRun('eventstoredb', join(dir, 'foreign'), envOf(address));
  t.strictSame([found.code, found.stdout], [1, '']);
  t.match(found.stderr, new RegExp(`event 5 \\(foreign Order ${id(908)}, source-1 revision 1\\)`));
  t.strictSame(rowsOf(join(dir, 'foreign', 'events.sqlite')), [], 'nothing was copied');
});

t.test('eventstoredb: a server that goes away in the midst', { skip }, async t => {
  const dir = t.testdir();
  const address = newAddress();
  const log = plainLog(800, 1, 'text '.repeat(40));
  const from = await logFile(join(dir, 'from.sqlite'), log);
  const { hostname, port } = new URL(address.url.replace(/^esdb:/, 'http:'));
  const sockets = new Set<Socket>();
  let bytes = 0;
  const between = createServer(near => {
    const far = connectTo(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
    near.on('data', ({ length }) => {
      bytes += length;
      if (bytes < 150_000) return;
      between.close();
      for (const socket of sockets) socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  t.teardown(() => between.close());
  const url = address.url.replace(/\/\/[^?/]+/, `//127.0.0.1:${(between.address() as AddressInfo).port}`);
  const broken = await copyRun(from, 'eventstoredb', envOf({ ...address, url }));
  t.strictSame([broken.code, broken.stdout], [3, ''], broken.stderr);
  t.match(broken.stderr, /EventStoreDB cannot be used.*\nRun the same command again/);
  const store = await openLog(address);
  const there = (await listed(store.all(0n))).length;
  await store.close();
  t.ok(there > 0 && there < log.length, `${there} events`);
  const { code, stdout, stderr } = await copyRun(from, 'eventstoredb', envOf(address));
  t.strictSame([code, stdout], [0, `800 events, sha256 ${sha256Of(log)}\n`], stderr);
});

t.test('replay-parked, wrong usage and no server', async t => {
  const cwd = t.testdir();
  const url = 'esdb://127.0.0.1:1?tls=false';
  for (const [env, wanted, message] of [
    [{}, 2, /^EVENTSTOREDB_URL: got none/],
    [{ EVENT_STORE: 'sqlite', EVENTSTOREDB_URL: url }, 2, /^EVENT_STORE: got "sqlite"/],
    [{ EVENTSTOREDB_URL: 'paper' }, 2, /^EVENTSTOREDB_URL: /],
    [{ EVENTSTOREDB_URL: url }, 3, /cannot be used/],
    [{ EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: url }, 3, /cannot be used/],
  ] as const) {
    const { code, stdout, stderr } = await run(['replay-parked'], env, { ...bare, cwd });
    t.strictSame([code, stdout], [wanted, ''], JSON.stringify(env));
    t.match(stderr, message);
  }
  const { code } = await run(['replay-parked', 'all'], { EVENTSTOREDB_URL: url }, { ...bare, cwd });
  t.equal(code, 2);
  t.strictSame(readdirSync(cwd), [], 'it makes no data folder');
});

/** Takes a reactor's events until `enough` says so of how many there were. */
const delivered = async (
  t: Test,
  address: ReturnType<typeof newAddress>,
  beginning: bigint,
  answer: 'done' | 'failed',
  enough: (events: number, parked: number) => boolean,
): Promise<void> => {
  const connection = connect(address);
  const log = pino({ level: 'silent' });
  const group = groupSubscription({ connection, beginning, fault: error => t.fail(String(error)), log });
  let events = 0;
  group.start(async taken => {
    for (const one of taken) {
      events += 1;
      if (answer === 'done') one.done();
      else one.failed(new Error('on purpose'));
    }
  });
  while (!enough(events, group.state()?.parked ?? 0)) await sleep(50);
  await group.stop();
  await connection.close();
};

t.test('eventstoredb: replay-parked lets parked events be tried again', { skip }, async t => {
  const address = newAddress();
  const env = envOf(address);
  const none = await run(['replay-parked'], env, bare);
  t.strictSame([none.code, none.stdout], [3, '']);
  t.match(none.stderr, /no service has used this log/);
  const store = await openLog(address);
  await store.append('catalog', 'absent', [proposed(0)]);
  await store.append('source-1', 'absent', [proposed(1, {}, 'ModelsResetRequested')]);
  const beginning = store.shared?.beginning ?? 0n;
  await store.close();
  await delivered(t, address, beginning, 'failed', (_, parked) => parked === 1);
  const { code, stdout, stderr } = await run(['replay-parked'], env, bare);
  t.strictSame([code, stdout, stderr], [0, 'retrying 1 parked event\n', '']);
  await delivered(t, address, beginning, 'done', events => events === 1);
  t.pass('it came again');
});
