import { chunksOf } from '../bytes.js';
import { arrayScanner } from './arrayScanner.js';
import {
  type BodyPosition,
  daysBodyLimits,
  type DaysBodyLimits,
  backslash,
  collector,
  kindOf,
  kinds,
  newlinesIn,
  openArray,
  openObject,
  quote,
  unparseable,
  parseAt,
  tooDeep,
} from './jsonBytes.js';
import { InvalidInput } from '../../application/requests/imports/faults.js';

/** A scanner of everything outside the array `days`. It looks at brackets, strings and commas only. */
type EnvelopeScanner = {
  /**
   * Reads a chunk from index `start` until `days` begins or the chunk ends.
   * @returns the index after what was read
   */
  readonly scan: (chunk: Buffer, start: number) => number;
  /** Whether the last scan ended after the opening bracket of `days`. */
  readonly isAtDays: () => boolean;
  /** Continues after the elements of `days`; `end` is the byte of the closing bracket in the body. */
  readonly leaveDays: (end: number) => void;
  /** Parses the document with empty `days`. @throws Unparseable */
  readonly parse: () => unknown;
};

const isListKey = (bytes: Buffer, list: string): boolean => {
  try {
    return JSON.parse(bytes.toString()) === list;
  } catch {
    return false;
  }
};

const envelopeTooLarge = (bytesMax: number, list: string): InvalidInput =>
  new InvalidInput(
    'envelopeTooLarge',
    `got more than ${bytesMax} bytes outside the elements of ${list}, expected at most as many`,
    [],
  );

const listTwice = (list: string): InvalidInput => {
  const detail = `got the field ${list} twice, expected it once`;
  return new InvalidInput('duplicateField', detail, [
    { code: 'duplicateField', detail, pointer: `/${list}` },
  ]);
};

/**
 * A scanner of the envelope. It collects the document without the elements of `days` and leaves its grammar to
 * JSON.parse.
 */
const envelopeScanner = (
  { envelopeBytesMax, depthMax, list }: Pick<DaysBodyLimits, 'envelopeBytesMax' | 'depthMax' | 'list'>,
  place: BodyPosition,
): EnvelopeScanner => {
  const skeleton = collector(envelopeBytesMax, () => envelopeTooLarge(envelopeBytesMax, list));
  let root: 'none' | 'object' | 'other' | 'closed' = 'none';
  let depth = 0;
  let inString = false;
  let escaped = false;
  // The next part of the top-level object; 'comma' also while a value is not complete.
  let awaited: 'key' | 'colon' | 'value' | 'comma' = 'comma';
  let keyStart = -1;
  let keyIsDays = false;
  let daysSeen = false;
  let isAtDays = false;
  // The elements that the skeleton lacks: after so many of its bytes, so many bytes and lines of the body.
  const missing = { at: Infinity, start: 0, bytes: 0, startLine: 0, lines: 0 };

  const parse = (): unknown => {
    const bytes = skeleton.view();
    return parseAt(bytes, index => ({
      byte: index < missing.at ? index : index + missing.bytes,
      line: 1 + newlinesIn(bytes.subarray(0, index)) + (index < missing.at ? 0 : missing.lines),
    }));
  };

  /** Refuses bytes after the end of the document, or an error before them. */
  const refuse = (chunk: Buffer, from: number, index: number): never => {
    skeleton.add(chunk, from, index);
    parse();
    throw unparseable('got more after the end', place.before + index, place.line);
  };

  /** Whether a byte ends the current string. */
  const endsString = (byte: number): boolean => {
    if (escaped) escaped = false;
    else if (byte === backslash) escaped = true;
    else if (byte === quote) inString = false;
    return !inString;
  };

  /** A top-level key has ended. It may contain escapes; invalid ones are found by JSON.parse at the end. */
  const endKey = (): void => {
    keyIsDays = isListKey(skeleton.view(keyStart), list);
    keyStart = -1;
    awaited = 'colon';
    if (keyIsDays && daysSeen) throw listTwice(list);
    daysSeen ||= keyIsDays;
  };

  /** Opens an object or array. Returns whether it is `days`. */
  const open = (byte: number, index: number): boolean => {
    const isTop = root === 'object' && depth === 1;
    depth += 1;
    if (depth > depthMax) throw tooDeep(depthMax, place.before + index);
    if (root === 'none') {
      root = byte === openObject ? 'object' : 'other';
      awaited = 'key';
    } else if (isTop && awaited === 'value' && keyIsDays && byte === openArray) return true;
    else if (isTop) awaited = 'comma';
    return false;
  };

  /** Handles a byte outside strings. Returns whether it opens `days`. `keyAt` is the key's index in the skeleton. */
  const take = (kind: number, byte: number, index: number, keyAt: number): boolean => {
    const isTop = root === 'object' && depth === 1;
    switch (kind) {
      case kinds.quote:
        inString = true;
        if (isTop && awaited === 'key') keyStart = keyAt;
        else awaited = 'comma';
        return false;
      case kinds.open:
        return open(byte, index);
      case kinds.close:
        depth -= 1;
        if (depth === 0) root = 'closed';
        return false;
      case kinds.comma:
        if (isTop) awaited = 'key';
        return false;
      case kinds.colon:
        if (isTop && awaited === 'colon') awaited = 'value';
        return false;
      default:
        if (isTop) awaited = 'comma';
        if (root === 'none') root = 'other';
        return false;
    }
  };

  const scan = (chunk: Buffer, start: number): number => {
    isAtDays = false;
    let from = start;
    for (let index = start; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (inString) {
        if (!endsString(byte) || keyStart < 0) continue;
        skeleton.add(chunk, from, index + 1);
        from = index + 1;
        endKey();
        continue;
      }
      const kind = kindOf[byte] ?? 0;
      if (kind === kinds.space) continue;
      if (kind === kinds.line) {
        place.line += 1;
        continue;
      }
      if (root === 'closed' || (kind === kinds.close && depth === 0)) refuse(chunk, from, index);
      if (take(kind, byte, index, skeleton.length() + index - from)) {
        skeleton.add(chunk, from, index + 1);
        isAtDays = true;
        missing.at = skeleton.length();
        missing.start = place.before + index + 1;
        missing.startLine = place.line;
        return index + 1;
      }
    }
    skeleton.add(chunk, from, chunk.length);
    return chunk.length;
  };

  return {
    scan,
    isAtDays: () => isAtDays,
    leaveDays: end => {
      missing.bytes = end - missing.start;
      missing.lines = place.line - missing.startLine;
      awaited = 'comma';
    },
    parse,
  };
};

/** A scanned body. */
export type DaysBody = {
  /** The document; `days`, if it is an array, is empty. */
  readonly envelope: unknown;
  /** Number of elements of `days`. */
  readonly elements: number;
};

/**
 * A scanner of a JSON document that comes in chunks, cut anywhere. It passes on each element of the top-level array
 * `days` as soon as it is complete. JSON.parse reads each element alone, and finally the document with empty `days`.
 */
const daysScanner = (onElement: (value: unknown, index: number) => void, limits: DaysBodyLimits) => {
  const place: BodyPosition = { before: 0, line: 1 };
  const envelope = envelopeScanner(limits, place);
  const array = arrayScanner(onElement, limits, place);
  let inDays = false;
  /** The beginning of an element that is not complete. */
  let rest: Buffer = Buffer.alloc(0);

  const scan = (bytes: Buffer, isLast: boolean): void => {
    let index = 0;
    while (index < bytes.length) {
      if (inDays) {
        index = array.scan(bytes, index, isLast);
        if (!array.hasEnded()) break;
        envelope.leaveDays(place.before + index);
        inDays = false;
      } else {
        index = envelope.scan(bytes, index);
        inDays = envelope.isAtDays();
      }
    }
    place.before += index;
    rest = bytes.subarray(index);
  };

  return {
    write: (chunk: Buffer): void => scan(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), false),
    end: (): DaysBody => {
      scan(rest, true);
      if (inDays) throw unparseable(`the body ends inside ${limits.list}`, place.before, place.line);
      return { envelope: envelope.parse(), elements: array.count() };
    },
  };
};

/**
 * Reads a JSON body that has an array `days`, or that of its limits, at its top level. It is never whole in memory.
 * @param onElement     called with each parsed element of `days` and its index; its errors end the reading
 * @throws Unparseable  when the body is not JSON or not UTF-8, with the byte and the line
 * @throws InvalidInput `nesting`, `duplicateField`, `elementTooLarge`, `envelopeTooLarge`
 * @throws TooLarge; Error of the stream
 */
export const readDaysBody = async (
  body: AsyncIterable<Buffer>,
  onElement: (value: unknown, index: number) => void,
  limits: DaysBodyLimits = daysBodyLimits,
): Promise<DaysBody> => {
  const scanner = daysScanner(onElement, limits);
  for await (const chunk of chunksOf(body, limits.bytesMax)) scanner.write(chunk);
  return scanner.end();
};
