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
  /** Where nine of ten comparable days were; a chart without it has the bounds of the planned model. */
  readonly usual?: { readonly low: Profile; readonly high: Profile };
  /** The limit that an alert is about. */
  readonly mark?: LimitMark;
  /** Values that the axis has at least: the same for all charts of a source. */
  readonly axis?: { readonly low: number; readonly high: number };
  readonly broken: readonly {
    readonly from: number;
    readonly to: number;
    readonly direction: 'over' | 'under';
  }[];
};

/** A broken limit where it was broken, with the value of the day. Slices are counted from 0, `to` is exclusive. */
export type LimitMark = {
  readonly steps: readonly { readonly from: number; readonly to: number; readonly bound: number }[];
  readonly actual: number;
  readonly bound: number;
  /** Whether actual and bound are means of the stretch, or the values of one slice, `from`. */
  readonly isMean: boolean;
  readonly from: number;
  readonly direction: 'over' | 'under';
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

type Stretch = { readonly from: number; readonly to: number };

/** Share of slices of two sets of stretches that are in both. */
const overlap = (one: readonly Stretch[], other: readonly Stretch[]): number => {
  const slices = (stretches: readonly Stretch[]): Set<number> =>
    new Set(stretches.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n)));
  const [a, b] = [slices(one), slices(other)];
  const both = [...a].filter(slice => b.has(slice)).length;
  return both / Math.max(1, a.size + b.size - both);
};

/** The stretch that the sentence of an alert names; several of an alert without a deviation. */
const namedStretches = ({ deviation, gap, slices }: DrawnAlert): DayPicture['broken'] => {
  if (deviation) {
    const { from, to, absolute } = deviation;
    return [{ from, to, direction: absolute < 0 ? 'under' : 'over' }];
  }
  return gap ? [{ from: gap.from, to: gap.to, direction: 'under' }] : slices;
};

/** Slices at which the limit of single slices was broken, each with its bound. */
const brokenSlices = ({ bounds, slices }: DrawnAlert, planned: DayPicture['planned']): LimitMark['steps'] => {
  const levels = bounds?.find(({ limit }) => limit === 'slice');
  return slices.flatMap(({ from, to, direction }) => {
    const line = direction === 'over' ? (levels?.upper ?? planned?.top) : (levels?.lower ?? planned?.bottom);
    return Array.from({ length: to - from }, (_, n) => from + n).flatMap(slice => {
      const bound = line?.[slice];
      return bound === undefined ? [] : [{ from: slice, to: slice + 1, bound }];
    });
  });
};

/** The broken limit whose stretch is nearest to the one that the sentence names. */
const limitMark = (alert: DrawnAlert, { broken, planned }: DayPicture): LimitMark | undefined => {
  const candidates = alert.brokenLimits.map(one => ({
    ...one,
    isMean: one.limit !== 'slice',
    steps: one.limit === 'slice' ? brokenSlices(alert, planned) : [one],
  }));
  const near = candidates.map(({ steps }) => overlap(steps, broken));
  const best = candidates[near.indexOf(Math.max(...near))];
  if (!best || best.steps.length === 0) return undefined;
  const { steps, isMean, from, actual, bound } = best;
  return { steps, isMean, from, actual, bound, direction: actual < bound ? 'under' : 'over' };
};

/** The chart of a date with what is usual, on the axis of its source. */
export const usualPicture = (day: DayDetails): DayPicture => ({
  ...pictureOfDetails(day),
  ...(day.usual && { usual: day.usual }),
  ...(day.axis && { axis: day.axis }),
});

/** The chart of an alert's day: what its sentence says, and nothing that it does not. */
export const alertPicture = (day: DayDetails, alert: DrawnAlert): DayPicture => {
  const picture = { ...usualPicture(day), broken: namedStretches(alert) };
  const mark = limitMark(alert, picture);
  return { ...picture, ...(mark && { mark }) };
};

/** Number of slices of a picture. */
export const slicesOf = ({ actual, planned }: Pick<DayPicture, 'actual' | 'planned'>): number =>
  actual?.length ?? planned?.activity.length ?? 24;

/** Whether all values of a day are one: no model fits a flat line better. */
export const isFlat = ({ actual }: DayPicture): boolean => {
  const values = (actual ?? []).filter(value => value !== null);
  return values.every(value => value === values[0]);
};

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
export const profilesOf = ({ actual, planned, usual, mark, axis }: DayPicture): Profile[] => {
  const values = [actual, planned?.activity].filter(profile => profile !== null && profile !== undefined);
  const band = usual
    ? [usual.low, usual.high]
    : planned
      ? [planned.top, shownBound(planned.bottom, values)]
      : [];
  return [
    ...values,
    ...band,
    ...(mark ? [mark.steps.map(({ bound }) => bound)] : []),
    ...(axis ? [[axis.low, axis.high]] : []),
  ];
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
