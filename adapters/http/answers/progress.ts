import { clockTime } from '../../../domain/alerts/alertSentence.js';
import { observed, type Day } from '../../../domain/day.js';
import type { StoredDay } from '../../../projections/days/storedDays.js';

/** How far a day has come, as clients see it. */
export const progressOf = ({ activity, gaps, filled, inProgress }: Day & Pick<StoredDay, 'inProgress'>) => {
  if (!inProgress) return { inProgress: false, observedUntil: null };
  const last = observed({ date: '', activity, gaps, filled }).lastIndexOf(true);
  return { inProgress: true, observedUntil: last < 0 ? null : clockTime(last + 1, activity.length) };
};
