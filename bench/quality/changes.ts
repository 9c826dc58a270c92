import { usable, type Day } from '../../domain/day.js';

/** A change of an ordinary day that a check should find. */
export type Change = { readonly name: string; readonly apply: (day: Day) => Day };

/** Hours that are raised or lowered by a constant. */
const fromHour = 9;
const toHour = 17;

const changed = (day: Day, activity: readonly number[]): Day => ({ ...day, activity });

const wholeDay = (factor: number): Change => ({
  name: `day × ${factor}`,
  apply: day =>
    changed(
      day,
      day.activity.map(value => value * factor),
    ),
});

/** Observed slices of 9–17 h moved by a constant, so that the day's total changes by `share` of itself. */
const eightHours = (share: number, nonNegative: boolean): Change => ({
  name: `${fromHour}–${toHour} h ${share > 0 ? '+' : '−'}${Math.abs(100 * share)} %`,
  apply: day => {
    const slices = day.activity.length;
    const [from, to] = [fromHour, toHour].map(hour => Math.round((hour / 24) * slices)) as [number, number];
    const flags = usable(day);
    const moves = (slice: number): boolean => slice >= from && slice < to && flags[slice] === true;
    const total = day.activity.reduce((sum, value, slice) => (flags[slice] ? sum + value : sum), 0);
    const moved = flags.filter((_, slice) => moves(slice)).length;
    const constant = moved > 0 ? (share * total) / moved : 0;
    const floor = nonNegative ? 0 : -Infinity;
    return changed(
      day,
      day.activity.map((value, slice) => (moves(slice) ? Math.max(floor, value + constant) : value)),
    );
  },
});

/**
 * The four changes of the power test.
 * @param reference days that show whether the series has negative values
 */
export const changesFor = (reference: readonly Day[]): readonly Change[] => {
  const nonNegative = reference.every(({ activity }) => activity.every(value => value >= 0));
  return [wholeDay(0.65), wholeDay(1.45), eightHours(0.45, nonNegative), eightHours(-0.35, nonNegative)];
};
