import t from 'tap';
import { sqliteStore } from '../../../adapters/sqlite/sqliteStore.js';
import { clockOf } from '../../../adapters/timeZones.js';
import type { LocalClock } from '../../../application/ports/localClock.js';
import { dateOf, dayNumber, secondsPerDay } from '../../../domain/dates.js';
import { sliceCounts } from '../../../domain/day.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, idle, startService, type Call } from '../../helpers/service.js';

/** A smallest change of the offset that the test looks for, in seconds. */
const changeMin = 3 * 3600;
const halfYear = 182 * secondsPerDay;
const since = dayNumber('1840-01-01') * secondsPerDay;
const until = dayNumber('2027-01-01') * secondsPerDay;

/** The local dates around each change of the offset by more than 3 hours that lasts, of one zone. */
const changedDates = (clock: LocalClock): string[] => {
  const offset = (at: number): number => clock.periodAt(at).offset;
  const dates = new Set<string>();
  for (let from = since; from < until; from += halfYear) {
    if (Math.abs(offset(from + halfYear) - offset(from)) <= changeMin) continue;
    let low = from;
    let high = from + halfYear;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (Math.abs(offset(middle) - offset(from)) <= changeMin) low = middle;
      else high = middle;
    }
    const first = Math.floor((low + Math.min(offset(low), offset(high))) / secondsPerDay);
    for (let day = first - 1; day <= first + 3; day += 1) dates.add(dateOf(day));
  }
  return [...dates];
};

/** Instants with a local date, at every ten minutes. */
const hasTime = (clock: LocalClock, date: string): boolean => {
  const midnight = dayNumber(date) * secondsPerDay;
  for (let second = 0; second < secondsPerDay; second += 600)
    if (clock.instantsOf(midnight + second).length > 0) return true;
  return false;
};

const year = (of: number, size: number) =>
  Array.from({ length: 30 }, (_, day) => ({
    date: dateOf(dayNumber(`${of}-01-01`) + day),
    activity: Array.from({ length: size }, (_, slice) => slice + (day % 7)),
  }));

const createSource = async (call: Call, timeZone: string, choices: object = {}, size = 24) => {
  const { status, body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: { name: timeZone, referenceYear: 2020, timeZone, days: year(2020, size), ...choices },
  });
  t.equal(status, 201, timeZone);
  return body.source.id;
};

type Problem = { readonly code: string; readonly errors: readonly { readonly code: string }[] };

t.test('a date that the clock of the source skips whole is refused in every path', async t => {
  const { call, events } = await startService(t);
  const id = await createSource(call, 'Pacific/Apia');
  await analysed(call, id);
  await idle(call);
  const count = events().length;
  const day = (date: string) => ({ date, activity: Array.from({ length: 24 }, () => 3) });
  const refused = await call<Problem>('POST', '/v1/import/days', {
    json: { sourceId: id, days: [day('2011-12-29'), day('2011-12-30'), day('2011-12-31')] },
  });
  t.equal(refused.status, 422);
  t.match(refused.body, {
    code: 'jsonInvalid',
    errors: exactList({
      code: 'skippedDate',
      pointer: '/days/1/date',
      value: '2011-12-30',
      detail: 'got 2011-12-30, a date that the clock of Pacific/Apia skips whole: leave it out',
    }),
  });
  const rows =
    'date;value\n2011-12-29T12:00:00;1\n2011-12-30T00:00:00;1\n2011-12-30T12:00:00;1\n2011-12-31T12:00:00;1\n';
  const local = await call<Problem>('POST', `/v1/import-csv/${id}/days?clock=local`, { csv: rows });
  t.equal(local.status, 422);
  t.match(local.body, {
    code: 'csvInvalid',
    errors: exactList({ code: 'skippedDate', line: 3 }, { code: 'skippedDate', line: 4 }),
  });
  const choices = { referenceYear: 2011, days: [...year(2011, 24), day('2011-12-30')] };
  const creation = await call<Problem>('POST', '/v1/import/create-source', {
    json: { name: 'new', timeZone: 'Pacific/Apia', ...choices },
  });
  t.equal(creation.status, 422);
  t.match(creation.body, { errors: exactList({ code: 'skippedDate', pointer: '/days/30/date' }) });
  const creationCsv = await call<Problem>(
    'POST',
    '/v1/import-csv/create-source?name=new&timeZone=Pacific/Apia&clock=local',
    { csv: rows },
  );
  t.equal(creationCsv.status, 422);
  t.match(creationCsv.body, { errors: exactList({ code: 'skippedDate', line: 3 }, { code: 'skippedDate' }) });
  t.equal(events().length, count, 'nothing was stored');
  const stored = await call('POST', '/v1/import/days', {
    json: { sourceId: id, days: [day('2011-12-29'), day('2011-12-31')] },
  });
  t.equal(stored.status, 200);
});

t.test('every zone and every date around a change of more than 3 hours: imported, or 422', async t => {
  const service = await startService(t);
  const { call } = service;
  const zones = Intl.supportedValuesOf('timeZone').flatMap(name => {
    const clock = clockOf(name);
    const dates = clock ? changedDates(clock) : [];
    return clock && dates.length > 0 ? [{ name, clock, dates }] : [];
  });
  t.ok(zones.length >= 5, `${zones.length} zones changed by more than 3 hours`);
  const skipped = new Set<string>();
  const known: number[] = [];
  for (const [index, { name, clock, dates }] of zones.entries()) {
    const size = sliceCounts[index % sliceCounts.length] ?? 24;
    const aggregation = index % 2 === 0 ? 'mean' : 'sum';
    const interpolationMethod = index % 3 === 0 ? 'linear' : 'zero';
    const id = await createSource(call, name, { aggregation, interpolationMethod }, size);
    known.push(id);
    const activity = Array.from({ length: size }, (_, slice) => (slice % 5 === 0 ? null : slice));
    const send = (some: readonly string[]) =>
      call<Problem>('POST', '/v1/import/days', {
        json: { sourceId: id, days: some.map(date => ({ date, activity })) },
      });
    const there = dates.filter(date => hasTime(clock, date));
    t.ok([200, 202].includes((await send(there)).status), `${name} ${there.join()}`);
    for (const date of dates.filter(each => !there.includes(each))) {
      const { status, body } = await send([date]);
      t.strictSame([status, body.errors[0]?.code], [422, 'skippedDate'], `${name} ${date}`);
      skipped.add(`${name} ${date}`);
    }
  }
  for (const place of [
    'Pacific/Apia 2011-12-30',
    'Pacific/Fakaofo 2011-12-30',
    'Pacific/Kwajalein 1993-08-21',
  ])
    t.ok(skipped.has(place), place);
  await idle(call);
  await service.restart();
  for (const id of known) t.equal((await call('GET', `/v1/source/${id}`)).status, 200);
  t.equal((await call('GET', '/v1/overview')).status, 200);
});

t.test('a log of an older build with such a day opens, and the day is not compared', async t => {
  const service = await startService(t);
  const { call } = service;
  const id = await createSource(call, 'Pacific/Apia');
  await analysed(call, id);
  await idle(call);
  const { log } = service.settings;
  if (log.kind !== 'sqlite') return;
  await service.stop();
  const store = sqliteStore(log.file);
  let revision = -1;
  for await (const event of store.read(`days-${id}`)) ({ revision } = event);
  const activity = Array.from({ length: 24 }, () => 0);
  const day = { date: '2011-12-30', activity, gaps: [[0, 24]], filled: [], skipped: [[0, 24]] };
  const summary = { lines: 0, days: 1, missingSamples: 0, filledSamples: 0, duplicates: 0, warnings: [] };
  await store.append(`days-${id}`, revision, [
    {
      id: '0b7c0012-1f2e-5a3b-9c4d-0123456789ab',
      type: 'DaysImported',
      v: 1,
      data: { sourceId: id, importId: 'old', kind: 'recent', part: 1, parts: 1, days: [day], summary },
      metadata: { by: 'x', cause: 'x', correlation: 'x' },
      at: '2024-01-01T00:00:00.000Z',
    },
  ]);
  await store.close();
  await service.restart();
  await idle(call);
  const { body } = await call<{ days: readonly object[] }>('GET', `/v1/day/list/${id}/2011`);
  t.match(body.days, exactList({ date: '2011-12-30', completeness: 0, check: { outcome: 'notCompared' } }));
  t.equal((await call<{ alerts: unknown[] }>('GET', `/v1/alert/list?sourceId=${id}`)).body.alerts.length, 0);
  await service.restart();
  const next = { sourceId: id, days: [{ date: '2024-01-01', activity: activity.map((_, slice) => slice) }] };
  t.equal((await call('POST', '/v1/import/days', { json: next })).status, 200);
});
