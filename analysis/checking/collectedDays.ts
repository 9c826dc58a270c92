import { isLearnable, observed, usable, type Day } from '../../domain/day.js';
import { plannedAs } from '../findings/findingFacts.js';
import { notCompared, type Checked, type Comparison, type DayBefore } from './comparison.js';
import { flatlineLengthMin, longestFlatline, unusualFlatline } from './stretches.js';

/** Days that a source has before its frozen values are watched: they are watched from the third day on. */
const daysMin = 2;

/** Share of the days so far with a constant stretch from which such stretches say nothing. */
const constantShareMin = 0.5;

/** Longest flatline of days, at any value since few days are known, and their smallest value. */
const flatlineFactsOf = (days: readonly Day[]) => ({
  longestRun: days.reduce(
    (most, day) => Math.max(most, longestFlatline(day.activity, observed(day)).length),
    0,
  ),
  minimum: days.reduce((least, day) => {
    const flags = usable(day);
    return day.activity.reduce((low, value, slice) => (flags[slice] ? Math.min(low, value) : low), least);
  }, Number.POSITIVE_INFINITY),
});

/** Whether the value of a day stays the same for hours above a minimum. */
const isConstant = (day: Day, minimum: number): boolean => {
  const flags = observed(day).map((isObserved, slice) => isObserved && day.activity[slice]! > minimum);
  return longestFlatline(day.activity, flags).length > flatlineLengthMin(day.activity.length);
};

/**
 * Checks a day of a source that collects its reference and has no models yet: a flatline that its days so far do not
 * explain is `frozen`, by the rule of the reference. There is none on a source with such stretches on half of its days.
 * @param before reads the recent days of the 28 days before; called only for a day with a flatline of hours
 */
export const checkCollectedDay = (
  day: Day,
  { plan, rules }: Pick<Comparison, 'plan' | 'rules'>,
  before: () => readonly DayBefore[],
): Checked => {
  const longest = longestFlatline(day.activity, observed(day)).length;
  if (longest <= flatlineLengthMin(day.activity.length)) return notCompared;
  const days = before().flatMap(one => (one.abnormal || !isLearnable(one.day) ? [] : [one.day]));
  if (days.length < daysMin) return notCompared;
  const known = flatlineFactsOf(days);
  const flatline = unusualFlatline(day, known, rules);
  const constant = days.filter(one => isConstant(one, known.minimum)).length;
  if (!flatline || constant >= constantShareMin * days.length) return notCompared;
  const { from, length, value } = flatline;
  return {
    outcome: 'abnormal',
    finding: {
      kind: 'frozen',
      direction: null,
      criticity: 1 - known.longestRun / length,
      slices: [{ from, to: from + length, direction: 'under', excess: 0 }],
      ...{ plannedModelId: null, closestModelId: null, betterModelId: null, looksLikeAnomaly: false },
      facts: {
        plannedAs: plannedAs(plan(day.date), rules),
        ...{ deviation: null, limits: [], widening: 1 },
        flatline: {
          ...{ value, longest: known.longestRun },
          ...(rules.namesDaysBefore && { of: 'daysBefore' as const }),
        },
      },
    },
  };
};
