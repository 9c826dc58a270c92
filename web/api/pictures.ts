import { observed, type DayPicture } from '../charts/dayPicture.js';
import type { DayDetails, Model, StoredDay } from './types.js';

/** A profile with another number of slices: replaced models can be finer or coarser than the days. */
const resampled = (values: readonly number[], count = values.length): readonly number[] =>
  values.length === count
    ? values
    : Array.from({ length: count }, (_, slice) => values[Math.floor((slice * values.length) / count)] ?? 0);

/** A chart of a date: its data, and its planned model now or at its check. */
export const pictureOf = (
  date: string,
  stored: Pick<StoredDay, 'activity' | 'gaps'> | undefined,
  planned: Model | undefined,
  broken: DayPicture['broken'] = [],
): DayPicture => ({
  date,
  actual: stored ? observed(stored.activity, stored.gaps) : null,
  planned: planned
    ? {
        name: planned.name,
        color: planned.color,
        activity: resampled(planned.activity, stored?.activity.length),
        top: resampled(planned.topTolerance, stored?.activity.length),
        bottom: resampled(planned.bottomTolerance, stored?.activity.length),
      }
    : null,
  broken,
});

/** The chart of an alert's day, with the broken limits. */
export const pictureOfDetails = (
  { date, day, plannedModel }: DayDetails,
  broken: DayPicture['broken'] = [],
): DayPicture => pictureOf(date, day ?? undefined, plannedModel ?? undefined, broken);
