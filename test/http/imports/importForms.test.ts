// Forms of imported data: variants of CSV, slices, aggregation, interpolation; imports during an analysis.
import t from 'tap';
import {
  checkingClient,
  dayWith,
  type Created,
  type Imported,
  type Days,
} from '../../helpers/checkingClient.js';
import { csvOf, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { exactList } from '../../helpers/exactList.js';

const service = await startService(t);
const client = await checkingClient(service);
const { ask, get, importDays, dayOf, create } = client;
const reference = ordinaryDays('2022-01-01', 60);

t.test('CSV with a BOM, CRLF, quotes and other variants is accepted', async t => {
  const days = reference.slice(0, 21);
  const sources: number[] = [];
  for (const csv of [
    csvOf(days),
    csvOf(days, { header: false }),
    `\ufeff${csvOf(days, { newline: '\r\n', quote: '"' })}`,
    `\ufeff${csvOf(days, { header: false, quote: '"' })}\n`,
    csvOf(days)
      .trimEnd()
      .replaceAll(/(T[\d:]+);/g, '$1Z;'),
  ])
    sources.push((await create('name=sorts&allowDuplicate=true', csv)).source.id);
  const listed = await Promise.all(
    sources.map(async id =>
      (await get<Days>(`/v1/day/list/${id}/2022`)).days.map(({ date, activity, gaps }) => ({
        date,
        activity,
        gaps,
      })),
    ),
  );
  t.equal(listed.length, 5);
  for (const list of listed)
    t.strictSame(
      list,
      days.map(day => ({ ...day, gaps: [] })),
    );

  const odd = await ask<Imported>('POST', `/v1/import-csv/${sources[0]}/days`, {
    csv:
      '2023-01-01T00:00:00;-1 234,5\n2023-01-01T01:00:00;1\u00a0000\n2023-01-01T02:00:00;\u20122\n'.replace(
        '\u2012',
        '-',
      ) + '2023-01-01T03:00:00;7\n2023-01-01T03:00:00;7,0\n',
  });
  t.match(odd.body.import, { duplicates: 1, warnings: exactList({ code: 'duplicate' }) });
  t.strictSame((await dayOf(sources[0] ?? 0, '2023-01-01'))?.activity.slice(0, 4), [-1234.5, 1000, -2, 7]);
});

t.test('activitySize, aggregation and interpolation of the source apply to its days', async t => {
  const days = reference.slice(0, 14);
  const pairs = (values: readonly number[], scale: number) =>
    Array.from(
      { length: values.length / 2 },
      (_, slice) => ((values[2 * slice] ?? 0) + (values[2 * slice + 1] ?? 0)) / scale,
    );
  const first = days[0]?.activity ?? [];
  const firstOf = async (id: number) => (await dayOf(id, '2022-01-01'))?.activity;

  const halved = await create('name=halved&activitySize=12', csvOf(days));
  t.equal(halved.source.activitySize, 12);
  t.strictSame(await firstOf(halved.source.id), pairs(first, 2), '12 slices are means of two hours');
  const summed = await create('name=summed&activitySize=12&aggregation=sum', csvOf(days));
  t.match(summed.source, { activitySize: 12, aggregation: 'sum' });
  t.strictSame(await firstOf(summed.source.id), pairs(first, 1), 'a counter adds them');
  await importDays(summed.source.id, [{ date: '2023-01-01', activity: [12, 24, 36, 48] }]);
  t.strictSame(
    (await dayOf(summed.source.id, '2023-01-01'))?.activity,
    [4, 4, 4, 8, 8, 8, 12, 12, 12, 16, 16, 16],
    'and splits what is coarser',
  );

  const minutes = Array.from({ length: 1440 }, (_, minute) => Math.floor(minute / 60) + (minute % 10));
  await importDays(1, [{ date: '2023-04-01', activity: minutes }]);
  t.strictSame(
    (await dayOf(1, '2023-04-01'))?.activity,
    Array.from({ length: 24 }, (_, hour) => hour + 4.5),
    '1440 minutes as 24 hours',
  );
  const fine = await ask<Created>('POST', '/v1/import/create-source', {
    json: { name: 'fine', referenceYear: 2022, days: days.map(({ date }) => ({ date, activity: minutes })) },
  });
  t.equal(fine.body.source.activitySize, 144, '1440 is kept as 144');
  t.strictSame((await firstOf(fine.body.source.id))?.slice(0, 7), [4.5, 4.5, 4.5, 4.5, 4.5, 4.5, 5.5]);
  const asked = await create(
    'name=asked&activitySize=1440',
    csvOf(days.map(({ date }) => ({ date, activity: minutes }))),
  );
  t.equal(asked.source.activitySize, 144);

  const rows = csvOf(days, { header: false }).split('\n');
  const holey = rows.filter(row => !/T(05|06|07):/.test(row)).join('\n');
  const linear = await create('name=linear&interpolationMethod=linear', holey);
  t.match(linear, {
    source: { interpolationMethod: 'linear' },
    import: { missingSamples: 42, filledSamples: 42 },
  });
  const filled = await dayOf(linear.source.id, '2022-01-01');
  t.match(filled, { gaps: exactList(), filled: exactList(exactList(5, 8)), completeness: 21 / 24 });
  const [from = 0, to = 0] = [first[4], first[8]];
  t.ok(
    [5, 6, 7].every(
      slice => Math.abs((filled?.activity[slice] ?? NaN) - (from + ((to - from) * (slice - 4)) / 4)) < 1e-9,
    ),
    'on the line between its neighbours',
  );
  const { body } = await ask<Imported>('POST', `/v1/import-csv/${linear.source.id}/days`, {
    csv: '2023-01-01T00:00:00;1\n2023-01-01T23:00:00;24\n',
  });
  t.match(body.import, { missingSamples: 22, filledSamples: 22 });
  t.strictSame(
    (await dayOf(linear.source.id, '2023-01-01'))?.activity.map(value => Math.round(value * 1e9) / 1e9),
    Array.from({ length: 24 }, (_, hour) => hour + 1),
    'recent days are filled too',
  );
});

t.test('days imported during the analysis wait for it', async t => {
  const { source } = await create('name=eager', csvOf(reference));
  const { status, body } = await importDays(source.id, [
    ordinaryDay('2023-05-01'),
    dayWith('2023-05-02', 9, 10, 800),
  ]);
  t.equal(status, 200);
  t.strictSame(
    body.days.map(day => day.status),
    ['normal', 'abnormal'],
    'they are checked with the first models',
  );
  t.match(body.alerts.raised, exactList({ date: '2023-05-02', modelsVersion: 1 }));
});

t.test('every answer of this file matches the API description', async t => client.assertMatched(t, 20));
