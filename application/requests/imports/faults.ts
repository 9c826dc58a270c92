import { dateOf } from '../../../domain/dates.js';
import type { Run } from '../../../domain/day.js';
import type { ImportSummary } from '../../../domain/days.js';
import type { LocalClock } from '../../ports/localClock.js';
import { eventLoopYielder } from '../../ports/sharing/turns.js';
import { faultsMax } from '../../../domain/rejection.js';
import { plural, visible } from '../../../domain/text.js';

/** A fault of an input. `pointer` (RFC 6901) is its place in JSON; physical line and column are its place in CSV. */
export type InputFault = {
  readonly code: string;
  readonly detail: string;
  readonly pointer?: string;
  /** From 1, including the header. */
  readonly line?: number;
  /** Field of the line, from 1. */
  readonly column?: number;
  readonly value?: string;
  /** Number of faults of the same cause, for which this one is listed. */
  readonly count?: number;
};

/** Most days in one import of recent data. */
export const recentDaysMax = 50_000;

/** The fault of the first day that an import cannot have. */
export const tooManyDays: InputFault = {
  code: 'tooManyDays',
  detail: `got more than ${recentDaysMax} days, expected at most as many in an import`,
};

/** Longest value of a client that an answer repeats, in characters. */
const valueLengthMax = 80;

/** A value of a client for an answer, with no invisible character, and cut: answers do not grow with the input. */
export const shown = (value: string): string =>
  visible(value.length > valueLengthMax ? `${value.slice(0, valueLengthMax)}…` : value);

/** Places that a fault of many rows names. */
const placesMax = 3;

/** Cause of a fault: its code, and its column or its pointer without indices. */
const causeOf = ({ code, column, pointer }: InputFault): string =>
  `${code} ${column ?? ''} ${pointer?.replaceAll(/\/\d+/g, '/*') ?? ''}`;

/** Fewest faults with one value, or faults of the order of rows, that are one cause. */
const alikeMin = 10;
/** Faults of rows that follow from an earlier row. */
const following: ReadonlySet<string> = new Set(['beyondYear', 'futureDate', 'timeGoesBack']);

const grouped = (
  faults: readonly InputFault[],
  keyOf: (fault: InputFault) => string,
): ReadonlyMap<string, readonly InputFault[]> => {
  const groups = new Map<string, InputFault[]>();
  for (const fault of faults) {
    const group = groups.get(keyOf(fault));
    if (group) group.push(fault);
    else groups.set(keyOf(fault), [fault]);
  }
  return groups;
};

/**
 * Lists faults by cause: of a cause with at least `least` faults only the first one, with their number and the places
 * of the first three. Ten faults of one cause with the same value are one as well.
 */
export const faultsByCause = (faults: readonly InputFault[], least: number): InputFault[] => {
  const causes = grouped(faults, causeOf);
  const alikeKey = (fault: InputFault): string =>
    following.has(fault.code) ? causeOf(fault) : `${causeOf(fault)} ${fault.value ?? ''}`;
  const alike = grouped(faults, alikeKey);
  return faults.flatMap(fault => {
    const ofCause = causes.get(causeOf(fault)) ?? [];
    const same = ofCause.length >= least ? ofCause : (alike.get(alikeKey(fault)) ?? []);
    if (same.length < Math.min(least, alikeMin)) return [fault];
    if (same[0] !== fault) return [];
    const places = same.slice(0, placesMax).map(({ line, pointer }) => line ?? pointer ?? '');
    const more = same.length > placesMax ? ', …' : '';
    const where = `${fault.line === undefined ? 'at' : 'lines'} ${places.join(', ')}${more}`;
    return [{ ...fault, detail: `${fault.detail}; ${same.length} times, ${where}`, count: same.length }];
  });
};

/** How many faults there are, and of how many causes when these are listed. */
export const faultsText = (faults: number, listed: number): string => {
  const causes = listed === faults ? '' : ` of ${listed === 1 ? 'one cause' : `${listed} causes`}`;
  return faults < faultsMax
    ? `${faults === 1 ? 'a fault' : `${faults} faults`}${causes}: nothing was stored`
    : `${faultsMax} faults or more${causes}, reading stopped there: nothing was stored`;
};

/** The input cannot be parsed: broken JSON or a wrong encoding. */
export class Unparseable extends Error {
  readonly name = 'Unparseable';
  readonly faults: readonly InputFault[];

  constructor(message: string, faults: readonly InputFault[] = []) {
    super(message);
    this.faults = faults;
  }
}

/** Codes of invalid inputs. */
export type InvalidInputCode =
  | 'parametersInvalid'
  | 'bodyInvalid'
  | 'csvInvalid'
  | 'csvEmpty'
  | 'jsonInvalid'
  | 'daysEmpty'
  | 'referenceTooShort'
  | 'notCumulative'
  | 'duplicateField'
  | 'elementTooLarge'
  | 'envelopeTooLarge'
  | 'nesting'
  | 'calendarInvalid';

/** The input can be parsed but is not valid. `faults` has all faults, up to `faultsMax`. */
export class InvalidInput extends Error {
  readonly name = 'InvalidInput';
  readonly code: InvalidInputCode;
  readonly faults: readonly InputFault[];

  constructor(code: InvalidInputCode, message: string, faults: readonly InputFault[]) {
    super(message);
    this.code = code;
    this.faults = faults;
  }
}

/** Refusal of a body for its faults. */
export const bodyFault = (...faults: readonly InputFault[]): InvalidInput =>
  new InvalidInput('bodyInvalid', 'the body is not valid', faults);

/** Refusal of a query for its faults. */
export const queryFault = (...faults: readonly InputFault[]): InvalidInput =>
  new InvalidInput('parametersInvalid', 'the query is not valid', faults);

/** Refusal of the value of one parameter of a query. */
export const wrongQuery = (name: string, code: string, got: string, expected: string): InvalidInput => {
  const value = shown(got);
  return queryFault({
    code,
    pointer: `/query/${name}`,
    value,
    detail: `got "${value}", expected ${expected}`,
  });
};

/** The body is larger than its limit. */
export class TooLarge extends Error {
  readonly name = 'TooLarge';
  readonly limitBytes: number;

  /** @param gotBytes announced size; without it the body was read up to the limit */
  constructor(limitBytes: number, gotBytes?: number) {
    super(
      gotBytes === undefined
        ? `got a body of more than ${limitBytes} bytes, expected at most as many`
        : `got a body of ${gotBytes} bytes, expected at most ${limitBytes}`,
    );
    this.limitBytes = limitBytes;
  }
}

/** A sampled day: `values` has a number for each slice, NaN for slices without points. */
export type SampledDay = {
  readonly dayNumber: number;
  readonly values: number[];
  /** Slices whose values are even parts of the rise of a register over a longer time; they count as filled. */
  readonly spread?: readonly Run[];
};

/** An observed slice: slices since 1970-01-01, and its value. */
type Point = { readonly at: number; readonly value: number };

/**
 * Fills every NaN by linear interpolation over time between the two nearest observed slices, also across midnight and
 * missing days. Before the first and after the last observed slice the nearest value is used. Without any observed
 * slice nothing changes.
 * @param days by ascending day number, each with `size` values; changed in place
 */
export const fillByLine = async (days: readonly SampledDay[], size: number): Promise<void> => {
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

/** Warning and record of the future days of an import, and the present date; none without later days. */
export const futureDays = (
  days: readonly SampledDay[],
  future: FutureRule | undefined,
): Pick<ImportSummary, 'warnings' | 'countedTo' | 'today'> => {
  const { tomorrow = Infinity } = future ?? {};
  const present = days.some(({ dayNumber }) => dayNumber >= tomorrow) ? { today: dateOf(tomorrow - 1) } : {};
  const after = days.filter(({ dayNumber }) => dayNumber > tomorrow);
  const first = after[0]?.dayNumber;
  if (first === undefined) return { warnings: [], ...present };
  const last = days.findLast(({ dayNumber }) => dayNumber <= tomorrow)?.dayNumber;
  const detail =
    `${plural(after.length, 'day')} after tomorrow, ${dateOf(tomorrow)}, from ${dateOf(first)} on: ` +
    'stored and checked, but no sign that data come, and not learned from until then';
  return {
    warnings: [{ code: 'futureDays', detail }],
    countedTo: last === undefined ? null : dateOf(last),
    ...present,
  };
};
