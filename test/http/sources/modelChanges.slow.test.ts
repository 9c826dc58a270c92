import fc from '../../helpers/property.js';
import t from 'tap';
import { daysPerCheck } from '../../../application/followUps/checks/checkPart.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import type { Model } from '../../../domain/planning/models.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { MovedOverride } from '../../../projections/planningBases.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { decidedAgain } from '../../helpers/decisions/decided.js';
import {
  analysed,
  eventually,
  idle,
  ordinaryDay,
  ordinaryDays,
  startService,
} from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// Changes of models, and the state that new models keep.

const service = await startService(t);
const { call } = service;
const reference = ordinaryDays('2023-01-01', 120);
type Alerts = Readonly<Record<'raised' | 'confirmed' | 'invalidated' | 'unchanged', readonly AlertRecord[]>>;
type Changed = {
  readonly models: readonly Model[];
  readonly overrides: readonly MovedOverride[];
  readonly alerts: Alerts;
};
type Preview = Omit<Changed, 'alerts'> & {
  readonly alerts: {
    readonly gained: readonly { readonly date: string; readonly plannedModelId: number }[];
    readonly kept: readonly { readonly alertId: string; readonly plannedModelId: number }[];
    readonly lost: readonly AlertRecord[];
    readonly counts: Readonly<Record<'gained' | 'kept' | 'lost', number>>;
  };
};
const create = async (name: string): Promise<number> => {
  const { body } = await call<{ source: SourceRecord }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, days: reference, calendar: 'FR' },
  });
  await analysed(call, body.source.id);
  return body.source.id;
};
const id = await create('Gate');
const modelsOf = async (sourceId = id) =>
  (await call<{ models: readonly Model[] }>('GET', `/v1/model/list/${sourceId}`)).body;
const planOf = async (date: string) =>
  (await call<{ days: readonly DayPlan[] }>('GET', `/v1/planning/list/${id}/2024`)).body.days.find(
    day => day.date === date,
  );
const patch = (modelId: number, json: unknown) =>
  call<
    Model & {
      alerts: Alerts;
      checked: boolean;
      code: string;
      errors: readonly { code: string; pointer: string }[];
    }
  >('PATCH', `/v1/model/${id}/${modelId}`, { json });
const monday = '2024-01-15';
const sunday = '2024-01-14';
const high = (date: string) => ({ date, activity: ordinaryDay(date).activity.map(value => value + 500) });
await call('POST', '/v1/import/days', {
  json: { sourceId: id, days: [...ordinaryDays('2024-01-08', 14), high('2024-01-22'), high('2024-01-23')] },
});
const alertIds = async (state = 'unprocessed') =>
  (
    await call<{ alerts: readonly AlertRecord[] }>('GET', `/v1/alert/list?sourceId=${id}&state=${state}`)
  ).body.alerts.map(alert => alert.id);

/** The model of an answer, without what its change brought. */
const recordOf = <Body extends { readonly alerts: unknown; readonly checked: boolean }>({
  alerts,
  checked,
  ...model
}: Body) => model;

t.test('a patch changes the name and the colour of a model', async t => {
  const { models } = await modelsOf();
  const [first, second] = models;
  const count = service.eventCount();
  const { status, body } = await patch(first!.id, { name: 'Days of work', color: '#123456' });
  t.equal(status, 200);
  t.strictSame(
    recordOf(body),
    { ...first, name: 'Days of work', names: { fr: 'Days of work' }, color: '#123456' },
    'profile and limits stay',
  );
  t.strictSame(body.alerts.raised, []);
  t.equal(service.eventCount(), count + 1, 'nothing is checked');
  t.match((await planOf(monday))?.reason, /"Days of work"/, 'plans say the new name');
  t.equal((await patch(first!.id, { name: 'Days of work' })).status, 200);
  t.equal((await patch(first!.id, {})).status, 200);
  t.equal(service.eventCount(), count + 1, 'the same again appends nothing');
  const taken = await patch(first!.id, { name: second!.name });
  t.match(taken, {
    status: 422,
    body: { code: 'modelsInvalid', errors: exactList({ code: 'nameTaken', pointer: '/name' }) },
  });
  t.match(await patch(999, { name: 'x' }), { status: 404, body: { code: 'notFound' } });
});

t.test('the anomaly flag of an automatic model changes its planning and checks', async t => {
  const { models } = await modelsOf();
  const working = (await planOf(monday))?.modelId ?? 0;
  const before = await call<SourceRecord>('GET', `/v1/source/${id}`);
  const { status, body } = await patch(working, { anomaly: true });
  t.equal(status, 200);
  t.strictSame(recordOf(body), { ...models.find(model => model.id === working), anomaly: true });
  t.not((await planOf(monday))?.modelId, working, 'it is planned no more');
  t.ok(
    body.alerts.raised.some(({ date }) => date === monday),
    'the days are checked by the new planning',
  );
  t.match((await call<SourceRecord>('GET', `/v1/source/${id}`)).body, {
    modelsVersion: before.body.modelsVersion + 1,
    modelsOrigin: 'automatic',
  });
  const back = await patch(working, { anomaly: false });
  t.equal((await planOf(monday))?.modelId, working);
  t.ok(back.body.alerts.invalidated.some(({ date }) => date === monday));
  t.strictSame((await modelsOf()).models, models, 'the models are unchanged');
});

t.test('an alert that new models raise again keeps its id, state and history', async t => {
  const [first = '', second = ''] = await alertIds();
  t.strictSame(
    [first, second].map(alertId => alertId.slice(2, 10)),
    ['20240122', '20240123'],
  );
  await call('POST', `/v1/alert/${first}/acknowledge`);
  const before = await call<{ events: readonly object[] }>('GET', `/v1/alert/${first}/history`);
  const preview = await call<Preview>('POST', `/v1/model/preview/${id}/2`);
  const { status, body } = await call<Changed>('POST', `/v1/model/reset/${id}/2`);
  t.equal(status, 200);
  t.strictSame(
    body.alerts.confirmed.map(alert => alert.id),
    [first, second],
  );
  t.match(body.alerts, { raised: { length: 0 }, invalidated: { length: 0 } });
  t.match((await call('GET', `/v1/alert/${first}`)).body, { state: 'acknowledged', modelsVersion: 4 });
  const after = await call<{ events: readonly object[] }>('GET', `/v1/alert/${first}/history`);
  t.strictSame(after.body.events.slice(0, -1), before.body.events);
  t.match(after.body.events.at(-1), { type: 'AlertConfirmed', by: 'reactor' });
  t.match(preview.body.alerts, {
    kept: exactList({ alertId: first }, { alertId: second }),
    counts: { gained: 0, kept: 2, lost: 0 },
  });
  t.match(
    (await call('GET', `/v1/alert/${second}/explanation`)).body,
    { check: { cause: { type: 'ModelsReset' } }, models: { version: 4 } },
    'its explanation is about the new finding',
  );
});

t.test('a reset carries overrides of the planning to the new models', async t => {
  const weekend = (await planOf(sunday))?.modelId ?? 0;
  await call('PUT', `/v1/planning/${id}/${monday}`, { json: { modelId: weekend } });
  await call('PUT', `/v1/calendar/${id}/2024-02-01`, { json: { name: 'Fair' } });
  const { models: before } = await modelsOf();
  const name = before.find(model => model.id === weekend)?.name;
  const preview = await call<Preview>('POST', `/v1/model/preview/${id}/3?coverage=0.95`);
  t.equal(preview.status, 200);
  const count = service.eventCount();
  const { body } = await call<Changed>('POST', `/v1/model/reset/${id}/3?coverage=0.95`);
  t.ok(service.eventCount() > count);
  const plan = await planOf(monday);
  t.match(plan, {
    origin: 'manual',
    modelId: (await planOf(sunday))?.modelId,
    reason: /by tester, who chose/,
  });
  t.match(
    body.overrides,
    exactList({ date: monday, from: { id: weekend, name }, to: { id: plan?.modelId } }),
  );
  t.match(
    (await call<{ days: readonly { date: string }[] }>('GET', `/v1/calendar/list/${id}/2024`)).body.days.find(
      ({ date }) => date === '2024-02-01',
    ),
    { type: 'special', name: 'Fair' },
  );
  t.strictSame(preview.body.models, body.models, 'the preview had these models');
  t.strictSame(preview.body.overrides, body.overrides, 'and overrides');
  t.strictSame(
    preview.body.alerts.gained.map(({ date, plannedModelId }) => [date, plannedModelId]),
    body.alerts.raised.map(({ date, plannedModelId }) => [date, plannedModelId]),
  );
  t.strictSame(
    preview.body.alerts.kept.map(({ alertId, plannedModelId }) => [alertId, plannedModelId]),
    body.alerts.confirmed.map(({ id: alertId, plannedModelId }) => [alertId, plannedModelId]),
  );
  t.strictSame(
    preview.body.alerts.lost.map(alert => alert.id),
    body.alerts.invalidated.map(alert => alert.id),
  );

  const dropped = await call<Changed>('POST', `/v1/model/reset/${id}/2?keepPlanning=false`);
  t.match(dropped.body.overrides, exactList({ date: monday, to: null }));
  t.equal((await planOf(monday))?.origin, 'automatic');
});

t.test('a preview stores nothing, and stops when its client disconnects', async t => {
  await idle(call);
  const count = service.eventCount();
  const { body, status } = await call<Preview>('POST', `/v1/model/preview/${id}/4?keepPlanning=false`);
  t.equal(status, 200);
  t.equal(body.models.length, 4);
  const token = await service.tokenFor({});
  let waitMs = 10;
  // A client that leaves early may do so before the service has its request.
  await eventually('the end of the analysis', async () => {
    const leaving = new AbortController();
    const gone = fetch(`${service.address()}/v1/model/preview/${id}/60`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      signal: leaving.signal,
    }).catch(() => undefined);
    await new Promise(resolve => setTimeout(resolve, (waitMs *= 2)));
    leaving.abort();
    await gone;
    return service.logged().includes('client disconnected') || undefined;
  });
  t.equal(service.eventCount(), count, 'nothing is stored');
});

t.test('a preview of more drifting days than a part of a check has one alert, as the reset has', async t => {
  const moved = await create('Moved');
  const days = ordinaryDays('2024-01-01', 60).map(({ date, activity }) => ({
    date,
    activity: activity.map(value => 1.3 * value + 20),
  }));
  await call('POST', '/v1/import/days', { json: { sourceId: moved, days } });
  const { body: preview } = await call<Preview>('POST', `/v1/model/preview/${moved}/3`);
  const { body: reset } = await call<Changed>('POST', `/v1/model/reset/${moved}/3`);
  t.strictSame(
    [preview.alerts.gained, preview.alerts.kept, preview.alerts.lost].map(({ length }) => length),
    [reset.alerts.raised, reset.alerts.confirmed, reset.alerts.invalidated].map(({ length }) => length),
  );
  const all = await call<{ alerts: readonly AlertRecord[] }>(
    'GET',
    `/v1/alert/list?sourceId=${moved}&state=unprocessed`,
  );
  t.equal(preview.alerts.counts.gained + preview.alerts.counts.kept, all.body.alerts.length);
  t.ok(
    all.body.alerts.every(({ date }) => date < days[daysPerCheck]!.date),
    `no alert after the first part: ${all.body.alerts.map(({ date, kind }) => `${date} ${kind}`).join()}`,
  );
  t.ok(all.body.alerts.length > 0);
});

t.test('the list of models can be posted back unchanged', async t => {
  const before = await modelsOf();
  const { status, body } = await call<Changed>('POST', `/v1/model/bulk-replace/${id}`, { json: before });
  t.equal(status, 200);
  const essence = (models: readonly Model[]) =>
    models.map(({ name, color, anomaly, activity, topTolerance, bottomTolerance }) => ({
      ...{ name, color, anomaly, activity, topTolerance, bottomTolerance },
    }));
  t.strictSame(essence(body.models), essence(before.models));
  const level = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  const drafts = fc.uniqueArray(
    fc.record({
      name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      color: fc.constantFrom('#00aaff', '#FFFFFF'),
      anomaly: fc.boolean(),
      levels: fc.array(fc.tuple(level, level, level), { minLength: 24, maxLength: 24 }),
    }),
    { minLength: 1, maxLength: 5, selector: ({ name }) => name },
  );
  await fc.assert(
    fc.asyncProperty(drafts, async models => {
      const sorted = models.map(({ levels, ...model }) => {
        const ordered = levels.map(values => [...values].sort((a, b) => a - b));
        const of = (index: number) => ordered.map(values => values[index]);
        return { ...model, bottomTolerance: of(0), activity: of(1), topTolerance: of(2) };
      });
      const posted = await call('POST', `/v1/model/bulk-replace/${id}`, { json: { models: sorted } });
      if (posted.status !== 200) throw new Error(posted.text);
      const one = await modelsOf();
      const again = await call<Changed>('POST', `/v1/model/bulk-replace/${id}`, { json: one });
      t.strictSame(essence(again.body.models), essence(one.models));
    }),
    { numRuns: 10 },
  );
});

t.test('the anomaly flag of a custom model assigns the reference days again', async t => {
  const flat = (name: string, level: number, anomaly = false) => ({
    ...{ name, color: '#00aaff', anomaly },
    activity: Array<number>(24).fill(level),
    topTolerance: Array<number>(24).fill(level + 60),
    bottomTolerance: Array<number>(24).fill(level - 60),
  });
  const json = { models: [flat('low', 30), flat('busy', 60), flat('fire', 900, true)] };
  const { body } = await call<Changed>('POST', `/v1/model/bulk-replace/${id}`, { json });
  const [low, busy, fire] = body.models;
  t.ok(busy!.days > 0);
  const changed = await patch(busy!.id, { anomaly: true });
  t.strictSame(recordOf(changed.body), { ...busy, anomaly: true, days: 0 });
  t.strictSame(
    (await modelsOf()).models.map(({ days }) => days),
    [low!.days + busy!.days, 0, 0],
    'its reference days go to the nearest other model',
  );
  const back = await patch(busy!.id, { anomaly: false, name: 'very busy' });
  t.strictSame(recordOf(back.body), { ...busy, name: 'very busy', names: { fr: 'very busy' } });
  t.strictSame((await modelsOf()).models[2], fire);
});

t.test('verify --decisions reproduces the decisions of the service', async t => {
  await idle(call);
  const log = service.events();
  const types = new Set(log.map(({ type }) => type));
  for (const type of [
    'ModelDescribed',
    'ModelAnomalyChanged',
    'AlertConfirmed',
    'ModelsReset',
    'ModelsReplaced',
  ])
    t.ok(types.has(type), type);
  t.match(await decidedAgain(log), { findings: exactList(), findingCount: 0, undecided: 0, awaited: 0 });
  const at = log.findIndex(({ type }) => type === 'ModelAnomalyChanged');
  const forged = log.map((event, index) =>
    index === at ? { ...event, data: { ...(event.data as object), modelsVersion: 9 } } : event,
  );
  t.match((await decidedAgain(forged)).findings[0], {
    detail: /ModelAnomalyChanged does not follow.*modelsVersion got 9/,
  });
  const carried = log.findIndex(
    ({ data }) =>
      ((data as { overrides?: { carried: readonly object[] } }).overrides?.carried.length ?? 0) > 0,
  );
  const moved = log.map((event, index) =>
    index === carried
      ? { ...event, data: { ...(event.data as object), overrides: { carried: [], dropped: [] } } }
      : event,
  );
  t.match((await decidedAgain(moved)).findings[0], { detail: /ModelsReset does not follow.*overrides/ });
});
