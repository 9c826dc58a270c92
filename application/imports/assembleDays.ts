import { dateOf } from '../../domain/dates.js';
import {
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
} from '../../domain/day.js';
import type { DayKind, ImportSummary } from '../../domain/days.js';
import { InvalidInput } from './faults.js';
import { eventLoopYielder } from '../chunks.js';
import { skippedSlices, utcClock, type LocalClock } from './localClock.js';

/** How the days of a body are read: settings of the source, and the kind of the days. */
export type DayRule = {
  readonly kind: DayKind;
  /** `undefined` only for a new source: the sampling of the body decides. */
  readonly activitySize: SliceCount | undefined;
  readonly aggregation: Aggregation;
  readonly interpolationMethod: InterpolationMethod;
  /** The clock by whose midnights days are cut; UTC when it is not given. */
  readonly clock?: LocalClock;
};

/** The days of a body without faults. */
export type ImportedDays = {
  /** By ascending date, each date once. */
  readonly days: readonly Day[];
  readonly activitySize: SliceCount;
  readonly summary: ImportSummary;
};

/** A sampled day: `values` has `activitySize` numbers, NaN for slices without points. */
export type SampledDay = { readonly dayNumber: number; readonly values: number[] };

/** Fewest reference days with three quarters of their slices from which typical days can be learned. */
export const referenceDaysMin = 14;
/** Longest reference, from its first day on: a leap year. */
export const referenceDaysMax = 366;
/** Most days in one import of recent data. */
export const recentDaysMax = 50_000;
/** Largest magnitude of a value, in the unit of the source. Sums over a day and their squares stay finite. */
export const valueMax = 1e100;

const daysOfYear = 365;
const warningsMax = 100;
/** Dates that a warning lists. */
const datesMax = 3;

type Warning = ImportSummary['warnings'][number];

/** A list of the first 100 warnings and the number of the others. */
export const warningList = (): { add: (warning: Warning) => void; all: () => readonly Warning[] } => {
  const kept: Warning[] = [];
  let others = 0;
  return {
    add: warning => {
      if (kept.length < warningsMax) kept.push(warning);
      else others += 1;
    },
    all: () =>
      others === 0
        ? kept
        : [...kept, { code: 'moreWarnings', detail: `${others} more warnings like the last are not listed` }],
  };
};

/** An observed slice: slices since 1970-01-01, and its value. */
type Point = { readonly at: number; readonly value: number };

/**
 * Fills every NaN by linear interpolation over time between the two nearest observed slices, also across midnight and
 * missing days. Before the first and after the last observed slice the nearest value is used. Without any observed
 * slice nothing changes.
 * @param days by ascending day number, each with `size` values; changed in place
 */
const fillByLine = async (days: readonly SampledDay[], size: number): Promise<void> => {
  const yieldToEventLoop = eventLoopYielder();
  let left: Point | undefined;
  // The first slice that is not filled yet. All slices from it to the current one are NaN.
  let openDay = 0;
  let openSlice = 0;
  const fillUntil = (endDay: number, endSlice: number, right: Point | undefined): void => {
    const from = left ?? right;
    const to = right ?? left;
    if (from === undefined || to === undefined) return;
    const slope = to.at === from.at ? 0 : (to.value - from.value) / (to.at - from.at);
    for (let index = openDay; index <= endDay; index += 1) {
      const day = days[index];
      if (day === undefined) return;
      const last = index === endDay ? endSlice : size;
      for (let slice = index === openDay ? openSlice : 0; slice < last; slice += 1)
        day.values[slice] = from.value + slope * (day.dayNumber * size + slice - from.at);
    }
  };
  for (const [index, { dayNumber, values }] of days.entries()) {
    for (let slice = 0; slice < size; slice += 1) {
      const value = values[slice];
      if (value === undefined || Number.isNaN(value)) continue;
      const point = { at: dayNumber * size + slice, value };
      fillUntil(index, slice, point);
      left = point;
      openDay = index;
      openSlice = slice + 1;
    }
    await yieldToEventLoop();
  }
  fillUntil(days.length - 1, size, undefined);
};

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const spanOf = (days: readonly SampledDay[]) => {
  const first = days[0]?.dayNumber ?? 0;
  const last = days.at(-1)?.dayNumber ?? 0;
  return { span: last - first + 1, dates: `${dateOf(first)} to ${dateOf(last)}` };
};

/** A warning when dates between the first and the last are missing: the source sent nothing all day. */
export const missingDates = (days: readonly SampledDay[]): Warning[] => {
  const { span, dates } = spanOf(days);
  return days.length === span
    ? []
    : [
        {
          code: 'daysMissing',
          detail: `${span - days.length} of the ${span} dates ${dates} are missing`,
        },
      ];
};

/** Warnings for usable reference data. */
const referenceWarnings = (days: readonly SampledDay[]): Warning[] => {
  const { span, dates } = spanOf(days);
  return [
    ...(span < daysOfYear
      ? [
          {
            code: 'lessThanAYear',
            detail: `got ${plural(span, 'day')} (${dates}), expected a year: seasons outside are not learned`,
          },
        ]
      : []),
    ...missingDates(days),
  ];
};

/** A warning for values in hours that the local clock skips. */
const skippedHours = (dates: readonly string[], values: number, timeZone: string): Warning[] =>
  values === 0
    ? []
    : [
        {
          code: 'skippedHour',
          detail:
            `${plural(values, 'value')} in hours that the clock of ${timeZone} skips ` +
            `${values === 1 ? 'was' : 'were'} left out: ${dates.slice(0, datesMax).join(', ')}` +
            (dates.length > datesMax ? ' …' : ''),
        },
      ];

/** A sampled day, its slices without points, and those that the local clock skips. */
type GappedDay = SampledDay & { readonly missing: readonly Run[]; readonly skipped: readonly Run[] };

/** Finds the gaps of days. Values in skipped slices are removed, in place, and reported. */
const findGaps = async (
  sampled: readonly SampledDay[],
  size: SliceCount,
  clock: LocalClock,
): Promise<{ readonly gapped: readonly GappedDay[]; readonly warnings: readonly Warning[] }> => {
  const yieldToEventLoop = eventLoopYielder();
  const gapped: GappedDay[] = [];
  const dates: string[] = [];
  let removed = 0;
  for (const { dayNumber, values } of sampled) {
    const skipped = skippedSlices(clock, dayNumber, size);
    for (const [from, to] of skipped) {
      const present = values.slice(from, to).filter(value => !Number.isNaN(value)).length;
      if (present === 0) continue;
      removed += present;
      dates.push(dateOf(dayNumber));
      values.fill(NaN, from, to);
    }
    const missing = runsWhere(size, slice => Number.isNaN(values[slice]));
    gapped.push({ dayNumber, values, missing, skipped });
    await yieldToEventLoop();
  }
  return { gapped, warnings: skippedHours(dates, removed, clock.timeZone) };
};

/** The slices of `runs` that are in none of `others`. */
const without = (runs: readonly Run[], others: readonly Run[], size: SliceCount): readonly Run[] =>
  others.length === 0 ? runs : runsWhere(size, slice => isIn(runs, slice) && !isIn(others, slice));
const isIn = (runs: readonly Run[], slice: number): boolean =>
  runs.some(([from, to]) => from <= slice && slice < to);

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
  const { gapped, warnings } = await findGaps(sampled, activitySize, clock);
  const missingSamples = gapped.reduce(
    (sum, { missing, skipped }) => sum + runsLength(missing) - runsLength(skipped),
    0,
  );
  const observed = gapped.some(({ missing }) => runsLength(missing) < activitySize);
  const isFilled = rule.interpolationMethod === 'linear' && observed;
  if (isFilled && missingSamples > 0) await fillByLine(sampled, activitySize);

  const yieldToEventLoop = eventLoopYielder();
  const days: Day[] = [];
  for (const { dayNumber, values, missing, skipped } of gapped) {
    const gaps = isFilled ? skipped : missing;
    for (const [from, to] of gaps) values.fill(0, from, to);
    const filled = isFilled ? without(missing, skipped, activitySize) : [];
    const day = { date: dateOf(dayNumber), activity: values, gaps, filled };
    days.push(skipped.length === 0 ? day : { ...day, skipped });
    await yieldToEventLoop();
  }
  requireLearnable(days, activitySize, rule);
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
        ...warnings,
        ...counted.warnings,
      ],
      ...notesOf(counted.notes, clock),
    },
  };
};

/** Notes of the reader, and what the clock of the source means for the days. */
const notesOf = (
  notes: readonly string[] = [],
  { timeZone, zoneData }: LocalClock,
): Pick<ImportSummary, 'notes' | 'zoneData'> =>
  zoneData === undefined
    ? { notes }
    : { notes: [...notes, `days are cut at midnight in ${timeZone}, time-zone data ${zoneData}`], zoneData };

/** Refuses reference data with too few days to learn from, and says what helps. @throws InvalidInput */
const requireLearnable = (days: readonly Day[], activitySize: SliceCount, rule: DayRule): void => {
  const count = days.filter(isLearnable).length;
  if (rule.kind !== 'reference' || count >= referenceDaysMin) return;
  throw new InvalidInput(
    'referenceTooShort',
    `got ${plural(count, 'day')} of ${days.length} with at least ${100 * learnedShareMin} % of their ` +
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
  const cures = [
    ...(size === undefined ? [] : [`with activitySize=${size} there are ${countWith(size)}`]),
    ...(interpolationMethod === 'linear' ? [] : ['interpolationMethod=linear fills gaps between readings']),
  ];
  return cures.length > 0 ? `: ${cures.join('; ')}` : '';
};
