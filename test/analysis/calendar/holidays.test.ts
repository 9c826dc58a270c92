import { execFileSync } from 'node:child_process';
import Holidays, { type HolidaysTypes } from 'date-holidays';
import t from 'tap';
import {
  calendarOf,
  holidayNumbers,
  holidaysOf,
  holidayTable,
  isCalendarCode,
  library,
  placeName,
} from '../../../analysis/calendar/holidays.js';
import { candidates, inferCalendar, surpriseOf } from '../../../analysis/calendar/inferCalendar.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import type { Day } from '../../../domain/day.js';
import { amount } from '../../helpers/amount.js';
import { readRealSeries, realSeriesFolder, realSeriesNames } from '../../helpers/data/realSeries.js';

/** Holidays of a year as MM-DD. */
const datesOf = (code: string, year: number): string[] =>
  holidaysOf(code, year, year).map(({ date }) => date.slice(5));
const nameOn = (code: string, date: string): string | undefined =>
  holidaysOf(code, Number(date.slice(0, 4)), Number(date.slice(0, 4))).find(day => day.date === date)?.name;

t.test('public holidays of countries and regions equal official lists', async t => {
  const dates: readonly (readonly [string, number, string])[] = [
    ['FR', 2023, '01-01 04-10 05-01 05-08 05-18 05-29 07-14 08-15 11-01 11-11 12-25'],
    ['DE-NW', 2023, '01-01 04-07 04-10 05-01 05-18 05-29 06-08 10-03 11-01 12-25 12-26'],
    ['DE', 2023, '01-01 04-07 04-10 05-01 05-18 05-29 10-03 12-25 12-26'],
    // With the coronation and the substitute of New Year's Day.
    ['GB-ENG', 2023, '01-01 01-02 04-07 04-10 05-01 05-08 05-29 08-28 12-25 12-26'],
    // The substitute of New Year's Day 2022 is in 2021.
    ['US', 2021, '01-01 01-18 02-15 05-31 06-18 06-19 07-04 07-05 09-06 10-11 11-11 11-25 12-24 12-25 12-31'],
    // Lunar New Year and Chuseok have three days; Lunar New Year 2024 begins on Friday 9 February.
    [
      'KR',
      2024,
      '01-01 02-09 02-10 02-11 02-12 03-01 05-05 05-06 05-15 06-06 08-15 09-16 09-17 09-18 10-03 10-09 12-25',
    ],
  ];
  for (const [code, year, wanted] of dates) t.equal(datesOf(code, year).join(' '), wanted, `${code} ${year}`);
  t.ok(datesOf('AU-VIC', 2023).includes('11-07'), 'Melbourne Cup in Victoria');
  t.notOk(datesOf('AU-NSW', 2023).includes('11-07'), 'no Melbourne Cup in New South Wales');
  t.notOk(datesOf('CN', 2023).includes('03-08'), 'a half day from noon is not a holiday');
  t.ok(datesOf('CN', 2023).includes('01-22'), 'the Chinese new year');
  t.ok(
    datesOf('TR', 2023).includes('04-22'),
    'of a holiday of three and a half days the three whole days count',
  );
});

t.test(
  'holiday names are English, one per date, and a substitute never replaces another holiday',
  async t => {
    t.equal(nameOn('FR', '2023-12-25'), 'Christmas Day');
    t.equal(nameOn('DE-NW', '2023-06-08'), 'Corpus Christi');
    t.equal(nameOn('KR', '2024-09-16'), 'Korean Thanksgiving');
    t.equal(nameOn('KR', '2024-09-18'), 'Korean Thanksgiving');
    const dates = holidaysOf('KR', 2020, 2026).map(({ date }) => date);
    t.strictSame(dates, [...new Set(dates)].sort(), 'each date once, in order');
  },
);

t.test('calendar: years of a given country', async t => {
  const calendar = calendarOf('DE-NW', 2023);
  t.match(calendar, {
    code: 'DE-NW',
    origin: 'given',
    evidence: null,
    library: /^date-holidays \d+\.\d+\.\d+$/,
  });
  t.equal(calendar.library, library);
  t.equal(calendar.holidays[0]?.date, '2022-01-01', 'from the year before the reference');
  t.equal(calendar.holidays.at(-1)?.date, '2038-12-26', 'to fifteen years after it');
  t.throws(() => calendarOf('XX', 2023), { name: 'RangeError', message: /got calendar XX/ });
  t.strictSame(calendarOf('FR', 1500).holidays, [], 'years outside the supported range have no holidays');
  t.strictSame(calendarOf('CN', 9998).holidays, []);
});

t.test('codes', async t => {
  for (const code of ['FR', 'DE-NW', 'GB-ENG', 'US-CA', 'AU-VIC', 'KR', 'CA-BC', 'TW'])
    t.equal(isCalendarCode(code), true, code);
  for (const code of [
    '',
    'fr',
    'XX',
    'FR-',
    'DE-XX',
    'DE-nw',
    'FR-FR-FR',
    'constructor',
    'DE-NW ',
    '__proto__',
  ])
    t.equal(isCalendarCode(code), false, code);
  t.equal(placeName('FR'), 'France');
  t.match(placeName('GB-ENG'), /^United Kingdom \(England\)$/);
});

/** Dates of a year that the library has for a place, by the clocks of its zone. */
const datesInZone = (code: string, year: number): string[] => {
  const [country = '', region] = code.split('-');
  const options: HolidaysTypes.Options = { types: ['public'] };
  const place =
    region === undefined ? new Holidays(country, options) : new Holidays(country, region, options);
  const dates = place.getHolidays(year).flatMap(({ date, start, end }) => {
    // Clocks may change in between.
    const days = Math.floor(((end.getTime() - start.getTime()) / 3_600_000 + 1) / 24);
    return Array.from({ length: days }, (_, day) => dateOf(dayNumber(date.slice(0, 10)) + day));
  });
  return [...new Set(dates)].filter(date => date.startsWith(`${year}-`)).sort();
};

t.test('the dates of each place are those of the library in the zone of the place', async t => {
  const all = new Holidays();
  const codes = Object.keys(all.getCountries()).flatMap(country => [
    country,
    ...Object.keys(all.getStates(country) ?? {}).map(region => `${country}-${region}`),
  ]);
  const step = amount({ quick: 10, slow: 1 });
  // The library starts the Korean New Year a day late.
  const asked = codes.filter(code => isCalendarCode(code) && !code.startsWith('KR'));
  for (const code of asked.filter((_, index) => index % step === 0))
    for (const year of [2019, 2024])
      t.strictSame(
        holidaysOf(code, year, year).map(({ date }) => date),
        datesInZone(code, year),
        `${code} ${year}`,
      );
});

t.test('the table of holidays has those that the library lists', t => {
  const { firstYear, days } = holidayTable();
  t.strictSame(Object.keys(days), candidates);
  const lastYear = firstYear + days['FR']!.length - 1;
  const listed = (code: string, from: number, to: number): number[] =>
    holidaysOf(code, from, to).map(({ date }) => dayNumber(date));
  const step = amount({ quick: 15, slow: 1 });
  for (const code of candidates.filter((_, index) => index % step === 0))
    for (let year = firstYear; year <= lastYear; year += 1)
      t.strictSame(holidayNumbers(code, year, year), listed(code, year, year), `${code} ${year}`);
  for (const [from, to] of [
    [2023, 2025],
    [firstYear - 1, firstYear],
    [lastYear, lastYear + 1],
  ] as const)
    t.strictSame(holidayNumbers('DE-BY', from, to), listed('DE-BY', from, to), `${from} to ${to}`);
  t.end();
});

t.test('holidays do not depend on the time zone of the machine', async t => {
  const module = new URL('../../../analysis/calendar/holidays.js', import.meta.url).href;
  const script = `import(${JSON.stringify(module)}).then(({ holidaysOf }) => console.log(JSON.stringify(
    ['FR', 'KR', 'US', 'CN', 'IL', 'SA', 'NZ', 'TR'].map(code => holidaysOf(code, 2022, 2025)))))`;
  const under = (TZ: string): string =>
    execFileSync(process.execPath, ['-e', script], { env: { ...process.env, TZ, LANG: 'fr_FR' } }).toString();
  const utc = under('UTC');
  t.ok(utc.length > 5000);
  for (const zone of ['Pacific/Auckland', 'America/Los_Angeles']) t.equal(under(zone), utc, zone);
});

// Inference

const shape = (free: boolean): readonly number[] => (free ? [5, 20, 25, 10] : [10, 90, 80, 30]);
/** A year of days with noise; weekends and the given dates are free days. */
const yearWith = (first: string, count: number, free: ReadonlySet<string>, seed = 3): Day[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const number = dayNumber(first) + index;
    const date = dateOf(number);
    return {
      date,
      activity: shape(weekday(number) > 4 || free.has(date)).map(value => value * (0.9 + 0.2 * random())),
      gaps: [],
      filled: [],
    };
  });
};
const freeOn = (code: string, year: number): ReadonlySet<string> =>
  new Set(holidaysOf(code, year, year + 1).map(({ date }) => date));

t.test('inference: the country whose holidays are the unusual days', async t => {
  for (const code of ['DE-NW', 'GB-ENG', 'US', 'AU-VIC', 'KR', 'SE']) {
    const found = inferCalendar(yearWith('2023-01-01', 365, freeOn(code, 2023)), 2023);
    t.match(found, { code, origin: 'inferred', library });
    t.strictSame(found?.holidays, calendarOf(code, 2023).holidays, 'holidays of all years');
  }
  const french = yearWith('2023-01-01', 365, freeOn('FR', 2023));
  t.equal(
    inferCalendar(french, 2023)?.evidence,
    '9 of the 9 weekday holidays of France are among the 26 oddest of 260 working days; by chance 0.9 would be',
  );
  t.strictSame(
    inferCalendar([...french].reverse(), 2023),
    inferCalendar(french, 2023),
    'independent of the order of days',
  );
  const scaled = french.map(day => ({ ...day, activity: day.activity.map(value => value * 1e6) }));
  t.strictSame(inferCalendar(scaled, 2023), inferCalendar(french, 2023), 'independent of the unit');
  t.equal(
    inferCalendar(yearWith('2022-08-01', 365, freeOn('FR', 2022)), 2022)?.code,
    'FR',
    'across a new year',
  );
  const exact = french.map(day => {
    const { date } = day;
    return { ...day, activity: shape(weekday(dayNumber(date)) > 4 || freeOn('FR', 2023).has(date)) };
  });
  t.equal(inferCalendar(exact, 2023)?.code, 'FR', 'days that repeat exactly are not odd');
});

t.test('surprise: digits of the probability that random days are at least as odd', async t => {
  t.equal(surpriseOf([], 9), 0);
  t.ok(Math.abs(surpriseOf([0], 9) - 1) < 1e-9, 'one of ten');
  t.ok(Math.abs(surpriseOf([4], 9) - Math.log10(2)) < 1e-9, 'a half');
  const two = 2 - Math.log10(1 + 2 * Math.LN10);
  t.ok(Math.abs(surpriseOf([0, 0], 9) - two) < 1e-9, 'the sum of two has an Erlang distribution');
});

t.test('inference: no country without strong evidence', async t => {
  const none = (days: readonly Day[]) => inferCalendar(days, 2023);
  for (const seed of [1, 2])
    t.equal(
      none(yearWith('2023-01-01', 365, new Set(), seed)),
      null,
      `a year without holidays, seed ${seed}`,
    );
  t.equal(none(yearWith('2023-01-01', 100, freeOn('FR', 2023))), null, 'two or three holidays are too few');
  const christmas = ['2023-01-02', '2023-12-25', '2023-12-26', '2023-12-27', '2023-12-28', '2023-12-29'];
  t.equal(
    none(yearWith('2023-01-01', 365, new Set(christmas))),
    null,
    'Christmas alone fits too many countries',
  );
  const august = Array.from({ length: 31 }, (_, day) => dateOf(dayNumber('2023-08-01') + day));
  t.equal(none(yearWith('2023-01-01', 365, new Set(august))), null, 'a closed month');
  const closed = [
    ['2023-01-19', 9],
    ['2023-04-28', 6],
    ['2023-09-28', 9],
  ] as const;
  const weeks = closed.flatMap(([first, count]) =>
    Array.from({ length: count }, (_, day) => dateOf(dayNumber(first) + day)),
  );
  t.equal(
    none(yearWith('2023-01-01', 365, new Set(weeks))),
    null,
    'closed weeks that contain five of the eight holidays of China: five dates some days later fit as well',
  );
  const moved = [...freeOn('FR', 2023)].map(date => dateOf(dayNumber(date) + 11));
  t.equal(
    none(yearWith('2023-01-01', 365, new Set(moved))),
    null,
    'the same number of unusual days, none on a holiday',
  );
  t.equal(none([]), null);
  const same = yearWith('2023-01-01', 365, new Set()).map(day => ({ ...day, activity: [1, 2, 3, 4] }));
  t.equal(none(same), null, 'days that repeat exactly');
  const unseen = yearWith('2023-01-01', 365, freeOn('FR', 2023)).map(day => ({
    ...day,
    gaps: [[0, 4]] as const,
  }));
  t.equal(none(unseen), null, 'days without observed slices');
});

t.test('inference: three fifths of the holidays of a country must be odd', async t => {
  const dates = ['01-23', '01-24', '03-01', '05-05', '05-29', '06-06', '08-15', '09-28'];
  const codeWith = (count: number, seed: number) => {
    const free = new Set(dates.slice(0, count).map(date => `2023-${date}`));
    return inferCalendar(yearWith('2023-01-01', 365, free, seed), 2023)?.code;
  };
  for (const seed of [4, 5, 6])
    t.strictSame([codeWith(8, seed), codeWith(7, seed)], ['KR', undefined], '8 and 7 of 12');
});

const folder = realSeriesFolder();
t.test('inference: no wrong country for real series', async t => {
  const own: Readonly<Record<string, string>> = {
    bike_sharing_washington: 'US',
    electricity_building_cambridge: 'GB-ENG',
    load_france: 'FR',
    parking_bochum: 'DE-NW',
    pedestrians_melbourne: 'AU-VIC',
    traffic_i94_minneapolis: 'US',
  };
  const years: Readonly<Record<string, number>> = { api_requests_microsoft: 2017, parking_koeln: 2023 };
  for (const name of realSeriesNames(folder).filter(name => name in own || name in years)) {
    const { reference } = readRealSeries(folder, name);
    const found = inferCalendar(reference, years[name] ?? Number(reference[0]?.date.slice(0, 4)));
    t.equal(found?.code ?? null, own[name] ?? null, `${name}: ${found?.evidence ?? 'none'}`);
  }
});
