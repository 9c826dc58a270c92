// Special days by rules and by iCalendar files, of a source and of labels, over HTTP.
import { join } from 'node:path';
import t from 'tap';
import { Database } from '../../../adapters/sqlite/driver.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { DayPlan } from '../../../domain/planning/planning.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { CalendarDay } from '../../../projections/planningBases.js';
import { exactList } from '../../helpers/exactList.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import {
  analysed,
  csvOf,
  eventually,
  idle,
  ordinaryDay,
  startService,
  type Received,
  type Sent,
} from '../../helpers/service.js';

type Rule = {
  readonly id: string | null;
  readonly name: string;
  readonly sourceId: number | null;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly rule: string | null;
  readonly dateCount: number;
  readonly dates: readonly string[];
  readonly savedAt: string | null;
};
type Problem = { readonly code: string; readonly errors: readonly Readonly<Record<string, unknown>>[] };

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
const create = <Body = Rule>(json: object, query = ''): Promise<Received<Body>> =>
  ask<Body>('POST', `/v1/calendar-rule/create${query}`, { json });
const upload = <Body = Rule>(query: string, body: string): Promise<Received<Body>> =>
  ask<Body>('POST', `/v1/calendar-rule/import?${query}`, {
    body,
    headers: { 'Content-Type': 'text/calendar' },
  });
const rules = async (query = ''): Promise<readonly Rule[]> =>
  (await ask<{ rules: readonly Rule[] }>('GET', `/v1/calendar-rule/list${query}`)).body.rules;
const specials = async (sourceId: number, year = 2025): Promise<Readonly<Record<string, string | null>>> => {
  const path = `/v1/calendar/list/${sourceId}/${year}`;
  const { days } = (await ask<{ days: readonly CalendarDay[] }>('GET', path)).body;
  return Object.fromEntries(
    days.filter(({ type }) => type === 'special').map(({ date, name }) => [date, name]),
  );
};
const openAlerts = async (sourceId: number): Promise<readonly string[]> =>
  (
    await ask<{ alerts: readonly AlertRecord[] }>('GET', `/v1/alert/list?sourceId=${sourceId}&state=open`)
  ).body.alerts
    .map(({ date }) => date)
    .sort();

// The last working day of every second month: one of each month is found without a rule (ADR 104).
const monthEnd = 'FREQ=MONTHLY;BYMONTH=1,3,5,7,9,11;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1';
const isMonthEnd = (number: number): boolean => {
  if (weekday(number) > 4 || Number(dateOf(number).slice(5, 7)) % 2 === 0) return false;
  const next = weekday(number) === 4 ? number + 3 : number + 1;
  return dateOf(number).slice(0, 7) !== dateOf(next).slice(0, 7);
};
const isEnd = (date: string): boolean => isMonthEnd(dayNumber(date));
/** A day of an office whose work of two months is done on their last working day. */
const officeDay = (number: number): { readonly date: string; readonly activity: readonly number[] } => {
  const { date, activity } = ordinaryDay(dateOf(number));
  return {
    date,
    activity: isMonthEnd(number)
      ? activity.map((value, slice) => value * (slice < 12 ? 2 : 4) + 60)
      : activity,
  };
};
const officeDays = (from: string, count: number) =>
  Array.from({ length: count }, (_, index) => officeDay(dayNumber(from) + index));
const monthEnds2025 = ['2025-01-31', '2025-03-31', '2025-05-30'];

/** Creates a source of an office with its recent half year; returns its id. */
const office = async (name: string, labels = ''): Promise<number> => {
  const created = await ask<{ source: { id: number } }>(
    'POST',
    `/v1/import-csv/create-source?name=${name}${labels}`,
    { csv: csvOf(officeDays('2024-01-01', 366)) },
  );
  const { id } = created.body.source;
  await analysed(ask, id);
  await ask('POST', `/v1/import-csv/${id}/days`, { csv: csvOf(officeDays('2025-01-01', 181)) });
  return id;
};

t.test('month ends of an office are planned as month ends: three alerts of three fall to none', async t => {
  const id = await office('office');
  t.strictSame((await openAlerts(id)).filter(isEnd), monthEnds2025, 'without a rule');
  const before = eventCount();
  const wanted = { sourceId: id, name: 'Month end', rule: monthEnd };
  const preview = await create(wanted, '?preview=true');
  t.equal(preview.status, 200);
  t.match(preview.body, { id: null, savedAt: null, sourceId: id, labels: null });
  t.equal(preview.body.dates.length, 10);
  t.equal(eventCount(), before, 'a preview stores nothing');
  t.strictSame(await rules(), []);

  const { status, body } = await create(wanted);
  t.equal(status, 201);
  t.match(body, { name: 'Month end', sourceId: id, rule: monthEnd, dates: preview.body.dates });
  t.ok(
    body.dates.every(date => isMonthEnd(dayNumber(date))),
    'the next ten dates',
  );
  t.strictSame(await rules(), [body]);
  t.strictSame(await rules(`?sourceId=${id}`), [body]);
  const [first = ''] = monthEnds2025;
  t.equal((await specials(id))[first], 'Month end');
  const models = (await ask<{ models: readonly unknown[] }>('GET', `/v1/model/list/${id}`)).body.models
    .length;
  t.equal((await ask('POST', `/v1/model/reset/${id}/${models + 1}`)).status, 200);
  t.strictSame((await openAlerts(id)).filter(isEnd), [], 'with it');
  const { days } = (await ask<{ days: readonly DayPlan[] }>('GET', `/v1/planning/list/${id}/2025`)).body;
  t.match(
    days.find(({ date }) => date === first)?.reason,
    /^special day "Month end": all 6 reference days of that name follow /,
  );
});

t.test('the naming of a date by a person is stronger than a rule', async t => {
  const [date = '', other = '', third = ''] = monthEnds2025;
  t.equal((await ask('PUT', `/v1/calendar/1/${date}`, { json: { name: 'Inventory' } })).status, 200);
  t.equal((await ask('DELETE', `/v1/calendar/1/${other}`)).status, 200);
  t.match(await specials(1), { [date]: 'Inventory', [third]: 'Month end' });
  t.notOk(other in (await specials(1)), 'a removed name stays removed');
  const before = eventCount();
  await ask('DELETE', `/v1/calendar/1/${other}`);
  t.equal(eventCount(), before, 'a repeat changes nothing');
  t.equal((await create({ sourceId: 1, name: 'Month end', rule: `${monthEnd};WKST=SU` })).status, 201);
  t.notOk(other in (await specials(1)), 'also when the rule is saved again');
  await ask('PUT', `/v1/calendar/1/${other}`, { json: { name: 'Month end' } });
  await ask('DELETE', `/v1/calendar/1/${date}`);
  const after = await specials(1);
  t.equal(after[other], 'Month end');
  t.notOk(date in after, 'a removed name does not bring back that of the rule');
});

t.test('of two rules of a source the one with fewer dates names their common dates', async t => {
  const quarters = await create({
    sourceId: 1,
    name: 'Quarter end',
    rule: 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=31',
  });
  t.equal(quarters.status, 201);
  const shared = quarters.body.dates[0] ?? '';
  t.equal((await specials(1, Number(shared.slice(0, 4))))[shared], 'Quarter end');
  t.strictSame(
    (await rules()).map(({ name }) => name),
    ['Month end', 'Quarter end'],
  );
  const { id } = quarters.body;
  t.strictSame((await ask('DELETE', `/v1/calendar-rule/${id}`)).body, { id });
  t.match(await ask<Problem>('DELETE', `/v1/calendar-rule/${id}`), {
    status: 404,
    body: { code: 'calendarRuleNotFound' },
  });
  t.not((await specials(1, Number(shared.slice(0, 4))))[shared], 'Quarter end');
});

t.test('a deletion whose answer was lost is answered like the first time', async t => {
  const labels = { floor: 'loft' };
  for (const place of [{ sourceId: 1 }, { labels }]) {
    const { id } = (await create({ ...place, name: 'Fair', rule: 'FREQ=MONTHLY;BYMONTHDAY=9' })).body;
    const deletion = { headers: { 'Idempotency-Key': `deletion-${id}` } };
    t.equal((await ask('DELETE', `/v1/calendar-rule/${id}`, deletion)).status, 200);
    const answers = new Database(join(service.settings.dataDir, 'answers.sqlite'));
    answers.exec('update answers set answer = null');
    answers.close();
    const count = eventCount();
    t.match(await ask('DELETE', `/v1/calendar-rule/${id}`, deletion), { status: 200, body: { id } });
    t.equal(eventCount(), count);
  }
});

const fileOf = (...spans: readonly (readonly [from: string, to: string])[]): string =>
  [
    'BEGIN:VCALENDAR',
    ...spans.flatMap(([from, to]) => [
      'BEGIN:VEVENT',
      `DTSTART;VALUE=DATE:${from.replaceAll('-', '')}`,
      `DTEND;VALUE=DATE:${to.replaceAll('-', '')}`,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ].join('\r\n');

t.test(
  'a file names the dates of its events; a later one of the same name keeps those before its own',
  async t => {
    const before = eventCount();
    const query = 'name=Holidays&sourceId=1';
    const first = fileOf(['2025-02-15', '2025-02-17'], ['2025-04-12', '2025-04-14']);
    t.match(await upload(`${query}&preview=true`, first), { status: 200, body: { id: null, dateCount: 4 } });
    t.equal(eventCount(), before);
    const saved = await upload(query, first);
    t.match(saved, { status: 201, body: { rule: null, dateCount: 4 } });
    t.strictSame(saved.body.dates, [], 'all of them are over');
    const later = fileOf(['2025-02-16', '2025-02-17'], ['2025-12-30', '2026-01-02']);
    const kept = { dateCount: 5, earlierDates: 1 };
    t.match(await upload(`${query}&preview=true`, later), { status: 200, body: kept });
    const changed = await upload(query, later);
    t.match(changed, { status: 201, body: kept });
    t.equal(changed.body.id, saved.body.id, 'the same rule');
    const named = Object.entries(await specials(1)).filter(([, name]) => name === 'Holidays');
    t.strictSame(
      named.map(([date]) => date),
      ['2025-02-15', '2025-02-16', '2025-12-30', '2025-12-31'],
    );
    const count = eventCount();
    t.equal((await upload(query, later)).status, 201);
    t.equal(eventCount(), count, 'the same file again changes nothing');
    const refused = await upload<Problem>(
      query,
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:tomorrow\nEND:VEVENT\nEND:VCALENDAR\n',
    );
    t.match(refused, {
      status: 422,
      body: { code: 'calendarInvalid', errors: exactList({ line: 3, code: 'value' }) },
    });
    t.equal((await upload<Problem>(query, 'x'.repeat(1_000_001))).status, 413);
    await ask('DELETE', `/v1/calendar-rule/${saved.body.id}`);
  },
);

t.test('a rule for labels applies to sources that have them, also later ones', async t => {
  const id = await office('north', '&label=site:Lyon&label=floor:2');
  const wanted = { labels: { site: 'Lyon' }, name: 'Month end', rule: monthEnd };
  const saved = await create(wanted);
  t.match(saved, { status: 201, body: { sourceId: null, labels: { site: 'Lyon' } } });
  const [date = ''] = monthEnds2025;
  t.equal((await specials(id))[date], 'Month end', 'at the answer');
  t.strictSame(await rules(`?sourceId=${id}`), [saved.body]);
  t.ok(
    (await rules('?sourceId=1')).every(({ labels }) => labels === null),
    'others do not have it',
  );

  const later = await ask<{ source: { id: number } }>(
    'POST',
    '/v1/import-csv/create-source?name=south&label=site:Lyon',
    { csv: csvOf(officeDays('2024-01-01', 366)) },
  );
  const laterId = later.body.source.id;
  await analysed(ask, laterId);
  const { models } = (await ask<{ models: readonly { days: number }[] }>('GET', `/v1/model/list/${laterId}`))
    .body;
  t.ok(
    models.some(({ days }) => days === 6),
    'its first models know the month ends',
  );
  t.equal((await specials(laterId))[date], 'Month end');

  await ask('PATCH', `/v1/source/${laterId}`, { json: { labels: { site: 'Paris' } } });
  await eventually('the rule is gone', async () =>
    (await specials(laterId))[date] === undefined ? true : undefined,
  );
  await ask('PATCH', `/v1/source/${laterId}`, { json: { labels: { site: 'Lyon' } } });
  await eventually('the rule is back', async () =>
    (await specials(laterId))[date] === 'Month end' ? true : undefined,
  );

  await ask('DELETE', `/v1/source/${laterId}`);
  t.equal((await ask('DELETE', `/v1/calendar-rule/${saved.body.id}`)).status, 200);
  t.equal((await specials(id))[date], undefined, 'deleted at the answer');
  await ask('POST', `/v1/source/${laterId}/restore`);
  await eventually('the restored source follows', async () =>
    (await specials(laterId))[date] === undefined ? true : undefined,
  );
  await idle(call);
});

t.test('refusals say where and why', async t => {
  const rule = monthEnd;
  const refused = async (json: object, status: number, code: string, error: object): Promise<void> => {
    const before = eventCount();
    const answer = await create<Problem>(json);
    t.match(answer, { status, body: { code } }, JSON.stringify(json));
    if (Object.keys(error).length > 0) t.match(answer.body.errors[0], error, JSON.stringify(json));
    t.equal(eventCount(), before);
  };
  await refused({ name: 'x', rule }, 422, 'bodyInvalid', { code: 'place', pointer: '/sourceId' });
  await refused({ sourceId: 1, labels: { a: 'b' }, name: 'x', rule }, 422, 'bodyInvalid', { code: 'place' });
  await refused({ labels: {}, name: 'x', rule }, 422, 'bodyInvalid', { code: 'place' });
  await refused({ sourceId: 999, name: 'x', rule }, 404, 'sourceNotFound', {});
  await refused({ sourceId: 1, name: '', rule }, 422, 'bodyInvalid', { pointer: '/name' });
  const bad = { pointer: '/rule' };
  await refused({ sourceId: 1, name: 'x', rule: 'FREQ=SECONDLY' }, 422, 'calendarInvalid', {
    ...bad,
    code: 'frequency',
  });
  await refused({ sourceId: 1, name: 'x', rule: 'FREQ=DAILY' }, 422, 'calendarInvalid', {
    ...bad,
    code: 'tooManyDates',
  });
  const never = 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30';
  await refused({ sourceId: 1, name: 'x', rule: never }, 422, 'calendarInvalid', { ...bad, code: 'noDates' });
  const media = await ask('POST', '/v1/calendar-rule/import?name=x&sourceId=1', { json: {} });
  t.equal(media.status, 415);
});

t.test('rules of other tenants are unknown, and a restart repeats all of them', async t => {
  const other = { token: await service.tokenFor({ tenant: 'other' }) };
  const [rule] = await rules();
  t.match(await ask('DELETE', `/v1/calendar-rule/${rule?.id}`, other), { status: 404 });
  t.strictSame((await ask('GET', '/v1/calendar-rule/list', other)).body, { rules: [] });
  t.match(await ask('GET', '/v1/calendar-rule/list?sourceId=1', other), { status: 404 });
  const before = [await rules(), await specials(1), events().length];
  await service.restart();
  t.strictSame([await rules(), await specials(1), events().length], before);
});
