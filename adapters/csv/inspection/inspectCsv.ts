import { isUtf8 } from 'node:buffer';
import { runStepsAtOnce } from '../../../application/ports/sharing/turns.js';
import { shown } from '../../../application/requests/imports/faults.js';
import { dateOf, secondsPerDay } from '../../../domain/dates.js';
import { foreignFile, isUtf16 } from '../rows.js';
import { defaultForm, type Decimal } from '../csvForm.js';
import { guessOf, separatorOf, stampOf, valueReaders, type Guess, type Rows } from './guessForm.js';
import {
  csvRowSteps,
  medianStep,
  rowsOfStep,
  thousandsIn,
  type Inspection,
  type SeenColumn,
  type UnreadRows,
} from './inspection.js';
import type { ReadDay } from '../../../analysis/misread/windows.js';

/** Days that are listed. */
const daysMax = 5;
/** The line that tells Excel the separator. */
const separatorLine = /^"?sep=[^\n]{0,3}\n/i;

/** The inspection of a file that is not text. */
const nothingSeen: Omit<Inspection, 'isUtf8' | 'notText'> = {
  separator: defaultForm.separator,
  decimal: null,
  dateFormat: null,
  header: null,
  columns: [],
  rows: 0,
  stepSeconds: null,
  days: [],
  lastDate: null,
  range: null,
  thousands: null,
  unread: {
    ...{ dates: 0, values: 0, date: '', value: '', backwards: 0, backSeconds: 0, conflicts: 0 },
    ...{ separatorLine: false, blankLine: null },
  },
  readDays: [],
};

/**
 * Guesses the form of a CSV body from its beginning: separator, decimal mark, date format, columns and sampling.
 * @param head    first bytes of the body
 * @param isWhole whether they are the whole body; else the last line may be cut and is left out
 * @param rowsMax rows to look at
 */
export const inspectCsv = (head: Buffer, isWhole: boolean, rowsMax = Infinity): Inspection =>
  runStepsAtOnce(inspectionSteps(head, isWhole, rowsMax));

/** The same in steps. */
export const inspectionSteps = function* (
  head: Buffer,
  isWhole: boolean,
  rowsMax = Infinity,
): Generator<void, Inspection> {
  const whole = isWhole ? head : head.subarray(0, head.lastIndexOf(0x0a) + 1);
  const isText = isUtf8(whole) && !isUtf16(head);
  const notText = foreignFile(head) ?? null;
  if (notText !== null) return { ...nothingSeen, isUtf8: isText, notText };
  const full = whole.toString(isText ? 'utf8' : 'latin1').replace(/^\ufeff/, '');
  const text = full.replace(separatorLine, '');
  const separator = separatorOf(text);
  yield;
  const all = yield* csvRowSteps(text, separator, rowsMax);
  const guess = guessOf(separator, all);
  yield;
  const header = isHeader(all[0] ?? [], guess) ? (all[0] ?? []) : null;
  const rows = header ? all.slice(1) : all;
  const { unread, ...seen } = yield* readFields(rows, guess);
  return {
    separator,
    decimal: guess.value?.form ?? null,
    dateFormat: guess.date?.form ?? null,
    header: header && header.map(shown),
    columns: columnsOf(header, rows[0] ?? [], guess),
    rows: rows.length,
    ...seen,
    isUtf8: isText,
    notText,
    unread: { ...unread, separatorLine: text !== full, blankLine: blankLineOf(full) },
  };
};

/** Number of the first blank line before further rows, from 1; null for none. Lines inside quotes are no rows. */
const blankLineOf = (text: string): number | null => {
  const rows = text.trimEnd().replace(/"[^"]*"/g, field => '"'.repeat(field.length));
  const blank = /(?:^|\n)(?=\r?\n)/.exec(rows);
  return blank && text.slice(0, blank.index + blank[0].length).split('\n').length;
};

/** Whether the first row is a header: its field of the date is none; without dates, no field begins with a number. */
const isHeader = (first: readonly string[], { date }: Guess): boolean =>
  date
    ? stampOf(first[date.index] ?? '', date.form) === undefined
    : first.length > 0 && !first.some(field => /^\s*[-\d]/.test(field));

const columnsOf = (
  header: readonly string[] | null,
  first: readonly string[],
  { date, value }: Guess,
): readonly SeenColumn[] =>
  Array.from({ length: Math.max(header?.length ?? 0, first.length) }, (_, index) => ({
    number: index + 1,
    name: header && (header[index] ?? ''),
    kind: index === date?.index ? 'date' : index === value?.index ? 'value' : 'other',
    example: shown(first[index] ?? ''),
  }));

/** The value of a text; NaN for a missing or unreadable one. */
const valueOf = (text: string, decimal: Decimal): number => {
  const value = valueReaders[decimal](text);
  return typeof value === 'number' ? value : NaN;
};

/** Facts of the dates and values of the rows of data, in steps. */
const readFields = function* (rows: Rows, { date, value }: Guess) {
  const stamps = date ? rows.map(fields => fields[date.index] ?? '') : [];
  const allTimes: number[] = [];
  if (date)
    for (const text of stamps) {
      if (allTimes.push(stampOf(text, date.form) ?? NaN) % rowsOfStep === 0) yield;
    }
  const times = allTimes.filter(at => !Number.isNaN(at));
  const texts = value ? rows.map(fields => fields[value.index] ?? '') : [];
  yield;
  const { values, unread } = readValues(texts, value?.form ?? null);
  yield;
  const readTexts = value ? texts.map(text => valueOf(text, value.form)) : [];
  yield;
  const readDays = date && value ? inspectedDays(allTimes, readTexts) : [];
  yield;
  return {
    stepSeconds: medianStep(times),
    days: daysOf(times),
    lastDate: lastDateOf(times),
    range:
      values.length === 0
        ? null
        : values.reduce(({ min, max }, each) => ({ min: Math.min(min, each), max: Math.max(max, each) }), {
            min: Infinity,
            max: -Infinity,
          }),
    thousands: value?.form === ',' ? thousandsIn(texts) : null,
    unread: {
      dates: stamps.length - times.length,
      date: stamps[allTimes.findIndex(Number.isNaN)] ?? '',
      ...unread,
      ...stepsBack(times),
      conflicts: conflictsOf(allTimes, readTexts),
    },
    readDays,
  };
};

/** The values of a column, and those that an import would refuse. */
const readValues = (
  texts: readonly string[],
  decimal: Decimal | null,
): { readonly values: readonly number[]; readonly unread: Pick<UnreadRows, 'values' | 'value'> } => {
  const values: number[] = [];
  const unreadable: string[] = [];
  if (decimal)
    for (const text of texts) {
      const value = valueReaders[decimal](text);
      if (typeof value === 'string') unreadable.push(text);
      else if (!Number.isNaN(value)) values.push(value);
    }
  return { values, unread: { values: unreadable.length, value: unreadable[0] ?? '' } };
};

/** Rows with an earlier time than the row before. */
const stepsBack = (times: readonly number[]): Pick<UnreadRows, 'backwards' | 'backSeconds'> => {
  const back = times.map((at, index) => (times[index - 1] ?? at) - at).filter(step => step > 0);
  return { backwards: back.length, backSeconds: back.reduce((most, step) => Math.max(most, step), 0) };
};

/** Rows with the time of the row before and another value. */
const conflictsOf = (times: readonly number[], values: readonly number[]): number =>
  times.filter(
    (at, row) => at === times[row - 1] && Math.abs((values[row] ?? NaN) - (values[row - 1] ?? NaN)) > 0,
  ).length;

const lastDateOf = (times: readonly number[]): string | null => {
  const last = times.reduce((latest, at) => Math.max(latest, at), -Infinity);
  return times.length === 0 ? null : dateOf(Math.floor(last / secondsPerDay));
};

const daysOf = (times: readonly number[]): Inspection['days'] => {
  const counts = new Map<number, number>();
  for (const at of times) {
    const day = Math.floor(at / secondsPerDay);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return [...counts].slice(0, daysMax).map(([day, rows]) => ({ date: dateOf(day), rows }));
};

const hours = 24;

/**
 * Days of inspected rows, by their own clock: 24 means, NaN for hours without values.
 * @param times  seconds since 1970, NaN for unreadable ones
 * @param values as many, NaN for missing and unreadable ones
 */
const inspectedDays = (times: readonly number[], values: readonly number[]): readonly ReadDay[] => {
  const days = new Map<number, { readonly sums: number[]; readonly counts: number[] }>();
  times.forEach((at, row) => {
    const value = values[row] ?? NaN;
    if (Number.isNaN(at) || Number.isNaN(value)) return;
    const dayNumber = Math.floor(at / secondsPerDay);
    const hour = Math.floor(((at / secondsPerDay) % 1) * hours);
    const day = days.get(dayNumber) ?? { sums: Array(hours).fill(0), counts: Array(hours).fill(0) };
    day.sums[hour] = (day.sums[hour] ?? 0) + value;
    day.counts[hour] = (day.counts[hour] ?? 0) + 1;
    days.set(dayNumber, day);
  });
  return [...days]
    .sort(([one], [other]) => one - other)
    .map(([dayNumber, { sums, counts }]) => ({
      dayNumber,
      // 0/0 is NaN.
      values: sums.map((sum, hour) => sum / (counts[hour] ?? 0)),
    }));
};
