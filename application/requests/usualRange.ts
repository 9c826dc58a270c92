import { fromScale, toScale } from '../../analysis/math/portableMath.js';
import { sortedQuantile } from '../../analysis/math/statistics.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import { observed } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import type { StoredDay } from '../../projections/days/storedDays.js';
import type { ReadModels } from '../../projections/readModels.js';

/** Where most comparable days were, slice by slice, in the unit of the source. */
export type UsualRange = {
  /** Their 5th and 95th percentile; null for a slice that fewer than ten of them have. */
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
  /** Number of comparable days. */
  readonly days: number;
};

/** Reference days that are compared, spread over the reference, and weeks of recent days before the date. */
const referenceMax = 60;
const weeksBefore = 8;
/** Fewest values from which percentiles are shown. */
const valuesMin = 10;
const [lowShare, highShare] = [0.05, 0.95];

/** The date of a range, and its planned model. */
export type RangeOf = {
  readonly sourceId: number;
  readonly date: string;
  readonly planned: Model;
  /** The model as it is expected on a date. */
  readonly movedOn: (date: string) => Model;
};

/** Dates spread evenly over a list, at most `count`. */
const spread = (dates: readonly string[], count: number): readonly string[] =>
  dates.length <= count
    ? dates
    : Array.from({ length: count }, (_, index) => dates[Math.floor((index * dates.length) / count)]!);

/** Reference days of a model, and ordinary recent days that were planned with it in the weeks before a date. */
const comparableDays = (
  { planning, days }: Pick<ReadModels, 'planning' | 'days'>,
  { sourceId, date, planned: { id } }: RangeOf,
): readonly StoredDay[] => {
  const assigned = planning
    .assignedDays(sourceId)
    .filter(({ modelId, plannedId = modelId, date: other }) => plannedId === id && other !== date)
    .map(assignment => assignment.date);
  const reference = spread(assigned, referenceMax).flatMap(
    other => days.between(sourceId, 'reference', other, dateOf(dayNumber(other) + 1))[0] ?? [],
  );
  const recent = days
    .between(sourceId, 'recent', dateOf(dayNumber(date) - 7 * weeksBefore), date)
    .filter(({ check }) => check?.outcome === 'normal' && check.plannedModelId === id);
  return [...reference, ...recent];
};

/** Returns a function that moves a value of a day to what is expected on the date of the range. */
const mover = (
  { planned, date, movedOn }: RangeOf,
  other: string,
): ((value: number, slice: number) => number) => {
  const { limits } = planned;
  const [now, then] = [movedOn(date).activity, movedOn(other).activity];
  if (!limits || now === then) return value => value;
  return (value, slice) =>
    fromScale(
      limits,
      toScale(limits, value) + toScale(limits, now[slice] ?? 0) - toScale(limits, then[slice] ?? 0),
    );
};

/**
 * The middle 90 % of comparable days of a date by slice, at most 60 of the reference and 56 recent ones. Accepted
 * changes and sources that explain this one move them as they move what is expected.
 * @returns null with fewer than ten comparable days
 */
export const usualRange = (models: Pick<ReadModels, 'planning' | 'days'>, of: RangeOf): UsualRange | null => {
  const days = comparableDays(models, of);
  const [first] = days;
  if (!first || days.length < valuesMin) return null;
  const values: number[][] = first.activity.map(() => []);
  for (const day of days) {
    const isObserved = observed(day);
    const moved = mover(of, day.date);
    day.activity.forEach((value, slice) => {
      if (isObserved[slice]) values[slice]?.push(moved(value, slice));
    });
  }
  const sorted = values.map(ofSlice => Float64Array.from(ofSlice).sort());
  const percentiles = (share: number): (number | null)[] =>
    sorted.map(ofSlice => (ofSlice.length < valuesMin ? null : sortedQuantile(ofSlice, share)));
  return { low: percentiles(lowShare), high: percentiles(highShare), days: days.length };
};
