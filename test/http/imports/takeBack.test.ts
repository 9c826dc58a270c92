import t from 'tap';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

// A person takes imported days back.

const service = await startService(t);
const { call, events, tokenFor } = service;
const reference = ordinaryDays('2025-01-01', 120);
const json = { name: 'Gate', referenceYear: 2025, days: reference };
const created = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
const sourceId = created.body.source.id;
await analysed(call, sourceId);

type Imported = { readonly alerts: { readonly raised: readonly AlertRecord[] } };
type TakenBack = {
  readonly day: { readonly kind: string; readonly date: string } | null;
  readonly alerts: {
    readonly invalidated: readonly AlertRecord[];
    readonly unchanged: readonly AlertRecord[];
  };
};
const loud = (date: string) => ({ date, activity: ordinaryDay(date).activity.map(value => 5 * value) });
const importDays = (...days: readonly object[]) =>
  call<Imported>('POST', '/v1/import/days', { json: { sourceId, days } });
const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
const takeBack = async (date: string, query = '', more: { readonly token?: string } = {}) => {
  const path = `/v1/day/${sourceId}/${date}${query}`;
  const answer = await call<TakenBack & { readonly code: string }>('DELETE', path, more);
  t.strictSame(check('DELETE', path, answer), [], 'as described');
  return answer;
};
const dayOn = async (date: string, query = '') =>
  (
    await call<{ day: { kind: string; importId: string } | null; alerts: readonly AlertRecord[] }>(
      'GET',
      `/v1/day/${sourceId}/${date}${query}`,
    )
  ).body;
const alert = async (id = '') => (await call<AlertRecord>('GET', `/v1/alert/${id}`)).body;
const taken = () => events().filter(({ type }) => type === 'DayTakenBack');

t.test('the reference day shows again, and the unprocessed alert is invalidated', async t => {
  const date = '2025-03-05';
  const { body } = await importDays(loud(date));
  const [raised] = body.alerts.raised;
  t.equal((await dayOn(date)).day?.kind, 'recent');
  const { status, body: answer } = await takeBack(date, '?reason=Anna+swapped+day+and+month');
  t.equal(status, 200);
  t.match(answer.day, { kind: 'reference', date });
  t.match(answer.alerts.invalidated, exactList({ id: raised?.id, state: 'invalidated' }));
  t.equal((await dayOn(date)).day?.kind, 'reference');
  t.strictSame((await dayOn(date)).alerts, []);

  const [event] = taken();
  t.notMatch(JSON.stringify(event?.data), /Anna/, 'the reason is sealed');
  const trail = await call<{ events: readonly { type: string; data: object }[] }>(
    'GET',
    '/v1/audit/event?type=DayTakenBack',
  );
  t.match(trail.body.events, exactList({ data: { date, reason: 'Anna swapped day and month' } }));
  const history = await call('GET', `/v1/alert/${raised?.id}/history`);
  t.match(history.text, /DayTakenBack/, 'the history of the alert names the cause');
  t.equal((await call('GET', `/v1/alert/${raised?.id}/explanation`)).status, 200);
  const before = await dayOn(date, `?asOf=${Number(event?.position) - 1}`);
  t.match(before, { day: { kind: 'recent' }, alerts: exactList({ id: raised?.id, state: 'open' }) });
  t.equal((await dayOn(date, `?asOf=${event?.position}`)).day?.kind, 'reference');
});

t.test('resolved alerts stay; a day outside the reference is gone', async t => {
  const date = '2026-03-04';
  const { body } = await importDays(loud(date), ordinaryDay('2026-03-05'));
  const id = body.alerts.raised[0]?.id;
  await call('POST', `/v1/alert/${id}/resolve`, { json: { verdict: 'anomaly' } });
  const { status, body: answer } = await takeBack(date);
  t.equal(status, 200);
  t.equal(answer.day, null);
  t.match(answer.alerts, { invalidated: exactList(), unchanged: exactList({ id, state: 'resolved' }) });
  t.equal((await alert(id)).state, 'resolved');
  t.equal((await dayOn(date)).day, null);
  t.equal(
    (await call('GET', `/v1/table/${sourceId}/days?from=2026-03-01&to=2026-04-01`)).text.match(/2026-03-04/),
    null,
  );
  const record = await call<{ counts: { recentDays: number } }>('GET', `/v1/source/${sourceId}`);
  t.equal(record.body.counts.recentDays, 1);
});

t.test('a repeat changes nothing, and the day can be imported again', async t => {
  const before = taken().length;
  t.equal((await takeBack('2026-03-04', '?reason=again')).status, 200);
  t.equal(taken().length, before);
  const { body } = await importDays({
    ...loud('2026-03-04'),
    activity: loud('2026-03-04').activity.map(v => v + 1),
  });
  t.equal(body.alerts.raised.length, 1, 'other data raise an alert of their own');
  t.equal((await dayOn('2026-03-04')).day?.kind, 'recent');
});

t.test('a later import around the date reports it as missing', async t => {
  const dates = ['2026-04-06', '2026-04-07', '2026-04-08', '2026-04-09'];
  await importDays(...dates.map(ordinaryDay));
  await takeBack('2026-04-07');
  t.strictSame((await dayOn('2026-04-07')).alerts, []);
  const { body } = await importDays(...dates.filter(date => date !== '2026-04-07').map(ordinaryDay));
  t.match(body.alerts.raised, exactList({ kind: 'gap', date: '2026-04-07' }));
});

t.test('refusals', async t => {
  const count = taken().length;
  const never = await takeBack('2026-05-01');
  t.match(never, { status: 404, body: { code: 'dayNotFound', detail: 'no recent day on 2026-05-01' } });
  t.match(await takeBack('2025-01-01'), { status: 404 }, 'a reference day is no recent day');
  t.match(await takeBack('2026-13-01'), { status: 422 });
  t.match(await takeBack('2026-04-06', `?reason=${'x'.repeat(2001)}`), { status: 422 });
  t.match(await takeBack('2026-04-06', '?reason='), { status: 422 });
  t.match(await takeBack('2026-04-06', '', { token: await tokenFor({ tenant: 'north' }) }), { status: 404 });
  t.match(await takeBack('2026-04-06', '', { token: await tokenFor({ scopes: ['read', 'model'] }) }), {
    status: 403,
  });
  t.equal(taken().length, count);
  await idle(call);
});

t.test('an archived source keeps its days', async t => {
  const { day } = await dayOn('2026-04-06');
  const imported = `/v1/import/${day?.importId}`;
  t.equal((await call('GET', imported)).status, 200);
  await call('DELETE', `/v1/source/${sourceId}`);
  t.match(await takeBack('2026-04-06'), { status: 404, body: { code: 'sourceNotFound' } });
  t.match(await call('GET', imported), { status: 404, body: { code: 'importNotFound' } });
  await call('POST', `/v1/source/${sourceId}/restore`);
  await idle(call);
  t.equal((await dayOn('2026-04-06')).day?.kind, 'recent');
});

t.test('the decisions of the log are repeated, after a restart too', async t => {
  await service.restart();
  t.equal((await dayOn('2026-04-07')).day, null);
  const { findings, undecided, awaited } = await decidedAgain(events());
  t.strictSame({ findings, undecided, awaited }, { findings: [], undecided: 0, awaited: 0 });
});
