// The groups of a log that was copied to EventStoreDB: they begin where work is left, and lose none.
import fc from '../../helpers/property.js';
import t, { type Test } from 'tap';
import { copyLog } from '../../../application/logs/copyLog.js';
import { openLog } from '../../../adapters/composition/openLog.js';
import { decode, type KnownEvent, type Recorded } from '../../../domain/events.js';
import { isAnalysis, isCause } from '../../../domain/followUps.js';
import type { EventStore } from '../../../application/ports/eventStore.js';
import { fakeEventStoreDb } from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { dueFollowUps } from '../../helpers/logs/dueFollowUps.js';
import { listed } from '../../helpers/logs/storeContract.js';
import { analysed, idle, ordinaryDays, partOf, startService } from '../../helpers/service.js';

type Health = { readonly reactor: { readonly backlog: number } };

const known = (events: readonly Recorded[]): readonly KnownEvent[] =>
  events.map(decode).filter(event => event !== undefined);

/** A log of two sources: imports and checks, the second analysis and the last check at its end. */
const makeLog = async (t: Test): Promise<readonly Recorded[]> => {
  const { call, events, stop } = await startService(partOf(t, 'embedded'), { EVENT_STORE: 'sqlite' });
  const create = async (name: string, id: number) => {
    const json = { name, referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) };
    await call('POST', '/v1/import/create-source', { json });
    await analysed(call, id);
  };
  await create('hall', 1);
  for (const day of ordinaryDays('2023-01-01', 30))
    await call('POST', '/v1/import/days', { json: { sourceId: 1, days: [day] } });
  await create('annex', 2);
  await call('POST', '/v1/import/days', { json: { sourceId: 2, days: ordinaryDays('2023-01-01', 3) } });
  await idle(call);
  const log = await events();
  await stop();
  return log;
};

/** Copies a log to a new server, starts an instance there, and waits until its work is done. */
const startOnCopy = async (t: Test, log: readonly Recorded[]) => {
  const server = await fakeEventStoreDb();
  t.teardown(server.close);
  const target = await openLog({ kind: 'eventstoredb', url: server.url, prefix: '' });
  const source: Pick<EventStore, 'all'> = {
    all: async function* (after) {
      yield* log.filter(({ position }) => position > after);
    },
  };
  await copyLog({ source: source as EventStore, target });
  await target.close();
  const delivered: string[] = [];
  server.always('group', (line, serve) =>
    serve({
      ...line,
      send: message => {
        const { event } = (
          message as { toObject: () => { event?: { event?: { id?: { string: string } } } } }
        ).toObject();
        if (event) delivered.push(event.event?.id?.string ?? '');
        line.send(message);
      },
    }),
  );
  const env = { EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: server.url };
  const service = await startService(partOf(t, `shared-${server.port}`), env);
  await idle(service.call);
  // `service.events` blocks this thread, where the server is.
  const read = async (): Promise<readonly KnownEvent[]> => {
    const store = await openLog({ kind: 'eventstoredb', url: server.url, prefix: '' });
    const events = await listed(store.all(0n));
    await store.close();
    return known(events);
  };
  return { server, service, delivered, read };
};

t.test('a new group begins at the first event whose work is not done, for any end of the log', async t => {
  t.testdir();
  const log = await makeLog(t);
  const at = (type: string): number => log.findLastIndex(event => event.type === type);
  const check = async (end: number): Promise<void> => {
    const before = known(log.slice(0, end));
    const due = dueFollowUps(before);
    const { server, service, delivered, read } = await startOnCopy(t, log.slice(0, end));
    const after = await read();
    t.strictSame(dueFollowUps(after), [], `${end} events: all work is done`);
    const checkedCauses = after.flatMap(({ type, data }) =>
      type === 'DaysChecked' && data.last ? [data.cause.id] : [],
    );
    const causes = after.filter(isCause).map(({ id }) => id);
    t.strictSame(checkedCauses.sort(), causes.sort(), `${end} events: each cause is checked once`);
    for (const { stream } of after.filter(isAnalysis))
      t.equal(after.filter(one => one.stream === stream && one.type === 'ModelsReset').length, 1);
    // A group begins at the event before its first due one, which it may deliver too.
    const first = due[0] ? before.indexOf(due[0]) : before.length;
    const repeated = before.slice(0, first).filter(({ id }) => delivered.includes(id));
    t.ok(repeated.length <= server.groups.size, `${end} events: ${repeated.length} repeated of ${first}`);
    t.ok(repeated.length < 3, 'no history is repeated');

    const { status, body } = await service.call<{ days: object[] }>('POST', '/v1/import/days', {
      json: { sourceId: 1, days: ordinaryDays('2023-03-01', 1) },
    });
    t.strictSame([status, body.days.length], [200, 1], 'an import is checked');
    await idle(service.call);
    const { body: health } = await service.call<Health>('GET', '/health');
    t.equal(health.reactor.backlog, 0);
    await service.stop();
  };
  // The whole log; without the last check; before the second analysis has ended.
  for (const end of [log.length, at('DaysChecked'), at('ModelsReset')]) await check(end);
  await fc.assert(fc.asyncProperty(fc.integer({ min: at('SourceCreated') - 20, max: log.length }), check), {
    numRuns: 4,
  });
});
