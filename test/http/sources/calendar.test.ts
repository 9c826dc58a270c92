import t from 'tap';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { BoundsFacts, Model } from '../../../domain/planning/models.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import { holidaysOf } from '../../../analysis/calendar/holidays.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { CalendarDay, ShownCalendar } from '../../../projections/planningBases.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import {
  analysed,
  csvOf,
  ordinaryDay,
  startService,
  type Received,
  type Sent,
} from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

type Learned = {
  readonly bounds: BoundsFacts | null;
  readonly hitRate: number | null;
  readonly calendar: ShownCalendar | null;
};
type Models = Learned & { readonly models: readonly Model[] };
type Planning = { readonly hitRate: number | null; readonly days: readonly DayPlan[] };
type Listed = { readonly days: readonly CalendarDay[]; readonly calendar: ShownCalendar | null };
type Replanned = DayPlan & {
  readonly alerts: Readonly<
    Record<'raised' | 'confirmed' | 'invalidated' | 'unchanged', readonly AlertRecord[]>
  >;
};

const service = await startService(t);
const { call, events, eventCount } = service;
const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
/** Every answer of this file is checked against the API description. */
const ask = async <Body>(method: string, path: string, sent?: Sent): Promise<Received<Body>> => {
  const answer = await call<Body>(method, path, sent);
  const faults = check(method, path, answer);
  if (faults.length > 0) throw new Error(`${method} ${path}: ${faults.join('; ')}`);
  return answer;
};
const get = async <Body>(path: string): Promise<Body> => (await ask<Body>('GET', path)).body;

const holidays = new Set(holidaysOf('FR', 2022, 2023).map(({ date }) => date));
/** A day that is like a weekend on holidays. */
const dayIn = (date: string): { readonly date: string; readonly activity: readonly number[] } => {
  const sunday = dateOf(dayNumber(date) + 6 - weekday(dayNumber(date)));
  return { date, activity: ordinaryDay(holidays.has(date) ? sunday : date).activity };
};
const reference = Array.from({ length: 365 }, (_, index) => dayIn(dateOf(dayNumber('2022-01-01') + index)));
const asked = (type: string): unknown[] =>
  events()
    .filter(event => event.type === type)
    .map(({ data }) => data);

t.test('a calendar given at creation is used', async t => {
  const query = 'name=given&calendar=FR&coverage=0.95';
  const created = await ask<{ source: SourceRecord }>('POST', `/v1/import-csv/create-source?${query}`, {
    csv: csvOf(reference),
  });
  t.equal(created.status, 201);
  t.equal(created.body.source.calendar, 'FR');
  t.match(asked('SourceCreated'), exactList({ calendar: 'FR', coverage: 0.95 }));
  await analysed(ask, 1);
  const record = await get<SourceRecord>('/v1/source/1');
  t.match(record.analysis['calendar'], {
    code: 'FR',
    origin: 'given',
    evidence: null,
    library: /^date-holidays /,
  });
  t.strictSame(Object.keys(record.analysis['calendar'] as object), ['code', 'origin', 'evidence', 'library']);
  const [reset] = asked('ModelsReset') as { calendar: { holidays: readonly object[] } }[];
  t.ok((reset?.calendar.holidays.length ?? 0) > 150, 'the event has all dates');

  const { models, bounds, hitRate, calendar } = await get<Models>('/v1/model/list/1');
  t.ok(models.length > 0);
  t.strictSame(bounds, record.analysis['bounds']);
  t.equal(hitRate, record.analysis['hitRate']);
  t.strictSame(calendar, record.analysis['calendar']);
  const planning = await get<Planning>('/v1/planning/list/1/2023');
  t.equal(planning.hitRate, hitRate);
  const on = (date: string) => planning.days.find(day => day.date === date);
  t.match(on('2023-05-18'), {
    reason: /^public holiday Ascension Day: .* reference holidays follow /,
  });
  t.equal(on('2023-05-18')?.modelId, on('2023-05-21')?.modelId, 'as on a Sunday');
  t.not(on('2023-05-18')?.modelId, on('2023-05-25')?.modelId, 'and not as on a Thursday');
  t.match(on('2023-05-19')?.reason, /^bridge day: /);
  t.ok(planning.days.every(({ share }) => share !== null && share > 0 && share <= 1));
});

t.test('a calendar that is not given is inferred, with its evidence', async t => {
  const created = await ask<{ source: SourceRecord }>('POST', '/v1/import/create-source', {
    json: { name: 'inferred', referenceYear: 2022, days: reference },
  });
  t.equal(created.body.source.calendar, null);
  t.notOk('coverage' in (asked('SourceCreated')[1] as object));
  await analysed(ask, 2);
  const { calendar } = await get<Models>('/v1/model/list/2');
  t.match(calendar, {
    code: 'FR',
    origin: 'inferred',
    evidence:
      /^\d of the \d weekday holidays of France are among the \d+ oddest of 260 working days; by chance/,
  });
  t.match(await get<SourceRecord>('/v1/source/2'), {
    calendar: 'FR',
    calendarOrigin: 'inferred',
    calendarEvidence: /^\d of the \d weekday holidays of France /,
  });
  const plan = async (id: number) =>
    JSON.stringify((await get<Planning>(`/v1/planning/list/${id}/2023`)).days);
  t.equal(await plan(1), await plan(2), 'and plans the same');
});

t.test('the calendar of a year lists the days that are not ordinary', async t => {
  const { days, calendar } = await get<Listed>('/v1/calendar/list/1/2023');
  t.match(calendar, { code: 'FR', origin: 'given' });
  t.strictSame(
    days.filter(({ type }) => type === 'holiday').map(({ date }) => date),
    holidaysOf('FR', 2023, 2023).map(({ date }) => date),
  );
  t.strictSame(
    days.filter(({ type }) => type === 'bridge'),
    [
      { date: '2023-05-19', type: 'bridge', name: null },
      { date: '2023-08-14', type: 'bridge', name: null },
    ],
  );
  t.ok(days.some(({ type, date }) => type === 'christmas' && date === '2023-12-27'));
  t.strictSame(
    days.map(({ date }) => date),
    days.map(({ date }) => date).sort(),
    'by date',
  );
});

t.test('a special day is planned at once, and its day is checked again', async t => {
  const fair = '2023-06-14';
  await ask('POST', '/v1/import/days', { json: { sourceId: 1, days: [dayIn(fair)] } });
  const path = (date: string) => `/v1/calendar/1/${date}`;
  const named = await ask<Replanned>('PUT', path(fair), { json: { name: 'Fair «été»' } });
  t.equal(named.status, 200);
  t.match(named.body, {
    date: fair,
    origin: 'automatic',
    reason: /^special day "Fair «été»": there are no reference days/,
  });
  t.strictSame(named.body.alerts.raised, [], 'as its weekday while there are no namesakes');
  t.match(
    events().at(-1)?.data,
    { cause: { type: 'SpecialDayNamed' }, days: exactList({ date: fair }) },
    'it was checked',
  );
  const sunday = '2022-06-12';
  const before = eventCount();
  await ask('PUT', path(sunday), { json: { name: 'Fair «été»' } });
  t.ok(eventCount() > before);
  const after = await get<Planning>('/v1/planning/list/1/2023');
  t.match(
    after.days.find(({ date }) => date === fair)?.reason,
    /^special day "Fair «été»": the only reference day of that name follows/,
  );
  const again = await ask<Replanned>('PUT', path(fair), { json: { name: 'Fair «été»' } });
  t.equal(again.status, 200);
  const quiet = eventCount();
  await ask<Replanned>('PUT', path(fair), { json: { name: 'Fair «été»' } });
  t.equal(eventCount(), quiet, 'the same again writes nothing');
  const other = await ask<Replanned>('PUT', path(fair), { json: { name: 'Market' } });
  t.equal(other.body.alerts.raised.length, 0);
  t.match(
    (await get<Listed>('/v1/calendar/list/1/2023')).days.filter(({ type }) => type === 'special'),
    exactList({ date: fair, name: 'Market' }),
  );

  // A holiday with another special name is planned like a Wednesday or Thursday: a quiet day raises an alert then.
  const holiday = '2023-05-18';
  await ask('POST', '/v1/import/days', { json: { sourceId: 1, days: [dayIn(holiday)] } });
  const open = await ask<Replanned>('PUT', path(holiday), { json: { name: 'Open all day' } });
  t.match(
    open.body.alerts.raised,
    exactList({ date: holiday, direction: 'both' }),
    'the answer has the alert',
  );
  const cleared = await ask<Replanned>('DELETE', path(holiday));
  t.match(cleared.body, { reason: /^public holiday Ascension Day/ });
  t.strictSame(
    [cleared.body.alerts.invalidated.map(({ id }) => id), cleared.body.alerts.raised],
    [[open.body.alerts.raised[0]?.id], []],
    'and taken back with it',
  );
  const count = eventCount();
  t.equal((await ask('DELETE', path(holiday))).status, 200, 'nothing to take back');
  t.equal(eventCount(), count);
});

t.test('a reset with another coverage uses the special days and reports the expected alerts', async t => {
  const { status, body } = await ask<Models>('POST', '/v1/model/reset/1/4?coverage=0.9');
  t.equal(status, 200);
  t.match(asked('ModelsResetRequested').at(-1), { modelCount: 4, coverage: 0.9 });
  t.type(body.bounds?.measuredCoverage, 'number');
  t.type(body.bounds?.falseAlertsPerYear, 'number', 'false alerts a year');
  t.type(body.hitRate, 'number');
  t.match(body.calendar, { code: 'FR', origin: 'given' });
  await ask('POST', '/v1/model/reset/1/4');
  t.notOk('coverage' in (asked('ModelsResetRequested').at(-1) as object), 'no coverage is the default again');

  const models = body.models.map(({ id: _, days: __, limits: ___, ...model }) => model);
  const replaced = await ask<Models>('POST', '/v1/model/bulk-replace/1', { json: { models } });
  t.match(replaced.body, { bounds: null, hitRate: null, calendar: { code: 'FR' } });
  t.match(
    (await get<Planning>('/v1/planning/list/1/2023')).days.find(({ date }) => date === '2023-07-14')?.reason,
    /^public holiday Bastille Day/,
    'replaced models are planned by the same holidays',
  );
});
