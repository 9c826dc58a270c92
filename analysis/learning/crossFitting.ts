import type { CountTried } from '../../domain/planning/models.js';
import { normalise, type Tolerance } from '../checking/scores.js';
import { movedProfile } from '../covariates/effectOn.js';
import { fromScale } from '../math/portableMath.js';
import { adjustedRandIndex } from '../math/statistics.js';
import { clustersOf, smoothedDays, type SmoothedDays } from './clustering/clusterRows.js';
import { learn, type Learned } from './learn.js';
import { outlierIndices } from './outliers.js';
import type { PreparedReference, ScaledProfile } from './prepare.js';
import { nearestProfile } from './profiles.js';
import { tolerancesOf } from './tolerances.js';

/** Indices of the days of a block, which are held out, and the other days, ready to be learned from. */
type Fold = { readonly heldOut: readonly number[]; readonly smoothed: SmoothedDays };

/**
 * One fold for each block of the reference (prepare.ts). The outliers of each fold are found without its block.
 * A reference with a single block keeps its days, since there are no others to learn from.
 */
export const foldsOf = (prepared: PreparedReference): Fold[] => {
  const blocks = [...new Set(prepared.days.map(day => day.block))];
  return blocks.map(block => {
    prepared.checkStop();
    const others = prepared.days.map(day => day.block !== block || blocks.length === 1);
    const excluded = outlierIndices(prepared, others);
    const included = others.map((other, index) => other && !excluded.has(index));
    const heldOut = prepared.days.flatMap((day, index) => (day.block === block ? index : []));
    return { heldOut, smoothed: smoothedDays(prepared, included) };
  });
};

/** A reference day with the models learned without its block, and the one of them that is planned for it. */
export type CrossFittedDay = {
  readonly index: number;
  readonly learned: Learned;
  readonly model: number;
  /** Whether the planned model is also the nearest one. */
  readonly hit: boolean;
};

/**
 * Cross-fitting: plans every reference day by models learned without its block. Blocks are held out instead of single
 * days, because consecutive days are similar and would make the result too optimistic.
 * @param clusters returns the cluster of each day of a fold
 * @returns        in the order of the reference days
 */
export const crossFit = (
  prepared: PreparedReference,
  folds: readonly Fold[],
  clusters: (fold: Fold) => readonly number[],
): CrossFittedDay[] => {
  const fitted: CrossFittedDay[] = [];
  for (const fold of folds) {
    prepared.checkStop();
    const learned = learn(prepared, fold.smoothed, clusters(fold));
    for (const index of fold.heldOut) {
      const model = learned.plan(prepared.weights[index]!);
      const nearest = nearestProfile(prepared.days[index]!.scaled, learned.profiles);
      fitted.push({ index, learned, model, hit: nearest === model });
    }
  }
  return fitted.sort((a, b) => a.index - b.index);
};

/** Cross-fitting in which each fold also has its own clusters: no result for a day depends on its block. */
export const crossFitClusters = (
  prepared: PreparedReference,
  folds: readonly Fold[],
  modelCount: number,
  seed: number,
): CrossFittedDay[] =>
  crossFit(prepared, folds, fold => clustersOf(fold.smoothed, modelCount, seed, prepared.checkStop));

/** Share of days whose planned model is also the nearest one, 0–1. */
export const hitRate = (fitted: readonly CrossFittedDay[]): number =>
  fitted.filter(({ hit }) => hit).length / fitted.length;

/**
 * Loss: mean absolute difference between days and the profiles planned for them, over all usable slices, divided by
 * the mean magnitude of those slices. 0 for a source that is always 0.
 */
export const plannedLoss = (
  { days, scale }: PreparedReference,
  fitted: readonly CrossFittedDay[],
): number => {
  const profiles = new Map<Float64Array, Float64Array>();
  let error = 0;
  let size = 0;
  for (const { index, learned, model } of fitted) {
    const scaled = learned.profiles[model]!;
    const profile = profiles.get(scaled) ?? scaled.map(y => fromScale(scale, y));
    profiles.set(scaled, profile);
    const { activity, usable } = days[index]!;
    for (let slice = 0; slice < activity.length; slice += 1) {
      if (!usable[slice]) continue;
      error += Math.abs(activity[slice]! - profile[slice]!);
      size += Math.abs(activity[slice]!);
    }
  }
  return size > 0 ? error / size : 0;
};

/** Normalised residuals of a day against its planned model, with its tolerance and the profile expected of the day. */
export type CrossFittedResiduals = {
  readonly normalised: Float64Array;
  readonly tolerance: Tolerance;
  readonly profile: ScaledProfile;
};

/** Normalised residuals of cross-fitted days, in their order. Tolerances are learned without the block as well. */
export const crossFittedResiduals = (
  prepared: PreparedReference,
  fitted: readonly CrossFittedDay[],
): CrossFittedResiduals[] => {
  const tolerances = new Map<Learned, Tolerance[]>();
  return fitted.map(({ index, learned, model }) => {
    const known = tolerances.get(learned) ?? tolerancesOf(prepared, learned);
    tolerances.set(learned, known);
    const profile = movedProfile(
      prepared.scale,
      learned.profiles[model]!,
      learned.effect?.(index, model) ?? 0,
    );
    const tolerance = known[model]!;
    return {
      normalised: normalise(residualsFrom(profile, prepared.days[index]!.scaled), tolerance),
      tolerance,
      profile,
    };
  });
};

/** Residuals of a day: value minus profile on the log scale, slice by slice; NaN stays NaN. */
export const residualsFrom = (profile: ScaledProfile, scaled: ScaledProfile): Float64Array => {
  const residuals = new Float64Array(scaled.length);
  for (let slice = 0; slice < scaled.length; slice += 1) residuals[slice] = scaled[slice]! - profile[slice]!;
  return residuals;
};

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
