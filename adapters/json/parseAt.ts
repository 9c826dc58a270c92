import { isUtf8 } from 'node:buffer';
import { InvalidInput, Unparseable } from '../faults.js';
import { brokenAt } from './brokenAt.js';

const newline = 0x0a;

/** Line breaks in some bytes. */
export const newlinesIn = (bytes: Buffer): number => {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1;
  return count;
};

/** The refusal of a body that is not JSON, with the byte (from 0) and the line (from 1) where it stops being it. */
export const unparseable = (what: string, byte: number, line: number): Unparseable =>
  new Unparseable(`the body is not JSON: ${what} at byte ${byte}, line ${line}`, [
    { code: 'jsonBroken', detail: `${what} at byte ${byte} (the first is 0)`, line },
  ]);

/** U+FFFD as it may be written in a body. */
const replacement = Buffer.from('\ufffd');

/**
 * The value of JSON bytes that stand somewhere in a body.
 * @param where  byte and line in the body of an index into `bytes`
 * @throws Unparseable
 */
export const parseAt = (bytes: Buffer, where: (index: number) => { byte: number; line: number }): unknown => {
  if (!isUtf8(bytes)) {
    // The decoder puts U+FFFD where it fails; what comes before it has kept its bytes.
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
      ended ? 'got the end of a value too early' : `got "${text[index] ?? ''}" out of place`,
      byte,
      line,
    );
  }
};

/** The refusal of objects and arrays that stand in each other deeper than any body of ours. */
export const tooDeep = (depthMax: number, byte: number): InvalidInput =>
  new InvalidInput(
    'nesting',
    `got more than ${depthMax} objects and arrays in each other at byte ${byte}, expected at most as many`,
    [],
  );

const [quote, backslash] = [0x22, 0x5c];
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Refuses bytes of JSON that nest too deep, before JSON.parse makes an object of each bracket.
 * @throws InvalidInput `nesting`
 */
export const demandShallow = (bytes: Buffer, depthMax: number): void => {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      for (at += 1; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
    } else if (opening.has(byte)) {
      depth += 1;
      if (depth > depthMax) throw tooDeep(depthMax, at);
    } else if (closing.has(byte)) depth -= 1;
  }
};
