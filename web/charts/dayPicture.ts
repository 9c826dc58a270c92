import type { DayDetails, DrawnAlert, Model } from '../api/client.js';
import type { Formats } from '../messages/formats.js';
import type { Messages } from '../messages/en.js';

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
    /** Its name in other languages; absent where nothing but English is shown. */
    readonly names?: Model['names'];
    readonly color: string;
    readonly activity: readonly number[];
    readonly top: readonly number[];
    readonly bottom: readonly number[];
    /** Whether its bounds are what a person gave, the only limits of the model: they are the band without `usual`. */
    readonly isCustom?: boolean;
  } | null;
  /** Hour of the last data of a date in progress; absent for a whole day. */
  readonly until?: number;
  /** Where nine of ten comparable days were. */
  readonly usual?: { readonly low: Profile; readonly high: Profile };
  /** The limit that an alert is about. */
  readonly mark?: LimitMark;
  /** Values that the axis has at least: the same for all charts of a source. */
  readonly axis?: { readonly low: number; readonly high: number };
  /** Whether the course of the day is unlike all comparable days, and no other limit is broken. */
  readonly isUnlike?: boolean;
  /** Whether a check compared the day and found every limit kept. */
  readonly isNormal?: boolean;
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

/** Parts of a day that its chart needs. */
type DrawnValues = {
  readonly activity: readonly number[];
  readonly gaps: readonly (readonly number[])[];
  readonly observedUntil: string | null;
};

/** Parts of a model that a chart of a day needs. */
type DrawnModel = Pick<Model, 'name' | 'color'> & {
  readonly activity: readonly number[];
  readonly topTolerance: readonly number[];
  readonly bottomTolerance: readonly number[];
  readonly names?: Model['names'];
  /** Absent for models that people gave. */
  readonly limits?: object;
};

/** A chart of a date: its data, and its planned model now or at its check. */
export const pictureOf = (
  date: string,
  stored: DrawnValues | undefined,
  planned: DrawnModel | undefined,
  broken: DayPicture['broken'] = [],
): DayPicture => ({
  date,
  actual: stored ? observed(stored.activity, stored.gaps) : null,
  ...(stored?.observedUntil != null && { until: hourOfClock(stored.observedUntil) }),
  planned: planned
    ? {
        name: planned.name,
        ...(planned.names && { names: planned.names }),
        color: planned.color,
        activity: resampled(planned.activity, stored?.activity.length),
        top: resampled(planned.topTolerance, stored?.activity.length),
        bottom: resampled(planned.bottomTolerance, stored?.activity.length),
        ...(!planned.limits && { isCustom: true }),
      }
    : null,
  broken,
});

/** Parts of a date that its chart needs; reports have them without the service. */
export type DrawnDetails = Pick<DayDetails, 'date' | 'axis'> & {
  readonly usual: { readonly low: Profile; readonly high: Profile } | null;
  readonly day: DrawnValues | null;
  readonly plannedModel: DrawnModel | null;
};

/** Parts of an alert that the chart of its day needs. */
export type DrawnFinding = {
  readonly slices: DayPicture['broken'];
  readonly bounds:
    | readonly {
        readonly limit: string;
        readonly lower: readonly number[];
        readonly upper: readonly number[];
      }[]
    | null;
  readonly deviation: (Stretch & { readonly absolute: number }) | null;
  readonly gap: Stretch | null;
  readonly brokenLimits: readonly (Stretch &
    Pick<DrawnAlert['brokenLimits'][number], 'limit' | 'actual' | 'bound'>)[];
};

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
const namedStretches = ({ deviation, gap, slices }: DrawnFinding): DayPicture['broken'] => {
  if (deviation) {
    const { from, to, absolute } = deviation;
    return [{ from, to, direction: absolute < 0 ? 'under' : 'over' }];
  }
  return gap ? [{ from: gap.from, to: gap.to, direction: 'under' }] : slices;
};

/** Slices at which the limit of single slices was broken, each with its bound. */
const brokenSlices = (
  { bounds, slices }: DrawnFinding,
  planned: DayPicture['planned'],
): LimitMark['steps'] => {
  const levels = bounds?.find(({ limit }) => limit === 'slice');
  return slices.flatMap(({ from, to, direction }) => {
    const line = direction === 'over' ? (levels?.upper ?? planned?.top) : (levels?.lower ?? planned?.bottom);
    return Array.from({ length: to - from }, (_, n) => from + n).flatMap(slice => {
      const bound = line?.[slice];
      return bound === undefined ? [] : [{ from: slice, to: slice + 1, bound }];
    });
  });
};

/** Whether a limit is one of values or means; that of the shape is of no value and no mean. */
const isDrawn = ({ limit }: { readonly limit: string }): boolean => limit !== 'shape';

/** The broken limit whose stretch is nearest to the one that the sentence names. */
const limitMark = (alert: DrawnFinding, { broken, planned }: DayPicture): LimitMark | undefined => {
  const candidates = alert.brokenLimits.filter(isDrawn).map(one => ({
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
export const usualPicture = ({ date, day, plannedModel, usual, axis }: DrawnDetails): DayPicture => ({
  ...pictureOf(date, day ?? undefined, plannedModel ?? undefined),
  ...(usual && { usual }),
  ...(axis && { axis }),
});

/** The chart of an alert's day: what its sentence says, and nothing that it does not. */
export const alertPicture = (day: DrawnDetails, alert: DrawnFinding): DayPicture => {
  const picture = { ...usualPicture(day), broken: namedStretches(alert) };
  const mark = limitMark(alert, picture);
  const isUnlike = alert.brokenLimits.length > 0 && !alert.brokenLimits.some(isDrawn);
  return { ...picture, ...(mark && { mark }), ...(isUnlike && { isUnlike }) };
};

/** The value and the bound of a broken limit in words. `suffix` is the text behind numbers of the source. */
export const markWords = (
  { isMean, actual, bound, from }: LimitMark,
  slices: number,
  {
    texts,
    formats,
    suffix,
  }: {
    readonly texts: Pick<Messages['day'], 'meanMark' | 'sliceMark'>;
    readonly formats: Pick<Formats, 'number'>;
    readonly suffix: string;
  },
): string => {
  const [value, limit] = [formats.number(actual), formats.number(bound) + suffix];
  return isMean ? texts.meanMark(value, limit) : texts.sliceMark(clockOf(hourOf(from, slices)), value, limit);
};

/** The band of a chart: the usual range, or the bounds that a person gave; undefined for none. */
export const bandOf = ({
  planned,
  usual,
}: Pick<DayPicture, 'planned' | 'usual'>): DayPicture['usual'] | undefined =>
  usual ?? (planned?.isCustom ? { low: planned.bottom, high: planned.top } : undefined);

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
export const profilesOf = (picture: DayPicture): Profile[] => {
  const { actual, planned, usual, mark, axis } = picture;
  const values = [actual, planned?.activity].filter(profile => profile !== null && profile !== undefined);
  const band = bandOf(picture);
  const low = usual ? usual.low : planned && shownBound(planned.bottom, values);
  return [
    ...values,
    ...(band && low ? [low, band.high] : []),
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
