import { dayNumber } from '../../domain/dates.js';
import { completeness, type Day } from '../../domain/day.js';
import type { DayPlan } from '../../domain/planning/planning.js';
import {
  completenessShareMin,
  expectedOn,
  isUnlikeReference,
  type Comparison,
  type DayBefore,
} from './comparison.js';
import { normalisedBy, residualsOf, scaledModelOf, type ScaledModel } from './scores.js';

/** Number of days before a day from which its recent baseline is computed. */
export const baselineDays = 14;

/** Smallest number of recent days for a baseline. */
const recentDaysMin = 3;

/** Factor on the weight of a recent day for each further day ago, and for a day of the other kind. */
const dailyDecay = 0.75;
const otherKindWeight = 0.25;

/** One of the days before a day. */
export type RecentResiduals = {
  /** 1 to 14. */
  readonly daysAgo: number;
  /** Both days are working days, or both are free days. */
  readonly sameKind: boolean;
  /** Normalised residuals (scores.ts) against the model planned for it; NaN in slices that are not usable. */
  readonly normalised: Float64Array;
};

/**
 * Share of the total weight that is trimmed at each end. It is more than the weight of any single day of a complete
 * fortnight, so that no single day can move the mean.
 */
const trimmedShare = 0.375;

/**
 * Recent baseline of a source: by slice, the trimmed mean (Tukey 1962) of the normalised residuals of recent days, with
 * exponentially decreasing weights (Roberts 1959). Weather, growth and habits last for days: residuals minus the
 * baseline vary less than residuals, so that smaller changes can be detected.
 * @param recent in any order
 * @returns      0 in slices without a usable value; null for fewer than three recent days
 */
export const recentBaseline = (recent: readonly RecentResiduals[]): Float64Array | null => {
  const [first] = recent;
  if (!first || recent.length < recentDaysMin) return null;
  const dayWeights = Float64Array.from(recent, ({ daysAgo, sameKind }) => {
    let weight = sameKind ? 1 : otherKindWeight;
    for (let back = 1; back < daysAgo; back += 1) weight *= dailyDecay;
    return weight;
  });
  const profiles = recent.map(({ normalised }) => normalised);
  const values = new Float64Array(recent.length);
  const order = Uint8Array.from(recent, (_, day) => day);
  const baseline = new Float64Array(first.normalised.length);
  for (let slice = 0; slice < baseline.length; slice += 1) {
    let total = 0;
    // Insertion sort from the order of the slice before, which changes little; equal values by day, none last.
    for (let end = 0; end < order.length; end += 1) {
      const day = order[end]!;
      const known = profiles[day]![slice]!;
      const value = known === known ? known : Number.POSITIVE_INFINITY;
      if (known === known) total += dayWeights[day]!;
      let at = end;
      for (
        ;
        at > 0 && (values[at - 1]! > value || (values[at - 1] === value && order[at - 1]! > day));
        at -= 1
      ) {
        values[at] = values[at - 1]!;
        order[at] = order[at - 1]!;
      }
      values[at] = value;
      order[at] = day;
    }
    baseline[slice] = trimmedMean(values, order, dayWeights, total);
  }
  return baseline;
};

/**
 * Weighted trimmed mean of ascending values; 0 when there are none.
 * @param order days of the values
 * @param total weight of all values that are known, exact in any order: weights are few bits
 */
const trimmedMean = (
  values: Float64Array,
  order: Uint8Array,
  dayWeights: Float64Array,
  total: number,
): number => {
  if (total === 0) return 0;
  const from = trimmedShare * total;
  const to = (1 - trimmedShare) * total;
  let passed = 0;
  let sum = 0;
  for (let at = 0; passed < to; at += 1) {
    const end = passed + dayWeights[order[at]!]!;
    if (end > from) sum += (Math.min(to, end) - Math.max(from, passed)) * values[at]!;
    passed = end;
  }
  return sum / (to - from);
};

/** Normalised residuals of a day minus its recent baseline. */
export const changeFrom = (baseline: Float64Array, normalised: Float64Array): Float64Array => {
  const change = new Float64Array(normalised.length);
  for (let slice = 0; slice < change.length; slice += 1)
    change[slice] = normalised[slice]! - baseline[slice]!;
  return change;
};

/** A recent day before the checked day, compared with the model planned for it. */
export type ComparedRecentDay = {
  readonly daysAgo: number;
  /** Both days are working days, or both are free days. */
  readonly sameKind: boolean;
  readonly residuals: Float64Array;
  readonly model: ScaledModel;
};

/**
 * Compares the days before a day with their planned models. Incomplete days, days without limits and days that no
 * reference day is similar to are omitted.
 */
export const recentDays = (
  { date }: Pick<Day, 'date'>,
  { working }: DayPlan,
  comparison: Pick<Comparison, 'models' | 'plan' | 'completeness' | 'explained' | 'changed' | 'rules'>,
  before: readonly DayBefore[],
): ComparedRecentDay[] => {
  const { models, plan: planOf, completeness: referenceCompleteness, rules } = comparison;
  const number = dayNumber(date);
  return before.flatMap(({ day }) => {
    const plan = planOf(day.date);
    if (rules.needsLikeDaysFirst && isUnlikeReference(plan, comparison, day)) return [];
    const found = models.find(({ id }) => id === plan.modelId);
    const model = found && expectedOn(comparison, day.date, found);
    if (!model?.limits || completeness(day) < completenessShareMin * referenceCompleteness) return [];
    return {
      daysAgo: number - dayNumber(day.date),
      sameKind: plan.working === working,
      residuals: residualsOf(day, model, model.limits),
      model: scaledModelOf(model, model.limits),
    };
  });
};

/** Recent baseline of the last fortnight; null when there are too few days. */
export const baselineOf = (recent: readonly ComparedRecentDay[]): Float64Array | null =>
  recentBaseline(
    recent
      .filter(({ daysAgo }) => daysAgo <= baselineDays)
      .map(({ daysAgo, sameKind, residuals, model }) => ({
        daysAgo,
        sameKind,
        normalised: normalisedBy(residuals, model),
      })),
  );

/**
 * Number of days before a day from which a level shift is estimated. An event that lasts less than half of them cannot
 * move the medians.
 */
export const driftDays = 28;

/** Working and free days in that time. Missing days count as days with residual 0. */
const workingDaysExpected = 20;
const freeDaysExpected = 8;

/**
 * Level shift of a source: by slice, the median residual of recent days, smoothed over one hour.
 * @param residuals of recent days of one kind, on the log scale; NaN in slices that are not usable
 * @param working   whether these are working days or free days
 * @returns         null when at most half of the expected days are present
 */
export const levelShift = (residuals: readonly Float64Array[], working: boolean): Float64Array | null => {
  const expected = working ? workingDaysExpected : freeDaysExpected;
  const first = residuals[0];
  if (!first || residuals.length * 2 <= expected) return null;
  const medians = new Float64Array(first.length);
  const values = new Float64Array(Math.max(residuals.length, expected));
  for (let slice = 0; slice < medians.length; slice += 1) {
    let count = 0;
    for (let day = 0; day < residuals.length; day += 1) {
      const value = residuals[day]![slice]!;
      if (value === value) insertSorted(values, count++, value);
    }
    while (count < expected) insertSorted(values, count++, 0);
    medians[slice] = medianOfSorted(values, count);
  }
  const reach = Math.round(medians.length / 24) >> 1;
  return reach === 0 ? medians : smoothed(medians, reach);
};

/** Inserts a value into the first `count` values, ascending: a fortnight or two of values need no faster sort. */
const insertSorted = (values: Float64Array, count: number, value: number): void => {
  let at = count;
  for (; at > 0 && values[at - 1]! > value; at -= 1) values[at] = values[at - 1]!;
  values[at] = value;
};

/** `sortedQuantile` at 0.5 of the first `count` values. */
const medianOfSorted = (values: Float64Array, count: number): number => {
  const place = (count - 1) * 0.5;
  const below = Math.floor(place);
  const low = values[below]!;
  const next = below + 1 < count ? values[below + 1]! : low;
  return low + (place - below) * (next - low);
};

/** Mean of each value and its neighbours within a reach; fewer at both ends. */
const smoothed = (values: Float64Array, reach: number): Float64Array => {
  const means = new Float64Array(values.length);
  for (let slice = 0; slice < values.length; slice += 1) {
    const from = Math.max(0, slice - reach);
    const to = Math.min(values.length, slice + reach + 1);
    let sum = 0;
    for (let at = from; at < to; at += 1) sum += values[at]!;
    means[slice] = sum / (to - from);
  }
  return means;
};
