// Tokens that people issue for others and for devices: once shown, in no store, refused once they are revoked.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { fakeEventStoreDb } from '../helpers/eventStoreDb/fakeEventStoreDb.js';
import { exactList } from '../helpers/exactList.js';
import { run } from '../helpers/process.js';
import { eventually, partOf, startService, type TestService } from '../helpers/service.js';

type Issued = { readonly jti: string; readonly token: string; readonly expiresAt: string };
type Refused = {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly code: string; readonly pointer: string }[];
};

const gateway = { name: 'Gateway of hall 3', scopes: ['read', 'import'], expires: 'P90D' };
const issue = async ({ call }: Pick<TestService, 'call'>, json: object = gateway): Promise<Issued> => {
  const { status, body, text } = await call<Issued>('POST', '/v1/token/create', { json });
  if (status !== 201) throw new Error(text);
  return body;
};
const claimsOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

t.test('a token is shown once, acts in the name of who uses it, and is stored nowhere', async t => {
  const service = await startService(t);
  const { call, settings, events, logged } = service;
  const answer = await call<Issued>('POST', '/v1/token/create', {
    json: gateway,
    headers: { 'Idempotency-Key': 'first' },
  });
  t.equal(answer.status, 201);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  const { jti, token } = answer.body;
  t.match(answer.body, { ...gateway, expires: undefined, by: 'tester', byKind: 'person' });
  t.match(claimsOf(token), { sub: gateway.name, tenant: 'default', scope: 'read import', jti });
  const [{ exp, iat }] = [claimsOf(token) as { exp: number; iat: number }];
  t.equal(exp - iat, 90 * 86_400);
  t.equal(answer.body.expiresAt, new Date(1000 * exp).toISOString());

  t.equal((await call('GET', '/v1/source/list', { token })).status, 200);
  t.match((await call('GET', '/session.json', { token })).body, { subject: gateway.name });
  t.equal((await call('GET', '/v1/token/list', { token })).status, 403, 'it has no other scope');
  const listed = await call('GET', '/v1/token/list');
  t.match(listed.body, {
    tokens: exactList({ jti, name: gateway.name, scopes: exactList('read', 'import') }),
  });

  t.match(
    events(),
    exactList(
      { stream: 'catalog', type: 'LogBegun' },
      { stream: 'tokens-default', type: 'TokenIssued', data: { jti, name: /^sealed:/ } },
    ),
  );
  const signature = token.split('.')[2] ?? '';
  t.notOk(
    listed.text.includes(signature) || logged().includes(signature),
    'no other answer, no line of the log',
  );
  for (const file of readdirSync(settings.dataDir))
    t.notOk(readFileSync(join(settings.dataDir, file)).includes(signature), `not in ${file}`);
  const trail = await call('GET', '/v1/audit/event?stream=tokens-default');
  t.match(trail.body, {
    events: exactList({ type: 'TokenIssued', metadata: { by: 'tester' }, data: { name: gateway.name } }),
  });
  await service.stop();
  const verified = await run(['verify', '--log', settings.dataDir, '--decisions'], {});
  t.equal(verified.code, 3, 'no problem; nobody signed a checkpoint');
  t.notMatch(verified.stdout, /cannot be replayed|does not know/);
});

t.test('the list says when a token was last used since the start; the log does not', async t => {
  const { call, eventCount, restart } = await startService(t);
  type Uses = {
    readonly tokens: readonly { readonly lastUsedAt: string | null }[];
    readonly usesSince: string;
  };
  const uses = async () => (await call<Uses>('GET', '/v1/token/list')).body;
  const { token } = await issue({ call });
  const before = await uses();
  t.strictSame(
    before.tokens.map(({ lastUsedAt }) => lastUsedAt),
    [null],
  );
  const count = eventCount();
  t.equal((await call('GET', '/v1/source/list', { token })).status, 200);
  const [used] = (await uses()).tokens;
  t.ok((used?.lastUsedAt ?? '') >= before.usesSince);
  t.equal(eventCount(), count, 'a use is no event');
  await call('GET', '/v1/source/list', { token: `${token}x` });
  t.strictSame((await uses()).tokens, [used], 'a refused token is not used');
  await restart();
  const after = await uses();
  t.strictSame(
    after.tokens.map(({ lastUsedAt }) => lastUsedAt),
    [null],
    'a start forgets the uses',
  );
  t.ok(after.usesSince > before.usesSince);
});

t.test('a repeated request signs the same token, until it is revoked', async t => {
  const { call, eventCount, restart } = await startService(t);
  const send = (expires = 'P90D') =>
    call<Issued & Refused>('POST', '/v1/token/create', {
      json: { ...gateway, expires },
      headers: { 'Idempotency-Key': 'once' },
    });
  const first = await send();
  const count = eventCount();
  await restart();
  t.strictSame([(await send()).text, eventCount()], [first.text, count]);
  t.match(await send('P9D'), { status: 422, body: { code: 'keyReused' } });
  const { jti } = first.body;
  t.equal((await call('DELETE', `/v1/token/${jti}`)).status, 200);
  t.match(await send(), { status: 409, body: { code: 'tokenRevoked', token: undefined } });
});

t.test('a revoked token is refused at once and for ever; others go on', async t => {
  const service = await startService(t);
  const { call, tokenFor, restart } = service;
  const { jti, token } = await issue(service);
  const other = await issue(service);
  const status = async (sent: string) => (await call('GET', '/v1/source/list', { token: sent })).status;
  t.strictSame([await status(token), await status(other.token)], [200, 200]);
  const stream = await fetch(`${service.address()}/v1/events`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  t.equal(stream.status, 200);

  const reason = 'The gateway was exchanged.';
  const path = `/v1/token/${jti}?reason=${encodeURIComponent(reason)}`;
  t.strictSame((await call('DELETE', path)).body, { jti });
  const refused = await call<Refused>('GET', '/v1/source/list', { token });
  t.match(refused, {
    status: 401,
    headers: { get: Function },
    body: { code: 'tokenInvalid', detail: /^the token was revoked at 20/ },
  });
  t.match(refused.headers.get('www-authenticate'), /error="invalid_token".*revoked/);
  const written = await call<Refused>('POST', '/api/v2/write', { token, body: 'm v=1' });
  t.equal(written.status, 401, 'line protocol, too');
  t.strictSame(
    [await status(other.token), await status(await tokenFor({ subject: gateway.name }))],
    [200, 200],
    'another token of the same name, and one that the service does not know',
  );
  t.match((await call('GET', '/v1/token/list')).body, { tokens: exactList({ jti: other.jti }) });
  const trail = await call('GET', '/v1/audit/event?type=TokenRevoked');
  t.match(trail.body, { events: exactList({ data: { jti, reason } }) });
  t.equal((await call('DELETE', path)).status, 200, 'twice is once');
  t.match((await call('GET', '/v1/audit/event?type=TokenRevoked')).body, {
    events: exactList({ data: { jti } }),
  });

  for await (const _ of stream.body ?? []);
  t.pass('its stream of changes has ended');
  await restart();
  t.strictSame([await status(token), await status(other.token)], [401, 200]);
});

t.test('scopes, times and names that are refused', async t => {
  const service = await startService(t);
  const { call, tokenFor, eventCount } = service;
  await issue(service);
  const before = eventCount();
  const limited = await tokenFor({ scopes: ['read', 'token'] });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const cases: readonly (readonly [string, object, string, string])[] = [
    ['a scope of nobody', { scopes: ['root'] }, 'bodyInvalid', '/scopes/0'],
    ['no scope', { scopes: [] }, 'bodyInvalid', '/scopes'],
    ['a scope of others', { scopes: ['read', 'erase'] }, 'tokenRequestInvalid', '/scopes/1 scopeNotOwn'],
    ['too long', { expires: 'P401D' }, 'tokenRequestInvalid', '/expires expiresTooLate'],
    ['too late', { expires: inDays(401) }, 'tokenRequestInvalid', '/expires expiresTooLate'],
    ['over', { expires: inDays(-1) }, 'tokenRequestInvalid', '/expires expiresOver'],
    ['no time at all', { expires: 'PT0H' }, 'bodyInvalid', '/expires expires'],
    ['no instant', { expires: 'tomorrow' }, 'bodyInvalid', '/expires expires'],
    ['an instant without a zone', { expires: '2050-01-01T00:00:00' }, 'bodyInvalid', '/expires expires'],
    ['an empty name', { name: '' }, 'bodyInvalid', '/name'],
    ['a name of spaces', { name: '   ' }, 'bodyInvalid', '/name'],
    ['a name that steers', { name: 'Gate\u202e' }, 'bodyInvalid', '/name'],
    ['a long name', { name: 'x'.repeat(201) }, 'bodyInvalid', '/name'],
  ];
  for (const [name, change, code, place] of cases) {
    const json = { ...gateway, scopes: ['read'], ...change };
    const { status, body } = await call<Refused>('POST', '/v1/token/create', { json, token: limited });
    t.strictSame([status, body.code], [422, code], `${name}: ${JSON.stringify(body)}`);
    const places = (body.errors ?? []).map(error => `${error.pointer} ${error.code}`).join();
    t.ok(places.startsWith(place), `${name}: ${places}`);
  }
  t.equal(eventCount(), before, 'nothing is stored');
  t.match(await call('DELETE', '/v1/token/none'), { status: 404, body: { code: 'tokenNotFound' } });
  const hour = await issue(service, { ...gateway, expires: 'PT1H' });
  const { exp, iat } = claimsOf(hour.token) as { exp: number; iat: number };
  t.equal(exp - iat, 3600);
  const mixed = await issue(service, { ...gateway, expires: 'P1DT90M' });
  const claims = claimsOf(mixed.token) as { exp: number; iat: number };
  t.equal(claims.exp - claims.iat, 86_400 + 5400, 'the durations of sources and rules');
  const soon = Math.floor(Date.now() / 1000) + 3600;
  const exact = await issue(service, {
    ...gateway,
    expires: `${new Date(1000 * soon).toISOString().slice(0, 19)}.900Z`,
  });
  t.equal(exact.expiresAt, new Date(1000 * soon).toISOString(), 'in whole seconds, as claims have them');
});

t.test('a token that one instance revokes is refused by the others', async t => {
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
  const { jti, token } = await issue(one);
  const status = async ({ call }: TestService) => (await call('GET', '/v1/source/list', { token })).status;
  t.strictSame([await status(one), await status(other)], [200, 200]);
  await one.call('DELETE', `/v1/token/${jti}`);
  t.equal(await status(one), 401);
  await eventually('the refusal', async () => ((await status(other)) === 401 ? true : undefined));
  await other.restart();
  t.equal(await status(other), 401, 'also after a restart: the log is read from its beginning');
});
