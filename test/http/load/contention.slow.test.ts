// Answers to a client when other instances append first at every retry.
import { status } from '@grpc/grpc-js';
import t from 'tap';
import { fakeEventStoreDb, refuses } from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { analysed, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

/** Answer of a server to an append at an outdated revision. */
const overtaken = refuses({
  code: status.FAILED_PRECONDITION,
  exception: 'wrong-expected-version',
  fields: { 'stream-name': 'any', 'expected-version': '1', 'actual-version': '2' },
});

t.test('a write that loses every race answers 503 contention, with and without a key', async t => {
  const server = await fakeEventStoreDb();
  t.teardown(server.close);
  const { call } = await startService(t, { EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: server.url });
  const reference = ordinaryDays('2022-01-01', 60);
  const json = { name: 'plant', referenceYear: 2022, days: reference, calendar: 'FR' };
  const made = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
  const sourceId = made.body.source.id;
  await analysed(call, sourceId);
  const special = () =>
    call<{ code: string }>('PUT', `/v1/calendar/${sourceId}/2023-05-05`, { json: { name: 'fair' } });
  const importing = () =>
    call<{ code: string }>('POST', '/v1/import/days', {
      json: { sourceId, days: [ordinaryDay('2023-01-01')] },
      headers: { 'Idempotency-Key': 'one' },
    });

  const refused = { status: 503, body: { code: 'contention' } };
  const before = server.log.length;
  server.always('append', overtaken);
  const answers = await Promise.all([special(), importing()]);
  for (const answer of answers) {
    t.match(answer, refused);
    t.match(answer.headers.get('retry-after'), /^\d+$/);
  }
  t.equal(server.log.length, before, 'nothing was stored');
  t.ok(server.count('append').calls > 30, 'it was tried again and again');
  server.always('append');
  t.equal((await special()).status, 200);
  t.equal((await importing()).status, 200, 'the same key is free');

  server.next('append', ...Array.from({ length: 22 }, () => overtaken));
  const later = await call('PUT', `/v1/calendar/${sourceId}/2023-05-06`, { json: { name: 'fair' } });
  t.equal(later.status, 200, 'twenty-two lost races, a second or so, are nothing that a client sees');
  const gone = await call<{ code: string }>('POST', '/v1/alert/1-20230101-1/acknowledge', { json: {} });
  t.equal(gone.status, 404, 'what a rule refuses is refused at once');
});
