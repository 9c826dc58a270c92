import { isLearnable, runsLength, usable, type Day } from '../../domain/day.js';
import type { EngineRules } from '../engine.js';
import { median } from '../math/statistics.js';

/** Share of the days whose largest magnitude is that of a plausible day. */
const plausibleShare = 0.9;

/**
 * Factors on that magnitude for values above and below 0. Rare events of a source lie far above its other days; values
 * far below 0 are marks of missing data.
 */
const factors = { above: 1000, below: 10 } as const;

const isBeyond = (value: number, magnitude: number): boolean =>
  value > factors.above * magnitude || value < -factors.below * magnitude;

/**
 * Returns the first usable value of a day that is far beyond those of other days, or undefined. A counter that
 * overflows once would set the scale of all days.
 * @param days of the reference; with fewer than ten no value is implausible
 */
const implausibleValues = (days: readonly Day[]): ((day: Day) => number | undefined) => {
  const largest = Float64Array.from(days, day => {
    const flags = usable(day);
    return day.activity.reduce(
      (most, value, slice) => (flags[slice] ? Math.max(most, Math.abs(value)) : most),
      0,
    );
  }).sort();
  const magnitude = largest[Math.ceil(plausibleShare * largest.length) - 1] ?? 0;
  if (magnitude === 0) return () => undefined;
  return day => {
    const flags = usable(day);
    return day.activity.find((value, slice) => flags[slice] && isBeyond(value, magnitude));
  };
};

const usableCount = ({ activity, gaps }: Day): number => activity.length - runsLength(gaps);

/**
 * Reason for which a day is not learned from; null for none. Events contain it: a change of it needs a new engine
 * version.
 */
type Omission = (day: Day) => string | null;

/** Returns why a reference day is not learned from, by the rules of an engine. */
export const omissions = (days: readonly Day[], rules: EngineRules): Omission => {
  const tooFew = rules.completesGaps ? lessThanThreeQuarters : lessThanHalf(days);
  if (!rules.withstandsImplausibleValues) return tooFew;
  const implausible = implausibleValues(days.filter(day => tooFew(day) === null));
  return day => {
    const value = implausible(day);
    return (
      tooFew(day) ?? (value === undefined ? null : `the value ${value} is far beyond those of other days`)
    );
  };
};

const slicesUsable = (day: Day): string => `${usableCount(day)} of ${day.activity.length} slices usable`;

const lessThanThreeQuarters: Omission = day =>
  isLearnable(day) ? null : `${slicesUsable(day)}, less than three quarters`;

/** The rule of engines before `daybook-calendar/4`. */
const lessThanHalf = (days: readonly Day[]): Omission => {
  const counts = days.map(usableCount);
  const medianCount = counts.length > 0 ? median(counts) : 0;
  return day =>
    usableCount(day) > 0 && usableCount(day) >= medianCount / 2
      ? null
      : `${slicesUsable(day)}, less than half of the median day's ${medianCount}`;
};
