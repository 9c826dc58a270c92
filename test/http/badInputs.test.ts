import t from 'tap';
import type { AlertRecord } from '../../projections/alerts/alertRecords.js';
import type { InputFault } from '../../application/imports/faults.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import {
  analysed,
  csvOf,
  endless,
  idle,
  ordinaryDay,
  ordinaryDays,
  startService,
  streamed,
  type Sent,
} from '../helpers/service.js';

/** Body of every refusal. */
type ProblemBody = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly InputFault[];
};

/** One bad input. `at` lists all errors, `line:column code` or `pointer code`; none are expected without it. */
type Case = {
  readonly name: string;
  readonly request: readonly [method: string, path: string, sent?: Sent];
  readonly status: number;
  readonly code: string;
  readonly at?: readonly string[];
  readonly detail?: RegExp;
  readonly headers?: Readonly<Record<string, RegExp>>;
};

const service = await startService(t);
const { call, tokenFor } = service;

// Given: source 1 of the default tenant, with an alert in each state; source 2 of another tenant.
const other = await tokenFor({ tenant: 'other' });
const reference = ordinaryDays('2022-01-01', 365);
await call('POST', '/v1/import/create-source', {
  json: { name: 'stage', referenceYear: 2022, days: reference },
});
await call('POST', '/v1/import/create-source', {
  token: other,
  json: { name: 'theirs', referenceYear: 2022, days: reference.slice(0, 40) },
});
await analysed(call, 1);
const high = (date: string) => ({ date, activity: ordinaryDay(date).activity.map(value => value + 1000) });
const badDates = ['2023-03-01', '2023-03-02', '2023-03-03', '2023-03-04'];
const staged = await call<{ alerts: { raised: readonly AlertRecord[] } }>('POST', '/v1/import/days', {
  json: { sourceId: 1, days: badDates.map(high) },
});
const [open, acknowledged, resolved, invalidated] = staged.body.alerts.raised.map(({ id }) => id);
await call('POST', `/v1/alert/${acknowledged}/acknowledge`);
await call('POST', `/v1/alert/${resolved}/resolve`, { json: { verdict: 'anomaly' } });
await call('POST', '/v1/import/days', { json: { sourceId: 1, days: [ordinaryDay('2023-03-04')] } });
const { body: theirModels } = await (async () => {
  await analysed((method, path) => call(method, path, { token: other }), 2);
  return call<{ models: readonly { id: number }[] }>('GET', '/v1/model/list/2', { token: other });
})();
const { body: ownModels } = await call<{ models: readonly { id: number; name: string }[] }>(
  'GET',
  '/v1/model/list/1',
);
await call('POST', '/v1/import/days', {
  json: { sourceId: 1, days: [ordinaryDay('2023-03-05')] },
  headers: { 'Idempotency-Key': 'used' },
});
await call('POST', `/v1/alert/${open}/acknowledge`, { headers: { 'Idempotency-Key': 'acknowledged' } });
await call('POST', `/v1/alert/${open}/resolve`, { json: { verdict: 'expected' } });
await call('POST', `/v1/alert/${open}/reopen`);

const days = '/v1/import-csv/1/days';
const createCsv = '/v1/import-csv/create-source?name=x';
const create = '/v1/import/create-source';
const importDays = '/v1/import/days';
const replace = '/v1/model/bulk-replace/1';
const steady = (count: number) => csvOf(ordinaryDays('2023-01-01', count), { header: false });
const year = csvOf(reference);
const flat = (length: number, value: unknown = 1): unknown[] => Array<unknown>(length).fill(value);
const model = (changed: Readonly<Record<string, unknown>> = {}) => ({
  name: 'a',
  color: '#00aaff',
  anomaly: false,
  activity: flat(24),
  topTolerance: flat(24, 2),
  bottomTolerance: flat(24, 0),
  ...changed,
});
const without = (value: Readonly<Record<string, unknown>>, field: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));
const longName = 'n'.repeat(10_000);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const secondsNow = Math.floor(Date.now() / 1000);
const claims = { sub: 'x', iss: 'daybook', aud: 'daybook', scope: 'read import', exp: secondsNow + 3600 };
const unsigned = `${base64url({ alg: 'none', typ: 'JWT' })}.${base64url(claims)}.`;

const csvCase = (
  name: string,
  csv: string | Buffer,
  at: readonly string[],
  more: Partial<Case> = {},
): Case => ({
  name: `CSV: ${name}`,
  request: ['POST', days, { csv }],
  status: 422,
  code: 'csvInvalid',
  at,
  ...more,
});
const receiverUrl = 'https://hooks.example.org/';
const webhookCase = (name: string, json: unknown, at: readonly string[]): Case => ({
  name: `webhooks: ${name}`,
  request: ['POST', '/v1/webhook/create', { json }],
  status: 422,
  code: 'bodyInvalid',
  at,
});
const creationCase = (
  name: string,
  query: string,
  at: readonly string[],
  more: Partial<Case> = {},
): Case => ({
  name: `creation by CSV: ${name}`,
  request: ['POST', `/v1/import-csv/create-source${query}`, { csv: year }],
  status: 422,
  code: 'parametersInvalid',
  at,
  ...more,
});
const jsonCase = (name: string, json: unknown, at: readonly string[], more: Partial<Case> = {}): Case => ({
  name: `JSON: ${name}`,
  request: ['POST', importDays, { json }],
  status: 422,
  code: 'jsonInvalid',
  at,
  ...more,
});
const brokenCase = (name: string, body: string | Buffer, line: number): Case => ({
  name: `JSON: ${name}`,
  request: ['POST', importDays, { body, headers: { 'Content-Type': 'application/json' } }],
  status: 400,
  code: 'unparseable',
  at: [`${line}: jsonBroken`],
});
const oneDay = (day: Readonly<Record<string, unknown>>) => ({ sourceId: 1, days: [day] });
const goodDay = ordinaryDay('2023-05-01');
const modelCase = (name: string, models: unknown, at: readonly string[], more: Partial<Case> = {}): Case => ({
  name: `models: ${name}`,
  request: ['POST', replace, { json: { models } }],
  status: 422,
  code: 'bodyInvalid',
  at,
  ...more,
});
const mediaCase = (
  name: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Case => ({
  name: `media: ${name}`,
  request: ['POST', path, { body, headers }],
  status: 415,
  code: 'Content-Encoding' in headers ? 'contentEncoding' : 'mediaType',
});
const methodCase = (method: string, path: string, allowed: RegExp): Case => ({
  name: `${method} ${path}`,
  request: [method, path],
  status: 405,
  code: 'methodNotAllowed',
  headers: { Allow: allowed },
});
const missingCase = (method: string, path: string, sent: Sent = {}, code = 'sourceNotFound'): Case => ({
  name: `missing: ${method} ${path}`,
  request: [method, path, sent],
  status: 404,
  code,
});
const queryCase = (path: string, at: string): Case => ({
  name: `query: ${path.slice(0, 60)}`,
  request: ['GET', path],
  status: 422,
  code: 'parametersInvalid',
  at: [at],
});
const transitionCase = (verb: string, state: string, id: string | undefined): Case => ({
  name: `alerts: ${verb} ${state}`,
  request: ['POST', `/v1/alert/${id}/${verb}`, verb === 'resolve' ? { json: { verdict: 'anomaly' } } : {}],
  status: 409,
  code: 'alertTransition',
});
const manyCase = (name: string, verb: string, json: object, at: readonly string[]): Case => ({
  name: `several alerts: ${name}`,
  request: ['POST', `/v1/alert/${verb}`, { json }],
  status: 422,
  code: 'bodyInvalid',
  at,
});
const resolveCase = (name: string, json: unknown, at: readonly string[]): Case => ({
  name: `alerts: resolve with ${name}`,
  request: ['POST', `/v1/alert/${open}/resolve`, { json }],
  status: 422,
  code: 'bodyInvalid',
  at,
});
const describeCase = (
  name: string,
  json: unknown,
  at: readonly string[],
  more: Partial<Case> = {},
): Case => ({
  name: `description: ${name}`,
  request: ['PATCH', '/v1/source/1', { json }],
  status: 422,
  code: 'bodyInvalid',
  at,
  ...more,
});
const describedBadly = { code: 'descriptionInvalid' };
const changeCase = (name: string, json: unknown, at: readonly string[], more: Partial<Case> = {}): Case => ({
  name: `model: ${name}`,
  request: ['PATCH', `/v1/model/1/${ownModels.models[0]?.id}`, { json }],
  status: 422,
  code: 'bodyInvalid',
  at,
  ...more,
});
const parameterCase = (method: string, path: string, at: readonly string[], sent: Sent = {}): Case => ({
  name: `parameters: ${method} ${path}`,
  request: [method, path, sent],
  status: 422,
  code: 'parametersInvalid',
  at,
});
const planCase = (
  name: string,
  path: string,
  sent: Sent,
  status: number,
  code: string,
  at?: string[],
): Case => ({
  name: `planning: ${name}`,
  request: ['PUT', path, sent],
  status,
  code,
  ...(at ? { at } : {}),
});

const cases: readonly Case[] = [
  // Tokens. More in tokens.test.ts.
  {
    name: 'no token',
    request: ['GET', '/v1/source/list', { token: null }],
    status: 401,
    code: 'tokenMissing',
    headers: { 'WWW-Authenticate': /^Bearer / },
  },
  {
    name: 'alg none',
    request: ['POST', days, { token: unsigned, csv: steady(1) }],
    status: 401,
    code: 'tokenInvalid',
    headers: { 'WWW-Authenticate': /^Bearer .*invalid_token/ },
  },
  {
    name: 'a token that has expired',
    request: ['POST', days, { token: await expired(), csv: steady(1) }],
    status: 401,
    code: 'tokenInvalid',
    headers: { 'WWW-Authenticate': /^Bearer / },
  },
  {
    name: 'wrong scope',
    request: ['POST', days, { token: await tokenFor({ scopes: ['read', 'model'] }), csv: steady(1) }],
    status: 403,
    code: 'scopeMissing',
    headers: { 'WWW-Authenticate': /insufficient_scope.*scope="import"/ },
  },
  {
    name: 'other tenant',
    request: ['POST', days, { token: other, csv: steady(1) }],
    status: 404,
    code: 'sourceNotFound',
  },

  // Descriptions of sources, and changes of models.
  describeCase('a list', [], [' type']),
  describeCase('an unknown field', { colour: 'red' }, ['/colour unknownField']),
  describeCase('a field that cannot change', { timeZone: 'UTC' }, ['/timeZone unknownField']),
  describeCase('no name', { name: null }, ['/name type']),
  describeCase('an empty name', { name: '' }, ['/name minLength']),
  describeCase('a name too long', { name: longName }, ['/name maxLength']),
  describeCase('a line break in the name', { name: 'a\nb' }, ['/name pattern']),
  describeCase('labels that are a list', { labels: ['site'] }, ['/labels type']),
  describeCase('an invalid key', { labels: { '1st floor': 'x' } }, ['/labels/1st floor pattern']),
  describeCase('the prototype', JSON.parse('{"labels": {"__proto__": "x"}}'), ['/labels/__proto__ pattern']),
  describeCase('a value that is a number', { labels: { floor: 2 } }, ['/labels/floor type']),
  describeCase('an empty value', { labels: { floor: '' } }, ['/labels/floor minLength']),
  describeCase(
    'more labels than a patch may have',
    {
      labels: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`l${n}`, 'x'])),
    },
    ['/labels maxProperties'],
  ),
  describeCase(
    'more labels than a source may have',
    {
      labels: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`l${n}`, 'x'])),
    },
    ['/labels labels'],
    describedBadly,
  ),
  describeCase('beyond the pole', { place: { latitude: 90.1, longitude: 0 } }, ['/place/latitude maximum']),
  describeCase('a longitude alone', { place: { longitude: 7 } }, ['/place coordinates'], describedBadly),
  describeCase('coordinates as text', { place: { latitude: '45', longitude: '4' } }, [
    '/place/latitude type',
    '/place/longitude type',
  ]),
  describeCase('a place with more', { place: { altitude: 3 } }, ['/place/altitude unknownField']),
  describeCase(
    'an interval in words',
    { expectedInterval: 'daily' },
    ['/expectedInterval interval'],
    describedBadly,
  ),
  describeCase(
    'an interval of months',
    { expectedInterval: 'P1M' },
    ['/expectedInterval interval'],
    describedBadly,
  ),
  describeCase(
    'no interval at all',
    { expectedInterval: 'P0D' },
    ['/expectedInterval interval'],
    describedBadly,
  ),
  describeCase('explained by itself', { explainedBy: [1] }, ['/explainedBy/0 explainedBy'], describedBadly),
  describeCase(
    'explained by unknown sources',
    { explainedBy: [98, 99] },
    ['/explainedBy/0 explainedBy', '/explainedBy/1 explainedBy'],
    describedBadly,
  ),
  describeCase('explained by four sources', { explainedBy: [2, 3, 4, 5] }, ['/explainedBy maxItems']),
  describeCase('explained by a name', { explainedBy: ['Oslo'] }, ['/explainedBy/0 type']),
  describeCase('explained by an id alone', { explainedBy: 2 }, ['/explainedBy type']),
  describeCase('half a surrogate pair', { labels: { floor: '\ud83d' } }, ['/labels/floor textEncoding']),
  {
    name: 'description: as a text',
    request: ['PATCH', '/v1/source/1', { body: '{}', headers: { 'Content-Type': 'text/plain' } }],
    status: 415,
    code: 'mediaType',
  },
  {
    name: 'description: broken JSON',
    request: ['PATCH', '/v1/source/1', { body: '{', headers: { 'Content-Type': 'application/json' } }],
    status: 400,
    code: 'unparseable',
    at: ['1: jsonBroken'],
  },
  missingCase('PATCH', '/v1/source/2', { json: {} }),
  missingCase('DELETE', '/v1/source/2'),
  missingCase('POST', '/v1/source/2/restore'),
  missingCase('POST', '/v1/source/2/relearn'),
  missingCase('DELETE', '/v1/source/99'),
  parameterCase('PATCH', '/v1/source/1?allowDuplicate=yes', ['/query/allowDuplicate type'], { json: {} }),
  parameterCase('DELETE', '/v1/source/1?force=true', ['/query/force unknownField']),
  parameterCase('POST', '/v1/source/1/relearn?from=2024-01-01', ['/query/from unknownField']),
  parameterCase('POST', '/v1/source/1/restore?allowDuplicate=1', ['/query/allowDuplicate type']),
  creationCase('a name that another has', '?name=stage', [], { status: 409, code: 'sourceNameTaken' }),
  creationCase('a label without a value', '?name=x&label=site', ['/query/label/0 pattern']),
  creationCase('a label twice', '?name=x&label=a:1&label=a:2', ['/query/label labelRepeated']),
  creationCase('a latitude alone', '?name=x&latitude=45', ['/query/latitude coordinates']),
  creationCase('a latitude too far', '?name=x&latitude=91&longitude=0', ['/query/latitude maximum']),
  creationCase('an invalid interval', '?name=x&expectedInterval=1d', ['/query/expectedInterval interval']),
  creationCase('explained by words', '?name=x&explainedBy=oslo', ['/query/explainedBy pattern']),
  creationCase('explained by four', '?name=x&explainedBy=1,2,3,4', ['/query/explainedBy pattern']),
  creationCase('explained by one twice', '?name=x&explainedBy=1,1', ['/query/explainedBy explainedBy']),
  creationCase('explained by none that exists', '?name=x&explainedBy=98', ['/query/explainedBy explainedBy']),
  creationCase('allowDuplicate in words', '?name=x&allowDuplicate=maybe', ['/query/allowDuplicate type']),
  changeCase('an unknown field', { days: 3 }, ['/days unknownField']),
  changeCase('a profile', { activity: flat(24) }, ['/activity unknownField']),
  changeCase('a colour in words', { color: 'red' }, ['/color pattern']),
  changeCase('a flag in words', { anomaly: 'yes' }, ['/anomaly type']),
  changeCase('an empty name', { name: '' }, ['/name minLength']),
  changeCase('the name of another', { name: ownModels.models[1]?.name }, ['/name nameTaken'], {
    code: 'modelsInvalid',
  }),
  missingCase('PATCH', '/v1/model/1/999999', { json: {} }, 'notFound'),
  missingCase('PATCH', `/v1/model/2/${theirModels.models[0]?.id}`, { json: {} }),
  parameterCase('PATCH', '/v1/model/1/0', ['/path/model_id minimum'], { json: {} }),
  parameterCase('POST', '/v1/model/preview/1/0', ['/path/model_count minimum']),
  parameterCase('POST', '/v1/model/preview/1/65', ['/path/model_count maximum']),
  parameterCase('POST', '/v1/model/preview/1/3?coverage=2', ['/query/coverage maximum']),
  parameterCase('POST', '/v1/model/preview/1/3?keepPlanning=no', ['/query/keepPlanning type']),
  parameterCase('POST', '/v1/model/reset/1/3?keepPlanning=0', ['/query/keepPlanning type']),
  parameterCase('POST', '/v1/model/bulk-replace/1?keepPlanning=', ['/query/keepPlanning type'], {
    json: { models: [model()] },
  }),
  missingCase('POST', '/v1/model/preview/2/3'),

  // CSV, spec §4.
  csvCase('a decimal point', 'date;value\n2023-01-01T00:00:00;1\n2023-01-01T01:00:00;1.5\n', [
    '3:2 decimalPoint',
  ]),
  csvCase('a point and a comma', '2023-01-01T00:00:00;1.234,5\n', ['1:2 decimalPoint']),
  csvCase('unsorted', '2023-01-01T01:00:00;1\n2023-01-01T00:00:00;1\n', ['2:1 timeGoesBack']),
  {
    ...csvCase('unsorted, naming both lines', 'a;b\n2023-01-01T01:00:00;1\n\n', []),
    request: [
      'POST',
      days,
      { csv: 'a;b\n2023-01-02T00:00:00;1\n2023-01-03T00:00:00;1\n2023-01-01T00:00:00;1\n' },
    ],
    at: ['4:1 timeGoesBack'],
  },
  csvCase('an offset of a day', '2023-01-01T00:00:00+24:00;1\n', ['1:1 timestampOffset']),
  csvCase('an offset without hours', '2023-01-01T00:00:00+;1\n', ['1:1 timestampFormat']),
  csvCase('an instant before the year 1', '0001-01-01T00:00:00+02:00;1\n', ['1:1 timestampCalendar']),
  csvCase('the name of a zone', '2023-01-01T00:00:00 Europe/Paris;1\n', ['1:1 timestampFormat']),
  {
    ...csvCase('an unknown clock', '2023-01-01T00:00:00;1\n', ['/query/clock enum']),
    request: ['POST', `${days}?clock=solar`, { csv: '2023-01-01T00:00:00;1\n' }],
    code: 'parametersInvalid',
  },
  {
    ...csvCase('a time zone for recent days', '2023-01-01T00:00:00;1\n', ['/query/timeZone unknownField']),
    request: ['POST', `${days}?timeZone=UTC`, { csv: '2023-01-01T00:00:00;1\n' }],
    code: 'parametersInvalid',
  },
  ...(
    [
      ['separator=x', '/query/separator enum'],
      ['separator=', '/query/separator enum'],
      ['separator=,&separator=;', '/query/separator enum'],
      ['decimal=point', '/query/decimal enum'],
      ['dateFormat=MM/DD/YYYY', '/query/dateFormat enum'],
      ['dateFormat=iso', '/query/dateFormat enum'],
      ['dateColumn=', '/query/dateColumn minLength'],
      [`valueColumn=${'v'.repeat(201)}`, '/query/valueColumn maxLength'],
      ['dateColumn=2', '/query/dateColumn oneColumn'],
      ['dateColumn=time&valueColumn=time', '/query/valueColumn oneColumn'],
    ] as const
  ).map(([query, at]): Case => ({
    name: `CSV with ${query.slice(0, 40)}`,
    request: ['POST', `${days}?${query}`, { csv: '2023-01-01T00:00:00;1\n' }],
    status: 422,
    code: 'parametersInvalid',
    at: [at],
  })),
  ...(
    [
      ['separator=,', '2023-01-01T00:00:00;1\n', '1:2 columnCount'],
      ['decimal=.', '2023-01-01T00:00:00;1,5\n', '1:2 decimalComma'],
      ['decimal=.', '2023-01-01T00:00:00;1.2.3\n', '1:2 valueFormat'],
      ['dateFormat=DD/MM/YYYY HH:mm', '2023-01-01T00:00:00;1\n', '1:1 timestampFormat'],
      ['dateFormat=DD/MM/YYYY HH:mm', '13/13/2023 00:00;1\n', '1:1 timestampCalendar'],
      ['dateFormat=epochSeconds', '999999999999;1\n', '1:1 timestampCalendar'],
      ['dateFormat=epochMilliseconds', '1e12;1\n', '1:1 timestampFormat'],
      ['valueColumn=load', '2023-01-01T00:00:00;1\n', '1: columnUnknown'],
      ['valueColumn=load', 'date;value\n2023-01-01T00:00:00;1\n', '1: columnUnknown'],
      ['valueColumn=3', '2023-01-01T00:00:00;1\n', '1:2 columnCount'],
      ['separator=tab', `2023-01-01T00:00:00\t1\n"2023`, '2:1 quoteNotClosed'],
    ] as const
  ).map(([query, csv, at]): Case => ({
    ...csvCase(`${JSON.stringify(csv)} with ${query}`, csv, [at]),
    request: ['POST', `${days}?${query}`, { csv }],
  })),
  {
    ...csvCase('an inspection with parameters', '2023-01-01T00:00:00;1\n', ['/query/separator unknownField']),
    request: ['POST', '/v1/import-csv/inspect?separator=,', { csv: '2023-01-01T00:00:00;1\n' }],
    code: 'parametersInvalid',
  },
  csvCase('equal times with different values', '2023-01-01T00:00:00;1\n2023-01-01T00:00:00;2\n', [
    '2:2 conflictingValue',
  ]),
  csvCase('a missing column', '2023-01-01T00:00:00;1\n2023-01-01T01:00:00\n', ['2:2 columnCount']),
  csvCase('a third column', '2023-01-01T00:00:00;1;2\n', ['1:2 columnCount']),
  csvCase('commas between columns', 'date,value\n2023-01-01T00:00:00,1\n', [
    '1:2 columnCount',
    '2:2 columnCount',
  ]),
  csvCase('quotes never closed', '"2023-01-01T00:00:00";"1"\n"2023-01-01T01:00:00";"1\n', [
    '2:2 quoteNotClosed',
  ]),
  csvCase('a quote inside a field', '2023-01-01T00:00:00;1\n2023-01-01T01:00:00;1"2\n', ['2:2 bareQuote']),
  csvCase('text after a closing quote', '"2023-01-01T00:00:00"x;1\n', ['1:1 bareQuote']),
  csvCase('a date that no calendar has', '2023-02-30T00:00:00;1\n', ['1:1 timestampCalendar']),
  csvCase('an hour 24', '2023-02-01T24:00:00;1\n', ['1:1 timestampCalendar']),
  csvCase('another form of date', '01/02/2023 00:00;1\n', ['1:1 timestampFormat']),
  csvCase('a fraction without digits', '2023-01-01T00:00:00.;1\n', ['1:1 timestampFormat']),
  csvCase('a word for a value', '2023-01-01T00:00:00;null\n', ['1:2 valueFormat']),
  csvCase('NaN', '2023-01-01T00:00:00;NaN\n', ['1:2 valueFormat']),
  csvCase('an exponent', '2023-01-01T00:00:00;1e9\n', ['1:2 valueFormat']),
  csvCase('thousands in wrong groups', '2023-01-01T00:00:00;1 23\n', ['1:2 valueGroups']),
  csvCase('a value beyond all bounds', `2023-01-01T00:00:00;${'9'.repeat(400)}\n`, ['1:2 valueTooLarge']),
  csvCase('a header of three columns', 'a;b;c\n2023-01-01T00:00:00;1\n', ['1:2 columnCount']),
  csvCase('a blank line inside', '2023-01-01T00:00:00;1\n\n2023-01-01T01:00:00;1\n', ['2: blankLine']),
  csvCase('not UTF-8', Buffer.from('2023-01-01T00:00:00;\xa01\n', 'latin1'), ['1:2 notUtf8']),
  csvCase('UTF-16', Buffer.from('\ufeff2023-01-01T00:00:00;1\n', 'utf16le'), ['1:1 notUtf8']),
  csvCase('JSON in a CSV', '{"days":[]}', ['1:1 bareQuote']),
  csvCase('two faults in a row, and one after', '2023-01-01T00:00:00Z;1\nx;y\n2023-01-01T01:00:00;1.5\n', [
    '2:1 timestampFormat',
    '2:2 valueFormat',
    '3:2 decimalPoint',
  ]),
  csvCase('more than a hundred faults of one cause', steady(10).replaceAll(';', ';x'), ['1:2 valueFormat'], {
    detail: /100 faults or more of one cause, reading stopped there/,
  }),
  csvCase('header only', 'date;value\n', [], { code: 'csvEmpty' }),
  csvCase('an empty body', '', [], { code: 'csvEmpty' }),
  csvCase(
    '50,001 days',
    Array.from({ length: 50_001 }, (_, index) => `${dateOf(index)}T00:00:00;1\n`).join(''),
    ['50001:1 tooManyDays'],
  ),
  {
    name: 'creation by CSV: 13 days with three quarters of their slices',
    request: ['POST', createCsv, { csv: `${steady(13)}2023-01-14T00:00:00;1\n` }],
    status: 422,
    code: 'referenceTooShort',
    detail: /13 days of 14 with at least 75 %.*at least 14/,
  },
  {
    name: 'creation by CSV: the first row of day 367',
    request: ['POST', createCsv, { csv: csvOf(ordinaryDays('2023-01-01', 367)) }],
    status: 422,
    code: 'csvInvalid',
    at: Array.from({ length: 24 }, (_, hour) => `${2 + 366 * 24 + hour}:1 beyondYear`),
  },
  creationCase('no name', '', ['/query required']),
  creationCase('an empty name', '?name=', ['/query/name minLength']),
  creationCase('a name of 10,000 characters', `?name=${longName}`, ['/query/name maxLength']),
  creationCase('a name of 101 characters', `?name=${longName.slice(0, 101)}`, ['/query/name maxLength']),
  creationCase('a control character in the name', '?name=a%00b', ['/query/name pattern']),
  creationCase('two names', '?name=a&name=b', ['/query/name type']),
  creationCase('activitySize 100', '?name=x&activitySize=100', ['/query/activitySize enum']),
  creationCase('activitySize 24.0', '?name=x&activitySize=24.0', ['/query/activitySize enum']),
  creationCase('activitySize empty', '?name=x&activitySize=', ['/query/activitySize enum']),
  creationCase('an unknown interpolation', '?name=x&interpolationMethod=cubic', [
    '/query/interpolationMethod enum',
  ]),
  creationCase('an unknown aggregation', '?name=x&aggregation=max', ['/query/aggregation enum']),
  ...['XX', 'fr', 'DE-XX', 'FR-', '', 'DE-NW '].map(code =>
    creationCase(`the calendar "${code}"`, `?name=x&calendar=${encodeURIComponent(code)}`, [
      '/query/calendar calendarUnknown',
    ]),
  ),
  creationCase('a long calendar', '?name=x&calendar=DE-NW-KOELN', ['/query/calendar maxLength']),
  ...['+02:00', 'Paris', 'Europe/Paris ', 'UTC+2', '', '../etc/passwd', 'Europe/Atlantis'].map(name =>
    creationCase(`the time zone "${name}"`, `?name=x&timeZone=${encodeURIComponent(name)}`, [
      '/query/timeZone timeZoneUnknown',
    ]),
  ),
  creationCase('a long time zone', `?name=x&timeZone=${'a'.repeat(65)}`, ['/query/timeZone maxLength']),
  creationCase('two time zones', '?name=x&timeZone=UTC&timeZone=GMT', ['/query/timeZone type']),
  creationCase('an unknown clock', '?name=x&clock=solar', ['/query/clock enum']),
  creationCase('two calendars', '?name=x&calendar=FR&calendar=DE', ['/query/calendar type']),
  creationCase('coverage 0.5', '?name=x&coverage=0.5', ['/query/coverage minimum']),
  creationCase('coverage 1', '?name=x&coverage=1', ['/query/coverage maximum']),
  creationCase('coverage with a comma', '?name=x&coverage=0,99', ['/query/coverage type']),
  creationCase('coverage empty', '?name=x&coverage=', ['/query/coverage type']),
  creationCase('coverage as an exponent', '?name=x&coverage=99e-2', ['/query/coverage type']),
  ...(
    [
      ['an unknown calendar', { calendar: 'XX' }, '/calendar calendarUnknown'],
      ['a calendar that is a number', { calendar: 33 }, '/calendar type'],
      ['the calendar null', { calendar: null }, '/calendar type'],
      ['an unknown time zone', { timeZone: 'Mars/Olympus' }, '/timeZone timeZoneUnknown'],
      ['a time zone that is a number', { timeZone: 2 }, '/timeZone type'],
      ['the time zone null', { timeZone: null }, '/timeZone type'],
      ['a clock, which JSON has not', { clock: 'local' }, '/clock unknownField'],
      ['coverage 0.999', { coverage: 0.999 }, '/coverage maximum'],
      ['coverage "0.99"', { coverage: '0.99' }, '/coverage type'],
    ] as const
  ).map(([name, more, at]): Case => ({
    name: `creation by JSON: ${name}`,
    request: ['POST', create, { json: { name: 'x', referenceYear: 2022, days: reference, ...more } }],
    status: 422,
    code: 'bodyInvalid',
    at: [at],
  })),
  creationCase('an unknown parameter', '?name=x&tenant=other', ['/query/tenant unknownField']),
  creationCase('an unknown parameter that JavaScript knows', '?name=x&__proto__=1', [
    '/query/__proto__ unknownField',
  ]),
  creationCase('three faults at once', '?activitySize=5&foo=1', [
    '/query required',
    '/query/foo unknownField',
    '/query/activitySize enum',
  ]),

  // JSON, spec §4.
  brokenCase('an unclosed bracket', '{"sourceId":1,\n"days":[{]}', 2),
  brokenCase('cut short', '{"sourceId":1,"days":[{"date":"2023-01-01"', 1),
  brokenCase('more after the end', '{"sourceId":1,"days":[]} {}', 1),
  brokenCase('NaN', '{"sourceId":1,"days":[{"date":"2023-01-01","activity":[1,2,\n\nNaN,4]}]}', 3),
  brokenCase('a comma too many', '{"sourceId":1,"days":[],}', 1),
  brokenCase('empty', '', 1),
  brokenCase('not UTF-8', Buffer.from('{"sourceId":1,"days":["\xe9"]}', 'latin1'), 1),
  {
    ...jsonCase('1e999', undefined, ['/days/0/activity/1 valueTooLarge']),
    request: [
      'POST',
      importDays,
      {
        body: '{"sourceId":1,"days":[{"date":"2023-01-01","activity":[1,1e999,3,4]}]}',
        headers: { 'Content-Type': 'application/json' },
      },
    ],
  },
  jsonCase('`null` as a body', null, [' type'], { code: 'bodyInvalid' }),
  jsonCase('a list as a body', [], [' type'], { code: 'bodyInvalid' }),
  jsonCase('a text as a value', oneDay({ date: '2023-01-01', activity: [1, '2', 3, 4] }), [
    '/days/0/activity/1 valueFormat',
  ]),
  jsonCase('an unknown field', { sourceId: 1, days: [goodDay], foo: 1 }, ['/foo unknownField'], {
    code: 'bodyInvalid',
  }),
  jsonCase('an unknown field of a day', oneDay({ ...goodDay, 'a/b~c': 1 }), ['/days/0/a~1b~0c unknownField']),
  jsonCase('a date twice', { sourceId: 1, days: [goodDay, ordinaryDay('2023-05-02'), goodDay] }, [
    '/days/2/date duplicateDate',
  ]),
  jsonCase('23 values', oneDay({ date: '2023-01-01', activity: flat(23) }), [
    '/days/0/activity activityLength',
  ]),
  jsonCase('25 values', oneDay({ date: '2023-10-29', activity: flat(25) }), [
    '/days/0/activity activityLength',
  ]),
  jsonCase('no value', oneDay({ date: '2023-01-01', activity: [] }), ['/days/0/activity activityLength']),
  jsonCase('1441 values', oneDay({ date: '2023-01-01', activity: flat(1441) }), [
    '/days/0/activity activityLength',
  ]),
  jsonCase('an activity that is null', oneDay({ date: '2023-01-01', activity: null }), [
    '/days/0/activity activityFormat',
  ]),
  jsonCase('a date that no calendar has', oneDay({ date: '2023-02-30', activity: flat(24) }), [
    '/days/0/date dateFormat',
  ]),
  jsonCase('a number for a date', oneDay({ date: 20230101, activity: flat(24) }), [
    '/days/0/date dateFormat',
  ]),
  jsonCase('a day without a date', oneDay({ activity: flat(24) }), ['/days/0 missingField']),
  jsonCase('a day without an activity', oneDay({ date: '2023-01-01' }), ['/days/0 missingField']),
  jsonCase('null as a day', { sourceId: 1, days: [null] }, ['/days/0 dayFormat']),
  jsonCase('no day', { sourceId: 1, days: [] }, ['/days daysEmpty'], { code: 'daysEmpty' }),
  jsonCase('no days', { sourceId: 1 }, [' required'], { code: 'bodyInvalid' }),
  jsonCase('days that are null', { sourceId: 1, days: null }, ['/days type'], { code: 'bodyInvalid' }),
  jsonCase('no source', { days: [goodDay] }, [' required'], { code: 'bodyInvalid' }),
  jsonCase('a text for a source', { sourceId: '1', days: [goodDay] }, ['/sourceId type'], {
    code: 'bodyInvalid',
  }),
  jsonCase('a fraction as sourceId', { sourceId: 1.5, days: [goodDay] }, ['/sourceId type'], {
    code: 'bodyInvalid',
  }),
  {
    ...jsonCase('days twice', undefined, ['/days duplicateField'], { code: 'duplicateField' }),
    request: [
      'POST',
      importDays,
      { body: '{"sourceId":1,"days":[],"days":[]}', headers: { 'Content-Type': 'application/json' } },
    ],
  },
  jsonCase(
    'all faults of one cause, listed once',
    { sourceId: 1, days: Array.from({ length: 150 }, () => ({ date: 'x', activity: flat(24) })) },
    ['/days/0/date dateFormat'],
  ),
  {
    name: 'creation by JSON: a date outside the reference year',
    request: [
      'POST',
      create,
      { json: { name: 'x', referenceYear: 2022, days: [...reference, ordinaryDay('2023-01-01')] } },
    ],
    status: 422,
    code: 'jsonInvalid',
    at: ['/days/365/date outsideYear'],
  },
  {
    name: 'creation by JSON: 13 days',
    request: ['POST', create, { json: { name: 'x', referenceYear: 2022, days: reference.slice(0, 13) } }],
    status: 422,
    code: 'referenceTooShort',
  },
  {
    name: 'creation by JSON: no referenceYear, a name too long, an invalid activitySize',
    request: ['POST', create, { json: { name: longName, days: reference, activitySize: 25 } }],
    status: 422,
    code: 'bodyInvalid',
    at: [' required', '/name maxLength', '/activitySize enum'],
  },
  {
    name: 'creation by JSON: half a year',
    request: ['POST', create, { json: { name: 'x', referenceYear: 2022.5, days: reference } }],
    status: 422,
    code: 'bodyInvalid',
    at: ['/referenceYear type'],
  },
  {
    name: 'creation by JSON: a tenant',
    request: ['POST', create, { json: { name: 'x', referenceYear: 2022, days: reference, tenant: 'other' } }],
    status: 422,
    code: 'bodyInvalid',
    at: ['/tenant unknownField'],
  },

  // Media type, method, path.
  mediaCase('JSON to CSV', days, { 'Content-Type': 'application/json' }, '{}'),
  mediaCase('CSV to JSON', importDays, { 'Content-Type': 'text/csv' }, steady(1)),
  mediaCase('plain text', days, { 'Content-Type': 'text/plain' }, steady(1)),
  mediaCase('latin1', days, { 'Content-Type': 'text/csv; charset=latin1' }, steady(1)),
  mediaCase('gzip', days, { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' }, steady(1)),
  mediaCase(
    'gzip to JSON',
    replace,
    { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    '{}',
  ),
  methodCase('GET', days, /\bPOST\b/),
  methodCase('PUT', '/v1/source/1', /\bGET\b/),
  methodCase('POST', '/v1/planning/1/2023-01-01', /\bPUT\b.*\bDELETE\b|\bDELETE\b.*\bPUT\b/),
  methodCase('PATCH', '/v1/alert/list', /\bGET\b/),
  methodCase('POST', '/health', /\bGET\b/),
  missingCase('GET', '/v1/nothing', {}, 'notFound'),
  missingCase('GET', '/v1/source/list/', {}, 'notFound'),
  missingCase('GET', '/V1/source/list', {}, 'notFound'),
  missingCase('GET', '/v1/source/99'),
  missingCase('GET', '/v1/source/0'),
  missingCase('GET', '/v1/source/1.5'),
  missingCase('GET', '/v1/source/null'),
  missingCase('GET', '/v1/source/99999999999999999999'),
  missingCase('GET', '/v1/model/list/99'),
  missingCase('GET', '/v1/day/list/99/2023'),
  missingCase('GET', '/v1/day/99/2023-01-01'),
  queryCase('/v1/day/1/2023-02-30', '/path/date format'),
  queryCase('/v1/table/1/weeks', '/path/table enum'),
  queryCase('/v1/table/1/days?format=xml', '/query/format enum'),
  queryCase('/v1/table/1/days?from=2023-02-30', '/query/from format'),
  queryCase('/v1/table/1/days?from=2023-02-03&to=2023-02-02', '/query/to order'),
  queryCase('/v1/table/1/days?from=2020-01-01&to=2023-02-02', '/query/to rangeTooLong'),
  queryCase('/v1/table/1/days?limit=3', '/query/limit unknownField'),
  queryCase('/v1/day/1/0000-01-01', '/path/date pattern'),
  queryCase('/v1/day/1/2023-01-01?days=9', '/query/days unknownField'),
  missingCase('GET', '/v1/planning/list/99/2023'),
  missingCase('PUT', '/v1/planning/99/2023-01-01', { json: { modelId: 1 } }),
  missingCase('DELETE', '/v1/planning/99/2023-01-01'),
  missingCase('POST', '/v1/import-csv/99/days', { csv: steady(1) }),
  missingCase('POST', importDays, { json: { sourceId: 99, days: [goodDay] } }),
  missingCase('POST', '/v1/model/bulk-replace/99', { json: { models: [model()] } }),
  missingCase('POST', '/v1/model/reset/99/3'),
  missingCase('GET', '/v1/calendar/list/99/2023'),
  missingCase('PUT', '/v1/calendar/99/2023-01-01', { json: { name: 'Fair' } }),
  missingCase('DELETE', '/v1/calendar/99/2023-01-01'),
  missingCase('PUT', '/v1/calendar/2/2023-01-01', { json: { name: 'Fair' } }),
  missingCase('GET', '/v1/alert/list?sourceId=99'),
  missingCase('GET', '/v1/import/none', {}, 'importNotFound'),
  queryCase('/v1/source/list?foo=1', '/query/foo unknownField'),
  queryCase('/v1/source/list?limit=0', '/query/limit minimum'),
  queryCase('/v1/source/list?cursor=x', '/query/cursor cursor'),
  queryCase('/v1/source/list?cursor=W10', '/query/cursor cursor'),
  queryCase('/v1/source/list?sort=size', '/query/sort enum'),
  queryCase('/v1/source/list?order=up', '/query/order enum'),
  queryCase('/v1/source/list?archived=all', '/query/archived type'),
  queryCase('/v1/source/list?text=', '/query/text minLength'),
  queryCase('/v1/source/list?label=site', '/query/label/0 pattern'),
  queryCase('/v1/source/list?label=site:A&label=1:B', '/query/label/1 pattern'),
  queryCase('/v1/alert/list?label=:A', '/query/label/0 pattern'),
  queryCase('/v1/alert/episodes?label=site:', '/query/label/0 pattern'),
  queryCase('/v1/source/1?verbose', '/query/verbose unknownField'),
  queryCase('/v1/day/list/1/0', '/path/year minimum'),
  queryCase('/v1/day/list/1/2023.5', '/path/year type'),
  queryCase('/v1/planning/list/1/10000', '/path/year maximum'),
  queryCase('/v1/alert/list?foo=1', '/query/foo unknownField'),

  // Models.
  ...[0, 65, 1000, '1.5', '-1', 'x', '1e1'].map((count): Case => ({
    name: `model_count ${count}`,
    request: ['POST', `/v1/model/reset/1/${count}`],
    status: 422,
    code: 'parametersInvalid',
    at: [
      `/path/model_count ${typeof count === 'string' && count !== '-1' ? 'type' : Number(count) < 1 ? 'minimum' : 'maximum'}`,
    ],
  })),
  modelCase('none', [], ['/models minItems']),
  modelCase(
    '65',
    Array.from({ length: 65 }, (_, index) => model({ name: `m${index}` })),
    ['/models maxItems'],
  ),
  modelCase('a name twice', [model(), model()], ['/models/1/name nameTaken'], { code: 'modelsInvalid' }),
  modelCase(
    'bounds crossed',
    [
      model({
        topTolerance: [...flat(23, 2), 0.5],
        bottomTolerance: [1.5, ...flat(23, 0)],
      }),
    ],
    ['/models/0/bottomTolerance/0 bounds', '/models/0/topTolerance/23 bounds'],
    { code: 'modelsInvalid' },
  ),
  modelCase('uneven lengths', [model({ topTolerance: flat(12, 2) })], ['/models/0/topTolerance lengths'], {
    code: 'modelsInvalid',
  }),
  modelCase(
    '23 values',
    [model({ activity: flat(23), topTolerance: flat(23, 2), bottomTolerance: flat(23, 0) })],
    ['/models/0/activity activityLength'],
  ),
  modelCase('color red', [model({ color: 'red' })], ['/models/0/color pattern']),
  modelCase('an extra field', [model({ uses: 7 })], ['/models/0/uses unknownField']),
  modelCase('no color', [without(model(), 'color')], ['/models/0 required']),
  modelCase('anomaly "yes"', [model({ anomaly: 'yes' })], ['/models/0/anomaly type']),
  modelCase('an empty name', [model({ name: '' })], ['/models/0/name minLength']),
  modelCase('a name too long', [model({ name: longName })], ['/models/0/name maxLength']),
  modelCase('null as a value', [model({ activity: [...flat(23), null] })], ['/models/0/activity/23 type']),
  modelCase('null', null, ['/models type']),
  {
    ...modelCase('`null` as a body', undefined, [' type']),
    request: ['POST', replace, { json: null }],
  },
  {
    ...modelCase('1e999', undefined, ['/models/0/activity/0 type']),
    request: [
      'POST',
      replace,
      {
        body: JSON.stringify({ models: [model({ activity: ['!', ...flat(23)] })] }).replace('"!"', '1e999'),
        headers: { 'Content-Type': 'application/json' },
      },
    ],
  },
  modelCase(
    'all faults at once',
    Array.from({ length: 30 }, (_, index) => model({ name: `m${index}`, color: 'red' })),
    Array.from({ length: 30 }, (_, index) => `/models/${index}/color pattern`),
  ),
  {
    name: 'models: broken JSON',
    request: ['POST', replace, { body: '{"models":[', headers: { 'Content-Type': 'application/json' } }],
    status: 400,
    code: 'unparseable',
    at: ['1: jsonBroken'],
  },
  {
    name: 'models: no body',
    request: ['POST', replace, { headers: { 'Content-Type': 'application/json' } }],
    status: 400,
    code: 'unparseable',
    at: ['1: jsonBroken'],
  },

  // Planning.
  planCase(
    'a date that no calendar has',
    '/v1/planning/1/2023-02-30',
    { json: { modelId: 1 } },
    422,
    'parametersInvalid',
    ['/path/date format'],
  ),
  planCase('no date', '/v1/planning/1/tomorrow', { json: { modelId: 1 } }, 422, 'parametersInvalid', [
    '/path/date format',
  ]),
  {
    ...planCase('DELETE of a date that no calendar has', '', {}, 422, 'parametersInvalid', [
      '/path/date format',
    ]),
    request: ['DELETE', '/v1/planning/1/2023-13-01'],
  },
  planCase(
    'a model of another source',
    '/v1/planning/1/2023-01-01',
    { json: { modelId: 1 + Math.max(...[...ownModels.models, ...theirModels.models].map(({ id }) => id)) } },
    422,
    'modelNotFound',
  ),
  planCase('modelId 0', '/v1/planning/1/2023-01-01', { json: { modelId: 0 } }, 422, 'bodyInvalid', [
    '/modelId minimum',
  ]),
  planCase('modelId null', '/v1/planning/1/2023-01-01', { json: { modelId: null } }, 422, 'bodyInvalid', [
    '/modelId type',
  ]),
  planCase(
    'an extra field',
    '/v1/planning/1/2023-01-01',
    { json: { modelId: 1, reason: 'x' } },
    422,
    'bodyInvalid',
    ['/reason unknownField'],
  ),
  planCase(
    'no body',
    '/v1/planning/1/2023-01-01',
    { headers: { 'Content-Type': 'application/json' } },
    400,
    'unparseable',
    ['1: jsonBroken'],
  ),
  ...(
    [
      ['no name', {}, ' required'],
      ['an empty name', { name: '' }, '/name minLength'],
      ['a name of 101 characters', { name: longName.slice(0, 101) }, '/name maxLength'],
      ['a control character', { name: 'a\u0007' }, '/name pattern'],
      ['a number', { name: 1 }, '/name type'],
      ['another field', { name: 'Fair', modelId: 1 }, '/modelId unknownField'],
    ] as const
  ).map(([name, json, at]) =>
    planCase(`special day, ${name}`, '/v1/calendar/1/2023-01-01', { json }, 422, 'bodyInvalid', [at]),
  ),
  planCase(
    'special day, no date',
    '/v1/calendar/1/today',
    { json: { name: 'Fair' } },
    422,
    'parametersInvalid',
    ['/path/date format'],
  ),
  {
    name: 'special day, without the scope',
    request: [
      'PUT',
      '/v1/calendar/1/2023-01-01',
      { token: await tokenFor({ scopes: ['read', 'model'] }), json: { name: 'Fair' } },
    ],
    status: 403,
    code: 'scopeMissing',
  },
  queryCase('/v1/calendar/list/1/0', '/path/year minimum'),
  {
    name: 'reset with coverage 0.8',
    request: ['POST', '/v1/model/reset/1/2?coverage=0.8'],
    status: 422,
    code: 'parametersInvalid',
    at: ['/query/coverage minimum'],
  },
  planCase('no Content-Type', '/v1/planning/1/2023-01-01', {}, 415, 'mediaType'),
  planCase('`null`', '/v1/planning/1/2023-01-01', { json: null }, 422, 'bodyInvalid', [' type']),

  // Webhooks.
  webhookCase('no url', {}, [' required']),
  webhookCase('an empty url', { url: '' }, ['/url minLength']),
  webhookCase('a long url', { url: `https://example.org/${'x'.repeat(2000)}` }, ['/url maxLength']),
  webhookCase('a number as url', { url: 1 }, ['/url type']),
  webhookCase('no events', { url: receiverUrl, events: [] }, ['/events minItems']),
  webhookCase('an event twice', { url: receiverUrl, events: ['alert.raised', 'alert.raised'] }, [
    '/events uniqueItems',
  ]),
  webhookCase('an unknown event', { url: receiverUrl, events: ['alert.gone'] }, ['/events/0 enum']),
  webhookCase('minCriticity 1.1', { url: receiverUrl, minCriticity: 1.1 }, ['/minCriticity maximum']),
  webhookCase('an unknown grouping', { url: receiverUrl, grouping: 'week' }, ['/grouping enum']),
  webhookCase('a digest every 7 minutes', { url: receiverUrl, digest: { everyMinutes: 7 } }, [
    '/digest/everyMinutes enum',
  ]),
  webhookCase('a digest without an interval', { url: receiverUrl, digest: { at: '24:00' } }, [
    '/digest required',
    '/digest/at pattern',
  ]),
  webhookCase('a digest as a word', { url: receiverUrl, digest: 'daily' }, ['/digest type']),
  webhookCase('quiet hours without an end', { url: receiverUrl, quietHours: { from: '7:00' } }, [
    '/quietHours required',
    '/quietHours/from pattern',
  ]),
  webhookCase(
    'quiet hours with minCriticity 2',
    { url: receiverUrl, quietHours: { from: '22:00', to: '07:00', minCriticity: 2 } },
    ['/quietHours/minCriticity maximum'],
  ),
  {
    ...webhookCase(
      'quiet hours without a length',
      { url: receiverUrl, quietHours: { from: '07:00', to: '07:00' } },
      ['/quietHours/to quietHoursEmpty'],
    ),
    code: 'webhookInvalid',
  },
  webhookCase('an unknown field', { url: receiverUrl, secret: 'mine' }, ['/secret unknownField']),
  webhookCase('a label without a value', { url: receiverUrl, labels: { site: '' } }, [
    '/labels/site minLength',
  ]),
  ...[
    'ftp://example.org/',
    'https://anna:secret@example.org/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::ffff:10.0.0.1]/',
    'http://localhost/',
    'https://example.org:25/',
    'not an address',
  ].map((url): Case => ({
    ...webhookCase(`the url ${url}`, { url }, ['/url addressRefused']),
    code: 'webhookInvalid',
  })),
  missingCase('GET', '/v1/webhook/none/deliveries', {}, 'webhookNotFound'),
  missingCase('POST', '/v1/webhook/none/test', {}, 'webhookNotFound'),
  missingCase('POST', '/v1/webhook/none/replay', { json: { position: '0' } }, 'webhookNotFound'),
  missingCase('DELETE', '/v1/webhook/none', {}, 'webhookNotFound'),
  ...['-1', '1.5', '01', '1e3', '9999999999999999999'].map((position): Case => ({
    name: `webhooks: a replay after ${position}`,
    request: ['POST', '/v1/webhook/none/replay', { json: { position } }],
    status: 422,
    code: 'bodyInvalid',
    at: ['/position pattern'],
  })),
  queryCase('/v1/webhook/none/deliveries?limit=0', '/query/limit minimum'),
  queryCase('/v1/webhook/none/deliveries?limit=1001', '/query/limit maximum'),

  // Alerts.
  missingCase('GET', '/v1/alert/1-20230301-9', {}, 'alertNotFound'),
  missingCase('GET', '/v1/alert/x', {}, 'alertNotFound'),
  missingCase('GET', '/v1/alert/2-20230301-1/history', {}, 'alertNotFound'),
  missingCase('POST', '/v1/alert/1-20230301-9/acknowledge', {}, 'alertNotFound'),
  missingCase('POST', '/v1/alert/1-20230301-9/reopen', {}, 'alertNotFound'),
  missingCase('POST', '/v1/alert/1-20230301-9/resolve', { json: { verdict: 'anomaly' } }, 'alertNotFound'),
  transitionCase('reopen', 'open', open),
  transitionCase('acknowledge', 'acknowledged', acknowledged),
  transitionCase('reopen', 'acknowledged', acknowledged),
  transitionCase('acknowledge', 'resolved', resolved),
  transitionCase('resolve', 'resolved', resolved),
  transitionCase('acknowledge', 'invalidated', invalidated),
  transitionCase('resolve', 'invalidated', invalidated),
  transitionCase('reopen', 'invalidated', invalidated),
  resolveCase('an unknown verdict', { verdict: 'false' }, ['/verdict enum']),
  resolveCase('no verdict', { comment: 'x' }, [' required']),
  resolveCase('a long comment', { verdict: 'anomaly', comment: 'c'.repeat(2001) }, ['/comment maxLength']),
  resolveCase('a number as comment', { verdict: 'anomaly', comment: 1 }, ['/comment type']),
  resolveCase('an extra field', { verdict: 'anomaly', by: 'me' }, ['/by unknownField']),
  manyCase('no alert', 'acknowledge', { ids: [] }, ['/ids minItems']),
  manyCase('too many', 'acknowledge', { ids: Array.from({ length: 501 }, (_, n) => `1-20230301-${n}`) }, [
    '/ids maxItems',
  ]),
  manyCase('an alert twice', 'acknowledge', { ids: ['1-20230301-1', '1-20230301-1'] }, ['/ids uniqueItems']),
  manyCase('a number as id', 'acknowledge', { ids: [1] }, ['/ids/0 type']),
  manyCase('a long id', 'acknowledge', { ids: ['1'.repeat(41)] }, ['/ids/0 maxLength']),
  manyCase('a verdict for acknowledging', 'acknowledge', { ids: ['1-20230301-1'], verdict: 'anomaly' }, [
    '/verdict unknownField',
  ]),
  manyCase('no ids', 'acknowledge', {}, [' required']),
  manyCase('no verdict for many', 'resolve', { ids: ['1-20230301-1'] }, [' required']),
  manyCase('an unknown verdict for many', 'resolve', { ids: ['1-20230301-1'], verdict: 'false' }, [
    '/verdict enum',
  ]),
  queryCase('/v1/alert/episodes?foo=1', '/query/foo unknownField'),
  queryCase('/v1/alert/episodes?cursor=1-20230301-1', '/query/cursor cursor'),
  queryCase('/v1/alert/episodes?cursor=1-2023', '/query/cursor cursor'),
  queryCase('/v1/alert/episodes?sort=criticity&cursor=1-20230301', '/query/cursor cursor'),
  queryCase('/v1/alert/episodes?sort=criticity&cursor=1-20230301~-1', '/query/cursor cursor'),
  queryCase('/v1/alert/episodes?kind=storm', '/query/kind enum'),
  queryCase('/v1/alert/episodes?limit=0', '/query/limit minimum'),
  missingCase('GET', '/v1/alert/episodes?sourceId=99'),
  queryCase('/v1/alert/list?cursor=nonsense', '/query/cursor cursor'),
  queryCase('/v1/alert/list?limit=0', '/query/limit minimum'),
  queryCase('/v1/alert/list?limit=501', '/query/limit maximum'),
  queryCase('/v1/alert/list?limit=ten', '/query/limit type'),
  queryCase('/v1/alert/list?state=closed', '/query/state enum'),
  queryCase('/v1/alert/list?state=', '/query/state enum'),
  queryCase('/v1/alert/list?kind=storm', '/query/kind enum'),
  queryCase('/v1/alert/list?kind=gap,', '/query/kind enum'),
  queryCase(`/v1/alert/list?kind=${'gap,'.repeat(40)}gap`, '/query/kind maxLength'),
  queryCase('/v1/alert/list?sort=name', '/query/sort enum'),
  queryCase('/v1/alert/list?order=up', '/query/order enum'),
  queryCase('/v1/alert/list?cursor=1-20230301-1~0.5', '/query/cursor cursor'),
  queryCase('/v1/alert/list?sort=raised&cursor=1-20230301-1', '/query/cursor cursor'),
  queryCase('/v1/alert/list?sort=raised&cursor=1-20230301-1~0.5', '/query/cursor cursor'),
  queryCase('/v1/alert/list?sort=criticity&cursor=1-20230301-1~NaN', '/query/cursor cursor'),
  queryCase('/v1/alert/list?sort=criticity&cursor=1-20230301-1~0.5~0.5', '/query/cursor cursor'),
  queryCase('/v1/alert/list?from=2023-02-30', '/query/from format'),
  queryCase('/v1/alert/list?year=12345', '/query/year maximum'),
  queryCase('/v1/alert/list?sourceId=1&sourceId=2', '/query/sourceId type'),

  // Audit trail.
  queryCase('/v1/audit/event?type=AlertsRaised', '/query/type typeUnknown'),
  queryCase('/v1/audit/event?stream=alert-1', '/query/stream streamUnknown'),
  queryCase('/v1/audit/event?stream=days-2', '/query/stream streamUnknown'),
  queryCase('/v1/audit/event?stream=audit-other', '/query/stream streamUnknown'),
  queryCase('/v1/audit/event?stream=days-1&sourceId=2', '/query/sourceId sourceIdUnknown'),
  queryCase('/v1/audit/event?stream=audit-default&sourceId=1', '/query/stream streamUnknown'),
  queryCase('/v1/audit/event?sourceId=2', '/query/sourceId sourceIdUnknown'),
  queryCase('/v1/audit/event?sourceId=99&format=csv', '/query/sourceId sourceIdUnknown'),
  queryCase('/v1/audit/event?from=2023-02-30', '/query/from date'),
  queryCase('/v1/audit/event?to=2023-02-30T12:00Z', '/query/to date'),
  queryCase('/v1/audit/event?from=2023-02-02&to=2023-02-01', '/query/to order'),
  queryCase('/v1/audit/event?order=latest', '/query/order enum'),
  queryCase('/v1/audit/event?order=newest&format=csv', '/query/order orderOfFormat'),
  queryCase(`/v1/audit/event?type=${'A'.repeat(101)}`, '/query/type maxLength'),
  queryCase('/v1/source/1?asOf=2023-02-30', '/query/asOf asOf'),
  queryCase('/v1/source/1?asOf=9998-01-01', '/query/asOf asOfFuture'),

  // Retries.
  {
    name: 'a key again with another body',
    request: [
      'POST',
      importDays,
      { json: { sourceId: 1, days: [ordinaryDay('2023-03-06')] }, headers: { 'Idempotency-Key': 'used' } },
    ],
    status: 422,
    code: 'keyReused',
  },
  {
    name: 'a key again at another address',
    request: ['POST', `/v1/alert/${open}/acknowledge`, { headers: { 'Idempotency-Key': 'used' } }],
    status: 422,
    code: 'keyReused',
  },
  ...['a b', 'k'.repeat(256)].map((key): Case => ({
    name: `a key of ${key.length} characters`,
    request: ['POST', `/v1/alert/${open}/acknowledge`, { headers: { 'Idempotency-Key': key } }],
    status: 422,
    code: 'parametersInvalid',
    at: ['/header/Idempotency-Key keyFormat'],
  })),
];

/** A token that expired yesterday, with a valid signature. */
async function expired(): Promise<string> {
  const { mintToken } = await import('../../adapters/http/middleware/tokens.js');
  return mintToken(service.settings.tokens, { subject: 'x', tenant: 'default', scopes: ['import'] }, -1);
}

const placeOf = ({ pointer, line, column, code }: InputFault): string =>
  `${pointer ?? `${line ?? ''}:${column ?? ''}`} ${code}`;

t.test(
  'the table: each bad input gets its status, its problem and its place, and nothing is stored',
  async t => {
    const before = service.eventCount();
    t.equal(new Set(cases.map(({ name }) => name)).size, cases.length, 'each case has a name of its own');
    for (const { name, request, status, code, at = [], detail, headers = {} } of cases)
      await t.test(name, async t => {
        const [method, path, sent] = request;
        const answer = await call<ProblemBody>(method, path, sent);
        const { errors = [], ...problem } = answer.body;
        t.strictSame(
          { status: answer.status, code: problem.code, errors: errors.map(placeOf) },
          { status, code, errors: at },
          'status, code and places',
        );
        t.match(answer.headers.get('content-type'), /^application\/problem\+json/, 'media type');
        t.strictSame(Object.keys(problem).sort(), ['code', 'detail', 'status', 'title', 'type'], 'members');
        t.equal(problem.status, status, 'the status is in the body too');
        t.match(problem, { type: `urn:daybook:problem:${code}`, title: /\S/, detail: detail ?? /\S/ });
        t.ok(
          errors.every(error => /\S/.test(error.detail)),
          'each error says what is wrong',
        );
        for (const [header, expected] of Object.entries(headers))
          t.match(answer.headers.get(header), expected, header);
        t.ok(answer.text.length < 40_000, 'no answer grows with its input');
        t.equal(service.eventCount(), before, 'nothing is stored');
      });
  },
);

t.test('details name the given and the expected value', async t => {
  const detailOf = async (csv: string) => {
    const { body } = await call<ProblemBody>('POST', days, { csv });
    return body.errors?.[0];
  };
  t.match(
    await detailOf('a;b\n2023-01-02T00:00:00;1\n2023-01-03T00:00:00;1\n2023-01-01T00:00:00;1\n'),
    { line: 4, column: 1, value: '2023-01-01T00:00:00', detail: /line 4.*line 3/ },
    'going back in time names both lines',
  );
  t.match(await detailOf('2023-01-01T00:00:00;1.5\n'), { value: '1.5', detail: /comma/ });
  t.match(
    await detailOf(`2023-01-01T00:00:00;${'x'.repeat(3000)}\n`),
    { value: /^x{80}…$/ },
    'values are cut',
  );
});

t.test('values on a limit are accepted', async t => {
  const at = async (method: string, path: string, sent: Sent) => (await call(method, path, sent)).status;
  t.equal(
    await at('POST', `${createCsv}&activitySize=1440&interpolationMethod=linear`, { csv: year }),
    201,
    'activitySize 1440',
  );
  t.equal(
    await at('POST', `/v1/import-csv/create-source?name=${longName.slice(0, 100)}`, { csv: steady(14) }),
    201,
    '14 days, and a name of 100 characters',
  );
  t.equal(
    await at('POST', `${createCsv}&allowDuplicate=true`, { csv: csvOf(ordinaryDays('2023-03-01', 366)) }),
    201,
    '366 days',
  );
  t.equal(
    await at('POST', days, { body: steady(1), headers: { 'Content-Type': 'Text/CSV; Charset="UTF-8"' } }),
    200,
    'the media type in other letters',
  );
  t.equal(await at('GET', '/v1/alert/list?limit=500', {}), 200);
  const sixtyFour = Array.from({ length: 64 }, (_, index) => model({ name: `m${index}` }));
  t.equal(await at('POST', replace, { json: { models: sixtyFour } }), 200, '64 models');
});

t.test('the detail for an unknown calendar names the expected codes', async t => {
  const { body } = await call<ProblemBody>('POST', `${createCsv}&calendar=DE-XX`, { csv: year });
  t.match(body.errors, [{ value: 'DE-XX', detail: /^got "DE-XX", expected a country .* FR or DE-NW$/ }]);
});

t.test('the former name of the target coverage is refused, and the detail has the present name', async t => {
  const json = { name: 'x', referenceYear: 2022, days: reference, sensitivity: 0.95 };
  const answers = [
    await call<ProblemBody>('POST', `${createCsv}&sensitivity=0.95`, { csv: year }),
    await call<ProblemBody>('POST', create, { json }),
    await call<ProblemBody>('POST', '/v1/model/reset/1/2?sensitivity=0.95'),
  ];
  for (const { status, body } of answers) {
    t.equal(status, 422);
    t.match(body.errors, [{ code: 'unknownField', pointer: /sensitivity$/, detail: /now named coverage/ }]);
  }
  const elsewhere = await call<ProblemBody>('GET', '/v1/source/list?sensitivity=0.95');
  t.match(elsewhere.body.errors, [
    {
      code: 'unknownField',
      detail: /^unknown field, expected label, text, sort, order, archived, limit, cursor/,
    },
  ]);
});

t.test('models whose sums are not finite are refused, not stored as null', async t => {
  await idle(call);
  const before = service.eventCount();
  const huge = model({
    activity: flat(48, 1.6e308),
    topTolerance: flat(48, 1.7e308),
    bottomTolerance: flat(48, 0),
  });
  const answer = await call<ProblemBody>('POST', replace, { json: { models: [huge] } });
  t.equal(answer.status, 422);
  t.equal(service.eventCount(), before, 'nothing is stored');
});

const mebibytes = (count: number): number => count * 1_048_576;

t.test('an endless body is refused early, in bounded memory, and its connection is closed', async t => {
  const token = await tokenFor({});
  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Iterable<Buffer>,
  ) =>
    streamed(
      service.address(),
      { method, path, headers: { Authorization: `Bearer ${token}`, ...headers } },
      body,
    );
  const csv = { 'Content-Type': 'text/csv' };
  const json = { 'Content-Type': 'application/json' };
  const giga = 1_000_000_000;
  /** An endless sequence of valid rows, one every `stepS` seconds. */
  const rows = function* (stepS: number): Generator<Buffer> {
    let block = '';
    for (let second = dayNumber('2023-01-01') * 86_400; ; second += stepS) {
      block += `"${new Date(second * 1000).toISOString().slice(0, 19)}";"12,5"\n`;
      if (block.length < 60_000) continue;
      yield Buffer.from(block);
      block = '';
    }
  };
  /** One day a line, each of 4 kB, most of it spaces: valid JSON up to the limit. */
  const spacious = function* (count: number): Generator<Buffer> {
    yield Buffer.from('{"sourceId":1,"days":[');
    for (let day = 0; day < count; day += 1)
      yield Buffer.from(`{"date":"${dateOf(day)}","activity":[1,2,3,4]},${' '.repeat(4200)}\n`);
  };
  const nested = `{"models":${'['.repeat(3_900_000)}${']'.repeat(3_900_000)}}`;

  await idle(call);
  const before = service.eventCount();
  const bodies = [
    {
      name: 'CSV: a line without end',
      run: () => send('POST', days, csv, endless('1'.repeat(65_536))),
      status: 422,
      code: 'lineTooLong',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: separators without end',
      run: () => send('POST', days, csv, endless(';'.repeat(65_536))),
      status: 422,
      code: 'lineTooLong',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: a quoted field without end',
      run: () => send('POST', days, csv, endless(`"${'\n;'.repeat(32_768)}`)),
      status: 422,
      code: 'lineTooLong',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: a reference year without end',
      run: () => send('POST', createCsv, csv, rows(600)),
      status: 422,
      code: 'beyondYear',
      sentMax: mebibytes(24),
    },
    {
      name: 'CSV: recent days without end',
      run: () => send('POST', days, csv, rows(86_400)),
      status: 422,
      code: 'tooManyDays',
      sentMax: mebibytes(24),
    },
    {
      name: 'CSV: 2 GB announced',
      run: () => send('POST', days, { ...csv, 'Content-Length': String(2 * giga) }, rows(600)),
      status: 413,
      code: 'tooLarge',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: without a token',
      run: () =>
        streamed(
          service.address(),
          { method: 'POST', path: days, headers: csv },
          endless('x'.repeat(65_536)),
        ),
      status: 401,
      code: 'tokenMissing',
      sentMax: mebibytes(16),
    },
    {
      name: 'CSV: to a source that is not there',
      run: () => send('POST', '/v1/import-csv/99/days', csv, rows(600)),
      status: 404,
      code: 'sourceNotFound',
      sentMax: mebibytes(16),
    },
    {
      name: 'JSON: 201 MB announced',
      run: () => send('POST', importDays, { ...json, 'Content-Length': '201000000' }, spacious(50_000)),
      status: 413,
      code: 'tooLarge',
      sentMax: mebibytes(16),
    },
    {
      name: 'JSON: 201 MB in chunks',
      run: () => send('POST', importDays, json, spacious(47_700)),
      status: 413,
      code: 'tooLarge',
      sentMax: 205_000_000,
    },
    {
      name: 'JSON: a bomb of nested arrays',
      run: () => send('POST', importDays, json, endless('['.repeat(65_536))),
      status: 422,
      code: 'nesting',
      sentMax: mebibytes(16),
    },
    {
      name: 'JSON: a bomb inside days',
      run: () =>
        send(
          'POST',
          importDays,
          json,
          (function* () {
            yield Buffer.from('{"sourceId":1,"days":[');
            yield* endless('['.repeat(65_536));
          })(),
        ),
      status: 422,
      code: 'nesting',
      sentMax: mebibytes(16),
    },
    {
      name: 'JSON: a text without end',
      run: () => send('POST', create, json, endless(`{"name":"${'x'.repeat(65_536)}`)),
      status: 422,
      code: 'envelopeTooLarge',
      sentMax: mebibytes(16),
    },
    {
      name: 'models: without end',
      run: () => send('POST', replace, json, endless(`{"models":[${' '.repeat(65_536)}`)),
      status: 413,
      code: 'tooLarge',
      sentMax: mebibytes(32),
    },
    {
      name: 'a verdict without end',
      run: () => send('POST', `/v1/alert/${open}/resolve`, json, endless(' '.repeat(65_536))),
      status: 413,
      code: 'tooLarge',
      sentMax: mebibytes(16),
    },
    {
      name: 'a body where none is taken',
      run: () => send('POST', '/v1/model/reset/99/3', json, endless(' '.repeat(65_536))),
      status: 404,
      code: 'sourceNotFound',
      sentMax: mebibytes(16),
    },
    {
      name: 'models: 8 MB of nested arrays, whole',
      run: () =>
        send('POST', replace, { ...json, 'Content-Length': String(nested.length), Connection: 'close' }, [
          Buffer.from(nested),
        ]),
      status: 422,
      code: '(nesting|bodyInvalid)',
      sentMax: mebibytes(8),
    },
  ];
  // As many at once as the service reads at once; the two that fill memory or the connection run alone.
  const alone = bodies.filter(({ name }) => /whole|in chunks/.test(name));
  const together = bodies.filter(body => !alone.includes(body));
  const groups = [together.slice(0, 7), together.slice(7), ...alone.map(body => [body])];
  for (const group of groups) {
    const answers = await Promise.all(group.map(async body => ({ ...body, answer: await body.run() })));
    for (const { name, status, code, sentMax, answer } of answers)
      await t.test(name, async t => {
        t.equal(answer.status, status, `status, ${Math.round(answer.answeredMs)} ms after the start`);
        t.match(answer.head, /content-type: application\/problem\+json/i);
        t.match(answer.body, new RegExp(`"code":"${code}"`));
        t.ok(answer.sentBytes <= sentMax, `answered after ${answer.sentBytes} bytes`);
        t.ok(answer.endedMs < 60_000, `ended ${Math.round(answer.endedMs)} ms after the answer`);
        t.ok(answer.grownBytes < mebibytes(150), `memory grew by ${Math.round(answer.grownBytes / 1e6)} MB`);
      });
  }
  t.equal(service.eventCount(), before, 'nothing is stored');
  t.equal((await call('GET', '/health')).status, 200, 'and the service takes requests');
});
