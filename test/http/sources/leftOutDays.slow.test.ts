import t from 'tap';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import type { KnownEvent } from '../../../domain/events.js';
import { decidedBy, exported, forged, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

// People leave reference days out of learning, and take that back.

const service = await startService(t);
const { call, events, tokenFor } = service;
const days = ordinaryDays('2025-01-01', 120);
const date = '2025-03-05';

type Created = { readonly source: SourceRecord };
type Kept = { readonly referenceLeftOut?: { readonly reason: string; readonly by: string } };
const create = async (name: string, reference: readonly object[]) => {
  const json = { name, referenceYear: 2025, days: reference };
  const { id } = (await call<Created>('POST', '/v1/import/create-source', { json })).body.source;
  await analysed(call, id);
  return id;
};
const act = (id: number, verb: string, on: string, json?: object, token?: string) =>
  call<Kept & { readonly code?: string }>('POST', `/v1/day/${id}/${on}/${verb}`, {
    ...(json && { json }),
    ...(token !== undefined && { token }),
  });
const leaveOut = (id: number, on: string, reason = 'Anna cut the power') =>
  act(id, 'leave-out', on, { reason });
const reset = (id: number, count = 2) => call('POST', `/v1/model/reset/${id}/${count}`);
const lastOf = (type: KnownEvent['type'], id: number) =>
  events().findLast(event => event.type === type && event.stream === `source-${id}`);
/** The data of the last models of a source, but for what names the source and its request. */
const learnedBy = (id: number): object => {
  const { requestId, modelsVersion, models, assignments, ...learned } = lastOf('ModelsReset', id)
    ?.data as Readonly<Record<string, unknown>> & {
    readonly models: readonly { readonly id: number }[];
    readonly assignments: readonly { readonly modelId: number; readonly plannedId?: number }[];
  };
  const first = models[0]?.id ?? 0;
  return {
    ...learned,
    overrides: undefined,
    models: models.map(model => ({ ...model, id: model.id - first })),
    assignments: assignments.map(({ modelId, plannedId = modelId, ...day }) => ({
      ...day,
      modelId: modelId - first,
      plannedId: plannedId - first,
    })),
  };
};

const id = await create('Gate', days);

t.test('the next models are those of a source that was imported without the day', async t => {
  const without = await create(
    'Without',
    days.filter(day => day.date !== date),
  );
  const { status, body } = await leaveOut(id, date);
  t.equal(status, 200);
  t.match(body, { sourceId: id, date, referenceLeftOut: { reason: 'Anna cut the power', by: 'tester' } });
  t.equal((await reset(id)).status, 200);
  t.equal((await reset(without)).status, 200);
  t.match(lastOf('ModelsResetRequested', id)?.data, { withoutDates: exactList(date) });
  t.notOk('withoutDates' in (lastOf('ModelsResetRequested', without)?.data as object));
  t.equal(JSON.stringify(learnedBy(id)), JSON.stringify(learnedBy(without)));
});

t.test('the reason is sealed, and shown with the day', async t => {
  t.notMatch(JSON.stringify(lastOf('ReferenceDayLeftOut', id)?.data), /Anna/);
  const day = await call<Kept>('GET', `/v1/day/${id}/${date}`);
  t.match(day.body.referenceLeftOut, { reason: 'Anna cut the power', by: 'tester', byKind: 'person' });
  const year = await call<{ days: readonly (Kept & { date: string })[] }>('GET', `/v1/day/list/${id}/2025`);
  t.match(
    year.body.days.filter(({ referenceLeftOut }) => referenceLeftOut),
    exactList({ date, kind: 'reference', referenceLeftOut: { reason: 'Anna cut the power' } }),
  );
  const count = service.eventCount();
  t.match((await leaveOut(id, date, 'again')).body.referenceLeftOut, { reason: 'Anna cut the power' });
  t.equal(service.eventCount(), count, 'the same again changes nothing');
});

t.test('an explanation names the days that its models were learned without', async t => {
  const loud = { date: '2025-05-06', activity: ordinaryDay('2025-05-06').activity.map(value => 5 * value) };
  const imported = await call<{ alerts: { raised: readonly { id: string }[] } }>('POST', '/v1/import/days', {
    json: { sourceId: id, days: [loud] },
  });
  const alertId = imported.body.alerts.raised[0]?.id;
  const { body } = await call<{ reference: { leftOut: readonly object[] } }>(
    'GET',
    `/v1/alert/${alertId}/explanation`,
  );
  t.match(
    body.reference.leftOut.find(day => 'date' in day && day.date === date),
    { reason: 'left out by a person: Anna cut the power' },
  );
});

t.test('a leaving-out that is taken back is learned from again', async t => {
  const first = learnedBy(id);
  const { status, body } = await act(id, 'take-back', date);
  t.equal(status, 200);
  t.notOk('referenceLeftOut' in body);
  await reset(id);
  t.notOk('withoutDates' in (lastOf('ModelsResetRequested', id)?.data as object));
  t.notSame(learnedBy(id), first);
  const count = service.eventCount();
  t.equal((await act(id, 'take-back', date)).status, 200);
  t.equal(service.eventCount(), count);
});

t.test('refusals', async t => {
  t.match(await leaveOut(id, '2025-12-01'), { status: 404, body: { code: 'referenceDayNotFound' } });
  t.match(await act(id, 'take-back', '2025-12-01'), { status: 404, body: { code: 'referenceDayNotFound' } });
  t.match(await act(id, 'leave-out', date, {}), { status: 422, body: { code: 'bodyInvalid' } });
  t.match(await act(id, 'leave-out', date, { reason: '' }), { status: 422 });
  const planning = await tokenFor({ scopes: ['planning', 'import', 'read'] });
  t.equal((await act(id, 'leave-out', date, { reason: 'a' }, planning)).status, 403);
  const short = await create('Short', ordinaryDays('2025-01-01', 15));
  t.equal((await leaveOut(short, '2025-01-02')).status, 200);
  const count = service.eventCount();
  t.match(await leaveOut(short, '2025-01-03'), { status: 409, body: { code: 'tooFewReferenceDays' } });
  t.equal(service.eventCount(), count);
});

t.test('a source that is learned again keeps the days of its year left out', async t => {
  const old = await create('Old', ordinaryDays('2025-01-01', 60));
  await leaveOut(old, '2025-01-10');
  await leaveOut(old, '2025-02-10');
  await call('POST', '/v1/import/days', {
    json: { sourceId: old, days: ordinaryDays('2025-02-01', 365) },
  });
  const again = await call<Created>('POST', `/v1/source/${old}/relearn`, {});
  t.equal(again.status, 201);
  const { id: next } = again.body.source;
  await analysed(call, next);
  const created = lastOf('SourceCreated', next)?.data as { leftOutDays: readonly { date: string }[] };
  t.strictSame(
    created.leftOutDays.map(day => day.date),
    ['2025-02-10'],
  );
  const assigned = (lastOf('ModelsReset', next)?.data as { assignments: readonly { date: string }[] })
    .assignments;
  t.notOk(assigned.some(day => day.date === '2025-02-10'));
  t.ok(assigned.some(day => day.date === '2025-02-11'));
  t.match((await call('GET', `/v1/day/${next}/2025-02-10`)).body, {
    referenceLeftOut: { reason: 'Anna cut the power' },
  });
});

t.test('verification repeats analyses without the days', async t => {
  await idle(call);
  const log = exported(events());
  const analyst = rememberingAnalyst();
  try {
    t.match(await decidedBy(analyst, log), { findings: exactList(), undecided: 0 });
    const other = forged(
      log,
      ({ type, data }) => type === 'ModelsResetRequested' && 'withoutDates' in (data as object),
      ({ withoutDates, ...data }) => data,
    );
    const { findings } = await decidedBy(analyst, other);
    t.match(findings[0]?.detail, /the dates that people left out differ/);
  } finally {
    await analyst.close();
  }
});
