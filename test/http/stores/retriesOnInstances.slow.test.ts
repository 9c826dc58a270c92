// Retries on another instance of the same event store while the first try is still in progress.
import t from 'tap';
import {
  fakeEventStoreDb,
  refuses,
  unavailable,
  type CallFault,
} from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { analysed, eventually, ordinaryDays, partOf, startService } from '../../helpers/service.js';

type Imported = { readonly code?: string; readonly detail?: string; readonly days?: readonly object[] };

t.test('an import in progress on one instance, its source archived, is repeated on another', async t => {
  const server = await fakeEventStoreDb();
  t.teardown(() => server.close());
  const root = t.testdir();
  const start = (name: string) =>
    startService(partOf(t, name, root), {
      EVENT_STORE: 'eventstoredb',
      EVENTSTOREDB_URL: `${server.url}&connectionName=${name}`,
      JWT_SECRET: 'a secret that both instances know, of 32 bytes',
    });
  const [one, other] = [await start('one'), await start('other')];
  const reference = ordinaryDays('2022-01-01', 60);
  const json = { name: 'hall', referenceYear: 2022, days: reference };
  await one.call('POST', '/v1/import/create-source', { json });
  await analysed(one.call, 1);
  const days = ordinaryDays('2023-01-01', 40);
  const send = ({ call }: typeof one) =>
    call<Imported>('POST', '/v1/import/days', {
      json: { sourceId: 1, days },
      headers: { 'Idempotency-Key': 'slow' },
    });
  const parts = () => server.log.filter(({ type, stream }) => type === 'DaysImported' && stream === 'days-1');

  // Given: the first instance has stored the first of two parts, and its second append is under way.
  const stored = parts().length;
  let release: (() => void) | undefined;
  const hold: CallFault = (line, serve) => {
    if (line.caller === 'one' && parts().length > stored) release = () => serve(line);
    else serve(line);
  };
  server.always('append', hold);
  const first = send(one);
  const resume = await eventually('the second append', () => release);
  await other.call('DELETE', '/v1/source/1');

  // When: the request is repeated on the other instance.
  const retry = await send(other);

  // Then: the retry does not deny the import, which takes effect later, once.
  t.strictSame([retry.status, retry.body.code, retry.headers.get('retry-after')], [409, 'keyInUse', '5']);
  server.always('append');
  resume();
  t.equal((await first).status, 200);
  const again = await send(other);
  t.equal(again.text, (await first).text, 'the kept response');
  t.equal(again.body.days?.length, 40);
  t.equal(parts().length, stored + 2, 'the whole import once');

  // When: the store is away, the answer does not deny the effect of the first try.
  server.always('read', refuses(unavailable));
  const { status, body } = await send(other);
  const detail = 'the event store is unreachable; this attempt had no effect, retry it';
  t.strictSame([status, body.code, body.detail], [503, 'storeUnavailable', detail]);
  server.always('read');
  t.equal((await send(other)).text, again.text);
});
