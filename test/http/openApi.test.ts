import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { Compile, type TSchema, type Validator } from '../../adapters/http/typebox.js';
import { methodsAt } from '../../adapters/http/middleware/acceptedRequests.js';
import { routeProblems } from '../../adapters/http/openApi/answers.js';
import { routesOf } from '../../adapters/http/app.js';
import { scopes } from '../../adapters/http/middleware/tokens.js';
import { noMetrics } from '../../application/ports/monitoring.js';
import type { Service } from '../../application/requests/service.js';
import {
  answerChecker,
  inlined,
  operationsOf,
  refsOf,
  type Document,
  type Media,
} from '../helpers/documents/apiDescription.js';
import { slowTest } from '../helpers/amount.js';
import { repositoryRoot } from '../helpers/repository.js';
import { startService } from '../helpers/service.js';

// The specified endpoints (spec §3) and further ones (§4) with their operation ids, which name generated clients.
const operationIds: Readonly<Record<string, string>> = {
  'POST /v1/import-csv/create-source': 'createSourceFromCsv',
  'POST /v1/import-csv/{source_id}/days': 'importDaysFromCsv',
  'POST /v1/import-csv/inspect': 'inspectCsv',
  'POST /v1/import/create-source': 'createSource',
  'POST /v1/import/days': 'importDays',
  'POST /v1/import/points': 'importPoints',
  'POST /v1/source': 'createCollectingSource',
  'POST /v1/import-csv/{source_id}/points': 'importPointsFromCsv',
  'POST /v1/model/bulk-replace/{source_id}': 'replaceModels',
  'POST /v1/model/reset/{source_id}/{model_count}': 'resetModels',
  'GET /v1/source/list': 'listSources',
  'GET /v1/planning/list/{source_id}/{year}': 'listPlanning',
  'PUT /v1/planning/{source_id}/{date}': 'planDay',
  'DELETE /v1/planning/{source_id}/{date}': 'clearDayPlan',
  'DELETE /v1/day/{source_id}/{date}': 'takeDayBack',
  'POST /v1/day/{source_id}/{date}/leave-out': 'leaveOutDay',
  'POST /v1/day/{source_id}/{date}/take-back': 'takeBackLeavingOut',
  'GET /v1/model/versions/{source_id}': 'listModelsVersions',
  'POST /v1/model/restore/{source_id}/{models_version}': 'restoreModels',
  'GET /v1/alert/list': 'listAlerts',
  'GET /v1/alert/{id}': 'getAlert',
  'GET /v1/alert/{id}/history': 'getAlertHistory',
  'GET /v1/alert/{id}/explanation': 'explainAlert',
  'GET /v1/audit/event': 'listAuditEvents',
  'POST /v1/alert/{id}/acknowledge': 'acknowledgeAlert',
  'POST /v1/alert/{id}/resolve': 'resolveAlert',
  'POST /v1/alert/{id}/reopen': 'reopenAlert',
  'GET /v1/source/{source_id}': 'getSource',
  'GET /v1/model/list/{source_id}': 'listModels',
  'GET /v1/day/list/{source_id}/{year}': 'listDays',
  // Description, archive and models of a source.
  'PATCH /v1/source/{source_id}': 'describeSource',
  'DELETE /v1/source/{source_id}': 'archiveSource',
  'POST /v1/source/{source_id}/restore': 'restoreSource',
  'POST /v1/source/{source_id}/relearn': 'relearnSource',
  'PATCH /v1/model/{source_id}/{model_id}': 'changeModel',
  'POST /v1/model/preview/{source_id}/{model_count}': 'previewModels',
  'GET /': 'home',
  'GET /health': 'health',
  'GET /health/live': 'live',
  'GET /health/ready': 'ready',
  'GET /openapi.json': 'openApi',
  // Special days, and the calendar.
  'GET /v1/calendar/list/{source_id}/{year}': 'listCalendar',
  'PUT /v1/calendar/{source_id}/{date}': 'nameSpecialDay',
  'DELETE /v1/calendar/{source_id}/{date}': 'clearSpecialDay',
  // Special days by rules and files.
  'POST /v1/calendar-rule/create': 'createCalendarRule',
  'POST /v1/calendar-rule/import': 'importCalendarRule',
  'GET /v1/calendar-rule/list': 'listCalendarRules',
  'GET /v1/calendar-rule/{rule_id}': 'getCalendarRule',
  'DELETE /v1/calendar-rule/{rule_id}': 'deleteCalendarRule',
  // Checkpoints and proofs of the log.
  'GET /v1/audit/checkpoint': 'getCheckpoint',
  'GET /v1/audit/proof/inclusion': 'proveInclusion',
  'GET /v1/audit/proof/consistency': 'proveConsistency',
  // Erasure of personal data.
  'POST /v1/person/erase': 'erasePerson',
  // Live changes, for the screens.
  'GET /v1/events': 'streamEvents',
  'GET /v1/overview': 'getOverview',
  'GET /v1/table/{source_id}/{table}': 'getTable',
  // Changes of several alerts.
  'POST /v1/alert/acknowledge': 'acknowledgeAlerts',
  'POST /v1/alert/resolve': 'resolveAlerts',
  // One date for a chart.
  'GET /v1/day/{source_id}/{date}': 'getDay',
  // Webhooks.
  'POST /v1/webhook/create': 'createWebhook',
  'GET /v1/webhook/list': 'listWebhooks',
  'GET /v1/webhook/{webhook_id}': 'getWebhook',
  'PATCH /v1/webhook/{webhook_id}': 'changeWebhook',
  'GET /v1/webhook/{webhook_id}/deliveries': 'listDeliveries',
  'POST /v1/webhook/{webhook_id}/test': 'testWebhook',
  'POST /v1/webhook/{webhook_id}/rotate-secret': 'rotateWebhookSecret',
  'POST /v1/webhook/{webhook_id}/disable': 'disableWebhook',
  'POST /v1/webhook/{webhook_id}/enable': 'enableWebhook',
  'POST /v1/webhook/{webhook_id}/replay': 'replayWebhook',
  'DELETE /v1/webhook/{webhook_id}': 'deleteWebhook',
  // The target of the Location of a 202.
  'GET /v1/import/{import_id}': 'getImport',
  // Incidents, mutes and the settings of a tenant.
  'GET /v1/incident/list': 'listIncidents',
  'GET /v1/incident/{id}': 'getIncident',
  'GET /v1/incident/{id}/history': 'getIncidentHistory',
  'POST /v1/incident/{id}/acknowledge': 'acknowledgeIncident',
  'POST /v1/incident/{id}/reopen': 'reopenIncident',
  'POST /v1/incident/{id}/resolve': 'resolveIncident',
  'POST /v1/incident/{id}/assign': 'assignIncident',
  'POST /v1/incident/{id}/comment': 'commentIncident',
  'POST /v1/incident/{id}/split': 'splitIncident',
  'POST /v1/incident/{id}/merge': 'mergeIncident',
  'POST /v1/incident/{id}/accept': 'acceptChange',
  'POST /v1/incident/{id}/withdraw-acceptance': 'withdrawAcceptance',
  'POST /v1/mute': 'createMute',
  'POST /v1/first-token': 'createFirstToken',
  'POST /v1/token/create': 'createToken',
  'GET /v1/token/list': 'listTokens',
  'DELETE /v1/token/{jti}': 'revokeToken',
  'GET /v1/mute/list': 'listMutes',
  'DELETE /v1/mute/{id}': 'deleteMute',
  'GET /v1/settings': 'getSettings',
  'PATCH /v1/settings': 'changeSettings',
  // Series of writers of line protocol.
  'GET /v1/feed/unclaimed': 'listUnclaimedFeeds',
};
const endpoints = Object.keys(operationIds);

const { call } = await startService(t);
const answer = await call<Document>('GET', '/openapi.json', { token: null });
const document = answer.body;
const operations = operationsOf(document);
const compiled = (schema: unknown): Validator => Compile(inlined(document, schema) as TSchema);
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
  `${method.toUpperCase()} ${path}`;

t.test(
  'the API description has every route, only routes, and all operations of the specification',
  async t => {
    const routes = routesOf({ metrics: noMetrics } as Service);
    const reads = ['GET /', 'GET /health', 'GET /health/live', 'GET /health/ready', 'GET /openapi.json'];
    const open = [...reads, 'POST /v1/first-token'];
    t.strictSame(
      operations.map(nameOf).sort(),
      [...routes.map(nameOf), ...open].sort(),
      'routes and document',
    );
    t.strictSame(operations.map(nameOf).sort(), [...endpoints].sort(), 'specification and document');
    for (const { method, path, operation } of operations) {
      const real = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === 'date' ? '2023-01-01' : name === 'id' ? '9-20230101-1' : '9',
      );
      const there = await call<{ code: string }>(method.toUpperCase(), real);
      t.notOk(
        there.status === 405 || there.body.code === 'notFound',
        `${nameOf({ method, path })} is answered by its handler: ${there.status}`,
      );
      const scope = routes.find(route => nameOf(route) === nameOf({ method, path }))?.scope;
      t.strictSame(
        operation.security,
        open.includes(nameOf({ method, path })) ? [] : [{ bearer: [scope] }],
        'what is public says so, everything else names its scope',
      );
    }
  },
);

t.test('each path has the methods of its most specific pattern, and no others', async t => {
  const routes = routesOf({ metrics: noMetrics } as Service);
  const allowed = methodsAt(routes);
  for (const { path } of routes) {
    const own = routes.flatMap(route =>
      route.path === path ? (route.method === 'get' ? ['GET', 'HEAD'] : route.method.toUpperCase()) : [],
    );
    t.strictSame(allowed(path.replaceAll(/\{\w+\}/g, '9')), own, path);
  }
  t.equal(allowed('/v1/source/'), undefined);
  t.strictSame(allowed('/v1/source'), ['POST']);
  t.equal(allowed('/V1/source/9'), undefined);
  t.equal(allowed('/v1/source/9/relearn/'), undefined);
  const ordered = methodsAt([
    { method: 'get', path: '/{a}/list' },
    { method: 'put', path: '/list/{b}' },
    { method: 'post', path: '/{a}/{b}' },
  ]);
  t.strictSame(ordered('/list/list'), ['PUT'], 'the first segment that differs decides');
  t.strictSame(ordered('/x/list'), ['GET', 'HEAD']);
  t.strictSame(ordered('/x/y'), ['POST']);
});

t.test('routes describe the refusals of their rules, and readings those of what they record', t => {
  const routes = routesOf({ metrics: noMetrics } as Service);
  const recording = ['storageFull', 'outcomeUnknown', 'contention'];
  for (const [id, codes] of Object.entries({
    previewModels: ['referenceCollecting'],
    planDay: ['modelNotFound', 'tooManyOverrides'],
    importPoints: ['notCumulative'],
    importPointsFromCsv: ['notCumulative'],
    listAuditEvents: recording,
    proveInclusion: recording,
  })) {
    const route = routes.find(({ operationId }) => operationId === id);
    const described = route ? routeProblems(route) : [];
    t.strictSame(
      codes.filter(code => !described.some(other => other === code)),
      [],
      id,
    );
  }
  t.end();
});

t.test('the API description is OpenAPI 3.1', async t => {
  t.match(answer.headers.get('content-type'), /^application\/json/);
  t.match(document, { openapi: /^3\.1\.\d+$/, info: { title: /\S/, version: /\S/ } });
  const known = [
    'openapi',
    'info',
    'jsonSchemaDialect',
    'servers',
    'paths',
    'webhooks',
    'components',
    'security',
    'tags',
  ];
  t.ok(
    Object.keys(document).every(name => known.includes(name) || name.startsWith('x-')),
    'members of the root',
  );
  t.ok((document.servers ?? []).every(({ url }) => typeof url === 'string'));
  const verbs = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
  const onPath = ['summary', 'description', 'servers', 'parameters', ...verbs];
  for (const [path, item] of Object.entries(document.paths)) {
    t.match(path, /^\//, 'a path begins with a slash');
    t.ok(
      Object.keys(item).every(name => onPath.includes(name)),
      `members of ${path}`,
    );
  }
  const shapes = Object.keys(document.paths).map(path => path.replaceAll(/\{\w+\}/g, '{}'));
  t.equal(new Set(shapes).size, shapes.length, 'no two paths differ by the names of their parameters alone');

  const ids = operations.map(({ operation }) => operation.operationId);
  t.equal(new Set(ids).size, ids.length, 'operation ids are unique');
  t.strictSame(
    Object.fromEntries(operations.map(one => [nameOf(one), one.operation.operationId])),
    operationIds,
    'and stable',
  );
  t.ok(
    ids.every(id => /^[a-zA-Z]\w*$/.test(id)),
    'and fit to be names of functions',
  );

  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  t.strictSame(document.components?.securitySchemes?.['bearer'], {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  });
  const allowed = [
    'operationId',
    'summary',
    'description',
    'tags',
    'security',
    'parameters',
    'requestBody',
    'responses',
    'deprecated',
  ];
  for (const { method, path, operation } of operations)
    await t.test(nameOf({ method, path }), async t => {
      t.ok(
        Object.keys(operation).every(name => allowed.includes(name)),
        'members of the operation',
      );
      t.match(operation.summary, /\S/, 'it says what it does');

      const parameters = operation.parameters ?? [];
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const ofPath = parameters.filter(parameter => parameter.in === 'path');
      t.strictSame(
        ofPath.map(({ name }) => name),
        inPath,
        'parameters of the path',
      );
      t.ok(
        ofPath.every(({ required }) => required === true),
        'and all of them required',
      );
      const places = parameters.map(parameter => `${parameter.in} ${parameter.name}`);
      t.equal(new Set(places).size, places.length, 'no parameter twice');
      t.ok(parameters.every(parameter => ['path', 'query', 'header', 'cookie'].includes(parameter.in)));
      t.ok(
        parameters.every(({ schema }) => typeof schema === 'object'),
        'each has a schema',
      );
      t.equal(
        places.includes('header Idempotency-Key'),
        method !== 'get' && path !== '/v1/first-token',
        'a key on every request that stores in the name of a token',
      );

      for (const requirement of operation.security ?? [])
        for (const [scheme, names] of Object.entries(requirement)) {
          t.ok(schemes.includes(scheme), `${scheme} is a scheme`);
          t.ok(
            names.every(name => (scopes as readonly string[]).includes(name)),
            'and its scopes are known',
          );
        }

      t.ok(method !== 'get' || operation.requestBody === undefined, 'no GET has a body');
      const statuses = Object.entries(operation.responses);
      t.ok(statuses.length > 0 && statuses.every(([status]) => /^([1-5]\d\d|[1-5]XX|default)$/.test(status)));
      t.ok(
        statuses.some(([status]) => /^2/.test(status)),
        'it may go well',
      );
      t.ok(
        statuses.every(([, { description }]) => /\S/.test(description)),
        'each answer has a description',
      );
      if (operation.security?.length !== 0)
        for (const status of ['401', '403', '422', '500', '503'])
          t.ok(operation.responses[status]?.content?.['application/problem+json'], `${status} is a problem`);

      const media = [
        ...Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content)),
        ...Object.values(operation.requestBody?.content ?? {}),
        ...parameters,
      ];
      for (const { schema } of media) {
        for (const ref of refsOf(schema)) {
          const found = ref
            .replace(/^#\//, '')
            .split('/')
            .reduce<unknown>(
              (at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name],
              document,
            );
          t.ok(ref.startsWith('#/') && typeof found === 'object', `${ref} is there`);
        }
        t.doesNotThrow(() => compiled(schema), 'a JSON Schema');
      }
    });
});

t.test('the answers of / and /health are in the API description', async t => {
  const check = answerChecker(document);
  for (const path of ['/', '/health']) t.strictSame(check('GET', path, await call('GET', path)), [], path);
});

t.test('/ links to the API description, with and without a token', async t => {
  for (const sent of [{}, { token: null }, { token: 'garbage' }, { headers: { Accept: 'text/html' } }]) {
    const { status, body } = await call<Record<string, string>>('GET', '/', sent);
    t.equal(status, 200);
    for (const link of ['description', 'health', 'documentation'])
      t.equal((await call('GET', body[link] ?? '', { token: null })).status, 200, link);
  }
});

// All requests come before the long work of one turn below, in which connections of the client become too old.
t.test('requests are checked by the schemas of the API description', async t => {
  const create = operations.find(({ operation }) => operation.operationId === 'createSourceFromCsv');
  const schemaOf = (name: string) =>
    create?.operation.parameters?.find(parameter => parameter.name === name)?.schema;
  t.match(schemaOf('name'), { type: 'string', minLength: 1, maxLength: 100 });
  t.strictSame(
    (schemaOf('activitySize') as { enum?: unknown } | undefined)?.enum,
    [4, 8, 12, 24, 48, 72, 144, 1440],
  );
  t.strictSame((schemaOf('interpolationMethod') as { enum?: unknown } | undefined)?.enum, ['zero', 'linear']);
  t.strictSame((schemaOf('aggregation') as { enum?: unknown } | undefined)?.enum, ['mean', 'sum', 'counter']);
  const reset = operations.find(({ operation }) => operation.operationId === 'resetModels');
  t.match(reset?.operation.parameters?.find(({ name }) => name === 'model_count')?.schema, {
    minimum: 1,
    maximum: 64,
  });
  const limit = operations
    .find(({ operation }) => operation.operationId === 'listAlerts')
    ?.operation.parameters?.find(({ name }) => name === 'limit');
  t.match(limit, { in: 'query', required: false, schema: { minimum: 1, maximum: 500, default: 100 } });
  t.equal((await call('GET', '/v1/alert/list?limit=500')).status, 200);
  t.equal((await call('GET', '/v1/alert/list?limit=501')).status, 422);

  const accepts = (id: string, media: string) =>
    operations.find(({ operation }) => operation.operationId === id)?.operation.requestBody?.content[media];
  t.ok(
    accepts('createSourceFromCsv', 'text/csv') && accepts('importDaysFromCsv', 'text/csv'),
    'CSV where it is taken',
  );
  const days = compiled(accepts('importDays', 'application/json')?.schema);
  t.ok(days.Check({ sourceId: 1, days: [{ date: '2023-01-01', activity: [1, 2, 3, 4] }] }));
  t.notOk(days.Check({ sourceId: 1, days: [], foo: 1 }), 'unknown fields are refused');
  t.ok(
    days.Check({ sourceId: 1, days: [{ date: '2023-01-01', activity: [1, null, 3, 4] }] }),
    'null is a missing sample',
  );
  const problem = compiled(document.components?.schemas?.['Problem']);
  for (const [method, path] of [
    ['GET', '/v1/source/99'],
    ['GET', '/v1/nothing'],
    ['GET', '/v1/alert/list?limit=0'],
    ['PUT', '/v1/planning/1/2024-01-01'],
  ] as const)
    t.ok(problem.Check((await call(method, path)).body), `${method} ${path} answers a Problem`);
});

t.test('the types of the client are those of this description', async t => {
  const { typesOf, pythonTypesOf } = (await import(
    pathToFileURL(join(repositoryRoot(), 'client', 'generate.mjs')).href
  )) as { typesOf: (description: object) => Promise<string>; pythonTypesOf: (description: object) => string };
  const file = join(repositoryRoot(), 'client', 'openapi.ts');
  t.ok(
    readFileSync(file, 'utf8') === (await typesOf(document)),
    'client/openapi.ts: npm run build writes it',
  );
  const types = join(repositoryRoot(), 'client', 'python', 'daybook', 'types.py');
  t.ok(
    readFileSync(types, 'utf8') === pythonTypesOf(document),
    'client/python/daybook/types.py: npm run build writes it',
  );
});

slowTest('Redocly reports no problem', async t => {
  const { createConfig, lintFromString } = await import('@redocly/openapi-core');
  const config = await createConfig({ extends: ['recommended-strict'] });
  const found = await lintFromString({ source: answer.text, config });
  // These paths have different methods: `list` is read, a date is posted to.
  const isOfMethods = (message: string): boolean =>
    /\/\{date\}\/(leave-out|take-back)` and `\/v1\/day\/list\//.test(message);
  t.strictSame(
    found
      .filter(({ message }) => !isOfMethods(message))
      .map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`),
    [],
  );
});

t.test('resources are named components and are referenced everywhere', async t => {
  const schemas = document.components?.schemas ?? {};
  for (const name of ['Alert', 'Day', 'DayPlan', 'Import', 'Model', 'Problem', 'Source', 'Explanation'])
    t.ok(schemas[name], name);
  const fieldsOf = (schema: unknown): string[] | undefined => {
    const { properties } = (schema ?? {}) as { readonly properties?: object };
    return properties && Object.keys(properties);
  };
  const named = Object.values(schemas).map(schema => String(fieldsOf(schema)));
  for (const { method, path, operation } of operations)
    for (const { content = {} } of Object.values(operation.responses))
      for (const { schema } of Object.values(content)) {
        const fields = fieldsOf(schema);
        t.notOk(fields && named.includes(String(fields)), `${nameOf({ method, path })} refers to its schema`);
      }
});

t.test('each request and each answer has a valid example', async t => {
  const valid = (name: string, { schema, example }: Media): void => {
    t.not(example, undefined, `${name} has an example`);
    const validator = compiled(schema);
    t.strictSame(validator.Errors(example), [], name);
  };
  for (const { method, path, operation } of operations) {
    const name = nameOf({ method, path });
    for (const media of Object.values(operation.requestBody?.content ?? {})) valid(`body of ${name}`, media);
    for (const [status, { content = {} }] of Object.entries(operation.responses))
      for (const [type, media] of Object.entries(content)) {
        if (type !== 'application/problem+json') valid(`${status} of ${name} as ${type}`, media);
        else t.ok(Object.keys(media.examples ?? {}).length > 0, `${status} of ${name} has examples`);
      }
    for (const { in: place, name: parameter, required, example } of operation.parameters ?? [])
      if (required) t.not(example, undefined, `${place} ${parameter} of ${name} has an example`);
  }
  const problem = compiled(document.components?.schemas?.['Problem']);
  for (const [code, { value }] of Object.entries(document.components?.examples ?? {})) {
    t.ok(problem.Check(value), code);
    t.equal((value as { readonly code: string }).code, code);
  }
});

t.test('every tag has a description', async t => {
  const described = document.tags?.map(({ name }) => name) ?? [];
  for (const { operation } of operations) t.ok(operation.tags?.every(tag => described.includes(tag)));
  t.ok(document.tags?.every(({ description }) => /\S/.test(description)));
});
