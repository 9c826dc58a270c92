import t from 'tap';
import type { InputFault } from '../../application/requests/imports/faults.js';
import { csvOf, idle, ordinaryDays, startService, type Sent } from '../helpers/service.js';
import { alertsCases } from './badInputs/alerts.js';
import { auditCases } from './badInputs/audit.js';
import {
  create,
  createCsv,
  days,
  flat,
  longName,
  model,
  reference,
  replace,
  steady,
  year,
  type Case,
  type ProblemBody,
} from './badInputs/case.js';
import { creationCases } from './badInputs/creation.js';
import { csvCases } from './badInputs/csv.js';
import { descriptionsCases } from './badInputs/descriptions.js';
import { endlessBodies, mebibytes } from './badInputs/endlessBodies.js';
import { given } from './badInputs/given.js';
import { jsonCases } from './badInputs/json.js';
import { modelsCases } from './badInputs/models.js';
import { planningCases } from './badInputs/planning.js';
import { requestsCases } from './badInputs/requests.js';
import { tokensCases } from './badInputs/tokens.js';
import { webhooksCases } from './badInputs/webhooks.js';
import { exactList } from '../helpers/exactList.js';

const service = await startService(t);
const { call, tokenFor } = service;
const present = await given(service);

const cases: readonly Case[] = [
  ...(await tokensCases(present)),
  ...descriptionsCases,
  ...creationCases,
  ...csvCases,
  ...jsonCases,
  ...modelsCases(present),
  ...(await planningCases(present)),
  ...alertsCases(present),
  ...webhooksCases,
  ...auditCases,
  ...requestsCases(present),
];

const placeOf = ({ pointer, line, column, code }: InputFault): string =>
  `${pointer ?? `${line ?? ''}:${column ?? ''}`} ${code}`;

t.test(
  'the table: each bad input gets its status, its problem and its place, and nothing is stored',
  async t => {
    // A follow-up of the given data would look like something that a bad input stored.
    await idle(call);
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

t.test('faults of a schema name the given and the expected value', async t => {
  const faultsOf = async (method: string, path: string, sent: Sent = {}) => {
    const { body } = await call<ProblemBody>(method, path, sent);
    return (body.errors ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  };
  const list = '/v1/alert/list?';
  for (const [query, detail] of [
    [
      'label=a',
      '/query/label/0: got "a", expected key:value, whose key is a letter and then letters, digits, "_", "." or "-"',
    ],
    ['limit=900', '/query/limit: got 900, expected at most 500'],
    ['limit=x', '/query/limit: got "x", expected an integer'],
    ['from=1-2-2026', '/query/from: got "1-2-2026", expected a date of the calendar, YYYY-MM-DD'],
    ['limit=1&limit=2', '/query/limit: got 2 values, expected one'],
  ] as const)
    t.strictSame(await faultsOf('GET', `${list}${query}`), [detail]);
  t.match(
    (await faultsOf('GET', `${list}order=up`))[0],
    /^\/query\/order: got "up", expected one of "asc", "desc"$/,
  );
  const patch = (json: object) => faultsOf('PATCH', '/v1/source/1', { json });
  t.strictSame(await patch({ expectedInterval: 5 }), ['/expectedInterval: got 5, expected a text or null']);
  t.strictSame(await patch({ name: '' }), ['/name: got 0 characters, expected at least 1']);
  t.strictSame(await patch([]), [': got a list, expected an object']);
  t.strictSame(await faultsOf('POST', '/v1/alert/1-20260101-1/resolve', { json: {} }), [
    ': missing: verdict',
  ]);
});

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
  t.match(
    body.errors,
    exactList({ value: 'DE-XX', detail: /^got "DE-XX", expected a country .* FR or DE-NW$/ }),
  );
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
    t.match(
      body.errors,
      exactList({ code: 'unknownField', pointer: /sensitivity$/, detail: /now named coverage/ }),
    );
  }
  const elsewhere = await call<ProblemBody>('GET', '/v1/source/list?sensitivity=0.95');
  t.match(
    elsewhere.body.errors,
    exactList({
      code: 'unknownField',
      detail: /^unknown field, expected label, text, sort, order, archived, limit, cursor/,
    }),
  );
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

t.test('an endless body is refused early, in bounded memory, and its connection is closed', async t => {
  const token = await tokenFor({});
  await idle(call);
  const before = service.eventCount();
  const bodies = endlessBodies(service.address(), token, present.open);
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
