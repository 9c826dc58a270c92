import { dayNumberOf } from '../../domain/dates.js';
import { decimalBytesMax, digitOf, exactDigits, powersOfTen, readDecimal, type Decimal } from '../bytes.js';

/** Readings of consecutive rows. */
export type PlainRows = {
  /** Seconds since 1970-01-01T00:00:00 UTC. */
  readonly times: Float64Array;
  /** Finite, never −0; NaN for a missing sample. */
  readonly values: Float64Array;
  /** Number of rows; the arrays may be longer. */
  readonly count: number;
  /** Index of the byte after the last row. */
  readonly end: number;
};

/** Bytes that plain rows of one form have; `utcLetter` may follow a time, a number that is no byte for none. */
export type PlainForm = {
  readonly separator: number;
  readonly decimal: number;
  /** Between date and time. */
  readonly timeMark: number;
  readonly utcLetter: number;
};

const quote = 0x22;
const newline = 0x0a;
const carriageReturn = 0x0d;
const minus = 0x2d;
const colon = 0x3a;
const letterT = 0x54;
const secondsPerDay = 86_400;
/** Bytes of the shortest row: `YYYY-MM-DDThh:mm:ss;` and a line break. */
const rowBytesMin = 21;
/** Bytes of the longest plain row: all optional characters, the longest decimal, CR and LF. */
const rowBytesMax = 28 + decimalBytesMax;
/** Length of `YYYY-MM-DDThh:mm` in words of four bytes. */
const minuteWords = 4;
const dateBytes = 10;
const epoch = Buffer.from('1970-01-01T00:00');

/** The number of the digits from `from` to `to`; NaN when not all bytes are digits. */
const digitsOf = (bytes: Uint8Array, from: number, to: number): number => {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const digit = digitOf(bytes[at]);
    number = digit > 9 ? NaN : number * 10 + digit;
  }
  return number;
};

/** Seconds from 1970 to the start of the date at `at`; NaN when there is no date. */
const dayStartAt = (bytes: Uint8Array, at: number): number => {
  if (bytes[at + 4] !== minus || bytes[at + 7] !== minus) return NaN;
  const year = digitsOf(bytes, at, at + 4);
  const month = digitsOf(bytes, at + 5, at + 7);
  const day = digitsOf(bytes, at + 8, at + dateBytes);
  return (dayNumberOf(year, month, day) ?? NaN) * secondsPerDay;
};

/** Seconds from midnight to the minute `Thh:mm` at `at`; NaN when there is no time. */
const minuteStartAt = (bytes: Uint8Array, at: number, timeMark: number): number => {
  const hours = digitsOf(bytes, at + 1, at + 3);
  const minutes = digitsOf(bytes, at + 4, at + 6);
  const isTime = bytes[at] === timeMark && bytes[at + 3] === colon && hours < 24 && minutes < 60;
  return isTime ? hours * 3600 + minutes * 60 : NaN;
};

/** The rows read so far, and the minute of the last one. */
type Reading = {
  times: Float64Array;
  values: Float64Array;
  count: number;
  /** The bytes of `YYYY-MM-DDThh:mm`, and the seconds from 1970 to its start. */
  readonly minute: Int32Array;
  minuteStart: number;
  dayStart: number;
  readonly decimal: Decimal;
  timeMark: number;
};

/** Reads the minute at `at` for the next rows. Returns `false`, and changes nothing, when there is none. */
const turnTo = (reading: Reading, bytes: Buffer, view: DataView, at: number): boolean => {
  const { minute } = reading;
  const minuteOfDay = minuteStartAt(bytes, at + dateBytes, reading.timeMark);
  const sameDate =
    view.getInt32(at) === minute[0] &&
    view.getInt32(at + 4) === minute[1] &&
    view.getInt16(at + 8) === (minute[2] ?? 0) >> 16;
  const dayStart = sameDate ? reading.dayStart : dayStartAt(bytes, at);
  if (Number.isNaN(dayStart + minuteOfDay)) return false;
  for (let word = 0; word < minuteWords; word += 1) minute[word] = view.getInt32(at + 4 * word);
  reading.dayStart = dayStart;
  reading.minuteStart = dayStart + minuteOfDay;
  return true;
};

/**
 * Reads rows from the first byte until one is not plain or begins after `last`. Returns the index after them.
 * After `last` there must be as many bytes as the longest row has: V8 makes the loop twice as slow after one access
 * beyond the end. One function, because calls in this loop cost more than its length (see the benchmarks).
 */
const readUpTo = (
  reading: Reading,
  bytes: Buffer,
  last: number,
  { separator, decimal: mark, utcLetter }: PlainForm,
): number => {
  const { times, values, minute, decimal } = reading;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let { count, minuteStart } = reading;
  let end = 0;
  // Rows of one minute follow each other: the first one is parsed, the others are compared with it as words.
  while (end <= last) {
    let at = end;
    const timeQuoted = bytes[at] === quote;
    if (timeQuoted) at += 1;
    const sameMinute =
      view.getInt32(at) === minute[0] &&
      view.getInt32(at + 4) === minute[1] &&
      view.getInt32(at + 8) === minute[2] &&
      view.getInt32(at + 12) === minute[3];
    if (!sameMinute) {
      if (!turnTo(reading, bytes, view, at)) break;
      ({ minuteStart } = reading);
    }
    const tens = digitOf(bytes[at + 17]);
    const ones = digitOf(bytes[at + 18]);
    if (bytes[at + 16] !== colon || tens > 5 || ones > 9) break;
    times[count] = minuteStart + tens * 10 + ones;
    at += 19;
    if (bytes[at] === utcLetter) at += 1;
    if (timeQuoted && bytes[at++] !== quote) break;
    if (bytes[at++] !== separator) break;

    const valueQuoted = bytes[at] === quote;
    if (valueQuoted) at += 1;
    const negative = bytes[at] === minus;
    if (negative) at += 1;
    const first = at;
    let mantissa = 0;
    let digit = digitOf(bytes[at]);
    for (; digit <= 9 && at - first < exactDigits; digit = digitOf(bytes[++at]))
      mantissa = mantissa * 10 + digit;
    const digits = at - first;
    let value = mantissa;
    if (bytes[at] === mark) {
      const point = ++at;
      digit = digitOf(bytes[at]);
      for (; digit <= 9 && at - first <= exactDigits; digit = digitOf(bytes[++at]))
        mantissa = mantissa * 10 + digit;
      const decimals = at - point;
      if (digits === 0 || (decimals === 0 && digit > 9)) break;
      value = mantissa / (powersOfTen[decimals] ?? NaN);
    } else if (digits === 0) {
      if (negative) break;
      value = NaN;
    }
    // More digits than a double always holds exactly.
    if (digit <= 9) {
      if (!readDecimal(bytes, view, first, mark, decimal) || Number.isNaN(decimal.value)) break;
      ({ value, end: at } = decimal);
    }
    if (valueQuoted && bytes[at++] !== quote) break;
    if (bytes[at] === carriageReturn) at += 1;
    if (bytes[at++] !== newline) break;

    values[count] = negative ? 0 - value : value;
    count += 1;
    end = at;
  }
  reading.count = count;
  return end;
};

/**
 * A reader of plain rows, the form of most large files, that works on bytes. Other rows are read by csv-parse and
 * fields.ts, with the same numbers.
 *     row   = field(time) ";" field(value) [CR] LF              field = text | QUOTE text QUOTE
 *     time  = YYYY "-" MM "-" DD "T" hh ":" mm ":" ss ["Z"]      a calendar date, 00:00:00 to 23:59:59
 *     value = "" | ["-"] digits ["," digits]                    as many digits as a printed double has
 * @param form separator, decimal mark and letters, where they differ from `;`, `,`, `T` and `Z`
 * @returns a function that reads rows from the first byte until one is not plain or not complete; the next call reuses
 *          the arrays of its result
 */
export const plainRowReader = (form: PlainForm): ((bytes: Buffer) => PlainRows) => {
  const reading: Reading = {
    times: new Float64Array(0),
    values: new Float64Array(0),
    count: 0,
    minute: new Int32Array(minuteWords),
    minuteStart: NaN,
    dayStart: NaN,
    decimal: { value: NaN, end: 0 },
    timeMark: letterT,
  };
  // A valid minute to compare the first row with.
  turnTo(reading, epoch, new DataView(epoch.buffer, epoch.byteOffset), 0);
  reading.timeMark = form.timeMark;
  const tail = Buffer.alloc(2 * rowBytesMax);

  return bytes => {
    const rowsMax = Math.ceil(bytes.length / rowBytesMin);
    if (reading.times.length < rowsMax) {
      reading.times = new Float64Array(rowsMax);
      reading.values = new Float64Array(rowsMax);
    }
    reading.count = 0;
    const last = bytes.length - rowBytesMax;
    let end = readUpTo(reading, bytes, last, form);
    // The last bytes are read from a copy followed by zeros, which match nothing.
    if (end > last) {
      tail.fill(0);
      bytes.copy(tail, 0, end);
      end += readUpTo(reading, tail, bytes.length - end - rowBytesMin, form);
    }
    return { times: reading.times, values: reading.values, count: reading.count, end };
  };
};
