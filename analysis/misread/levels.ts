import type { HourRows } from './hours.js';
import {
  dayLevel,
  ordinary,
  quantile,
  remembering,
  unexplained,
  unexplainedMax,
  type WindowPair,
  type WindowPairs,
} from './windows.js';

/** Factors between units: powers of ten, 3.6 and thousands of it (kWh and MJ, m/s and km/h), 60, 24, 1440. */
const factors: readonly number[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(power => 10 ** power),
  ...[3.6, 3600, 3.6e6, 1000 / 3.6, 1e6 / 3.6],
  ...[60, 24, 1440],
];
const changes = factors
  .flatMap(factor => [factor, 1 / factor])
  .map(factor => ({ factor, log: Math.log(factor) }));
/** Largest distance of a change from a factor, as a natural logarithm. */
const distanceMax = 0.2;
/** Smallest change, as a multiple of the ordinary change of level from weeks to weeks. */
const sizeMin = 5;
/** Largest scatter of the days as a share of the change; more is accepted where more is ordinary. */
const scatterShareMax = 0.3;
/** Largest scatter and largest change of shape, as multiples of the ordinary ones plus what is always accepted. */
const ordinaryMax = 1.5;
const scatterSlack = 0.1;
const shapeSlack = 0.03;
/** Share of the days that the scatter covers: the others may be special days. */
const scatterShare = 0.8;

/** A change of level by a factor between units, from day number `at` on; `measured` is the factor as it was seen. */
export type LevelChange = { readonly at: number; readonly factor: number; readonly measured: number };

type Measured = { readonly level: number; readonly scatter: number; readonly shape: number };

/** Median logarithm of the days of a pair over the typical week before, and the scatter around it. */
const measure = (rows: HourRows, pair: WindowPair): Measured => {
  const { week } = pair.before;
  const levels: number[] = [];
  for (let day = pair.at; day < pair.to; day += 1) {
    const level = dayLevel(rows, day, week);
    if (!Number.isNaN(level)) levels.push(level);
  }
  const level = quantile(levels, 0.5);
  const scatter = quantile(
    levels.map(each => Math.abs(each - level)),
    scatterShare,
  );
  return { level, scatter, shape: unexplained(pair) };
};

/** The factor that explains a change of level; undefined for none. */
const factorOf = (level: number): number | undefined =>
  changes.find(({ log }) => Math.abs(log - level) <= distanceMax)?.factor;

/** A function that tells whether only the level changed: far more than it does between other weeks. */
const levelOnly =
  (near: readonly WindowPair[], measured: (pair: WindowPair) => Measured) =>
  (pair: WindowPair): boolean => {
    const { level, scatter, shape } = measured(pair);
    if (!(shape <= unexplainedMax)) return false;
    const usual = (number: keyof Measured): number =>
      ordinary(near, other => Math.abs(measured(other)[number]), pair.at);
    const size = Math.abs(level);
    const usualShape = usual('shape');
    return (
      usualShape <= unexplainedMax &&
      shape <= ordinaryMax * usualShape + shapeSlack &&
      size >= sizeMin * usual('level') &&
      scatter <= Math.max(scatterShareMax * size, ordinaryMax * usual('scatter') + scatterSlack)
    );
  };

/**
 * The change of level between units, from `from` on, around which the days scatter least. Level, scatter and shape are
 * compared with those of the other weeks of the same source; a change that is ordinary there is none.
 */
export const clearestLevelChange = (
  rows: HourRows,
  from: number,
  { near, season }: WindowPairs,
): LevelChange | undefined => {
  const measured = remembering((pair: WindowPair) => measure(rows, pair));
  const isLevelOnly = levelOnly(near, measured);
  const clearestOf = (pairs: readonly WindowPair[]): LevelChange | undefined => {
    let clearest: LevelChange | undefined;
    let least = Infinity;
    for (const pair of pairs) {
      if (pair.at < from) continue;
      const { level, scatter } = measured(pair);
      const factor = factorOf(level);
      if (factor === undefined || scatter >= least || !isLevelOnly(pair)) continue;
      clearest = { at: pair.at, factor, measured: Math.exp(level) };
      least = scatter;
    }
    return clearest;
  };
  return clearestOf(near) ?? clearestOf(season);
};
