import t from 'tap';
import { routesOf } from '../../adapters/http/app.js';
import type { Route } from '../../adapters/http/route.js';
import { scopes } from '../../adapters/http/middleware/tokens.js';
import { noMetrics } from '../../application/ports/monitoring.js';
import type { Service } from '../../application/requests/service.js';
import type { AlertRecord } from '../../projections/alertPages.js';
import { analysed, csvOf, ordinaryDay, ordinaryDays, startService, type Sent } from '../helpers/service.js';
import { secret, signed, good, bearer, part, now, without } from '../helpers/signedTokens.js';
import { exactList } from '../helpers/exactList.js';

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
  rule_id: 'none',
  jti: 'none',
};
const pathOf = ({ path }: Route): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no value for ${name}`);

t.test('each scope gives access to its routes only', async t => {
  const { call, tokenFor } = await startService(t);
  // From spec §4, by path, so that a route with a wrong scope is found.
  const scopeOf = ({ method, path }: Route): string =>
    /\/(leave-out|take-back)$/.test(path)
      ? 'model'
      : path.startsWith('/v1/webhook')
        ? 'webhook'
        : path.startsWith('/v1/token')
          ? 'token'
          : (path.startsWith('/v1/import') || path === '/v1/source') && method === 'post'
            ? 'import'
            : method === 'get'
              ? path.startsWith('/v1/audit')
                ? 'audit'
                : 'read'
              : // Special days belong to the planning, the description of a source to its models.
                (path
                  .split('/')[2]
                  ?.replace(/^calendar.*/, 'planning')
                  .replace('day', 'import')
                  .replace('source', 'model')
                  .replace('settings', 'model')
                  .replace(/^(?:incident|mute)$/, 'alert')
                  .replace('person', 'erase') ?? '');
  const nothing = await tokenFor({ scopes: [] });
  const others = await tokenFor({ scopes: ['reads', 'READ', '*', 'admin'] });
  const own = new Map<string, string>();
  const allBut = new Map<string, string>();
  for (const scope of scopes) {
    own.set(scope, await tokenFor({ scopes: [scope] }));
    allBut.set(scope, await tokenFor({ scopes: scopes.filter(one => one !== scope) }));
  }
  for (const route of routes) {
    t.equal(route.scope, scopeOf(route), `${route.operationId} wants ${route.scope}`);
    const ask = (token: string) =>
      call<{ code: string }>(route.method.toUpperCase(), pathOf(route), { token });
    const { status } = await ask(own.get(route.scope)!);
    t.notOk([401, 403, 500].includes(status), `${route.operationId}: ${status}`);
    for (const [scope, token] of [
      ['all but its own', allBut.get(route.scope)!],
      ['none', nothing],
      ['others', others],
    ] as const) {
      const answer = await ask(token);
      const name = `${route.operationId} with ${scope}`;
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

t.test('only /, the health routes, /openapi.json and the first token need no token', async t => {
  const { call } = await startService(t);
  for (const path of ['/', '/health', '/health/live', '/health/ready', '/openapi.json']) {
    t.equal((await call('GET', path, { token: null })).status, 200, path);
    const other = await call<{ code: string }>('POST', path, { token: null });
    t.match({ status: other.status, code: other.body.code }, { status: 405, code: 'methodNotAllowed' }, path);
    t.equal(other.headers.get('allow'), 'GET, HEAD');
  }
  t.equal((await call('GET', '/health', { token: 'garbage' })).status, 200, 'a bad token does no harm there');
  const first = { json: { code: 'ABCD-EFGH-JKMN', name: 'anna' }, token: null };
  t.match(await call('POST', '/v1/first-token', first), { status: 409, body: { code: 'firstStartOver' } });
  t.match(await call('GET', '/v1/first-token', { token: null }), { status: 405 });
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
  const { body: hook } = await call<{ id: string }>('POST', '/v1/webhook/create', {
    json: { url: 'https://hooks.example.org/' },
  });
  const webhook = `/v1/webhook/${hook.id}`;
  const mute = await call<{ id: string }>('POST', '/v1/mute', {
    json: { sourceId: 1, until: new Date(Date.now() + 3_600_000).toISOString(), reason: 'Sprinkler test' },
  });
  const { body: saved } = await call<{ id: string }>('POST', '/v1/calendar-rule/create', {
    json: { sourceId: 1, name: 'Sundays', rule: 'FREQ=WEEKLY;BYDAY=SU' },
  });
  const rule = `/v1/calendar-rule/${saved.id}`;
  const { body: issued } = await call<{ jti: string }>('POST', '/v1/token/create', {
    json: { name: 'Gateway', scopes: ['import'], expires: 'P1D' },
  });

  const requests: readonly (readonly [string, string, Sent, string])[] = [
    ['GET', '/v1/source/1', {}, 'sourceNotFound'],
    ['GET', '/v1/model/list/1', {}, 'sourceNotFound'],
    ['GET', '/v1/day/list/1/2022', {}, 'sourceNotFound'],
    ['GET', '/v1/day/1/2022-04-01', {}, 'sourceNotFound'],
    ['GET', '/v1/table/1/days', {}, 'sourceNotFound'],
    ['GET', '/v1/planning/list/1/2022', {}, 'sourceNotFound'],
    ['GET', '/v1/alert/list?sourceId=1', {}, 'sourceNotFound'],
    ['GET', '/v1/incident/list?sourceId=1', {}, 'sourceNotFound'],
    ['GET', `/v1/import/${imported.body.import.id}`, {}, 'importNotFound'],
    ['GET', `/v1/alert/${alertId}`, {}, 'alertNotFound'],
    ['GET', `/v1/alert/${alertId}/history`, {}, 'alertNotFound'],
    ['GET', `/v1/alert/${alertId}/explanation`, {}, 'alertNotFound'],
    ['POST', `/v1/alert/${alertId}/acknowledge`, {}, 'alertNotFound'],
    ['POST', `/v1/alert/${alertId}/resolve`, { json: { verdict: 'anomaly' } }, 'alertNotFound'],
    ['POST', `/v1/alert/${alertId}/reopen`, {}, 'alertNotFound'],
    ['GET', `/v1/incident/inc-${alertId}`, {}, 'incidentNotFound'],
    ['GET', `/v1/incident/inc-${alertId}/history`, {}, 'incidentNotFound'],
    ['POST', `/v1/incident/inc-${alertId}/acknowledge`, {}, 'incidentNotFound'],
    ['POST', `/v1/incident/inc-${alertId}/reopen`, {}, 'incidentNotFound'],
    ['POST', `/v1/incident/inc-${alertId}/resolve`, { json: { verdict: 'anomaly' } }, 'incidentNotFound'],
    ['POST', `/v1/incident/inc-${alertId}/assign`, { json: { subject: 'spy' } }, 'incidentNotFound'],
    ['POST', `/v1/incident/inc-${alertId}/comment`, { json: { text: 'a' } }, 'incidentNotFound'],
    ['POST', `/v1/incident/inc-${alertId}/split`, { json: { alertIds: [alertId] } }, 'incidentNotFound'],
    ['POST', `/v1/incident/inc-${alertId}/accept`, { json: {} }, 'incidentNotFound'],
    ['POST', `/v1/incident/inc-${alertId}/withdraw-acceptance`, {}, 'incidentNotFound'],
    ['POST', `/v1/incident/inc-${alertId}/merge`, { json: { incidentId: 'inc-1' } }, 'incidentNotFound'],
    [
      'POST',
      '/v1/mute',
      { json: { sourceId: 1, until: '2050-01-01T00:00:00Z', reason: 'a' } },
      'sourceNotFound',
    ],
    ['DELETE', `/v1/mute/${mute.body.id}`, {}, 'muteNotFound'],
    ['POST', '/v1/import-csv/1/days', { csv }, 'sourceNotFound'],
    ['POST', '/v1/import/days', { json: { sourceId: 1, days: [bad] } }, 'sourceNotFound'],
    ['POST', '/v1/import-csv/1/points', { csv }, 'sourceNotFound'],
    [
      'POST',
      '/v1/import/points',
      { json: { sourceId: 1, points: [{ at: '2022-04-01T00:00:00Z', value: 1 }] } },
      'sourceNotFound',
    ],
    ['POST', '/v1/model/bulk-replace/1', { json: { models: [model] } }, 'sourceNotFound'],
    ['POST', '/v1/model/reset/1/2', {}, 'sourceNotFound'],
    ['GET', '/v1/model/versions/1', {}, 'sourceNotFound'],
    ['POST', '/v1/model/restore/1/1', {}, 'sourceNotFound'],
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
    ['GET', rule, {}, 'calendarRuleNotFound'],
    ['DELETE', rule, {}, 'calendarRuleNotFound'],
    ['GET', `${webhook}/deliveries`, {}, 'webhookNotFound'],
    ...['test', 'rotate-secret', 'disable', 'enable'].map(
      verb => ['POST', `${webhook}/${verb}`, {}, 'webhookNotFound'] as const,
    ),
    ['POST', `${webhook}/replay`, { json: { position: '0' } }, 'webhookNotFound'],
    ['GET', webhook, {}, 'webhookNotFound'],
    ['PATCH', webhook, { json: { minCriticity: 0.5 } }, 'webhookNotFound'],
    ['DELETE', webhook, {}, 'webhookNotFound'],
    ['DELETE', '/v1/day/1/2022-04-01', {}, 'sourceNotFound'],
    ['POST', '/v1/day/1/2022-04-01/leave-out', { json: { reason: 'a' } }, 'sourceNotFound'],
    ['POST', '/v1/day/1/2022-04-01/take-back', {}, 'sourceNotFound'],
    ['DELETE', `/v1/token/${issued.jti}`, {}, 'tokenNotFound'],
    ['POST', '/v1/person/erase', { json: { subject: 'tester' } }, 'personNotFound'],
  ];
  const ofTheirs = requests.map(([method, path]) => `${method} ${path}`);
  t.equal(
    new Set(ofTheirs.map(name => name.replace(/\?.*/, ''))).size,
    // Except routes that create or inspect, lists of a tenant (the audit trail is in test/http/audit and proofs), and
    // changes of several alerts, which answer 200 with an outcome for each: below.
    routes.filter(
      ({ path }) =>
        path !== '/v1/source' &&
        !/create|inspect|(source|webhook|mute|rule|token)\/list|rule\/import|\/settings|\/feed\/|\/audit\/|\/overview|\/events|alert\/(acknowledge|resolve)$/.test(
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
      // An id may begin with 1.
      .replace(hook.id, '77')
      .replace(imported.body.import.id, 'none')
      .replace('/1', '/77')
      .replace(alertId, '77-20220401-1')
      .replace('sourceId=1', 'sourceId=77');
    const absent = await call<{ detail: string }>(method, missing, {
      ...sent,
      ...(path === '/v1/import/days' ? { json: { sourceId: 77, days: [bad] } } : {}),
      token: theirs,
    });
    const worded = ({ detail }: { detail: string }): string =>
      detail.replace(imported.body.import.id, 'none').replace(hook.id, '77').replaceAll(/\d+/g, '#');
    t.match(
      answer.body.detail,
      /^(no [a-z]+( rule)? \S+$|unknown subject: )/,
      `${method} ${path}: it names what was got`,
    );
    t.equal(
      worded(answer.body),
      worded(absent.body),
      `${method} ${path}: the same answer as for an unknown one`,
    );
  }
  for (const verb of ['acknowledge', 'resolve']) {
    const json = { ids: [alertId], ...(verb === 'resolve' ? { verdict: 'anomaly' } : {}) };
    const { body } = await call('POST', `/v1/alert/${verb}`, { json, token: theirs });
    t.match(body, { results: exactList({ outcome: 'refused', code: 'alertNotFound', alert: null }) }, verb);
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
    exactList('reactor', /^sealed:1:[0-9a-f]{32}:[\w-]+$/),
    'and in every event, under a key of their own',
  );
  t.equal(actors.size, 2);
});
