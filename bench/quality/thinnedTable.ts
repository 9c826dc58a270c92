import type { Measured } from './measure.js';
import { intervalScore, rangedSeries } from './ranges.js';
import { pooled, type Score } from './score.js';
import { linesOf, medianOf, none, percent, textOf, type Cells } from './table.js';
import { thinnedNames } from './thinned.js';

/** Fewest ordinary days of a series whose number of a year says something. */
const ordinaryMin = 100;

/** A stated number holds when the real one is at most so many times as large or as small. */
const factorMax = 2;

const rowOf = (title: string, all: readonly { readonly name: string; readonly score: Score }[]): string[] => {
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
    rowOf(
      'whole',
      measured.flatMap(({ name, scores }) => (scores[method] ? [{ name, score: scores[method] }] : [])),
    ),
    ...thinnedNames.map((title, place) =>
      rowOf(
        title,
        measured.flatMap(({ name, thinned }) => (thinned[place] ? [{ name, score: thinned[place] }] : [])),
      ),
    ),
  ];
  return textOf(linesOf(rows));
};
