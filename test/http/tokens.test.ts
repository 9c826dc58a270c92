import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT, type JWTPayload } from 'jose';
import t, { type Test } from 'tap';
import { routesOf } from '../../adapters/http/app.js';
import type { Route } from '../../adapters/http/route.js';
import { scopes } from '../../adapters/http/middleware/tokens.js';
import { noMetrics } from '../../application/metrics/metrics.js';
import type { Service } from '../../application/service.js';
import type { AlertRecord } from '../../projections/alerts/alertRecords.js';
import { analysed, csvOf, ordinaryDay, ordinaryDays, startService, type Sent } from '../helpers/service.js';

const secret = 'a secret of at least 32 bytes, known to this test alone';
const now = Math.floor(Date.now() / 1000);
const good: JWTPayload = {
  sub: 'tester',
  iss: 'daybook',
  aud: 'daybook',
  scope: scopes.join(' '),
  iat: now,
  exp: now + 3600,
};
const without = (field: string): JWTPayload =>
  Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token from raw parts, so that each part can be wrong. */
const signed = (
  claims: unknown,
  { alg = 'HS256', key = secret, header = {} }: { alg?: string; key?: string | Buffer; header?: object } = {},
): string => {
  const text = `${part({ alg, typ: 'JWT', ...header })}.${part(claims)}`;
  const hash = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }[alg];
  return `${text}.${hash === undefined ? '' : createHmac(hash, key).update(text).digest('base64url')}`;
};
const bearer = (value: string): Sent => ({ token: null, headers: { Authorization: value } });

t.test('tokens with a wrong form, key, time, issuer or claim are refused', async t => {
  const { call } = await startService(t, { JWT_SECRET: secret });
  t.equal(
    (await call('GET', '/v1/source/list', { token: signed(good) })).status,
    200,
    'a valid token is accepted',
  );
  t.equal(
    (await call('GET', '/v1/source/list', bearer(`bearer ${signed(good)}`))).status,
    200,
    'RFC 7235: any case',
  );
  t.equal(
    (await call('GET', '/v1/source/list', { token: signed({ ...good, aud: ['other', 'daybook'] }) })).status,
    200,
    'ours among its audiences',
  );
  t.equal(
    (await call('GET', '/v1/source/list', { token: signed({ ...good, scope: ['read'] }) })).status,
    200,
    'scopes as a list',
  );
  t.equal(
    (await call('GET', '/v1/source/list', { token: signed({ ...good, tenant: 'a_b.c-1' }) })).status,
    200,
    'a tenant of its own',
  );

  for (const typ of [undefined, 'jwt', 'at+JWT']) {
    const token = signed(good, { header: { typ } });
    t.equal((await call('GET', '/v1/source/list', { token })).status, 200, `a token of type ${typ}`);
  }

  const [head, body, signature] = signed(good).split('.');
  const refused: readonly (readonly [string, Sent])[] = [
    ['no token', { token: null }],
    ['an empty header', bearer('')],
    ['no scheme', bearer(signed(good))],
    ['another scheme', bearer(`Basic ${Buffer.from('a:b').toString('base64')}`)],
    ['no token after the scheme', bearer('Bearer ')],
    ['garbage', { token: 'garbage' }],
    ['garbage in three parts', { token: 'a.b.c' }],
    ['null as a header', { token: `${part(null)}.${body}.${signature}` }],
    ['JSON that is broken', { token: `${Buffer.from('{').toString('base64url')}.${body}.${signature}` }],
    ['alg none', { token: signed(good, { alg: 'none' }) }],
    ['alg NONE', { token: signed(good, { alg: 'NONE' }) }],
    ['alg none with a signature', { token: `${part({ alg: 'none', typ: 'JWT' })}.${body}.${signature}` }],
    ['no alg', { token: `${part({ typ: 'JWT' })}.${body}.${signature}` }],
    ['crit', { token: signed(good, { header: { crit: ['x'], x: 1 } }) }],
    ['crit with a name that is known', { token: signed(good, { header: { crit: ['exp'], exp: now + 9 } }) }],
    ['an empty crit', { token: signed(good, { header: { crit: [] } }) }],
    ['b64', { token: signed(good, { header: { crit: ['b64'], b64: false } }) }],
    ['b64 without crit', { token: signed(good, { header: { b64: false } }) }],
    ['a type of another protocol', { token: signed(good, { header: { typ: 'dpop+jwt' } }) }],
    ['a type that is a number', { token: signed(good, { header: { typ: 7 } }) }],
    ['HS512', { token: signed(good, { alg: 'HS512' }) }],
    ['HS384', { token: signed(good, { alg: 'HS384' }) }],
    ['no signature', { token: `${head}.${body}.` }],
    ['another secret', { token: signed(good, { key: `${secret}!` }) }],
    ['an empty secret', { token: signed(good, { key: '' }) }],
    ['claims changed afterwards', { token: `${head}.${part({ ...good, tenant: 'other' })}.${signature}` }],
    ['expired', { token: signed({ ...good, exp: now - 1 }) }],
    ['no exp', { token: signed(without('exp')) }],
    ['exp null', { token: signed({ ...good, exp: null }) }],
    ['exp a text', { token: signed({ ...good, exp: String(now + 3600) }) }],
    ['not valid yet', { token: signed({ ...good, nbf: now + 3600 }) }],
    ['wrong issuer', { token: signed({ ...good, iss: 'other' }) }],
    ['no issuer', { token: signed(without('iss')) }],
    ['wrong audience', { token: signed({ ...good, aud: 'other' }) }],
    ['no audience', { token: signed(without('aud')) }],
    ['no sub', { token: signed(without('sub')) }],
    ['an empty sub', { token: signed({ ...good, sub: '' }) }],
    ['a long sub', { token: signed({ ...good, sub: 's'.repeat(201) }) }],
    ['a number as sub', { token: signed({ ...good, sub: 7 }) }],
    ['an empty tenant', { token: signed({ ...good, tenant: '' }) }],
    ['a tenant with a space', { token: signed({ ...good, tenant: 'a b' }) }],
    ['a tenant that is null', { token: signed({ ...good, tenant: null }) }],
    ['a list of tenants', { token: signed({ ...good, tenant: ['default'] }) }],
    ['a scope that is a number', { token: signed({ ...good, scope: 7 }) }],
    ['claims that are a list', { token: signed([]) }],
    ['claims that are a text', { token: signed('tester') }],
  ];
  for (const [name, sent] of refused) {
    const answer = await call<{ code: string }>('GET', '/v1/source/list', sent);
    t.match(
      {
        status: answer.status,
        type: answer.headers.get('content-type'),
        code: answer.body.code,
        challenge: answer.headers.get('www-authenticate'),
      },
      {
        status: 401,
        type: /^application\/problem\+json/,
        code: /^token(Missing|Invalid)$/,
        challenge: /^Bearer realm="daybook"/,
      },
      name,
    );
    t.notMatch(answer.text, /jwt|hmac|secret/i, `${name}: no word of the library`);
  }
  t.equal(
    (await call('GET', '/v1/source/list', bearer(`Bearer ${signed(good)} x`))).status,
    401,
    'two tokens',
  );
  t.equal(
    (await call('GET', `/v1/source/list?access_token=${signed(good)}`, { token: null })).status,
    401,
    'in the query',
  );
});

t.test('the refusal of a token names the failed check, also in the header', async t => {
  const { call } = await startService(t, { JWT_SECRET: secret });
  const [head, body] = signed(good).split('.');
  const failed: readonly (readonly [string, string])[] = [
    [`${head}.${body}.`, 'its signature is missing'],
    [signed(good, { key: `${secret}!` }), 'its signature does not match'],
    [signed(good, { alg: 'HS512' }), 'its algorithm is not accepted'],
    [signed({ ...good, iss: 'other' }), 'its issuer (iss) is not accepted'],
    [signed({ ...good, aud: 'other' }), 'its audience (aud) is not this service'],
    [signed(without('exp')), 'its expiry (exp) is missing'],
    [signed({ ...good, exp: String(now) }), 'its expiry (exp) is not a number'],
    [signed({ ...good, exp: now - 60 }), `the token expired at ${new Date((now - 60) * 1000).toISOString()}`],
    [signed({ ...good, nbf: now + 600 }), `not valid before ${new Date((now + 600) * 1000).toISOString()}`],
    [signed(good, { header: { typ: 'dpop+jwt' } }), 'its type (typ) is not accepted'],
    [signed(good, { header: { crit: ['x'], x: 1 } }), 'its header has crit or b64'],
    [signed({ ...good, tenant: 'a b' }), 'the claim tenant is invalid'],
    ['garbage', 'the token is malformed'],
  ];
  for (const [token, reason] of failed) {
    const { status, body, headers } = await call<{ detail: string }>('GET', '/v1/source/list', { token });
    t.equal(status, 401);
    t.ok(body.detail.includes(reason), `${body.detail}: ${reason}`);
    const challenge = headers.get('www-authenticate') ?? '';
    t.match(challenge, /^Bearer realm="daybook", error="invalid_token", error_description="[^"\\\\]+"$/);
    t.ok(challenge.includes(reason), challenge);
    for (const part of token.split('.').filter(part => part.length > 10))
      t.notOk(body.detail.includes(part) || challenge.includes(part), 'no part of the token is repeated');
  }
  const wrong = await call<{ detail: string }>('GET', '/v1/source/list', bearer('Basic YTpi'));
  t.equal(wrong.body.detail, 'expected the header "Authorization: Bearer <token>"');
  const none = await call('GET', '/v1/source/list', { token: null });
  t.equal(
    none.headers.get('www-authenticate'),
    'Bearer realm="daybook"',
    'RFC 6750: no error without a token',
  );
});

/** All routes; they use their service only when they run. */
const routes = routesOf({ metrics: noMetrics } as Service);
const values: Readonly<Record<string, string>> = {
  source_id: '99',
  year: '2023',
  date: '2023-01-01',
  model_count: '3',
  id: '99-20230101-1',
  import_id: 'none',
  webhook_id: 'none',
};
const pathOf = ({ path }: Route): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no value for ${name}`);

t.test('each scope gives access to its routes only', async t => {
  const { call, tokenFor } = await startService(t);
  // From spec §4, by path, so that a route with a wrong scope is found.
  const scopeOf = ({ method, path }: Route): string =>
    path.startsWith('/v1/webhook')
      ? 'webhook'
      : path.startsWith('/v1/import') && method === 'post'
        ? 'import'
        : method === 'get'
          ? path.startsWith('/v1/audit')
            ? 'audit'
            : 'read'
          : // Special days belong to the planning, the description of a source to its models.
            (path
              .split('/')[2]
              ?.replace('calendar', 'planning')
              .replace('source', 'model')
              .replace('person', 'erase') ?? '');
  const tokens = new Map(
    await Promise.all(scopes.map(async scope => [scope, await tokenFor({ scopes: [scope] })] as const)),
  );
  const nothing = await tokenFor({ scopes: [] });
  const others = await tokenFor({ scopes: ['reads', 'READ', '*', 'admin'] });
  for (const route of routes) {
    t.equal(route.scope, scopeOf(route), `${route.operationId} wants ${route.scope}`);
    for (const [scope, token] of [...tokens, ['none', nothing], ['others', others]] as const) {
      const answer = await call<{ code: string }>(route.method.toUpperCase(), pathOf(route), { token });
      const name = `${route.operationId} with ${scope}`;
      if (scope === route.scope) {
        t.notOk([401, 403, 500].includes(answer.status), `${name}: ${answer.status}`);
        continue;
      }
      t.equal(answer.status, 403, name);
      t.equal(answer.body.code, 'scopeMissing', name);
      t.match(
        answer.headers.get('www-authenticate'),
        new RegExp(`^Bearer .*error="insufficient_scope", scope="${route.scope}"`),
        name,
      );
    }
  }
});

t.test('only /, the health routes and /openapi.json need no token', async t => {
  const { call } = await startService(t);
  for (const path of ['/', '/health', '/health/live', '/health/ready', '/openapi.json']) {
    t.equal((await call('GET', path, { token: null })).status, 200, path);
    const other = await call<{ code: string }>('POST', path, { token: null });
    t.match({ status: other.status, code: other.body.code }, { status: 405, code: 'methodNotAllowed' }, path);
    t.equal(other.headers.get('allow'), 'GET, HEAD');
  }
  t.equal((await call('GET', '/health', { token: 'garbage' })).status, 200, 'a bad token does no harm there');
  for (const path of [
    '/v1',
    '/v1/nothing',
    '/health/x',
    '/openapi.json/x',
    '/metrics',
    '/docs/x',
    '//health',
  ])
    t.not((await call('GET', path, { token: null })).status, 200, path);
  for (const route of routes)
    t.equal(
      (await call(route.method.toUpperCase(), pathOf(route), { token: null })).status,
      401,
      route.operationId,
    );
});

t.test('resources of another tenant answer 404', async t => {
  const { call, tokenFor, eventCount } = await startService(t);
  const mine = await tokenFor({});
  const theirs = await tokenFor({ tenant: 'other', subject: 'spy' });
  const days = ordinaryDays('2022-01-01', 60);
  await call('POST', '/v1/import/create-source', { json: { name: 'mine', referenceYear: 2022, days } });
  await analysed(call, 1);
  const bad = { date: '2022-04-01', activity: ordinaryDay('2022-04-01').activity.map(value => value + 999) };
  const imported = await call<{ import: { id: string }; alerts: { raised: readonly AlertRecord[] } }>(
    'POST',
    '/v1/import/days',
    { json: { sourceId: 1, days: [bad] } },
  );
  const alertId = imported.body.alerts.raised[0]?.id ?? '';
  const { body: listed } = await call<{ models: readonly { id: number }[] }>('GET', '/v1/model/list/1');
  const modelId = listed.models[0]?.id ?? 0;
  const curve = Array<number>(24).fill(1);
  const model = { name: 'a', color: '#000000', activity: curve, topTolerance: curve, bottomTolerance: curve };
  const csv = csvOf([bad]);
  const { body: hook } = await call<{ webhook: { id: string } }>('POST', '/v1/webhook/create', {
    json: { url: 'https://hooks.example.org/' },
  });
  const webhook = `/v1/webhook/${hook.webhook.id}`;

  const requests: readonly (readonly [string, string, Sent, string])[] = [
    ['GET', '/v1/source/1', {}, 'sourceNotFound'],
    ['GET', '/v1/model/list/1', {}, 'sourceNotFound'],
    ['GET', '/v1/day/list/1/2022', {}, 'sourceNotFound'],
    ['GET', '/v1/day/1/2022-04-01', {}, 'sourceNotFound'],
    ['GET', '/v1/table/1/days', {}, 'sourceNotFound'],
    ['GET', '/v1/planning/list/1/2022', {}, 'sourceNotFound'],
    ['GET', '/v1/alert/list?sourceId=1', {}, 'sourceNotFound'],
    ['GET', '/v1/alert/episodes?sourceId=1', {}, 'sourceNotFound'],
    ['GET', `/v1/import/${imported.body.import.id}`, {}, 'importNotFound'],
    ['GET', `/v1/alert/${alertId}`, {}, 'alertNotFound'],
    ['GET', `/v1/alert/${alertId}/history`, {}, 'alertNotFound'],
    ['GET', `/v1/alert/${alertId}/explanation`, {}, 'alertNotFound'],
    ['POST', `/v1/alert/${alertId}/acknowledge`, {}, 'alertNotFound'],
    ['POST', `/v1/alert/${alertId}/resolve`, { json: { verdict: 'anomaly' } }, 'alertNotFound'],
    ['POST', `/v1/alert/${alertId}/reopen`, {}, 'alertNotFound'],
    ['POST', '/v1/import-csv/1/days', { csv }, 'sourceNotFound'],
    ['POST', '/v1/import/days', { json: { sourceId: 1, days: [bad] } }, 'sourceNotFound'],
    ['POST', '/v1/model/bulk-replace/1', { json: { models: [model] } }, 'sourceNotFound'],
    ['POST', '/v1/model/reset/1/2', {}, 'sourceNotFound'],
    ['POST', '/v1/model/preview/1/2', {}, 'sourceNotFound'],
    ['PATCH', `/v1/model/1/${modelId}`, { json: { name: 'a' } }, 'sourceNotFound'],
    ['PATCH', '/v1/source/1', { json: { name: 'a' } }, 'sourceNotFound'],
    ['DELETE', '/v1/source/1', {}, 'sourceNotFound'],
    ['POST', '/v1/source/1/restore', {}, 'sourceNotFound'],
    ['POST', '/v1/source/1/relearn', {}, 'sourceNotFound'],
    ['PUT', '/v1/planning/1/2022-04-01', { json: { modelId } }, 'sourceNotFound'],
    ['DELETE', '/v1/planning/1/2022-04-01', {}, 'sourceNotFound'],
    ['GET', '/v1/calendar/list/1/2022', {}, 'sourceNotFound'],
    ['PUT', '/v1/calendar/1/2022-04-01', { json: { name: 'Fair' } }, 'sourceNotFound'],
    ['DELETE', '/v1/calendar/1/2022-04-01', {}, 'sourceNotFound'],
    ['GET', `${webhook}/deliveries`, {}, 'webhookNotFound'],
    ...['test', 'rotate-secret', 'disable', 'enable'].map(
      verb => ['POST', `${webhook}/${verb}`, {}, 'webhookNotFound'] as const,
    ),
    ['POST', `${webhook}/replay`, { json: { position: '0' } }, 'webhookNotFound'],
    ['DELETE', webhook, {}, 'webhookNotFound'],
    ['POST', '/v1/person/erase', { json: { subject: 'tester' } }, 'personNotFound'],
  ];
  const ofTheirs = requests.map(([method, path]) => `${method} ${path}`);
  t.equal(
    new Set(ofTheirs.map(name => name.replace(/\?.*/, ''))).size,
    // Except routes that create or inspect, lists of a tenant (the audit trail is in test/http/audit and proofs), and
    // changes of several alerts, which answer 200 with an outcome for each: below.
    routes.filter(
      ({ path }) =>
        !/create|inspect|(source|webhook)\/list|\/audit\/|\/overview|\/events|alert\/(acknowledge|resolve)$/.test(
          path,
        ),
    ).length,
    'every route that names something is asked',
  );
  const before = eventCount();
  for (const [method, path, sent, code] of requests) {
    const answer = await call<{ code: string; detail: string }>(method, path, { ...sent, token: theirs });
    t.match({ status: answer.status, code: answer.body.code }, { status: 404, code }, `${method} ${path}`);
    const missing = path
      .replace('/1', '/77')
      .replace(alertId, '77-20220401-1')
      .replace(hook.webhook.id, '77')
      .replace('sourceId=1', 'sourceId=77');
    const absent = await call<{ detail: string }>(method, missing.replace(imported.body.import.id, 'none'), {
      ...sent,
      ...(path === '/v1/import/days' ? { json: { sourceId: 77, days: [bad] } } : {}),
      token: theirs,
    });
    t.equal(
      answer.body.detail.replaceAll(/\d+/g, '#'),
      absent.body.detail.replaceAll(/\d+/g, '#'),
      `${method} ${path}: the same answer as for an unknown one`,
    );
  }
  for (const verb of ['acknowledge', 'resolve']) {
    const json = { ids: [alertId], ...(verb === 'resolve' ? { verdict: 'anomaly' } : {}) };
    const { body } = await call('POST', `/v1/alert/${verb}`, { json, token: theirs });
    t.match(body, { results: [{ outcome: 'refused', code: 'alertNotFound', alert: null }] }, verb);
  }
  t.equal(eventCount(), before, 'nothing was changed');
  t.strictSame((await call('GET', '/v1/source/list', { token: theirs })).body, { sources: [] });
  t.strictSame((await call('GET', '/v1/alert/list', { token: theirs })).body, { alerts: [] });
  t.strictSame((await call('GET', '/v1/webhook/list', { token: theirs })).body, { webhooks: [] });

  const second = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    token: theirs,
    json: { name: 'mine', referenceYear: 2022, days: days.slice(0, 14) },
    headers: { 'Idempotency-Key': 'shared' },
  });
  t.equal(second.status, 201, 'the same name is free for another tenant');
  const third = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    token: mine,
    json: { name: 'third', referenceYear: 2022, days: days.slice(0, 14) },
    headers: { 'Idempotency-Key': 'shared' },
  });
  t.equal(third.body.source.id, 3, 'keys belong to their tenant: each gets its own answer');
  const names = async (token: string) =>
    (
      await call<{ sources: readonly { id: number }[] }>('GET', '/v1/source/list', { token })
    ).body.sources.map(({ id }) => id);
  t.strictSame(await names(theirs), [2]);
  t.strictSame(await names(mine), [1, 3]);
});

/** Public keys at an address of this machine; `answerWith` sets another answer. */
const keyServer = async (t: Test, keys: Readonly<Record<string, KeyObject>>) => {
  let instead: { readonly status: number; readonly text: string } | undefined;
  let asked = 0;
  const jwks = {
    keys: await Promise.all(
      Object.entries(keys).map(async ([kid, key]) => ({ ...(await exportJWK(key)), kid, use: 'sig' })),
    ),
  };
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(instead?.status ?? 200, { 'Content-Type': 'application/json' });
    response.end(instead?.text ?? JSON.stringify(jwks));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.teardown(stop);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    answerWith: (answer: typeof instead) => {
      instead = answer;
    },
    asked: () => asked,
    stop,
  };
};

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const asymmetric = (alg: string, kid: string | undefined, key: KeyObject): Promise<string> =>
  new SignJWT(good).setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) }).sign(key);

t.test('tokens are checked with the public keys of JWT_JWKS_URL', async t => {
  const keys = await keyServer(t, { r: rsa.publicKey, e: ec.publicKey });
  const { call } = await startService(t, { JWT_JWKS_URL: keys.url });
  const status = async (token: string) => (await call('GET', '/v1/source/list', { token })).status;
  t.equal(await status(await asymmetric('RS256', 'r', rsa.privateKey)), 200, 'RS256');
  t.equal(await status(await asymmetric('ES256', 'e', ec.privateKey)), 200, 'ES256');
  t.equal(
    await status(await asymmetric('RS256', undefined, rsa.privateKey)),
    200,
    'without kid, there is only one',
  );
  t.equal(keys.asked(), 1, 'the keys are fetched once');

  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' });
  const der = rsa.publicKey.export({ type: 'spki', format: 'der' });
  t.equal(await status(await asymmetric('RS256', 'x', rsa.privateKey)), 401, 'an unknown kid');
  t.equal(await status(await asymmetric('RS256', 'r', stranger.privateKey)), 401, 'the key of a stranger');
  t.equal(await status(await asymmetric('RS256', 'e', rsa.privateKey)), 401, 'the kid of another key');
  t.equal(await status(await asymmetric('RS512', 'r', rsa.privateKey)), 401, 'RS512');
  t.equal(await status(await asymmetric('PS256', 'r', rsa.privateKey)), 401, 'PS256');
  t.equal(
    await status(signed(good, { key: pem, header: { kid: 'r' } })),
    401,
    'HS256 with the public key, PEM',
  );
  t.equal(
    await status(signed(good, { key: der, header: { kid: 'r' } })),
    401,
    'HS256 with the public key, DER',
  );
  t.equal(await status(signed(good, { key: pem })), 401, 'HS256 with the public key, without kid');
  t.equal(await status(signed(good, { alg: 'none', header: { kid: 'r' } })), 401, 'none');
  const jwk = { ...(await exportJWK(stranger.publicKey)), kid: 'r' };
  t.equal(
    await status(
      await new SignJWT(good).setProtectedHeader({ alg: 'RS256', kid: 'r', jwk }).sign(stranger.privateKey),
    ),
    401,
    'a key that the token brings along',
  );
  await keys.stop();
  t.equal(
    await status(await asymmetric('RS256', 'r', rsa.privateKey)),
    200,
    'known keys outlive their address',
  );
});

t.test('unsuitable keys and algorithms are refused', async t => {
  const keys = await keyServer(t, {});
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const jwks = [
    { ...(await exportJWK(rsa.publicKey)), kid: 'r' },
    { ...(await exportJWK(weak.publicKey)), kid: 'weak' },
    { ...(await exportJWK(rsa.publicKey)), kid: 'enc', use: 'enc' },
    { ...(await exportJWK(rsa.publicKey)), kid: 'ops', key_ops: ['encrypt'] },
    { ...(await exportJWK(curve.publicKey)), kid: 'curve' },
    { kty: 'oct', k: Buffer.from(secret).toString('base64url'), kid: 'oct' },
  ];
  keys.answerWith({ status: 200, text: JSON.stringify({ keys: jwks }) });
  const { call } = await startService(t, { JWT_JWKS_URL: keys.url });
  // From raw parts, because libraries refuse to sign such tokens.
  const status = async (header: object, key: KeyObject, hash = 'sha256') => {
    const text = `${part({ typ: 'JWT', alg: 'RS256', ...header })}.${part(good)}`;
    const signature = sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    return (await call('GET', '/v1/source/list', { token: `${text}.${signature}` })).status;
  };
  t.equal(await status({ kid: 'r' }, rsa.privateKey), 200, 'a suitable key is accepted');
  t.equal(await status({ kid: 'r', crit: ['x'], x: 1 }, rsa.privateKey), 401, 'crit');
  t.equal(await status({ kid: 'weak' }, weak.privateKey), 401, 'RSA of 1024 bits');
  t.equal(await status({ kid: 'enc' }, rsa.privateKey), 401, 'a key to encrypt with');
  t.equal(await status({ kid: 'ops' }, rsa.privateKey), 401, 'a key whose operations are others');
  t.equal(await status({ kid: 'curve', alg: 'ES256' }, curve.privateKey), 401, 'ES256 on another curve');
  t.equal(await status({ kid: 'curve', alg: 'ES384' }, curve.privateKey, 'sha384'), 401, 'ES384');
  t.equal(
    (await call('GET', '/v1/source/list', { token: signed(good, { header: { kid: 'oct' } }) })).status,
    401,
    'a secret in public',
  );
});

t.test('unreachable keys answer 503', async t => {
  const keys = await keyServer(t, { r: rsa.publicKey });
  const { call } = await startService(t, { JWT_JWKS_URL: keys.url });
  const token = await asymmetric('RS256', 'r', rsa.privateKey);
  const ask = async () => {
    const answer = await call<{ code: string }>('GET', '/v1/source/list', { token });
    return { status: answer.status, code: answer.body.code, after: answer.headers.get('retry-after') };
  };
  const unavailable = { status: 503, code: 'keysUnavailable', after: /^[1-9]\d*$/ };
  keys.answerWith({ status: 500, text: 'broken' });
  t.match(await ask(), unavailable, 'the address answers 500');
  keys.answerWith({ status: 200, text: '<html>' });
  t.match(await ask(), unavailable, 'it answers something else');
  keys.answerWith({ status: 200, text: '{"keys":7}' });
  t.match(await ask(), unavailable, 'it answers no keys');
  keys.answerWith(undefined);
  t.match(await ask(), { status: 200 }, 'and once it works, so do we');
});

t.test('an address without a server answers 503', async t => {
  const keys = await keyServer(t, { r: rsa.publicKey });
  await keys.stop();
  const { call } = await startService(t, { JWT_JWKS_URL: keys.url });
  const token = await asymmetric('RS256', 'r', rsa.privateKey);
  const answer = await call<{ code: string }>('GET', '/v1/source/list', { token });
  t.equal(answer.status, 503);
  t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/);
  t.equal((await call('GET', '/v1/source/list', { token: null })).status, 401, 'no token is still no token');
  t.equal((await call('GET', '/health', { token: null })).status, 200);
});

t.test('logs, events and answers contain no tokens and no secrets', async t => {
  const service = await startService(t, { JWT_SECRET: secret, LOG_LEVEL: 'trace' });
  const { call } = service;
  const token = signed({ ...good, sub: 'subject-7' });
  const forged = signed(good, { key: 'another secret of thirty-two bytes or more' });
  const answers: string[] = [];
  const ask = async (method: string, path: string, sent: Sent) => {
    const answer = await call(method, path, sent);
    answers.push(answer.text, JSON.stringify([...answer.headers]));
    return answer;
  };
  await ask('POST', '/v1/import-csv/create-source?name=s', {
    token,
    csv: csvOf(ordinaryDays('2022-01-01', 20)),
  });
  await analysed((method, path) => call(method, path, { token }), 1);
  await ask('POST', '/v1/import/days', {
    token,
    json: { sourceId: 1, days: [ordinaryDay('2022-02-01')] },
    headers: { 'Idempotency-Key': 'k' },
  });
  await ask('POST', '/v1/model/reset/1/2', { token });
  for (const bad of [
    forged,
    signed({ ...good, exp: 1 }),
    signed(good, { alg: 'none' }),
    signed(without('sub')),
  ])
    await ask('GET', '/v1/source/1', { token: bad });
  await ask('GET', '/v1/source/1', { token: signed({ ...good, scope: 'audit' }) });
  await ask('POST', '/v1/import-csv/1/days', { token, csv: 'x' });
  await ask('GET', '/v1/nothing', { token });
  await ask('GET', `/v1/source/list?access_token=${token}`, { token });

  const events = JSON.stringify(service.events(), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const places = { logs: service.logged(), events, answers: answers.join('\n') };
  for (const [place, text] of Object.entries(places)) {
    t.ok(text.length > 100, `there are ${place}`);
    t.notOk(text.includes(secret), `no secret in ${place}`);
    t.notMatch(
      text.replaceAll(/sealed:1:\w+:[\w-]+/g, ''),
      /eyJ[\w-]{10,}/,
      `nothing that begins as a token does in ${place}`,
    );
    t.notOk(text.includes(token.split('.')[2] ?? '?'), `no signature in ${place}`);
    t.notMatch(text, /authorization["']?\s*:/i, `no header in ${place}`);
  }
  t.match(places.logs, /"subject":"subject-7"/, 'who it was is logged');
  const actors = new Set(service.events().map(({ metadata }) => metadata.by));
  t.match(
    [...actors].sort(),
    ['reactor', /^sealed:1:[0-9a-f]{32}:[\w-]+$/],
    'and in every event, under a key of their own',
  );
  t.equal(actors.size, 2);
});
