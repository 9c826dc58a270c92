import { isUtf8 } from 'node:buffer';
import { bodyFault, InvalidInput, Unparseable } from '../../application/requests/imports/faults.js';

/** Limits of a JSON body with days. */
export type DaysBodyLimits = {
  readonly bytesMax: number;
  /** Bytes of one element of `days`. */
  readonly elementBytesMax: number;
  /** Bytes outside the elements of `days`. */
  readonly envelopeBytesMax: number;
  /** Objects and arrays inside each other. */
  readonly depthMax: number;
  /** Name of the array whose elements are read one by one. */
  readonly list: 'days' | 'points';
};

export const daysBodyLimits: DaysBodyLimits = {
  bytesMax: 200_000_000,
  elementBytesMax: 262_144,
  envelopeBytesMax: 65_536,
  depthMax: 8,
  list: 'days',
};

/** Kinds of bytes outside strings. 0 is every other byte, which only JSON.parse checks: digits, letters, errors. */
export const kinds = { space: 1, line: 2, quote: 3, open: 4, close: 5, comma: 6, colon: 7 } as const;

/** The kind of each byte. */
export const kindOf = new Uint8Array(256);
for (const [characters, kind] of [
  [' \t\r', kinds.space],
  ['\n', kinds.line],
  ['"', kinds.quote],
  ['{[', kinds.open],
  ['}]', kinds.close],
  [',', kinds.comma],
  [':', kinds.colon],
] as const)
  for (const character of characters) kindOf[character.charCodeAt(0)] = kind;

export const quote = 0x22;
export const backslash = 0x5c;
export const openArray = 0x5b;
export const closeArray = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;
export const newline = 0x0a;

/** Number of line breaks. */
export const newlinesIn = (bytes: Buffer): number => {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1;
  return count;
};

/** Depth of the elements of the top-level array `days`: inside one object and one array. */
export const depthOfDays = 2;

/** Where a scanner is in a body. Both scanners of a body share it. */
export type BodyPosition = {
  /** Bytes of all chunks before the current one. */
  before: number;
  /** Current line, from 1. */
  line: number;
};

/** Bytes collected from several chunks. */
export type ByteCollector = {
  /** Appends `chunk` from index `from` to `to`. Throws when the limit is exceeded. */
  readonly add: (chunk: Buffer, from: number, to: number) => void;
  readonly length: () => number;
  readonly clear: () => void;
  /** A view of the bytes from an index on, valid until the next `add`. */
  readonly view: (from?: number) => Buffer;
};

const initialBytes = 1024;

/** A collector of at most `bytesMax` bytes. More are refused with the error of `tooMany`. */
export const collector = (bytesMax: number, tooMany: () => Error): ByteCollector => {
  let bytes = Buffer.alloc(Math.min(initialBytes, bytesMax));
  let length = 0;
  return {
    add: (chunk, from, to) => {
      const needed = length + to - from;
      if (needed > bytesMax) throw tooMany();
      if (needed > bytes.length) {
        const larger = Buffer.alloc(Math.min(bytesMax, Math.max(needed, 2 * bytes.length)));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      chunk.copy(bytes, length, from, to);
      length += to - from;
    },
    length: () => length,
    clear: () => {
      length = 0;
    },
    view: (from = 0) => bytes.subarray(from, length),
  };
};

/** The tokens that may come next. `valueOrEnd` and `keyOrEnd` are after an opening bracket. */
type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'nothing';

const spaces = /[ \t\n\r]*/y;
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Index after the match of a sticky pattern at `index`; `index` itself without a match. */
const after = (pattern: RegExp, text: string, index: number): number => {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : index;
};

/**
 * Finds the first error of a text that is not JSON (RFC 8259). JSON.parse is faster but does not always report it.
 * @returns index of the first wrong token, the length of the text when it ends too early, `undefined` for JSON
 */
export const brokenAt = (text: string): number | undefined => {
  const closers: string[] = [];
  let expected: Expected = 'value';
  const afterValue = (): Expected => (closers.length === 0 ? 'nothing' : 'commaOrEnd');

  /** Takes a value or a key at `index`. Returns the index after it; `index` when it is wrong. */
  const takeValue = (character: string, index: number): number => {
    const isKey = expected === 'key' || expected === 'keyOrEnd';
    if (!isKey && (character === '{' || character === '[')) {
      closers.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'keyOrEnd' : 'valueOrEnd';
      return index + 1;
    }
    const end = isKey && character !== '"' ? index : after(scalar, text, index);
    if (end > index) expected = isKey ? 'colon' : afterValue();
    return end;
  };

  /** Takes the token at `index`. Returns the index after it; `index` when it is wrong. */
  const take = (character: string, index: number): number => {
    switch (expected) {
      case 'nothing':
        return index;
      case 'colon':
        if (character !== ':') return index;
        expected = 'value';
        return index + 1;
      case 'commaOrEnd':
      case 'valueOrEnd':
      case 'keyOrEnd':
        if (character === closers.at(-1)) {
          closers.pop();
          expected = afterValue();
          return index + 1;
        }
        if (expected !== 'commaOrEnd') return takeValue(character, index);
        if (character !== ',') return index;
        expected = closers.at(-1) === '}' ? 'key' : 'value';
        return index + 1;
      case 'value':
      case 'key':
        return takeValue(character, index);
    }
  };

  for (let index = after(spaces, text, 0); index < text.length; index = after(spaces, text, index)) {
    const end = take(text[index] ?? '', index);
    if (end === index) return index;
    index = end;
  }
  return (expected as Expected) === 'nothing' ? undefined : text.length;
};

/** The error for a body that is not JSON, with the byte (from 0) and the line (from 1) of the first error. */
export const unparseable = (problem: string, byte: number, line: number): Unparseable =>
  new Unparseable(`the body is not JSON: ${problem} at byte ${byte}, line ${line}`, [
    { code: 'jsonBroken', detail: `${problem} at byte ${byte} (the first is 0)`, line },
  ]);

/** U+FFFD, which a body may also contain itself. */
const replacement = Buffer.from('\ufffd');

/** A character in a message; invisible ones by their number. */
const visible = (code: number): string => {
  const character = String.fromCodePoint(code);
  const isSeen = character === ' ' || !/[\p{C}\p{Z}]/u.test(character);
  return isSeen ? `"${character}"` : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
};

/**
 * Parses JSON bytes that are a part of a body.
 * @param where returns byte and line in the body for an index of `bytes`
 * @throws Unparseable
 */
export const parseAt = (bytes: Buffer, where: (index: number) => { byte: number; line: number }): unknown => {
  if (!isUtf8(bytes)) {
    // The decoder replaces invalid bytes with U+FFFD. The first U+FFFD that is not in the body is the error.
    const text = bytes.toString();
    let index = 0;
    let from = 0;
    for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) {
      index += Buffer.byteLength(text.slice(from, at));
      from = at;
      if (!bytes.subarray(index, index + replacement.length).equals(replacement)) break;
    }
    const { byte, line } = where(index);
    throw unparseable('got bytes that are not UTF-8', byte, line);
  }
  const text = bytes.toString();
  try {
    return JSON.parse(text);
  } catch (error) {
    const index = brokenAt(text);
    if (index === undefined) throw error;
    const { byte, line } = where(Buffer.byteLength(text.slice(0, index)));
    const ended = index === text.length;
    throw unparseable(
      ended
        ? 'got the end of a value too early'
        : `got ${visible(text.codePointAt(index) ?? 0)} out of place`,
      byte,
      line,
    );
  }
};

/** The error for objects and arrays nested too deep. */
export const tooDeep = (depthMax: number, byte: number): InvalidInput =>
  new InvalidInput(
    'nesting',
    `got more than ${depthMax} nested objects and arrays at byte ${byte}, expected at most as many`,
    [],
  );

/** Values of a JSON body that is parsed at once. An object, a list or a field takes the time of ten numbers. */
const valuesMax = 500_000;
const weightOfKind = new Uint8Array(8);
weightOfKind[kinds.comma] = 1;
weightOfKind[kinds.open] = 10;
weightOfKind[kinds.colon] = 10;

/**
 * Refuses JSON that is nested too deep or has too many values. To be called before JSON.parse, which would create
 * them all, in seconds for millions of objects.
 * @throws InvalidInput `nesting`, `bodyInvalid`
 */
export const requireSimple = (bytes: Buffer, depthMax: number): void => {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      for (at += 1; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
      continue;
    }
    const kind = kindOf[byte] ?? 0;
    values += weightOfKind[kind] ?? 0;
    if (kind === kinds.open) depth += 1;
    else if (kind === kinds.close) depth -= 1;
    if (depth > depthMax) throw tooDeep(depthMax, at);
    if (values > valuesMax) throw tooMany();
  }
};

const tooMany = (): InvalidInput => {
  const got = `got more than ${valuesMax} values, of which an object, a list or a field counts as 10`;
  return bodyFault({ code: 'maxItems', pointer: '', detail: `${got}, expected at most as many` });
};
