import type { DayDetails, DrawnAlert, Model, StoredDay } from '../api/client.js';

/** A value of each slice; null if not observed. */
export type Profile = readonly (number | null)[];

/** Content of a chart of one day. All profiles have the same number of slices. */
export type DayPicture = {
  readonly date: string;
  /** null: a day without data, e.g. a future one. */
  readonly actual: Profile | null;
  /** The planned model; null when none is planned. */
  readonly planned: {
    readonly name: string;
    readonly color: string;
    readonly activity: readonly number[];
    readonly top: readonly number[];
    readonly bottom: readonly number[];
  } | null;
  /** Hour of the last data of a date in progress; absent for a whole day. */
  readonly until?: number;
  readonly broken: readonly {
    readonly from: number;
    readonly to: number;
    readonly direction: 'over' | 'under';
  }[];
};

/** Hour at which a slice begins, 0–24. */
export const hourOf = (slice: number, slices: number): number => (slice * 24) / slices;

/** Clock time of an hour, `HH:MM`. */
export const clockOf = (hour: number): string => {
  const minutes = Math.round(hour * 60);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
};

/** Hour of a clock time `HH:MM`. */
const hourOfClock = (clock: string): number => Number(clock.slice(0, 2)) + Number(clock.slice(3)) / 60;

/** Values; null for slices that were not observed. */
export const observed = (
  activity: readonly number[],
  gaps: readonly (readonly number[])[],
): (number | null)[] =>
  activity.map((value, slice) =>
    gaps.some(([from = 0, to = 0]) => slice >= from && slice < to) ? null : value,
  );

/** A profile with another number of slices: replaced models can be finer or coarser than the days. */
const resampled = (values: readonly number[], count = values.length): readonly number[] =>
  values.length === count
    ? values
    : Array.from({ length: count }, (_, slice) => values[Math.floor((slice * values.length) / count)] ?? 0);

/** A chart of a date: its data, and its planned model now or at its check. */
export const pictureOf = (
  date: string,
  stored: Pick<StoredDay, 'activity' | 'gaps' | 'observedUntil'> | undefined,
  planned: Model | undefined,
  broken: DayPicture['broken'] = [],
): DayPicture => ({
  date,
  actual: stored ? observed(stored.activity, stored.gaps) : null,
  ...(stored?.observedUntil != null && { until: hourOfClock(stored.observedUntil) }),
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

/** The range of an axis: every given value, and 0 where that is near. */
export const rangeOf = (profiles: readonly Profile[]): [number, number] => {
  const values = profiles.flat().filter(value => value !== null);
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (values.length === 0) return [0, 1];
  const from = low >= 0 && low < 0.5 * high ? 0 : low;
  return [from, high === from ? from + 1 : high];
};

/** A lower bound as charts show it: not below 0 where no value is, as for counts. The band then ends at the axis. */
const shownBound = (bottom: readonly number[], values: readonly Profile[]): Profile =>
  values.some(profile => profile.some(value => value !== null && value < 0))
    ? bottom
    : bottom.map(value => Math.max(0, value));

/** Profiles that a picture draws, for a common axis. */
export const profilesOf = ({ actual, planned }: DayPicture): Profile[] => {
  const values = [actual, planned?.activity].filter(profile => profile !== null && profile !== undefined);
  return planned ? [...values, planned.top, shownBound(planned.bottom, values)] : values;
};

/** The range of the charts of models next to each other. */
export const rangeOfModels = (
  models: readonly Pick<Model, 'activity' | 'topTolerance' | 'bottomTolerance'>[],
): [number, number] => {
  const values = models.map(({ activity }) => activity);
  return rangeOf(
    models.flatMap(({ topTolerance, bottomTolerance }) => [
      topTolerance,
      shownBound(bottomTolerance, values),
    ]),
  );
};
