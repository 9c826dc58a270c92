import t from 'tap';
import type { ImportSummary } from '../../../domain/days.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import { ordinaryDays, startService, streamed, type Received, type Sent } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

type Inspected = {
  readonly query: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly rows: number;
  readonly isWhole: boolean;
  readonly problems: readonly { readonly code: string; readonly detail: string }[];
};

const service = await startService(t);
const { call, eventCount, tokenFor, address } = service;
const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
/** Every answer of this file is checked against the API description. */
const ask = async <Body>(method: string, path: string, sent?: Sent): Promise<Received<Body>> => {
  const answer = await call<Body>(method, path, sent);
  const faults = check(method, path, answer);
  if (faults.length > 0) throw new Error(`${method} ${path}: ${faults.join('; ')}`);
  return answer;
};

const days = ordinaryDays('2022-01-01', 30);
/** A file as pandas writes a frame whose index has a name. */
const pandas = `time,room,load\n${days
  .flatMap(({ date, activity }) =>
    activity.map((value, hour) => `${date} ${String(hour).padStart(2, '0')}:00:00,hall,${value}\n`),
  )
  .join('')}`;

t.test('a file is imported with the parameters that its inspection proposes', async t => {
  const before = eventCount();
  const { status, body } = await ask<Inspected>('POST', '/v1/import-csv/inspect', { csv: pandas });
  t.equal(status, 200);
  t.match(body, {
    separator: ',',
    decimal: '.',
    dateFormat: 'YYYY-MM-DD HH:mm:ss',
    header: exactList('time', 'room', 'load'),
    columns: exactList(
      { number: 1, name: 'time', kind: 'date', example: '2022-01-01 00:00:00' },
      { number: 2, name: 'room', kind: 'other', example: 'hall' },
      { number: 3, name: 'load', kind: 'value' },
    ),
    rows: 720,
    isWhole: true,
    sampling: { seconds: 3600, activitySize: 24, note: 'hourly data, kept as 24 hours: 1 value a slice' },
    days: { length: 5, 0: { date: '2022-01-01', rows: 24 } },
    query: 'separator=,&decimal=.&dateFormat=YYYY-MM-DD%20HH:mm:ss&dateColumn=time&valueColumn=load',
    problems: exactList(),
  });
  t.equal(eventCount(), before, 'nothing is stored');

  const created = await ask<{ source: SourceRecord; import: ImportSummary }>(
    'POST',
    `/v1/import-csv/create-source?name=pandas&${body.query}`,
    { csv: pandas },
  );
  t.equal(created.status, 201);
  t.match(created.body.import, {
    lines: 720,
    days: 30,
    notes: exactList('hourly data, kept as 24 hours: 1 value a slice'),
  });
  const { source } = created.body;
  const recent = await ask<{ import: ImportSummary & { id: string } }>(
    'POST',
    `/v1/import-csv/${source.id}/days?separator=semicolon&dateFormat=DD/MM/YYYY HH:mm`,
    { csv: '01/03/2022 00:00;20,5\n01/03/2022 00:30;21,5\n01/03/2022 01:00;22,5\n' },
  );
  t.match(recent.body.import.notes, exactList('30-minute data, kept as 24 hours: 2 values a slice'));
  const kept = await ask<{ import: ImportSummary }>('GET', `/v1/import/${recent.body.import.id}`);
  t.strictSame(kept.body.import, recent.body.import);
});

t.test('faults of one cause are one error, in CSV and in JSON', async t => {
  const csv = await ask<{ detail: string; errors: readonly { count?: number; detail: string }[] }>(
    'POST',
    '/v1/import-csv/create-source?name=x',
    { csv: pandas },
  );
  t.equal(csv.status, 422);
  t.match(csv.body, {
    code: 'csvInvalid',
    errors: exactList({
      code: 'columnCount',
      count: 100,
      detail: /Send it with separator=,&decimal=\.&dateFormat=/,
    }),
  });
  t.equal(csv.body.errors.length, 1);
  const json = await ask('POST', '/v1/import/create-source', {
    json: {
      name: 'x',
      referenceYear: 2022,
      days: days.map(({ date, activity }) => ({ date, activity: activity.slice(1) })),
    },
  });
  t.match(json.body, {
    errors: exactList({
      code: 'activityLength',
      count: 30,
      pointer: '/days/0/activity',
      detail: /; 30 times, at \/days\/0/,
    }),
  });
});

t.test('an inspection reads the first million bytes only', async t => {
  const row = '2022-01-01T00:00:00;1\n';
  const long = Buffer.from(row.repeat(200_000));
  const { status, body } = await ask<Inspected>('POST', '/v1/import-csv/inspect', { csv: long });
  t.equal(status, 200);
  t.match(body, {
    rows: Math.floor(1_000_000 / row.length),
    isWhole: false,
    query: '',
    problems: exactList(),
  });
  const endless = await streamed(
    address(),
    {
      method: 'POST',
      path: '/v1/import-csv/inspect',
      headers: { Authorization: `Bearer ${await tokenFor({})}`, 'Content-Type': 'text/csv' },
    },
    (function* () {
      const rows = Buffer.from(row.repeat(3000));
      for (;;) yield rows;
    })(),
  );
  t.equal(endless.status, 200, 'also of a body that does not end');
});

t.test('an inspection lists the problems of a file', async t => {
  for (const [name, csv, codes] of [
    ['JSON', '{"days":[]}', ['csvEmpty']],
    ['a header alone', 'date;value\n', ['csvEmpty']],
    [
      'Latin-1',
      Buffer.from('Zeit;Wärme\n2022-01-01T00:00:00;1\n2022-01-01T01:00:00;1\n', 'latin1'),
      ['notUtf8'],
    ],
    ['another date', '01-Jan-2022;5\n02-Jan-2022;6\n', ['noDates']],
    ['thousands', '2022-01-01T00:00:00;70,952\n2022-01-01T01:00:00;71,952\n', ['thousands']],
  ] as const) {
    const { status, body } = await ask<Inspected>('POST', '/v1/import-csv/inspect', { csv });
    t.equal(status, 200, name);
    t.strictSame(
      body.problems.map(({ code }) => code),
      codes,
      name,
    );
  }
  const empty = await ask('POST', '/v1/import-csv/inspect', { csv: '' });
  t.match([empty.status, empty.body], exactList(422, { code: 'csvEmpty' }));
});
