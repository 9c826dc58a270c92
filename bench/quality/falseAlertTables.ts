import { sortedQuantile } from '../../analysis/math/statistics.js';
import { type Measured, thinnedNames } from './measure.js';
import { rankingNumbers, tails } from './ranking.js';
import { type Interval, type Score, intervalOf, pooled } from './score.js';
import { linesOf, textOf, type Cells, medianOf, none, percent } from './table.js';

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

// Tables of false alerts: by rank, by split of the days, and of thinned references.

const shown = (value: number | null | undefined): string => value?.toFixed(4) ?? none;

/** How severity and criticity rank found events and false alerts, and how often ordinary days have small p-values. */
export const rankingTable = (all: readonly Measured[], method: string, seed: number): string => {
  const series = all.flatMap(({ scores }) => scores[method]?.ranking ?? []);
  const rows = rankingNumbers.map(([name, value]) => {
    const interval = intervalOf(series, value, seed);
    return [name, shown(value(series)), interval ? interval.map(shown).join(' to ') : none];
  });
  return textOf(linesOf([['found events, false alerts', 'value', '95 % over series'], ...rows]));
};

/** Numbers of each other split of the days: false alerts, and small p-values on ordinary days. */
const splitRow = (title: string, scores: readonly Score[]): string[] => {
  const sum = (value: (score: Score) => number): number =>
    scores.reduce((total, score) => total + value(score), 0);
  const rankings = scores.flatMap(({ ranking }) => ranking ?? []);
  const shares = tails.map(tail =>
    rankingNumbers.find(([name]) => name.endsWith(`p ≤ ${tail}`))?.[1](rankings),
  );
  return [
    title,
    String(sum(({ ordinary }) => ordinary.of)),
    shown(sum(({ ordinary }) => ordinary.count) / sum(({ ordinary }) => ordinary.of)),
    ...shares.map(shown),
  ];
};

/** Numbers of the usual split and of the other ones, and the ranges of false alerts over all of them. */
export const splitsTable = (measured: readonly Measured[], method: string): string => {
  const usual = measured.map(({ name, scores }) => ({ name, score: scores[method] ?? null }));
  const others = Array.from({ length: measured[0]?.splits.length ?? 0 }, (_, index) =>
    measured.map(({ name, splits }) => ({ name, score: splits[index] ?? null })),
  );
  const known = [usual, ...others].map(split =>
    split.flatMap(({ name, score }) => (score ? [{ name, score }] : [])),
  );
  const rows = known.map((split, index) =>
    splitRow(
      index === 0 ? 'usual split' : `split ${index}`,
      split.map(({ score }) => score),
    ),
  );
  const heads = ['reference', 'ordinary days', 'false', ...tails.map(tail => `p ≤ ${tail}`)];
  return `${textOf(linesOf([heads, ...rows]))}\nall splits\n${rangeTable(known.flatMap(rangedSeries))}`;
};

/** A stated number holds when the real one is at most so many times as large or as small. */
const factorMax = 2;

const thinnedRow = (
  title: string,
  all: readonly { readonly name: string; readonly score: Score }[],
): string[] => {
  const whole = pooled(all.map(({ score }) => score));
  const judged = all.flatMap(({ score: { ordinary, stated } }) =>
    ordinary.of >= ordinaryMin && stated?.falseAlertsPerYear
      ? [{ stated: (stated.falseAlertsPerYear * ordinary.of) / 365, real: ordinary.count }]
      : [],
  );
  const sum = (value: (one: (typeof judged)[number]) => number): number =>
    judged.reduce((total, one) => total + value(one), 0);
  const ratios = judged.map(({ stated, real }) => real / stated);
  const ranged = rangedSeries(all);
  const kept = ranged.filter(({ range, real }) => intervalScore(range, real) === range[1] - range[0]);
  return [
    title,
    String(all.length),
    percent(whole.ordinary),
    `${whole.events.count}/${whole.events.of}`,
    sum(({ stated }) => stated).toFixed(0),
    String(sum(({ real }) => real)),
    (sum(({ real }) => real) / sum(({ stated }) => stated)).toFixed(2),
    medianOf(ratios)?.toFixed(2) ?? none,
    `${ratios.filter(ratio => ratio <= factorMax && ratio >= 1 / factorMax).length}/${ratios.length}`,
    `${kept.length}/${ranged.length}`,
  ];
};

/** Stated and real false alerts of series of which a third of the reference is seen, next to the whole reference. */
export const thinnedTable = (measured: readonly Measured[], method: string): string => {
  const rows: Cells = [
    [
      ...['reference', 'series', 'false', 'events', 'stated alerts', 'real', 'real/stated', 'median'],
      ...[`within ${factorMax}`, 'in range'],
    ],
    thinnedRow(
      'whole',
      measured.flatMap(({ name, scores }) => (scores[method] ? [{ name, score: scores[method] }] : [])),
    ),
    ...thinnedNames.map((title, place) =>
      thinnedRow(
        title,
        measured.flatMap(({ name, thinned }) => (thinned[place] ? [{ name, score: thinned[place] }] : [])),
      ),
    ),
  ];
  return textOf(linesOf(rows));
};
