import t from 'tap';
import { skippedHours } from '../../../../application/requests/imports/importWarnings.js';

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
