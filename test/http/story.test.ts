// Two sources from their creation to a restart: models, alerts, planning, lists.
import t from 'tap';
import { alertStates } from '../../domain/alerts/alertsState.js';
import type { AlertRecord } from '../../projections/alertPages.js';
import type { AlertStep } from '../../projections/alerts.js';
import type { SourceRecord } from '../../projections/sources/sourceRecords.js';
import type { Model } from '../../domain/planning/models.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import {
  checkingClient,
  idsOf,
  dayWith,
  type Alerts,
  type Created,
  type Imported,
  type Changed,
  type Days,
  type Planning,
  type AlertList,
} from '../helpers/checkingClient.js';
import { analysed, csvOf, ordinaryDay, ordinaryDays, startService } from '../helpers/service.js';
import { exactList } from '../helpers/exactList.js';

const service = await startService(t);
const { eventCount } = service;
const client = await checkingClient(service);
const { ask, get, importDays, modelsOf, dayOf } = client;
const reference = ordinaryDays('2022-01-01', 365);

t.test('CSV and JSON of the same year create equal sources', async t => {
  const byCsv = await ask<Created>('POST', '/v1/import-csv/create-source?name=Alpha%20%C3%A9', {
    csv: csvOf(reference),
  });
  t.equal(byCsv.status, 201);
  t.equal(byCsv.headers.get('location'), '/v1/source/1');
  t.match(byCsv.body, {
    source: {
      id: 1,
      name: 'Alpha é',
      referenceYear: 2022,
      activitySize: 24,
      interpolationMethod: 'zero',
      aggregation: 'mean',
      reference: { from: '2022-01-01', to: '2022-12-31', days: 365, completeDays: 365, completeness: 1 },
      analysis: { status: /^(pending|running)$/ },
      modelsOrigin: null,
      counts: { referenceDays: 365, recentDays: 0, models: 0, unprocessedAlerts: 0 },
    },
    import: {
      lines: 8760,
      days: 365,
      missingSamples: 0,
      filledSamples: 0,
      duplicates: 0,
      warnings: exactList({ code: 'thousands' }),
    },
    analysis: { status: /^(pending|running)$/ },
  });
  const byJson = await ask<Created>('POST', '/v1/import/create-source', {
    json: { name: 'Beta', referenceYear: 2022, days: [...reference].reverse() },
  });
  t.equal(byJson.status, 201);
  t.equal(byJson.headers.get('location'), '/v1/source/2');
  await analysed(ask, 1);
  await analysed(ask, 2);
  const withoutIds = (models: readonly Model[]) => JSON.stringify(models.map(model => ({ ...model, id: 0 })));
  t.equal(
    withoutIds(await modelsOf(1)),
    withoutIds(await modelsOf(2)),
    'their models are the same, byte for byte',
  );
  const plan = async (id: number) =>
    JSON.stringify((await get<Planning>(`/v1/planning/list/${id}/2023`)).days);
  t.equal(await plan(1), await plan(2), 'and so is what is planned');
});

t.test('the record of a source has its facts and counts', async t => {
  const one = await get<SourceRecord>('/v1/source/1');
  t.match(one, {
    id: 1,
    analysis: { status: 'completed' },
    modelsOrigin: 'automatic',
    modelsVersion: 1,
    counts: { referenceDays: 365, recentDays: 0, models: (await modelsOf(1)).length, unprocessedAlerts: 0 },
    createdAt: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  });
  const list = await get<{ sources: readonly SourceRecord[]; nextCursor?: string }>('/v1/source/list');
  t.strictSame(list.sources[0], one, 'the list has the same');
  t.strictSame([list.sources.length, list.nextCursor], [2, undefined]);
  const first = await get<{ sources: readonly SourceRecord[]; nextCursor?: string }>(
    '/v1/source/list?limit=1',
  );
  t.strictSame([first.sources.map(({ id }) => id), first.nextCursor], [[1], '1']);
  const rest = await get<typeof first>(`/v1/source/list?limit=1&cursor=${first.nextCursor}`);
  t.strictSame([rest.sources.map(({ id }) => id), rest.nextCursor], [[2], undefined]);
});

t.test('a source has models and a planning for every date', async t => {
  const models = await modelsOf(1);
  t.ok(models.length >= 2 && models.length <= 64, `${models.length} models`);
  t.equal(new Set(models.map(({ name }) => name)).size, models.length, 'names of their own');
  for (const { name, color, activity, topTolerance, bottomTolerance, anomaly } of models) {
    t.match(color, /^#[0-9A-Fa-f]{6}$/, name);
    t.equal(anomaly, false);
    t.ok(
      activity.length === 24 &&
        activity.every(
          (value, slice) => (bottomTolerance[slice] ?? NaN) <= value && value <= (topTolerance[slice] ?? NaN),
        ),
      `${name}: bounds round the curve`,
    );
  }
  t.equal(
    models.reduce((sum, { days }) => sum + days, 0),
    365,
    'each reference day belongs to one',
  );

  const { days } = await get<Planning>('/v1/planning/list/1/2023');
  t.equal(days.length, 365);
  t.equal((await get<Planning>('/v1/planning/list/1/2024')).days.length, 366);
  t.strictSame(
    days.map(({ date }) => date),
    ordinaryDays('2023-01-01', 365).map(({ date }) => date),
    'every date, in order',
  );
  const names = new Map(models.map(({ id, name }) => [id, name]));
  t.ok(
    days.every(
      ({ modelId, origin, reason }) =>
        modelId !== null && origin === 'automatic' && reason.includes(names.get(modelId) ?? 'no such model'),
    ),
    'each with a model of the source and the reason in words',
  );
  const on = (date: string) => days.find(day => day.date === date)?.modelId;
  t.not(on('2023-06-05'), on('2023-06-03'), 'a Monday follows another model than a Saturday');
  t.equal(on('2023-06-05'), on('2023-06-06'), 'and the same as a Tuesday');
});

t.test('an unusual day raises an alert, which is acknowledged, resolved and reopened', async t => {
  const days = ordinaryDays('2023-03-06', 7).map(day =>
    day.date === '2023-03-08' ? dayWith(day.date, 10, 13, 500) : day,
  );
  const { status, body, headers } = await ask<Imported>('POST', '/v1/import-csv/1/days', {
    csv: csvOf(days),
  });
  t.equal(status, 200);
  t.equal(headers.get('location'), null);
  t.match(body.import, { lines: 168, days: 7, missingSamples: 0, duplicates: 0 });
  t.strictSame(
    body.days.map(({ date }) => date),
    days.map(({ date }) => date),
  );
  t.ok(
    body.days.every(
      day => (day.status === 'abnormal') === body.alerts.raised.some(({ date }) => date === day.date),
    ),
  );
  t.ok(body.days.every(({ completeness, plannedModel }) => completeness === 1 && plannedModel !== null));
  t.strictSame([body.alerts.invalidated, body.alerts.unchanged], [[], []]);
  const alert = body.alerts.raised.find(({ date }) => date === '2023-03-08');
  if (!alert) throw new Error('no alert for the bad day');
  t.match(alert, {
    id: '1-20230308-1',
    sourceId: 1,
    kind: 'activity',
    state: 'open',
    direction: 'over',
    slices: exactList({ from: 10, to: 13, direction: 'over' }),
    plannedModelId: body.days.find(({ date }) => date === '2023-03-08')?.plannedModel?.id ?? -1,
    betterModelId: null,
    modelsVersion: 1,
    importId: body.import.id,
    verdict: null,
    comment: null,
  });
  t.ok(alert.slices.length === 1 && (alert.slices[0]?.excess ?? 0) > 400, 'by how much');
  t.ok(alert.criticity > 0.5 && alert.criticity <= 1, `criticity ${alert.criticity}`);
  const { bounds, ...read } = await get<AlertRecord & { bounds: readonly object[] }>(`/v1/alert/${alert.id}`);
  t.strictSame(read, alert, 'it can be read');
  t.ok(bounds.length > 0, 'with the limits that were broken');
  t.strictSame(await get<Imported>(`/v1/import/${body.import.id}`), body, 'the import tells the same again');
  t.equal((await get<SourceRecord>('/v1/source/1')).counts.unprocessedAlerts, body.alerts.raised.length);

  const move = async (verb: string, json?: object) =>
    (await ask<AlertRecord>('POST', `/v1/alert/${alert.id}/${verb}`, json ? { json } : {})).body;
  t.match(await move('acknowledge'), { state: 'acknowledged', verdict: null });
  t.match(await move('resolve', { verdict: 'expected', comment: 'a fair, «ça» 🎪' }), {
    state: 'resolved',
    verdict: 'expected',
    comment: 'a fair, «ça» 🎪',
  });
  t.equal((await get<SourceRecord>('/v1/source/1')).counts.unprocessedAlerts, body.alerts.raised.length - 1);
  t.match(await move('reopen'), { state: 'open', verdict: null, comment: null });
  t.match(await move('resolve', { verdict: 'notAnomaly' }), { state: 'resolved', comment: null });
  t.match(await move('reopen'), { state: 'open' });
  const { events: life } = await get<{ events: readonly AlertStep[] }>(`/v1/alert/${alert.id}/history`);
  t.strictSame(
    life.map(({ type, by }) => `${type} by ${by}`),
    [
      'AlertRaised by reactor',
      'AlertAcknowledged by tester',
      'AlertResolved by tester',
      'AlertReopened by tester',
      'AlertResolved by tester',
      'AlertReopened by tester',
    ],
    'its history',
  );
  t.match(life[2], { verdict: 'expected', comment: 'a fair, «ça» 🎪', at: /Z$/, eventId: /./ });
});

t.test('another import of a day replaces it', async t => {
  const bad = dayWith('2023-03-08', 10, 13, 600);
  const changed = (await importDays(1, [bad])).body.alerts;
  t.strictSame(
    [idsOf(changed.invalidated), idsOf(changed.raised), changed.unchanged],
    [['1-20230308-1'], ['1-20230308-2'], []],
    'other data: the open alert is invalidated, another raised',
  );
  t.match(changed.invalidated[0], { state: 'invalidated' });
  const { events: life } = await get<{ events: readonly AlertStep[] }>('/v1/alert/1-20230308-1/history');
  t.match(life.at(-1), { type: 'AlertInvalidated', by: 'reactor', reason: 'DaysImported' });

  await ask('POST', '/v1/alert/1-20230308-2/resolve', { json: { verdict: 'anomaly' } });
  const same = (await ask<Imported>('POST', '/v1/import-csv/1/days', { csv: csvOf([bad]) })).body;
  t.equal(same.days[0]?.status, 'abnormal');
  t.strictSame(
    [same.alerts.invalidated, same.alerts.raised, idsOf(same.alerts.unchanged)],
    [[], [], ['1-20230308-2']],
    'the same data: the verdict stays, and nothing new is raised',
  );
  const worse = (await importDays(1, [dayWith('2023-03-08', 10, 14, 700)])).body.alerts;
  t.strictSame(
    [idsOf(worse.raised), idsOf(worse.unchanged)],
    [['1-20230308-3'], ['1-20230308-2']],
    'new data: a new alert',
  );
  t.match(await get<AlertRecord>('/v1/alert/1-20230308-2'), { state: 'resolved', verdict: 'anomaly' });

  const reopening = await ask<{ code: string }>('POST', '/v1/alert/1-20230308-2/reopen');
  t.match(
    [reopening.status, reopening.body.code],
    exactList(409, 'alertTransition'),
    'one unprocessed alert a day',
  );
  const good = (await importDays(1, [ordinaryDay('2023-03-08')])).body;
  t.strictSame(
    [good.days[0]?.status, idsOf(good.alerts.invalidated), good.alerts.raised],
    ['normal', ['1-20230308-3'], []],
  );
  t.strictSame(
    (await dayOf(1, '2023-03-08'))?.activity,
    ordinaryDay('2023-03-08').activity,
    'the day is replaced, whole',
  );
});

t.test('a day with few values is a gap', async t => {
  const csv =
    '2023-03-15T03:00:00;1,5\n2023-03-15T04:00:00;\n2023-03-15T05:00:00;20\n2023-03-15T05:30:00;22\n';
  const { body } = await ask<Imported>('POST', '/v1/import-csv/1/days', { csv });
  t.match(body, {
    import: { lines: 4, days: 1, missingSamples: 22, filledSamples: 0 },
    days: exactList({ date: '2023-03-15', status: 'gap', completeness: 2 / 24 }),
    alerts: {
      raised: exactList({
        kind: 'gap',
        state: 'open',
        direction: null,
        slices: exactList({ from: 6, to: 24, direction: 'under', excess: 0 }),
      }),
      invalidated: exactList(),
    },
  });
  const day = await dayOf(1, '2023-03-15');
  t.strictSame(day?.gaps, [
    [0, 3],
    [4, 5],
    [6, 24],
  ]);
  t.strictSame([day?.activity[3], day?.activity[4], day?.activity[5]], [1.5, 0, 21]);
  t.match(day, { check: { outcome: 'gap' }, filled: exactList() });
  const whole = (await importDays(1, [ordinaryDay('2023-03-15')])).body.alerts;
  t.strictSame(idsOf(whole.invalidated), ['1-20230315-1'], 'once it is whole the alert goes');
});

t.test('the list of a year has its days', async t => {
  const { days } = await get<Days>('/v1/day/list/1/2022');
  t.equal(days.length, 365);
  t.ok(days.every(({ kind, modelId, check }) => kind === 'reference' && modelId !== null && check === null));
  await importDays(1, [ordinaryDay('2022-06-01')]);
  t.match(await dayOf(1, '2022-06-01'), {
    kind: 'recent',
    check: { outcome: /^(ab)?normal$/ },
    completeness: 1,
  });
  t.equal((await get<Days>('/v1/day/list/1/2022')).days.length, 365, 'each date once');
  const recent = (await get<Days>('/v1/day/list/1/2023')).days;
  t.strictSame(
    recent.map(({ date }) => date),
    [...recent.map(({ date }) => date)].sort(),
    'in order',
  );
  t.strictSame((await get<Days>('/v1/day/list/1/1999')).days, [], 'a year without days');
});

const usedIds = new Set<number>();

t.test('custom models replace the automatic ones', async t => {
  for (const { id } of await modelsOf(1)) usedIds.add(id);
  await importDays(1, [dayWith('2023-03-09', 1, 3, 900), dayWith('2023-03-10', 1, 3, 900)]);
  await ask('POST', '/v1/alert/1-20230310-1/resolve', { json: { verdict: 'anomaly' } });
  const curve = (value: number) => Array<number>(48).fill(value);
  const draft = (name: string, value: number, wide: number, anomaly: boolean) => ({
    name,
    color: '#0072B2',
    anomaly,
    activity: curve(value),
    topTolerance: curve(value + wide),
    bottomTolerance: curve(value - wide),
  });
  const models = [draft('all', 20, 200, false), draft('quiet', 45, 1, true), draft('fire', 1000, 10, true)];
  const { status, body } = await ask<Changed>('POST', '/v1/model/bulk-replace/1', { json: { models } });
  t.equal(status, 200);
  t.match(
    body.models,
    models.map(({ name, color, anomaly, activity }) => ({
      name,
      color,
      anomaly,
      activity: activity.slice(24),
    })),
    'the models given, in the lengths of the source',
  );
  t.ok(
    body.models.every(({ id }) => !usedIds.has(id)),
    'with new ids',
  );
  for (const { id } of body.models) usedIds.add(id);
  t.strictSame(await modelsOf(1), body.models);
  t.match(await get<SourceRecord>('/v1/source/1'), {
    modelsOrigin: 'custom',
    modelsVersion: 2,
    counts: { models: 3 },
  });
  t.equal(body.planning.year, 2023);
  t.strictSame(body.planning.days, (await get<Planning>('/v1/planning/list/1/2023')).days);
  t.ok(
    body.planning.days.every(({ modelId }) => modelId === body.models[0]?.id),
    'what describes anomalies is never planned',
  );
  t.ok(
    idsOf(body.alerts.confirmed).includes('1-20230309-1'),
    'unprocessed alerts that the new models raise again stay',
  );
  t.match(await get<AlertRecord>('/v1/alert/1-20230310-1'), { state: 'resolved' }, 'processed ones stay');
  const { events: life } = await get<{ events: readonly AlertStep[] }>('/v1/alert/1-20230309-1/history');
  t.match(life.at(-1), { type: 'AlertConfirmed' });

  const burning = { date: '2023-03-11', activity: Array<number>(24).fill(1001) };
  const alarm = (await importDays(1, [burning])).body.alerts.raised[0];
  t.match(alarm, {
    looksLikeAnomaly: true,
    closestModelId: body.models[2]?.id,
    betterModelId: body.models[2]?.id,
    direction: 'over',
    slices: exactList({ from: 0, to: 24 }),
  });
});

t.test('a reset learns automatic models again', async t => {
  for (const count of [1, 3, 2]) {
    const { status, body } = await ask<Changed>('POST', `/v1/model/reset/1/${count}`);
    t.equal(status, 200);
    t.equal(body.models.length, count, `${count} of them`);
    t.ok(
      body.models.every(({ id }) => !usedIds.has(id)),
      'ids are never used again',
    );
    for (const { id } of body.models) usedIds.add(id);
    t.strictSame(await modelsOf(1), body.models);
  }
  t.match(await get<SourceRecord>('/v1/source/1'), {
    modelsOrigin: 'automatic',
    modelsVersion: 5,
    analysis: { status: 'completed' },
    counts: { models: 2 },
  });
});

t.test('the plan of one date can be overridden and cleared', async t => {
  const monday = '2023-03-20';
  const before = (await importDays(1, [ordinaryDay(monday)])).body;
  t.equal(before.days[0]?.status, 'normal');
  const saturdays = (await get<Planning>('/v1/planning/list/1/2023')).days.find(
    ({ date }) => date === '2023-03-18',
  )?.modelId;
  const path = `/v1/planning/1/${monday}`;
  type Replanned = DayPlan & { readonly alerts: Alerts };
  const put = () => ask<Replanned>('PUT', path, { json: { modelId: saturdays } });
  const { status, body } = await put();
  t.equal(status, 200);
  t.match(body, {
    date: monday,
    modelId: saturdays ?? -1,
    origin: 'manual',
    reason: /tester/,
    alerts: {
      raised: exactList({ id: '1-20230320-1', plannedModelId: saturdays ?? -1 }),
      invalidated: exactList(),
    },
  });
  t.equal(
    body.alerts.raised[0]?.betterModelId,
    before.days[0]?.plannedModel?.id,
    'the model that fits is named',
  );
  const listed = (await get<Planning>('/v1/planning/list/1/2023')).days.find(({ date }) => date === monday);
  t.match(listed, { origin: 'manual', modelId: saturdays ?? -1 });

  const count = eventCount();
  const again = (await put()).body;
  t.strictSame(
    [again.alerts.raised, idsOf(again.alerts.unchanged)],
    [[], ['1-20230320-1']],
    'the same again',
  );
  t.equal(eventCount(), count, 'writes nothing');

  const cleared = (await ask<Replanned>('DELETE', path)).body;
  t.match(cleared, { origin: 'automatic', modelId: before.days[0]?.plannedModel?.id ?? -1 });
  t.strictSame([idsOf(cleared.alerts.invalidated), cleared.alerts.raised], [['1-20230320-1'], []]);
  const cleanCount = eventCount();
  const nothing = await ask<Replanned>('DELETE', path);
  t.equal(nothing.status, 200, 'nothing to take back');
  t.strictSame(nothing.body.alerts, {
    raised: [],
    confirmed: [],
    invalidated: [],
    ended: [],
    unchanged: [],
    counts: { raised: 0, confirmed: 0, invalidated: 0, ended: 0, unchanged: 0 },
  });
  const future = (await ask<Replanned>('DELETE', '/v1/planning/1/2030-01-01')).body;
  t.match(future, { date: '2030-01-01', origin: 'automatic' });
  t.equal(eventCount(), cleanCount, 'and nothing is written');
  const ahead = await ask<Replanned>('PUT', '/v1/planning/1/2030-01-01', { json: { modelId: saturdays } });
  t.match(ahead.body, { origin: 'manual', alerts: { raised: exactList() } }, 'a date without a day');

  const [alert] = (await importDays(1, [dayWith('2023-03-21', 4, 5, 600)])).body.alerts.raised;
  const kept = await ask<Replanned>('PUT', '/v1/planning/1/2023-03-21', {
    json: { modelId: alert?.plannedModelId },
  });
  t.strictSame(
    [
      kept.body.origin,
      kept.body.alerts.raised,
      kept.body.alerts.invalidated,
      idsOf(kept.body.alerts.unchanged),
    ],
    ['manual', [], [], [alert?.id]],
    'the model that was planned anyway, by hand: its alert stays',
  );
});

t.test('the list of alerts is filtered, sorted and paged', async t => {
  const list = (query: string) => get<AlertList>(`/v1/alert/list${query}`);
  const everyState = `&state=${alertStates.join(',')}`;
  const all = (await list(`?sourceId=1${everyState}`)).alerts;
  const isValid = ({ state }: AlertRecord) => state !== 'invalidated';
  t.ok(all.length >= 6, `${all.length} alerts`);
  t.strictSame(
    idsOf(all),
    [...all].sort((a, b) => (a.date + a.id < b.date + b.id ? -1 : 1)).map(({ id }) => id),
    'by date',
  );
  const where = (holds: (alert: AlertRecord) => boolean) => idsOf(all.filter(holds));
  for (const [query, holds] of [
    ['', () => true],
    ['&state=open', alert => alert.state === 'open'],
    ['&state=resolved', alert => alert.state === 'resolved'],
    ['&state=resolved,invalidated', alert => alert.state === 'resolved' || alert.state === 'invalidated'],
    ['&state=unprocessed', alert => alert.state === 'open' || alert.state === 'acknowledged'],
    ['&from=2023-03-10', alert => alert.date >= '2023-03-10'],
    ['&to=2023-03-10', alert => alert.date < '2023-03-10'],
    ['&from=2023-03-09&to=2023-03-11', alert => alert.date >= '2023-03-09' && alert.date < '2023-03-11'],
    ['&year=2023', alert => alert.date.startsWith('2023')],
    ['&year=2022', alert => alert.date.startsWith('2022')],
    ['&year=2022&from=2023-01-01', () => false],
  ] as readonly (readonly [string, (alert: AlertRecord) => boolean])[])
    t.strictSame(
      idsOf((await list(`?sourceId=1${query}`)).alerts),
      where(alert => holds(alert) && (query.includes('state') || isValid(alert))),
      `sourceId=1${query}`,
    );
  t.ok(
    all.some(alert => !isValid(alert)),
    'some are hidden unless asked for',
  );
  t.strictSame(idsOf((await list('')).alerts), where(isValid), 'of all sources');
  t.strictSame(
    idsOf((await list('?sort=criticity')).alerts),
    idsOf(all.filter(isValid).sort((a, b) => b.criticity - a.criticity || (a.id < b.id ? 1 : -1))),
    'the most critical first',
  );
  t.strictSame(
    idsOf((await list('?kind=gap,frozen')).alerts),
    where(alert => isValid(alert) && alert.kind !== 'activity'),
  );
  t.strictSame((await list('?sourceId=2')).alerts, []);

  const paged: string[] = [];
  for (let cursor = ''; ;) {
    const page = await list(`?sourceId=1&limit=2${everyState}${cursor}`);
    t.ok(page.alerts.length <= 2);
    paged.push(...idsOf(page.alerts));
    if (page.nextCursor === undefined) break;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  t.strictSame(paged, idsOf(all), 'page by page, each once');
});

t.test('a client reads its own writes while others write', async t => {
  const dates = Array.from({ length: 15 }, (_, index) => `2023-07-${String(index + 1).padStart(2, '0')}`);
  await Promise.all(
    dates.map(async date => {
      const { status, body } = await importDays(2, [dayWith(date, 0, 24, 400)]);
      // At most this many bodies are read at once.
      if (status === 503) return;
      const id = `2-${date.replaceAll('-', '')}-1`;
      t.strictSame(idsOf(body.alerts.raised), [id]);
      t.equal((await dayOf(2, date))?.check?.outcome, 'abnormal');
      t.match((await ask('POST', `/v1/alert/${id}/acknowledge`)).body, { state: 'acknowledged' });
      t.match(await get(`/v1/alert/${id}`), { state: 'acknowledged' });
      const models = await modelsOf(2);
      const modelId = models.at(-1)?.id ?? 0;
      const put = await ask('PUT', `/v1/planning/2/${date}`, { json: { modelId } });
      t.match(put.body, { modelId, origin: 'manual' });
      const { days } = await get<Planning>('/v1/planning/list/2/2023');
      t.match(
        days.find(day => day.date === date),
        { modelId, origin: 'manual' },
      );
      t.match((await ask('DELETE', `/v1/planning/2/${date}`)).body, { origin: 'automatic' });
    }),
  );
  const { counts } = await get<SourceRecord>('/v1/source/2');
  t.ok(
    counts.recentDays >= 8 && counts.unprocessedAlerts === counts.recentDays,
    `${counts.recentDays} days, ${counts.unprocessedAlerts} alerts`,
  );
});

t.test('a restart changes no answer', async t => {
  const paths = [
    '/v1/source/list',
    '/v1/model/list/1',
    '/v1/planning/list/1/2023',
    '/v1/day/list/1/2023',
    '/v1/alert/list?limit=500',
    '/v1/alert/1-20230308-2/history',
  ];
  const texts = async () => Promise.all(paths.map(async path => (await ask('GET', path)).text));
  const before = await texts();
  const count = eventCount();
  await service.restart();
  t.strictSame(await texts(), before);
  t.equal(eventCount(), count, 'and nothing is written');
});

t.test('every answer of this file matches the API description', async t => client.assertMatched(t, 100));
