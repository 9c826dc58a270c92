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

/** Values; null for slices that were not observed. */
export const observed = (
  activity: readonly number[],
  gaps: readonly (readonly number[])[],
): (number | null)[] =>
  activity.map((value, slice) =>
    gaps.some(([from = 0, to = 0]) => slice >= from && slice < to) ? null : value,
  );
