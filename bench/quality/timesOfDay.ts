import type { Trial } from '../../analysis/tuning/trial.js';
import { usable, type Day } from '../../domain/day.js';
import { isFlagged, type Expected } from './definitions.js';

/** Most ordinary days of a series that get each change. */
const daysMax = 40;

/** A day of which each slice of a part is moved by a share of its mean magnitude. @param lowest smallest value */
const moved = (
  day: Day,
  { from, to }: { readonly from: number; readonly to: number },
  by: number,
  lowest: number,
): Day => {
  const flags = usable(day);
  const values = day.activity.filter((_, slice) => flags[slice]);
  const added = (by * values.reduce((sum, value) => sum + Math.abs(value), 0)) / values.length;
  const moves = (slice: number): boolean => slice >= from && slice < to && flags[slice] === true;
  return {
    ...day,
    activity: day.activity.map((value, slice) => (moves(slice) ? Math.max(lowest, value + added) : value)),
  };
};

/**
 * Ordinary recent days with each stated minimum detectable change of a time of day, and those of them that raise an
 * alert: four of five should.
 * @returns null when nothing is stated
 */
export const statedChangesFound = (
  { learned, recheck }: Trial,
  reference: readonly Day[],
  { ordinary }: Expected,
): { readonly count: number; readonly of: number } | null => {
  const lowest = reference.every(({ activity }) => activity.every(value => value >= 0)) ? 0 : -Infinity;
  const step = Math.max(1, ordinary.length / daysMax);
  const chosen = ordinary.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  const found = (learned.bounds.minimumDetectableChange?.timesOfDay ?? []).flatMap(
    ({ more, less, ...part }) =>
      [more, less === null ? null : -less].flatMap(by =>
        by === null ? [] : chosen.map(day => isFlagged(recheck(moved(day, part, by, lowest)))),
      ),
  );
  return found.length === 0 ? null : { count: found.filter(isFound => isFound).length, of: found.length };
};
