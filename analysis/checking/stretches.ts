import type { Stretch } from '../../domain/alerts/findings.js';
import { observed, type Day } from '../../domain/day.js';
import type { Assignment, CheckFacts } from '../../domain/planning/models.js';
import type { EngineRules } from '../engine.js';

/** Consecutive slices without data. `length` counts the slices whose data were due. */
export type Gap = Stretch & { readonly length: number };

/** Length of the longest stretch without data on the reference days of a model; of all days without a model. */
export type ReferenceGaps = (modelId: number | null) => number;

/** A gap is longer than these hours, and has at least these slices: a single lost slice is none. */
const gapHours = 2;
const gapSlices = 2;

/** Fewest reference days of a model; with fewer, those of all models count. */
const ownDaysMin = 14;

/**
 * The longest stretch of consecutive slices without data; the earliest of several, null for none.
 * @param observed one flag per slice: whether it has observed points
 * @param due      one flag per slice: whether its data were due; other slices neither lengthen nor end a stretch
 */
export const longestGap = (observed: readonly boolean[], due: readonly boolean[]): Gap | null => {
  let longest: Gap | null = null;
  let from = 0;
  let length = 0;
  for (let slice = 0; slice < observed.length; slice += 1) {
    if (!due[slice]) continue;
    if (observed[slice]) {
      length = 0;
      continue;
    }
    if (length === 0) from = slice;
    length += 1;
    if (length > (longest?.length ?? 0)) longest = { from, to: slice + 1, length };
  }
  return longest;
};

/** The longest gap of a whole day. Slices that the local clock skips have no data to be due. */
const longestGapOf = (day: Day): Gap | null => {
  const due = new Array<boolean>(day.activity.length).fill(true);
  for (const [from, to] of day.skipped ?? []) due.fill(false, from, to);
  return longestGap(observed(day), due);
};

/** The longest gaps of the reference days that are planned to each model. */
export const referenceGaps = (
  reference: readonly Day[],
  assignments: readonly Assignment[],
): ReferenceGaps => {
  const lengths = new Map(reference.map(day => [day.date, longestGapOf(day)?.length ?? 0]));
  const byModel = new Map<number, number[]>();
  for (const { date, modelId, plannedId = modelId } of assignments) {
    const own = byModel.get(plannedId) ?? [];
    own.push(lengths.get(date) ?? 0);
    byModel.set(plannedId, own);
  }
  const all = Math.max(0, ...[...byModel.values()].flat());
  return modelId => {
    const own = modelId === null ? [] : (byModel.get(modelId) ?? []);
    return own.length < ownDaysMin ? all : Math.max(...own);
  };
};

/**
 * The gap of a day: a stretch without data that is longer than any on reference days of its kind; null for none, and
 * for a day without any data.
 * @param longest length of the longest gap of those reference days, called only when it matters
 */
export const unusualGap = (
  day: Day,
  longest: () => number,
): (Stretch & { readonly longest: number }) | null => {
  const gap = longestGapOf(day);
  const size = day.activity.length;
  if (!gap || gap.length < gapSlices || gap.length <= (gapHours * size) / 24) return null;
  if (!observed(day).includes(true)) return null;
  const usual = longest();
  return gap.length > usual ? { from: gap.from, to: gap.to, longest: usual } : null;
};

/** Consecutive slices with the same value: the first slice, their number, and the value. */
export type Flatline = { readonly from: number; readonly length: number; readonly value: number };

/**
 * The longest run of observed slices with the same value in one day; the earliest of several.
 * @param activity one value per slice
 * @param observed which slices hold observed points; a slice that does not, even an interpolated one, ends a run
 */
export const longestFlatline = (activity: readonly number[], observed: readonly boolean[]): Flatline => {
  let longest: Flatline = { from: 0, length: 0, value: 0 };
  for (let from = 0; from < activity.length;) {
    const value = activity[from]!;
    let to = from;
    while (to < activity.length && observed[to] && activity[to] === value) to += 1;
    if (to - from > longest.length) longest = { from, length: to - from, value };
    from = Math.max(to, from + 1);
  }
  return longest;
};

/** A flatline is longer than this factor times the longest of the reference, and than these hours and slices. */
const flatlineFactor = 1.5;
const flatlineHours = 3;
const flatlineSlices = 4;

/** Slices that a flatline is longer than, whatever the reference has. @param size slices of a day */
export const flatlineLengthMin = (size: number): number =>
  Math.max((flatlineHours * size) / 24, flatlineSlices);

/** Rule by which flatlines are found. */
export type FlatlineRule = Pick<EngineRules, 'findsFlatlinesAboveMinimum' | 'comparesConstants'>;

/**
 * The longest flatline of a day above a minimum: a source that is closed has the same value for hours.
 * @param day one value per slice, and which slices hold observed points
 */
export const flatlineAbove = (
  { activity, observed }: { readonly activity: readonly number[]; readonly observed: readonly boolean[] },
  minimum: number,
  { findsFlatlinesAboveMinimum }: FlatlineRule,
): Flatline =>
  longestFlatline(
    activity,
    findsFlatlinesAboveMinimum
      ? observed.map((isObserved, slice) => isObserved && activity[slice]! > minimum)
      : observed,
  );

/** Longest flatline that a reference explains. One without a value above its minimum is constant and explains any. */
export const explainedRun = (
  { longestRun }: Pick<CheckFacts, 'longestRun'>,
  { comparesConstants }: FlatlineRule,
): number => (comparesConstants && longestRun === 0 ? Number.POSITIVE_INFINITY : longestRun);

/** A flatline above the minimum of the reference that is longer than the reference explains; null without one. */
export const unusualFlatline = (
  day: Day,
  facts: Pick<CheckFacts, 'longestRun' | 'minimum'>,
  rule: FlatlineRule,
): Flatline | null => {
  const { minimum } = facts;
  const run = flatlineAbove({ activity: day.activity, observed: observed(day) }, minimum, rule);
  const lengthMin = Math.max(
    flatlineFactor * explainedRun(facts, rule),
    flatlineLengthMin(day.activity.length),
  );
  return run.length > lengthMin && run.value > minimum ? run : null;
};
