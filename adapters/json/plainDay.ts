import { readDecimal, type Decimal } from '../bytes/decimal.js';

const space = 0x20;
const newline = 0x0a;
const carriageReturn = 0x0d;
const tab = 0x09;
const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;
const comma = 0x2c;
const closeArray = 0x5d;
const closeObject = 0x7d;

const beginning =
  /^\{[ \n\r\t]*"date"[ \n\r\t]*:[ \n\r\t]*"([\d-]*)"[ \n\r\t]*,[ \n\r\t]*"activity"[ \n\r\t]*:[ \n\r\t]*\[/;
/** Longest beginning. */
const beginningMax = 256;

/** Index of the first byte from `at` on that is not JSON whitespace. */
const afterSpace = (bytes: Buffer, at: number): number => {
  for (let index = at; ; index += 1) {
    const byte = bytes[index];
    if (byte !== space && byte !== newline && byte !== carriageReturn && byte !== tab) return index;
  }
};

/** Date and values of a day. */
export type PlainDay = { readonly date: string; readonly activity: readonly number[] };

/**
 * Reads a day in its usual form from its bytes, in half of the time of JSON.parse:
 *
 *     { "date": "…", "activity": [number, …] }        digits and hyphens; at least one number, no exponents
 *
 * @param bytes  up to a closing brace
 * @returns      the same as JSON.parse; `undefined` for any other form, valid or not
 */
export const readPlainDay = (bytes: Buffer): PlainDay | undefined => {
  const begun = beginning.exec(bytes.toString('latin1', 0, beginningMax));
  if (!begun) return undefined;
  const [{ length }, date = ''] = begun;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const number: Decimal = { value: NaN, end: 0 };
  const activity: number[] = [];
  for (let at = length; ; at += 1) {
    at = afterSpace(bytes, at);
    const negative = bytes[at] === minus;
    if (negative) at += 1;
    if (!readDecimal(bytes, view, at, point, number)) return undefined;
    const { value, end } = number;
    if (bytes[at] === zero && end - at > 1 && bytes[at + 1] !== point) return undefined;
    const read = Number.isNaN(value) ? Number(bytes.toString('latin1', at, end)) : value;
    activity.push(negative ? -read : read);
    at = afterSpace(bytes, end);
    if (bytes[at] !== comma) {
      const ended = bytes[at] === closeArray ? afterSpace(bytes, at + 1) : -1;
      return ended === bytes.length - 1 && bytes[ended] === closeObject ? { date, activity } : undefined;
    }
  }
};
