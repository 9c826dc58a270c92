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
