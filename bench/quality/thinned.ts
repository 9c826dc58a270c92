import { seededRandom } from '../../analysis/math/seededRandom.js';
import { runsWhere, usable, type Day } from '../../domain/day.js';
import type { Measured } from './measure.js';
import { intervalScore, rangedSeries } from './ranges.js';
import { pooled, type Score } from './score.js';
import type { Series } from './series.js';
import { linesOf, medianOf, none, percent, textOf, type Cells } from './table.js';

/** Share of the reference that is seen. */
const seenShare = 1 / 3;

/** Mean length of a stretch that is seen, in days. */
const stretchDays = 3;

/** Reference days of which a random third is there. */
const someDays = (reference: readonly Day[], seed: number): readonly Day[] => {
  const random = seededRandom(seed);
  return reference.filter(() => random() < seenShare);
};

/** A reference that is seen in stretches of random length, begun and ended at any slice; days without one are gone. */
export const inStretches = (reference: readonly Day[], seed: number): readonly Day[] => {
  const random = seededRandom(seed);
  const slices = reference[0]?.activity.length ?? 0;
  let isSeen = random() < seenShare;
  let left = 0;
  const sees = (): boolean => {
    if (left === 0) {
      isSeen = !isSeen;
      const mean = slices * stretchDays * (isSeen ? 1 : (1 - seenShare) / seenShare);
      left = Math.max(1, Math.round(-Math.log(1 - random()) * mean));
    }
    left -= 1;
    return isSeen;
  };
  return reference.flatMap(day => {
    const flags = usable(day).map(isUsable => sees() && isUsable);
    const activity = day.activity.map((value, slice) => (flags[slice] ? value : 0));
    const gaps = runsWhere(slices, slice => !flags[slice]);
    return flags.includes(true) ? [{ date: day.date, activity, gaps, filled: [] }] : [];
  });
};

const thinnings = { 'a third of the days': someDays, 'a third, in stretches': inStretches } as const;

/** Names of the rows of the table, in order. */
export const thinnedNames: readonly string[] = Object.keys(thinnings);

/** A series with a third of its reference, by the names of `thinnedNames`. @param seed an integer */
export const thinned = (series: Series, seed: number): readonly Series[] =>
  Object.values(thinnings).map(thin => ({ ...series, reference: thin(series.reference, seed) }));

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
