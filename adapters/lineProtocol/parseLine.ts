import { precisionOf, type Precision } from './precision.js';

/** Value of a field: a number, or undefined for a boolean or a text, which no source takes. */
export type LineField = { readonly name: string; readonly value: number | undefined };

/** A line of the protocol. */
export type ParsedLine = {
  /** Measurement and tags as they were sent; lines of one series usually have the same. */
  readonly key: string;
  readonly fields: readonly LineField[];
  /** Microseconds since 1970; undefined for the time of arrival. */
  readonly at: number | undefined;
};

/** Measurement and tags of a series, tags by key. */
export type SeriesKey = {
  readonly measurement: string;
  readonly tags: readonly (readonly [key: string, value: string])[];
};

/** A line that breaks the rules of the protocol. */
export class LineFault extends Error {
  readonly name = 'LineFault';
}

/** Largest numbers of fields and tags of a line. */
export const fieldsMax = 1000;
export const tagsMax = 64;
/** Times that are accepted, in microseconds: 1971 to 2255. Earlier ones are times of another precision. */
const earliest = Date.UTC(1971, 0) * 1000;
const latest = Number.MAX_SAFE_INTEGER;

const isEscape = (text: string, at: number): boolean => {
  const next = text[at + 1];
  return text[at] === '\\' && (next === ',' || next === ' ' || next === '=');
};

/** Index of the first of some characters of a name that is not escaped; the length of the text for none. */
const endOf = (text: string, from: number, isEnd: (character: string) => boolean): number => {
  let at = from;
  while (at < text.length && !isEnd(text[at]!)) at += isEscape(text, at) ? 2 : 1;
  return Math.min(at, text.length);
};

/** A name without the backslashes before commas, spaces and equals signs; others are part of the name. */
const unescaped = (text: string): string =>
  text.includes('\\') ? text.replaceAll(/\\([, =])/g, '$1') : text;

/** A name of a tag or field, and where it ends: at its equals sign. @throws LineFault */
const nameAt = (text: string, from: number, what: string): readonly [name: string, end: number] => {
  const end = endOf(text, from, one => one === '=' || one === ',' || one === ' ');
  if (end === from) throw new LineFault(`missing ${what} key`);
  if (text[end] !== '=') throw new LineFault(`missing ${what} value`);
  return [unescaped(text.slice(from, end)), end];
};

/**
 * Measurement and tags of a line.
 * @throws LineFault
 */
export const parseKey = (key: string): SeriesKey => {
  const end = endOf(key, 0, one => one === ',');
  if (end === 0) throw new LineFault('missing measurement');
  const tags: (readonly [string, string])[] = [];
  let at = end;
  while (at < key.length) {
    const [name, equals] = nameAt(key, at + 1, 'tag');
    const next = endOf(key, equals + 1, one => one === ',' || one === '=');
    if (next === equals + 1) throw new LineFault('missing tag value');
    if (key[next] === '=') throw new LineFault('invalid tag format');
    tags.push([name, unescaped(key.slice(equals + 1, next))]);
    if (tags.length > tagsMax) throw new LineFault(`got more than ${tagsMax} tags`);
    at = next;
  }
  tags.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  if (tags.some(([name], index) => index > 0 && tags[index - 1]![0] === name))
    throw new LineFault('duplicate tags');
  return { measurement: unescaped(key.slice(0, end)), tags };
};

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const integer = /^(-?\d+)i$/;
const unsigned = /^(\d+)u$/;
const booleans: ReadonlySet<string> = new Set('t T true True TRUE f F false False FALSE'.split(' '));

/** Digits of an integer that surely has 64 bits. */
const safeDigits = 18;

/** @throws LineFault for an integer that has more than 64 bits */
const integerOf = (digits: string, isUnsigned: boolean): number => {
  if (digits.length > safeDigits) {
    const value = BigInt(digits);
    const fits = isUnsigned ? BigInt.asUintN(64, value) === value : BigInt.asIntN(64, value) === value;
    if (!fits) throw new LineFault('invalid number: it has more than 64 bits');
  }
  return Number(digits);
};

/** The number of a field; undefined for a boolean. @throws LineFault */
const valueOf = (text: string): number | undefined => {
  if (decimal.test(text)) {
    const value = Number(text);
    if (!Number.isFinite(value)) throw new LineFault('invalid number: it is too large');
    return value;
  }
  const digits = integer.exec(text)?.[1];
  if (digits !== undefined) return integerOf(digits, false);
  const natural = unsigned.exec(text)?.[1];
  if (natural !== undefined) return integerOf(natural, true);
  if (booleans.has(text)) return undefined;
  throw new LineFault(text === '' ? 'missing field value' : 'invalid field value');
};

/** Where the value that begins at an index ends. @throws LineFault */
const endOfValue = (text: string, from: number): number => {
  if (text[from] !== '"') return endOf(text, from, one => one === ',' || one === ' ');
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  if (text[at] !== '"') throw new LineFault('unbalanced quotes');
  return at + 1;
};

/** The fields that begin at an index, and where they end. @throws LineFault */
const fieldsAt = (text: string, from: number): readonly [fields: LineField[], end: number] => {
  const fields: LineField[] = [];
  let at = from;
  for (;;) {
    const [name, equals] = nameAt(text, at, 'field');
    const end = endOfValue(text, equals + 1);
    const isText = text[equals + 1] === '"';
    fields.push({ name, value: isText ? undefined : valueOf(text.slice(equals + 1, end)) });
    if (fields.length > fieldsMax) throw new LineFault(`got more than ${fieldsMax} fields`);
    if (text[end] === undefined || text[end] === ' ') return [fields, end];
    if (text[end] !== ',') throw new LineFault('invalid field value');
    at = end + 1;
  }
};

/** @throws LineFault */
const timeOf = (text: string, precision: Precision): number | undefined => {
  if (text === '') return undefined;
  if (!/^-?\d{1,19}$/.test(text)) throw new LineFault('bad timestamp');
  const at = precisionOf(precision).microseconds(text);
  const unit = `with the precision ${precision}`;
  if (at < earliest) throw new LineFault(`the time is before 1971 ${unit}: give the precision of the stamps`);
  if (at > latest) throw new LineFault(`time outside range ${unit}`);
  return at;
};

/** Index of the first character from an index on that is no space. */
const skipSpaces = (text: string, from: number): number => {
  let at = from;
  while (text[at] === ' ') at += 1;
  return at;
};

/**
 * Reads a line that is neither empty nor a comment. The key is not read: see `parseKey`.
 * @throws LineFault with a reason in the words of InfluxDB
 */
export const parseLine = (text: string, precision: Precision): ParsedLine => {
  const end = endOf(text, 0, one => one === ' ');
  const from = skipSpaces(text, end);
  if (from === text.length) throw new LineFault('missing fields');
  const [fields, rest] = fieldsAt(text, from);
  return { key: text.slice(0, end), fields, at: timeOf(text.slice(rest).trim(), precision) };
};
