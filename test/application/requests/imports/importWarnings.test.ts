import t from 'tap';
import {
  conversionNote,
  samplingNote,
  skippedHours,
  stepWords,
} from '../../../../application/requests/imports/importWarnings.js';

const dates = ['2024-03-31', '2025-03-30', '2026-03-29', '2027-03-28'];
const detailOf = (count: number, values: number): string | undefined =>
  skippedHours(dates.slice(0, count), values, 'Europe/Paris')[0]?.detail;

t.test('a warning of skipped hours names three dates, and says that there are more', async t => {
  t.strictSame(skippedHours([], 0, 'Europe/Paris'), []);
  t.equal(detailOf(1, 1), '1 value in hours that the clock of Europe/Paris skips was left out: 2024-03-31');
  t.equal(
    detailOf(3, 6),
    '6 values in hours that the clock of Europe/Paris skips were left out: 2024-03-31, 2025-03-30, 2026-03-29',
  );
  t.match(detailOf(4, 8), /: 2024-03-31, 2025-03-30, 2026-03-29 …$/);
});

t.test('steps of data and slices of a day are named in words', async t => {
  t.strictSame([1, 60, 3600, 86_400, 7200, 900, 90].map(stepWords), [
    ...['data every second', 'data every minute', 'hourly data', 'daily data'],
    ...['2-hour data', '15-minute data', 'data every 90 seconds'],
  ]);
  const kept = ([4, 8, 12, 24, 48, 72, 144] as const).map(size => samplingNote(600, size, 'zero'));
  t.strictSame(kept, [
    '10-minute data, kept as 4 slices of 6 hours: 36 values a slice',
    '10-minute data, kept as 8 slices of 3 hours: 18 values a slice',
    '10-minute data, kept as 12 slices of 2 hours: 12 values a slice',
    '10-minute data, kept as 24 hours: 6 values a slice',
    '10-minute data, kept as 48 half-hours: 3 values a slice',
    '10-minute data, kept as 72 slices of 20 minutes: 2 values a slice',
    '10-minute data, kept as 144 slices of 10 minutes: 1 value a slice',
  ]);
  const others = (method: 'zero' | 'linear') => samplingNote(3600, 48, method).split(': ')[1];
  t.equal(others('zero'), '1 value in 2 slices, the others are not observed');
  t.equal(others('linear'), '1 value in 2 slices, the others are filled between them');
});

t.test('days of another length than the source are counted, with what becomes of a value', async t => {
  const note = (length: number, aggregation: 'mean' | 'sum', days = 2): string =>
    conversionNote(length, 24, aggregation, days);
  t.equal(note(48, 'mean', 1), '1 day of 48 values, kept as 24 hours: the mean of 2 values is a slice');
  t.equal(note(48, 'sum'), '2 days of 48 values, kept as 24 hours: the sum of 2 values is a slice');
  t.equal(note(8, 'mean'), '2 days of 8 values, kept as 24 hours: each value is repeated 3 times');
  t.equal(note(8, 'sum'), '2 days of 8 values, kept as 24 hours: each value is split into 3');
});
