/** How many slices a day may have here, coarsest first. 1440 is accepted from clients and kept as 144. */
export const sliceCounts = [4, 8, 12, 24, 48, 72, 144] as const;
export type SliceCount = (typeof sliceCounts)[number];

/** Lengths of an activity array that a client may send. */
export const acceptedLengths = [...sliceCounts, 1440] as const;

/** The finest slices of all; each allowed count divides it. */
export const finestCount = 144;

/** What several points in one slice become: their mean, or their sum (counters). */
export const aggregations = ['mean', 'sum'] as const;
export type Aggregation = (typeof aggregations)[number];

/** What a slice without a point becomes: 0 and not observed, or the line between its neighbours. */
export const interpolationMethods = ['zero', 'linear'] as const;
export type InterpolationMethod = (typeof interpolationMethods)[number];

/** Slices `from` (inclusive) to `to` (exclusive), counted from 0. */
export type Run = readonly [from: number, to: number];

/** The activity of one UTC day. A slice in `gaps` was not observed and is 0; one in `filled` was interpolated. */
export type Day = {
  readonly date: string;
  readonly activity: readonly number[];
  readonly gaps: readonly Run[];
  readonly filled: readonly Run[];
};

/** Number of slices in `runs`. */
export const runsLength = (runs: readonly Run[]): number =>
  runs.reduce((sum, [from, to]) => sum + to - from, 0);

/** Share of a day's slices that hold observed points, 0–1; an interpolated slice is not an observed one. */
export const completeness = (day: Day): number =>
  (day.activity.length - runsLength(day.gaps) - runsLength(day.filled)) / day.activity.length;

/** Runs of the indices for which `holds` is true, of `length` slices. */
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

/** One flag a slice: whether it takes part in learning and checking (interpolated slices do, gaps do not). */
export const usable = (day: Day): boolean[] => {
  const flags = Array.from({ length: day.activity.length }, () => true);
  for (const [from, to] of day.gaps) flags.fill(false, from, to);
  return flags;
};

/** One flag a slice: whether it holds observed points, neither missing nor interpolated. */
export const observed = (day: Day): boolean[] => {
  const flags = usable(day);
  for (const [from, to] of day.filled) flags.fill(false, from, to);
  return flags;
};

/**
 * An activity of one length as one of another length of the same day. With `mean` each new slice is the
 * time-weighted mean of what it covers, with `sum` what it covers is added, old slices split equally.
 * @param values one value a slice; their number and `length` both divide or are divided by 144
 * @returns      `length` values
 */
export const resample = (values: readonly number[], length: number, aggregation: Aggregation): number[] => {
  if (values.length === length) return [...values];
  const fine = Math.max(finestCount, values.length, length);
  const each = fine / values.length;
  const per = fine / length;
  const scale = aggregation === 'mean' ? per : each;
  return Array.from({ length }, (_, slice) => {
    let sum = 0;
    for (let index = slice * per; index < (slice + 1) * per;) {
      const source = Math.floor(index / each);
      const until = Math.min((source + 1) * each, (slice + 1) * per);
      sum += (values[source] ?? 0) * (until - index);
      index = until;
    }
    return sum / scale;
  });
};

/** The finest count of slices that points `stepSeconds` apart fill evenly: whole steps a slice, or ten and more. */
export const countFilledBy = (stepSeconds: number): SliceCount => {
  for (const count of [...sliceCounts].reverse()) {
    const seconds = 86_400 / count;
    if (seconds % stepSeconds === 0 || seconds >= 10 * stepSeconds) return count;
  }
  return sliceCounts[0];
};
