import type { Trial } from '../../analysis/tuning/trial.js';
import { adaptiveFactor } from '../../analysis/checking/adaptiveFactor.js';
import { notAdapted } from '../../domain/alerts/checks.js';
import { usable, type Day } from '../../domain/day.js';
import { presentLimits } from '../../domain/planning/presentLimits.js';
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

/** Changed days that raise an alert. */
type Found = { readonly count: number; readonly of: number };

/** Changes stated for the learned limits, and for the limits of each day as earlier alerts have widened them. */
export type StatedChanges = { readonly learned: Found; readonly present: Found };

/**
 * Ordinary recent days with each stated minimum detectable change of a time of day, and those of them that raise an
 * alert: four of five should.
 * @returns null when nothing is stated
 */
export const statedChangesFound = (
  trial: Trial,
  reference: readonly Day[],
  { ordinary }: Expected,
): StatedChanges | null => {
  const { minimumDetectableChange: measured } = trial.learned.bounds;
  if (!measured) return null;
  const lowest = reference.every(({ activity }) => activity.every(value => value >= 0)) ? 0 : -Infinity;
  const step = Math.max(1, ordinary.length / daysMax);
  const chosen = ordinary.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  const foundOf = (factorOn: (date: string) => number): Found => {
    const found = chosen.flatMap(day => {
      const { minimumDetectableChange } = presentLimits(measured, trial.models, factorOn(day.date));
      return (minimumDetectableChange.timesOfDay ?? []).flatMap(({ more, less, ...part }) =>
        [more, less === null ? null : -less].flatMap(by =>
          by === null ? [] : isFlagged(trial.recheck(moved(day, part, by, lowest))),
        ),
      );
    });
    return { count: found.filter(isFound => isFound).length, of: found.length };
  };
  const learned = foundOf(() => 1);
  return learned.of === 0 ? null : { learned, present: foundOf(date => factorBefore(trial, date)) };
};

/** Adaptive factor of the limits on residuals on a date. */
const factorBefore = ({ days }: Trial, date: string): number =>
  adaptiveFactor(days.findLast(({ day }) => day.date < date)?.adaptation ?? notAdapted);
