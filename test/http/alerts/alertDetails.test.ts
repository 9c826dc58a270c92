import t from 'tap';
import type { LimitLevels } from '../../../analysis/findings/limitLevels.js';
import type { Model } from '../../../domain/planning/models.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { AlertChange } from '../../../application/requests/useCases/changeAlerts.js';
import type { IncidentRecord } from '../../../projections/incidents/incidentPages.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';
import { checkedAsk } from '../../helpers/documents/checkedAsk.js';
import { analysed, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// Details of an alert on a day whose values fall in the afternoon: size, times and limits of the deviation.

const { call, tokenFor } = await startService(t);
const ask = await checkedAsk(call);
const get = <Body>(path: string): Promise<Body> => ask('GET', path);

type Drawn = AlertRecord & { readonly bounds: readonly LimitLevels[] | null };
type DayAnswer = {
  readonly day: StoredDay | null;
  readonly planning: { readonly modelId: number | null };
  readonly plannedModel: Model | null;
  readonly limits: readonly LimitLevels[];
  readonly expectedByDaysBefore: readonly number[] | null;
  readonly closestModel: Model | null;
  readonly betterModel: Model | null;
  readonly alerts: readonly Drawn[];
  readonly daysBefore: readonly { readonly date: string }[];
  readonly weekdaysBefore: readonly { readonly date: string }[];
};

const { source } = await ask<{ source: { id: number } }>('POST', '/v1/import/create-source', {
  json: { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 364) },
});
const { id } = source;
await analysed(call, id);

const date = '2024-03-04';
const fallen = ordinaryDay(date).activity.map((value, hour) => (hour >= 14 && hour < 18 ? value / 4 : value));
const imported = await ask<{ alerts: { raised: AlertRecord[] } }>('POST', '/v1/import/days', {
  json: { sourceId: id, days: [...ordinaryDays('2024-02-05', 28), { date, activity: fallen }] },
});
const raised = imported.alerts.raised.find(alert => alert.date === date);
const drawn = await get<Drawn>(`/v1/alert/${raised?.id}`);

t.test('an alert has its deviation, its times and the broken limits', async t => {
  const { deviation } = drawn;
  t.match(drawn, {
    kind: 'activity',
    direction: 'under',
    sentence: /^7[456] % under the usual Monday from 14:00 to 18:00$/,
    deviation: { from: 14, to: 18, fromTime: '14:00', toTime: '18:00', slices: 4, comparedWith: 'model' },
    slices: exactList({ from: 14, to: 18, fromTime: '14:00', toTime: '18:00' }),
  });
  const mean = fallen.slice(14, 18).reduce((sum, value) => sum + value / 4, 0);
  t.ok(Math.abs((deviation?.actual ?? 0) - mean) < 1e-9, `${deviation?.actual}`);
  t.equal(deviation?.absolute, (deviation?.actual ?? 0) - (deviation?.expected ?? 0));
  t.strictSame(
    drawn.brokenLimits.map(({ limit }) => limit),
    drawn.limits,
  );
  for (const { limit, score, allowed } of drawn.brokenLimits)
    t.ok(Math.abs(score ?? 0) > (allowed ?? Infinity), limit);
});

t.test('each broken limit is a line with a value for every slice', async t => {
  t.strictSame(
    drawn.bounds?.map(({ limit }) => limit),
    drawn.limits?.filter(limit => limit !== 'shape'),
  );
  const slice = drawn.bounds?.find(({ limit }) => limit === 'slice');
  t.equal(slice?.lower.length, 24);
  for (let hour = 0; hour < 24; hour += 1) {
    const isBroken = hour >= 14 && hour < 18;
    t.equal((fallen[hour] ?? 0) < (slice?.lower[hour] ?? 0), isBroken, `below its line at ${hour}`);
    t.ok((fallen[hour] ?? 0) < (slice?.upper[hour] ?? 0));
  }
});

t.test('lists and answers to imports have the same record, without lines of limits', async t => {
  const { bounds: _, ...record } = drawn;
  t.strictSame(raised, record);
  const { alerts } = await get<{ alerts: AlertRecord[] }>(`/v1/alert/list?sourceId=${id}&from=${date}`);
  t.strictSame(alerts, [record]);
});

t.test('the answer for a date has all data of its chart', async t => {
  const day = await get<DayAnswer>(`/v1/day/${id}/${date}`);
  const { models } = await get<{ models: Model[] }>(`/v1/model/list/${id}`);
  const planned = models.find(model => model.id === drawn.plannedModelId);
  t.strictSame(day.plannedModel, planned);
  t.strictSame(day.day?.activity, fallen);
  t.match(day.day?.check, { outcome: 'abnormal' });
  t.strictSame(day.alerts, [drawn]);
  t.strictSame(day.closestModel?.id, drawn.closestModelId);
  t.strictSame(day.betterModel?.id ?? null, drawn.betterModelId);
  t.strictSame(
    day.limits.filter(({ limit }) => drawn.limits?.includes(limit) && !limit.endsWith('Change')),
    drawn.bounds?.filter(({ limit }) => !limit.endsWith('Change')),
  );
  t.equal(day.expectedByDaysBefore?.length, 24);
  t.strictSame(
    day.daysBefore.map(other => other.date),
    ordinaryDays('2024-02-26', 7).map(other => other.date),
  );
  t.strictSame(
    day.weekdaysBefore.map(other => other.date),
    ['2024-02-05', '2024-02-12', '2024-02-19', '2024-02-26'],
  );
});

t.test('the usual range has nine of ten comparable days', async t => {
  type Usual = { readonly low: readonly number[]; readonly high: readonly number[]; readonly days: number };
  type Charted = { readonly usual: Usual | null; readonly axis: { low: number; high: number } | null };
  const { usual, axis } = await get<Charted>(`/v1/day/${id}/${date}`);
  const { reference } = await get<{ reference: { plannedModelDates: string[] } }>(
    `/v1/alert/${drawn.id}/explanation`,
  );
  const dates = reference.plannedModelDates;
  const sixty = Array.from({ length: 60 }, (_, n) => dates[Math.floor((n * dates.length) / 60)] ?? '');
  const recent = ordinaryDays('2024-02-05', 28)
    .map(day => day.date)
    .filter(other => new Date(other).getUTCDay() % 6 !== 0);
  t.equal(usual?.days, 80);
  for (const hour of [3, 15]) {
    const values = [...sixty, ...recent].map(other => ordinaryDay(other).activity[hour] ?? 0);
    const sorted = values.sort((a, b) => a - b);
    // The 5th of 80 values is at 79 × 0.05 = 3.95 from the first one.
    const low = (sorted[3] ?? 0) + 0.95 * ((sorted[4] ?? 0) - (sorted[3] ?? 0));
    t.ok(Math.abs((usual?.low[hour] ?? 0) - low) < 1e-9, `${usual?.low[hour]}, expected ${low}`);
    t.equal(values.filter(value => value > (usual?.high[hour] ?? 0)).length, 4);
  }
  const other = await get<Charted>(`/v1/day/${id}/2024-02-11`);
  t.strictSame(other.axis, axis, 'the same axis on a Sunday');
  t.equal(axis?.low, 0);
});

t.test('reference dates, future dates and dates with a gap have their details', async t => {
  const reference = await get<DayAnswer>(`/v1/day/${id}/2023-03-06`);
  t.match(reference, { day: { kind: 'reference' }, alerts: exactList(), expectedByDaysBefore: null });
  t.equal(reference.plannedModel?.id, reference.planning.modelId);
  const future = await get<DayAnswer>(`/v1/day/${id}/2031-07-01`);
  t.match(future, {
    day: null,
    alerts: exactList(),
    betterModel: null,
    closestModel: null,
    daysBefore: exactList(),
  });
  t.ok(future.limits.length >= 3);
  await ask('POST', `/v1/import-csv/${id}/days`, { csv: '2024-03-05T00:00:00;20\n2024-03-05T01:00:00;20\n' });
  t.match(await get<DayAnswer>(`/v1/day/${id}/2024-03-05`), {
    day: { gaps: exactList(exactList(2, 24)) },
    alerts: exactList({
      kind: 'gap',
      sentence: 'No data from 02:00 to 24:00, longer than on any comparable day',
      bounds: exactList(),
    }),
  });
});

t.test('consecutive days form one incident, whose alerts are acknowledged and resolved together', async t => {
  const dates = ['2024-04-08', '2024-04-09', '2024-04-10'];
  const broken = dates.map(on => ({
    date: on,
    activity: ordinaryDay(on).activity.map((value, hour) =>
      hour < 8 ? value : value * (on < '2024-04-10' ? 3 : 5),
    ),
  }));
  await ask('POST', '/v1/import/days', { json: { sourceId: id, days: broken } });
  const incidents = () =>
    get<{ incidents: IncidentRecord[] }>(`/v1/incident/list?sourceId=${id}&from=${dates[0]}&sort=criticity`);
  const [incident] = (await incidents()).incidents;
  t.match(incident, {
    ...{ id: `inc-${id}-20240408-1`, since: dates[0], until: dates[2], state: 'open', kind: 'activity' },
    ...{ counts: { open: 3 }, alert: { date: '2024-04-10', incidentId: `inc-${id}-20240408-1` } },
  });
  const ids = incident?.alertIds ?? [];
  t.equal(ids.length, 3);
  const none = `${id}-20240408-9`;
  type Changed = { readonly results: readonly AlertChange[]; readonly counts: object };
  const acknowledge = () => ask<Changed>('POST', '/v1/alert/acknowledge', { json: { ids: [none, ...ids] } });
  const first = await acknowledge();
  t.strictSame(first.counts, { changed: 3, unchanged: 0, refused: 1 });
  t.match(first.results[0], { id: none, outcome: 'refused', code: 'alertNotFound', alert: null });
  t.match(first.results[1], { id: ids[0], outcome: 'changed', code: null, alert: { state: 'acknowledged' } });
  t.strictSame((await acknowledge()).counts, { changed: 0, unchanged: 3, refused: 1 }, 'again');
  await ask('POST', `/v1/alert/${ids[0]}/resolve`, { json: { verdict: 'expected' } });
  const resolve = (verdict: string) =>
    ask<Changed>('POST', '/v1/alert/resolve', { json: { ids, verdict, comment: 'Fair' } });
  const resolved = await resolve('anomaly');
  t.strictSame(resolved.counts, { changed: 2, unchanged: 0, refused: 1 });
  t.match(resolved.results[0], { code: 'alertTransition', detail: /is resolved with another verdict/ });
  t.match(resolved.results[1], { outcome: 'changed', alert: { verdict: 'anomaly', comment: 'Fair' } });
  t.strictSame((await resolve('anomaly')).counts, { changed: 0, unchanged: 2, refused: 1 });
  t.match((await incidents()).incidents[0], { state: 'resolved', counts: { resolved: 3 } });
  t.equal((await get<{ events: object[] }>(`/v1/alert/${ids[1]}/history`)).events.length, 3);
});

t.test('alerts of other tenants are not found among several', async t => {
  const token = await tokenFor({ tenant: 'other' });
  const { alerts } = await get<{ alerts: AlertRecord[] }>('/v1/alert/list?state=open');
  const { body } = await call<{ counts: object }>('POST', '/v1/alert/acknowledge', {
    ...{ token, json: { ids: alerts.map(alert => alert.id) } },
  });
  t.strictSame(body.counts, { changed: 0, unchanged: 0, refused: alerts.length });
  t.ok(alerts.length > 0);
  const theirs = await call<{ incidents: object[] }>('GET', '/v1/incident/list', { token });
  t.strictSame(theirs.body.incidents, []);
});

const flat = (value: number): number[] => Array<number>(24).fill(value);
const supplied = {
  ...{ name: 'flat', color: '#000000', activity: flat(60) },
  ...{ topTolerance: flat(70), bottomTolerance: flat(30) },
};

t.test('many alerts of one source are changed in several appends', async t => {
  const created = await ask<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name: 'Other', referenceYear: 2023, days: ordinaryDays('2023-01-01', 30) },
  });
  const other = created.source.id;
  await analysed(call, other);
  await ask('POST', `/v1/model/bulk-replace/${other}`, { json: { models: [supplied] } });
  const days = ordinaryDays('2024-06-01', 70).map(day => ({ ...day, activity: flat(500) }));
  await ask('POST', '/v1/import/days', { json: { sourceId: other, days } });
  const list = `/v1/alert/list?sourceId=${other}&limit=500`;
  const { alerts } = await get<{ alerts: AlertRecord[] }>(list);
  t.equal(alerts.length, 70);
  const { incidents } = await get<{ incidents: IncidentRecord[] }>(`/v1/incident/list?sourceId=${other}`);
  t.match(incidents, exactList({ counts: { open: 70 }, alertIds: alerts.map(alert => alert.id) }));
  const ids = incidents[0]?.alertIds;
  const { body } = await call<{ counts: object }>('POST', '/v1/alert/resolve', {
    json: { ids, verdict: 'anomaly', comment: '€'.repeat(2000) },
  });
  t.strictSame(body.counts, { changed: 70, unchanged: 0, refused: 0 });
  t.strictSame((await get<{ alerts: AlertRecord[] }>(`${list}&state=unprocessed`)).alerts, []);
});

t.test(
  'limits of models that people supplied are their bounds, also after these models are replaced',
  async t => {
    const replaced = await ask<{ alerts: { confirmed: AlertRecord[] } }>(
      'POST',
      `/v1/model/bulk-replace/${id}`,
      {
        json: { models: [supplied] },
      },
    );
    const alert = replaced.alerts.confirmed.find(other => other.date === date);
    const before = await get<Drawn>(`/v1/alert/${alert?.id}`);
    t.match(before, { bounds: exactList({ limit: 'slice', lower: flat(30), upper: flat(70) }) });
    t.match(before.brokenLimits, exactList({ limit: 'slice', score: null, allowed: null }));
    const resolved = await ask<AlertRecord>('POST', `/v1/alert/${alert?.id}/resolve`, {
      json: { verdict: 'anomaly' },
    });
    await ask('POST', `/v1/model/reset/${id}/2`);
    const after = await get<Drawn>(`/v1/alert/${alert?.id}`);
    t.strictSame(after, {
      ...before,
      ...{ state: 'resolved', verdict: 'anomaly', updatedAt: resolved.updatedAt },
    });
  },
);

t.test('details of a date as of a moment are those known then', async t => {
  const now = await get<DayAnswer>(`/v1/day/${id}/${date}`);
  const position = (await call('GET', `/v1/source/${id}`)).headers.get('x-daybook-position');
  await ask('POST', '/v1/import/days', { json: { sourceId: id, days: [ordinaryDay(date)] } });
  t.notSame((await get<DayAnswer>(`/v1/day/${id}/${date}`)).day, now.day);
  t.strictSame(await get<DayAnswer>(`/v1/day/${id}/${date}?asOf=${position}`), now);
});
