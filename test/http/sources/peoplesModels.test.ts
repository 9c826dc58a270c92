import t from 'tap';
import type { Analyst } from '../../../application/ports/analyst.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { decidedBy, exported, forged, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { eventually, ordinaryDays } from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// Models that people set stay when a source that collects its reference takes more days into it.

const pool = sharedAnalyst();

type Source = {
  readonly analysis: object;
  readonly modelsOrigin: string;
  readonly modelsVersion: number;
  readonly reference: { readonly days: number };
};
type Models = { readonly models: readonly { readonly id: number; readonly name: string }[] };

const own = {
  name: 'My own',
  color: '#ff0000',
  anomaly: false,
  activity: Array<number>(24).fill(50),
  topTolerance: Array<number>(24).fill(200),
  bottomTolerance: Array<number>(24).fill(0),
};

t.test('models of people stay while the reference grows, until they ask for others', async t => {
  const clock = drivenClock('2024-03-01T09:00:00.000Z');
  const { ask, send, importDays, events } = await serviceBy(t, clock, pool);
  const created = await send<{ id: number }>('POST', '/v1/source', { name: 'New meter', activitySize: 24 });
  const { id } = created.body;
  const source = () => ask<Source>('GET', `/v1/source/${id}`);
  const datesOf = (first: string, count: number) => ordinaryDays(first, count).map(({ date }) => date);
  const withReference = (days: number) =>
    eventually(`a reference of ${days} days`, async () => {
      const now = await source();
      return now.reference.days === days ? now : undefined;
    });
  await ask('POST', `/v1/model/bulk-replace/${id}`, { models: [own] });
  await clock.leapTo('2024-04-26T09:00:00Z');
  await importDays(id, ...datesOf('2024-03-01', 56));
  await clock.leapTo('2024-04-26T23:59:00Z');
  t.match(await withReference(56), {
    ...{ modelsOrigin: 'custom', modelsVersion: 1 },
    analysis: { status: 'completed', referenceExtendedAt: /^2024-04-26/ },
  });
  t.match(
    await ask('GET', `/v1/model/versions/${id}`),
    { versions: exactList({ modelsVersion: 1, cause: 'replacement', origin: 'custom' }) },
    'no automatic models',
  );
  const strange = { date: '2024-04-26', activity: Array<number>(24).fill(900) };
  const checked = await ask('POST', '/v1/import/days', { sourceId: id, days: [strange] });
  t.match(checked, { days: exactList({ date: '2024-04-26', status: 'abnormal' }) });

  t.equal((await ask<Models>('POST', `/v1/model/reset/${id}/2`)).models.length, 2);
  const learned = await source();
  t.match(learned, { modelsOrigin: 'automatic', modelsVersion: 2 });
  t.notOk('referenceExtendedAt' in learned.analysis, 'a reset learned from the longer reference');
  const { models } = await ask<Models>('GET', `/v1/model/list/${id}`);
  const edited = models.map(model => ({ ...model, name: `My ${model.name}` }));
  await ask('POST', `/v1/model/bulk-replace/${id}`, { models: edited });

  await clock.leapTo('2024-06-01T09:00:00Z');
  await importDays(id, ...datesOf('2024-04-26', 36));
  await clock.leapTo('2024-06-01T23:59:00Z');
  t.match(await withReference(92), { modelsOrigin: 'automatic', modelsVersion: 3 });
  const kept = await ask<Models>('GET', `/v1/model/list/${id}`);
  t.strictSame(
    kept.models.map(({ name }) => name),
    edited.map(({ name }) => name),
  );
  await importDays(id, '2024-06-01');

  const analyses = rememberingAnalyst();
  t.teardown(() => analyses.close());
  const log = exported(await events());
  t.strictSame((await decidedBy(analyses, log)).findings, []);
  const lies = forged(
    log,
    ({ type, data }) =>
      type === 'ReferenceExtended' && (data as { keepsModels?: boolean }).keepsModels === true,
    data => ({ ...data, keepsModels: false }),
  );
  const lie = { detail: 'got keepsModels false, expected true by the models before it' };
  t.match((await decidedBy(analyses, lies)).findings, exactList(lie, lie));
});

t.test('an answer says whether the work of a change of models has ended', async t => {
  const clock = drivenClock('2024-03-01T09:00:00.000Z');
  let goOn = (): void => undefined;
  let held: Promise<void> | undefined;
  const holding: Analyst = {
    ...pool,
    run: async (...job) => {
      await held;
      return pool.run(...job);
    },
  };
  const { send, create, importDays } = await serviceBy(t, clock, holding);
  const id = await create('Meter');
  await importDays(id, '2024-02-26');
  type Answer = Models & { readonly checked: boolean };
  held = new Promise(resolve => (goOn = resolve));
  let answered = false;
  const waiting = send<Answer>('POST', `/v1/model/reset/${id}/1`).finally(() => (answered = true));
  // The request waits no longer than the clock says.
  await eventually('the answer', async () => {
    await clock.leapTo(new Date(clock.environment.nowMs() + 60_000).toISOString());
    return answered || undefined;
  });
  goOn();
  held = undefined;
  const reset = await waiting;
  t.match(reset, { status: 202, body: { checked: false } });
  t.not(reset.body.models.length, 1, 'the models before');
  t.match(await send('POST', `/v1/model/reset/${id}/2`), { status: 200, body: { checked: true } });
  const [model] = (await send<Models>('GET', `/v1/model/list/${id}`)).body.models;
  const path = `/v1/model/${id}/${model?.id}`;
  t.match(await send('PATCH', path, { anomaly: true }), { status: 200, body: { checked: true } });
});
