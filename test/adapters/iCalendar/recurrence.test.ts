// Dates of recurrence rules, and refusals of rules that are no rules for dates.
import t from 'tap';
import {
  knownDate,
  parseRuleText,
  recurrenceDates,
  RecurrenceInvalid,
  type DateWindow,
} from '../../../adapters/iCalendar/recurrence.js';
import { runStepsAtOnce } from '../../../application/ports/sharing/turns.js';
import { dateOf, dayNumber, weekday } from '../../../domain/dates.js';
import { ruleDatesMax } from '../../../domain/planning/calendarRules.js';

const window2026 = { from: '2026-01-01', to: '2026-12-31' };
const datesOf = (rule: string, window: DateWindow = window2026, today = '2026-03-04'): readonly string[] =>
  runStepsAtOnce(recurrenceDates(parseRuleText(rule), window, today));

t.test('a rule that is extended keeps its dates, whatever day it is', async t => {
  const rule = 'FREQ=DAILY;INTERVAL=10';
  const dates = datesOf(rule, { from: '2026-01-01', to: '2026-04-30' }, '2026-03-04');
  const later = { from: '2026-01-01', to: '2026-06-30' };
  const extended = datesOf(rule, later, knownDate(rule, { rule, dates }) ?? '2026-03-05');
  t.strictSame(extended.slice(0, dates.length), dates);
  t.ok(extended.length > dates.length);
  t.equal(knownDate(rule, { rule: 'FREQ=DAILY;INTERVAL=9', dates }), undefined, 'another rule');
  t.equal(knownDate(rule, undefined), undefined);
});

t.test('rules that people write', async t => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      [
        ...['2026-01-30', '2026-02-27', '2026-03-31', '2026-04-30', '2026-05-29', '2026-06-30'],
        ...['2026-07-31', '2026-08-31', '2026-09-30', '2026-10-30', '2026-11-30', '2026-12-31'],
      ],
    ],
    ['FREQ=YEARLY;BYMONTH=8;BYDAY=1SU', ['2026-08-02']],
    ['rrule:freq=yearly;bymonth=12;bymonthday=24,31', ['2026-12-24', '2026-12-31']],
    ['FREQ=YEARLY;BYYEARDAY=-1', ['2026-12-31']],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', ['2026-05-11']],
    ['FREQ=MONTHLY;BYMONTHDAY=31;UNTIL=20260601', ['2026-01-31', '2026-03-31', '2026-05-31']],
    ['DTSTART:20260302 RRULE:FREQ=DAILY;COUNT=3', ['2026-03-02', '2026-03-03', '2026-03-04']],
    [
      'DTSTART;VALUE=DATE:20260105\r\nRRULE:FREQ=WEEKLY;INTERVAL=20',
      ['2026-01-05', '2026-05-25', '2026-10-12'],
    ],
    // The Februaries of 1970 to 2025 have 226 Mondays.
    ['DTSTART:19700101 FREQ=DAILY;BYMONTH=2;BYDAY=MO;COUNT=228', ['2026-02-02', '2026-02-09']],
    ['DTSTART:20240229 FREQ=YEARLY', []],
    ['DTSTART:19700115 FREQ=MONTHLY;UNTIL=20260301', ['2026-01-15', '2026-02-15']],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', []],
  ];
  for (const [rule, dates] of cases) t.strictSame(datesOf(rule), dates, rule);
});

t.test('the last week of a year may end in January', async t => {
  const window = { from: '2020-01-01', to: '2027-12-31' };
  for (const [rule, dates] of [
    ['FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU', ['2021-01-03', '2027-01-03']],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;UNTIL=20220131', ['2021-01-04', '2022-01-03']],
    ['DTSTART:20210101 FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU;COUNT=3', ['2021-01-03', '2022-01-02', '2023-01-01']],
    ['DTSTART:20200101 FREQ=YEARLY;INTERVAL=2;BYWEEKNO=53;BYDAY=FR', ['2021-01-01', '2027-01-01']],
  ] as const)
    t.strictSame(datesOf(rule, window), dates, rule);
});

t.test('a rule without a start counts from its first date from today on, and goes on before it', async t => {
  // 4 March 2026 is a Wednesday: the next Tuesday is 10 March.
  const dates = datesOf('FREQ=WEEKLY;INTERVAL=2;BYDAY=TU', { from: '2026-02-01', to: '2026-04-10' });
  t.strictSame(dates, ['2026-02-10', '2026-02-24', '2026-03-10', '2026-03-24', '2026-04-07']);
  const quarters = datesOf('FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1');
  t.strictSame(quarters, ['2026-01-01', '2026-04-01', '2026-07-01', '2026-10-01']);
  t.strictSame(
    datesOf('FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYMONTHDAY=6', { from: '2022-01-01', to: '2029-12-31' }),
    ['2023-01-06', '2025-01-06', '2027-01-06', '2029-01-06'],
  );
  t.strictSame(datesOf('FREQ=DAILY;INTERVAL=10', { from: '2026-02-10', to: '2026-03-14' }), [
    '2026-02-12',
    '2026-02-22',
    '2026-03-04',
    '2026-03-14',
  ]);
});

t.test('random rules have the dates that fit each of their parts', async t => {
  let state = 20_260_304;
  const random = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const listOf = (most: number, one: () => string | number): string =>
    [...new Set(Array.from({ length: 1 + random(most) }, one))].join(',');
  const signed = (number: number): number => (random(3) === 0 ? -number : number);
  const names = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
  const window = { from: '2024-01-01', to: '2025-12-31' };
  const all = Array.from({ length: 731 }, (_, n) => dateOf(dayNumber(window.from) + n));
  for (let tries = 0; tries < 60; tries += 1) {
    const frequency = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'][tries % 4] ?? '';
    const months = random(2) === 0 ? listOf(4, () => 1 + random(12)) : undefined;
    const isOfMonth = frequency !== 'WEEKLY' && random(2) === 0;
    const monthDays = isOfMonth ? listOf(6, () => signed(1 + random(31))) : undefined;
    const days = !isOfMonth || random(2) === 0 ? listOf(4, () => names[random(7)] ?? '') : undefined;
    const parts = { BYMONTH: months, BYMONTHDAY: monthDays, BYDAY: days };
    const texts = Object.entries(parts).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    );
    const rule = [`FREQ=${frequency}`, ...texts].join(';');
    const fits = (date: string): boolean => {
      const number = dayNumber(date);
      const ofMonth = Number(date.slice(8));
      const length = Number(dateOf(dayNumber(`${date.slice(0, 7)}-01`) + 31).slice(8));
      const monthLength = length === 1 ? 31 : 32 - length;
      return (
        (months?.split(',').includes(String(Number(date.slice(5, 7)))) ?? true) &&
        (monthDays
          ?.split(',')
          .some(day => Number(day) === ofMonth || Number(day) === ofMonth - monthLength - 1) ??
          true) &&
        (days?.split(',').includes(names[weekday(number)] ?? '') ?? true)
      );
    };
    t.strictSame(datesOf(rule, window), all.filter(fits), rule);
  }
});

t.test('more dates than a rule may have are cut one after the limit', async t => {
  t.equal(datesOf('FREQ=DAILY', { from: '2020-01-01', to: '2030-12-31' }).length, ruleDatesMax + 1);
});

t.test('a rule is computed in steps of a year', async t => {
  const steps = recurrenceDates(
    parseRuleText('FREQ=DAILY'),
    { from: '2024-01-01', to: '2025-12-31' },
    '2024-01-01',
  );
  t.strictSame([steps.next().done, steps.next().done], [false, false], 'others have a turn after each');
  t.equal(steps.next().done, true);
});

t.test('rules that are refused, with the reason', async t => {
  const many = (count: number): string => Array.from({ length: count }, (_, n) => (n % 28) + 1).join(',');
  const cases: readonly (readonly [string, string])[] = [
    ['', 'partSyntax'],
    ['every Tuesday', 'partSyntax'],
    ['BYDAY=TU', 'frequency'],
    ['FREQ=SECONDLY', 'frequency'],
    ['FREQ=HOURLY;COUNT=9', 'frequency'],
    ['FREQ=DAILY;BYSECOND=1', 'partUnknown'],
    ['FREQ=DAILY;BYHOUR=1', 'partUnknown'],
    ['FREQ=DAILY;X-FOO=1', 'partSyntax'],
    ['FREQ=DAILY;FREQ=DAILY', 'partRepeated'],
    ['FREQ=DAILY;INTERVAL=0', 'partValue'],
    ['FREQ=DAILY;INTERVAL=999999999', 'partValue'],
    ['DTSTART:20260101 FREQ=DAILY;COUNT=1000000000', 'partValue'],
    ['FREQ=DAILY;COUNT=3', 'start'],
    ['DTSTART:18251231 FREQ=DAILY;COUNT=3', 'start'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20261231', 'partNotAllowed'],
    ['FREQ=DAILY;UNTIL=tomorrow', 'partValue'],
    ['DTSTART:20260230 FREQ=DAILY', 'start'],
    ['FREQ=WEEKLY', 'start'],
    ['FREQ=MONTHLY;BYMONTH=2', 'start'],
    ['FREQ=WEEKLY;BYDAY=2TU', 'partValue'],
    ['FREQ=MONTHLY;BYDAY=54MO', 'partValue'],
    ['FREQ=MONTHLY;BYDAY=XX', 'partValue'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'partValue'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'partValue'],
    ['FREQ=YEARLY;BYMONTH=-1;BYMONTHDAY=1', 'partValue'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'partNotAllowed'],
    ['FREQ=MONTHLY;BYWEEKNO=1;BYDAY=MO', 'partNotAllowed'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=2MO', 'partNotAllowed'],
    ['FREQ=MONTHLY;BYSETPOS=1', 'partNotAllowed'],
    ['FREQ=DAILY;BYDAY=MO;BYSETPOS=-2', 'partNotAllowed'],
    ['FREQ=YEARLY;BYWEEKNO=5;BYMONTHDAY=31;BYDAY=MO', 'partNotAllowed'],
    ['FREQ=YEARLY;BYYEARDAY=200;BYDAY=MO', 'partNotAllowed'],
    ['FREQ=YEARLY;BYMONTHDAY=16;BYDAY=-36SU', 'partNotAllowed'],
    ['FREQ=MONTHLY;BYMONTHDAY=26;BYDAY=4WE', 'partNotAllowed'],
    ['FREQ=MONTHLY;BYDAY=MO;WKST=XX', 'partValue'],
    [`FREQ=MONTHLY;BYMONTHDAY=${many(101)}`, 'partValue'],
    [`FREQ=MONTHLY;BYMONTHDAY=${many(400)}`, 'ruleLength'],
  ];
  for (const [rule, code] of cases)
    t.throws(() => datesOf(rule), { name: 'RecurrenceInvalid', code, message: /expected/ }, rule);
  t.ok(new RecurrenceInvalid('start', '') instanceof Error);
});
