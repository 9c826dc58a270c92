import t from 'tap';
import type { Assignment, Model } from '../../../domain/planning/models.js';
import type { ModelsResetData } from '../../../domain/planning/modelChange.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { decidedBy, exported, forged, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

// Models that people edit keep their limits.

const service = await startService(t);
const { call, events } = service;

type List = {
  readonly models: readonly Model[];
  readonly bounds: { readonly calibrationDays: number } | null;
  readonly hitRate: number | null;
};
type Changed = List & {
  readonly code?: string;
  readonly overrides: readonly object[];
  readonly alerts: Readonly<Record<'raised' | 'confirmed', readonly AlertRecord[]>>;
};

const create = async (name: string, first: string) => {
  const { body } = await call<{ source: SourceRecord }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, days: ordinaryDays(first, 120) },
  });
  await analysed(call, body.source.id);
  return body.source.id;
};
const id = await create('Gate', '2023-01-01');
const list = async (source = id) => (await call<List>('GET', `/v1/model/list/${source}`)).body;
const upload = (models: readonly object[], source = id, more: object = {}) =>
  call<Changed>('POST', `/v1/model/bulk-replace/${source}`, { json: { models }, ...more });
const lastSet = () => events().findLast(({ type }) => type === 'ModelsReset')?.data as ModelsResetData;
const times = (values: readonly number[], factor: number) => values.map(value => value * factor);
const profilesOf = ({ activity, topTolerance, bottomTolerance, limits }: Model) => ({
  activity,
  topTolerance,
  bottomTolerance,
  limits,
});

/** A flat day: no slice is outside its bounds alone, but the limits that were learned find it. */
const frozen = '2024-01-16';
await call('POST', '/v1/import/days', {
  json: {
    sourceId: id,
    days: [ordinaryDay('2024-01-15'), { date: frozen, activity: Array<number>(24).fill(60) }],
  },
});
const learned = await list();
const planOf = async () =>
  (
    await call<{ days: readonly { date: string; modelId: number }[] }>('GET', `/v1/planning/list/${id}/2024`)
  ).body.days.map(({ modelId }) => modelId);

t.test('the answer of the list, sent as it is, keeps everything', async t => {
  const before = lastSet();
  const { status, body } = await call<Changed>('POST', `/v1/model/bulk-replace/${id}`, { json: learned });
  t.equal(status, 200);
  t.strictSame(body.models.map(profilesOf), learned.models.map(profilesOf));
  t.strictSame([body.bounds, body.hitRate], [learned.bounds, learned.hitRate]);
  const { checks, assignments, edited } = lastSet();
  t.strictSame(checks, before.checks);
  const [first = 0, now = 0] = [before, lastSet()].map(({ models: [model] }) => model?.id);
  const moved = ({ date, modelId, plannedId }: Assignment) => [
    date,
    modelId - first,
    (plannedId ?? 0) - first,
  ];
  t.strictSame(
    assignments.map(({ date, modelId, plannedId }) => [date, modelId - now, (plannedId ?? 0) - now]),
    before.assignments.map(moved),
  );
  t.strictSame(edited, { modelsVersion: 1, from: learned.models.map(({ id }) => id), countsPlanned: true });
  t.match((await call('GET', `/v1/source/${id}`)).body, { modelsOrigin: 'automatic', modelsVersion: 2 });
  t.match((await call('GET', `/v1/model/versions/${id}`)).body, {
    versions: exactList(
      { modelsVersion: 2, cause: 'replacement', origin: 'automatic' },
      { modelsVersion: 1 },
    ),
  });
});

t.test('models that are read in French and sent back keep their names', async t => {
  const names = async () => (await list()).models.map(({ name }) => name);
  const before = await names();
  const headers = { 'Accept-Language': 'fr' };
  const { body: french } = await call<List>('GET', `/v1/model/list/${id}`, { headers });
  t.notOk(french.models.some(({ name }) => before.includes(name)));
  await call('POST', `/v1/model/bulk-replace/${id}`, { json: french });
  t.strictSame(await names(), before);
  const [model] = (await list()).models;
  const patch = { name: french.models[0]?.name, color: '#123456' };
  await call('PATCH', `/v1/model/${id}/${model?.id}`, { json: patch });
  t.match((await list()).models[0], { name: before[0], color: '#123456' });
  t.strictSame(await names(), before);
});

t.test('an edited profile keeps all limits, planning and overrides; measured numbers go', async t => {
  const { models } = await list();
  const plan = await planOf();
  const [edited, other] = models;
  await call('PUT', `/v1/planning/${id}/2024-02-05`, { json: { modelId: edited?.id } });
  // The edited profile is now nearer to that of the other model.
  const near = { ...edited, name: 'Edited', ...(other && profilesOf(other)), limits: edited?.limits };
  near.activity = times(near.activity ?? [], 1.02);
  near.topTolerance = times(near.topTolerance ?? [], 1.5);
  const { status, body } = await upload([near, ...models.slice(1)]);
  t.equal(status, 200);
  t.strictSame(body.models[0]?.limits, edited?.limits);
  t.strictSame(body.models[0]?.topTolerance, near.topTolerance);
  t.strictSame(body.models.slice(1).map(profilesOf), models.slice(1).map(profilesOf));
  t.match(body, { bounds: { calibrationDays: 0, falseAlertsPerYear: null }, hitRate: null });
  t.match(body.overrides, exactList({ date: '2024-02-05', to: { name: 'Edited' } }), 'of the same model');
  const shift = (body.models[0]?.id ?? 0) - (edited?.id ?? 0);
  t.strictSame(
    (await planOf()).map(modelId => modelId - shift),
    plan.map((modelId, day) => (day === 35 ? edited?.id : modelId)),
  );
  const found = [...body.alerts.raised, ...body.alerts.confirmed];
  t.equal(found.find(({ date }) => date === frozen)?.kind, 'frozen', 'flatlines are found as before');
});

t.test('models that are added have bounds only, and the planning follows the nearest ones', async t => {
  const { models } = await list();
  const own = { name: 'Own', color: '#112233', activity: Array<number>(24).fill(50) };
  const wide = { topTolerance: Array<number>(24).fill(900), bottomTolerance: Array<number>(24).fill(0) };
  const { body } = await upload([...models, { ...own, ...wide }]);
  t.match(body.models.at(-1), { name: 'Own', limits: undefined });
  t.strictSame(body.models.slice(0, -1).map(profilesOf), models.map(profilesOf));
  t.notOk(lastSet().assignments.some(({ plannedId }) => plannedId !== undefined));
  t.match(lastSet().edited?.from, exactList(...models.map(model => model.id), null));
  // Left out again: no model is added or removed twice.
  const { body: without } = await upload(body.models.slice(0, -1));
  t.strictSame(without.models.map(profilesOf), models.map(profilesOf));
});

t.test('models of another source, and models without limits, have bounds only', async t => {
  const other = await create('Other', '2023-02-01');
  const { models } = await list();
  const foreign = await upload(models, other);
  t.match(foreign.body, { bounds: null, models: exactList(...models.map(() => ({ limits: undefined }))) });
  t.equal(events().at(-1)?.type === 'ModelsReset', false);
  const [first, ...rest] = models;
  const twice = await upload([{ ...first }, { ...first, name: 'Copy' }, ...rest]);
  t.strictSame(
    twice.body.models.map(({ limits }) => limits !== undefined),
    [true, false, ...rest.map(() => true)],
  );
  const bare = twice.body.models.map(({ limits, ...model }) => model);
  t.match((await upload(bare)).body, { bounds: null });
  t.match((await call('GET', `/v1/source/${id}`)).body, { modelsOrigin: 'custom' });
  await call('POST', `/v1/model/restore/${id}/2`);
});

t.test(
  'edits of models that were replaced meanwhile are refused or bare, and a retry is done once',
  async t => {
    const { models } = await list();
    const headers = { 'Idempotency-Key': 'edit once' };
    const once = await upload(models, id, { headers });
    const count = service.eventCount();
    t.strictSame((await upload(models, id, { headers })).body, once.body);
    t.equal(service.eventCount(), count);
  },
);

t.test('verification repeats edits, and finds others', async t => {
  await idle(call);
  const log = exported(events());
  const analyst = rememberingAnalyst();
  try {
    t.match(await decidedBy(analyst, log), { findings: exactList(), undecided: 0 });
    const isEdit = ({ type, data }: { readonly type: string; readonly data: unknown }) =>
      type === 'ModelsReset' && (data as ModelsResetData).modelsVersion === 3;
    const other = forged(log, isEdit, ({ checks, ...data }) => ({
      ...data,
      checks: { ...(checks as object), longestRun: 77 },
    }));
    t.ok((await decidedBy(analyst, other)).findings.length > 0);
    const version = forged(log, isEdit, ({ edited, ...data }) => ({
      ...data,
      edited: { ...(edited as object), modelsVersion: 1 },
    }));
    t.match(
      (await decidedBy(analyst, version)).findings[0]?.detail,
      /the models before it are not those of version 1/,
    );
  } finally {
    await analyst.close();
  }
});
