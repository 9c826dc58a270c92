import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from '../../helpers/property.js';
import t from 'tap';
import { copyProgress } from '../../../adapters/cli/commands/copyLog.js';
import { compareLogs, type CopyProgress, copyLog } from '../../../application/logs/copyLog.js';
import {
  OutcomeUnknown,
  StoreUnavailable,
  appendBytesMax,
  bytesOf,
  written,
  type EventStore,
  type OpenEventStore,
} from '../../../application/ports/eventStore.js';
import { deliveryFile } from '../../../adapters/webhooks/deliveryFile.js';
import { copyDeliveries, deliveryStates } from '../../../application/logs/copyDeliveries.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { sqliteStore } from '../../../adapters/sqlite/sqliteStore.js';
import type { Proposed, Recorded } from '../../../domain/events.js';
import { id } from '../../helpers/data/samples.js';
import { listed, proposed } from '../../helpers/logs/storeContract.js';
import {
  type Placed,
  placed,
  plainLog,
  fill,
  filled,
  withoutPositions,
  contentOf,
  expectedOf,
  inOrder,
  sha256Of,
  readOnly,
  recording,
  refusal,
  anyLog,
  withEvent,
} from '../../helpers/logs/copiedLogs.js';
import { amount } from '../../helpers/amount.js';

const kinds: Readonly<Record<string, () => OpenEventStore>> = {
  memory: memoryStore,
  sqlite: () => sqliteStore(':memory:'),
};

for (const [from, openSource] of Object.entries(kinds))
  for (const [to, openTarget] of Object.entries(kinds))
    void t.test(`${from} to ${to}: any log, any part of it copied before`, async t => {
      await fc.assert(
        fc.asyncProperty(anyLog, fc.nat(), async (log, cut) => {
          const [source, target] = [openSource(), openTarget()];
          await fill(source, log, 3);
          const before = await listed(source.all(0n));
          const already = cut % (log.length + 1);
          await fill(target, log.slice(0, already));
          const { store, appends } = recording(target);
          const copied = await copyLog({ source: readOnly(source), target: store });
          const same = (found: unknown, wanted: unknown, title: string) => {
            if (JSON.stringify(found) !== JSON.stringify(wanted))
              throw new Error(`${title}: ${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
          };
          same(copied, { count: log.length, already }, 'result');
          same((await contentOf(target)).map(inOrder), expectedOf(log).map(inOrder), 'target');
          same(withoutPositions(await listed(source.all(0n))), withoutPositions(before), 'source');
          same(
            appends.flatMap(({ events }) => events.map(event => event.id)),
            log.slice(already).map(({ event }) => event.id),
            'appended events, once and in order',
          );
          const runs = log
            .slice(already)
            .filter(({ stream }, n, all) => n === 0 || all[n - 1]?.stream !== stream);
          same(
            appends.map(({ stream }) => stream),
            runs.map(({ stream }) => stream),
            'one append for consecutive events of a stream',
          );
          const digest = { count: log.length, sha256: sha256Of(log) };
          const compared = await compareLogs({ source, target });
          same(compared, { source: digest, target: digest }, 'comparison');
          await Promise.all([source.close(), target.close()]);
        }),
        { numRuns: amount({ quick: 20, slow: 60 }) },
      );
      t.pass('copy: the whole log, with a known digest');
    });

t.test('an empty log', async t => {
  const parts = { source: memoryStore(), target: memoryStore() };
  t.strictSame(await copyLog(parts), { count: 0, already: 0 });
  const empty = { count: 0, sha256: createHash('sha256').digest('hex') };
  t.strictSame(await compareLogs(parts), { source: empty, target: empty, difference: undefined });
});

t.test('copy: interrupted at any append and started again', async t => {
  const log = plainLog(45, 2);
  const source = readOnly(await filled(memoryStore(), log));
  const whole = recording(memoryStore());
  await copyLog({ source, target: whole.store });
  const appends = whole.appends.length;
  t.equal(appends, 23);
  for (const stored of [false, true])
    for (let failing = 0; failing < appends; failing += 1) {
      const target = memoryStore();
      let left = failing;
      const append: EventStore['append'] = async (...call) => {
        if (left === 0) {
          if (stored) await target.append(...call);
          throw stored ? new OutcomeUnknown('the acknowledgement is lost') : new StoreUnavailable('gone');
        }
        left -= 1;
        return target.append(...call);
      };
      await t.rejects(
        copyLog({ source, target: { ...target, append } }),
        stored ? OutcomeUnknown : StoreUnavailable,
      );
      const existing = (await listed(target.all(0n))).length;
      t.equal(existing, Math.min(45, 2 * (failing + (stored ? 1 : 0))), `after ${failing} appends`);
      const { already } = await copyLog({ source, target });
      t.equal(already, existing, 'it continues after the last copied event');
      t.strictSame(await contentOf(target), expectedOf(log));
      t.equal((await compareLogs({ source, target })).difference, undefined);
    }
});

t.test('copy: positions differ between stores', async t => {
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
  const { store, appends } = recording(await filled(memoryStore(), log.slice(0, 13)));
  t.strictSame(await copyLog({ source, target: store }), { count: 30, already: 13 });
  t.equal(appends.flatMap(({ events }) => events).length, 17, 'it continues after the copied events');
  t.strictSame(await contentOf(store), expectedOf(log));
  t.equal((await compareLogs({ source, target: store })).difference, undefined);
});

t.test('copy: an unreachable source is StoreUnavailable', async t => {
  const log = plainLog(30);
  const source = await filled(memoryStore(), log);
  let reads = 0;
  const target = memoryStore();
  const going: EventStore = {
    ...source,
    async *all(after) {
      reads += 1;
      for await (const event of source.all(after)) {
        // The first read finds the end of the log, the second copies.
        if (reads === 2 && event.position > 14n) throw new StoreUnavailable('gone');
        yield event;
      }
    },
  };
  await t.rejects(copyLog({ source: going, target }), StoreUnavailable);
  const existing = (await listed(target.all(0n))).length;
  t.ok(existing > 0 && existing < 30, `${existing} events`);
  t.strictSame(await copyLog({ source, target }), { count: 30, already: existing });
  t.strictSame(await contentOf(target), expectedOf(log));
});

t.test('copy: a late append of a killed copy is not repeated', async t => {
  const log = plainLog(30);
  const source = await filled(memoryStore(), log);
  const target = await filled(memoryStore(), log.slice(0, 9));
  let late = true;
  const append: EventStore['append'] = async (...call) => {
    // The append of the killed copy arrives after the next copy has read the target.
    if (late) await target.append(...call);
    late = false;
    return target.append(...call);
  };
  await copyLog({ source, target: { ...target, append } });
  t.strictSame(await contentOf(target), expectedOf(log));
});

/** The log with one event replaced. */

t.test('copy: a target with another log is reported and unchanged', async t => {
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
  for (const [title, there, message] of cases) {
    const target = await filled(memoryStore(), there);
    t.match(await refusal(copyLog({ source, target: readOnly(target) })), message, title);
    t.equal((await listed(target.all(0n))).length, there.length);
  }
});

t.test('copy: events that a source must not contain', async t => {
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
    // Events before the invalid one are not copied either.
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

t.test('copy: a damaged event of either log is refused before anything is written', async t => {
  const log = plainLog(12);
  const damagedAt = (store: EventStore, index: number): EventStore => ({
    ...readOnly(store),
    async *all(after) {
      for await (const event of store.all(after)) {
        const { hash: _, ...rest } = event;
        const damage = `position ${index + 1} of events.sqlite: no JSON`;
        yield event.position === BigInt(index + 1) ? { ...rest, data: null, damage } : event;
      }
    },
  });
  const sound = await filled(memoryStore(), log);
  // The last event is alone in its stream: no hash of a later one shows the damage.
  const single = await filled(memoryStore(), [
    ...log,
    { stream: 'settings-one', revision: 0, event: proposed(12) },
  ]);
  const wanted = (side: string, n: number) => ({
    name: 'LogDamaged',
    message: new RegExp(`^the ${side}'s event ${n} .* is damaged: position ${n} of .*daybook verify`),
  });
  const empty = readOnly(memoryStore());
  await t.rejects(copyLog({ source: damagedAt(single, 12), target: empty }), wanted('source', 13));
  await t.rejects(copyLog({ source: damagedAt(sound, 5), target: sound }), wanted('source', 6));
  await t.rejects(copyLog({ source: sound, target: damagedAt(sound, 5) }), wanted('target', 6));
});

t.test('copy: another writer appends to the target', async t => {
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

t.test('copy: events appended to the source during the copy are not copied', async t => {
  const source = await filled(memoryStore(), plainLog(10));
  const target = await filled(memoryStore(), plainLog(10).slice(0, 4));
  let grows: Promise<number> | undefined;
  // The end of the source is known, the copy has not begun.
  const progress = ({ events }: CopyProgress) => {
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

t.test('comparison: finds every change, and only changes', async t => {
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
      t.not(other.sha256, one.sha256, `the digest includes ${field}`);
    }
  const twice = await filled(memoryStore(), withEvent(withEvent(log, 2, { v: 9 }), 6, { at: '' }));
  t.match(
    (await compareLogs({ source, target: twice })).difference,
    /^event 3 .* differs in the target: v$/,
    'the first of two differences',
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

t.test('copy: large events, and many small ones', async t => {
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
  const { store, appends } = recording(memoryStore());
  await copyLog({ source, target: store });
  t.strictSame(await contentOf(store), expectedOf(log));
  const bytes = appends.map(({ stream, events }) => bytesOf(written(stream, events)));
  t.ok(Math.max(...bytes) === appendBytesMax, 'appends below the size limit');
  t.equal(
    appends.filter(({ stream }) => stream === 'days-1').length,
    9,
    'as few appends as the limit allows',
  );
  t.ok(appends.filter(({ stream }) => stream === 'source-1').length <= 10, 'small events share an append');
});

t.test('copy: progress reports', async t => {
  const log = plainLog(30);
  const source = await filled(memoryStore(), log);
  const target = await filled(memoryStore(), log.slice(0, 10));
  const seen: CopyProgress[] = [];
  const progress = (at: CopyProgress) => void seen.push(at);
  await copyLog({ source, target, progress });
  await compareLogs({ source, target, progress }, 30);
  const reportsOf = (step: string) => seen.filter(at => at.step === step);
  t.strictSame(
    reportsOf('checking').map(({ events }) => events),
    Array.from({ length: 30 }, (_, n) => n + 1),
  );
  t.strictSame(reportsOf('copying')[0], { step: 'copying', events: 12, total: 30 });
  for (const step of ['copying', 'comparing'])
    t.strictSame(reportsOf(step).at(-1), { step, events: 30, total: 30 });
});

t.test('copy: a progress bar on a terminal, plain lines elsewhere', async t => {
  const texts: string[] = [];
  const write = (text: string) => void texts.push(text);
  const terminal = copyProgress({ write, isTTY: true });
  terminal.show({ step: 'copying', events: 1500, total: 3000 });
  terminal.show({ step: 'copying', events: 1501, total: 3000 });
  t.strictSame(texts, [
    `\r${'copying'}    ${'█'.repeat(15)}${'░'.repeat(15)}   50 %  1,500 of 3,000 events\u001b[K`,
  ]);
  await sleep(80);
  terminal.show({ step: 'checking', events: 7 });
  terminal.clear();
  t.strictSame(texts.slice(1), ['\rchecking   7 events\u001b[K', '\r\u001b[K']);
  texts.length = 0;
  const plain = copyProgress({ write });
  for (let n = 0; n < 1000; n += 1) plain.show({ step: 'copying', events: n, total: 1000 });
  plain.clear();
  t.strictSame(texts, [], 'a short copy reports nothing');
  await sleep(2050);
  for (let n = 0; n < 1000; n += 1) plain.show({ step: 'copying', events: 250 + n, total: 1000 });
  t.strictSame(texts, ['copying     25 %  250 of 1,000 events\n'], 'a long copy reports a few lines');
});

t.test('the progress of webhooks goes to the events of the copy', async t => {
  const source = memoryStore();
  const log = plainLog(6);
  await fill(source, log);
  const created = proposed(50, { webhookId: 'w' }, 'WebhookCreated');
  await source.append('webhooks-default', 'absent', [created, proposed(51), proposed(52)]);
  const copy = memoryStore();
  await copyLog({ source, target: copy });
  // Events of another store have other positions, with gaps between them.
  const target = {
    ...copy,
    async *all(after: bigint) {
      for await (const event of copy.all(after)) yield { ...event, position: event.position * 100n + 7n };
    },
  };
  const [from, to] = [deliveryFile(':memory:'), deliveryFile(':memory:')];
  const state = { cursor: 8n, ahead: { 1: '9', 2: '3' }, replayId: null, failing: null, refreshedAtMs: 5 };
  await from.save('w', { ...state, replayId: 'r', replayPosition: '8' });
  await from.save('of another log', state);
  const states = await deliveryStates(source, from);
  t.strictSame([...states.keys()], ['w']);
  await copyDeliveries({ source, target }, states, to);
  t.strictSame(await to.state('w'), {
    ...{ ...state, cursor: 807n, ahead: { 1: '907', 2: '307' } },
    ...{ replayId: 'r', replayPosition: '807' },
  });
  await from.save('w', { ...state, cursor: 0n, ahead: {} });
  await copyDeliveries({ source, target }, await deliveryStates(source, from), to);
  t.match(await to.state('w'), { cursor: 0n }, 'before the first event');
  const busy = { ...to, claim: async () => ({ busyUntilMs: 1 }) };
  await t.rejects(copyDeliveries({ source, target }, states, busy), { name: 'StoreUnavailable' });
});
