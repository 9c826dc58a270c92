import t from 'tap';
import type { KnownEvent } from '../../../domain/events.js';
import type { Assignment, Model } from '../../../domain/planning/models.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { decidedBy, exported, forged, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { checkedAsk } from '../../helpers/documents/checkedAsk.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

// A source goes back to earlier models.

const service = await startService(t);
const { call, events, tokenFor } = service;

type Version = { readonly modelsVersion: number; readonly cause: string; readonly restoredFrom?: number };
type Changed = {
  readonly models: readonly Model[];
  readonly restoredFrom?: number;
  readonly code?: string;
  readonly alerts: Readonly<
    Record<'raised' | 'invalidated' | 'confirmed' | 'unchanged', readonly AlertRecord[]>
  >;
};
const created = await call<{ source: SourceRecord }>('POST', '/v1/import/create-source', {
  json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 120) },
});
const { id } = created.body.source;
await analysed(call, id);
const versions = async (query = '') =>
  (
    await call<{ versions: readonly Version[]; nextCursor?: string }>(
      'GET',
      `/v1/model/versions/${id}${query}`,
    )
  ).body;
const restore = (version: number, query = '', more: object = {}) =>
  call<Changed>('POST', `/v1/model/restore/${id}/${version}${query}`, more);
const models = async () =>
  (await call<{ models: readonly Model[] }>('GET', `/v1/model/list/${id}`)).body.models;
const lastModels = () =>
  events().findLast(({ type }) => type === 'ModelsReset' || type === 'ModelsReplaced')?.data as {
    readonly models: readonly Model[];
    readonly assignments: readonly Assignment[];
    readonly modelsVersion: number;
    readonly restoredFrom?: number;
  };
/** The bytes of models but for what a restoring changes. */
const kept = ({ requestId, modelsVersion, overrides, restoredFrom, ...data }: Record<string, unknown>) => {
  const first = (data['models'] as readonly Model[])[0]?.id ?? 0;
  return JSON.stringify(data, (key, value: unknown) =>
    ['id', 'modelId', 'plannedId'].includes(key) ? Number(value) - first : value,
  );
};
const dataOf = (type: KnownEvent['type'], version: number) =>
  events().find(
    event => event.type === type && (event.data as { modelsVersion: number }).modelsVersion === version,
  )?.data as Record<string, unknown>;

const loud = '2024-01-16';
await call('POST', '/v1/import/days', {
  json: {
    sourceId: id,
    days: [ordinaryDay('2024-01-15'), { date: loud, activity: ordinaryDay(loud).activity.map(v => 3 * v) }],
  },
});

t.test('versions say when, why, by whom and with what', async t => {
  await call('POST', `/v1/model/reset/${id}/3`);
  const flat = Array<number>(24).fill(50);
  const custom = { name: 'flat', color: '#112233', activity: flat };
  const wide = { topTolerance: flat.map(v => v * 9), bottomTolerance: flat.map(v => v - 50) };
  await call('POST', `/v1/model/bulk-replace/${id}`, { json: { models: [{ ...custom, ...wide }] } });
  const [model] = await models();
  await call('PATCH', `/v1/model/${id}/${model?.id}`, { json: { anomaly: true, name: 'noise' } });
  const list = await versions();
  t.match(
    list.versions,
    exactList(
      { modelsVersion: 4, cause: 'anomaly', origin: 'custom', modelCount: 1, by: 'tester', byKind: 'person' },
      { modelsVersion: 3, cause: 'replacement', origin: 'custom', modelCount: 1, by: 'tester' },
      { modelsVersion: 2, cause: 'reset', origin: 'automatic', modelCount: 3, by: 'tester' },
      { modelsVersion: 1, cause: 'creation', origin: 'automatic', by: 'tester', engine: /^daybook-calendar/ },
    ),
  );
  t.notOk('nextCursor' in list);
  const page = await versions('?limit=3');
  t.strictSame([page.versions.map(one => one.modelsVersion), page.nextCursor], [[4, 3, 2], '2']);
  t.match(await versions(`?limit=3&cursor=${page.nextCursor}`), {
    versions: exactList({ modelsVersion: 1 }),
  });
  const position = events().find(({ type }) => type === 'ModelsReplaced')?.position ?? 0n;
  t.equal((await versions(`?asOf=${position - 1n}`)).versions.length, 2);
});

t.test('restored models are equal to the byte but for ids; plan and checks follow', async t => {
  const now = await models();
  const { status, body } = await restore(1);
  t.equal(status, 200);
  t.equal(body.restoredFrom, 1);
  const found = [...body.alerts.raised, ...body.alerts.confirmed].map(({ date }) => date);
  t.strictSame(found, [loud]);
  const data = lastModels();
  t.match(data, { modelsVersion: 5, restoredFrom: 1 });
  t.equal(kept(data), kept(dataOf('ModelsReset', 1)));
  t.ok(data.models.every(model => now.every(other => other.id < model.id)));
  t.strictSame(await models(), body.models);
  const ask = await checkedAsk(call);
  t.match(await ask<SourceRecord>('GET', `/v1/source/${id}`), {
    modelsVersion: 5,
    modelsOrigin: 'automatic',
    analysis: { status: 'completed', restoredFrom: 1 },
  });
  const checks = events().filter(
    ({ type, data }) => type === 'DaysChecked' && (data as { modelsVersion: number }).modelsVersion === 5,
  );
  t.equal(checks.length, 1);
  const planned = await call<{ days: readonly { date: string; modelId: number }[] }>(
    'GET',
    `/v1/planning/list/${id}/2024`,
  );
  t.ok(planned.body.days.every(({ modelId }) => data.models.some(model => model.id === modelId)));
  t.match((await versions()).versions[0], {
    modelsVersion: 5,
    cause: 'restore',
    restoredFrom: 1,
    by: 'tester',
  });
});

t.test('names, flags and assignments are those that the version had last', async t => {
  t.equal((await restore(4)).status, 200);
  t.match(await models(), exactList({ name: 'noise', anomaly: true, color: '#112233' }));
  t.equal((await restore(3)).status, 200);
  t.match(await models(), exactList({ name: 'noise', anomaly: false }), 'the name came before the flag');
  t.match(lastModels(), { modelsVersion: 7, restoredFrom: 3 });
  t.equal((await restore(5)).status, 200, 'restored models are a version, too');
  t.match(lastModels(), { modelsVersion: 8, restoredFrom: 5 });
  t.equal(kept(lastModels() as never), kept(dataOf('ModelsReset', 1)));
});

t.test('overrides are carried, or dropped on request', async t => {
  const [first] = await models();
  await call('PUT', `/v1/planning/${id}/2024-02-05`, { json: { modelId: first?.id } });
  const carried = await restore(2);
  t.match(carried.body, { overrides: exactList({ date: '2024-02-05' }) });
  const [again] = await models();
  await call('PUT', `/v1/planning/${id}/2024-02-06`, { json: { modelId: again?.id } });
  const dropped = { to: null };
  t.match((await restore(1, '?keepPlanning=false')).body, { overrides: exactList(dropped, dropped) });
});

t.test('refusals change nothing, and a retry is done once', async t => {
  const count = service.eventCount();
  t.match(await restore(99), { status: 404, body: { code: 'modelsVersionNotFound' } });
  t.match(await restore(0), { status: 422 });
  const { versions: all } = await versions();
  t.match(await restore(all[0]?.modelsVersion ?? 0), { status: 409, body: { code: 'modelsCurrent' } });
  const token = await tokenFor({ scopes: ['read', 'planning'] });
  t.equal((await restore(1, '', { token })).status, 403);
  t.equal(service.eventCount(), count);
  const headers = { 'Idempotency-Key': 'once' };
  const once = await restore(2, '', { headers });
  t.equal(once.status, 200);
  t.strictSame((await restore(2, '', { headers })).body, once.body);
  t.equal((await versions()).versions.length, all.length + 1);
});

t.test('verification finds restored models that are other ones', async t => {
  await idle(call);
  const log = exported(events());
  const analyst = rememberingAnalyst();
  try {
    t.match(await decidedBy(analyst, log), { findings: exactList(), undecided: 0 });
    const other = forged(
      log,
      ({ data }) =>
        (data as { restoredFrom?: number; modelsVersion: number }).restoredFrom === 1 &&
        (data as { modelsVersion: number }).modelsVersion === 5,
      ({ models: list, ...data }) => ({
        ...data,
        models: (list as readonly Model[]).map(model => ({ ...model, color: '#000000' })),
      }),
    );
    t.match((await decidedBy(analyst, other)).findings[0]?.detail, /its models are not those of version 1/);
    const ids = forged(
      log,
      ({ data }) =>
        (data as { modelsVersion: number }).modelsVersion === 6 && 'restoredFrom' in (data as object),
      data => ({ ...data, modelsVersion: 16 }),
    );
    t.ok((await decidedBy(analyst, ids)).findings.length > 0);
  } finally {
    await analyst.close();
  }
});
