import { dateOf } from '../../../domain/dates.js';
import type { ImportSummary } from '../../../domain/days.js';
import { plural } from './counted.js';
import { shown, type InputFault } from './faults.js';
import type { SampledDay } from './fillByLine.js';
import type { LocalClock } from '../../ports/localClock.js';

/** Rule for dates after tomorrow. */
export type FutureRule = {
  /** Day number of tomorrow by the clock of the source. */
  readonly tomorrow: number;
  /** Whether days after it are accepted. */
  readonly allowFuture: boolean;
  /** When the days come, in ms since 1970, and how long a source waits for data after the end of a date, in ms. */
  readonly nowMs: number;
  readonly latenessMs: number;
};

/** Last day number that an import may have; without a rule there is none. */
export const lastAccepted = (future: FutureRule | undefined): number =>
  future === undefined || future.allowFuture ? Infinity : future.tomorrow;

/** Date or time of a client, and its place. */
type Place = Pick<InputFault, 'pointer' | 'line'> & { readonly text: string };

/** The fault of a date after tomorrow. */
export const futureDateFault = (
  { text, ...place }: Place,
  tomorrow: number,
  { timeZone }: LocalClock,
): InputFault => ({
  code: 'futureDate',
  detail:
    `got ${shown(text)}, expected a date up to tomorrow, ${dateOf(tomorrow)}, by the clock of ${timeZone}: ` +
    'correct the year, or the order of day and month, or import with allowFuture=true',
  ...place,
  value: shown(text),
});

/** Warning and record of the future days of an import; no warning and no record without any. */
export const futureDays = (
  days: readonly SampledDay[],
  future: FutureRule | undefined,
): Pick<ImportSummary, 'warnings' | 'countedTo'> => {
  const { tomorrow = Infinity } = future ?? {};
  const after = days.filter(({ dayNumber }) => dayNumber > tomorrow);
  const first = after[0]?.dayNumber;
  if (first === undefined) return { warnings: [] };
  const last = days.findLast(({ dayNumber }) => dayNumber <= tomorrow)?.dayNumber;
  const detail =
    `${plural(after.length, 'day')} after tomorrow, ${dateOf(tomorrow)}, from ${dateOf(first)} on: ` +
    'stored and checked, but no sign that data come, and not learned from until then';
  return {
    warnings: [{ code: 'futureDays', detail }],
    countedTo: last === undefined ? null : dateOf(last),
  };
};
