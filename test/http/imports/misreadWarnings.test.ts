// Warnings of data that may be read in two ways: in answers of imports and inspections, each with its cure.
import t from 'tap';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { exactList } from '../../helpers/exactList.js';
import { analysed, csvOf, ordinaryDays, startService } from '../../helpers/service.js';

type Warnings = readonly { readonly code: string; readonly detail: string; readonly cure: string }[];
type Imported = { readonly import: { readonly id: string; readonly warnings: Warnings } };
type Created = Imported & { readonly source: { readonly id: number } };
type Days = ReturnType<typeof ordinaryDays>;

const service = await startService(t);
const { call } = service;
const sentence = /^[A-Z].*\.$/;
const json = { name: 'Hall', referenceYear: 2023, days: ordinaryDays('2023-01-01', 150) };
const created = await call<Created>('POST', '/v1/import/create-source', { json });
const sourceId = created.body.source.id;
await analysed(call, sourceId);

const recent = ordinaryDays('2023-05-31', 28);
const scaled = (days: Days, factor: number): Days =>
  days.map(({ date, activity }) => ({ date, activity: activity.map(value => value * factor) }));
const imported = async (days: Days): Promise<Imported['import']> =>
  (await call<Imported>('POST', '/v1/import/days', { json: { sourceId, days } })).body.import;

t.test('each warning has a cure, of a creation and of an import that is read later', async t => {
  t.match(created.body.import.warnings, exactList({ code: 'lessThanAYear', cure: sentence }));
  const { id, warnings } = await imported(scaled(recent, 1000));
  t.match(
    warnings,
    exactList({
      code: 'unitChanged',
      detail: /^from about 2023-0(5-2|5-3|6-0)\d on the level is \S+ times that before, about ×1000, /,
      cure: sentence,
    }),
  );
  const read = await call<Imported>('GET', `/v1/import/${id}`);
  t.strictSame(read.body.import.warnings, warnings, 'the import keeps them');
});

t.test('days that come one by one are compared with those before them', async t => {
  for (const day of recent) t.strictSame((await imported([day])).warnings, [], day.date);
  const codes: string[][] = [];
  for (const day of scaled(ordinaryDays('2023-06-28', 7), 60))
    codes.push((await imported([day])).warnings.map(({ code }) => code));
  t.strictSame(codes.slice(0, -1).flat(), [], 'a week has each weekday');
  t.strictSame(codes.at(-1), ['unitChanged']);
});

t.test('stored days that come again have a warning with both dates', async t => {
  const again = recent
    .slice(0, 5)
    .map(({ activity }, index) => ({ date: dateOf(dayNumber('2023-07-10') + index), activity }));
  t.match(
    (await imported(again)).warnings,
    exactList({
      code: 'repeatedBlock',
      detail: '2023-07-10 to 2023-07-14 have exactly the values of 2023-05-31 to 2023-06-04',
      cure: sentence,
    }),
  );
  t.strictSame((await imported(recent.slice(0, 5))).warnings, [], 'a second import of the same dates');
});

t.test('dates of a CSV whose day and month can be exchanged', async t => {
  const csv = csvOf(ordinaryDays('2022-03-01', 12))
    .replaceAll(/^2022-03-(\d\d)T(\d\d:\d\d):00/gm, '03/$1/2022 $2')
    .replaceAll('date;', 'when;');
  const path = `/v1/import-csv/${sourceId}/days?dateFormat=DD/MM/YYYY%20HH:mm`;
  const { body } = await call<Imported>('POST', path, { csv });
  t.match(
    body.import.warnings,
    exactList(
      {
        code: 'dayMonthSwapped',
        detail: 'the dates are 12 separate runs; with day and month swapped they are 1',
      },
      { code: 'daysMissing' },
    ),
  );
  const seen = await call<{ warnings: Warnings }>('POST', '/v1/import-csv/inspect', { csv });
  t.match(seen.body.warnings, exactList({ code: 'dayMonthSwapped', cure: sentence }));
});

t.test('an inspection warns of a register and of totals, and not of ordinary days', async t => {
  const inspected = async (days: Days): Promise<Warnings> =>
    (await call<{ warnings: Warnings }>('POST', '/v1/import-csv/inspect', { csv: csvOf(days) })).body
      .warnings;
  t.strictSame(await inspected(recent), []);
  let total = 0;
  const register = recent.map(({ date, activity }) => ({
    date,
    activity: activity.map(value => (total += value)),
  }));
  t.match(await inspected(register), exactList({ code: 'looksCumulative', cure: /aggregation=counter/ }));
  const totals = recent.map(({ date, activity }) => ({
    date,
    activity: [activity.reduce((sum, value) => sum + value)],
  }));
  t.match(
    await inspected(totals),
    exactList({ code: 'oneRowADay', detail: '28 of 28 days have one value for 24 slices' }),
  );
});

t.test('a shift at a change of the clock has a warning with its date', async t => {
  const zone = 'name=Depot&timeZone=Europe/Paris&clock=local';
  const days = ordinaryDays('2023-06-01', 220);
  // From October 29 on the program writes an hour too late.
  const csv = csvOf(days).replaceAll(/^(2023-1[0-2]-\d\dT)(\d\d)/gm, (row, date: string, hour: string) =>
    date >= '2023-10-29' ? `${date}${String(Number(hour) + 1).padStart(2, '0')}` : row,
  );
  const { body } = await call<Created>('POST', `/v1/import-csv/create-source?${zone}`, {
    csv: csv.replaceAll(/^.*T24:.*\n/gm, ''),
  });
  t.match(
    body.import.warnings.find(({ code }) => code === 'clockShifted'),
    {
      detail: /1 hour later .* the clock of Europe\/Paris changes about 2023-10-29: .* twice, or not at all$/,
    },
  );
});
