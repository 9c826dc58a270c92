import { copyFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../../adapters/sqlite/driver.js';
import t from 'tap';
import { lineOf } from '../../../auditing/eventBytes.js';
import { verifier } from '../../../auditing/logVerifier.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { streams } from '../../../domain/streams.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import {
  analysed,
  idle,
  ordinaryDay,
  ordinaryDays,
  startService,
  type TestService,
} from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

/** Whether a file of the data folder contains a text unencrypted. */
const filesWith = ({ settings }: TestService, text: string): string[] =>
  readdirSync(settings.dataDir)
    // Only the file of people's keys contains their names.
    .filter(name => !name.startsWith('people.') && readFileSync(join(settings.dataDir, name)).includes(text));

const otherStore =
  process.env['TEST_STORE'] === 'eventstoredb' && 'it looks into the files of the data folder';
const allGone = 'an erasure removes a person from all answers and files, and all hashes stay valid';

t.test(allGone, { skip: otherStore }, async t => {
  const service = await startService(t);
  const { call, tokenFor } = service;
  const anna = await tokenFor({ subject: 'anna-of-the-gate' });
  const [said, name] = ['Böse "Zungen"\nsagen: Stromausfall', 'anna-of-the-gate'];
  const days = ordinaryDays('2023-01-01', 60);
  await call('POST', '/v1/import/create-source', {
    token: anna,
    json: { name: 'Gate', referenceYear: 2023, days },
  });
  await analysed(call, 1);
  const bad = { date: '2023-04-04', activity: ordinaryDay('2023-04-04').activity.map(value => value + 999) };
  const imported = await call<{ alerts: { raised: readonly AlertRecord[] } }>('POST', '/v1/import/days', {
    token: anna,
    json: { sourceId: 1, days: [bad] },
  });
  const id = imported.body.alerts.raised[0]?.id ?? '';
  const resolve = {
    token: anna,
    json: { verdict: 'anomaly', comment: said },
    headers: { 'Idempotency-Key': 'import-of-anna-1' },
  };
  t.match(await call('POST', `/v1/alert/${id}/resolve`, resolve), { status: 200, body: { comment: said } });
  t.match(await call('POST', `/v1/alert/${id}/resolve`, resolve), { status: 200, body: { comment: said } });
  t.strictSame(filesWith(service, 'import-of-anna-1'), [], 'the text of a key is stored nowhere');
  await call('PUT', '/v1/planning/1/2023-05-01', { token: anna, json: { modelId: 1 } });
  await idle(call);

  /** All answers that can contain the name of anna. */
  const seen = async () => {
    const texts: string[] = [];
    for (const path of [
      `alert/${id}`,
      `alert/${id}/history`,
      'alert/list',
      'planning/list/1/2023',
      'audit/event?limit=500',
      'audit/event?format=ndjson',
      'audit/event?format=csv',
    ])
      texts.push((await call('GET', `/v1/${path}`)).text);
    return texts.map(text => [text.includes('Zungen'), text.includes(name), text.includes('sealed:')]);
  };
  const [both, nothing, named] = [
    [true, true, false],
    [false, false, false],
    [false, true, false],
  ];
  t.strictSame(await seen(), [[true, false, false], both, [true, false, false], named, both, both, both]);
  t.match((await call('GET', '/v1/planning/list/1/2023')).text, `by ${name}`);
  t.strictSame(filesWith(service, 'Zungen'), [], 'but no file has it in clear');
  t.strictSame(filesWith(service, name), []);
  const byHer = `/v1/audit/event?actor=${name}&limit=500`;
  t.ok((await call<{ events: unknown[] }>('GET', byHer)).body.events.length > 3);
  t.strictSame(filesWith(service, name), [], 'nor who was looked for');
  const backup = join(service.settings.dataDir, 'people.backup');
  const keys = new Database(join(service.settings.dataDir, 'people.sqlite'), { readonly: true });
  await keys.backup(backup);
  keys.close();

  const { body: document } = await call<Document>('GET', '/openapi.json');
  t.equal((await call('POST', '/v1/person/erase', { token: anna, json: {} })).status, 422);
  const before = service.events();
  const done = await call<{ personId: string }>('POST', '/v1/person/erase', { json: { subject: name } });
  t.equal(done.status, 200);
  t.strictSame(answerChecker(document)('POST', '/v1/person/erase', done), []);
  t.match(service.events().at(-1), {
    type: 'PersonErased',
    stream: streams.audit('default'),
    data: { personId: done.body.personId },
  });
  t.match(await call('POST', '/v1/person/erase', { json: { subject: name } }), {
    status: 404,
    body: { code: 'personNotFound' },
  });

  t.strictSame(await seen(), Array(7).fill(nothing));
  t.match((await call('GET', `/v1/alert/${id}`)).body, {
    state: 'resolved',
    verdict: 'anomaly',
    comment: 'erased',
  });
  t.match((await call('GET', '/v1/planning/list/1/2023')).text, 'by erased');
  t.strictSame((await call<{ events: unknown[] }>('GET', byHer)).body.events, []);
  t.strictSame(service.events().slice(0, before.length), before, 'no event was changed');
  const check = verifier();
  for (const { position: _, ...event } of service.events()) check.take(lineOf(event));
  t.match(check.done(), { findingCount: 0, withoutHash: 0 });
  t.match(
    await call('POST', `/v1/alert/${id}/resolve`, resolve),
    { status: 409, body: { code: 'alertTransition' } },
    "the answers that were kept for her are nobody's",
  );
  t.match((await call('POST', `/v1/alert/${id}/reopen`, { token: anna })).status, 200, 'she may come again');
  const history = (await call('GET', `/v1/alert/${id}/history`)).body;
  t.match(history, { events: exactList({ by: 'reactor' }, { by: 'erased' }, { by: name }) });

  await service.stop();
  const file = join(service.settings.dataDir, 'people.sqlite');
  copyFileSync(backup, file);
  await service.restart();
  t.match((await call('GET', `/v1/alert/${id}`)).text, /"comment":null/);
  t.match(
    (await call('GET', `/v1/alert/${id}/history`)).text,
    /"by":"erased".*"comment":"erased"/,
    'a restored backup of the keys reveals no erased person',
  );
});

t.test('erasure needs the scope, and reaches people of the tenant only', async t => {
  const { call, tokenFor, eventCount } = await startService(t);
  const erase = async (claims: { readonly tenant?: string; readonly scopes?: readonly string[] }) =>
    (
      await call('POST', '/v1/person/erase', {
        token: await tokenFor({ subject: 'dpo', ...claims }),
        json: { subject: 'tester' },
      })
    ).status;
  t.equal(await erase({}), 404, 'the person has no key yet');
  await call('POST', '/v1/import/create-source', {
    json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 20) },
  });
  await idle(call);
  const before = eventCount();
  t.equal(await erase({ scopes: ['alert', 'audit', 'import', 'model', 'planning', 'read'] }), 403);
  t.equal(await erase({ tenant: 'other' }), 404);
  t.equal(eventCount(), before);
  t.equal(await erase({ scopes: ['erase'] }), 200);
  t.equal(eventCount(), before + 1);
});

t.test('a name that no event has gets no key', async t => {
  const { call } = await startService(t);
  const requests = [
    ['GET', '/v1/incident/list?assignee=Invented'],
    ['POST', '/v1/incident/inc-none/assign', { json: { subject: 'Invented' } }],
    [
      ...(['POST', '/v1/incident/inc-none/assign'] as const),
      { json: { subject: 'Invented' }, headers: { 'Idempotency-Key': 'invented' } },
    ],
  ] as const;
  for (const [method, path, options] of requests) {
    const { status, body } = await call<{ incidents?: object[] }>(method, path, options);
    t.equal(status, method === 'GET' ? 200 : 404, path);
    if (method === 'GET') t.strictSame(body.incidents, []);
  }
  const erased = await call('POST', '/v1/person/erase', { json: { subject: 'Invented' } });
  t.match(erased, { status: 404, body: { code: 'personNotFound' } });
});
