import t from 'tap';
import { Compile } from 'typebox/compile';
import { routesOf } from '../../adapters/http/app.js';
import { scopes } from '../../adapters/http/middleware/tokens.js';
import type { Service } from '../../application/service.js';
import { answerChecker, operationsOf, refsOf, startService, type Document } from '../helpers/service.js';

// The given endpoints (spec §3) and ours (§4), literally.
const endpoints = [
  'POST /v1/import-csv/create-source',
  'POST /v1/import-csv/{source_id}/days',
  'POST /v1/import/create-source',
  'POST /v1/import/days',
  'POST /v1/model/bulk-replace/{source_id}',
  'POST /v1/model/reset/{source_id}/{model_count}',
  'GET /v1/source/list',
  'GET /v1/planning/list/{source_id}/{year}',
  'PUT /v1/planning/{source_id}/{date}',
  'DELETE /v1/planning/{source_id}/{date}',
  'GET /v1/alert/list',
  'GET /v1/alert/{id}',
  'GET /v1/alert/{id}/history',
  'GET /v1/alert/{id}/explanation',
  'GET /v1/audit/event',
  'POST /v1/alert/{id}/acknowledge',
  'POST /v1/alert/{id}/resolve',
  'POST /v1/alert/{id}/reopen',
  'GET /v1/source/{source_id}',
  'GET /v1/model/list/{source_id}',
  'GET /v1/day/list/{source_id}/{year}',
  'GET /health',
  'GET /openapi.json',
  // Ours: special days, and the days that are not ordinary.
  'GET /v1/calendar/list/{source_id}/{year}',
  'PUT /v1/calendar/{source_id}/{date}',
  'DELETE /v1/calendar/{source_id}/{date}',
  // Ours: what a log was, and proofs of it.
  'GET /v1/audit/checkpoint',
  'GET /v1/audit/proof/inclusion',
  'GET /v1/audit/proof/consistency',
  // Ours: a person's right to be forgotten.
  'POST /v1/person/erase',
  // Ours, for the screens and others who watch.
  'GET /v1/events',
  'GET /v1/overview',
  // Ours: runs of dates with alerts, and several alerts at once.
  'GET /v1/alert/episodes',
  'POST /v1/alert/acknowledge',
  'POST /v1/alert/resolve',
  // Ours: one date for a chart.
  'GET /v1/day/{source_id}/{date}',
  // Ours: how a CSV is written.
  'POST /v1/import-csv/inspect',
  // Ours, to which the Location of a 202 leads.
  'GET /v1/import/{import_id}',
];

const { call } = await startService(t);
const answer = await call<Document>('GET', '/openapi.json', { token: null });
const document = answer.body;
const operations = operationsOf(document);
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
  `${method.toUpperCase()} ${path}`;

t.test(
  'every route is in the document, every operation is a route, and all of the specification are there',
  async t => {
    const routes = routesOf({} as Service);
    const open = ['GET /health', 'GET /openapi.json'];
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

t.test('the document is OpenAPI 3.1', async t => {
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
  t.equal(new Set(ids).size, ids.length, 'operation ids are their own');
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
      t.equal(places.includes('header Idempotency-Key'), method === 'post', 'a key on every POST');

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
        for (const status of ['401', '403', '4XX', '503'])
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
        if (refsOf(schema).length === 0) t.doesNotThrow(() => Compile(schema as never), 'a JSON Schema');
      }
    });
});

t.test('what /health answers is in the document', async t => {
  t.strictSame(answerChecker(document)('GET', '/health', await call('GET', '/health')), []);
});

t.test('the schemas are those that check: what they say is what happens', async t => {
  const create = operations.find(({ operation }) => operation.operationId === 'createSourceFromCsv');
  const schemaOf = (name: string) =>
    create?.operation.parameters?.find(parameter => parameter.name === name)?.schema;
  t.match(schemaOf('name'), { type: 'string', minLength: 1, maxLength: 100 });
  t.strictSame(
    (schemaOf('activitySize') as { enum?: unknown } | undefined)?.enum,
    [4, 8, 12, 24, 48, 72, 144, 1440],
  );
  t.strictSame((schemaOf('interpolationMethod') as { enum?: unknown } | undefined)?.enum, ['zero', 'linear']);
  t.strictSame((schemaOf('aggregation') as { enum?: unknown } | undefined)?.enum, ['mean', 'sum']);
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
  const days = Compile(accepts('importDays', 'application/json')?.schema as never);
  t.ok(days.Check({ sourceId: 1, days: [{ date: '2023-01-01', activity: [1, 2, 3, 4] }] }));
  t.notOk(days.Check({ sourceId: 1, days: [], foo: 1 }), 'unknown fields are refused');
  t.ok(
    days.Check({ sourceId: 1, days: [{ date: '2023-01-01', activity: [1, null, 3, 4] }] }),
    'null is a missing sample',
  );
  const problem = Compile(document.components?.schemas?.['Problem'] as never);
  for (const [method, path] of [
    ['GET', '/v1/source/99'],
    ['GET', '/v1/nothing'],
    ['GET', '/v1/alert/list?limit=0'],
    ['PATCH', '/v1/source/1'],
  ] as const)
    t.ok(problem.Check((await call(method, path)).body), `${method} ${path} answers a Problem`);
});
