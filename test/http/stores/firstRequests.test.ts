// Requests to a service without a source: an instance that starts later finds everything on EventStoreDB.
import t from 'tap';
import { fakeEventStoreDb } from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import { exactList } from '../../helpers/exactList.js';
import { partOf, startService, type TestService } from '../../helpers/service.js';

const url = 'https://receiver.example/hook';
const first: Readonly<Record<string, readonly [string, string, object]>> = {
  webhook: ['POST', '/v1/webhook/create', { url }],
  settings: ['PATCH', '/v1/settings', { incidentLabels: ['site'] }],
  token: ['POST', '/v1/token/create', { name: 'Meter', scopes: ['read'], expires: 'P1D' }],
};

for (const [name, [method, path, json]] of Object.entries(first))
  t.test(`a log that begins with a ${name} begins with its catalog, and keeps both`, async t => {
    const server = await fakeEventStoreDb();
    t.teardown(() => server.close());
    const root = t.testdir();
    const start = (folder: string) =>
      startService(partOf(t, folder, root), {
        EVENT_STORE: 'eventstoredb',
        EVENTSTOREDB_URL: server.url,
      });
    const one = await start('one');
    const eventsOf = async ({ call }: TestService) =>
      (await call<{ events: readonly { stream: string; type: string }[] }>('GET', '/v1/audit/event')).body
        .events;
    t.match(await one.call('GET', '/v1/webhook/list'), { status: 200 });
    t.strictSame(await eventsOf(one), [], 'a read begins nothing');
    for (const [number, request] of [[method, path, json] as const, ...Object.values(first)].entries()) {
      const [method, path, json] = request;
      const { status, text } = await one.call(method, path, { json: { ...json } });
      t.ok(status < 300, `request ${number}: ${text}`);
    }
    const before = await eventsOf(one);
    await one.call('POST', '/v1/source', { json: { name: 'Pool', activitySize: 24 } });

    const other = await start('other');
    const [webhooks, settings, sources] = await Promise.all(
      ['/v1/webhook/list', '/v1/settings', '/v1/source/list'].map(path => other.call('GET', path)),
    );
    t.ok((webhooks?.body as { webhooks: object[] }).webhooks.length >= 1);
    t.match(settings?.body, { incidentLabels: exactList('site') });
    t.match(sources?.body, { sources: exactList({ name: 'Pool' }) });
    t.strictSame((await eventsOf(other)).slice(0, before.length), before);
  });
