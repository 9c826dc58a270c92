import { dayNumberOf } from '../../domain/dates.js';
import { exactDigits, powersOfTen } from './fields.js';

/** Readings of rows that follow each other. */
export type PlainRows = {
  /** Seconds since 1970-01-01T00:00:00 UTC. */
  readonly times: Float64Array;
  /** Finite, never −0; NaN where there is no sample. */
  readonly values: Float64Array;
  /** How many rows there are; the arrays may be longer. */
  readonly count: number;
  /** Index of the byte after the last of them. */
  readonly end: number;
};

const [quote, newline, carriageReturn, semicolon] = [0x22, 0x0a, 0x0d, 0x3b];
const [zero, minus, colon, comma, letterT, letterZ] = [0x30, 0x2d, 0x3a, 0x2c, 0x54, 0x5a];
const secondsPerDay = 86_400;
/** Bytes of `YYYY-MM-DDThh:mm:ss;` and a line break. */
const rowBytesMin = 21;
const dateBytes = 10;

/** The digit of a byte; above 9 when it is none. */
const digitOf = (byte: number | undefined): number => ((byte ?? 0) - zero) >>> 0;

/** Number of the digits from `from` to `to`, NaN when they are not all digits. */
const digitsOf = (bytes: Uint8Array, from: number, to: number): number => {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const digit = digitOf(bytes[at]);
    number = digit > 9 ? NaN : number * 10 + digit;
  }
  return number;
};

/** Day number of the date at `at`, `undefined` when there is none. */
const dayAt = (bytes: Uint8Array, at: number): number | undefined =>
  bytes[at + 4] === minus && bytes[at + 7] === minus
    ? dayNumberOf(
        digitsOf(bytes, at, at + 4),
        digitsOf(bytes, at + 5, at + 7),
        digitsOf(bytes, at + 8, at + 10),
      )
    : undefined;

/** Seconds since midnight of `Thh:mm:ss` at `at`, −1 when it is not that. */
const secondsAt = (bytes: Uint8Array, at: number): number => {
  if (bytes[at] !== letterT || bytes[at + 3] !== colon || bytes[at + 6] !== colon) return -1;
  const [hours, hour] = [digitOf(bytes[at + 1]), digitOf(bytes[at + 2])];
  const [minutes, minute] = [digitOf(bytes[at + 4]), digitOf(bytes[at + 5])];
  const [seconds, second] = [digitOf(bytes[at + 7]), digitOf(bytes[at + 8])];
  if (hours > 2 || hour > (hours === 2 ? 3 : 9) || minutes > 5 || minute > 9 || seconds > 5 || second > 9)
    return -1;
  return (hours * 10 + hour) * 3600 + (minutes * 10 + minute) * 60 + seconds * 10 + second;
};

/**
 * A reader of plain rows, the shape that files of millions of rows have, straight from their bytes:
 *
 *     row   = field(time) ";" field(value) [CR] LF
 *     field = text | QUOTE text QUOTE
 *     time  = YYYY "-" MM "-" DD "T" hh ":" mm ":" ss ["Z"]      a date of the calendar, 00:00:00 to 23:59:59
 *     value = "" | ["-"] digits ["," digits]                    15 digits at most
 *
 * All of it is checked. What this takes, csv-parse and fields.ts take with the same numbers; what it does not take is
 * theirs to judge, right or wrong.
 * @returns  reads rows from the first byte on until one is not plain or not ended; the next call uses the arrays of
 *           its answer again
 */
export const plainRowReader = (): ((bytes: Uint8Array) => PlainRows) => {
  let times = new Float64Array(0);
  let values = new Float64Array(0);
  // Rows of one day follow each other.
  const lastDate = new Uint8Array(dateBytes);
  let dayStart = 0;

  const isLastDate = (bytes: Uint8Array, at: number): boolean => {
    for (let index = dateBytes - 1; index >= 0; index -= 1)
      if (bytes[at + index] !== lastDate[index]) return false;
    return true;
  };
  /** Makes the date at `at` the last one, if it is a date. */
  const turnTo = (bytes: Uint8Array, at: number): boolean => {
    const day = dayAt(bytes, at);
    if (day === undefined) return false;
    lastDate.set(bytes.subarray(at, at + dateBytes));
    dayStart = day * secondsPerDay;
    return true;
  };

  return bytes => {
    const rowsMax = Math.ceil(bytes.length / rowBytesMin);
    if (times.length < rowsMax) {
      times = new Float64Array(rowsMax);
      values = new Float64Array(rowsMax);
    }
    let count = 0;
    let end = 0;
    // Beyond the last byte there is `undefined`, which is nothing that is looked for.
    while (end + rowBytesMin <= bytes.length) {
      let at = end;
      const timeQuoted = bytes[at] === quote;
      if (timeQuoted) at += 1;
      if (!isLastDate(bytes, at) && !turnTo(bytes, at)) break;
      const seconds = secondsAt(bytes, at + dateBytes);
      if (seconds < 0) break;
      at += 19;
      if (bytes[at] === letterZ) at += 1;
      if (timeQuoted && bytes[at++] !== quote) break;
      if (bytes[at++] !== semicolon) break;

      const valueQuoted = bytes[at] === quote;
      if (valueQuoted) at += 1;
      const negative = bytes[at] === minus;
      if (negative) at += 1;
      const first = at;
      let mantissa = 0;
      let digit = digitOf(bytes[at]);
      for (; digit <= 9; digit = digitOf(bytes[++at])) mantissa = mantissa * 10 + digit;
      let digits = at - first;
      let value = mantissa;
      if (bytes[at] === comma) {
        const point = ++at;
        digit = digitOf(bytes[at]);
        for (; digit <= 9; digit = digitOf(bytes[++at])) mantissa = mantissa * 10 + digit;
        const decimals = at - point;
        if (digits === 0 || decimals === 0) break;
        digits += decimals;
        value = mantissa / (powersOfTen[decimals] ?? NaN);
      } else if (digits === 0) {
        if (negative) break;
        value = NaN;
      }
      if (digits > exactDigits) break;
      if (valueQuoted && bytes[at++] !== quote) break;
      if (bytes[at] === carriageReturn) at += 1;
      if (bytes[at++] !== newline) break;

      times[count] = dayStart + seconds;
      values[count] = negative ? 0 - value : value;
      count += 1;
      end = at;
    }
    return { times, values, count, end };
  };
};
