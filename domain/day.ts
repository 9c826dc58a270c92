import { secondsPerDay } from './dates.js';

/** Numbers of slices that a stored day can have. Clients may also send 1440 slices, which are stored as 144. */
export const sliceCounts = [4, 8, 12, 24, 48, 72, 144] as const;
export type SliceCount = (typeof sliceCounts)[number];

/** Lengths of an activity array that a client may send. */
export const acceptedLengths = [...sliceCounts, 1440] as const;

/** The largest number of slices; every other number divides it. */
export const finestCount = 144;

/**
 * How points become the value of a slice: their mean, their sum, or the rise of a register over the slice (counter).
 * Points of a counter are cumulative readings; its days hold amounts, as those of a sum do.
 */
export const aggregations = ['mean', 'sum', 'counter'] as const;
export type Aggregation = (typeof aggregations)[number];

/** Whether slices hold amounts, which add up to a total of the day; means do not. */
export const isTotal = (aggregation: Aggregation): boolean => aggregation !== 'mean';

/** How a slice without a point is filled: with 0, as a gap, or by linear interpolation between its neighbours. */
export const interpolationMethods = ['zero', 'linear'] as const;
export type InterpolationMethod = (typeof interpolationMethods)[number];

/** Slices `from` (inclusive) to `to` (exclusive), counted from 0. */
export type Run = readonly [from: number, to: number];

/** Activity of one local day. A slice in `gaps` has no data and is 0; a slice in `filled` is interpolated. */
export type Day = {
  readonly date: string;
  readonly activity: readonly number[];
  readonly gaps: readonly Run[];
  readonly filled: readonly Run[];
  /** Slices in `gaps` that the local clock skips on this date; absent when there are none. */
  readonly skipped?: readonly Run[];
};

/** Whether one of the runs has a slice. */
export const isIn = (runs: readonly Run[], slice: number): boolean =>
  runs.some(([from, to]) => from <= slice && slice < to);

/** Total number of slices in runs. */
export const runsLength = (runs: readonly Run[]): number =>
  runs.reduce((sum, [from, to]) => sum + to - from, 0);

/** Number of the slices of a day that its local clock has; 0 on a date that it skips whole. */
export const slicesOf = ({ activity, skipped = [] }: Pick<Day, 'activity' | 'skipped'>): number =>
  activity.length - runsLength(skipped);

/**
 * Share of the slices of a day with observed points, 0–1. Interpolated slices count as not observed; slices that the
 * local clock skips do not belong to the day. 0 for a day without slices, which older logs may have.
 */
export const completeness = (day: Day): number => {
  const observed = day.activity.length - runsLength(day.gaps) - runsLength(day.filled);
  const slices = slicesOf(day);
  return slices === 0 ? 0 : observed / slices;
};

/** Smallest share of usable slices of a reference day that models are learned from. */
export const learnedShareMin = 0.75;

/** Whether models can be learned from a day. Slices that the local clock skips do not belong to the day. */
export const isLearnable = (day: Day): boolean => {
  const count = day.activity.length - runsLength(day.gaps);
  return count > 0 && count >= learnedShareMin * slicesOf(day);
};

/** Runs of the slices, out of `length`, for which `holds` is true. */
export const runsWhere = (length: number, holds: (index: number) => boolean): Run[] => {
  const runs: Run[] = [];
  for (let index = 0; index < length; index += 1) {
    if (!holds(index)) continue;
    const from = index;
    while (index < length && holds(index)) index += 1;
    runs.push([from, index]);
  }
  return runs;
};

/** One flag per slice: whether it is used in learning and checking. Gaps are not; interpolated slices are. */
export const usable = (day: Day): boolean[] => {
  const flags = new Array<boolean>(day.activity.length).fill(true);
  for (const [from, to] of day.gaps) flags.fill(false, from, to);
  return flags;
};

/** One flag per slice: whether it has observed points; neither gaps nor interpolated slices have. */
export const observed = (day: Day): boolean[] => {
  const flags = usable(day);
  for (const [from, to] of day.filled) flags.fill(false, from, to);
  return flags;
};

/**
 * Converts the activity of a day to another number of slices. With `mean` each new slice is the time-weighted mean of
 * the old slices that it covers; of totals it is their sum, and old slices are split equally. Missing values count for
 * nothing; a new slice is missing when all that it covers is.
 * @param values one value per slice, NaN for a missing one; their number and `length` divide 144 or are multiples of it
 * @returns      `length` values
 */
export const resample = (values: readonly number[], length: number, aggregation: Aggregation): number[] => {
  if (values.length === length) return [...values];
  const fine = Math.max(finestCount, values.length, length);
  const each = fine / values.length;
  const per = fine / length;
  return Array.from({ length }, (_, slice) => {
    let sum = 0;
    let missing = 0;
    for (let index = slice * per; index < (slice + 1) * per;) {
      const source = Math.floor(index / each);
      const until = Math.min((source + 1) * each, (slice + 1) * per);
      const value = values[source] ?? NaN;
      if (Number.isNaN(value)) missing += until - index;
      else sum += value * (until - index);
      index = until;
    }
    if (missing === per) return NaN;
    return sum / (isTotal(aggregation) ? each : per - missing);
  });
};

/**
 * Largest number of slices that points in steps of `stepSeconds` fill evenly: with a whole number of points per slice,
 * or with at least ten.
 */
export const countFilledBy = (stepSeconds: number): SliceCount => {
  for (const count of [...sliceCounts].reverse()) {
    const seconds = secondsPerDay / count;
    if (seconds % stepSeconds === 0 || seconds >= 10 * stepSeconds) return count;
  }
  return sliceCounts[0];
};

/** Heights of block characters, the lowest first, and the mark of a stretch without data. */
const heights = '▁▂▃▄▅▆▇█';
const noData = '·';
const lowest = heights[0] ?? '';

/** Most characters of a line; every number of slices above it is a multiple of a smaller one. */
const charactersMax = 48;

/** Means of the observed slices of equal stretches; undefined for a stretch without data. */
const stretchMeans = ({ activity, gaps }: BlockDay, elapsed: number): readonly (number | undefined)[] => {
  const length = Math.ceil(activity.length / charactersMax);
  return Array.from({ length: Math.ceil(activity.length / length) }, (_, stretch) => {
    const from = stretch * length;
    const observed = activity
      .slice(from, from + length)
      .filter((_value, index) => !isIn(gaps, from + index) && from + index < elapsed);
    const sum = observed.reduce((total, value) => total + value, 0);
    return observed.length === 0 ? undefined : sum / observed.length;
  });
};

type BlockDay = Pick<Day, 'activity' | 'gaps'>;

/**
 * The values of a day as a line of at most 48 block characters, from its lowest value to its highest.
 * @param elapsed slices that have elapsed, for a date in progress
 */
export const dayBlocks = (day: BlockDay, elapsed = day.activity.length): string => {
  const means = stretchMeans(day, elapsed);
  const known = means.filter(mean => mean !== undefined);
  const low = Math.min(...known);
  const span = Math.max(...known) - low;
  return means
    .map(mean => {
      if (mean === undefined) return noData;
      const height = span > 0 ? Math.round(((mean - low) / span) * (heights.length - 1)) : 0;
      return heights[height] ?? lowest;
    })
    .join('');
};
