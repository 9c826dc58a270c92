// Repeated requests with an Idempotency-Key.
import { createHash } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { Database } from '../../adapters/sqlite/driver.js';
import { filesOf } from '../../adapters/sqlite/database.js';
import { checkingClient, idsOf, dayWith, type Created, type Changed } from '../helpers/checkingClient.js';
import {
  analysed,
  csvOf,
  idle,
  ordinaryDay,
  ordinaryDays,
  startService,
  type Received,
  type Sent,
} from '../helpers/service.js';
import { exactList } from '../helpers/exactList.js';

const service = await startService(t);
const { eventCount, events } = service;
const client = await checkingClient(service);
const { ask, create, importDays } = client;
const reference = ordinaryDays('2022-01-01', 60);

// Given: two sources with models.
for (const name of ['first', 'second'])
  await analysed(ask, (await create(`name=${name}`, csvOf(reference))).source.id);

t.test('a repeated request with its Idempotency-Key gets the kept response', async t => {
  const key = (name: string) => ({ 'Idempotency-Key': name });
  const csv = csvOf(reference.slice(0, 14));
  const requests: readonly (readonly [string, Sent])[] = [
    ['/v1/import-csv/create-source?name=key', { csv, headers: key('create') }],
    [
      '/v1/import/create-source',
      { json: { name: 'k', referenceYear: 2022, days: reference.slice(0, 14) }, headers: key('createJson') },
    ],
    [
      '/v1/import/days',
      { json: { sourceId: 1, days: [dayWith('2023-08-01', 3, 5, 700)] }, headers: key('days') },
    ],
    ['/v1/import-csv/1/days', { csv: csvOf([ordinaryDay('2023-08-02')]), headers: key('csv') }],
    ['/v1/alert/1-20230801-1/acknowledge', { headers: key('acknowledge') }],
    ['/v1/alert/1-20230801-1/resolve', { json: { verdict: 'anomaly' }, headers: key('resolve') }],
    ['/v1/alert/1-20230801-1/reopen', { headers: key('reopen') }],
    ['/v1/model/reset/1/3', { headers: key('reset') }],
  ];
  const firsts: Received[] = [];
  for (const [path, sent] of requests) firsts.push(await ask('POST', path, sent));
  t.strictSame(
    firsts.map(({ status }) => status),
    [201, 201, 200, 200, 200, 200, 200, 200],
  );
  await analysed(ask, (firsts[0]?.body as Created).source.id);
  await analysed(ask, (firsts[1]?.body as Created).source.id);

  const count = eventCount();
  const repeat = async (when: string) => {
    for (const [index, [path, sent]] of requests.entries()) {
      const again = await ask('POST', path, sent);
      t.strictSame(
        [again.status, again.headers.get('location'), again.text],
        [firsts[index]?.status, firsts[index]?.headers.get('location'), firsts[index]?.text],
        `${path} ${when}`,
      );
    }
    t.equal(eventCount(), count, `nothing is written ${when}`);
  };
  await repeat('at once');
  await service.restart();
  await repeat('after a restart');

  const other = await ask<{ code: string }>('POST', '/v1/import/days', {
    json: { sourceId: 1, days: [ordinaryDay('2023-08-03')] },
    headers: key('days'),
  });
  t.match([other.status, other.body.code], exactList(422, 'keyReused'));
  const spy = await service.tokenFor({ subject: 'somebody else' });
  const theirs = await ask('POST', '/v1/import/days', {
    token: spy,
    json: { sourceId: 1, days: [ordinaryDay('2023-08-03')] },
    headers: key('days'),
  });
  t.equal(theirs.status, 200, 'keys are each one’s own');

  const bad = {
    json: { sourceId: 1, days: [{ date: '2023-08-04', activity: [1] }] },
    headers: key('failed'),
  };
  t.equal((await ask('POST', '/v1/import/days', bad)).status, 422);
  const [alertId = ''] = idsOf((await importDays(1, [dayWith('2023-08-05', 3, 5, 700)])).body.alerts.raised);
  const moving = () => ask('POST', `/v1/alert/${alertId}/reopen`, { headers: key('early') });
  t.equal((await moving()).status, 409, 'refused by a rule');
  const good = { json: { sourceId: 1, days: [ordinaryDay('2023-08-04')] }, headers: key('failed') };
  t.equal((await ask('POST', '/v1/import/days', good)).status, 200, 'a first try that failed may run again');
  await ask('POST', `/v1/alert/${alertId}/resolve`, { json: { verdict: 'expected' } });
  t.match(await moving(), { status: 200, body: { state: 'open' } }, 'also after a refusal by a rule');

  const twice = await Promise.all(
    [1, 2].map(() => ask<{ code: string }>('POST', '/v1/model/reset/2/4', { headers: key('twice') })),
  );
  // On a busy machine an analysis takes longer than a request waits.
  const isAccepted = ({ status }: { readonly status: number }) => status === 200 || status === 202;
  t.equal(twice.filter(isAccepted).length, 1, 'both at once: one works');
  t.equal(twice.find(({ status }) => status === 409)?.body.code, 'keyInUse');
  const third = await ask('POST', '/v1/model/reset/2/4', { headers: key('twice') });
  t.equal(third.text, twice.find(isAccepted)?.text, 'and later its answer is given again');
  t.equal(
    events().filter(({ type, stream }) => type === 'ModelsReset' && stream === 'source-2').length,
    2,
    'one reset after the first models',
  );
});

t.test(
  'no digest of a request can be checked without the key of its actor',
  { skip: service.settings.log.kind !== 'sqlite' && 'kept responses of EventStoreDB are in no file' },
  async t => {
    const post = () => {
      const json = { sourceId: 1, days: [ordinaryDay('2023-08-20')] };
      return ask('POST', '/v1/import/days', { json, headers: { 'Idempotency-Key': 'sealed' } });
    };
    const first = await post();
    const plain = createHash('sha256')
      .update('POST /v1/import/days\n')
      .update(JSON.stringify({ sourceId: 1, days: [ordinaryDay('2023-08-20')] }))
      .digest('hex');
    const db = new Database(join(service.settings.dataDir, 'answers.sqlite'));
    const digests = db.prepare<[], string>('select digest from answers order by begun_at').pluck();
    t.notOk(digests.all().includes(plain));
    const last = digests.all().at(-1);
    db.prepare('update answers set digest = ? where digest = ?').run(plain, last);
    db.close();
    t.equal((await post()).text, first.text, 'one that version 0.1.0 stored is recognised until it expires');
  },
);

t.test('a superseded reset may run again under its key', async t => {
  const reset = (count: number, headers = {}) =>
    ask<Changed>('POST', `/v1/model/reset/2/${count}`, { headers });
  for (let round = 1; round <= 10; round += 1) {
    // The service decides which of the two comes first.
    const asked = [5, 6].map(count => ({
      count,
      headers: { 'Idempotency-Key': `overtaken-${round}-${count}` },
    }));
    const answered = await Promise.all(asked.map(({ count, headers }) => reset(count, headers)));
    const lost = answered.findIndex(({ status }) => status === 409);
    const { count = 0, headers } = asked[lost] ?? {};
    if (lost < 0) continue;
    t.match(answered[lost]?.body, { code: 'overtaken' });
    const again = await reset(count, headers);
    t.match([again.status, again.body.models?.length], exactList(200, count));
    return;
  }
  t.fail('none was overtaken in ten rounds');
});

/** Deletes the kept responses, as a crash before they are kept does. */
const forgetAnswers = async (): Promise<void> => {
  await service.stop();
  const answers = new Database(join(dirname(service.readModelsFile), 'answers.sqlite'));
  answers.prepare('update answers set answer = null').run();
  answers.close();
  await service.restart();
};

t.test('a retry is answered with its outcome when the source was archived meanwhile', async t => {
  const { id } = (await create('name=gone', csvOf(reference))).source;
  await analysed(ask, id);
  const key = (name: string) => ({ 'Idempotency-Key': `archived ${name}`.replace(' ', '-') });
  const alertId = `${id}-20230801-1`;
  const inADay = new Date(Date.now() + 86_400_000).toISOString();
  const model = { ...{ name: 'one', color: '#0072B2' }, activity: Array<number>(24).fill(5) };
  const bounds = { topTolerance: Array<number>(24).fill(9), bottomTolerance: Array<number>(24).fill(1) };
  const requests: readonly (readonly [string, Sent])[] = [
    [
      '/v1/import/days',
      { json: { sourceId: id, days: [dayWith('2023-08-01', 3, 5, 700)] }, headers: key('days') },
    ],
    [`/v1/import-csv/${id}/days`, { csv: csvOf([ordinaryDay('2023-08-02')]), headers: key('csv') }],
    [`/v1/alert/${alertId}/acknowledge`, { headers: key('acknowledge') }],
    [`/v1/alert/${alertId}/resolve`, { json: { verdict: 'anomaly' }, headers: key('resolve') }],
    [`/v1/model/reset/${id}/3`, { headers: key('reset') }],
    [
      `/v1/model/bulk-replace/${id}`,
      { json: { models: [{ ...model, ...bounds }] }, headers: key('replace') },
    ],
    ['/v1/mute', { json: { sourceId: id, until: inADay, reason: 'Inventory' }, headers: key('mute') }],
  ];
  const firsts: Received[] = [];
  for (const [path, sent] of requests) firsts.push(await ask('POST', path, sent));
  t.strictSame(
    firsts.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200, 201],
  );
  t.equal((await ask('DELETE', `/v1/source/${id}`)).status, 200);
  await idle(service.call);
  const count = eventCount();
  for (const [index, [path, sent]] of requests.entries())
    t.equal((await ask('POST', path, sent)).text, firsts[index]?.text, `${path}: the kept response`);
  if (service.settings.log.kind === 'sqlite') {
    await forgetAnswers();
    for (const [index, [path, sent]] of requests.entries()) {
      const again = await ask<{ import?: { id: string } }>('POST', path, sent);
      const first = firsts[index]?.body as { import?: { id: string } } | undefined;
      t.strictSame(
        [again.status, again.body.import?.id],
        [firsts[index]?.status, first?.import?.id],
        `${path}: no kept response`,
      );
    }
  }
  t.equal(eventCount(), count, 'nothing is written');
  for (const [path, sent] of requests)
    for (const headers of [{}, key('new')])
      t.equal((await ask('POST', path, { ...sent, headers })).status, 404, `${path}: another request`);
  const spy = await service.tokenFor({ tenant: 'other' });
  for (const [path, sent] of requests)
    t.equal((await ask('POST', path, { ...sent, token: spy })).status, 404, `${path}: another tenant`);
  t.equal(eventCount(), count, 'nothing is written');
});

type Outcomes = {
  readonly results: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly code: string | null;
  }[];
};

t.test('alerts of an archived source are not found among several, except for a retry', async t => {
  const { id } = (await create('name=many', csvOf(reference))).source;
  await analysed(ask, id);
  const [alertId = '', other = ''] = idsOf(
    (await importDays(id, [dayWith('2023-08-01', 3, 5, 700), dayWith('2023-08-03', 3, 5, 700)])).body.alerts
      .raised,
  );
  const [kept = ''] = idsOf((await importDays(2, [dayWith('2023-10-03', 3, 5, 700)])).body.alerts.raised);
  const unknown = `${id}-20230801-9`;
  const change = async (verb: string, ids: readonly string[], headers = {}) => {
    const json = verb === 'resolve' ? { ids, verdict: 'anomaly' } : { ids };
    const { status, body } = await ask<Outcomes>('POST', `/v1/alert/${verb}`, { json, headers });
    t.equal(status, 200);
    return body.results.map(result => [result.id, result.outcome, result.code]);
  };
  const key = { 'Idempotency-Key': 'several' };
  t.strictSame(await change('acknowledge', [alertId], key), [[alertId, 'changed', null]]);
  t.equal((await ask('DELETE', `/v1/source/${id}`)).status, 200);
  await idle(service.call);
  const notFound = (one: string) => [one, 'refused', 'alertNotFound'];
  const count = eventCount();
  for (const verb of ['acknowledge', 'resolve'])
    for (const headers of [{}, { 'Idempotency-Key': `new-${verb}` }])
      t.strictSame(
        await change(verb, [unknown, alertId, other], headers),
        [unknown, alertId, other].map(notFound),
        `${verb}: an alert of an archived source is refused as an unknown one`,
      );
  t.equal(eventCount(), count, 'nothing is written');
  t.strictSame(await change('acknowledge', [alertId, kept]), [notFound(alertId), [kept, 'changed', null]]);
  t.strictSame(
    await change('acknowledge', [alertId], key),
    [[alertId, 'changed', null]],
    'the kept response',
  );
  if (service.settings.log.kind === 'sqlite') {
    await forgetAnswers();
    t.strictSame(await change('acknowledge', [alertId], key), [[alertId, 'unchanged', null]]);
  }
  t.equal((await ask('POST', `/v1/source/${id}/restore`)).status, 200);
  t.strictSame(await change('resolve', [alertId, other]), [
    [alertId, 'changed', null],
    [other, 'changed', null],
  ]);
});

t.test(
  'a retry of an unfinished import finds no archived source, and runs once after a restore',
  { skip: service.settings.log.kind !== 'sqlite' && 'the fault is made in the file of the log' },
  async t => {
    const { id } = (await create('name=unfinished', csvOf(reference))).source;
    await analysed(ask, id);
    const days = ordinaryDays('2023-01-01', 40);
    const again = () =>
      ask<{ code?: string; days?: readonly object[] }>('POST', '/v1/import/days', {
        json: { sourceId: id, days },
        headers: { 'Idempotency-Key': 'unfinished' },
      });
    const parts = () =>
      events().filter(({ type, stream }) => type === 'DaysImported' && stream === `days-${id}`).length;
    await idle(service.call);
    const stored = parts();
    // Given: the second of two parts cannot be stored.
    const log = new Database(join(dirname(service.readModelsFile), 'events.sqlite'));
    log.exec(`create trigger fault before insert on events
      when new.type = 'DaysImported' and json_extract(new.data, '$.part') = 2
      begin select raise(abort, 'fault of the test'); end`);
    t.equal((await again()).status, 500);
    log.exec('drop trigger fault');
    log.close();
    t.equal(parts(), stored + 1, 'one part of two');
    t.equal((await ask('DELETE', `/v1/source/${id}`)).status, 200);
    // When: the request is repeated while the source is archived, and after it was restored.
    t.match(await again(), { status: 404, body: { code: 'sourceNotFound' } });
    t.equal(parts(), stored + 1, 'nothing is written');
    t.equal((await ask('POST', `/v1/source/${id}/restore`)).status, 200);
    const first = await again();
    t.match([first.status, first.body.days?.length], exactList(200, 40));
    t.equal((await again()).text, first.text);
    t.equal(parts(), stored + 3, 'the whole import once');
  },
);

const restorable =
  service.settings.log.kind === 'sqlite' ? false : 'a log on a server is not a file to be put back';
t.test(
  'a restored log has no kept responses: a repeated request runs again',
  { skip: restorable },
  async t => {
    const { readModelsFile } = service;
    const log = join(dirname(readModelsFile), 'events.sqlite');
    const again = () =>
      ask('POST', '/v1/import/days', {
        json: { sourceId: 1, days: [ordinaryDay('2023-09-01')] },
        headers: { 'Idempotency-Key': 'restored' },
      });
    await idle(service.call);
    const live = new Database(log, { readonly: true });
    live.prepare('vacuum into ?').run(`${log}.backup`);
    live.close();
    t.equal((await again()).status, 200);
    await service.stop();
    for (const old of filesOf(log)) rmSync(old, { force: true });
    renameSync(`${log}.backup`, log);
    await service.restart();
    const listed = async () =>
      (await ask<{ days: readonly { date: string }[] }>('GET', '/v1/day/list/1/2023')).body.days.some(
        ({ date }) => date === '2023-09-01',
      );
    t.equal(await listed(), false, 'the log is the restored one');
    t.equal((await again()).status, 200);
    t.equal(await listed(), true, 'not the kept answer of another log');
  },
);

t.test('every answer of this file matches the API description', async t => client.assertMatched(t, 40));
