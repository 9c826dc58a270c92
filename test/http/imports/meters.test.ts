// Readings of a meter: a source with the aggregation `counter` finds what a source of its differences finds.
import t from 'tap';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import {
  checkingClient,
  type AlertList,
  type Created,
  type Days,
  type Imported,
} from '../../helpers/checkingClient.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, csvOf, idle, ordinaryDays, startService } from '../../helpers/service.js';

const { call } = await startService(t);
const { ask, get, create, importDays, assertMatched } = await checkingClient({ call });

type Day = { readonly date: string; readonly activity: readonly number[] };
type Problem = { readonly code: string; readonly detail: string };

/** Hourly readings of a register that begins at `start`, with one after the last day; values of three decimals. */
const readingsOf = (days: readonly Day[], start: number): { readonly csv: string; readonly last: number } => {
  let register = start;
  const rows = days.flatMap(({ date, activity }) =>
    activity.map((amount, hour) => {
      const row = `${date}T${String(hour).padStart(2, '0')}:00:00;${register.toFixed(3).replace('.', ',')}`;
      register += amount;
      return row;
    }),
  );
  const after = dateOf(dayNumber(days.at(-1)?.date ?? '') + 1);
  rows.push(`${after}T00:00:00;${register.toFixed(3).replace('.', ',')}`);
  return { csv: `date;value\n${rows.join('\n')}\n`, last: register };
};

/** Days with tenths, so that differences of readings are no exact binary fractions. */
const consumed = (first: string, count: number): readonly Day[] =>
  ordinaryDays(first, count).map(({ date, activity }) => ({
    date,
    activity: activity.map(value => Math.round(value * 10 + 1) / 100),
  }));

const alertDates = async (id: number): Promise<readonly string[]> =>
  (await get<AlertList>(`/v1/alert/list?sourceId=${id}&limit=500`)).alerts
    .map(({ date, kind }) => `${date} ${kind}`)
    .sort();
const activities = async (id: number, year: number) =>
  (await get<Days>(`/v1/day/list/${id}/${year}`)).days.map(({ date, activity, gaps, filled }) => ({
    date,
    activity,
    gaps,
    filled,
  }));

t.test('a year of cumulative readings has the days, models and alerts of its differences', async t => {
  const reference = consumed('2022-01-01', 365);
  const recent = consumed('2023-01-01', 90).map(({ date, activity }, index) => ({
    date,
    activity: index >= 40 && index < 68 ? activity.map(value => Math.round(300 * value) / 100) : activity,
  }));
  const { csv, last } = readingsOf(reference, 48_211.5);
  const meter = await create('name=Meter&aggregation=counter', csv);
  const amounts = await create('name=Amounts&aggregation=sum', csvOf(reference));
  t.match(meter.source, { aggregation: 'counter', activitySize: 24, referenceYear: 2022 });
  t.match(meter.import, { days: 365, missingSamples: 0, lines: 365 * 24 + 1, warnings: exactList() });
  t.strictSame(await activities(meter.source.id, 2022), await activities(amounts.source.id, 2022));

  await analysed(call, meter.source.id);
  await analysed(call, amounts.source.id);
  const found = await ask<Imported>('POST', `/v1/import-csv/${meter.source.id}/days`, {
    csv: readingsOf(recent, last).csv,
  });
  t.equal(found.status, 200);
  // Three times is near 3.6, the factor between two units.
  t.match(found.body.import, { days: 90, warnings: exactList({ code: 'unitChanged' }) });
  await ask('POST', `/v1/import-csv/${amounts.source.id}/days`, { csv: csvOf(recent) });
  await idle(call);
  const dates = await alertDates(meter.source.id);
  t.strictSame(dates, await alertDates(amounts.source.id));
  const tripled = recent.slice(40, 68).map(({ date }) => date);
  // One day late in the stretch is within limits that adapted to it, as in the differences.
  const withAlert = tripled.filter(date => dates.some(each => each.startsWith(date)));
  t.equal(withAlert.length, 27, 'days with three times as much that have an alert');

  const few = await ask<Imported>('POST', `/v1/import-csv/${meter.source.id}/days`, {
    csv: '2023-06-01T00:00:00;5\n2023-06-01T01:00:00;5000005\n2023-06-01T02:00:00;5000007\n',
  });
  t.match(few.body.import.warnings, exactList({ code: 'counterJump' }), 'the models know what a jump is');

  const [alert] = found.body.alerts.raised;
  t.equal(alert?.deviation?.aggregation, 'counter');
  t.ok((alert?.deviation?.actual ?? 0) > 100, 'the deviation is a total of its stretch');
});

t.test(
  'resets, jumps and roll-overs are in the answer; their slices are gaps or have their amount',
  async t => {
    const days = consumed('2022-01-01', 30);
    const rows = readingsOf(days, 99_700).csv.trimEnd().split('\n').slice(1);
    /** Rows whose register is another one from a row on. */
    const changed = rows.map((row, index) => {
      const [stamp = '', text = ''] = row.split(';');
      const reading = Number(text.replace(',', '.'));
      const shown =
        index >= 500
          ? reading + 8e8
          : index >= 300
            ? reading - rolledAt(299)
            : reading >= 1e5
              ? reading - 1e5
              : reading;
      return `${stamp};${shown.toFixed(3).replace('.', ',')}`;
    });
    function rolledAt(index: number): number {
      return Number((rows[index] ?? '').split(';')[1]?.replace(',', '.'));
    }
    const { body, status } = await ask<Created>(
      'POST',
      '/v1/import-csv/create-source?name=Exchanged&aggregation=counter',
      { csv: changed.join('\n') },
    );
    t.equal(status, 201);
    const codes = body.import.warnings.map(({ code }) => code);
    t.strictSame(codes, ['lessThanAYear', 'counterReset', 'counterJump', 'counterRollOver']);
    t.match(
      body.import.warnings[1]?.detail,
      /^got 9\.78 at 2022-01-13T12:00:00Z after 1157\.1 at 2022-01-13T11/,
    );
    const stored = await activities(body.source.id, 2022);
    t.strictSame(
      stored.flatMap(({ date, gaps }) => gaps.map(([from, to]) => `${date} ${from}-${to}`)),
      ['2022-01-13 11-12', '2022-01-21 19-20'],
    );
    t.strictSame(
      stored.map(({ activity }, index) =>
        activity.map((value, hour) =>
          value === 0 || value === days[index]?.activity[hour] ? 'as used' : value,
        ),
      ),
      days.map(({ activity }) => activity.map(() => 'as used')),
    );
  },
);

t.test('daily readings need linear; JSON days of a counter hold amounts', async t => {
  const daily = Array.from(
    { length: 61 },
    (_, day) => `${dateOf(dayNumber('2022-01-01') + day)}T07:30:00;${1000 + day * 12}`,
  ).join('\n');
  const refused = await ask<Problem>('POST', '/v1/import-csv/create-source?name=Daily&aggregation=counter', {
    csv: daily,
  });
  t.match([refused.status, refused.body.code], exactList(422, 'referenceTooShort'));
  t.match(refused.body.detail, /interpolationMethod=linear/);
  const { source, import: imported } = await create(
    'name=Daily&aggregation=counter&interpolationMethod=linear',
    daily,
  );
  t.match(imported, {
    missingSamples: 61 * 4,
    filledSamples: 61 * 4,
    notes: exactList(
      'daily data, kept as 4 slices of 6 hours: 1 value in 4 slices, the others are filled between them',
      /./,
    ),
  });
  const [first, second] = await activities(source.id, 2022);
  t.strictSame([first?.filled, second?.activity], [[[0, 4]], [3, 3, 3, 3]]);

  const added = await importDays(source.id, [{ date: '2023-01-01', activity: Array(24).fill(2) }]);
  t.match(
    added.body.import.notes,
    exactList('1 day of 24 values, kept as 4 slices of 6 hours: the sum of 6 values is a slice'),
  );
  t.strictSame((await activities(source.id, 2023))[0]?.activity, [12, 12, 12, 12]);
});

t.test('values that are no register are refused with the cure; so is one reading at midnight', async t => {
  const csv = csvOf(consumed('2022-01-01', 60));
  const refused = await ask<Problem>('POST', '/v1/import-csv/create-source?name=Levels&aggregation=counter', {
    csv,
  });
  t.match([refused.status, refused.body.code], exactList(422, 'notCumulative'));
  t.match(refused.body.detail, /aggregation=sum for amounts, or with aggregation=mean/);
  const { source } = await create(
    'name=Register&aggregation=counter',
    readingsOf(consumed('2022-01-01', 60), 0).csv,
  );
  const wrong = await ask<Problem>('POST', `/v1/import-csv/${source.id}/days`, { csv });
  t.match([wrong.status, wrong.body.code], exactList(422, 'notCumulative'));
  const one = await ask<Problem>('POST', `/v1/import-csv/${source.id}/days`, {
    csv: '2023-01-02T00:00:00;5\n',
  });
  t.match([one.status, one.body.code], exactList(422, 'csvEmpty'));
  t.notMatch(one.body.detail, /linear/);
  const daily = await ask<Problem>('POST', `/v1/import-csv/${source.id}/days`, {
    csv: '2023-01-02T00:00:00;5\n2023-01-03T00:00:00;9\n',
  });
  t.match([daily.status, daily.body.code], exactList(422, 'csvEmpty'));
  t.match(daily.body.detail, /a source that is created with interpolationMethod=linear spreads rises/);
});

t.test('a leap year may end with the reading of the midnight after it', async t => {
  const leap = readingsOf(consumed('2024-01-01', 366), 10).csv;
  const { body, status } = await ask<Created>(
    'POST',
    '/v1/import-csv/create-source?name=Leap&aggregation=counter',
    {
      csv: leap,
    },
  );
  t.equal(status, 201);
  t.match(body.import, { days: 366, missingSamples: 0 });
  const late = leap.replace('2025-01-01T00:00:00', '2025-01-01T00:00:01');
  const refused = await ask<Problem>('POST', '/v1/import-csv/create-source?name=Late&aggregation=counter', {
    csv: late,
  });
  t.match([refused.status, refused.body.code], exactList(422, 'csvInvalid'));
});

t.test('the answers fit the description', async t => assertMatched(t, 20));
