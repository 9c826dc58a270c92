import t from 'tap';
import { holidaysOf } from '../../../analysis/calendar/holidays.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { TypicalDays, Model } from '../../../domain/planning/models.js';
import type { PresentLimits } from '../../../domain/planning/presentLimits.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import { analysed, startService, type Received, type Sent } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

// A made-up source from its reference to its alerts, over HTTP.

type Given = { readonly date: string; readonly activity: readonly number[] };
type Alerts = Readonly<Record<'raised' | 'confirmed' | 'invalidated' | 'unchanged', readonly AlertRecord[]>>;
type Imported = {
  readonly days: readonly { readonly date: string; readonly status: string }[];
  readonly alerts: Alerts;
};
type Models = {
  readonly models: readonly Model[];
  readonly bounds: TypicalDays['bounds'] | null;
  readonly presentLimits?: PresentLimits;
};

const service = await startService(t);
const check = answerChecker((await service.call<Document>('GET', '/openapi.json')).body);
const misfits = new Set<string>();
const ask = async <Body>(method: string, path: string, sent?: Sent): Promise<Received<Body>> => {
  const answer = await service.call<Body>(method, path, sent);
  for (const fault of check(method, path, answer)) misfits.add(`${method} ${path}: ${fault}`);
  return answer;
};
const get = async <Body>(path: string): Promise<Body> => (await ask<Body>('GET', path)).body;

/** Pseudo-random numbers of [−1, 1) from a seed. */
const noise = (seed: number): (() => number) => {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
};
const off = new Set(holidaysOf('FR', 2023, 2024).map(({ date }) => date));

/** A day of 24 values with some noise; working days, Saturdays, and Sundays with holidays differ. */
const dayIn = (date: string, times = 1): Given => {
  const number = dayNumber(date);
  const rhythm = off.has(date) ? 6 : weekday(number);
  const next = noise(number);
  const level = 1 + 0.04 * next();
  const activity = Array.from({ length: 24 }, (_, hour) => {
    const open = hour >= 8 && hour < 18;
    const shape = rhythm < 5 ? (open ? 100 + 5 * (hour % 3) : 20) : rhythm === 5 ? (open ? 55 : 18) : 15;
    return Math.round(shape * level * (1 + 0.05 * next()) * times * 1000) / 1000;
  });
  return { date, activity };
};
const daysFrom = (first: string, count: number, times = 1): Given[] =>
  Array.from({ length: count }, (_, index) => dayIn(dateOf(dayNumber(first) + index), times));
const withSlices = (day: Given, change: (value: number, hour: number) => number): Given => ({
  ...day,
  activity: day.activity.map(change),
});

const newSource = async (name: string, days: readonly Given[], more: object = {}): Promise<number> => {
  const { body } = await ask<{ source: SourceRecord }>('POST', '/v1/import/create-source', {
    json: { name, referenceYear: 2023, days, ...more },
  });
  await analysed(ask, body.source.id);
  return body.source.id;
};
const importDays = async (sourceId: number, ...days: Given[]): Promise<Imported> =>
  (await ask<Imported>('POST', '/v1/import/days', { json: { sourceId, days } })).body;
const alertsOf = async (id: number): Promise<readonly AlertRecord[]> =>
  (await get<{ alerts: readonly AlertRecord[] }>(`/v1/alert/list?sourceId=${id}&limit=500`)).alerts;
const planOf = async (id: number, date: string): Promise<DayPlan | undefined> =>
  (await get<{ days: readonly DayPlan[] }>(`/v1/planning/list/${id}/${date.slice(0, 4)}`)).days.find(
    plan => plan.date === date,
  );

const year = daysFrom('2023-01-01', 365);
const french = await newSource('French', year, { calendar: 'FR' });

t.test('the record of a source has its calendar and the origin of the calendar', async t => {
  t.match(await get<SourceRecord>(`/v1/source/${french}`), {
    calendar: 'FR',
    calendarOrigin: 'given',
    calendarEvidence: null,
  });
  const { analysis } = await get<SourceRecord>(`/v1/source/${french}`);
  t.notOk('checks' in analysis, 'a year of scores is in no answer');
});

t.test('an ordinary week raises no alert', async t => {
  const { days, alerts } = await importDays(french, ...daysFrom('2024-03-04', 7));
  t.strictSame(
    days.map(({ status }) => status),
    Array<string>(7).fill('normal'),
  );
  t.strictSame(alerts.raised, []);
});

t.test('a day that falls to half raises one alert with the broken limits', async t => {
  const { days, alerts } = await importDays(french, dayIn('2024-03-13', 0.5));
  t.equal(days[0]?.status, 'abnormal');
  const [alert] = alerts.raised;
  t.match(alert, { kind: 'activity', direction: 'under', state: 'open' });
  t.ok((alert?.limits?.length ?? 0) > 0);
  t.ok(alert && alert.criticity > 0 && alert.criticity < 1, `criticity ${alert?.criticity}`);
  const again = await importDays(french, dayIn('2024-03-13'));
  t.strictSame(
    again.alerts.invalidated.map(({ id }) => id),
    [alert?.id],
    'the whole day takes it back',
  );
});

t.test('a flatline of ten hours raises an alert of kind frozen', async t => {
  const date = '2024-03-20';
  const stuck = dayIn(date).activity[8] ?? 0;
  const { alerts } = await importDays(
    french,
    withSlices(dayIn(date), (value, hour) => (hour >= 8 && hour < 18 ? stuck : value)),
  );
  t.match(
    alerts.raised,
    exactList({ kind: 'frozen', direction: null, slices: exactList({ from: 8, to: 18 }) }),
  );
  const again = await importDays(french, dayIn(date));
  t.match(again.alerts, {
    invalidated: exactList({ kind: 'frozen', state: 'invalidated' }),
    raised: exactList(),
  });
});

t.test('holidays and special days are planned by their type', async t => {
  const quatorze = await planOf(french, '2024-07-14');
  t.match(quatorze?.reason, /^public holiday Bastille Day/);
  const ascension = await planOf(french, '2024-05-09');
  t.match(ascension?.reason, /^public holiday Ascension Day/);
  t.equal(ascension?.modelId, (await planOf(french, '2024-05-12'))?.modelId, 'as a Sunday');
  t.not(ascension?.modelId, (await planOf(french, '2024-05-16'))?.modelId, 'and not as a Thursday');
  t.strictSame((await importDays(french, dayIn('2024-05-09'))).alerts.raised, []);
  const named = await ask<DayPlan & { alerts: Alerts }>('PUT', `/v1/calendar/${french}/2024-05-09`, {
    json: { name: 'Open all day' },
  });
  t.match(named.body.reason, /^special day "Open all day"/);
  t.match(named.body.alerts.raised, exactList({ date: '2024-05-09', kind: 'activity', direction: 'under' }));
  const cleared = await ask<{ alerts: Alerts }>('DELETE', `/v1/calendar/${french}/2024-05-09`);
  t.match(cleared.body.alerts, { invalidated: exactList({ date: '2024-05-09' }), raised: exactList() });
});

t.test('three months with a third more raise some alerts, then one drift', async t => {
  const months = daysFrom('2024-02-05', 91, 1.3);
  const daily = await newSource('daily', year, { calendar: 'FR' });
  const atOnce = await newSource('at once', year, { calendar: 'FR' });
  for (const day of months) await importDays(daily, day);
  const { days } = await importDays(atOnce, ...months);

  const told = (alerts: readonly AlertRecord[]) =>
    alerts.map(({ date, kind, state, direction, criticity, slices, limits }) => ({
      ...{ date, kind, state, direction, criticity, slices, limits },
    }));
  const alerts = await alertsOf(daily);
  t.strictSame(told(await alertsOf(atOnce)), told(alerts), 'day by day as at once');
  const drifts = alerts.filter(({ kind }) => kind === 'drift');
  t.equal(drifts.length, 1, 'one alert for all of it');
  const [drift] = drifts;
  t.match(drift, { direction: 'over', state: 'open' });
  t.ok((drift?.limits?.length ?? 0) > 0);
  const before = alerts.filter(({ date }) => date < (drift?.date ?? ''));
  t.ok(before.length > 0 && before.every(({ kind }) => kind === 'activity'), 'single days until then');
  t.ok((drift?.date ?? '') > '2024-02-12' && (drift?.date ?? '') < '2024-03-05', `on ${drift?.date}`);
  const drifting = days.filter(({ status }) => status === 'drift');
  t.ok(drifting.length > 30, `${drifting.length} of ${days.length} days`);
  const { days: stored } = await get<{ days: readonly StoredDay[] }>(`/v1/day/list/${daily}/2024`);
  t.strictSame(
    stored.map(({ check }) => check?.outcome),
    days.map(({ status }) => status),
  );
  t.comment(days.map(({ status }) => status[0]).join(''));

  const { models } = await get<Models>(`/v1/model/list/${atOnce}`);
  const own = models.map(({ name, color, activity, anomaly }) => ({
    ...{ name, color, activity, anomaly },
    topTolerance: activity.map(value => value * 1.1),
    bottomTolerance: activity.map(value => value * 0.9),
  }));
  const replaced = await ask<Models & { alerts: Alerts }>('POST', `/v1/model/bulk-replace/${atOnce}`, {
    json: { models: own },
  });
  t.equal(replaced.body.bounds, null);
  const found = [...replaced.body.alerts.raised, ...replaced.body.alerts.confirmed];
  t.equal(found.length, 91, 'bounds alone decide: every breach is an alert');
  t.ok(found.every(({ kind, limits }) => kind === 'activity' && limits === undefined));
  t.ok(replaced.body.alerts.invalidated.some(({ kind }) => kind === 'drift'));
});

t.test('limits are wider in a season that the reference lacks', async t => {
  const half = await newSource('half a year', daysFrom('2023-01-01', 181), { calendar: 'FR' });
  const [seen, unseen] = ['2024-03-13', '2024-10-02'];
  t.equal((await planOf(half, seen))?.unseen, 0);
  t.ok(((await planOf(half, unseen))?.unseen ?? 0) > 0.9);
  t.equal((await planOf(half, unseen))?.modelId, (await planOf(half, seen))?.modelId, 'the same model');
  const { activity } = dayIn(seen);
  /** Factor by which the same values must grow on a date until they break a limit. */
  const breaksAt = async (date: string): Promise<number> => {
    for (let percent = 1; percent <= 100; percent += 1) {
      const times = 1 + percent / 100;
      const { days } = await importDays(half, { date, activity: activity.map(value => value * times) });
      if (days[0]?.status === 'abnormal') return percent;
    }
    return Infinity;
  };
  const [near, far] = [await breaksAt(seen), await breaksAt(unseen)];
  t.ok(near > 5 && near < far && far < 100, `${near} % in a season that was seen, ${far} % in another`);
});

t.test('the list of models says what the limits detect after alerts have widened them', async t => {
  const id = await newSource('widened', year, { calendar: 'FR' });
  const list = (query = '') => get<Models>(`/v1/model/list/${id}${query}`);
  const { bounds, presentLimits } = await list();
  const learned = bounds?.minimumDetectableChange;
  t.strictSame(presentLimits, { factor: 1, minimumDetectableChange: learned });
  await importDays(id, dayIn('2024-03-13', 0.5));
  const { presentLimits: wider, bounds: same } = await list();
  t.equal(wider?.factor, 1.05, '99 units of 0.0005');
  t.strictSame(same, bounds, 'the learned numbers stay');
  const { more } = learned?.wholeDay ?? {};
  t.ok(more);
  t.equal(wider?.minimumDetectableChange.wholeDay.more, Math.ceil(105 * (more ?? 0) - 1e-6) / 100);
  const asked = await newSource('does not adapt', year, { calendar: 'FR', coverage: 0.9 });
  t.notOk(
    'presentLimits' in (await get<Models>(`/v1/model/list/${asked}`)),
    'limits of a target do not adapt',
  );
  const uploaded = await ask<Models>('POST', `/v1/model/bulk-replace/${id}`, { json: await list() });
  t.equal(uploaded.status, 200, 'the list can be sent back');
});

t.test('models with a target coverage report their expected alerts', async t => {
  const asked = await newSource('asked', year, { calendar: 'FR', coverage: 0.9 });
  const { bounds } = await get<Models>(`/v1/model/list/${asked}`);
  const { bounds: usual } = await get<Models>(`/v1/model/list/${french}`);
  t.equal(bounds?.targetCoverage, 0.9);
  t.equal(usual?.targetCoverage, null);
  const [often, seldom] = [bounds?.falseAlertsPerYear ?? NaN, usual?.falseAlertsPerYear ?? NaN];
  t.ok(often > seldom && often <= 365 * 0.11, `${often} a year at 0.9, ${seldom} by default`);
});

t.test('every answer of this file matches the API description', async t => t.strictSame([...misfits], []));
