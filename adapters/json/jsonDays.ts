import { dateOf, parseDate, year } from '../../domain/dates.js';
import { acceptedLengths, finestCount, resample, sliceCounts, type SliceCount } from '../../domain/day.js';
import { faultsMax, InvalidInput, shown, type InputFault } from '../faults.js';
import {
  finishDays,
  recentDaysMax,
  valueMax,
  type DayRule,
  type ImportedDays,
  type SampledDay,
} from '../importedDays.js';
import { breather } from '../pieces.js';
import { daysBodyLimits, readDaysBody, type DaysBodyLimits } from './daysBody.js';

/** The rule of a creation has the year that all dates must be of. */
export type JsonDayRule = DayRule & { readonly referenceYear?: number };

export type CollectedDays = {
  /** The document with `days`, if it is an array, left empty; its other fields are the caller's to check. */
  readonly envelope: unknown;
  /** Elements that `days` had. */
  readonly elements: number;
  /** What is wrong with the elements, in order; `finish` throws them if there are any. */
  readonly faults: readonly InputFault[];
  /**
   * The days by the rule; to be called once.
   * @throws InvalidInput `jsonInvalid` with all faults; `daysEmpty`; `referenceTooShort`
   */
  readonly finish: (rule: JsonDayRule) => Promise<ImportedDays>;
};

/** A day as it came; of 1440 minutes the sums of every ten are kept, from which mean and sum both follow. */
type Kept = {
  readonly index: number;
  readonly dayNumber: number;
  readonly values: number[];
  readonly pointsPerValue: 1 | 10;
};

const lengths: ReadonlySet<number> = new Set(acceptedLengths);
const minutesPerSlice = 10;

const invalid = (faults: readonly InputFault[]): InvalidInput =>
  new InvalidInput(
    'jsonInvalid',
    faults.length < faultsMax
      ? `days has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}: nothing was stored`
      : `days has ${faultsMax} faults or more, reading stopped there: nothing was stored`,
    faults,
  );

const shownJson = (value: unknown): string => shown(JSON.stringify(value) ?? 'undefined');
const escapePointer = (key: string): string => shown(key).replaceAll('~', '~0').replaceAll('/', '~1');

/** What is wrong with a list that should be an activity; none when it is one. */
const activityFaults = (activity: unknown, pointer: string): InputFault[] => {
  if (!Array.isArray(activity))
    return [
      {
        code: 'activityFormat',
        detail: `got ${shownJson(activity)}, expected an array of numbers`,
        pointer,
      },
    ];
  if (!lengths.has(activity.length))
    return [
      {
        code: 'activityLength',
        detail: `got ${activity.length} values, expected ${acceptedLengths.join(', ')}`,
        pointer,
      },
    ];
  const faults: InputFault[] = [];
  for (let slice = 0; slice < activity.length; slice += 1) {
    const value: unknown = activity[slice];
    if (typeof value !== 'number')
      faults.push({
        code: 'valueFormat',
        detail: `got ${shownJson(value)}, expected a number`,
        pointer: `${pointer}/${slice}`,
        value: shownJson(value),
      });
    else if (!(Math.abs(value) <= valueMax))
      faults.push({
        code: 'valueTooLarge',
        detail: `got ${value}, expected a magnitude of at most ${valueMax}`,
        pointer: `${pointer}/${slice}`,
        value: String(value),
      });
  }
  return faults;
};

/** What is wrong with the fields of a day; none when there are exactly `date` and `activity`. */
const fieldFaults = (day: object, pointer: string): InputFault[] => [
  ...['date', 'activity']
    .filter(field => !Object.hasOwn(day, field))
    .map(field => ({ code: 'missingField', detail: `expected the field ${field}`, pointer })),
  ...Object.keys(day)
    .filter(field => field !== 'date' && field !== 'activity')
    .map(field => ({
      code: 'unknownField',
      detail: `got the field "${shown(field)}", expected date and activity only`,
      pointer: `${pointer}/${escapePointer(field)}`,
    })),
];

/** Sums of every ten values. */
const sumsOfTen = (values: readonly number[]): number[] => {
  const sums: number[] = [];
  for (let from = 0; from < values.length; from += minutesPerSlice) {
    let sum = 0;
    for (let index = from; index < from + minutesPerSlice; index += 1) sum += values[index] ?? 0;
    sums.push(sum);
  }
  return sums;
};

/** The values of a day as a source of `size` slices and this aggregation keeps them. */
const convert = ({ values, pointsPerValue }: Kept, size: SliceCount, rule: DayRule): number[] => {
  const own =
    pointsPerValue === 1 || rule.aggregation === 'sum' ? values : values.map(sum => sum / pointsPerValue);
  return own.length === size ? own : resample(own, size, rule.aggregation);
};

/** The finest allowed count that some day came in. */
const longest = (kept: readonly Kept[]): SliceCount => {
  const length = kept.reduce((most, { values }) => Math.max(most, values.length), 0);
  return sliceCounts.find(count => count === length) ?? finestCount;
};

const outsideYear = ({ index, dayNumber }: Kept, expected: number): InputFault => {
  const pointer = `/days/${index}/date`;
  const got = dateOf(dayNumber);
  return {
    code: 'outsideYear',
    detail: `got ${got}, expected a date of the reference year ${expected}`,
    pointer,
    value: got,
  };
};

/**
 * Reads a JSON body with days, checks each of them as it comes, and keeps its numbers alone.
 * @throws InvalidInput `jsonInvalid`  as soon as there are as many faults as an answer names; else what is
 *                      wrong with the days is in the answer, to be told with what is wrong with the envelope
 * @throws whatever `readDaysBody` throws
 */
export const collectJsonDays = async (
  body: AsyncIterable<Buffer>,
  limits: DaysBodyLimits = daysBodyLimits,
): Promise<CollectedDays> => {
  const faults: InputFault[] = [];
  let kept: Kept[] = [];
  const indexOf = new Map<number, number>();

  const add = (...found: readonly InputFault[]): void => {
    for (const fault of found) {
      faults.push(fault);
      if (faults.length === faultsMax) throw invalid(faults);
    }
  };
  /** Day number of the element's date if it is one that no element before has. */
  const readDate = (date: unknown, index: number): number | undefined => {
    const pointer = `/days/${index}/date`;
    const number = typeof date === 'string' ? parseDate(date) : undefined;
    if (number === undefined) {
      const got = shownJson(date);
      add({
        code: 'dateFormat',
        detail: `got ${got}, expected a date of the calendar, "YYYY-MM-DD"`,
        pointer,
        value: got,
      });
      return undefined;
    }
    const first = indexOf.get(number);
    if (first === undefined) {
      indexOf.set(number, index);
      return number;
    }
    add({
      code: 'duplicateDate',
      detail: `/days/${index} has the date of /days/${first}, ${String(date)}`,
      pointer,
      value: String(date),
    });
    return undefined;
  };

  const { envelope, elements } = await readDaysBody(
    body,
    (day, index) => {
      const pointer = `/days/${index}`;
      if (typeof day !== 'object' || day === null || Array.isArray(day)) {
        const got = shownJson(day);
        add({
          code: 'dayFormat',
          detail: `got ${got}, expected an object {date, activity}`,
          pointer,
          value: got,
        });
        return;
      }
      if (index >= recentDaysMax) {
        add({
          code: 'tooManyDays',
          detail: `got more than ${recentDaysMax} days, expected at most as many an import`,
          pointer,
        });
        throw invalid(faults);
      }
      const { date, activity } = day as { readonly date?: unknown; readonly activity?: unknown };
      add(...fieldFaults(day, pointer));
      const dayNumber = Object.hasOwn(day, 'date') ? readDate(date, index) : undefined;
      const found = Object.hasOwn(day, 'activity') ? activityFaults(activity, `${pointer}/activity`) : [];
      add(...found);
      if (faults.length > 0 || dayNumber === undefined) return;
      const values = activity as number[];
      kept.push(
        values.length > finestCount
          ? { index, dayNumber, values: sumsOfTen(values), pointsPerValue: minutesPerSlice }
          : // Not −0, which would be 0 again once it is stored.
            { index, dayNumber, values: values.map(value => value + 0), pointsPerValue: 1 },
      );
    },
    limits,
  );

  return {
    envelope,
    elements,
    faults,
    finish: async rule => {
      if (faults.length > 0) throw invalid(faults);
      if (elements === 0)
        throw new InvalidInput('daysEmpty', 'got no day, expected at least one', [
          { code: 'daysEmpty', detail: 'got no day, expected at least one', pointer: '/days' },
        ]);
      const { referenceYear } = rule;
      if (rule.kind === 'reference' && referenceYear !== undefined) {
        const outside = kept.filter(({ dayNumber }) => year(dayNumber) !== referenceYear);
        if (outside.length > 0)
          throw invalid(outside.slice(0, faultsMax).map(day => outsideYear(day, referenceYear)));
      }
      const activitySize = rule.activitySize ?? longest(kept);
      const breathe = breather();
      const sampled: SampledDay[] = [];
      const inOrder = kept.sort((a, b) => a.dayNumber - b.dayNumber);
      kept = [];
      for (const day of inOrder) {
        sampled.push({ dayNumber: day.dayNumber, values: convert(day, activitySize, rule) });
        await breathe();
      }
      return finishDays(sampled, activitySize, rule, { lines: 0, duplicates: 0, warnings: [] });
    },
  };
};
