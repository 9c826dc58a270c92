import { eventLoopYielder } from '../../application/ports/sharing/turns.js';
import { valueMax } from '../../application/requests/imports/assembleDays.js';
import { shown } from '../../application/requests/imports/faults.js';
import {
  rejectedLines,
  type LineBatch,
  type RejectedLines,
  type SeriesPoints,
} from '../../application/requests/points/pointList.js';
import { chunksOf } from '../bytes.js';
import { lineLengthMax, lineSplitter, type RawLine } from './splitLines.js';

/** Units of the stamps of a body. */
export const precisions = ['ns', 'us', 'ms', 's', 'm', 'h'] as const;
export type Precision = (typeof precisions)[number];

/** Other spellings, of the first API. */
const spellings: ReadonlyMap<string, Precision> = new Map([
  ['n', 'ns'],
  ['u', 'us'],
  ['µ', 'us'],
]);

/** The precision of a parameter; undefined for none that is known. Without one, stamps are nanoseconds. */
export const precisionNamed = (text: string): Precision | undefined =>
  text === '' ? 'ns' : (spellings.get(text) ?? precisions.find(one => one === text));

/** Microseconds of one unit. */
const unitMicroseconds = { us: 1, ms: 1e3, s: 1e6, m: 60e6, h: 3600e6 } as const;

/** The last three digits of nanoseconds. */
const belowMicrosecond = 3;

/** How stamps of a precision are read. */
export const precisionOf = (precision: Precision): { readonly microseconds: (digits: string) => number } => ({
  microseconds: digits =>
    precision === 'ns'
      ? Number(digits.slice(0, -belowMicrosecond))
      : Number(digits) * unitMicroseconds[precision],
});

/** Value of a field: a number, or undefined for a boolean or a text, which no source takes. */
type LineField = { readonly name: string; readonly value: number | undefined };

/** A line of the protocol. */
type ParsedLine = {
  /** Measurement and tags as they were sent; lines of one series usually have the same. */
  readonly key: string;
  readonly fields: readonly LineField[];
  /** Microseconds since 1970; undefined for the time of arrival. */
  readonly at: number | undefined;
};

/** Measurement and tags of a series, tags by key. */
type SeriesKey = {
  readonly measurement: string;
  readonly tags: readonly (readonly [key: string, value: string])[];
};

/** A line that breaks the rules of the protocol. No Error: the stacks of millions of lines take most of the time. */
class LineFault {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Largest numbers of fields and tags of a line. */
const fieldsMax = 1000;
const tagsMax = 64;
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
const parseKey = (key: string): SeriesKey => {
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
const parseLine = (text: string, precision: Precision): ParsedLine => {
  const end = endOf(text, 0, one => one === ' ');
  const from = skipSpaces(text, end);
  if (from === text.length) throw new LineFault('missing fields');
  const [fields, rest] = fieldsAt(text, from);
  return { key: text.slice(0, end), fields, at: timeOf(text.slice(rest).trim(), precision) };
};

/** Limits of a body: bytes, also unpacked, series and points. */
export const linesLimits = { bytesMax: 25_000_000, seriesMax: 50_000, pointsMax: 1_000_000 } as const;

/** Lines that are read before other requests may use the event loop. */
const stepLines = 500;

/** Points of the fields of one key. */
type KeySeries = { readonly key: SeriesKey; readonly fields: Map<string, SeriesPoints> };

/** The points of a body so far. */
type Collected = {
  readonly byKey: Map<string, KeySeries>;
  readonly series: SeriesPoints[];
  points: number;
};

const seriesOf = (collected: Collected, { key, fields }: KeySeries, name: string): SeriesPoints => {
  const known = fields.get(name);
  if (known) return known;
  if (collected.series.length >= linesLimits.seriesMax)
    throw new LineFault(`got more than ${linesLimits.seriesMax} series in a body`);
  const made: SeriesPoints = { ...key, field: name, at: [], values: [], lines: [] };
  fields.set(name, made);
  collected.series.push(made);
  return made;
};

/** Adds the numbers of a line. @throws LineFault, and then none of them */
const add = (collected: Collected, { key, fields }: ParsedLine, at: number, line: number): void => {
  const known = collected.byKey.get(key) ?? { key: parseKey(key), fields: new Map<string, SeriesPoints>() };
  const numbers = fields.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  if (numbers.some(([, value]) => Math.abs(value) > valueMax))
    throw new LineFault(`invalid number: expected a magnitude of at most ${valueMax}`);
  if (collected.points + numbers.length > linesLimits.pointsMax)
    throw new LineFault(`got more than ${linesLimits.pointsMax} points in a body`);
  const series = numbers.map(([name]) => seriesOf(collected, known, name));
  collected.byKey.set(key, known);
  for (const [index, [, value]] of numbers.entries()) {
    const { at: times, values, lines } = series[index]!;
    times.push(at);
    // Adding 0 turns −0 into 0, as stored values are.
    values.push(value + 0);
    lines.push(line);
  }
  collected.points += numbers.length;
};

/** Reads a line. A line that breaks a rule is noted as rejected. */
const read = (
  collected: Collected,
  { number, text, isCut }: RawLine,
  { precision, nowMs }: LineRule,
  rejected: RejectedLines,
): void => {
  const plain = text.trim();
  if (plain === '' || plain.startsWith('#')) return;
  try {
    if (isCut) throw new LineFault(`got more than ${lineLengthMax} characters`);
    const parsed = parseLine(plain, precision);
    add(collected, parsed, parsed.at ?? nowMs * 1000, number);
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    rejected.add(number, () => `unable to parse '${shown(plain)}': ${error.message}`);
  }
};

/** How the lines of a body are read. */
export type LineRule = {
  readonly precision: Precision;
  /** Time of lines without a stamp, in ms since 1970. */
  readonly nowMs: number;
};

/**
 * Reads a body of line protocol. Only its numbers stay in memory.
 * @throws TooLarge, errors of the body
 */
export const collectLines = async (body: AsyncIterable<Buffer>, rule: LineRule): Promise<LineBatch> => {
  const collected: Collected = { byKey: new Map(), series: [], points: 0 };
  const rejected = rejectedLines();
  const decoder = new TextDecoder();
  const splitter = lineSplitter();
  const yieldToEventLoop = eventLoopYielder();
  const readAll = async (lines: readonly RawLine[]): Promise<void> => {
    for (const [index, line] of lines.entries()) {
      read(collected, line, rule, rejected);
      if (index % stepLines === 0) await yieldToEventLoop();
    }
  };
  for await (const chunk of chunksOf(body, linesLimits.bytesMax))
    await readAll(splitter.push(decoder.decode(chunk, { stream: true })));
  await readAll(splitter.push(decoder.decode()));
  const last = splitter.last();
  if (last) read(collected, last, rule, rejected);
  return { series: collected.series, rejected };
};
