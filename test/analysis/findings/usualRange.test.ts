import t from 'tap';
import { spread, usualRange } from '../../../analysis/findings/usualRange.js';

const days = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    date: `2024-01-${String(index + 1).padStart(2, '0')}`,
    activity: [index + 1, 5],
    gaps: index < 2 ? [[1, 2] as const] : [],
    filled: [],
  }));

t.test('the middle 90 % of days by slice', async t => {
  t.strictSame(
    usualRange(days(11)),
    { low: [1.5, null], high: [10.5, null], days: 11 },
    'nine have the second',
  );
  t.strictSame(usualRange(days(21)), { low: [2, 5], high: [20, 5], days: 21 });
  const moved = usualRange(
    days(21),
    ({ date }) =>
      value =>
        date === '2024-01-21' ? value + 100 : value,
  );
  t.equal(moved?.high[0], 20, 'one day of twenty-one is outside');
  t.equal(usualRange(days(9)), null, 'too few');
  t.equal(usualRange([]), null);
});

t.test('a long list is thinned evenly', async t => {
  t.strictSame(spread([1, 2, 3], 3), [1, 2, 3]);
  t.strictSame(spread([1, 2, 3, 4, 5, 6], 3), [1, 3, 5]);
});
