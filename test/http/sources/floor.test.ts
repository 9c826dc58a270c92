import t from 'tap';
import type { AlertRecord } from '../../../projections/alertPages.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { decidedBy, exported, forged, rememberingAnalyst } from '../../helpers/decisions/decided.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, csvOf, idle, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';

// The floor of a source: proposed, given, changed, and obeyed by checks.

const service = await startService(t);
const { call, events } = service;
const days = ordinaryDays('2025-01-01', 120);

type Created = { readonly source: SourceRecord };
const create = async (name: string, more: object = {}) => {
  const json = { name, referenceYear: 2025, days, ...more };
  const { body, status } = await call<Created>('POST', '/v1/import/create-source', { json });
  t.equal(status, 201);
  await analysed(call, body.source.id);
  return body.source;
};
const patch = async (id: number, minChange: object | null) =>
  (await call<SourceRecord>('PATCH', `/v1/source/${id}`, { json: { minChange } })).body.minChange;

type Imported = {
  readonly days: readonly object[];
  readonly alerts: { readonly raised: readonly AlertRecord[] };
};
const loud = (date: string) => ({ date, activity: ordinaryDay(date).activity.map(value => 2 * value) });
const importDays = async (sourceId: number, ...sent: readonly object[]) =>
  (await call<Imported>('POST', '/v1/import/days', { json: { sourceId, days: sent } })).body;
const checkOf = async (id: number, date: string, query = '') =>
  (await call<{ day: { check: object } }>('GET', `/v1/day/${id}/${date}${query}`)).body.day.check;

t.test('a new source has a floor from its reference, or the one that it was given', async t => {
  const proposed = await create('Proposed');
  t.match(proposed.minChange, { absolute: 0.31, proposed: true });
  const [event] = events().filter(({ type }) => type === 'SourceCreated');
  t.match(event?.data, { minChange: proposed.minChange });
  const own = await create('Own', { minChange: { percent: 20 } });
  t.strictSame(own.minChange, { absolute: null, percent: 20, proposed: false });
  const off = await create('Off', { minChange: { absolute: 0, percent: 0 } });
  t.strictSame(off.minChange, { absolute: 0, percent: 0, proposed: false });
  const csv = await call<Created>(
    'POST',
    '/v1/import-csv/create-source?name=Csv&minChangeAbsolute=2.5&minChangePercent=3',
    { csv: csvOf(days) },
  );
  t.strictSame(csv.body.source.minChange, { absolute: 2.5, percent: 3, proposed: false });
  const none = await call<SourceRecord>('POST', '/v1/source', {
    json: { name: 'Collects', activitySize: 24 },
  });
  t.match([none.status, none.body.minChange], exactList(201, null), 'nothing to propose from');
  const asked = { name: 'Asks', activitySize: 24, minChange: { percent: 5 } };
  const { body } = await call<SourceRecord>('POST', '/v1/source', { json: asked });
  t.strictSame(body.minChange, { absolute: null, percent: 5, proposed: false });
});

t.test('a change of the floor counts for the next check', async t => {
  const { id, minChange } = await create('Hall');
  t.match(minChange, { proposed: true });
  const raised = await importDays(id, loud('2025-05-05'));
  t.equal(raised.alerts.raised.length, 1);
  t.strictSame(await patch(id, { percent: 150 }), { ...minChange, percent: 150, proposed: false });
  const count = service.eventCount();
  t.match(await checkOf(id, '2025-05-05'), { outcome: 'abnormal' }, 'stored checks stay');
  t.equal(service.eventCount(), count);

  const quiet = await importDays(id, loud('2025-05-06'), ordinaryDay('2025-05-07'));
  t.match(quiet, {
    alerts: { raised: exactList() },
    days: exactList({ status: 'normal', belowFloor: true }, { status: 'normal', belowFloor: undefined }),
  });
  const { text } = await call('GET', `/v1/table/${id}/checks?from=2025-05-06&format=csv`);
  const [header = [], ...rows] = text
    .trimEnd()
    .split('\n')
    .map(line => line.split(','));
  t.strictSame(
    rows.map(row => row[header.indexOf('belowFloor')]),
    ['true', 'false'],
    'the table of checks',
  );
  t.match(await checkOf(id, '2025-05-06'), { outcome: 'normal', belowFloor: true });
  t.notOk('belowFloor' in (await checkOf(id, '2025-05-07')));
  t.match(events().findLast(({ type }) => type === 'DaysChecked')?.data, {
    days: exactList({ outcome: 'normal', belowFloor: true }, { outcome: 'normal' }),
  });

  t.equal(await patch(id, null), null);
  const again = await importDays(id, loud('2025-05-06'));
  t.equal(again.alerts.raised.length, 1, 'without a floor');
  t.notOk('belowFloor' in (await checkOf(id, '2025-05-06')));
  const position = events().findLast(
    ({ type, data }) => type === 'DaysChecked' && JSON.stringify(data).includes('belowFloor'),
  )?.position;
  t.match(await checkOf(id, '2025-05-06', `?asOf=${position}`), { belowFloor: true }, 'the past knows it');
});

t.test('an unprocessed alert ends when its day comes again below the floor', async t => {
  const { id } = await create('Ends', { minChange: { absolute: 0 } });
  const [alert] = (await importDays(id, loud('2025-05-05'))).alerts.raised;
  await patch(id, { absolute: 1000 });
  await importDays(id, loud('2025-05-05'));
  t.match((await call('GET', `/v1/alert/${alert?.id}`)).body, { state: 'invalidated' });
});

t.test('verification repeats proposals and checks below the floor', async t => {
  await idle(call);
  const log = exported(events());
  const analyst = rememberingAnalyst();
  try {
    t.match(await decidedBy(analyst, log), { findings: exactList(), undecided: 0 });
    const other = forged(
      log,
      ({ type, data }) => type === 'SourceCreated' && (data as { name: string }).name === 'Proposed',
      data => ({ ...data, minChange: { absolute: 99, percent: 2, proposed: true } }),
    );
    t.match((await decidedBy(analyst, other)).findings.length, 1);
    const quiet = forged(
      log,
      ({ type, data }) => type === 'DaysChecked' && JSON.stringify(data).includes('belowFloor'),
      data => ({
        ...data,
        days: (data['days'] as readonly object[]).map(day => ({ ...day, belowFloor: undefined })),
      }),
    );
    t.match((await decidedBy(analyst, quiet)).findings.length, 2);
  } finally {
    await analyst.close();
  }
});
