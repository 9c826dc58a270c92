import type { Day } from '../../domain/day.js';
import type { AcceptedChange } from '../../domain/source/acceptedChanges.js';
import { changedProfile } from './changedProfile.js';

/**
 * A day as it would have been without accepted changes: levels and shifts of the clock are taken back.
 * @param applied the changes of its date, in their order
 * @returns       null after a change that replaced values
 */
export const unchangedDay = (day: Day, applied: readonly AcceptedChange[]): Day | null => {
  let activity = day.activity;
  for (const { type, size } of [...applied].reverse()) {
    if (type === 'opening' || type === 'shape') return null;
    activity = changedProfile({ type, size: type === 'clock' ? -size : 1 / (1 + size) - 1 }, activity);
  }
  return { ...day, activity };
};
