import { referenceDaysMin } from '../../../domain/source/leftOutDays.js';
import { dateOf } from '../../../domain/dates.js';
import {
  isIn,
  isLearnable,
  learnedShareMin,
  resample,
  runsLength,
  runsWhere,
  sliceCounts,
  usable,
  type Aggregation,
  type Day,
  type InterpolationMethod,
  type Run,
  type SliceCount,
} from '../../../domain/day.js';
import type { DayKind, ImportSummary } from '../../../domain/days.js';
import { percent, plural } from '../../../domain/text.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import { InvalidInput, fillByLine, type SampledDay, futureDays, type FutureRule } from './faults.js';
import { slicesBefore, startOf } from '../points/sliceTimes.js';
import type { InProgress } from '../../../domain/points.js';
import { referenceWarnings, skippedHours, misreadWarnings, readDays } from './importWarnings.js';
import { skippedSlices, utcClock, type LocalClock } from '../../ports/localClock.js';

/** How the days of a body are read: settings of the source, and the kind of the days. */
export type DayRule = {
  readonly kind: DayKind;
  /** `undefined` only for a new source: the sampling of the body decides. */
  readonly activitySize: SliceCount | undefined;
  readonly aggregation: Aggregation;
  readonly interpolationMethod: InterpolationMethod;
  /** The clock by whose midnights days are cut; UTC when it is not given. */
  readonly clock?: LocalClock;
  /** For recent readings of a counter: the most that the source expects in a slice. */
  readonly expectedMax?: number | undefined;
  /** For recent days of a service; without it days may have any date. */
  readonly future?: FutureRule;
  /** Reads the stored days that new ones are compared with; without it only the new days are. */
  readonly known?: (days: readonly Day[]) => Promise<readonly Day[]>;
};

/** The days of a body without faults. */
export type ImportedDays = {
  /** By ascending date, each date once. */
  readonly days: readonly Day[];
  readonly activitySize: SliceCount;
  readonly summary: ImportSummary;
};

/** Longest reference, from its first day on: a leap year. */
export const referenceDaysMax = 366;
/** Largest magnitude of a value, in the unit of the source. Sums over a day and their squares stay finite. */
export const valueMax = 1e100;

/** A sampled day, its slices without points, and those that the local clock skips. */
type GappedDay = Required<SampledDay> & {
  readonly missing: readonly Run[];
  readonly skipped: readonly Run[];
  /** For a date in progress, whose later slices are neither missing nor filled. */
  readonly inProgress?: InProgress;
};

/**
 * Whether a day is today or later by the clock of its source, with slices to come. A day with its last slice is whole,
 * and after local midnight an import closes its date.
 */
const progressOf = (
  { dayNumber, values }: Pick<SampledDay, 'dayNumber' | 'values'>,
  clock: LocalClock,
  future: FutureRule | undefined,
): InProgress | undefined => {
  if (!future || dayNumber < future.tomorrow - 1) return undefined;
  const size = values.length as SliceCount;
  const passed = slicesBefore(clock, size, dayNumber, future.nowMs / 1000);
  const elapsed = Math.max(passed, values.findLastIndex(value => !Number.isNaN(value)) + 1);
  const closesAt = Math.ceil(startOf(clock, dayNumber + 1) * 1000) + future.latenessMs;
  return elapsed < size ? { elapsed, closesAt: new Date(closesAt).toISOString() } : undefined;
};

/** Finds the gaps of days. Values in skipped slices are removed, in place, and reported. */
const findGaps = async (
  sampled: readonly SampledDay[],
  size: SliceCount,
  { clock = utcClock, future }: Pick<DayRule, 'clock' | 'future'>,
): Promise<{ readonly gapped: readonly GappedDay[]; readonly warnings: ImportSummary['warnings'] }> => {
  const yieldToEventLoop = eventLoopYielder();
  const gapped: GappedDay[] = [];
  const dates: string[] = [];
  let removed = 0;
  for (const { dayNumber, values, spread = [] } of sampled) {
    const skipped = skippedSlices(clock, dayNumber, size);
    for (const [from, to] of skipped) {
      const present = values.slice(from, to).filter(value => !Number.isNaN(value)).length;
      if (present === 0) continue;
      removed += present;
      dates.push(dateOf(dayNumber));
      values.fill(NaN, from, to);
    }
    const missing = runsWhere(size, slice => Number.isNaN(values[slice]));
    const inProgress = progressOf({ dayNumber, values }, clock, future);
    gapped.push({ dayNumber, values, spread, missing, skipped, ...(inProgress && { inProgress }) });
    await yieldToEventLoop();
  }
  return { gapped, warnings: skippedHours(dates, removed, clock.timeZone) };
};

/** The slices of `runs` that are in none of `others`. */
const without = (runs: readonly Run[], others: readonly Run[], size: SliceCount): readonly Run[] =>
  others.length === 0 ? runs : runsWhere(size, slice => isIn(runs, slice) && !isIn(others, slice));

/**
 * Slices that are not due: those that the local clock skips, and those of a date in progress that have not come, or
 * have no value after them yet by which they could be filled.
 */
const notDue = (
  { missing, skipped, inProgress }: Pick<GappedDay, 'missing' | 'skipped' | 'inProgress'>,
  size: SliceCount,
  endsAtLast: boolean,
): readonly Run[] => {
  if (!inProgress) return skipped;
  const end = endsAtLast ? (missing.at(-1)?.[0] ?? size) : inProgress.elapsed;
  return runsWhere(size, slice => slice >= end || isIn(skipped, slice));
};

/** The slices of `runs` and of `others`. */
const joined = (runs: readonly Run[], others: readonly Run[], size: SliceCount): readonly Run[] =>
  others.length === 0 ? runs : runsWhere(size, slice => isIn(runs, slice) || isIn(others, slice));

/**
 * The days of an import from sampled days. Gaps are recorded, and filled if the method of the source is `linear`;
 * slices that the local clock skips stay gaps.
 * @param sampled by ascending day number, `activitySize` values each; the result uses its arrays
 * @param counted counts of the reader
 * @throws InvalidInput `referenceTooShort` when fewer than 14 reference days have three quarters of their slices,
 *             after filling
 */
export const finishDays = async (
  sampled: readonly SampledDay[],
  activitySize: SliceCount,
  rule: DayRule,
  counted: Pick<ImportSummary, 'lines' | 'duplicates' | 'warnings' | 'localStamps' | 'notes'>,
): Promise<ImportedDays> => {
  const { clock = utcClock } = rule;
  const { gapped, warnings } = await findGaps(sampled, activitySize, rule);
  const last = gapped.findLast(({ missing }) => runsLength(missing) < activitySize);
  const isFilled = rule.interpolationMethod === 'linear' && last !== undefined;
  const neverDue = (day: GappedDay): readonly Run[] =>
    notDue(day, activitySize, isFilled && day.dayNumber >= last.dayNumber);
  const missingSamples = gapped.reduce(
    (sum, day) =>
      sum + runsLength(without(day.missing, neverDue(day), activitySize)) + runsLength(day.spread),
    0,
  );
  if (isFilled && missingSamples > 0) await fillByLine(sampled, activitySize);

  const yieldToEventLoop = eventLoopYielder();
  const days: Day[] = [];
  for (const gappedDay of gapped) {
    const { dayNumber, values, spread, missing, skipped } = gappedDay;
    const never = neverDue(gappedDay);
    const gaps = isFilled ? never : missing;
    for (const [from, to] of gaps) values.fill(0, from, to);
    const filled = isFilled ? joined(without(missing, never, activitySize), spread, activitySize) : [];
    const day = { date: dateOf(dayNumber), activity: values, gaps, filled };
    days.push(skipped.length === 0 ? day : { ...day, skipped });
    await yieldToEventLoop();
  }
  requireLearnable(days, activitySize, rule);
  const { warnings: futureWarnings, ...future } = futureDays(sampled, rule.future);
  const inProgress = gapped.flatMap(({ dayNumber, inProgress }) =>
    inProgress ? [{ date: dateOf(dayNumber), ...inProgress }] : [],
  );
  return {
    days,
    activitySize,
    summary: {
      ...counted,
      days: days.length,
      missingSamples,
      filledSamples: isFilled ? missingSamples : 0,
      warnings: [
        ...(rule.kind === 'reference' ? referenceWarnings(sampled) : []),
        ...futureWarnings,
        ...warnings,
        ...(await misreadWarnings(readDays(days), readDays((await rule.known?.(days)) ?? []), clock)),
        ...counted.warnings,
      ],
      ...future,
      ...(inProgress.length > 0 && { inProgress }),
      ...notesOf(counted.notes, clock),
    },
  };
};

/** Notes of the reader, and on the clock that cuts the days. */
const notesOf = (
  notes: readonly string[] = [],
  { timeZone, zoneData }: LocalClock,
): Pick<ImportSummary, 'notes' | 'zoneData'> =>
  zoneData === undefined
    ? { notes }
    : { notes: [...notes, `days are cut at midnight in ${timeZone}, time-zone data ${zoneData}`], zoneData };

/** Refuses reference data with too few days to learn from, and gives advice. @throws InvalidInput */
const requireLearnable = (days: readonly Day[], activitySize: SliceCount, rule: DayRule): void => {
  const count = days.filter(isLearnable).length;
  if (rule.kind !== 'reference' || count >= referenceDaysMin) return;
  throw new InvalidInput(
    'referenceTooShort',
    `got ${plural(count, 'day')} of ${days.length} with at least ${percent(learnedShareMin)} of their ` +
      `${activitySize} slices observed, expected at least ${referenceDaysMin}` +
      adviceOn(days, activitySize, rule),
    [],
  );
};

/** Advice when too few days are learnable: more days, a smaller number of slices, or interpolation. */
const adviceOn = (
  days: readonly Day[],
  activitySize: SliceCount,
  { aggregation, interpolationMethod }: DayRule,
): string => {
  // A reading a day of a register gives no slice either, without interpolation.
  const isEmpty = days.every(({ activity, gaps }) => runsLength(gaps) === activity.length);
  if (isEmpty && aggregation !== 'counter') return ': all values are missing';
  if (days.length < referenceDaysMin) return ': import a longer reference';
  const observedIn = days.map(day => {
    const flags = usable(day);
    return day.activity.map((value, slice) => (flags[slice] ? value : NaN));
  });
  const countWith = (size: SliceCount): number =>
    observedIn.filter(
      values => resample(values, size, aggregation).filter(Number.isFinite).length >= learnedShareMin * size,
    ).length;
  const size = [...sliceCounts]
    .reverse()
    .find(each => each < activitySize && countWith(each) >= referenceDaysMin);
  const advice = [
    ...(size === undefined ? [] : [`with activitySize=${size} there are ${countWith(size)}`]),
    ...(interpolationMethod === 'linear' ? [] : ['interpolationMethod=linear fills gaps between readings']),
  ];
  return advice.length > 0 ? `: ${advice.join('; ')}` : '';
};
