import t from 'tap';
import { system } from '../../../adapters/environment.js';
import { tomorrowIn } from '../../../adapters/timeZones.js';
import { clock, uptimeInMemory } from '../../../application/followUps/clock.js';
import { exactList } from '../../helpers/exactList.js';

type Parts = Parameters<typeof clock>[0];

/** A clock whose waits take no time. */
const jumping = () => {
  let nowMs = Date.parse('2024-03-04T06:00:00.000Z');
  return {
    nowMs: () => nowMs,
    after: (delayMs: number, task: () => void) => {
      nowMs += delayMs;
      const timer = setImmediate(task);
      return () => clearImmediate(timer);
    },
  };
};

t.test('an uptime that cannot be stored is reported once, and the clock goes on', async t => {
  const warnings: unknown[] = [];
  const environment = jumping();
  let beats = 0;
  const { start, stop } = clock({
    models: {
      rhythms: { overdue: () => [], nextDeadline: () => undefined },
      mutes: { due: () => [], nextEnd: () => undefined },
    },
    parking: {},
    handle: undefined,
    caughtUp: async () => void (beats += 1),
    uptime: {
      read: () => undefined,
      write: () => {
        throw new Error('no space');
      },
    },
    log: { warn: (fault: unknown) => warnings.push(fault), error: (fault: unknown) => warnings.push(fault) },
    environment,
  } as unknown as Parts);
  start();
  while (beats < 3) await new Promise(resolve => setImmediate(resolve));
  await stop();
  t.match(warnings, exactList({ err: { message: 'no space' } }));
});

t.test('a source whose deadline cannot be recorded delays no other one', async t => {
  const [errors, recorded] = [[] as unknown[], new Set<number>()];
  const all = Array.from({ length: 250 }, (_, index) => ({
    sourceId: index + 1,
    deadline: '2024-07-20T14:05:00.000Z',
  }));
  let beats = 0;
  const { start, stop } = clock({
    models: {
      rhythms: {
        overdue: (_now: string, _intervalMax: number, limit: number) =>
          all.filter(({ sourceId }) => !recorded.has(sourceId)).slice(0, limit),
        nextDeadline: () => undefined,
      },
      mutes: { due: () => [], nextEnd: () => undefined },
      sources: { setup: () => undefined },
    },
    tomorrowIn,
    parking: { guard: (task: () => Promise<unknown>) => task() },
    handle: async (_decider: unknown, _stream: unknown, { sourceId }: { readonly sourceId: number }) => {
      if (sourceId <= 120) throw new Error('cannot be stored');
      recorded.add(sourceId);
    },
    caughtUp: async () => {},
    uptime: { read: () => undefined, write: () => (beats += 1) },
    log: { error: (fault: unknown) => errors.push(fault) },
    environment: { ...system, after: () => () => {} },
  } as unknown as Parts);
  start();
  while (recorded.size < 130) await new Promise(resolve => setImmediate(resolve));
  await stop();
  t.equal(errors.length, 120);
  t.match(errors[0], { sourceId: 1, err: { message: 'cannot be stored' } });
  t.equal(beats, 1);
});

t.test('the end of a mute that cannot be recorded is tried again after a pause', async t => {
  const environment = jumping();
  const until = new Date(environment.nowMs() - 1).toISOString();
  const tries: number[] = [];
  const { start, stop } = clock({
    models: {
      rhythms: { overdue: () => [], nextDeadline: () => undefined },
      mutes: { due: () => [{ id: 'm', tenant: 'a' }], nextEnd: () => until },
    },
    parking: { guard: (task: () => unknown) => task() },
    handle: async () => {
      tries.push(environment.nowMs());
      throw new Error('cannot be stored');
    },
    caughtUp: async () => {},
    ...{ uptime: uptimeInMemory(), log: { error: () => {} } },
    environment,
  } as unknown as Parts);
  start();
  while (tries.length < 3) await new Promise(resolve => setImmediate(resolve));
  await stop();
  const [first = 0, second = 0, third = 0] = tries;
  t.strictSame([second - first, third - second], [10_000, 10_000]);
});

t.test('a passed deadline has its date by the clock of the source', async t => {
  const zones = ['Pacific/Auckland', 'America/Los_Angeles', 'UTC'];
  const deadline = '2024-07-20T14:05:00.000Z';
  const passed: unknown[] = [];
  const { start, stop } = clock({
    models: {
      rhythms: {
        overdue: () => zones.slice(passed.length).map((_, n) => ({ sourceId: passed.length + n, deadline })),
        nextDeadline: () => undefined,
      },
      mutes: { due: () => [], nextEnd: () => undefined },
      sources: { setup: (sourceId: number) => ({ timeZone: zones[sourceId] }) },
    },
    parking: { guard: (task: () => unknown) => task() },
    handle: async (_decider: unknown, _stream: string, { date }: { date?: string }) => passed.push(date),
    caughtUp: async () => {},
    ...{ uptime: uptimeInMemory(), tomorrowIn, log: {} },
    environment: { nowMs: () => Date.parse(deadline), after: () => () => {} },
  } as unknown as Parts);
  start();
  while (passed.length < zones.length) await new Promise(resolve => setImmediate(resolve));
  await stop();
  t.strictSame(passed, ['2024-07-21', '2024-07-20', '2024-07-20']);
});
