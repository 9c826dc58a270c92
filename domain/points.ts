import { dateOf, dayNumber, durationMinutes } from './dates.js';
import { completeness, isLearnable, runsWhere, type Day, type Run, type SliceCount } from './day.js';

/** Values of consecutive slices, from slice `from` on. */
export type SliceValues = readonly [from: number, values: readonly number[]];

/** A date whose end has not come: its later slices are not missing, they are not there yet. */
export type InProgress = {
  /** Number of slices that have elapsed. */
  readonly elapsed: number;
  /** Instant at which the date closes: its local midnight and the lateness of the source. */
  readonly closesAt: string;
};

/** Slices of one date that points set. The other slices of the day stay as they are. */
export type PointsOfDay = {
  readonly date: string;
  /** Slices with points, ascending. */
  readonly observed: readonly SliceValues[];
  /** Slices whose value is computed from points on both sides of them; absent for none. */
  readonly filled?: readonly SliceValues[];
  /** Slices of which nothing is known from now on, such as those of a jump of a register; absent for none. */
  readonly gaps?: readonly Run[];
  /** Slices that the local clock skips on this date; absent when there are none. */
  readonly skipped?: readonly Run[];
  /** Absent for a date that is closed. */
  readonly inProgress?: InProgress;
};

/** How points change the days of a source. */
export type PointsRule = {
  readonly activitySize: SliceCount;
  /** Whether slices without points are filled by linear interpolation between those with points. */
  readonly interpolates: boolean;
  /** Whether nothing is filled after the last value of a date in progress; absent in older events, and for none. */
  readonly endsAtLast?: true;
};

/** An observed slice next to a day: how many slices it is away from the first slice of the day, and its value. */
type Neighbour = { readonly at: number; readonly value: number };

/**
 * Fills slices without values by line between observed ones; before the first, and after the last if it `repeatsLast`,
 * by the nearest.
 */
const fillByNeighbours = (
  values: (number | null)[],
  neighbours: readonly Neighbour[],
  { end, repeatsLast }: { readonly end: number; readonly repeatsLast: boolean },
): void => {
  const known = [
    ...neighbours,
    ...values.flatMap((value, at) => (value === null ? [] : [{ at, value }])),
  ].sort((one, other) => one.at - other.at);
  if (known.length === 0) return;
  for (let slice = 0, next = 0; slice < end; slice += 1) {
    if (values[slice] !== null) continue;
    while (next < known.length && known[next]!.at < slice) next += 1;
    if (!known[next] && !repeatsLast) return;
    const right = known[next] ?? known.at(-1)!;
    const left = known[next - 1] ?? right;
    const share = right.at === left.at ? 0 : (slice - left.at) / (right.at - left.at);
    values[slice] = left.value + share * (right.value - left.value);
  }
};

/** Observed slices of a day; null for the others. */
const observedValues = ({ activity, gaps, filled }: Day): (number | null)[] => {
  const values: (number | null)[] = [...activity];
  for (const [from, to] of [...gaps, ...filled]) values.fill(null, from, to);
  return values;
};

/** The last observed slice of the day before, and the first one of the day after. */
const neighboursOf = (
  days: { readonly before: Day | undefined; readonly after: Day | undefined },
  size: number,
): readonly Neighbour[] => {
  const before = days.before ? observedValues(days.before) : [];
  const after = days.after ? observedValues(days.after) : [];
  const last = before.findLastIndex(value => value !== null);
  const first = after.findIndex(value => value !== null);
  return [
    ...(last < 0 ? [] : [{ at: last - size, value: before[last]! }]),
    ...(first < 0 ? [] : [{ at: first + size, value: after[first]! }]),
  ];
};

/** Reads the recent day of a date; undefined for none. */
type ReadDay = (date: string) => Day | undefined;

/**
 * The recent day of a date after points: they set their slices, and nothing else but what is interpolated between
 * them and the observed slices of the day and of its two neighbours.
 * @param read recent days before the points
 */
export const dayWithPoints = (
  points: PointsOfDay,
  { activitySize: size, interpolates, endsAtLast }: PointsRule,
  read: ReadDay,
): Day => {
  const { date, skipped = [], inProgress } = points;
  const present = read(date);
  const values = present ? observedValues(present) : Array<number | null>(size).fill(null);
  const computed = Array<number | null>(size).fill(null);
  if (present && !interpolates)
    for (const [from, to] of present.filled)
      for (let slice = from; slice < to; slice += 1) computed[slice] = present.activity[slice] ?? null;
  const set = (into: (number | null)[], [from, given]: SliceValues): void =>
    given.forEach((value, index) => (into[from + index] = value));
  for (const run of points.filled ?? []) {
    values.fill(null, run[0], run[0] + run[1].length);
    set(computed, run);
  }
  for (const run of points.observed) set(values, run);
  for (const [from, to] of points.gaps ?? [])
    for (const each of [values, computed]) each.fill(null, from, to);
  const isObserved = values.map(value => value !== null);
  const line = values.map((value, slice) => value ?? computed[slice] ?? null);
  if (interpolates) {
    const number = dayNumber(date);
    const days = { before: read(dateOf(number - 1)), after: read(dateOf(number + 1)) };
    const repeatsLast = !(inProgress && endsAtLast);
    fillByNeighbours(line, neighboursOf(days, size), { end: inProgress?.elapsed ?? size, repeatsLast });
  }
  for (const [from, to] of skipped) line.fill(null, from, to);
  return {
    date,
    activity: line.map(value => value ?? 0),
    gaps: runsWhere(size, slice => line[slice] === null),
    filled: runsWhere(size, slice => line[slice] !== null && !isObserved[slice]),
    ...(skipped.length > 0 && { skipped }),
  };
};

/**
 * The recent day of a date that ends: its last slices are interpolated, too. Undefined without a day.
 * @param read recent days before the end
 */
export const closedDay = (date: string, rule: PointsRule, read: ReadDay): Day | undefined => {
  const present = read(date);
  if (!present) return undefined;
  const { skipped = [] } = present;
  return dayWithPoints({ date, observed: [], skipped }, rule, read);
};

/** The slices of a day that have elapsed, as a day of the same length whose later slices do not belong to it. */
export const elapsedPart = (day: Day, elapsed: number): Day => {
  const size = day.activity.length;
  if (elapsed >= size) return day;
  const later: Run = [elapsed, size];
  const until = (runs: readonly Run[]): Run[] =>
    runs.flatMap(([from, to]) => (from < elapsed ? [[from, Math.min(to, elapsed)] as const] : []));
  const { skipped = [] } = day;
  return {
    ...day,
    activity: [...day.activity.slice(0, elapsed), ...Array<number>(size - elapsed).fill(0)],
    gaps: [...until(day.gaps), later],
    filled: until(day.filled),
    skipped: [...until(skipped), later],
  };
};

/** Observed share of the slices of a day that have elapsed, 0–1. */
export const completenessSoFar = (day: Day, inProgress: InProgress | undefined): number =>
  completeness(inProgress ? elapsedPart(day, inProgress.elapsed) : day);

/** Whether models can be learned from the slices of a day that have elapsed. */
export const isLearnableSoFar = (day: Day, inProgress: InProgress | undefined): boolean =>
  isLearnable(inProgress ? elapsedPart(day, inProgress.elapsed) : day);

/** Milliseconds that a slice or a date of a source is waited for after its end. */
export const latenessMs = ({ lateness }: { readonly lateness: string }): number =>
  (durationMinutes(lateness) ?? 0) * 60_000;
