import { valueMax } from '../../application/requests/imports/assembleDays.js';
import { shown } from '../../application/requests/imports/faults.js';
import {
  rejectedLines,
  type LineBatch,
  type RejectedLines,
  type SeriesPoints,
} from '../../application/requests/points/lineBatch.js';
import { chunksOf } from '../bytes.js';
import { LineFault, parseKey, parseLine, type ParsedLine, type SeriesKey } from './parseLine.js';
import type { Precision } from './precision.js';
import { lineLengthMax, lineSplitter, type RawLine } from './splitLines.js';

/** Limits of a body: bytes, also unpacked, series and points. */
export const linesLimits = { bytesMax: 25_000_000, seriesMax: 50_000, pointsMax: 1_000_000 } as const;

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
    rejected.add(number, `unable to parse '${shown(plain)}': ${error.message}`);
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
  for await (const chunk of chunksOf(body, linesLimits.bytesMax))
    for (const line of splitter.push(decoder.decode(chunk, { stream: true })))
      read(collected, line, rule, rejected);
  for (const line of splitter.push(decoder.decode())) read(collected, line, rule, rejected);
  const last = splitter.last();
  if (last) read(collected, last, rule, rejected);
  return { series: collected.series, rejected };
};
