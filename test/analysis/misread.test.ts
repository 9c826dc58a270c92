import t from 'tap';
import type { ReadDay } from '../../analysis/misread/windows.js';
import { misreadings, type Misreading } from '../../analysis/misread/misreadings.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { dateOf, dayNumber, weekday } from '../../domain/dates.js';
import { exactList } from '../helpers/exactList.js';

const workday = [9, 8, 8, 8, 9, 14, 30, 55, 80, 90, 92, 88, 70, 86, 91, 90, 84, 66, 45, 32, 24, 18, 14, 11];
const weekend = workday.map((_, hour) => 10 + 4 * Math.sin(hour / 4));

/** Days of a building: working days and weekends, warmer and colder seasons, values that differ by 5 %. */
const days = (from: string, count: number): readonly ReadDay[] => {
  const random = seededRandom(dayNumber(from));
  return Array.from({ length: count }, (_, index) => {
    const number = dayNumber(from) + index;
    const season = 1 + 0.2 * Math.sin((2 * Math.PI * number) / 365);
    const profile = weekday(number) < 5 ? workday : weekend;
    return {
      dayNumber: number,
      values: profile.map(value => value * season * (0.95 + 0.1 * random())),
    };
  });
};
const year = days('2023-01-01', 365);
const next = days('2024-01-01', 120);

const found = (fresh: readonly ReadDay[], known: readonly ReadDay[] = []): readonly Misreading[] =>
  [...misreadings(fresh, known)].filter(each => each !== undefined);
const mapped = (
  list: readonly ReadDay[],
  of: (value: number, slice: number, values: readonly number[]) => number,
): readonly ReadDay[] => list.map(day => ({ ...day, values: day.values.map(of) }));
const near = (day: number | undefined, date: string): boolean =>
  day !== undefined && Math.abs(day - dayNumber(date)) <= 7;

/** Values come so many hours later. */
const later = (list: readonly ReadDay[], hours: number): readonly ReadDay[] => {
  const all = list.flatMap(({ values }) => values);
  return list.map((day, index) => ({
    ...day,
    values: day.values.map((_, hour) => all[index * 24 + hour - hours] ?? NaN),
  }));
};

t.test('a shift of a timetable that repeats exactly is found with its date', async t => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const random = seededRandom(seed);
    const week = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => Math.round(50 * random())));
    const timetable = (from: string, count: number): readonly ReadDay[] =>
      Array.from({ length: count }, (_, index) => {
        const number = dayNumber(from) + index;
        return { dayNumber: number, values: week[weekday(number)]! };
      });
    const before = timetable('2023-01-01', 120);
    const after = later(timetable('2023-04-30', 121), 2).slice(1);
    const [shift] = found(after, before);
    t.match(shift, { code: 'clockShifted', hours: 2 }, `seed ${seed}`);
    t.ok(near((shift as { at?: number }).at, '2023-05-01'), `seed ${seed}`);
  }
});

t.test('ordinary days have no misreading', async t => {
  t.strictSame(found(year), []);
  t.strictSame(found(next, year), []);
  t.strictSame(found(next.slice(0, 1), year), []);
  t.strictSame(found(next.slice(0, 7), year.slice(-98)), []);
  t.strictSame(found([]), []);
  t.strictSame(found(mapped(year, () => 5)), [], 'flat days show nothing');
});

t.test(
  'changes of unit are those between powers of ten, by 3.6 and thousands of it, 60, 24 and 1440',
  async t => {
    const tens = Array.from({ length: 9 }, (_, power) => 10 ** (power + 1));
    const factors = [...tens, 3.6, 3600, 3.6e6, 1000 / 3.6, 1e6 / 3.6, 60, 24, 1440];
    const factorOf = (factor: number): unknown =>
      found(
        mapped(next.slice(0, 28), value => value * factor),
        year.slice(-98),
      ).map(change => 'factor' in change && change.factor);
    for (const factor of factors.flatMap(each => [each, 1 / each])) t.strictSame(factorOf(factor), [factor]);
  },
);

t.test('a change of unit is found where it begins', async t => {
  for (const factor of [10, 0.001, 3.6, 1 / 60]) {
    const [change, ...others] = found(
      mapped(next, value => value * factor),
      year,
    );
    t.strictSame(others, []);
    if (change?.code !== 'unitChanged') {
      t.fail(`no change by ${factor}`);
      continue;
    }
    t.equal(change.factor, factor);
    t.ok(near(change.at, '2024-01-01'), dateOf(change.at));
    t.ok(Math.abs(change.measured / factor - 1) < 0.2, `${change.measured}`);
  }
  const inside = [...year.slice(0, 200), ...mapped(year.slice(200), value => value * 1000)];
  t.match(found(inside), exactList({ code: 'unitChanged', factor: 1000 }));
  t.strictSame(
    found(
      mapped(next, value => value * 1.7),
      year,
    ),
    [],
    'growth is no unit',
  );
  const tenfold = mapped(next, value => value * 10);
  t.strictSame(found(tenfold.slice(0, 4), year), [], 'four days are too few');
  t.match(
    found(tenfold.slice(5, 6), [...year, ...tenfold.slice(0, 5)]),
    exactList({ code: 'unitChanged', factor: 10 }),
    'days come one by one',
  );
});

t.test('another shape of the day is no change of unit', async t => {
  const closed = next.map(day => ({ ...day, values: weekend.map(value => value / 10) }));
  t.strictSame(
    found(closed, year).filter(({ code }) => code === 'unitChanged'),
    [],
  );
});

t.test('a change of unit after a gap is found by the season of the year before', async t => {
  const much = days('2024-06-01', 60);
  t.match(
    found(
      mapped(much, value => value * 1000),
      year,
    ),
    exactList({ code: 'unitChanged', factor: 1000 }),
  );
  t.strictSame(found(much, year), []);
});

t.test('a shift by whole hours is found with its direction', async t => {
  for (const hours of [1, -1, 2, -5, 12]) {
    const [shift, ...others] = found(later(next, hours), year);
    t.strictSame(others, []);
    if (shift?.code !== 'clockShifted') {
      t.fail(`no shift by ${hours}`);
      continue;
    }
    t.equal(Math.abs(shift.hours), Math.abs(hours));
    if (hours !== 12) t.equal(shift.hours, hours);
    t.ok(near(shift.at, '2024-01-01'), dateOf(shift.at));
    t.ok(shift.votes >= 0.75);
  }
  const holed = mapped(later(next, 2), (value, hour) => (hour === 13 ? NaN : value));
  t.match(
    found(holed, year),
    exactList({ code: 'clockShifted', hours: 2 }),
    'an hour of each day is missing',
  );
  const summer = [...year.slice(0, 84), ...later(year.slice(84, 301), 1), ...year.slice(301)];
  t.match(found(summer), exactList({ code: 'clockShifted' }), 'a summer time applied twice');
  const coarse = year.map(day => ({
    ...day,
    values: [0, 6, 12, 18].map(hour => day.values[hour] ?? NaN),
  }));
  t.strictSame(found(coarse), [], 'slices of six hours show no hours');
});

t.test('a register is found, with resets', async t => {
  for (const reset of [1, 7, 1000]) {
    let total = 0;
    const register = next.map((day, index) => {
      if (index % reset === 0) total = 0;
      return { ...day, values: day.values.map(value => (total += value)) };
    });
    t.match(
      found(register, year),
      exactList({ code: 'looksCumulative', days: 120 }),
      `reset every ${reset} days`,
    );
    t.match(found(register.slice(0, 3), year), exactList({ code: 'looksCumulative', days: 3 }));
    t.match(
      found(register.slice(2, 3), [...year, ...register.slice(0, 2)]),
      exactList({ code: 'looksCumulative', days: 3 }),
      'days come one by one',
    );
  }
});

t.test('one value a day is found from three days on', async t => {
  const totals = mapped(next, (value, hour) => (hour === 0 ? value : NaN));
  t.match(found(totals, year), exactList({ code: 'oneRowADay', days: 120, of: 120, slices: 24 }));
  t.match(found(totals.slice(0, 3), year), exactList({ code: 'oneRowADay', days: 3 }));
  const some = (count: number) => [...totals.slice(0, count), ...next.slice(count, 20)];
  t.match(found(some(18), year), exactList({ code: 'oneRowADay', days: 18, of: 20 }));
  t.strictSame(found(some(17), year), [], 'fewer than nine in ten');
  t.strictSame(found(totals.slice(0, 1), year), [], 'a day that has only begun');
});

t.test('a repeated block is found, in an import and against stored days', async t => {
  const copied = (list: readonly ReadDay[], at: number, from: readonly ReadDay[]): readonly ReadDay[] =>
    list.map((day, index) => ({ ...day, values: from[index - at]?.values ?? day.values }));
  const block = {
    code: 'repeatedBlock',
    from: dayNumber('2024-02-05'),
    to: dayNumber('2024-02-07'),
  } as const;
  t.strictSame(found(copied(next, 35, next.slice(7, 10)), year), [{ ...block, offset: 28 }]);
  t.strictSame(found(copied(next, 35, next.slice(7, 9)), year), [], 'two days are too few');
  t.strictSame(found(copied(next, 35, year.slice(31, 34)), year), [{ ...block, offset: 369 }]);
  const timetable = year.map(day => ({ ...day, values: weekday(day.dayNumber) < 5 ? workday : weekend }));
  t.strictSame(found(timetable), [], 'a timetable repeats its weeks');
  const rota = year.map((day, index) => ({ ...day, values: year[index % 35]?.values ?? [] }));
  t.strictSame(found(rota), [], 'a rota of five weeks');
  const month = year.map((day, index) => ({ ...day, values: year[index % 31]?.values ?? [] }));
  t.match(
    found(month).filter(({ code }) => code === 'repeatedBlock'),
    exactList({ offset: 31 }),
    'one month for all',
  );
});

const swappedDate = (day: number): number => {
  const [y = '', m = '', d = ''] = dateOf(day).split('-');
  return Number(d) > 12 ? day : dayNumber(`${y}-${d}-${m}`);
};

t.test('swapped day and month are found by dates that lie apart', async t => {
  const march = days('2024-03-01', 12).map(day => ({ ...day, dayNumber: swappedDate(day.dayNumber) }));
  t.strictSame(found(march, year), [{ code: 'dayMonthSwapped', shownBy: 'dates', runs: 12, runsSwapped: 1 }]);
  const monthly = year.filter(day => dateOf(day.dayNumber).endsWith('-15'));
  t.strictSame(found(monthly), [], 'one day of each month');
});

t.test('swapped day and month are found by values on the same dates', async t => {
  const swapped = year
    .map(day => ({ ...day, dayNumber: swappedDate(day.dayNumber) }))
    .sort((one, other) => one.dayNumber - other.dayNumber);
  t.strictSame(
    swapped.map(day => day.dayNumber),
    year.map(day => day.dayNumber),
  );
  t.match(found(swapped), exactList({ code: 'dayMonthSwapped', shownBy: 'values' }));
});

t.test('swapped day and month: three dates are enough, or 20 days with values', async t => {
  const dates = ['2024-03-01', '2024-03-02', '2024-03-03'].flatMap(date => days(date, 1));
  const apart = dates.map(day => ({ ...day, dayNumber: swappedDate(day.dayNumber) }));
  t.match(found(apart, year), exactList({ shownBy: 'dates', runs: 3, runsSwapped: 1 }));
  t.strictSame(found(apart.slice(0, 2), year), []);
  const four = [...apart, ...days('2024-05-03', 1)];
  t.strictSame(found(four, year), [], 'four runs are not three times the two of the other reading');
});

t.test('swapped day and month: at least 20 days are compared by their values', async t => {
  const isWorking = (number: number): boolean => weekday(number) < 5;
  // On a working day and a day at a weekend the values show which is which.
  const firsts = year
    .map(day => day.dayNumber)
    .filter(number => number < swappedDate(number) && isWorking(number) !== isWorking(swappedDate(number)));
  const swappedPairs = (count: number): readonly Misreading[] => {
    const dates = new Set(firsts.slice(0, count).flatMap(number => [number, swappedDate(number)]));
    const fresh = year
      .filter(day => dates.has(day.dayNumber))
      .map(day => ({ ...day, dayNumber: swappedDate(day.dayNumber) }))
      .sort((a, b) => a.dayNumber - b.dayNumber);
    return found(
      fresh,
      year.filter(day => !dates.has(day.dayNumber)),
    );
  };
  t.match(swappedPairs(10), exactList({ shownBy: 'values', days: 20 }));
  t.strictSame(swappedPairs(9), []);
});
