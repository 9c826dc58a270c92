import { observed, type DayPicture, type Profile } from '../charts/dayPicture.js';
import type { DayDetails, DrawnAlert, Model, StoredDay } from './types.js';

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

/** Limits other than those of slices, on the side and over the stretches where they were broken. */
export const brokenLimits = ({ bounds, slices }: DrawnAlert): Profile[] =>
  (bounds ?? [])
    .filter(({ limit }) => limit !== 'slice')
    .flatMap(({ lower, upper }) =>
      (['over', 'under'] as const).flatMap(side => {
        const stretches = slices.filter(({ direction }) => direction === side);
        const line = side === 'over' ? upper : lower;
        const isBroken = (slice: number): boolean =>
          stretches.some(({ from, to }) => slice >= from && slice < to);
        return stretches.length === 0 ? [] : [line.map((value, slice) => (isBroken(slice) ? value : null))];
      }),
    );
