import {
  baselineDays,
  changeFrom,
  recentBaseline,
  type RecentResiduals,
} from '../../checking/recentLevel.js';
import { scoresOf, type Scores } from '../../checking/scores.js';
import { crossFittedResiduals, type CrossFittedDay, type CrossFittedResiduals } from '../crossFitting.js';
import type { PreparedReference } from '../prepare.js';

/** Length of the window in hours: most outages, events and closures last at least half a working day. */
export const windowHours = 8;

/** A cross-fitted day with its scores. `baseline` and `change` are null when there are too few recent days. */
export type CalibrationDay = CrossFittedResiduals & {
  readonly index: number;
  readonly baseline: Float64Array | null;
  readonly scores: Scores;
  readonly change: Scores | null;
};

/** Scores of all cross-fitted days, in order of date, computed as in a check. */
export const calibrationDays = (
  prepared: PreparedReference,
  fitted: readonly CrossFittedDay[],
): CalibrationDay[] => {
  const all = crossFittedResiduals(prepared, fitted);
  const dayAt = (at: number) => prepared.days[fitted[at]!.index]!;
  return fitted.map(({ index }, at) => {
    const { number, working } = dayAt(at);
    const recent: RecentResiduals[] = [];
    for (let past = at - 1; past >= 0 && number - dayAt(past).number <= baselineDays; past -= 1) {
      const { number: pastNumber, working: pastWorking } = dayAt(past);
      const { normalised } = all[past]!;
      recent.push({ daysAgo: number - pastNumber, sameKind: pastWorking === working, normalised });
    }
    const baseline = recentBaseline(recent);
    const { normalised, tolerance, profile } = all[at]!;
    const { scores, change } = scoresWith(baseline, normalised);
    return { normalised, tolerance, profile, index, baseline, scores, change };
  });
};

/** Scores of normalised residuals, and of their change from a baseline. */
export const scoresWith = (
  baseline: Float64Array | null,
  normalised: Float64Array,
): { readonly scores: Scores; readonly change: Scores | null } => ({
  scores: scoresOf(normalised, windowHours),
  change: baseline && scoresOf(changeFrom(baseline, normalised), windowHours),
});
