import { dateOf } from '../../domain/dates.js';
import type { ImportSummary } from '../../domain/days.js';
import { plural } from '../texts/counted.js';
import type { SampledDay } from './fillByLine.js';

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
