import type { CountTried } from '../../domain/models.js';
import { adjustedRandIndex } from '../math/adjustedRandIndex.js';
import { crossFit, hitRate, plannedLoss, type Fold } from './crossFitting.js';
import type { PreparedReference } from './prepare.js';
import { clustersOf, type SmoothedDays } from './clustering/smoothedDays.js';

/** Numbers of models that are candidates when none is requested. */
export const candidateCounts: readonly number[] = [2, 3, 4, 5, 6, 8, 10, 12];

/** A loss is good enough up to this factor times the least loss, plus this share of the mean magnitude. */
const lossFactor = 1.005;
const lossAllowance = 0.002;

/** Days to learn from: the whole reference, and its folds. */
export type Fitting = {
  readonly prepared: PreparedReference;
  readonly smoothed: SmoothedDays;
  readonly folds: readonly Fold[];
};

/**
 * Measures each number of models by cross-fitting. The clusters are those of all days; profiles and planning are
 * learned without the block. This is slightly optimistic, but equally so for every number of models.
 * @param modelCount the only number to try, or null to try several
 * @param countMax   largest number to try
 */
export const tryModelCounts = (
  fitting: Fitting,
  modelCount: number | null,
  countMax: number,
  seed: number,
): CountTried[] => {
  const { prepared, smoothed, folds } = fitting;
  const requested = modelCount === null ? candidateCounts : [modelCount];
  const tried = [...new Set(requested.map(count => Math.min(count, countMax)))];
  return tried.map(count => {
    const clusters = clustersOf(smoothed, count, seed, prepared.checkStop);
    const labels = new Map(smoothed.indices.map((index, at) => [index, clusters[at]!]));
    const fitted = crossFit(prepared, folds, fold =>
      renumbered(fold.smoothed.indices.map(index => labels.get(index) ?? 0)),
    );
    return {
      modelCount: count,
      loss: plannedLoss(prepared, fitted),
      predictability: hitRate(fitted),
      stability: stabilityOf(fitting, clusters, count, seed),
    };
  });
};

/** The smallest number of models whose loss is good enough. */
export const chosenModelCount = (tried: readonly CountTried[]): number => {
  const least = Math.min(...tried.map(({ loss }) => loss));
  return tried.find(({ loss }) => loss <= least * lossFactor + lossAllowance)?.modelCount ?? 1;
};

/** Numbers the labels in use from 0, in their order. */
const renumbered = (labels: readonly number[]): number[] => {
  const used = [...new Set(labels)].sort((a, b) => a - b);
  const rank = new Map(used.map((label, at) => [label, at]));
  return labels.map(label => rank.get(label) ?? 0);
};

/** Mean adjusted Rand index between the clusters of all days and those of each half of the blocks. */
const stabilityOf = (
  { prepared: { days, checkStop }, smoothed: { indices, rows } }: Fitting,
  clusters: readonly number[],
  count: number,
  seed: number,
): number => {
  const blocks = [...new Set(days.map(day => day.block))];
  const halves = [0, 1].map(half => {
    const kept = indices.flatMap((index, at) => (blocks.indexOf(days[index]!.block) % 2 === half ? at : []));
    if (kept.length === 0) return 1;
    const own = clustersOf({ indices: kept, rows: kept.map(at => rows[at]!) }, count, seed, checkStop);
    return adjustedRandIndex(
      own,
      kept.map(at => clusters[at]!),
    );
  });
  return (halves[0]! + halves[1]!) / 2;
};
