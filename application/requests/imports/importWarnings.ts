import { dateOf, secondsPerDay } from '../../../domain/dates.js';
import type { ImportSummary } from '../../../domain/days.js';
import { plural } from './counted.js';
import type { SampledDay } from './fillByLine.js';
import { isTotal, type Aggregation, type InterpolationMethod, type SliceCount } from '../../../domain/day.js';

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
