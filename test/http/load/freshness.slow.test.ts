// Answers to reads on an instance that is behind: two instances on a fake EventStoreDB; one of them cannot read the
// log at times.
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { fakeEventStoreDb, silent, type CallFault } from '../../helpers/eventStoreDb/fakeEventStoreDb.js';
import {
  analysed,
  eventually,
  ordinaryDay,
  ordinaryDays,
  startService,
  type Received,
} from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

t.jobs = 2;
type Listed = { readonly days: readonly { readonly date: string }[] };
type Refused = { readonly code: string };

/** Two instances on one server, a source with its models, and a fault in the reads of the first instance. */
const twoInstances = async (t: Test, body: (parts: Parts) => Promise<void>): Promise<void> => {
  const server = await fakeEventStoreDb();
  t.teardown(server.close);
  const env = (name: string) => ({
    EVENT_STORE: 'eventstoredb',
    EVENTSTOREDB_URL: `${server.url}&connectionName=${name}`,
    JWT_SECRET: 'a secret of at least thirty-two bytes',
  });
  const behind = await startService(t, env('behind'));
  // Each instance has the data folder of a separate test.
  await t.test('with another instance', async t => {
    const ahead = await startService(t, env('ahead'));
    const days = ordinaryDays('2022-01-01', 60);
    const json = { name: 'plant', referenceYear: 2022, days, calendar: 'FR' };
    const made = await ahead.call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
    const sourceId = made.body.source.id;
    await analysed(ahead.call, sourceId);
    await body({
      t,
      reads: fault =>
        server.always('read', (line, serve) =>
          line.caller === 'behind' && fault ? fault(line, serve) : serve(line),
        ),
      give: date => ahead.call('POST', '/v1/import/days', { json: { sourceId, days: [ordinaryDay(date)] } }),
      list: (query = '') => behind.call<Listed & Refused>('GET', `/v1/day/list/${sourceId}/2023${query}`),
      behind,
    });
    server.always('read');
  });
};
type Parts = {
  readonly t: Test;
  readonly reads: (fault?: CallFault) => void;
  readonly give: (date: string) => Promise<{ readonly status: number }>;
  readonly list: (query?: string) => Promise<Received<Listed & Refused>>;
  readonly behind: Awaited<ReturnType<typeof startService>>;
};
const datesOf = ({ body }: { readonly body: Listed }): readonly string[] => body.days.map(({ date }) => date);

void t.test('a read waits until the read models have all events up to the request', t =>
  twoInstances(t, async ({ t, reads, give, list }) => {
    let release = (): void => {};
    const released = new Promise<void>(resolve => (release = resolve));
    reads((line, serve) => void released.then(() => serve(line)));
    t.ok((await give('2023-01-01')).status < 300);
    const asked = list();
    t.equal(await Promise.race([asked, sleep(200, 'it waits')]), 'it waits');
    release();
    const answer = await asked;
    t.equal(answer.status, 200);
    t.strictSame(datesOf(answer), ['2023-01-01'], 'what another instance has acknowledged is there');
    t.match(answer.headers.get('x-daybook-position'), /^\d+$/);
    t.equal(answer.headers.get('age'), null);
    reads();
  }),
);

void t.test('an instance that stays behind refuses a read, or answers within maxStaleness', t =>
  twoInstances(t, async ({ t, reads, give, list, behind }) => {
    t.ok((await give('2023-01-01')).status < 300);
    const fresh = await list();
    t.strictSame(datesOf(fresh), ['2023-01-01']);
    reads(silent);
    t.ok((await give('2023-01-02')).status < 300);

    const refused = await list();
    t.equal(refused.status, 503);
    t.equal(refused.body.code, 'readModelsBehind');
    t.match(refused.headers.get('retry-after'), /^\d+$/);
    t.equal((await list('?maxStaleness=1')).status, 503, 'not so old');
    const missing = await behind.call<Refused>('GET', '/v1/source/999');
    t.match(missing, { status: 503, body: { code: 'readModelsBehind' } }, 'nor is a 404 made of what is old');

    const old = await list('?maxStaleness=3600');
    t.equal(old.status, 200);
    t.strictSame(datesOf(old), ['2023-01-01']);
    const age = Number(old.headers.get('age'));
    t.ok(Number.isInteger(age) && age >= 5 && age <= 3600, `Age: ${age}`);
    const positions = [fresh, old].map(({ headers }) => BigInt(headers.get('x-daybook-position') ?? 0));
    t.ok((positions[1] ?? 0n) >= (positions[0] ?? 0n) && (positions[0] ?? 0n) > 0n);
    const none = await behind.call('GET', '/v1/source/999?maxStaleness=3600');
    t.equal(none.status, 404);
    t.ok(Number(none.headers.get('age')) >= 5, 'a 404 is marked, too');

    reads();
    const again = await eventually('the first to catch up', async () => {
      const answer = await list();
      return answer.status === 200 ? answer : undefined;
    });
    t.strictSame(datesOf(again), ['2023-01-01', '2023-01-02']);
    t.equal(again.headers.get('age'), null);
  }),
);

void t.test('every read accepts maxStaleness within bounds; a single instance is never behind', async t => {
  const { call } = await startService(t, { EVENT_STORE: 'memory' });
  const answer = await call('GET', '/v1/source/list?maxStaleness=0');
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('x-daybook-position'), '0');
  t.equal(answer.headers.get('age'), null);
  for (const value of ['-1', '86401', '1.5', '9223372036854775808', 'soon', ''])
    t.match(
      await call('GET', `/v1/source/list?maxStaleness=${value}`),
      { status: 422, body: { errors: exactList({ pointer: '/query/maxStaleness' }) } },
      `"${value}"`,
    );
  type Parameters = { readonly parameters?: readonly { readonly name: string }[] };
  const { body } = await call<{ paths: Record<string, { get?: Parameters }> }>('GET', '/openapi.json');
  for (const [path, { get }] of Object.entries(body.paths))
    if (get && path.startsWith('/v1/'))
      t.ok(
        get.parameters?.some(({ name }) => name === 'maxStaleness'),
        path,
      );
});
