import type { Measured } from './measure.js';
import { rankingNumbers, tails } from './ranking.js';
import { intervalScore, rangedSeries, rangeTable } from './ranges.js';
import { intervalOf, pooled, type Score } from './score.js';
import { linesOf, medianOf, none, percent, textOf, type Cells } from './table.js';
import { thinnedNames } from './thinned.js';

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

/** Fewest ordinary days of a series whose number of a year says something. */
const ordinaryMin = 100;

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
