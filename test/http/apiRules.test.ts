import t from 'tap';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { inlined, operationsOf, type Document } from '../helpers/documents/apiDescription.js';
import {
  analysed,
  csvOf,
  idle,
  ordinaryDay,
  ordinaryDays,
  startService,
  type Sent,
} from '../helpers/service.js';

// Rules that hold on every route: the routes come from the API description.

const service = await startService(t);
const { call, eventCount, tokenFor } = service;
const description = (await call<Document>('GET', '/openapi.json')).body;
const operations = operationsOf(description);
type Operation = (typeof operations)[number];
type Problem = {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly code: string; readonly pointer: string; readonly detail: string }[];
};

const reference = ordinaryDays('2023-01-01', 60);
const create = async (name: string): Promise<number> => {
  const { body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, days: reference },
  });
  await analysed(call, body.source.id);
  return body.source.id;
};
const own = await create('Own');
/** A request to an operation, from its examples. @param path values of parameters of the path */
const requestTo = (
  { method, path, operation }: Operation,
  values: Readonly<Record<string, string | number>> = {},
  query: Readonly<Record<string, string | number>> = {},
) => {
  const { parameters = [], requestBody } = operation;
  const required = parameters.filter(one => one.in === 'query' && one.required);
  const asked = { ...Object.fromEntries(required.map(one => [one.name, one.example])), ...query };
  const text = new URLSearchParams(
    Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const real = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(values[name] ?? parameters.find(one => one.name === name)?.example ?? 1),
  );
  const json = requestBody?.content['application/json']?.example;
  const csv = requestBody?.content['text/csv']?.example as string | undefined;
  const body = requestBody?.content['text/calendar']?.example as string | undefined;
  const sent: Sent = {
    ...(json !== undefined && { json }),
    ...(csv !== undefined && { csv }),
    ...(body !== undefined && { body, headers: { 'Content-Type': 'text/calendar' } }),
  };
  return { method: method.toUpperCase(), path: `${real}${text.size > 0 ? `?${text.toString()}` : ''}`, sent };
};
const nameOf = ({ operation }: Operation): string => operation.operationId;
const parameterOf = ({ operation: { parameters = [] } }: Operation, name: string) =>
  parameters.find(one => one.name === name);

t.test('a from after its to is refused with both values, wherever there are the two', async t => {
  const ranges = operations.filter(one => parameterOf(one, 'from') && parameterOf(one, 'to'));
  t.ok(ranges.length >= 5, ranges.map(nameOf).join(' '));
  for (const one of ranges) {
    const isSize = (parameterOf(one, 'from')?.schema as { type?: string }).type === 'integer';
    const [from, to] = isSize ? [2, 1] : ['2024-02-02', '2024-02-01'];
    const { method, path, sent } = requestTo(one, { source_id: own, table: 'days' }, { from, to });
    const { status, body } = await call<Problem>(method, path, sent);
    t.strictSame(
      { status, code: body.code, faults: body.errors?.map(({ code, pointer }) => `${pointer} ${code}`) },
      { status: 422, code: 'parametersInvalid', faults: ['/query/to order'] },
      nameOf(one),
    );
    t.match(body.errors?.[0]?.detail, `got from ${from} and to ${to}`);
    const same = requestTo(one, { source_id: own, table: 'days' }, { from, to: from });
    const equal = await call<Problem>(same.method, same.path, same.sent);
    t.not(equal.body.errors?.[0]?.code, 'order', `${nameOf(one)}: an empty range is one`);
  }
});

t.test('a request may leave out its body where all fields are optional, which is that of {}', async t => {
  const optional: string[] = [];
  for (const one of operations) {
    if (!one.operation.requestBody?.content['application/json']) continue;
    const { method, path } = requestTo(one, { source_id: own, model_id: 1 });
    const { status, body } = await call<Problem>(method, path);
    // Without a code of a first start its body is not looked at.
    const refusal = nameOf(one) === 'createFirstToken' ? [409, 'firstStartOver'] : [415, 'mediaType'];
    if (one.operation.requestBody.required) t.strictSame([status, body.code], refusal, nameOf(one));
    else {
      optional.push(nameOf(one));
      t.equal(status, (await call(method, path, { json: {} })).status, nameOf(one));
    }
  }
  t.strictSame(optional.sort(), [
    'acceptChange',
    'changeModel',
    'changeSettings',
    'changeWebhook',
    'describeSource',
  ]);
});

const absent = 987_654;

t.test('a source that a request is about and that is not there is 404, in path, query and body', async t => {
  const stranger = await tokenFor({ subject: 'eve', tenant: 'other' });
  const before = eventCount();
  const isUnknown = async (name: string, { method, path, sent }: ReturnType<typeof requestTo>) => {
    const { status, body } = await call<Problem>(method, path, sent);
    t.strictSame([status, body.code], [404, 'sourceNotFound'], `${name}: ${body.detail}`);
  };
  let asked = 0;
  for (const one of operations) {
    if (parameterOf(one, 'source_id')) {
      asked += 1;
      await isUnknown(nameOf(one), requestTo(one, { source_id: absent, table: 'days' }));
      const foreign = requestTo(one, { source_id: own, table: 'days' });
      await isUnknown(`${nameOf(one)} of another tenant`, {
        ...foreign,
        sent: { ...foreign.sent, token: stranger },
      });
    }
    for (const name of ['sourceId', 'sourceIds'])
      if (parameterOf(one, name)) {
        asked += 1;
        await isUnknown(`${nameOf(one)} ${name}`, requestTo(one, {}, { [name]: absent }));
      }
    const request = requestTo(one);
    const { json } = request.sent;
    if (typeof json === 'object' && json !== null && 'sourceId' in json) {
      asked += 1;
      await isUnknown(`${nameOf(one)} body`, { ...request, sent: { json: { ...json, sourceId: absent } } });
    }
  }
  t.ok(asked > 20, `${asked} requests`);
  t.equal(eventCount(), before, 'nothing is stored');
});

t.test(
  'a model of the path that is not there is 404, and one in the content of a change 422 with its place',
  async t => {
    const ofPath = operations.filter(one => parameterOf(one, 'model_id'));
    t.ok(ofPath.length > 0);
    for (const one of ofPath) {
      const { method, path, sent } = requestTo(one, { source_id: own, model_id: absent });
      t.equal((await call(method, path, sent)).status, 404, nameOf(one));
    }
    const planned = await call<Problem>('PUT', `/v1/planning/${own}/2024-01-02`, {
      json: { modelId: absent },
    });
    t.match(planned, {
      status: 422,
      body: { code: 'modelNotFound', errors: { 0: { pointer: '/modelId' } } },
    });
    const explained = await call<Problem>('PATCH', `/v1/source/${own}`, { json: { explainedBy: [absent] } });
    t.match(explained, { status: 422, body: { errors: { 0: { pointer: '/explainedBy/0' } } } });
  },
);

/** Fields that hold a record next to what its change or its import brought; given, or named for a fact of another record. */
const besides: Readonly<Record<string, readonly string[]>> = {
  createSourceFromCsv: ['source', 'import'],
  createSource: ['source', 'import'],
  relearnSource: ['source', 'import'],
  importDaysFromCsv: ['import'],
  importDays: ['import'],
  importPoints: ['import'],
  importPointsFromCsv: ['import'],
  getImport: ['import'],
  getDay: ['day'],
  takeDayBack: ['day'],
  explainAlert: ['alert', 'import'],
  getIncident: ['alert'],
  acknowledgeIncident: ['alert'],
  reopenIncident: ['alert'],
  resolveIncident: ['alert'],
  assignIncident: ['alert'],
  commentIncident: ['alert'],
  splitIncident: ['alert'],
  mergeIncident: ['alert'],
  acceptChange: ['alert'],
  withdrawAcceptance: ['alert'],
};

t.test('a list answers with its plural, a single record as itself', async t => {
  const records = [
    'source',
    'model',
    'day',
    'alert',
    'import',
    'incident',
    'event',
    'webhook',
    'person',
    'record',
  ];
  for (const one of operations) {
    const schemas = Object.entries(one.operation.responses).flatMap(([status, { content }]) =>
      /^2/.test(status) ? (content?.['application/json']?.schema ?? []) : [],
    );
    for (const schema of schemas) {
      const { properties = {} } = inlined(description, schema) as { readonly properties?: object };
      const wrapped = Object.entries(properties).flatMap(([name, field]) =>
        records.includes(name) && JSON.stringify(field).includes('"properties"') ? [name] : [],
      );
      t.strictSame(wrapped.sort(), [...(besides[nameOf(one)] ?? [])].sort(), nameOf(one));
      if (!/^list(?!.*History)/.test(nameOf(one))) continue;
      const lists = Object.entries(properties).filter(
        ([, field]) => (field as { type?: string }).type === 'array',
      );
      t.ok(lists.length === 1 && /s$/.test(lists[0]?.[0] ?? ''), `${nameOf(one)} has one list`);
    }
  }
});

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
/** A file of one event. */
const closed = 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20260102\nEND:VEVENT\nEND:VCALENDAR\n';

t.test('each creation says where the new record is', async t => {
  const requests: Readonly<Record<string, () => ReturnType<typeof requestTo>>> = {
    createSource: () => ({
      method: 'POST',
      path: '/v1/import/create-source',
      sent: { json: { name: 'Another', referenceYear: 2023, days: reference } },
    }),
    createSourceFromCsv: () => ({
      method: 'POST',
      path: '/v1/import-csv/create-source?name=Third',
      sent: {
        csv: csvOf(reference),
      },
    }),
    createCollectingSource: () => ({
      method: 'POST',
      path: '/v1/source',
      sent: { json: { name: 'Fourth', activitySize: 24 } },
    }),
    relearnSource: () => ({ method: 'POST', path: `/v1/source/${own}/relearn`, sent: {} }),
    createCalendarRule: () => ({
      method: 'POST',
      path: '/v1/calendar-rule/create',
      sent: { json: { labels: { site: 'Oslo' }, name: 'Sundays', rule: 'FREQ=WEEKLY;BYDAY=SU' } },
    }),
    importCalendarRule: () => ({
      method: 'POST',
      path: '/v1/calendar-rule/import?name=Closed&label=site:Oslo',
      sent: { body: closed, headers: { 'Content-Type': 'text/calendar' } },
    }),
    createWebhook: () => ({
      method: 'POST',
      path: '/v1/webhook/create',
      sent: { json: { url: 'https://receiver.example/hook' } },
    }),
    createToken: () => ({
      method: 'POST',
      path: '/v1/token/create',
      sent: { json: { name: 'Gateway', scopes: ['import'], expires: 'P1D' } },
    }),
    createMute: () => ({
      method: 'POST',
      path: '/v1/mute',
      sent: { json: { labels: { site: 'north' }, until: inAnHour(), reason: 'Sprinkler test' } },
    }),
  };
  for (const one of operations.filter(({ operation }) => operation.responses['201'])) {
    // A record without an address of its own has no Location.
    if (nameOf(one) === 'createWebhook' && !description.paths['/v1/webhook/{webhook_id}']?.['get']) continue;
    // Needs the code of an unused service: test/http/firstStart.test.ts.
    if (nameOf(one) === 'createFirstToken') continue;
    const request = requests[nameOf(one)]?.();
    if (!request) throw new Error(`this test has no request for ${nameOf(one)}`);
    if (nameOf(one) === 'relearnSource') {
      const days = ordinaryDays('2024-01-03', 370);
      await call('POST', '/v1/import/days', { json: { sourceId: own, days } });
    }
    const { status, headers, text } = await call(request.method, request.path, request.sent);
    t.equal(status, 201, `${nameOf(one)}: ${text.slice(0, 200)}`);
    const location = headers.get('Location') ?? 'none';
    t.equal((await call('GET', location)).status, 200, `${nameOf(one)}: ${location}`);
  }
});

t.test('a request that stores takes effect once under its key, whatever its method', async t => {
  const source = await create('Keys');
  const { body: models } = await call<{ models: { id: number }[] }>('GET', `/v1/model/list/${source}`);
  const modelId = models.models[0]?.id ?? 0;
  const date = dateOf(dayNumber('2024-01-02'));
  await call('POST', '/v1/import/days', { json: { sourceId: source, days: [ordinaryDay(date)] } });
  const hook = await call<{ id: string }>('POST', '/v1/webhook/create', {
    json: { url: 'https://receiver.example/other' },
  });
  const mute = await call<{ id: string }>('POST', '/v1/mute', {
    json: { sourceId: source, until: inAnHour(), reason: 'Sprinkler test' },
  });
  const rule = await call<{ id: string }>('POST', '/v1/calendar-rule/create', {
    json: { labels: { site: 'Lyon' }, name: 'Sundays', rule: 'FREQ=WEEKLY;BYDAY=SU' },
  });
  const token = await call<{ jti: string }>('POST', '/v1/token/create', {
    json: { name: 'Gateway', scopes: ['import'], expires: 'P1D' },
  });
  const requests: Readonly<Record<string, readonly [string, unknown?]>> = {
    revokeToken: [`/v1/token/${token.body.jti}?reason=exchanged`],
    changeSettings: ['/v1/settings', { incidentLabels: ['site'] }],
    deleteMute: [`/v1/mute/${mute.body.id}`],
    planDay: [`/v1/planning/${source}/${date}`, { modelId }],
    clearDayPlan: [`/v1/planning/${source}/${date}`],
    nameSpecialDay: [`/v1/calendar/${source}/${date}`, { name: 'fair' }],
    clearSpecialDay: [`/v1/calendar/${source}/${date}`],
    deleteCalendarRule: [`/v1/calendar-rule/${rule.body.id}`],
    describeSource: [`/v1/source/${source}`, { labels: { site: 'north' } }],
    changeModel: [`/v1/model/${source}/${modelId}`, { name: 'first' }],
    takeDayBack: [`/v1/day/${source}/${date}?reason=wrong`],
    changeWebhook: [`/v1/webhook/${hook.body.id}`, { minCriticity: 0.5 }],
    deleteWebhook: [`/v1/webhook/${hook.body.id}`],
    archiveSource: [`/v1/source/${source}`],
  };
  const stored = operations.filter(({ method }) => ['put', 'patch', 'delete'].includes(method));
  const order = Object.keys(requests);
  t.strictSame(
    stored.map(nameOf).filter(name => !order.includes(name)),
    [],
    'each has a request here',
  );
  const present = stored.sort((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)));
  const firsts = new Map<string, string>();
  const send = (one: Operation) => {
    const [path, json] = requests[nameOf(one)] ?? [''];
    const headers = { 'Idempotency-Key': `key-${nameOf(one)}` };
    return call(one.method.toUpperCase(), path, { headers, ...(json !== undefined && { json }) });
  };
  for (const one of present) {
    const before = eventCount();
    const first = await send(one);
    t.equal(first.status, 200, `${nameOf(one)}: ${first.text.slice(0, 200)}`);
    t.ok(eventCount() > before, `${nameOf(one)} stores`);
    firsts.set(nameOf(one), first.text);
    await idle(call);
  }
  const count = eventCount();
  for (const one of present) {
    const again = await send(one);
    t.strictSame(
      [again.status, again.text],
      [200, firsts.get(nameOf(one))],
      `${nameOf(one)}, when it is archived`,
    );
    const other = await call<Problem>('DELETE', `/v1/source/${own}`, {
      headers: { 'Idempotency-Key': `key-${nameOf(one)}` },
    });
    t.strictSame([other.status, other.body.code], [422, 'keyReused'], 'another request with its key');
  }
  t.equal(eventCount(), count, 'nothing is stored twice');
});
