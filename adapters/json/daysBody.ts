import { isAscii } from 'node:buffer';
import { InvalidInput, type Unparseable } from '../faults.js';
import { piecesOf } from '../pieces.js';
import { readPlainDay } from './plainDay.js';
import { newlinesIn, parseAt, unparseable, tooDeep } from './parseAt.js';

/** What a JSON body with days may have at most. */
export type DaysBodyLimits = {
  readonly bytesMax: number;
  /** Of one element of `days`. */
  readonly elementBytesMax: number;
  /** Of all that is not inside `days`. */
  readonly envelopeBytesMax: number;
  /** Objects and arrays open at once. */
  readonly depthMax: number;
};
export const daysBodyLimits: DaysBodyLimits = {
  bytesMax: 200_000_000,
  elementBytesMax: 262_144,
  envelopeBytesMax: 65_536,
  depthMax: 8,
};

/** A body as scanned: `envelope` is the document with `days`, if it is an array, left empty. */
export type DaysBody = { readonly envelope: unknown; readonly elements: number };

// Kinds of bytes outside strings; 0 is all that only JSON.parse looks at: digits, letters, and what is wrong.
const kinds = { space: 1, line: 2, quote: 3, open: 4, close: 5, comma: 6, colon: 7 } as const;
const kindOf = new Uint8Array(256);
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

const quote = 0x22;
const backslash = 0x5c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** The depth inside the top-level array `days`. */
const depthOfDays = 2;

/** Whether a value holds no object, and no array but of numbers. */
const isFlat = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Array.isArray(value) && value.every(item => typeof item === 'number'));

/**
 * The object that bytes are, if they are one as a whole that nests no deeper than a day does. JSON shows where an
 * object ends, so that none is the beginning of another: what is parsed up to the first closing brace is all of it.
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

/** Bytes put together from pieces, up to a limit. */
const collector = (bytesMax: number, tooMany: () => Error) => {
  let bytes = Buffer.alloc(Math.min(1024, bytesMax));
  let length = 0;
  return {
    add: (piece: Buffer, from: number, to: number): void => {
      const needed = length + to - from;
      if (needed > bytesMax) throw tooMany();
      if (needed > bytes.length) {
        const larger = Buffer.alloc(Math.min(bytesMax, Math.max(needed, 2 * bytes.length)));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      piece.copy(bytes, length, from, to);
      length += to - from;
    },
    length: (): number => length,
    clear: (): void => {
      length = 0;
    },
    /** A view, good until the next `add`. */
    all: (from = 0): Buffer => bytes.subarray(from, length),
  };
};

/**
 * A scanner that is given a JSON document in pieces, cut anywhere. It finds the elements of the array `days`
 * of the top-level object and hands each on as soon as it has come; it looks at brackets, strings and commas
 * only, and leaves the rest of the grammar to JSON.parse, which sees every byte once: each element alone, and
 * at the end the document with `days` left empty.
 */
const scanDays = (onElement: (value: unknown, index: number) => void, limits: DaysBodyLimits) => {
  const skeleton = collector(
    limits.envelopeBytesMax,
    () =>
      new InvalidInput(
        'envelopeTooLarge',
        `got more than ${limits.envelopeBytesMax} bytes outside the elements of days, expected at most as many`,
        [],
      ),
  );
  const element = collector(limits.elementBytesMax, () => elementTooLarge());
  const elementTooLarge = (): Error => {
    const pointer = `/days/${elements}`;
    const detail = `got a day of more than ${limits.elementBytesMax} bytes, expected at most as many`;
    return new InvalidInput('elementTooLarge', detail, [{ code: 'elementTooLarge', detail, pointer }]);
  };

  let before = 0; // bytes of the pieces before this one
  let line = 1;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let root: 'none' | 'object' | 'other' | 'closed' = 'none';
  // In the top-level object: a key, its colon or its value comes next, or nothing that is of interest.
  let awaited: 'key' | 'colon' | 'value' | 'comma' = 'comma';
  let keyFrom = -1;
  let keyIsDays = false;
  let daysSeen = false;
  let inside: 'envelope' | 'elementOrEnd' | 'element' | 'commaOrEnd' | 'inElement' = 'envelope';
  let elements = 0;
  let elementByte = 0;
  let elementLine = 1;
  // What was left out of the skeleton: after so many of its bytes, so many bytes and lines of the body.
  let cutAt = Infinity;
  let cutFrom = 0;
  let cutBytes = 0;
  let cutLines = 0;

  const isInDays = (): boolean => inside !== 'envelope';
  const open = (at: number): void => {
    depth += 1;
    if (depth > limits.depthMax) throw tooDeep(limits.depthMax, at);
  };

  /** The envelope, which is broken at its end, or earlier by a bracket of the wrong kind. */
  const refuseAfter = (piece: Buffer, from: number, index: number): never => {
    skeleton.add(piece, from, index);
    parseSkeleton();
    throw unparseable('got more after the end', before + index, line);
  };
  const parseSkeleton = (): unknown => {
    const bytes = skeleton.all();
    return parseAt(bytes, index => ({
      byte: index < cutAt ? index : index + cutBytes,
      line: 1 + newlinesIn(bytes.subarray(0, index)) + (index < cutAt ? 0 : cutLines),
    }));
  };

  /** Looks at what is outside `days`, until `days` begins or the piece ends; returns the index after it. */
  const scanEnvelope = (piece: Buffer, start: number): number => {
    let from = start;
    for (let index = start; index < piece.length; index += 1) {
      const byte = piece[index] ?? 0;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) {
          inString = false;
          if (keyFrom < 0) continue;
          skeleton.add(piece, from, index + 1);
          from = index + 1;
          // A key may be written with escapes; one that is not JSON is found at the end.
          keyIsDays = isDaysKey(skeleton.all(keyFrom));
          keyFrom = -1;
          awaited = 'colon';
          if (keyIsDays && daysSeen) {
            const detail = 'got the field days twice, expected it once';
            throw new InvalidInput('duplicateField', detail, [
              { code: 'duplicateField', detail, pointer: '/days' },
            ]);
          }
          daysSeen ||= keyIsDays;
        }
        continue;
      }
      const kind = kindOf[byte] ?? 0;
      if (kind === kinds.space) continue;
      if (kind === kinds.line) {
        line += 1;
        continue;
      }
      if (root === 'closed') refuseAfter(piece, from, index);
      const top = root === 'object' && depth === 1;
      switch (kind) {
        case kinds.quote:
          inString = true;
          if (top && awaited === 'key') keyFrom = skeleton.length() + index - from;
          else awaited = 'comma';
          break;
        case kinds.open:
          open(before + index);
          if (root === 'none') {
            root = byte === openObject ? 'object' : 'other';
            awaited = 'key';
          } else if (top && awaited === 'value' && keyIsDays && byte === openArray) {
            skeleton.add(piece, from, index + 1);
            cutAt = skeleton.length();
            cutFrom = before + index + 1;
            cutLines = line;
            inside = 'elementOrEnd';
            return index + 1;
          } else if (top) awaited = 'comma';
          break;
        case kinds.close:
          depth -= 1;
          if (depth < 0) refuseAfter(piece, from, index);
          if (depth === 0) root = 'closed';
          break;
        case kinds.comma:
          if (top) awaited = 'key';
          break;
        case kinds.colon:
          if (top && awaited === 'colon') awaited = 'value';
          break;
        default:
          if (top) awaited = 'comma';
          if (root === 'none') root = 'other';
      }
    }
    skeleton.add(piece, from, piece.length);
    return piece.length;
  };

  const deliver = (bytes: Buffer): void => {
    const value = parseAt(bytes, index => ({
      byte: elementByte + index,
      line: elementLine + newlinesIn(bytes.subarray(0, index)),
    }));
    onElement(value, elements);
    elements += 1;
    inside = 'commaOrEnd';
  };

  /** Goes on in an element until it or the piece ends; returns the index after it. */
  const scanElement = (piece: Buffer, start: number): number => {
    let ended = false;
    let index = start;
    for (; index < piece.length && !ended; index += 1) {
      const byte = piece[index] ?? 0;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
        continue;
      }
      const kind = kindOf[byte] ?? 0;
      if (kind === 0) continue;
      if (kind === kinds.quote) inString = true;
      else if (kind === kinds.open) open(before + index);
      else if (kind === kinds.close) {
        // A bracket that closes `days` itself ends a number or a word, and is looked at again.
        if (depth === depthOfDays) break;
        depth -= 1;
        ended = depth === depthOfDays;
      } else if (depth === depthOfDays) break;
      else if (kind === kinds.line) line += 1;
    }
    ended ||= index < piece.length;
    if (ended && element.length() === 0) {
      if (index - start > limits.elementBytesMax) throw elementTooLarge();
      deliver(piece.subarray(start, index));
      return index;
    }
    element.add(piece, start, index);
    if (ended) {
      deliver(element.all());
      element.clear();
    }
    return index;
  };

  /**
   * Takes the object at `start` as a whole if its first closing brace ends it, which is what days look like.
   * @returns  the index after it, `start` if it has to be scanned, or `undefined` if the brace is still to come
   */
  const takeFlat = (piece: Buffer, start: number): number | undefined => {
    const end = piece.indexOf(closeObject, start) + 1;
    const length = (end === 0 ? piece.length : end) - start;
    if (length > limits.elementBytesMax || depthOfDays + 2 > limits.depthMax) return start;
    if (end === 0) return undefined;
    const bytes = piece.subarray(start, end);
    const value = readPlainDay(bytes) ?? parseFlat(bytes);
    if (value === undefined) return start;
    line += newlinesIn(bytes);
    onElement(value, elements);
    elements += 1;
    inside = 'commaOrEnd';
    return end;
  };

  /**
   * Looks at what is inside `days`, until it or the piece ends, or an element that more of the body may end.
   * @returns  the index after what was looked at
   */
  const scanArray = (piece: Buffer, start: number, isLast: boolean): number => {
    let index = start;
    while (index < piece.length) {
      if (inside === 'inElement') {
        index = scanElement(piece, index);
        continue;
      }
      const byte = piece[index] ?? 0;
      const kind = kindOf[byte] ?? 0;
      const outOfPlace = (): Unparseable =>
        unparseable(`got "${String.fromCharCode(byte)}" out of place in days`, before + index, line);
      if (kind === kinds.space || kind === kinds.line) {
        if (kind === kinds.line) line += 1;
        index += 1;
      } else if (byte === closeArray && inside !== 'element') {
        // Left to the envelope, whose skeleton has the opening bracket as its last byte.
        cutBytes = before + index - cutFrom;
        cutLines = line - cutLines;
        inside = 'envelope';
        awaited = 'comma';
        return index;
      } else if (inside === 'commaOrEnd') {
        if (kind !== kinds.comma) throw outOfPlace();
        inside = 'element';
        index += 1;
      } else {
        if (kind === kinds.close || kind === kinds.comma || kind === kinds.colon) throw outOfPlace();
        const after = byte === openObject && !isLast ? takeFlat(piece, index) : index;
        if (after === undefined) return index;
        if (after === index) {
          elementByte = before + index;
          elementLine = line;
          inside = 'inElement';
        }
        index = after;
      }
    }
    return index;
  };

  /** An object in `days` that has begun, kept until it has come whole. */
  let rest: Buffer = Buffer.alloc(0);
  const scan = (bytes: Buffer, isLast: boolean): void => {
    let index = 0;
    for (let kept = false; index < bytes.length && !kept;) {
      if (inside === 'envelope') index = scanEnvelope(bytes, index);
      else {
        index = scanArray(bytes, index, isLast);
        kept = isInDays();
      }
    }
    before += index;
    rest = bytes.subarray(index);
  };

  return {
    write: (piece: Buffer): void => scan(rest.length === 0 ? piece : Buffer.concat([rest, piece]), false),
    end: (): DaysBody => {
      scan(rest, true);
      if (inside !== 'envelope') throw unparseable('the body ends inside days', before, line);
      return { envelope: parseSkeleton(), elements };
    },
  };
};

const isDaysKey = (bytes: Buffer): boolean => {
  try {
    return JSON.parse(bytes.toString()) === 'days';
  } catch {
    return false;
  }
};

/**
 * Reads a JSON body that holds an array `days` at its top, without ever holding the body.
 * @param onElement  is given each element of `days`, parsed, and its index; what it throws ends the reading
 * @throws Unparseable   not JSON, or not UTF-8, with the byte and the line
 * @throws InvalidInput `nesting`, `duplicateField`, `elementTooLarge`, `envelopeTooLarge`
 * @throws TooLarge; Error of the stream
 */
export const readDaysBody = async (
  body: AsyncIterable<Buffer>,
  onElement: (value: unknown, index: number) => void,
  limits: DaysBodyLimits = daysBodyLimits,
): Promise<DaysBody> => {
  const scanner = scanDays(onElement, limits);
  for await (const piece of piecesOf(body, limits.bytesMax)) scanner.write(piece);
  return scanner.end();
};
