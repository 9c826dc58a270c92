import t from 'tap';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { ImportSummary } from '../../../domain/days.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { answerChecker, type Document } from '../../helpers/documents/apiDescription.js';
import {
  analysed,
  csvOf,
  ordinaryDay,
  ordinaryDays,
  startService,
  type Received,
  type Sent,
} from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

type Imported = {
  readonly import: ImportSummary & { readonly id: string };
  readonly days: readonly { readonly date: string; readonly status: string; readonly completeness: number }[];
  readonly alerts: { readonly raised: readonly AlertRecord[] };
};

const service = await startService(t);
const { call, events } = service;
const check = answerChecker((await call<Document>('GET', '/openapi.json')).body);
/** Every answer of this file is checked against the API description. */
const ask = async <Body>(method: string, path: string, sent?: Sent): Promise<Received<Body>> => {
  const answer = await call<Body>(method, path, sent);
  const faults = check(method, path, answer);
  if (faults.length > 0) throw new Error(`${method} ${path}: ${faults.join('; ')}`);
  return answer;
};

const zone = 'Europe/Paris';
const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
/** Hourly rows in UTC of days whose shape follows the clock of Paris. */
const rowsByUtc = (from: string, to: string): string => {
  const rows: string[] = [];
  for (
    let at = Date.parse(`${from}T00:00:00Z`) - 7_200_000;
    at < Date.parse(`${to}T00:00:00Z`);
    at += 3_600_000
  ) {
    const [date = '', time = ''] = parts.format(at).split(' ');
    if (date < from || date >= to) continue;
    const value = ordinaryDay(date).activity[Number(time.slice(0, 2))] ?? NaN;
    rows.push(`${new Date(at).toISOString().slice(0, 19)};${String(value).replace('.', ',')}`);
  }
  return `${rows.join('\n')}\n`;
};

let sourceId = 0;
t.test('CSV in UTC creates a source of a time zone', async t => {
  const { status, body } = await ask<{ source: SourceRecord; import: ImportSummary }>(
    'POST',
    '/v1/import-csv/create-source?name=paris&timeZone=europe/paris',
    { csv: rowsByUtc('2022-01-01', '2023-01-01') },
  );
  t.equal(status, 201);
  t.match(body.source, {
    timeZone: zone,
    referenceYear: 2022,
    activitySize: 24,
    reference: { days: 365, completeDays: 365, completeness: 1, from: '2022-01-01', to: '2022-12-31' },
  });
  t.match(body.import, { lines: 8760, days: 365, missingSamples: 0, zoneData: process.versions['tz'] });
  sourceId = body.source.id;
  await analysed(call, sourceId);
  const created = events().find(({ type }) => type === 'SourceCreated');
  t.match(created?.data, { timeZone: zone });
  const days = events().filter(({ type }) => type === 'DaysImported');
  t.match(days.at(-1)?.data, { summary: { zoneData: process.versions['tz'] } });
  const spring = await ask<{ days: readonly StoredDay[] }>('GET', `/v1/day/list/${sourceId}/2022`);
  t.strictSame(
    spring.body.days
      .filter(({ gaps }) => gaps.length > 0)
      .map(({ date, gaps, skipped }) => [date, gaps, skipped]),
    [['2022-03-27', [[2, 3]], [[2, 3]]]],
    'a gap where the hour is missing',
  );
});

t.test('weeks with a clock change raise no alert', async t => {
  for (const [from, to, change] of [
    ['2023-03-20', '2023-04-03', '2023-03-26'],
    ['2023-10-23', '2023-11-06', '2023-10-29'],
  ] as const) {
    const { body } = await ask<Imported>('POST', `/v1/import-csv/${sourceId}/days`, {
      csv: rowsByUtc(from, to),
    });
    t.equal(body.days.length, 14);
    t.strictSame(body.alerts.raised, []);
    t.match(
      body.days.find(({ date }) => date === change),
      { status: 'normal', completeness: 1 },
    );
  }
});

t.test('a day of 23 hours with half of its values is compared', async t => {
  // 12 of 23 hours, every second one; the skipped hour is not counted as missing.
  const half = ordinaryDay('2024-03-31').activity.map((value, hour) =>
    hour === 2 || (hour % 2 === 1 && hour < 23) ? null : value,
  );
  const { body } = await ask<Imported>('POST', '/v1/import/days', {
    json: { sourceId, days: [{ date: '2024-03-31', activity: half }] },
  });
  t.match(body.days, exactList({ status: 'normal', completeness: 12 / 23 }));
});

t.test('with clock=local, times are read by the local clock', async t => {
  const days = ordinaryDays('2023-03-20', 14).filter(({ date }) => weekday(dayNumber(date)) !== 6);
  const { body } = await ask<Imported>('POST', `/v1/import-csv/${sourceId}/days?clock=local`, {
    csv: csvOf([...days, ordinaryDay('2023-10-29')]),
  });
  t.strictSame(body.import.localStamps, { repeatedHour: 1, skippedHour: 0 });
  t.match(body.import.warnings, exactList({ code: 'daysMissing' }, { code: 'localStamps' }));
  const monday = (
    await ask<{ days: readonly StoredDay[] }>('GET', `/v1/day/list/${sourceId}/2023`)
  ).body.days.find(({ date }) => date === '2023-03-27');
  t.strictSame(monday?.activity, ordinaryDay('2023-03-27').activity);
  const again = await ask<Imported>('GET', `/v1/import/${body.import.id}`);
  t.strictSame(again.body.import, body.import, 'the import is remembered with what was decided');
});

t.test('days in JSON are days of the time zone, also after a restart', async t => {
  const { body, status } = await ask<{ source: SourceRecord }>('POST', '/v1/import/create-source', {
    json: { name: 'json', referenceYear: 2022, days: ordinaryDays('2022-01-01', 60), timeZone: 'Asia/Tokyo' },
  });
  t.equal(status, 201);
  t.equal(body.source.timeZone, 'Asia/Tokyo');
  await analysed(call, body.source.id);
  await service.restart();
  const { body: kept } = await ask<SourceRecord>('GET', `/v1/source/${body.source.id}`);
  t.equal(kept.timeZone, 'Asia/Tokyo');
  const midnight = dateOf(dayNumber('2023-05-01'));
  const days = await ask<Imported>('POST', `/v1/import-csv/${body.source.id}/days`, {
    csv: `2023-04-30T15:00:00;20\n${midnight}T14:00:00Z;20\n2023-05-02T00:00:00+09:00;1\n`,
  });
  t.strictSame(
    days.body.days.map(({ date }) => date),
    ['2023-05-01', '2023-05-02'],
  );
});

t.test('a source without a time zone is UTC and needs no zone data', async t => {
  const { body } = await ask<{ source: SourceRecord; import: ImportSummary }>(
    'POST',
    '/v1/import/create-source',
    {
      json: { name: 'utc', referenceYear: 2022, days: ordinaryDays('2022-01-01', 30) },
    },
  );
  t.equal(body.source.timeZone, 'UTC');
  t.notOk('zoneData' in body.import);
});
