import { sortedQuantile } from '../../analysis/math/statistics.js';
import type { Interval, Score } from './score.js';
import { linesOf, textOf, type Cells } from './table.js';

/** A series with its stated range of false alerts a year, the stated number, and the real one. */
export type RangedSeries = {
  readonly name: string;
  readonly range: Interval;
  readonly stated: number;
  readonly real: number;
};

/** Share of sources that a range misses. */
const missedShare = 0.1;

/** Fewest ordinary days of a series whose number of a year says something. */
const ordinaryMin = 100;

/**
 * Interval score of a number (Gneiting and Raftery 2007): the width of the range, and how far the number is outside,
 * times 20 for a range that nine of ten keep. Smaller is better.
 */
export const intervalScore = ([low, high]: Interval, real: number): number =>
  high - low + (2 / missedShare) * (Math.max(0, low - real) + Math.max(0, real - high));

/** Series with enough ordinary days and a stated range. */
export const rangedSeries = (
  all: readonly { readonly name: string; readonly score: Score }[],
): RangedSeries[] =>
  all.flatMap(({ name, score: { ordinary, stated } }) => {
    if (ordinary.of < ordinaryMin || !stated?.range || stated.falseAlertsPerYear === null) return [];
    const real = (365 * ordinary.count) / ordinary.of;
    return { name, range: stated.range, stated: stated.falseAlertsPerYear, real };
  });

/** The range that nine of ten other series keep, one for all sources: what a range of a source has to beat. */
const constantRange = (series: readonly RangedSeries[], name: string): Interval => {
  const others = series.flatMap(other => (other.name === name ? [] : other.real));
  const sorted = Float64Array.from(others).sort();
  return [sortedQuantile(sorted, missedShare / 2), sortedQuantile(sorted, 1 - missedShare / 2)];
};

const rowOf = (
  title: string,
  series: readonly RangedSeries[],
  rangeOf: (one: RangedSeries) => Interval,
): string[] => {
  const scores = series.map(one => intervalScore(rangeOf(one), one.real));
  const within = series.filter(one => rangeOf(one)[0] <= one.real && one.real <= rangeOf(one)[1]).length;
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return [title, `${within}/${series.length}`, mean.toFixed(1)];
};

/** Stated ranges of false alerts a year, next to a constant range of the other series and the number alone. */
export const rangeTable = (series: readonly RangedSeries[]): string => {
  if (new Set(series.map(({ name }) => name)).size < 2) return '';
  const rows: Cells = [
    ['false alerts a year', 'within', 'interval score'],
    rowOf('stated range', series, ({ range }) => range),
    rowOf('one range, of the other series', series, ({ name }) => constantRange(series, name)),
    rowOf('stated number', series, ({ stated }) => [stated, stated]),
  ];
  return textOf(linesOf(rows));
};
