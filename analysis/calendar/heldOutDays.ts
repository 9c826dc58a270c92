import { seasonGap } from '../../domain/dates.js';
import type { CycleEvidence } from '../../domain/planning/dayCycles.js';

/** An ordinary reference day in a few parts: their means on the log scale, NaN for parts without a value. */
export type CoarseDay = {
  /** Day number (domain/dates.ts). */
  readonly number: number;
  readonly weekday: number;
  readonly season: number;
  /** Days of one block are held out together. */
  readonly block: number;
  readonly parts: Float64Array;
};

/** Kind of each day. Distances in the season are multiplied by a factor of at most 1. */
export type Kinds = { readonly of: readonly number[]; readonly seasonFactor: number };

/** Some values with weights > 0: the first `count` of both arrays. */
export type Weighted = { readonly values: Float64Array; readonly weights: Float64Array; count: number };

/** Half-width in days of the season kernel, as in the planning (domain/planning/similarity.ts). */
const halfWidth = 50;

const kernels = Float64Array.from({ length: 184 }, (_, gap) => {
  if (gap >= halfWidth) return 0;
  const root = 1 - (gap / halfWidth) ** 2;
  return root * root;
});

/** Season kernel of two days of the year, whose distance is multiplied by a factor of at most 1. */
export const seasonWeight = (a: number, b: number, factor = 1): number =>
  kernels[Math.floor(seasonGap(a, b) * factor)]!;

/** The weighted median: the first value in ascending order up to which half of the weight lies. Sorts in place. */
export const medianOf = ({ values, weights, count }: Weighted): number => {
  let half = 0;
  for (let at = 0; at < count; at += 1) {
    const [value, weight] = [values[at]!, weights[at]!];
    half += weight / 2;
    let place = at;
    for (; place > 0 && values[place - 1]! > value; place -= 1) {
      values[place] = values[place - 1]!;
      weights[place] = weights[place - 1]!;
    }
    values[place] = value;
    weights[place] = weight;
  }
  let sum = 0;
  for (let at = 0; at < count; at += 1) {
    sum += weights[at]!;
    if (sum >= half || at === count - 1) return values[at]!;
  }
  return Number.NaN;
};

/** Other days with their weights. */
type Others = { readonly indices: Int32Array; readonly weights: Float64Array; count: number };

/**
 * Expected parts of each day, by the days of its kind outside its block: those near in the season, weighted by it, or
 * all when there is none.
 * @returns parts of each day; NaN where there is no such day
 */
export const heldOutParts = (days: readonly CoarseDay[], { of, seasonFactor }: Kinds): Float64Array[] => {
  const members = new Map<number, number[]>();
  of.forEach((kind, index) => {
    const own = members.get(kind);
    if (own) own.push(index);
    else members.set(kind, [index]);
  });
  const others: Others = {
    indices: new Int32Array(days.length),
    weights: new Float64Array(days.length),
    count: 0,
  };
  return days.map((day, index) => {
    const alike = members.get(of[index]!) ?? [];
    others.count = 0;
    for (const isNear of [true, false]) {
      if (others.count > 0) break;
      for (const other of alike) {
        const { block, season } = days[other]!;
        const weight = isNear ? seasonWeight(day.season, season, seasonFactor) : 1;
        if (block === day.block || weight === 0) continue;
        others.indices[others.count] = other;
        others.weights[others.count] = weight;
        others.count += 1;
      }
    }
    return mediansOf(days, others);
  });
};

/** The weighted median of each part of some days, of those that have a value. */
export const mediansOf = (days: readonly CoarseDay[], others: Others): Float64Array => {
  const { indices, weights, count } = others;
  const size = days[0]!.parts.length;
  const kept = { values: new Float64Array(count), weights: new Float64Array(count), count: 0 };
  return Float64Array.from({ length: size }, (_, part) => {
    kept.count = 0;
    for (let at = 0; at < count; at += 1) {
      const value = days[indices[at]!]!.parts[part]!;
      if (value !== value) continue;
      kept.values[kept.count] = value;
      kept.weights[kept.count] = weights[at]!;
      kept.count += 1;
    }
    return medianOf(kept);
  });
};

/** Mean absolute difference of a day to what was expected of it; NaN where nothing is known. */
export const errorOf = ({ parts }: CoarseDay, expected: Float64Array): number => {
  let sum = 0;
  let count = 0;
  for (let part = 0; part < parts.length; part += 1) {
    const difference = Math.abs(parts[part]! - expected[part]!);
    if (difference !== difference) continue;
    sum += difference;
    count += 1;
  }
  return sum / count;
};

/** `errorOf` each day. */
export const errorsOf = (days: readonly CoarseDay[], expected: readonly Float64Array[]): Float64Array =>
  Float64Array.from(days, (day, index) => errorOf(day, expected[index]!));

/** Sums of the errors of two plans on the same days, and the number of groups of days on which the second is better. */
export type Compared = {
  readonly before: number;
  readonly after: number;
  readonly better: number;
  readonly of: number;
};

/** Compares errors on some days, given by index; days on which one is not known are left out. */
export const compareErrors = (
  indices: readonly number[],
  errors: readonly [before: Float64Array, after: Float64Array],
  groupOf: (index: number) => number,
): Compared => {
  const groups = new Map<number, [number, number]>();
  const sums: [number, number] = [0, 0];
  for (const index of indices) {
    const [before, after] = [errors[0][index]!, errors[1][index]!];
    if (before !== before || after !== after) continue;
    const group = groups.get(groupOf(index)) ?? [0, 0];
    groups.set(groupOf(index), [group[0] + before, group[1] + after]);
    sums[0] += before;
    sums[1] += after;
  }
  const better = [...groups.values()].filter(([before, after]) => after < before).length;
  return { before: sums[0], after: sums[1], better, of: groups.size };
};

/** Days before and after a day, by place, whose mean is taken from it: seasons must not look like lengths. */
const around = 25;

/** Parts of days minus the mean of the days around them; NaN stays NaN. */
const withoutSeason = (days: readonly CoarseDay[]): Float64Array[] => {
  const size = days[0]!.parts.length;
  const residuals = days.map(({ parts }) => Float64Array.from(parts));
  for (let part = 0; part < size; part += 1) {
    let sum = 0;
    let count = 0;
    const add = (index: number, sign: 1 | -1): void => {
      const value = days[index]?.parts[part] ?? Number.NaN;
      if (value !== value) return;
      sum += sign * value;
      count += sign;
    };
    for (let index = 0; index < around; index += 1) add(index, 1);
    for (let index = 0; index < days.length; index += 1) {
      add(index + around, 1);
      add(index - around - 1, -1);
      residuals[index]![part]! -= sum / count;
    }
  }
  return residuals;
};

/**
 * Mean absolute error of planning held-out days by a cycle of each length: by the mean of the days of the same place
 * outside their block. It only ranks lengths, since it has means and no kernel of the season.
 * @param days by date
 */
export const lengthErrors = (days: readonly CoarseDay[], lengths: readonly number[]): number[] => {
  const residuals = withoutSeason(days);
  const blocks = new Map<number, number>();
  for (const { block } of days) if (!blocks.has(block)) blocks.set(block, blocks.size);
  const blockOf = Int32Array.from(days, ({ block }) => blocks.get(block)!);
  return lengths.map(length => {
    const phases = Int32Array.from(days, ({ number }) => ((number % length) + length) % length);
    let error = 0;
    let compared = 0;
    for (let part = 0; part < days[0]!.parts.length; part += 1) {
      const sums = new Float64Array(length * (blocks.size + 1));
      const counts = new Int32Array(sums.length);
      residuals.forEach((residual, index) => {
        if (residual[part] !== residual[part]) return;
        for (const row of [0, blockOf[index]! + 1]) {
          sums[row * length + phases[index]!]! += residual[part]!;
          counts[row * length + phases[index]!]! += 1;
        }
      });
      residuals.forEach((residual, index) => {
        const own = (blockOf[index]! + 1) * length + phases[index]!;
        const others = counts[phases[index]!]! - counts[own]!;
        if (residual[part] !== residual[part] || others === 0) return;
        error += Math.abs(residual[part]! - (sums[phases[index]!]! - sums[own]!) / others);
        compared += 1;
      });
    }
    return compared > 0 ? error / compared : Number.POSITIVE_INFINITY;
  });
};

/**
 * Least evidence for each kind of cycle: the share by which the error on held-out days falls, and the share of the
 * blocks, or of the dates, on which it falls. In 34 real series it falls by at most 18, 13 and 29 % (ADR 104).
 */
const evidenceMin = {
  days: { errorReduction: 0.25, better: 0.8 },
  weeks: { errorReduction: 0.3, better: 0.8 },
  monthDay: { errorReduction: 0.4, better: 0.7 },
} as const;

/** Error with a penalty for the number of kinds that it was learned with, as a factor (Akaike 1970). */
export const penalty = (kinds: number, days: number): number => 1 + (2 * kinds) / days;

/** A comparison whose errors have their penalties. */
export const penalised = (
  { before, after, ...rest }: Compared,
  penalties: readonly [before: number, after: number],
): Compared => ({ before: before * penalties[0], after: after * penalties[1], ...rest });

/** The evidence of a comparison, its share in three digits. */
export const evidenceOf = ({ before, after, better, of }: Compared): CycleEvidence => ({
  errorReduction: before > 0 ? Math.round(1000 * (1 - after / before)) / 1000 : 0,
  better,
  of,
});

/** Whether evidence suffices for a kind of cycle; `of` is the least number of blocks or dates. */
export const isEnough = (evidence: CycleEvidence, kind: keyof typeof evidenceMin, of: number): boolean =>
  evidence.of >= of &&
  evidence.errorReduction >= evidenceMin[kind].errorReduction &&
  evidence.better >= evidenceMin[kind].better * evidence.of;
