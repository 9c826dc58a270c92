import { windowMax, type ReadDay } from '../../../analysis/misread/windows.js';
import { misreadings, type Misreading } from '../../../analysis/misread/misreadings.js';
import { dateOf, secondsPerDay, dayNumber } from '../../../domain/dates.js';
import {
  isTotal,
  type Aggregation,
  type InterpolationMethod,
  type SliceCount,
  observed,
  type Day,
} from '../../../domain/day.js';
import type { ImportSummary } from '../../../domain/days.js';
import { plural, percent } from '../../../domain/text.js';
import type { LocalClock } from '../../ports/localClock.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import type { SampledDay } from './faults.js';

/** Cures of warnings by their codes, one sentence each. */
const cures: Readonly<Record<string, string>> = {
  clockShifted:
    'Check the offsets of the time stamps, import stamps of a local clock with the time zone of the source and clock=local, and import these days again.',
  correctionsWait: 'Nothing needs to be done: the points are durable, and reads show them from then on.',
  counterJump: 'Correct the reading, or take back the days after it, and import them again.',
  counterReset: 'Nothing needs to be done: the interval has no amount, since its use cannot be known.',
  counterRollOver: 'Nothing needs to be done if the meter has so many digits; else correct the reading.',
  dayMonthSwapped:
    'Write the dates as YYYY-MM-DD, or day first with dateFormat=DD/MM/YYYY HH:mm, import the file again, and take the wrong days back.',
  daysMissing: 'Import the missing dates if the source has data of them.',
  duplicate: 'Nothing needs to be done if the repeated rows are copies; else correct their times.',
  futureDays: 'Check the year and the order of day and month, and take back days that are wrong.',
  latePoint: 'Nothing needs to be done if all points of these slices were sent; else send them together.',
  lessThanAYear: 'Learn the source again when it has data of a whole year.',
  localStamps:
    'Write the stamps with their offset from UTC if the order of the rows does not tell which hour is meant.',
  looksCumulative:
    'If the values are readings of a register, import them into a source with aggregation=counter, which takes their differences.',
  moreWarnings: 'Correct what the listed warnings have in common, and import again.',
  notCumulative:
    'Create a source with aggregation=sum if the values are amounts, or with aggregation=mean if they are levels.',
  oneRowADay:
    'Import the values of the hours or slices of each day: a total for a day has no profile to learn.',
  repeatedBlock: 'Find out which dates the values belong to, and import the right values of the other dates.',
  skippedHour: 'Check the time zone of the source, or send null for hours that its clock skips.',
  thousands: 'Import the file again with decimal=. if the comma separates thousands.',
  unitChanged:
    'Convert the values from that date on to the unit of the days before and import them again, or learn the source again if the new unit stays.',
};

/** Codes of all warnings. */
export const warningCodes: readonly string[] = Object.keys(cures);

/** The cure of a warning; codes of other versions have a general one. */
const cureOf = (code: string): string =>
  cures[code] ?? 'Read the detail, and import corrected data if they are not what was meant.';

/** Warnings with their cures: those are not stored, so old imports have them, too. */
export const withCures = <Warning extends { readonly code: string }>(
  warnings: readonly Warning[],
): readonly (Warning & { readonly cure: string })[] =>
  warnings.map(warning => ({ ...warning, cure: cureOf(warning.code) }));

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

const spanOf = (days: readonly SampledDay[]) => {
  const first = days[0]?.dayNumber ?? 0;
  const last = days.at(-1)?.dayNumber ?? 0;
  return { span: last - first + 1, dates: `${dateOf(first)} to ${dateOf(last)}` };
};

/** A warning when dates between the first and the last are missing: the source sent nothing all day. */
export const missingDatesWarning = (days: readonly SampledDay[]): Warning[] => {
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
export const referenceWarnings = (days: readonly SampledDay[]): Warning[] => {
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
    ...missingDatesWarning(days),
  ];
};

/** A warning for values in hours that the local clock skips. */
export const skippedHours = (dates: readonly string[], values: number, timeZone: string): Warning[] =>
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

/** Slices of each length in words. */
const sliceWords: Readonly<Record<SliceCount, string>> = {
  4: 'slices of 6 hours',
  8: 'slices of 3 hours',
  12: 'slices of 2 hours',
  24: 'hours',
  48: 'half-hours',
  72: 'slices of 20 minutes',
  144: 'slices of 10 minutes',
};

/** Data with so many seconds between two values, in words. */
export const stepWords = (seconds: number): string => {
  if (seconds === 1) return 'data every second';
  if (seconds === 60) return 'data every minute';
  if (seconds === 3600) return 'hourly data';
  if (seconds === secondsPerDay) return 'daily data';
  if (seconds % 3600 === 0) return `${seconds / 3600}-hour data`;
  return seconds % 60 === 0 ? `${seconds / 60}-minute data` : `data every ${seconds} seconds`;
};

const rounded = (number: number): number => Math.round(number * 10) / 10;

/** Note on the sampling of a file: "15-minute data, kept as 48 half-hours: 2 values a slice". */
export const samplingNote = (
  stepSeconds: number,
  size: SliceCount,
  interpolationMethod: InterpolationMethod,
): string => {
  const sliceSeconds = secondsPerDay / size;
  const kept = `${stepWords(stepSeconds)}, kept as ${size} ${sliceWords[size]}`;
  if (stepSeconds <= sliceSeconds) {
    const values = rounded(sliceSeconds / stepSeconds);
    return `${kept}: ${values} value${values === 1 ? '' : 's'} a slice`;
  }
  const others = interpolationMethod === 'linear' ? 'filled between them' : 'not observed';
  return `${kept}: 1 value in ${rounded(stepSeconds / sliceSeconds)} slices, the others are ${others}`;
};

/** Note on days with another length than the source: "2 days of 24 values, kept as 48 half-hours: …". */
export const conversionNote = (
  length: number,
  size: SliceCount,
  aggregation: Aggregation,
  days: number,
): string => {
  const summary = `${plural(days, 'day')} of ${length} values, kept as ${size} ${sliceWords[size]}`;
  if (length > size)
    return `${summary}: the ${isTotal(aggregation) ? 'sum' : 'mean'} of ${rounded(length / size)} values is a slice`;
  return isTotal(aggregation)
    ? `${summary}: each value is split into ${rounded(size / length)}`
    : `${summary}: each value is repeated ${rounded(size / length)} times`;
};

/** Newest days of an import that are looked at: more than two years. */
export const freshDaysMax = 800;

/** Days as the rules for misreadings take them: slices without points are NaN. */
export const readDays = (days: readonly Day[]): readonly ReadDay[] =>
  days.map(day => {
    const flags = observed(day);
    return {
      dayNumber: dayNumber(day.date),
      values: day.activity.map((value, slice) => (flags[slice] ? value : NaN)),
    };
  });

const threeDigits = (number: number): number => Number(number.toPrecision(3));

/** A factor in words: ×1000, or ÷60. */
const factorText = (factor: number): string =>
  factor >= 1 ? `×${threeDigits(factor)}` : `÷${threeDigits(1 / factor)}`;

const datesText = (from: number, to: number): string => `${dateOf(from)} to ${dateOf(to)}`;

/** Days around a shift in which a change of the clock explains it: windows tell its date within a week. */
const nearDays = 7;

/** The date near a day number on which a clock changes; undefined without one. */
const clockChangeNear = ({ periodAt }: LocalClock, at: number): string | undefined => {
  for (let day = at - nearDays; day <= at + nearDays; day += 1)
    if (periodAt(day * secondsPerDay).offset !== periodAt((day + 1) * secondsPerDay).offset)
      return dateOf(day);
  return undefined;
};

const shiftText = (
  { at, hours, votes }: Misreading & { code: 'clockShifted' },
  clock: LocalClock,
): string => {
  const change = Math.abs(hours) === 1 ? clockChangeNear(clock, at) : undefined;
  return (
    `from about ${dateOf(at)} on the days come ${plural(Math.abs(hours), 'hour')} ` +
    `${hours > 0 ? 'later' : 'earlier'} than before: ${percent(votes)} of them fit the typical days before better ` +
    'without the shift' +
    (change === undefined
      ? ''
      : `; the clock of ${clock.timeZone} changes about ${change}: its change was applied twice, or not at all`)
  );
};

/** The numbers of a misreading in words. */
const detailOf = (found: Misreading, clock: LocalClock): string => {
  switch (found.code) {
    case 'oneRowADay':
      return `${found.days} of ${plural(found.of, 'day')} have one value for ${found.slices} slices`;
    case 'looksCumulative':
      return (
        `the values of ${plural(found.days, 'day')} rise in ${found.rises} of the ${found.rises + found.falls} ` +
        'steps that change them, as readings of a register do'
      );
    case 'dayMonthSwapped':
      return found.shownBy === 'dates'
        ? `the dates are ${found.runs} separate runs; with day and month swapped they are ${found.runsSwapped}`
        : `${percent(found.votes)} of ${found.days} days fit better on the date with day and month swapped`;
    case 'repeatedBlock':
      return (
        `${datesText(found.from, found.to)} have exactly the values of ` +
        datesText(found.from - found.offset, found.to - found.offset)
      );
    case 'unitChanged':
      return (
        `from about ${dateOf(found.at)} on the level is ${threeDigits(found.measured)} times that before, ` +
        `about ${factorText(found.factor)}, and the days have the same shape: the unit seems to have changed`
      );
    case 'clockShifted':
      return shiftText(found, clock);
  }
};

/**
 * Warnings of new days that may be read in two ways.
 * @param fresh the new days, ascending
 * @param known stored days around them; those of a date of `fresh` do not count
 */
export const misreadWarnings = async (
  fresh: readonly ReadDay[],
  known: readonly ReadDay[],
  clock: LocalClock,
): Promise<Warning[]> => {
  const yieldToEventLoop = eventLoopYielder();
  const newest = fresh.slice(-freshDaysMax);
  const dates = new Set(newest.map(day => day.dayNumber));
  const others = known.filter(day => !dates.has(day.dayNumber));
  const warnings: Warning[] = [];
  for (const found of misreadings(newest, others)) {
    if (found) warnings.push({ code: found.code, detail: detailOf(found, clock) });
    await yieldToEventLoop();
  }
  return warnings;
};

/** Days before an import that its changes are compared with: enough to know ordinary weeks. */
export const knownDaysBefore = 3.5 * windowMax;
