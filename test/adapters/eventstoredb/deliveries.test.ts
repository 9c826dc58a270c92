// Persistent subscriptions with faults of the server.
import t from 'tap';
import { allKinds, replayParked } from '../../../adapters/eventstoredb/group.js';
import { followUpTypes } from '../../../domain/followUps.js';
import {
  brokenAfter,
  internal,
  refuses,
  silent,
  unavailable,
  type Line,
} from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { id } from '../../helpers/data/samples.js';
import { proposed } from '../../helpers/logs/storeContract.js';
import {
  quiet,
  until,
  bounded,
  prefix,
  faultTest,
  idsUpTo,
  keptCalls,
  breaks,
  dayImported,
  kinds,
  grouped,
  heldOf,
  finished,
} from '../../helpers/eventStoreDb/eventStoreDbFaults.js';
import { exactList } from '../../helpers/exactList.js';

faultTest('deliveries: the group is created or exists; handled events are not repeated', async (t, parts) => {
  const { server, store } = parts;
  await store.append('days-1', 'absent', [dayImported(0), dayImported(1)]);
  const first = grouped(t, parts, ({ done }) => done());
  await until('the history came', () => first.delivered.length === 2);
  await store.append('days-1', 1, [dayImported(2)]);
  await until('the new one came', () => first.delivered.length === 3);
  t.strictSame(first.ids(), idsUpTo(3));
  t.match(first.delivered[2]?.event, { ...dayImported(2), stream: 'days-1', revision: 2 });
  await until('all events are acknowledged', () => heldOf(server).held === 0);
  await first.stop();
  const second = grouped(t, parts, ({ done }) => done());
  await store.append('days-1', 2, [dayImported(3)]);
  await until('it goes on', () => second.delivered.length === 1);
  t.strictSame(second.ids(), [id(3)]);
  t.equal(server.count('create').calls, 2);
  t.equal(server.groups.size, 1);
  t.strictSame([...first.faults, ...second.faults, ...first.said, ...second.said], []);
});

faultTest('deliveries: at most as many as the buffer holds', async (t, parts) => {
  const { server, store } = parts;
  const { delivered, state } = grouped(t, parts);
  const events = Array.from({ length: 40 }, (_, n) => dayImported(n));
  await store.append('days-1', 'absent', events);
  await until('the buffer is full', () => delivered.length === 32);
  t.match(heldOf(server), { held: 32, waiting: 8 });
  await until('the state says so', () => state()?.undone === 40);
  delivered[7]?.done();
  await until('one more comes', () => delivered.length === 33);
  for (const { done } of delivered.slice(0, 33)) done();
  await until('the rest comes', () => delivered.length === 40);
});

faultTest(
  'deliveries: a group behind the end of the log counts the events that it has not read',
  async (t, parts) => {
    const { server, store } = parts;
    await store.append('days-1', 'absent', [dayImported(0), dayImported(1), dayImported(2)]);
    const positions = server.log.map(({ position }) => position);
    const countAfter = (after: bigint): number => positions.filter(position => position > after).length;
    const { delivered, state } = grouped(t, parts, () => {}, { doneUpTo: () => 0n, countAfter });
    await until('all are delivered', () => delivered.length === 3);
    await until('the state says so', () => state()?.undone === 3);
    const [group] = [...server.groups.values()];
    if (!group) throw new Error('no group');
    // Other events of the history, which the server has not read.
    positions.push(...Array.from({ length: 45_000 }, (_, n) => 100_000n + BigInt(n)));
    group.status = 'Behind, OutstandingPageRequest';
    await until('the log is counted', () => state()?.undone === 45_003);
    group.checkpoint = positions[40_000] ?? 0n;
    await until('from the checkpoint', () => state()?.undone === 45_003 - 40_001);
    group.status = 'Live';
    await until('a group at the end has its buffers', () => state()?.undone === 3);
  },
);

faultTest('deliveries: a group begins at an event of the log, or at its beginning', async (t, parts) => {
  const { server, store } = parts;
  const events = Array.from({ length: 6 }, (_, n) => dayImported(n));
  await store.append('days-1', 'absent', events);
  const at = server.log[3]?.position ?? 0n;
  for (const [done, count] of [
    [at, 3],
    // A position that no event has, as after a restore: a server would never deliver anything.
    [at + 1n, 6],
    [at + 100_000n, 6],
  ] as const) {
    server.groups.clear();
    const { ids, stop } = grouped(t, parts, one => one.done(), { doneUpTo: () => done, countAfter: () => 0 });
    await until('the rest comes', () => ids().length === count);
    t.strictSame(ids(), idsUpTo(6).slice(6 - count));
    await stop();
  }
});

t.test('groups keep their filters: other types have a group of another name', async t => {
  // Never change a line: groups with these names and filters exist on servers. Add a group for new types.
  t.strictSame(Object.fromEntries(allKinds.map(({ name, types }) => [name, types.join(' ')])), {
    'daybook-analyses-1': 'SourceCreated ModelsResetRequested',
    'daybook-checks-1':
      'DaysImported ModelsReset ModelsReplaced ModelAnomalyChanged DayPlanned DayPlanCleared SpecialDayNamed ' +
      'SpecialDayCleared SourceRestored',
    'daybook-clock-1': 'ClockTicked',
    'daybook-relearnings-1': 'SourceRelearned',
    'daybook-covariates-1': 'CovariateDaysImported',
    'daybook-taken-back-1': 'DayTakenBack',
    'daybook-references-1': 'ReferenceExtended',
    'daybook-points-1': 'PointsImported DateClosed',
    'daybook-incidents-1':
      'AlertRaised AlertConfirmed AlertInvalidated AlertAcknowledged AlertResolved AlertReopened AlertEnded ' +
      'IncidentAcknowledged IncidentResolved IncidentReopened',
    'daybook-calendars-1': 'CalendarRuleApplied CalendarRuleWithdrawn',
    'daybook-acceptances-1': 'ChangeAccepted ChangeWithdrawn',
  });
  t.strictSame(allKinds.flatMap(({ types }) => types).sort(), [...followUpTypes].sort(), 'each type once');
});

faultTest('deliveries: two instances share events, each event has one owner', async (t, parts) => {
  const { server, store } = parts;
  const [one, other] = [grouped(t, parts), grouped(t, parts)];
  await until('both are subscribed', () => server.count('group').open === 2);
  const events = Array.from({ length: 60 }, (_, n) => dayImported(n));
  await store.append('days-1', 'absent', events);
  await until('all have come', () => one.delivered.length + other.delivered.length === 60);
  t.equal(new Set([...one.ids(), ...other.ids()]).size, 60);
  await one.stop();
  for (const { done } of other.delivered) done();
  await until('the rest comes to the other', () => new Set(other.ids()).size === 60);
});

faultTest(
  'deliveries: a failed event is retried five times, then parked, and can be replayed',
  async (t, parts) => {
    const { server, connection, store } = parts;
    let healed = false;
    const { delivered, said, state, ids } = grouped(t, parts, ({ event, done, failed }) => {
      if (healed || event.id !== id(1)) done();
      else failed(new Error('no'));
    });
    await store.append('days-1', 'absent', [dayImported(0), dayImported(1), dayImported(2)]);
    await until('it is parked', () => heldOf(server).parked === 1);
    t.equal(ids().filter(one => one === id(1)).length, 6);
    t.equal(delivered.length, 8);
    t.strictSame(
      said.map(({ tries }) => tries),
      [1, 2, 3, 4, 5, 6],
    );
    await until('the state says so', () => state()?.parked === 1);
    t.strictSame(state(), { undone: 0, parked: 1 });
    healed = true;
    t.equal(await replayParked(connection, kinds), 1);
    await until('it came again', () => delivered.length === 9);
    await until('the state says so', () => state()?.parked === 0);
    t.equal(await replayParked(connection, kinds), 0);
    t.equal(server.count('replay').calls, 1);
  },
);

for (const name of ['UNAVAILABLE', 'a raw INTERNAL', 'a broken connection', 'a plain end'])
  faultTest(`deliveries: unhandled events are delivered again after ${name}`, async (t, parts) => {
    const { server, store } = parts;
    const how = breaks(server)[name] ?? ((line: Line) => line.end());
    // Breaks the call after the acknowledgement of the first event.
    server.next(
      'group',
      brokenAfter(
        3,
        line =>
          void until('the first is acknowledged', () => heldOf(server).held === 1).then(() => how(line)),
      ),
    );
    const { delivered, ids, faults } = grouped(t, parts, ({ event, done }, tries) => {
      if (event.id === id(0) || tries > 1) done();
    });
    await until('it is subscribed', () => server.count('group').open === 1);
    await store.append('days-1', 'absent', [dayImported(0), dayImported(1)]);
    await until('the second came again', () => delivered.length === 3);
    t.strictSame(ids(), [0, 1, 1].map(id), 'the first, which was handled, is not repeated');
    // Acknowledgements on an ended call have no effect.
    delivered[1]?.done();
    delivered[1]?.failed(new Error('late'));
    await until('all is done', () => heldOf(server).held === 0);
    t.match(server.count('group'), { calls: 2, mostOpen: 1 });
    t.strictSame(faults, []);
  });

faultTest('deliveries: unknown events are acknowledged', async (t, parts) => {
  const { server, store } = parts;
  const { ids } = grouped(t, parts);
  await until('it is subscribed', () => server.count('group').open === 1);
  server.write(`${prefix}days-1`, { id: id(0), type: 'DaysImported' });
  await store.append('days-1', 0, [proposed(1, {}, 'SomethingNew'), proposed(2, {}, 'SourceIdReserved')]);
  server.write(`${prefix}days-elsewhere`, { id: id(3), data: Buffer.from('not JSON') });
  await store.append('days-1', 2, [dayImported(4)]);
  await until('the last came', () => ids().length === 1);
  t.strictSame(ids(), [id(4)]);
  await until('the others are acknowledged', () => heldOf(server).held === 1);
});

faultTest(
  'deliveries: an event of a newer version is acknowledged, a failing process manager is a fault',
  async (t, parts) => {
    const { server, store } = parts;
    const { faults } = grouped(t, parts, () => {
      throw new Error('broken');
    });
    await store.append('days-1', 'absent', [dayImported(0, 99)]);
    await until('it is acknowledged', () => heldOf(server).held === 0);
    t.strictSame(faults, [], 'the read models park its source');
    await store.append('days-1', 0, [dayImported(1)]);
    await until('the fault', () => faults.length === 1);
    t.match(faults, exactList({ message: 'broken' }));
  },
);

faultTest('deliveries: a group that the server has lost is recreated', async (t, parts) => {
  const { server, store } = parts;
  await store.append('days-1', 'absent', [dayImported(0)]);
  const { ids } = grouped(t, parts, ({ done }) => done());
  await until('the first came', () => ids().length === 1);
  server.groups.clear();
  server.drop();
  await store.append('days-1', 0, [dayImported(1)]);
  await until('both came', () => ids().length === 3);
  t.strictSame(ids(), [0, 0, 1].map(id), 'from the beginning');
  t.equal(server.groups.size, 1);
});

faultTest('deliveries: an unreachable server, and the state of the group', async (t, parts) => {
  const { server, store, connection } = parts;
  await t.rejects(replayParked(connection, kinds), { name: 'StoreUnavailable' }, 'no group yet');
  const { ids, state } = grouped(t, parts, ({ done }) => done());
  t.equal(state(), undefined);
  await until('the state is known', () => state() !== undefined);
  await server.away();
  await until('it is not', () => state() === undefined);
  await t.rejects(bounded('a replay', replayParked(connection, kinds)), { name: 'StoreUnavailable' });
  await server.back();
  await store.append('days-1', 'absent', [dayImported(0)]);
  await until('it goes on', () => ids().length === 1);
  await until('the state is known again', () => state() !== undefined);
});

faultTest('deliveries: a failed start is retried', async (t, parts) => {
  const { server, store } = parts;
  await store.append('days-1', 'absent', [dayImported(0)]);
  server.next('features', refuses(internal));
  server.next('create', refuses(unavailable), refuses(internal));
  server.next('group', refuses(unavailable), refuses(internal), undefined);
  const { ids } = grouped(t, parts, ({ done }) => done());
  await until('it came', () => ids().length === 1);
  t.equal(server.count('group').mostOpen, 1);
});

faultTest('deliveries: stop ends them in any phase', async (t, parts) => {
  const { server, connection, store } = parts;
  const standing = grouped(t, parts);
  await store.append('days-1', 'absent', [dayImported(0)]);
  await until('one has come', () => standing.delivered.length === 1);
  await standing.stop();
  await until('the call has ended', () => server.count('group').open === 0);
  t.match(heldOf(server), { held: 0, waiting: 1 }, 'unhandled events are for other instances');
  await store.append('days-1', 0, [dayImported(1)]);
  const asked = server.count('info').calls;
  await quiet(100);
  t.equal(standing.delivered.length, 1);
  t.ok(server.count('info').calls <= asked + 1, 'the state is no longer polled');
  await until('the client keeps no call', () => keptCalls(connection) === 0);

  for (const method of ['create', 'group'] as const) {
    server.next(method, silent);
    const { calls } = server.count(method);
    const waiting = grouped(t, parts);
    await until(`${method} was called`, () => server.count(method).calls > calls);
    await waiting.stop();
    t.strictSame(waiting.delivered, []);
  }
});

faultTest('deliveries: stop before the server has answered which methods it supports', async (t, parts) => {
  const { server } = parts;
  server.always('features', silent);
  const { stop } = grouped(t, parts);
  await until('it was asked', () => server.count('features').calls > 0);
  await stop();
  t.equal(server.count('group').calls, 0);
});

await finished();
