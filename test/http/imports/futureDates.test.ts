import t from 'tap';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { drivenClock, serviceBy } from '../../helpers/clockedService.js';
import { decidedBy, exported } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import {
  analysed,
  eventually,
  idle,
  ordinaryDay,
  ordinaryDays,
  startService,
} from '../../helpers/service.js';
import { sharedAnalyst } from '../../helpers/sharedAnalyst.js';

// Days after tomorrow are refused; those that a client allows do not count as data of the present.

const pool = sharedAnalyst();

type Refusal = {
  readonly code: string;
  readonly errors: readonly { readonly code: string; readonly detail: string }[];
};
type Imported = {
  readonly import: { readonly warnings: readonly { readonly code: string }[] };
  readonly days: readonly { readonly date: string }[];
};
type Overview = {
  readonly from: string;
  readonly to: string;
  readonly sources: readonly { readonly id: number; readonly lastDate: string | null }[];
};

const service = await startService(t);
const { call, eventCount } = service;
const json = { name: 'Gate', referenceYear: 2023, days: ordinaryDays('2023-01-01', 28) };
const created = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', { json });
const sourceId = created.body.source.id;
await analysed(call, sourceId);

t.test('a future day is refused whole, in JSON and in CSV, and nothing is stored', async t => {
  await idle(call);
  const before = eventCount();
  const days = [ordinaryDay('2024-03-05'), ordinaryDay('2099-01-01')];
  const fault = { code: 'futureDate', detail: /expected a date up to tomorrow, .* allowFuture=true$/ };
  const inJson = await call<Refusal>('POST', '/v1/import/days', { json: { sourceId, days } });
  t.match(inJson, { status: 422, body: { code: 'jsonInvalid' } });
  t.match(inJson.body.errors, exactList({ ...fault, pointer: '/days/1/date' }));
  const path = `/v1/import-csv/${sourceId}/days`;
  const csv = '2024-03-05T00:00:00;1\n2099-01-01T00:00:00;1\n';
  const inCsv = await call<Refusal>('POST', path, { csv });
  t.match(inCsv, { status: 422, body: { code: 'csvInvalid' } });
  t.match(inCsv.body.errors, exactList({ ...fault, line: 2, column: 1 }));
  t.equal((await call('POST', `${path}?allowFuture=false`, { csv })).status, 422);
  t.equal((await call('POST', `${path}?allowFuture=perhaps`, { csv })).status, 422);
  t.equal(eventCount(), before);
});

t.test('an inspection names the date', async t => {
  const inspect = async (csv: string) =>
    (await call<{ problems: readonly object[] }>('POST', '/v1/import-csv/inspect', { csv })).body.problems;
  t.match(
    await inspect('2024-03-05T00:00:00;1\n2099-01-01T00:00:00;2\n'),
    exactList({
      code: 'futureDate',
      detail: /^the last date is 2099-01-01, after tomorrow: .*allowFuture=true/,
    }),
  );
  t.strictSame(await inspect('2024-03-05T00:00:00;1\n2024-03-06T00:00:00;2\n'), []);
});

t.test('with allowFuture=true it is stored with a warning', async t => {
  const days = [ordinaryDay('2024-03-05'), ordinaryDay('2099-01-01')];
  const { status, body } = await call<Imported>('POST', '/v1/import/days?allowFuture=true', {
    json: { sourceId, days },
  });
  t.equal(status, 200);
  t.match(body.import.warnings, exactList({ code: 'futureDays' }));
  t.notOk('countedTo' in body.import);
  t.equal(body.days.length, 2);
  const csv = await call<Imported>('POST', `/v1/import-csv/${sourceId}/days?allowFuture=true`, {
    csv: '2098-05-05T00:00:00;1\n',
  });
  t.match(csv, { status: 200, body: { days: exactList({ date: '2098-05-05' }) } });
});

t.test('the overview, the list of sources and tables end with the last other day', async t => {
  const { body } = await call<Overview>('GET', '/v1/overview');
  t.match(body.sources, exactList({ id: sourceId, lastDate: '2024-03-05' }));
  t.equal(body.to, '2024-03-13');
  const list = await call<{ sources: readonly SourceRecord[] }>('GET', '/v1/source/list');
  t.equal(list.body.sources[0]?.lastData.date, '2024-03-05');
  const table = await call<readonly object[]>('GET', `/v1/table/${sourceId}/days?format=csv`);
  t.match(table.text, /2024-03-05/);
  t.notMatch(table.text, /209[89]-/);
  const at = await call<Overview>('GET', '/v1/overview?to=2099-01-02&days=1');
  t.equal(JSON.stringify(at.body.sources).includes('2099-01-01'), true, 'a chosen period shows them');
});

t.test('a creation may have any reference year', async t => {
  const year = { name: 'Plan', referenceYear: 2098, days: ordinaryDays('2098-01-01', 28) };
  const { status, body } = await call<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    json: year,
  });
  t.equal(status, 201);
  const overview = await call<Overview>('GET', '/v1/overview');
  t.match(
    overview.body.sources.find(({ id }) => id === body.source.id),
    { lastDate: null },
  );
  t.equal(overview.body.to, '2024-03-13');
});

/** The request of an import of one day, and its status. */
const importedOn = async (
  { send }: Pick<Awaited<ReturnType<typeof serviceBy>>, 'send'>,
  id: number,
  date: string,
): Promise<number> =>
  (await send('POST', '/v1/import/days', { sourceId: id, days: [ordinaryDay(date)] })).status;

t.test('tomorrow is that of the source and of the clock of the service', async t => {
  // 9 March, 23:30 in UTC: the 10th in Paris.
  const served = await serviceBy(t, drivenClock('2024-03-09T23:30:00.000Z'), pool);
  const utc = await served.create('UTC');
  const { source } = await served.ask<{ source: { id: number } }>('POST', '/v1/import/create-source', {
    ...{ name: 'Paris', referenceYear: 2023, days: ordinaryDays('2023-01-01', 28), timeZone: 'Europe/Paris' },
  });
  t.equal(await importedOn(served, utc, '2024-03-10'), 200);
  t.equal(await importedOn(served, utc, '2024-03-11'), 422);
  t.equal(await importedOn(served, source.id, '2024-03-11'), 200);
  t.equal(await importedOn(served, source.id, '2024-03-12'), 422);
  const text = '2024-03-11T22:59:59;1\n';
  const path = `/v1/import-csv/${source.id}/days`;
  t.equal((await served.send('POST', path, text, 'text/csv')).status, 200);
  t.equal((await served.send('POST', path, text.replace('22:59:59', '23:00:00'), 'text/csv')).status, 422);
});

t.test('future days end no silence, and imports of the present go on counting', async t => {
  const clock = drivenClock('2024-03-01T06:00:00.000Z');
  const served = await serviceBy(t, clock, pool);
  const id = await served.create('Gate');
  const dates = ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07', '2024-03-08'];
  for (const date of dates) {
    await clock.goTo(`${date}T06:00:00.000Z`);
    await served.importDays(id, dateOf(dayNumber(date) - 1));
  }
  const future = { sourceId: id, days: [ordinaryDay('2099-01-01')] };
  await served.ask('POST', '/v1/import/days?allowFuture=true', future);
  await clock.goTo('2024-03-09T06:00:00.000Z');
  await served.importDays(id, '2024-03-08');
  await clock.goTo('2024-03-10T17:00:00.000Z');
  t.strictSame(await served.alerts('&kind=noData'), [], 'the import of the day before counts');
  await served.ask('POST', '/v1/import/days?allowFuture=true', future);
  await clock.goTo('2024-03-10T19:00:00.000Z');
  const silence = await eventually('the alert', async () => (await served.alerts('&kind=noData'))[0]);
  t.match(silence, { date: '2024-03-09', silence: { lastDate: '2024-03-08' } });
  await served.ask('POST', '/v1/import/days?allowFuture=true', future);
  t.match((await served.alerts('&kind=noData'))[0], { state: 'open' }, 'a future day is no sign of data');
  // 40 days are two parts of an import: the last one has future days alone.
  const last = [...ordinaryDays('2024-02-10', 30), ...ordinaryDays('2024-05-01', 10)];
  await served.ask('POST', '/v1/import/days?allowFuture=true', { sourceId: id, days: last });
  t.match((await served.alerts('&kind=noData'))[0], { state: 'ended' });
  const { findings, undecided } = await decidedBy(pool, exported(await served.events()));
  t.strictSame([findings, undecided], [[], 0]);
});

t.test('a source is learned again from its days up to tomorrow', async t => {
  const clock = drivenClock('2024-06-01T06:00:00.000Z');
  const served = await serviceBy(t, clock, pool);
  const id = await served.create('Gate');
  const first = dateOf(dayNumber('2024-06-02') - 399);
  const days = [...ordinaryDays(first, 400), ordinaryDay('2024-06-03'), ordinaryDay('2099-01-01')];
  await served.ask('POST', '/v1/import/days?allowFuture=true', { sourceId: id, days });
  const { relearnProposed } = await served.ask<SourceRecord>('GET', `/v1/source/${id}`);
  t.match(relearnProposed, { reason: 'yearOfData', possible: true });
  const { source } = await served.ask<{ source: SourceRecord }>('POST', `/v1/source/${id}/relearn`);
  t.match(source.reference, { from: '2023-06-04', to: '2024-06-02', days: 365 });
  const log = await served.events();
  t.match(log.find(({ type }) => type === 'SourceRelearned')?.data, { created: { countedTo: '2024-06-02' } });
  const { findings, undecided } = await decidedBy(pool, exported(log));
  t.strictSame([findings, undecided], [[], 0]);
});
