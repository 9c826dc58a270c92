import { RRuleTemporal } from 'rrule-temporal';
import { shown } from '../../application/requests/imports/faults.js';
import { dateOf, dayNumber, parseDate, weekday, year, month } from '../../domain/dates.js';
import { ruleDatesMax } from '../../domain/planning/calendarRules.js';

/** First and last date of the dates that are computed. */
export type DateWindow = { readonly from: string; readonly to: string };

/** A recurrence rule that cannot be used. */
export class RecurrenceInvalid extends Error {
  readonly name = 'RecurrenceInvalid';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

/** A rule with its parts in upper case; `start` is the date that it counts from, undefined for none. */
export type Recurrence = {
  readonly frequency: (typeof frequencies)[number];
  readonly interval: number;
  readonly count: number | undefined;
  readonly until: string | undefined;
  /** The parts that choose dates, such as BYDAY. */
  readonly by: ReadonlyMap<string, string>;
  readonly weekStart: number;
  readonly start: string | undefined;
};

/** Longest rule in characters, longest interval, and longest list of a part. */
export const ruleLengthMax = 500;
const intervalMax = 1000;
const listMax = 100;

/** Largest number of each part that lists numbers; all but BYMONTH count from the end when they are negative. */
const numberMax: Readonly<Record<string, number>> = {
  BYMONTH: 12,
  BYMONTHDAY: 31,
  BYYEARDAY: 366,
  BYWEEKNO: 53,
  BYSETPOS: 366,
};

/** Frequencies with which a part may not be used (RFC 5545 §3.3.10). */
const excluded: Readonly<Record<string, readonly string[]>> = {
  BYMONTHDAY: ['WEEKLY'],
  BYYEARDAY: ['DAILY', 'WEEKLY', 'MONTHLY'],
  BYWEEKNO: ['DAILY', 'WEEKLY', 'MONTHLY'],
};

const invalid = (code: string, got: string, expected: string): RecurrenceInvalid =>
  new RecurrenceInvalid(code, `got ${shown(got)}, expected ${expected}`);

/** The date of a DATE or DATE-TIME value (RFC 5545); undefined for another text. */
export const dateValue = (text: string): string | undefined => {
  const parts = /^(\d{4})(\d\d)(\d\d)(?:T(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d|60)Z?)?$/.exec(text);
  const date = parts ? `${parts[1]}-${parts[2]}-${parts[3]}` : '';
  return parseDate(date) === undefined ? undefined : date;
};

const wholeNumber = (name: string, text: string, max: number): number => {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1 || Number(text) > max)
    throw invalid('partValue', `${name}=${text}`, `a number from 1 to ${max}`);
  return Number(text);
};

/** Checks the numbers or weekdays of a part. */
const requireList = (name: string, text: string, frequency: string): void => {
  const entries = text.split(',');
  if (entries.length > listMax)
    throw invalid('partValue', `${entries.length} values of ${name}`, `at most ${listMax}`);
  for (const entry of entries) {
    const max = numberMax[name];
    if (max === undefined) {
      const [, ordinal = ''] = /^([+-]?[1-9]\d?)?(?:MO|TU|WE|TH|FR|SA|SU)$/.exec(entry) ?? [undefined, '0'];
      const isOrdered = frequency === 'MONTHLY' || frequency === 'YEARLY';
      if (Math.abs(Number(ordinal)) > 53 || ordinal === '0' || (ordinal !== '' && !isOrdered))
        throw invalid(
          'partValue',
          `${name}=${entry}`,
          `MO, TU, WE, TH, FR, SA or SU${isOrdered ? ', perhaps after a number such as 2 or -1' : ''}`,
        );
    } else if (!/^[+-]?[1-9]\d{0,2}$/.test(entry) || Math.abs(Number(entry)) > max)
      throw invalid(
        'partValue',
        `${name}=${entry}`,
        `numbers from 1 to ${max}, or below 0 to count from the end`,
      );
    else if (name === 'BYMONTH' && Number(entry) < 0)
      throw invalid('partValue', `${name}=${entry}`, 'a month from 1 to 12');
  }
};

/** Parts that few people combine, and that programs read in different ways. */
const apart: readonly (readonly [string, readonly string[]])[] = [
  ['BYWEEKNO', ['BYMONTH', 'BYMONTHDAY', 'BYYEARDAY']],
  ['BYYEARDAY', ['BYMONTH', 'BYMONTHDAY', 'BYDAY']],
];

/** @throws RecurrenceInvalid for parts that have no clear meaning together */
const requireClear = (by: ReadonlyMap<string, string>, frequency: string): void => {
  const refused = (got: string, expected: string) => invalid('partNotAllowed', got, expected);
  for (const [name, others] of apart) {
    const other = others.find(one => by.has(one));
    if (by.has(name) && other !== undefined) throw refused(`${name} with ${other}`, 'one of them');
  }
  const isNumbered = /\d/.test(by.get('BYDAY') ?? '');
  if (isNumbered && (by.has('BYMONTHDAY') || by.has('BYWEEKNO')))
    throw refused('numbers in BYDAY with other days of the month or week', 'weekdays without numbers');
  if (by.has('BYSETPOS') && (by.size === 1 || frequency === 'DAILY'))
    throw refused(
      `BYSETPOS ${by.size === 1 ? 'alone' : 'with FREQ=DAILY'}`,
      'a longer period with another part that chooses dates, such as BYDAY',
    );
};

/** The parts of a rule by name. */
const partsOf = (text: string): Map<string, string> => {
  const parts = new Map<string, string>();
  for (const part of text.toUpperCase().split(';')) {
    const [, name, value] = /^([A-Z]+)=([A-Z0-9,+-]+)$/.exec(part) ?? [];
    if (name === undefined || value === undefined)
      throw invalid(
        'partSyntax',
        `"${part}"`,
        'NAME=VALUE between semicolons, as in FREQ=MONTHLY;BYDAY=-1FR',
      );
    if (parts.has(name)) throw invalid('partRepeated', `${name} twice`, 'each part once');
    parts.set(name, value);
  }
  return parts;
};

/** The parts that choose dates, checked. */
const choosing = (parts: ReadonlyMap<string, string>, frequency: string): ReadonlyMap<string, string> => {
  const others = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST'];
  const by = new Map([...parts].filter(([name]) => !others.includes(name)));
  for (const [name, value] of by) {
    if (name !== 'BYDAY' && numberMax[name] === undefined)
      throw invalid(
        'partUnknown',
        name,
        `a part of a rule for dates: ${['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'BYDAY', ...Object.keys(numberMax)].join(', ')}`,
      );
    if (excluded[name]?.includes(frequency))
      throw invalid('partNotAllowed', `${name} with FREQ=${frequency}`, 'another frequency, or none of it');
    requireList(name, value, frequency);
  }
  requireClear(by, frequency);
  return by;
};

/**
 * Parses a rule of RFC 5545 for dates, with or without `RRULE:`.
 * @param start  the date that it counts from; undefined for none
 * @param dateOf the date of an UNTIL
 * @throws RecurrenceInvalid
 */
export const parseRecurrence = (
  text: string,
  start: string | undefined,
  untilDate: (value: string) => string | undefined = dateValue,
): Recurrence => {
  if (text.length > ruleLengthMax)
    throw invalid('ruleLength', `${text.length} characters`, `a rule of at most ${ruleLengthMax}`);
  const parts = partsOf(
    text
      .trim()
      .replace(/^RRULE:/i, '')
      .replace(/;$/, ''),
  );
  const frequency = frequencies.find(name => name === parts.get('FREQ'));
  if (!frequency)
    throw invalid(
      'frequency',
      parts.has('FREQ') ? `FREQ=${parts.get('FREQ')}` : 'no FREQ',
      'FREQ=DAILY, WEEKLY, MONTHLY or YEARLY',
    );
  const [count, until, weekStart] = [parts.get('COUNT'), parts.get('UNTIL'), parts.get('WKST') ?? 'MO'];
  if (count !== undefined && until !== undefined)
    throw invalid('partNotAllowed', 'COUNT and UNTIL', 'one of them');
  const untilOn = until === undefined ? undefined : untilDate(until);
  if (until !== undefined && untilOn === undefined)
    throw invalid('partValue', `UNTIL=${until}`, 'a date such as 20261231');
  const weekStartDay = weekdays.findIndex(name => name === weekStart);
  if (weekStartDay < 0) throw invalid('partValue', `WKST=${weekStart}`, weekdays.join(', '));
  return {
    frequency,
    interval: wholeNumber('INTERVAL', parts.get('INTERVAL') ?? '1', intervalMax),
    count: count === undefined ? undefined : wholeNumber('COUNT', count, ruleDatesMax),
    until: untilOn,
    by: choosing(parts, frequency),
    weekStart: weekStartDay,
    start,
  };
};

/**
 * Parses the text of a rule that a person gives: a rule, perhaps after `DTSTART:20260105` and a space or a line end.
 * @throws RecurrenceInvalid
 */
export const parseRuleText = (text: string): Recurrence => {
  const [, given, rule = ''] = /^\s*(?:DTSTART(?:;VALUE=DATE)?:(\S{1,20})\s+)?(.*)$/is.exec(text) ?? [];
  const start = given === undefined ? undefined : dateValue(given.toUpperCase());
  if (given !== undefined && start === undefined)
    throw invalid('start', `DTSTART:${given}`, 'a date such as 20260105');
  const parsed = parseRecurrence(rule, start);
  if (start === undefined && parsed.count !== undefined)
    throw invalid('start', 'COUNT without a start', 'DTSTART:20260105 before the rule, from which it counts');
  return parsed;
};

/** The parts that a start implies when a rule has none of their kind. */
const implied = ({ frequency, by, start }: Recurrence): ReadonlyMap<string, string> => {
  const has = (...names: readonly string[]): boolean => names.some(name => by.has(name));
  if (frequency === 'DAILY' || has('BYDAY', 'BYMONTHDAY', 'BYYEARDAY')) return by;
  if (start === undefined)
    throw invalid(
      'start',
      `FREQ=${frequency} without days`,
      frequency === 'WEEKLY'
        ? 'BYDAY, such as BYDAY=TU'
        : 'BYDAY or BYMONTHDAY, such as BYDAY=-1FR, or DTSTART:20260105 before the rule',
    );
  const number = dayNumber(start);
  const day = String(Number(start.slice(8)));
  if (frequency === 'WEEKLY' || has('BYWEEKNO'))
    return new Map([...by, ['BYDAY', weekdays[weekday(number)]!]]);
  const months: [string, string][] =
    frequency === 'YEARLY' && !has('BYMONTH') ? [['BYMONTH', String(month(number) + 1)]] : [];
  return new Map([...by, ...months, ['BYMONTHDAY', day]]);
};

const firstOfMonth = (months: number): string =>
  `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}-01`;

/** The first date of a period that the rule counts, as many periods from the period of `anchor`, at most `from`. */
const alignedStart = (
  { frequency, interval, weekStart, by }: Recurrence,
  anchor: string,
  from: string,
): string => {
  const [number, first] = [dayNumber(anchor), dayNumber(from)];
  const back = (position: number, limit: number): number =>
    position - Math.ceil((position - limit) / interval) * interval;
  switch (frequency) {
    case 'DAILY':
      return dateOf(back(number, first));
    case 'WEEKLY': {
      const weekOf = (day: number): number => day - ((weekday(day) - weekStart + 7) % 7);
      const weeks = Math.ceil((weekOf(number) - weekOf(first)) / 7 / interval) * interval;
      return dateOf(weekOf(number) - 7 * weeks);
    }
    case 'MONTHLY': {
      const monthsOf = (day: number): number => 12 * year(day) + month(day);
      return firstOfMonth(back(monthsOf(number), monthsOf(first)));
    }
    case 'YEARLY':
      // January may begin in the last week of the year before.
      return firstOfMonth(12 * back(year(number), year(first) - (by.has('BYWEEKNO') ? 1 : 0)));
  }
};

const compact = (date: string): string => `${date.replaceAll('-', '')}T000000Z`;

/** Dates of a rule in a window of some days; the periods that it counts are those of `start`. */
const datesWithin = (
  { frequency, interval, weekStart }: Recurrence,
  by: ReadonlyMap<string, string>,
  { start, from, to }: DateWindow & { readonly start: string },
): readonly string[] => {
  const parts = [...by].map(([name, value]) => `;${name}=${value}`).join('');
  const rule = `FREQ=${frequency};INTERVAL=${interval};WKST=${weekdays[weekStart]}${parts};UNTIL=${compact(to)}`;
  try {
    const all = new RRuleTemporal({ rruleString: `DTSTART:${compact(start)}\nRRULE:${rule}` }).all();
    return all.map(one => one.toString().slice(0, 10)).filter(date => date >= from);
  } catch (error) {
    throw new RecurrenceInvalid(
      'ruleInvalid',
      `the rule cannot be computed: ${error instanceof Error ? shown(error.message) : ''}`,
    );
  }
};

/** The first `most` dates of a rule in a window, a year in a step; the periods that it counts are those of `anchor`. */
function* computed(
  recurrence: Recurrence,
  by: ReadonlyMap<string, string>,
  { anchor, from, to, most }: DateWindow & { readonly anchor: string; readonly most: number },
): Generator<void, readonly string[]> {
  const dates: string[] = [];
  for (let first = from; first <= to && dates.length < most; first = `${year(dayNumber(first)) + 1}-01-01`) {
    const endOfYear = `${first.slice(0, 4)}-12-31`;
    const step = { from: first, to: endOfYear < to ? endOfYear : to };
    const start = alignedStart(recurrence, anchor, step.from);
    dates.push(...datesWithin(recurrence, by, { ...step, start }));
    yield;
  }
  return dates.slice(0, most);
}

/** Most years from the start of a rule with COUNT to the window: each of its dates is computed. */
const countedYearsMax = 200;

/** Dates of a rule with COUNT up to a last date. @throws RecurrenceInvalid */
function* counted(
  recurrence: Recurrence & { readonly start: string; readonly count: number },
  by: ReadonlyMap<string, string>,
  { from, to }: DateWindow,
): Generator<void, readonly string[]> {
  const { start, count: most } = recurrence;
  if (year(dayNumber(start)) < year(dayNumber(from)) - countedYearsMax)
    throw invalid(
      'start',
      `COUNT from ${start} on`,
      `a start within ${countedYearsMax} years before ${from}`,
    );
  const dates = yield* computed(recurrence, by, { anchor: start, from: start, to, most });
  return dates.filter(date => date >= from);
}

/** A date that a rule has already when it takes the place of another one: the same text goes on as it counted. */
export const knownDate = (
  text: string,
  replaced: { readonly rule: string | null; readonly dates: readonly string[] } | undefined,
): string | undefined => (replaced?.rule === text ? replaced.dates.at(-1) : undefined);

/**
 * Computes the first dates of a rule in a window, in steps of a year, ascending. A rule without a start counts from its
 * first date from `since` on, and goes on before it.
 * @param since today, or a date of the rule
 * @throws RecurrenceInvalid
 */
export function* recurrenceDates(
  recurrence: Recurrence,
  { from, to }: DateWindow,
  since: string,
  most = ruleDatesMax + 1,
): Generator<void, readonly string[]> {
  const { start, until = to, count } = recurrence;
  const by = implied(recurrence);
  const last = until < to ? until : to;
  const first = start !== undefined && start > from ? start : from;
  if (first > last) return [];
  const range = { from: first, to: last };
  if (count !== undefined && start !== undefined)
    return yield* counted({ ...recurrence, count, start }, by, range);
  let anchor = start ?? since;
  if (start === undefined && recurrence.interval > 1) {
    const every = { ...recurrence, interval: 1 };
    const [next] = yield* computed(every, by, { anchor: since, from: since, to: last, most: 1 });
    anchor = next ?? since;
  }
  return yield* computed(recurrence, by, { ...range, anchor, most });
}
