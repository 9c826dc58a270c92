import { parseDate, yearMax } from '../../domain/dates.js';
import { exactDigits, powersOfTen } from '../bytes.js';
import { valueMax } from '../../application/requests/imports/assembleDays.js';

/** Faults of a field, with what is expected instead. */
export const fieldFaults = {
  timestampFormat: 'expected YYYY-MM-DDThh:mm:ss',
  timestampOffset: 'expected an offset from -23:59 to +23:59, or Z',
  timestampCalendar: `expected a calendar date from 0001 to ${yearMax} and a time from 00:00:00 to 23:59:59`,
  valueFormat: 'expected a number in French format, as 1234,5, or nothing',
  valueGroups: 'expected thousands in groups of three, as 1 234 567,8',
  decimalPoint: 'expected a comma as decimal mark, as 1234,5, and no point',
  decimalComma: 'expected a point as decimal mark, as 1234.5, and a comma only between thousands',
  pointValue: 'expected a number with a decimal point, as 1234.5, or nothing',
  valueTooLarge: `expected a magnitude of at most ${valueMax}`,
  notUtf8: 'expected text in UTF-8 without NUL bytes',
} as const;
export type FieldFault = keyof typeof fieldFaults;

/** Texts that programs write for a missing value. */
const missingText = /^(nan|na|#n\/a|n\/a|null|none|nil|missing|-+|\?)$/i;

/** Advice for a text that is a missing value; empty for other texts. */
export const missingValueAdvice = (text: string): string =>
  missingText.test(text.trim()) ? ': leave the field of a missing value empty' : '';

/** Whether a text was not UTF-8: decoders put U+FFFD in place of other bytes, and UTF-16 has bytes 0. */
export const isForeignText = (text: string): boolean => text.includes('\ufffd') || text.includes('\0');

/** `parseDate` with a cache of its last result, because rows of one day follow each other. */
export const rememberingDate = (): typeof parseDate => {
  let date = '';
  let number: number | undefined;
  return text => {
    if (text !== date) {
      number = parseDate(text);
      date = text;
    }
    return number;
  };
};

const code = (character: string): number => character.charCodeAt(0);
const zero = code('0');
const colon = code(':');
const comma = code(',');
const minus = code('-');
const trueMinus = 0x2212;
const letterT = code('T');
const letterZ = code('Z');

/** The number of the two digits at `index`; NaN when they are not digits. */
const twoDigits = (text: string, index: number): number => {
  const tens = text.charCodeAt(index) - zero;
  const ones = text.charCodeAt(index + 1) - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
};

/**
 * Seconds since 1970-01-01T00:00:00 of `YYYY-MM-DDThh:mm:ss`, with or without a fraction of a second and an offset
 * (`Z`, `+hh:mm`, `+hhmm` or `+hh`). With an offset it is an instant, otherwise a time of some clock.
 * @param dayOf  returns the day number of a date
 * @returns      the seconds, or the fault
 */
export const parseTimestamp = (text: string, dayOf = parseDate): number | FieldFault => {
  if (text.charCodeAt(10) === letterT && text.charCodeAt(13) === colon && text.charCodeAt(16) === colon) {
    const day = dayOf(text.slice(0, 10));
    const hour = twoDigits(text, 11);
    const minute = twoDigits(text, 14);
    const second = twoDigits(text, 17);
    const added = text.length === 19 ? 0 : secondsOfEnd(text);
    // Comparisons with NaN are false, so text without digits is refused below.
    if (day !== undefined && hour < 24 && minute < 60 && second < 60 && !Number.isNaN(added))
      return day * 86_400 + hour * 3600 + minute * 60 + second + added;
  }
  return timestampFault(text);
};

const stampEnd =
  /^(?<fraction>[.,]\d{1,9})?(?:Z|(?<sign>[+\-\u2212])(?<hours>\d\d)(?::?(?<minutes>\d\d))?)?$/;

/** Seconds that fraction and offset of a timestamp add; NaN for any other text. */
const secondsOfEnd = (text: string): number => {
  if (text.length === 20 && text.charCodeAt(19) === letterZ) return 0;
  const groups = stampEnd.exec(text.slice(19))?.groups;
  if (!groups) return NaN;
  const { fraction = '', sign, hours = '0', minutes = '0' } = groups;
  const offset =
    Number(hours) < 24 && Number(minutes) < 60 ? Number(hours) * 3600 + Number(minutes) * 60 : NaN;
  return Number(fraction.replace(',', '.')) + (sign === '+' ? -offset : offset);
};

/** Whether a valid timestamp says its offset from UTC. */
export const hasOffset = (text: string): boolean => text.length > 19 && !/^[.,]\d+$/.test(text.slice(19));

/** The fault of a text that is not a valid timestamp. */
const timestampFault = (text: string): FieldFault => {
  if (isForeignText(text)) return 'notUtf8';
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) || !stampEnd.test(text.slice(19)))
    return 'timestampFormat';
  return Number.isNaN(secondsOfEnd(text)) ? 'timestampOffset' : 'timestampCalendar';
};

/**
 * Number in French format: decimal comma, `-` or U+2212 as minus, thousands in groups of three separated by
 * space, U+00A0 or U+202F; no exponent.
 * @returns  the nearest double (never −0), NaN for empty text (a missing sample), or the fault
 */
export const parseValue = (text: string): number | FieldFault => {
  if (text === '') return NaN;
  const first = text.charCodeAt(0);
  const negative = first === minus || first === trueMinus;
  let mantissa = 0;
  let digits = 0;
  let decimals = -1;
  for (let index = negative ? 1 : 0; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - zero;
    if (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit;
      digits += 1;
      if (decimals >= 0) decimals += 1;
    } else if (digit === comma - zero && decimals < 0 && digits > 0) decimals = 0;
    else return parseLongValue(text);
  }
  if (digits === 0 || digits > exactDigits || decimals === 0) return parseLongValue(text);
  const value = decimals > 0 ? mantissa / (powersOfTen[decimals] ?? NaN) : mantissa;
  return negative ? 0 - value : value;
};

/** `parseValue` for all forms of numbers, by a pattern. */
const parseLongValue = (text: string): number | FieldFault => {
  if (!/^[-\u2212]?(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+|\d+)(?:,\d+)?$/.test(text)) return valueFault(text);
  const plain = text
    .replace('\u2212', '-')
    .replace(/[ \u00a0\u202f]/g, '')
    .replace(',', '.');
  const value = Number(plain) + 0;
  return Math.abs(value) <= valueMax ? value : 'valueTooLarge';
};

/** The fault of a text that is not a valid value. */
const valueFault = (text: string): FieldFault => {
  if (isForeignText(text)) return 'notUtf8';
  if (/^[-+\u2212]?[\d \u00a0\u202f,.]+$/.test(text) && text.includes('.')) return 'decimalPoint';
  if (/^[-\u2212]?\d[\d \u00a0\u202f]*(,[\d \u00a0\u202f]+)?$/.test(text)) return 'valueGroups';
  return 'valueFormat';
};

/**
 * Number with a decimal point: `-` or U+2212 as minus, thousands in groups of three separated by comma, apostrophe,
 * space, U+00A0 or U+202F; an exponent is allowed.
 * @returns  the nearest double (never −0), NaN for empty text (a missing sample), or the fault
 */
export const parsePointValue = (text: string): number | FieldFault => {
  if (text === '') return NaN;
  if (!/^[-\u2212]?(?:\d{1,3}(?:[ \u00a0\u202f,']\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?$/.test(text)) {
    if (isForeignText(text)) return 'notUtf8';
    return /^[-+\u2212]?[\d \u00a0\u202f,.']+$/.test(text) && text.includes(',')
      ? 'decimalComma'
      : 'pointValue';
  }
  const value = Number(text.replace('\u2212', '-').replace(/[ \u00a0\u202f,']/g, '')) + 0;
  return Math.abs(value) <= valueMax ? value : 'valueTooLarge';
};
