// Kept responses on a server with faults.
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { Service } from '../../../application/requests/service.js';
import type { EventStore } from '../../../application/ports/eventStore.js';
import { system } from '../../../adapters/environment.js';
import { Problem } from '../../../adapters/http/problem.js';
import type { Answer } from '../../../adapters/http/route.js';
import { connect } from '../../../adapters/eventstoredb/connection.js';
import { eventStoreDb, streamExpiry } from '../../../adapters/eventstoredb/store.js';
import { idempotentRequest } from '../../../adapters/http/idempotency/keptResponses.js';
import { keptResponsesOn } from '../../../adapters/http/idempotency/sharedKeptResponses.js';
import {
  accessDenied,
  answerLost,
  refuses,
  slow,
  unavailable,
  type FakeEventStoreDb,
  type CallFault,
} from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { instant } from '../../helpers/data/samples.js';
import { listed } from '../../helpers/logs/storeContract.js';
import { prefix, faultTest, finished } from '../../helpers/eventStoreDb/eventStoreDbFaults.js';

/** Kept responses of another instance on the server. */
const instance = (t: Test, server: FakeEventStoreDb, keepMs?: number) => {
  const connection = connect({ url: server.url, prefix });
  t.teardown(connection.close);
  return keptResponsesOn(eventStoreDb(connection, 0n), streamExpiry(connection), system, keepMs);
};

const keptTest = (
  title: string,
  body: (t: Test, server: FakeEventStoreDb, store: EventStore) => Promise<void>,
): void => faultTest(`kept responses: ${title}`, (t, { server, store }) => body(t, server, store));

keptTest(
  'kept by one instance, returned by all, also with lost acknowledgements',
  async (t, server, store) => {
    const [one, other] = [instance(t, server), instance(t, server)];
    const lost = answerLost(line => line.fail(unavailable));
    server.next('append', lost);
    const begun = await one.begin('anna', 'key', 'digest', instant(0));
    t.match(begun, { id: String, isRetry: false });
    await t.rejects(one.begin('anna', 'key', 'digest', instant(1)), { code: 'keyInUse' });
    server.next('append', lost);
    const answer = { status: 201, body: { text: 'Zähler' }, headers: { location: '/x' } };
    await one.keep('anna', 'key', answer);
    for (const holder of [one, other, instance(t, server)])
      t.strictSame(await holder.begin('anna', 'key', 'digest', instant(2)), { answer });
    await t.rejects(other.begin('anna', 'key', 'another digest', instant(3)), {
      code: 'keyReused',
      status: 422,
    });
    t.match(
      await other.begin('bert', 'key', 'another digest', instant(3)),
      { isRetry: false },
      'keys of different clients are independent',
    );
    t.equal(server.log.filter(({ type }) => type === 'KeyUsed').length, 2);
    t.strictSame([...server.maxAges.values()], [7 * 86_400, 7 * 86_400]);
    t.strictSame(await listed(store.all(0n)), [], 'outside the log');
  },
);

keptTest('concurrent requests with a key have one id', async (t, server) => {
  const instances = [instance(t, server), instance(t, server), instance(t, server)];
  server.always('append', slow(30));
  const begun = await Promise.all(instances.map(one => one.begin('anna', 'key', 'digest', instant(0))));
  const [first] = begun;
  t.ok(begun.every(one => 'id' in one && first && 'id' in first && one.id === first.id));
  t.equal(begun.filter(one => 'isRetry' in one && !one.isRetry).length, 1, 'one of them created the id');
  t.equal(server.log.length, 1);
  await Promise.all(instances.map(one => one.keep('anna', 'key', { status: 200, body: 1 }).catch(() => {})));
  for (const one of instances)
    t.strictSame(await one.begin('anna', 'key', 'digest', instant(1)), { answer: { status: 200, body: 1 } });
  const others = await Promise.allSettled(
    instances.map((one, n) => one.begin('anna', 'other key', `digest ${n}`, instant(0))),
  );
  t.equal(
    others.filter(({ status }) => status === 'fulfilled').length,
    1,
    'of different requests, one gets the key',
  );
});

keptTest('a key of an attempt whose outcome is unknown belongs to the same request', async (t, server) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  const begun = await one.begin('anna', 'key', 'digest', instant(0));
  one.leave('anna', 'key');
  t.match(await one.begin('anna', 'key', 'digest', instant(1)), { ...begun, isRetry: true });
  t.match(await other.begin('anna', 'key', 'digest', instant(1)), { ...begun, isRetry: true });
});

keptTest(
  'a retry that is refused while the first try is at work does not release its key',
  async (t, server) => {
    const [one, other] = [instance(t, server), instance(t, server)];
    const at = (seconds: number) => new Date(Date.parse(instant(0)) + 1000 * seconds).toISOString();
    const begun = await one.begin('anna', 'key', 'digest', at(0));
    const retried = async (seconds: number) => {
      t.match(await other.begin('anna', 'key', 'digest', at(seconds)), { ...begun, isRetry: true });
      return other.refuse('anna', 'key', at(seconds));
    };
    t.equal(await retried(119), true, 'the first try may still take effect');
    t.equal(await retried(121), false, 'the refusal is final');
    await t.rejects(other.begin('anna', 'key', 'another digest', at(62)), { code: 'keyReused' });
    const answer = { status: 200, body: 1 };
    t.match(await other.begin('anna', 'key', 'digest', at(62)), { isRetry: true });
    await one.keep('anna', 'key', answer);
    t.equal(await other.refuse('anna', 'key', at(62)), true, 'the first try has ended meanwhile');
    t.strictSame(await other.begin('anna', 'key', 'digest', at(63)), { answer });
  },
);

keptTest('any refusal of a retry leaves the key to the first try', async (t, server) => {
  const service = {
    people: { sealed: async (_: unknown, text: string) => text },
    now: () => new Date(system.nowMs()).toISOString(),
  } as unknown as Service;
  const [one, other] = [instance(t, server), instance(t, server)].map(
    kept => (text: string) =>
      idempotentRequest(
        { service, kept, log: pino({ enabled: false }) },
        {
          actor: { tenant: 'acme', subject: 'anna', scopes: new Set<string>(), exp: 0 },
          requestId: 'r',
          key: 'key',
          digest: () => text,
        },
      ),
  );
  if (!one || !other) throw new Error('two instances');
  const refusals = [new Problem('notFound', 'no model'), new Problem('overtaken', 'a newer reset')];
  const first = one('request');
  await first.begin();
  for (const refusal of refusals) {
    const retry = other('request');
    t.match(await retry.begin(), { isRetry: true });
    t.match(await retry.fail(refusal), { code: 'keyInUse' }, 'the first try may still take effect');
    await t.rejects(other('another request').begin(), { code: 'keyReused' });
  }
  await first.keep({ status: 200, body: 1 });
  await t.rejects(other('request').begin(), { name: 'KeptAnswer' });
});

keptTest('a first try that is refused releases its key', async (t, server) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  await one.begin('anna', 'key', 'digest', instant(0));
  t.equal(await one.refuse('anna', 'key', instant(1)), false);
  t.match(await other.begin('anna', 'key', 'another digest', instant(2)), { isRetry: false });
});

keptTest('a large response is stored in parts, one of which is lost', async (t, server) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  const body = { text: randomBytes(1_200_000).toString('base64') };
  await one.begin('anna', 'key', 'digest', instant(0));
  const refused: CallFault = refuses(unavailable);
  server.next(
    'append',
    undefined,
    answerLost(line => line.fail(unavailable)),
    undefined,
    refused,
  );
  await one.keep('anna', 'key', { status: 200, body });
  t.ok(server.log.length > 2, `in ${server.log.length - 1} parts`);
  t.ok(server.log.every(({ data, metadata }) => data.length + metadata.length < 1_048_576));
  t.strictSame(await other.begin('anna', 'key', 'digest', instant(1)), { answer: { status: 200, body } });
});

keptTest('a large response that was stored partly', async (t, server) => {
  const [one, other] = [instance(t, server, 0), instance(t, server)];
  const body = { text: randomBytes(1_200_000).toString('base64') };
  const begun = await one.begin('anna', 'key', 'digest', instant(0));
  server.next('append', undefined);
  server.always('append', refuses(accessDenied));
  await t.rejects(one.keep('anna', 'key', { status: 200, body }), { name: 'StoreUnavailable' });
  server.always('append');
  t.match(
    await other.begin('anna', 'key', 'digest', instant(1)),
    { ...begun, isRetry: true },
    'no response is kept',
  );
  await other.keep('anna', 'key', { status: 200, body });
  t.strictSame(await one.begin('anna', 'key', 'digest', instant(2)), { answer: { status: 200, body } });
});

keptTest('a response is kept when a server that was away is back', async (t, server) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  const answer = { status: 202, body: { status: 'pending' } };
  await one.begin('anna', 'key', 'digest', instant(0));
  const away = refuses(unavailable);
  server.next('read', away, away, away);
  const keeping = one.keep('anna', 'key', answer);
  await t.rejects(one.begin('anna', 'key', 'digest', instant(1)), { code: 'keyInUse' });
  await keeping;
  for (const holder of [one, other])
    t.strictSame(await holder.begin('anna', 'key', 'digest', instant(2)), { answer });
});

keptTest('requests that are repeated at the same time get the kept response', async (t, server) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  const answer = { status: 202, body: { status: 'pending' } };
  await other.begin('anna', 'key', 'digest', instant(0));
  await other.keep('anna', 'key', answer);
  server.next('read', slow(50));
  const repeat = () => one.begin('anna', 'key', 'digest', instant(1));
  t.strictSame(await Promise.all([repeat(), repeat(), repeat()]), [{ answer }, { answer }, { answer }]);
  server.next('read', slow(50));
  const first = one.begin('anna', 'new', 'digest', instant(2));
  await t.rejects(one.begin('anna', 'new', 'digest', instant(2)), { code: 'keyInUse' });
  t.match(await first, { isRetry: false });
});

keptTest('two attempts get the response that was kept first', async (t, server) => {
  const [one, other] = [instance(t, server), instance(t, server)];
  await Promise.all([one, other].map(each => each.begin('anna', 'key', 'digest', instant(0))));
  const [pending, done] = [202, 200].map(status => ({ status, body: { status } })) as [Answer, Answer];
  t.strictSame(await other.keep('anna', 'key', done), done);
  t.strictSame(await one.keep('anna', 'key', pending), done, 'an attempt that ended later');

  await Promise.all([one, other].map(each => each.begin('anna', 'another', 'digest', instant(0))));
  // Both read before one appends.
  server.next('read', slow(50), slow(50));
  const given = await Promise.all([
    one.keep('anna', 'another', pending),
    other.keep('anna', 'another', done),
  ]);
  t.strictSame(given[0], given[1], 'attempts that end together');
  t.strictSame(await one.begin('anna', 'another', 'digest', instant(1)), { answer: given[0] });
});

keptTest('a response is given up when the server stays away', async (t, server) => {
  const one = instance(t, server, 0);
  const begun = await one.begin('anna', 'key', 'digest', instant(0));
  server.next('read', refuses(unavailable));
  await t.rejects(one.keep('anna', 'key', { status: 200, body: 1 }), { name: 'StoreUnavailable' });
  t.match(
    await one.begin('anna', 'key', 'digest', instant(1)),
    { ...begun, isRetry: true },
    'its key is not in use any more',
  );
});

keptTest('of two large responses that are stored concurrently, one is returned', async (t, server) => {
  const instances = [instance(t, server), instance(t, server)];
  await Promise.all(instances.map(one => one.begin('anna', 'key', 'digest', instant(0))));
  const answers = ['one', 'other'].map(name => ({
    status: 200,
    body: { name, text: randomBytes(1_200_000).toString('base64') },
  }));
  // Both start at the same time; the instance that stores its first part first stores its second part last.
  server.next('read', slow(150), slow(150));
  server.next('append', undefined, slow(100), slow(400));
  await Promise.allSettled(
    instances.map((one, n) => one.keep('anna', 'key', answers[n] ?? { status: 500, body: null })),
  );
  for (const one of instances) {
    const given = await one.begin('anna', 'key', 'digest', instant(1));
    t.ok('answer' in given);
    const { body } = 'answer' in given ? given.answer : { body: undefined };
    t.ok(
      answers.some(answer => JSON.stringify(answer.body) === JSON.stringify(body)),
      'whole',
    );
  }
});

keptTest('after seven days a key can be reused, also if its events still exist', async (t, server) => {
  const one = instance(t, server);
  const at = (days: number) => new Date(Date.parse(instant(0)) + days * 86_400_000 + 1).toISOString();
  const first = await one.begin('anna', 'key', 'digest', at(0));
  await one.keep('anna', 'key', { status: 200, body: 1 });
  t.match(await one.begin('anna', 'key', 'digest', at(6)), { answer: { body: 1 } });
  const second = await one.begin('anna', 'key', 'another digest', at(8));
  t.match(second, { isRetry: false });
  await one.keep('anna', 'key', { status: 200, body: 2 });
  t.match(await one.begin('anna', 'key', 'another digest', at(9)), { answer: { body: 2 } });
  for (const { stream } of server.log) server.expire(stream);
  const third = await one.begin('anna', 'key', 'third digest', at(10));
  t.match(third, { isRetry: false });
  t.equal(new Set([first, second, third].map(begun => ('id' in begun ? begun.id : ''))).size, 3);
  await one.keep('anna', 'key', { status: 200, body: 3 });
  t.match(await one.begin('anna', 'key', 'third digest', at(11)), { answer: { body: 3 } });
});

await finished();
