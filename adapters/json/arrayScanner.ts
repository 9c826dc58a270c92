import { isAscii } from 'node:buffer';
import { InvalidInput, type Unparseable } from '../../application/requests/imports/faults.js';
import {
  backslash,
  closeArray,
  closeObject,
  collector,
  depthOfDays,
  kindOf,
  kinds,
  newlinesIn,
  openObject,
  quote,
  type BodyPosition,
  type DaysBodyLimits,
  newline,
  parseAt,
  tooDeep,
  unparseable,
} from './jsonBytes.js';
import { readDecimal, type Decimal } from '../bytes.js';

const space = 0x20;
const carriageReturn = 0x0d;
const tab = 0x09;
const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;
const comma = 0x2c;

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
type PlainDay = { readonly date: string; readonly activity: readonly number[] };

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

/** A scanner of the elements of a list: `days`, or `points`. */
export type ArrayScanner = {
  /**
   * Reads a chunk from index `start` until the list ends or the chunk does.
   * @param isLast whether no chunk follows
   * @returns      the index after what was read; bytes after it must come again with the next chunk
   */
  readonly scan: (chunk: Buffer, start: number, isLast: boolean) => number;
  /** Whether the scan has reached the closing bracket of the list, which it leaves to the envelope. */
  readonly hasEnded: () => boolean;
  /** Number of elements so far. */
  readonly count: () => number;
};

/** Whether a value contains no object, and no array except arrays of numbers. */
const isFlat = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Array.isArray(value) && value.every(item => typeof item === 'number'));

/**
 * Parses bytes up to the first closing brace, if they are one object no deeper than a day. When they parse, the object
 * is complete: no JSON object is the beginning of another one.
 */
const parseFlat = (bytes: Buffer): object | undefined => {
  if (!isAscii(bytes)) return undefined;
  try {
    const value = JSON.parse(bytes.toString('latin1')) as object;
    return Object.values(value).every(isFlat) ? value : undefined;
  } catch {
    return undefined;
  }
};

/**
 * A scanner of the elements of a list. It passes each element on as soon as it is complete.
 * @param onElement called with each parsed element and its index
 */
export const arrayScanner = (
  onElement: (value: unknown, index: number) => void,
  { elementBytesMax, depthMax, list }: Pick<DaysBodyLimits, 'elementBytesMax' | 'depthMax' | 'list'>,
  place: BodyPosition,
): ArrayScanner => {
  let state: 'elementOrEnd' | 'element' | 'commaOrEnd' | 'inElement' | 'ended' = 'elementOrEnd';
  let count = 0;
  // The current element, when it is read byte by byte.
  let depth = depthOfDays;
  let inString = false;
  let escaped = false;
  let elementEnded = false;
  const start = { byte: 0, line: 1 };
  const element = collector(elementBytesMax, () => tooLarge());

  const tooLarge = (): InvalidInput => {
    const detail = `got a ${list.slice(0, -1)} of more than ${elementBytesMax} bytes, expected at most as many`;
    return new InvalidInput('elementTooLarge', detail, [
      { code: 'elementTooLarge', detail, pointer: `/${list}/${count}` },
    ]);
  };

  const passOn = (value: unknown): void => {
    onElement(value, count);
    count += 1;
    state = 'commaOrEnd';
  };

  const parse = (bytes: Buffer): unknown =>
    parseAt(bytes, index => ({
      byte: start.byte + index,
      line: start.line + newlinesIn(bytes.subarray(0, index)),
    }));

  /**
   * Takes the object at `index` if its first closing brace ends it, as in nearly all days.
   * @returns the index after it, `index` if it must be scanned, or `undefined` if its closing brace is still to come
   */
  const takeFlat = (chunk: Buffer, index: number): number | undefined => {
    const end = chunk.indexOf(closeObject, index) + 1;
    const length = (end === 0 ? chunk.length : end) - index;
    if (length > elementBytesMax || depthOfDays + 2 > depthMax) return index;
    if (end === 0) return undefined;
    const bytes = chunk.subarray(index, end);
    const value = readPlainDay(bytes) ?? parseFlat(bytes);
    if (value === undefined) return index;
    place.line += newlinesIn(bytes);
    passOn(value);
    return end;
  };

  /** Finds the end of the current element. Returns the index after it, or the length of the chunk without an end. */
  const findEnd = (chunk: Buffer, from: number): number => {
    // Local copies, because variables of a closure are slow to write in this loop.
    let isString = inString;
    let isEscaped = escaped;
    let level = depth;
    let index = from;
    elementEnded = false;
    for (; index < chunk.length && !elementEnded; index += 1) {
      const byte = chunk[index] ?? 0;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isString = false;
        continue;
      }
      const kind = kindOf[byte] ?? 0;
      if (kind === 0) continue;
      if (kind === kinds.quote) isString = true;
      else if (kind === kinds.open) {
        level += 1;
        if (level > depthMax) throw tooDeep(depthMax, place.before + index);
      } else if (level === depthOfDays) break;
      else if (kind === kinds.close) {
        level -= 1;
        elementEnded = level === depthOfDays;
      } else if (kind === kinds.line) place.line += 1;
    }
    inString = isString;
    escaped = isEscaped;
    depth = level;
    elementEnded ||= index < chunk.length;
    return index;
  };

  /** Continues the current element. Returns the index after what was read. */
  const scanElement = (chunk: Buffer, from: number): number => {
    const index = findEnd(chunk, from);
    if (elementEnded && element.length() === 0) {
      if (index - from > elementBytesMax) throw tooLarge();
      passOn(parse(chunk.subarray(from, index)));
      return index;
    }
    element.add(chunk, from, index);
    if (elementEnded) {
      passOn(parse(element.view()));
      element.clear();
    }
    return index;
  };

  const unexpectedByte = (byte: number, index: number): Unparseable =>
    unparseable(
      `got "${String.fromCharCode(byte)}" out of place in ${list}`,
      place.before + index,
      place.line,
    );

  /** Begins the element at `index`. Returns the index to continue at, `undefined` when more bytes are needed. */
  const beginElement = (chunk: Buffer, index: number, isLast: boolean): number | undefined => {
    const after = chunk[index] === openObject && !isLast ? takeFlat(chunk, index) : index;
    if (after === index) {
      start.byte = place.before + index;
      start.line = place.line;
      state = 'inElement';
    }
    return after;
  };

  const scan = (chunk: Buffer, from: number, isLast: boolean): number => {
    let index = from;
    while (index < chunk.length) {
      if (state === 'inElement') {
        index = scanElement(chunk, index);
        continue;
      }
      const byte = chunk[index] ?? 0;
      const kind = kindOf[byte] ?? 0;
      if (kind === kinds.space || kind === kinds.line) {
        if (kind === kinds.line) place.line += 1;
        index += 1;
      } else if (byte === closeArray && state !== 'element') {
        state = 'ended';
        return index;
      } else if (state === 'commaOrEnd') {
        if (kind !== kinds.comma) throw unexpectedByte(byte, index);
        state = 'element';
        index += 1;
      } else {
        if (kind === kinds.close || kind === kinds.comma || kind === kinds.colon)
          throw unexpectedByte(byte, index);
        const after = beginElement(chunk, index, isLast);
        if (after === undefined) return index;
        index = after;
      }
    }
    return index;
  };

  return { scan, hasEnded: () => state === 'ended', count: () => count };
};
