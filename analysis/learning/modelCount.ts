import type { CountTried } from '../../domain/planning/models.js';
import { adjustedRandIndex } from '../math/statistics.js';
import { crossFit, hitRate, plannedLoss, type Fold } from './crossFitting.js';
import type { PreparedReference } from './prepare.js';
import { clustersOf, type SmoothedDays } from './clustering/clusterRows.js';

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
  const halves = halvesOf(fitting);
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
      stability: stabilityOf(halves, clusters, own => clustersOf(own, count, seed, prepared.checkStop)),
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

/** Days of each half of the blocks, and their places among the days to learn from. */
type Half = { readonly places: readonly number[]; readonly smoothed: SmoothedDays };

const halvesOf = ({ prepared: { days }, smoothed: { indices, rows } }: Fitting): Half[] => {
  const blocks = [...new Set(days.map(day => day.block))];
  return [0, 1].map(half => {
    const places = indices.flatMap((index, at) =>
      blocks.indexOf(days[index]!.block) % 2 === half ? at : [],
    );
    return {
      places,
      smoothed: { indices: places.map(at => indices[at]!), rows: places.map(at => rows[at]!) },
    };
  });
};

/**
 * Mean adjusted Rand index between the clusters of all days and those of each half of the blocks.
 * @param ownClusters clusters the days of a half
 */
const stabilityOf = (
  halves: readonly Half[],
  clusters: readonly number[],
  ownClusters: (days: SmoothedDays) => readonly number[],
): number => {
  const [first, second] = halves.map(({ places, smoothed }) =>
    places.length === 0
      ? 1
      : adjustedRandIndex(
          ownClusters(smoothed),
          places.map(at => clusters[at]!),
        ),
  );
  return (first! + second!) / 2;
};
