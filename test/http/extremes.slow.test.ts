import t from 'tap';
import { seeded } from '../helpers/logs/auditLog.js';
import { operationsOf, type Document } from '../helpers/documents/apiDescription.js';
import { analysed, csvOf, ordinaryDay, ordinaryDays, startService, type Sent } from '../helpers/service.js';

// Extreme values in every place of /openapi.json: each is accepted or refused, none causes a 500.

const seed = Number(process.env['SEED'] ?? 8);
const { call } = await startService(t);

// Numbers as text, because JavaScript cannot represent all of them.
const numbers = [
  ['-1', '0', '-0', '1.5', '0.1e-400', 'NaN', '1e308', '1e309', '00', ''],
  [2n ** 31n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n) - 1n, 10n ** 400n],
].flatMap(list => list.map(String));
/** Texts for a place that takes a text; some are numbers. */
const texts = [
  '-1',
  '0001-01-01',
  '0001-06-01',
  '9998-06-01',
  '9998-12-31',
  `${2n ** 63n - 1n}`,
  `${2n ** 63n}`,
  `${10n ** 19n - 1n}`,
  '1e309',
  `${2n ** 63n - 1n}.${2n ** 63n}`,
  `${2n ** 63n}.0`,
  '0.9223372036854775808',
  'x'.repeat(5000),
  '\u0000',
  'a\u0000b',
  '\ud83d\ude00',
  "';--",
  '../..',
  '%',
  '[]',
  '__proto__',
];
/** Values of a place of an address; bytes are needed for half of a surrogate pair and for broken UTF-8. */
const inAddress = (schema: unknown): readonly string[] =>
  isNumber(schema as Schema)
    ? numbers.map(encodeURIComponent)
    : [...texts.map(encodeURIComponent), '%ED%A0%BD', '%FF', '%', '%2'];
/** Values of a place of a body: raw JSON and invalid JSON. */
const inBody = (value: unknown): readonly string[] =>
  typeof value === 'number'
    ? [...numbers, '"1"', 'null']
    : [...texts.map(text => JSON.stringify(text)), '"\\ud83d"', '1e309', 'null'];

type Schema = {
  readonly type?: string;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
};

const isNumber = ({ type, enum: values }: Schema): boolean =>
  type === 'integer' || type === 'number' || values?.some(value => typeof value === 'number') === true;

await call('POST', '/v1/import/create-source', {
  json: { name: 'Gate', referenceYear: 2022, days: ordinaryDays('2022-01-01', 60) },
});
await analysed(call, 1);
const high = ordinaryDay('2023-03-01').activity.map(value => value + 1000);
const raised = await call<{ import: { id: string }; alerts: { raised: { id: string }[] } }>(
  'POST',
  '/v1/import/days',
  { json: { sourceId: 1, days: [{ date: '2023-03-01', activity: high }] } },
);
const shown = await call<{ events: { id: string; position: string }[] }>('GET', '/v1/audit/event');

/** A valid value of each place, by its name, so that the other places are reached. */
const known: Readonly<Record<string, unknown>> = {
  source_id: 1,
  sourceId: 1,
  year: 2023,
  date: '2023-03-01',
  id: raised.body.alerts.raised[0]?.id,
  import_id: raised.body.import.id,
  model_count: 65,
  eventId: shown.body.events[0]?.id,
  treeSize: 2,
  from: 1,
  to: 2,
  name: 'x',
  referenceYear: 2022,
  subject: 'nobody',
  verdict: 'expected',
  days: ordinaryDays('2022-01-01', 20),
  color: '#00aaff',
};

/** A value of a schema. */
const sample = (schema: Schema, name = ''): unknown => {
  if (name in known && (schema.type !== 'array' || name === 'days')) return known[name];
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sample(schema.anyOf[0] ?? {}, name);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([field, of]) => [field, sample(of, field)]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 1 }, () => sample(schema.items ?? {}));
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    default:
      return 'x'.repeat(schema.minLength ?? 1);
  }
};

/** The places of numbers and texts in a value; in a list those of its first item. */
const places = (value: unknown, at: readonly string[] = []): (readonly string[])[] => {
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? [] : [at];
  return Object.entries(value)
    .slice(0, Array.isArray(value) ? 1 : undefined)
    .flatMap(([name, of]) => places(of, [...at, name]));
};

const mark = '\u2603';
/** The JSON of a value with raw texts in some places. */
const withRaw = (value: unknown, raws: ReadonlyMap<string, string>, at = ''): string => {
  const raw = raws.get(at);
  if (raw !== undefined) return raw;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, of]) => {
    const text = withRaw(of, raws, `${at}${mark}${name}`);
    return Array.isArray(value) ? text : `${JSON.stringify(name)}:${text}`;
  });
  return Array.isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`;
};

const { body: document } = await call<Document>('GET', '/openapi.json');

/** One operation, and its requests with other values in its places. */
const operations = operationsOf(document).map(({ method, path, operation }) => {
  const parameters = (operation.parameters ?? []).filter(of => of.in === 'path' || of.in === 'query');
  const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = media === 'application/json' ? sample((content?.schema ?? {}) as Schema) : undefined;
  const bodyPlaces = body === undefined ? [] : places(body);
  const good = (name: string, schema: unknown): string =>
    encodeURIComponent(String(sample(schema as Schema, name)));
  const request = (values: ReadonlyMap<string, string>): readonly [string, string, Sent] => {
    const valueOf = ({ in: place, name, required, schema }: (typeof parameters)[number]) =>
      values.get(`${place} ${name}`) ?? (required ? good(name, schema) : undefined);
    const query = parameters.flatMap(of => {
      const value = of.in === 'query' ? valueOf(of) : undefined;
      return value === undefined ? [] : [`${of.name}=${value}`];
    });
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = parameters.find(of => of.in === 'path' && of.name === name);
      return parameter ? (valueOf(parameter) ?? '') : '';
    });
    const sent: Sent =
      media === 'text/csv'
        ? { csv: csvOf(ordinaryDays('2022-01-01', 20)) }
        : body === undefined
          ? {}
          : { body: withRaw(body, values), headers: { 'Content-Type': 'application/json' } };
    return [method.toUpperCase(), `${address}${query.length > 0 ? `?${query.join('&')}` : ''}`, sent];
  };
  const accepted = Object.keys(operation.responses['200']?.content ?? {});
  const streamed = accepted.filter(type => type !== 'application/json');
  return {
    name: `${method.toUpperCase()} ${path}`,
    request,
    accepts: [undefined, ...streamed],
    schemas: [...parameters.map(of => of.schema), ...(media === undefined ? [] : [content?.schema])],
    slots: [
      ...parameters.map(of => ({ key: `${of.in} ${of.name}`, values: inAddress(of.schema) })),
      ...bodyPlaces.map(names => ({
        key: `${mark}${names.join(mark)}`,
        values: inBody(names.reduce((at, name) => (at as Record<string, unknown>)[name], body)),
      })),
    ],
  };
});

let asked = 0;
const statuses = new Map<number, number>();
/** Reason why an answer is neither a success nor a refusal of the API description. */
const faultOf = async (
  { request }: (typeof operations)[number],
  values: ReadonlyMap<string, string>,
  accept: string | undefined,
): Promise<string | undefined> => {
  const [method, path, sent] = request(values);
  const headers = { ...sent.headers, ...(accept !== undefined && { Accept: accept }) };
  asked += 1;
  try {
    const { status, headers: got, body } = await call<{ code?: unknown }>(method, path, { ...sent, headers });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 500) return `${status} ${JSON.stringify(body)}`;
    if (status < 400) return undefined;
    const isProblem = /^application\/problem\+json/.test(got.get('content-type') ?? '');
    return isProblem && typeof body.code === 'string' ? undefined : `${status}, which is no problem`;
  } catch (error) {
    return `the connection broke: ${String((error as Error).cause ?? error)}`;
  }
};

const briefly = (values: ReadonlyMap<string, string>): string =>
  JSON.stringify([...values].map(([key, value]) => [key.replaceAll(mark, '/'), value.slice(0, 60)]));

/** The numbers of a schema without bounds, by their places. */
const unbounded = (schema: Schema, at: string): string[] => [
  ...(isNumber(schema) && !schema.enum && (schema.minimum === undefined || schema.maximum === undefined)
    ? [at]
    : []),
  ...(schema.anyOf ?? []).flatMap(of => unbounded(of, at)),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, of]) => unbounded(of, `${at}/${name}`)),
  ...(schema.items ? unbounded(schema.items, `${at}/0`) : []),
];

t.test('every number of a request has bounds', async t => {
  for (const { name, schemas } of operations)
    t.strictSame(
      schemas.flatMap(schema => unbounded(schema as Schema, '')),
      [],
      name,
    );
});

t.test('one extreme value in each place is accepted or refused', async t => {
  for (const operation of operations) {
    const faults: string[] = [];
    for (const { key, values } of operation.slots)
      for (const value of values)
        for (const accept of operation.accepts) {
          const fault = await faultOf(operation, new Map([[key, value]]), accept);
          if (fault !== undefined)
            faults.push(`${key.replaceAll(mark, '/')}=${value.slice(0, 60)}: ${fault}`);
        }
    t.strictSame(faults.slice(0, 5), [], `${operation.name}: ${operation.slots.length} places`);
  }
});

t.test('two extreme values at once are accepted or refused', async t => {
  const random = seeded(seed);
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
  const wide = operations.filter(({ slots }) => slots.length > 1);
  for (let n = 0; n < 600; n += 1) {
    const operation = pick(wide);
    const values = new Map(
      [pick(operation.slots), pick(operation.slots)].map(({ key, values: of }) => [key, pick(of)]),
    );
    const fault = await faultOf(operation, values, pick(operation.accepts));
    if (fault !== undefined) t.fail(`${operation.name} ${briefly(values)}: ${fault}`);
  }
  t.pass(`seed ${seed}, ${asked} requests, ${JSON.stringify([...statuses])}`);
});
