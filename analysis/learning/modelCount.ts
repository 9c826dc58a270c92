import type { CountTried } from '../../domain/models.js';
import { clustersOf, type Smoothed } from './learn.js';
import { hitRate, leaveOut, plannedLoss, type Fold } from './crossFitting.js';
import type { Prepared } from './prepare.js';

/** Numbers of models that are tried when none is asked for. */
const counts = [2, 3, 4, 5, 6, 8, 10, 12];

/** The smallest number is taken whose loss is at most this many times the least, and so much of the mean more. */
const lossTolerance = 1.005;
const lossAllowance = 0.002;

/**
 * What speaks for each number of models. The loss is that of curves planned for left-out days (leftOut.ts);
 * predictability the share of those days that are nearest to the model planned; stability the mean adjusted Rand index
 * (Hubert and Arabie 1985) between the clusters of all days and those found without each half of the blocks.
 * Clusters have seen the block that is left out, curves and planning have not: a little kinder than a new year, and
 * equally so for every number.
 * @param modelCount the only number to try, null to try several
 * @param most       no more than so many
 */
export const tryCounts = (
  prepared: Prepared,
  smoothed: Smoothed,
  folds: readonly Fold[],
  modelCount: number | null,
  most: number,
  seed: number,
): CountTried[] => {
  const wanted = modelCount === null ? counts : [modelCount];
  const tried = [...new Set(wanted.map(count => Math.min(count, most)))];
  return tried.map(count => {
    const clusters = clustersOf(smoothed, count, seed, prepared.checkStop);
    const labels = new Map(smoothed.indices.map((index, at) => [index, clusters[at]!]));
    const left = leaveOut(prepared, folds, fold =>
      compact(fold.smoothed.indices.map(index => labels.get(index) ?? 0)),
    );
    return {
      modelCount: count,
      loss: plannedLoss(prepared, left),
      predictability: hitRate(left),
      stability: stabilityOf(prepared, smoothed, clusters, count, seed),
    };
  });
};

/** The number of models to take: the smallest whose loss is as good as the least. */
export const chosenCount = (tried: readonly CountTried[]): number => {
  const least = Math.min(...tried.map(({ loss }) => loss));
  return tried.find(({ loss }) => loss <= least * lossTolerance + lossAllowance)?.modelCount ?? 1;
};

/** Labels without the numbers that no day has. */
const compact = (labels: readonly number[]): number[] => {
  const used = [...new Set(labels)].sort((a, b) => a - b);
  const rank = new Map(used.map((label, at) => [label, at]));
  return labels.map(label => rank.get(label) ?? 0);
};

const stabilityOf = (
  { days, checkStop }: Prepared,
  { indices, rows }: Smoothed,
  clusters: readonly number[],
  count: number,
  seed: number,
): number => {
  const blocks = [...new Set(days.map(day => day.block))];
  const halves = [0, 1].map(half => {
    const kept = indices.flatMap((index, at) => (blocks.indexOf(days[index]!.block) % 2 === half ? at : []));
    if (kept.length === 0) return 1;
    const own = clustersOf({ indices: kept, rows: kept.map(at => rows[at]!) }, count, seed, checkStop);
    return adjustedRand(
      own,
      kept.map(at => clusters[at]!),
    );
  });
  return (halves[0]! + halves[1]!) / 2;
};

/** Adjusted Rand index of two labellings of the same days: 1 when equal up to names, 0 as by chance. */
export const adjustedRand = (a: readonly number[], b: readonly number[]): number => {
  const pairs = (count: number): number => (count * (count - 1)) / 2;
  const counted = (keys: readonly (number | string)[]): number => {
    const counts = new Map<number | string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()].reduce((sum, count) => sum + pairs(count), 0);
  };
  const [inA, inB, both] = [counted(a), counted(b), counted(a.map((label, at) => `${label}/${b[at]}`))];
  const all = pairs(a.length);
  const chance = all > 0 ? (inA * inB) / all : 0;
  const most = (inA + inB) / 2;
  return most === chance ? 1 : (both - chance) / (most - chance);
};
