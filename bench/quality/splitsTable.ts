import type { Measured } from './measure.js';
import { rankingNumbers, tails } from './ranking.js';
import { rangedSeries, rangeTable } from './ranges.js';
import type { Score } from './score.js';
import { linesOf, none, textOf } from './table.js';

const fixed = (value: number | null | undefined): string => value?.toFixed(4) ?? none;

/** Numbers of each other split of the days: false alerts, and small p-values on ordinary days. */
const rowOf = (title: string, scores: readonly Score[]): string[] => {
  const sum = (value: (score: Score) => number): number =>
    scores.reduce((total, score) => total + value(score), 0);
  const rankings = scores.flatMap(({ ranking }) => ranking ?? []);
  const shares = tails.map(tail =>
    rankingNumbers.find(([name]) => name.endsWith(`p ≤ ${tail}`))?.[1](rankings),
  );
  return [
    title,
    String(sum(({ ordinary }) => ordinary.of)),
    fixed(sum(({ ordinary }) => ordinary.count) / sum(({ ordinary }) => ordinary.of)),
    ...shares.map(fixed),
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
    rowOf(
      index === 0 ? 'usual split' : `split ${index}`,
      split.map(({ score }) => score),
    ),
  );
  const heads = ['reference', 'ordinary days', 'false', ...tails.map(tail => `p ≤ ${tail}`)];
  return `${textOf(linesOf([heads, ...rows]))}\nall splits\n${rangeTable(known.flatMap(rangedSeries))}`;
};
