import { tableFromIPC } from 'apache-arrow';
import t from 'tap';
import { dataTables } from '../../../application/requests/dataTables.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { analysed, csvOf, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// Tables of a source for analyses, in each format.

const service = await startService(t);
const { call, address, tokenFor } = service;
const { body: created } = await call<{ source: SourceRecord }>('POST', '/v1/import/create-source', {
  json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 60) },
});
const { id } = created.source;
await analysed(call, id);
const odd = ordinaryDay('2024-02-01');
await call('POST', '/v1/import/days', {
  json: {
    sourceId: id,
    days: [{ ...odd, activity: odd.activity.map(value => value * 9) }, ordinaryDay('2024-02-02')],
  },
});
type Table = {
  readonly columns: readonly { readonly name: string; readonly kind: string }[];
  readonly rows: readonly (readonly unknown[])[];
};
const table = (query: string) => call<Table>('GET', `/v1/table/${id}/${query}`);

t.test('the examples of the description have a value for each column', async t => {
  type Description = { readonly paths: Readonly<Record<string, { readonly get: Operation }>> };
  type Operation = { readonly responses: { readonly 200: { readonly content: Contents } } };
  type Contents = Readonly<Record<string, { readonly example?: string }>>;
  const { body } = await call<Description>('GET', '/openapi.json');
  const content = body.paths['/v1/table/{source_id}/{table}']?.get.responses[200].content;
  const names = Object.keys(dataTables.checks.columns);
  const [head = '', row = ''] = content?.['text/csv']?.example?.split('\n') ?? [];
  t.strictSame(head.split(','), names);
  t.equal(row.split(',').length, names.length);
  t.strictSame(Object.keys(JSON.parse(content?.['application/x-ndjson']?.example ?? '{}') as object), names);
});

t.test('each table has the same rows in each format', async t => {
  for (const name of Object.keys(dataTables)) {
    const range = 'from=2023-01-01&to=2025-01-01';
    const json = await table(`${name}?${range}`);
    t.equal(json.status, 200, name);
    t.match(json.headers.get('x-daybook-position'), /^\d+$/, 'small tables are of one state, too');
    const names = json.body.columns.map(column => column.name);
    t.ok(json.body.rows.length > 0);
    const csv = await call<string>('GET', `/v1/table/${id}/${name}?${range}&format=csv`);
    t.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
    t.equal(csv.headers.get('content-disposition'), `attachment; filename="source-${id}-${name}.csv"`);
    const lines = csv.text.trimEnd().split('\n');
    t.equal(lines[0], names.join());
    t.equal(lines.length, json.body.rows.length + 1);
    const ndjson = await call('GET', `/v1/table/${id}/${name}?${range}&format=ndjson`);
    const objects = ndjson.text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as object);
    t.strictSame(
      objects.map(object => Object.values(object) as unknown[]),
      json.body.rows,
    );
    const arrow = await fetch(`${address()}/v1/table/${id}/${name}?${range}&format=arrow`, {
      headers: { Authorization: `Bearer ${await tokenFor({})}` },
    });
    const read = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
    t.equal(read.numRows, json.body.rows.length);
    t.strictSame(
      read.schema.fields.map(field => field.name),
      names,
    );
  }
});

t.test('a table has the year up to the newest data unless dates are given', async t => {
  const dates = async (query: string) => {
    const { columns, rows } = (await table(`checks${query}`)).body;
    const at = columns.findIndex(({ name }) => name === 'date');
    return rows.map(row => row[at]);
  };
  t.strictSame(await dates(''), ['2024-02-01', '2024-02-02']);
  t.strictSame(await dates('?to=2024-02-02'), ['2024-02-01'], 'the end is exclusive');
  t.strictSame(await dates('?from=2024-02-02'), ['2024-02-02']);
  t.strictSame(await dates('?from=2024-02-03'), []);
  const days = (await table('days')).body;
  t.equal(days.rows[0]?.[1], '2023-02-02', '366 days');
  const since = (await table('days?from=2023-01-15')).body;
  t.strictSame(
    [since.rows[0]?.[1], since.rows.at(-1)?.[1]],
    ['2023-01-15', '2024-02-02'],
    'up to the newest',
  );
  t.match(await table('days?from=2021-01-01'), {
    status: 422,
    body: { errors: exactList({ code: 'rangeTooLong' }) },
  });
});

t.test('a range has at most 1,100 days', async t => {
  t.equal((await table('checks?from=2022-01-01&to=2025-01-05')).status, 200);
  t.match(await table('checks?from=2022-01-01&to=2025-01-06'), {
    status: 422,
    body: { errors: exactList({ pointer: '/query/to', code: 'rangeTooLong', detail: /got 1101 days/ }) },
  });
});

t.test('a gap has no value and is not observed; a filled one has a value', async t => {
  const rows = await Promise.all(
    ['zero', 'linear'].map(async interpolationMethod => {
      const query = new URLSearchParams({
        name: interpolationMethod,
        interpolationMethod,
        activitySize: '24',
      });
      const days = ordinaryDays('2023-01-01', 28);
      const csv = csvOf(days)
        .split('\n')
        .filter(line => !line.includes('2023-01-10T05'))
        .join('\n');
      const { body } = await call<{ source: SourceRecord }>('POST', `/v1/import-csv/create-source?${query}`, {
        csv,
      });
      const answer = await call<Table>(
        'GET',
        `/v1/table/${body.source.id}/days?from=2023-01-10&to=2023-01-11`,
      );
      const at = (name: string): number => answer.body.columns.findIndex(column => column.name === name);
      return answer.body.rows
        .slice(4, 6)
        .map(row => [row[at('minute')], row[at('value')] === null, row[at('observed')]]);
    }),
  );
  t.strictSame(rows, [
    [
      [240, false, true],
      [300, true, false],
    ],
    [
      [240, false, true],
      [300, false, false],
    ],
  ]);
});

t.test('a table can be read as of a moment', async t => {
  const now = service.eventCount();
  const before = (await table('days?to=2024-02-02')).text;
  await call('POST', '/v1/import/days', {
    json: { sourceId: id, days: [{ ...odd, activity: odd.activity.map(() => 1) }] },
  });
  t.not((await table('days?to=2024-02-02')).text, before);
  t.equal((await table(`days?to=2024-02-02&asOf=${now}`)).text, before);
});

t.test('the header Accept selects the format', async t => {
  const accepted = async (accept: string): Promise<string | null> =>
    (await call('GET', `/v1/table/${id}/models`, { headers: { Accept: accept } })).headers.get(
      'content-type',
    );
  t.equal(await accepted('*/*'), 'application/json; charset=utf-8');
  t.equal(await accepted('text/csv'), 'text/csv; charset=utf-8');
  t.equal(await accepted('application/vnd.apache.arrow.stream'), 'application/vnd.apache.arrow.stream');
});

t.test('a source of another tenant has no tables', async t => {
  const token = await tokenFor({ tenant: 'other' });
  t.equal((await call('GET', `/v1/table/${id}/days`, { token })).status, 404);
});

t.test(
  'a name that a spreadsheet would run as a formula has an apostrophe before it in CSV only',
  async t => {
    const named = await call('PATCH', `/v1/model/${id}/1`, { json: { name: '=1+1' } });
    t.equal(named.status, 200, named.text.slice(0, 200));
    const texts = async (format: string) =>
      (await call('GET', `/v1/table/${id}/models?format=${format}`)).text;
    t.match(await texts('csv'), new RegExp(`^${id},1,'=1\\+1,`, 'm'));
    t.match(await texts('ndjson'), '"name":"=1+1"');
  },
);

t.test('ranges at the first and the last date end there', async t => {
  for (const name of Object.keys(dataTables))
    for (const range of ['to=0001-06-01', 'from=9998-06-01', 'to=0001-01-01', 'from=9998-12-31'])
      t.equal((await table(`${name}?${range}`)).status, 200, `${name} ${range}`);
  for (const [to, from] of [
    ['0001-01-05', '0001-01-01'],
    ['9998-12-31', '9998-12-01'],
  ]) {
    const { status, body } = await call<{ from: string }>(
      'GET',
      `/v1/overview?sourceIds=${id}&to=${to}&days=30`,
    );
    t.strictSame([status, body.from], [200, from]);
  }
});
