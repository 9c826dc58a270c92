import { faultsMax } from '../../domain/rejection.js';
import { dateOf, parseDate, year } from '../../domain/dates.js';
import {
  finestCount,
  isTotal,
  resample,
  sliceCounts,
  type Aggregation,
  type SliceCount,
} from '../../domain/day.js';
import {
  InvalidInput,
  type InputFault,
  type SampledDay,
  futureDateFault,
  lastAccepted,
  recentDaysMax,
  tooManyDays,
} from '../../application/requests/imports/faults.js';
import {
  finishDays,
  type DayRule,
  type ImportedDays,
} from '../../application/requests/imports/assembleDays.js';
import { skippedDateText, utcClock } from '../../application/ports/localClock.js';
import { conversionNote } from '../../application/requests/imports/importWarnings.js';
import { eventLoopYielder } from '../../application/ports/sharing/turns.js';
import { activityFaults, dateFault, dayFault, dayFieldFaults, invalid } from './dayFaults.js';
import { readDaysBody } from './daysBody.js';
import { daysBodyLimits, type DaysBodyLimits } from './jsonBytes.js';

/** A rule for days; that of a creation also has the year that all dates must be in. */
export type JsonDayRule = DayRule & { readonly referenceYear?: number };

/** The days of a JSON body, checked but not yet sampled. */
export type CollectedDays = {
  /** The document; `days`, if it is an array, is empty. The caller checks its other fields. */
  readonly envelope: unknown;
  /** Number of elements of `days`. */
  readonly elements: number;
  /** The faults of the elements, in order. `finish` throws them. */
  readonly faults: readonly InputFault[];
  /**
   * Applies a rule to the days; to be called once.
   * @throws InvalidInput `jsonInvalid` with all faults; `daysEmpty`; `referenceTooShort`
   */
  readonly finish: (rule: JsonDayRule) => Promise<ImportedDays>;
};

/**
 * A checked day; NaN is a missing sample. For 1440 minutes the sums of every ten are kept, with the numbers of their
 * samples: mean and sum follow from them.
 */
type Kept = {
  readonly index: number;
  readonly dayNumber: number;
  readonly values: number[];
  /** Samples of each sum; undefined when the values are not sums. */
  readonly samples: readonly number[] | undefined;
};

const minutesPerSlice = 10;

/** Numbers of samples of the sums of a day without gaps: one list for all of these days. */
const allSamples: readonly number[] = Array.from({ length: finestCount }, () => minutesPerSlice);

/** Sums of every ten values, and the numbers of their samples. A sum without samples is NaN. */
const sumsOfTen = (activity: readonly (number | null)[]): Pick<Kept, 'values' | 'samples'> => {
  const minutesOf = (slice: number) => activity.slice(slice * minutesPerSlice, (slice + 1) * minutesPerSlice);
  const samples = activity.includes(null)
    ? allSamples.map((_, slice) => minutesOf(slice).filter(value => value !== null).length)
    : allSamples;
  const values = samples.map((count, slice) => {
    let sum = count === 0 ? NaN : 0;
    const from = slice * minutesPerSlice;
    for (let minute = from; minute < from + minutesPerSlice; minute += 1) sum += activity[minute] ?? 0;
    return sum;
  });
  return { values, samples };
};

/** The values of a day for a source with `size` slices and the aggregation of the rule. */
const convert = ({ values, samples }: Kept, size: SliceCount, rule: DayRule): number[] => {
  const own =
    samples === undefined || isTotal(rule.aggregation)
      ? values
      : values.map((sum, slice) => sum / (samples[slice] ?? 1));
  return own.length === size ? own : resample(own, size, rule.aggregation);
};

/** The largest slice count of any day. */
const largestCount = (kept: readonly Kept[]): SliceCount => {
  const length = kept.reduce((most, { values }) => Math.max(most, values.length), 0);
  return sliceCounts.find(count => count === length) ?? finestCount;
};

/** A sentence for each length of days that is not the length of the source. */
const conversionNotes = (kept: readonly Kept[], size: SliceCount, aggregation: Aggregation): string[] => {
  const counts = new Map<number, number>();
  for (const { values, samples } of kept) {
    const length = samples === undefined ? values.length : values.length * minutesPerSlice;
    if (length !== size) counts.set(length, (counts.get(length) ?? 0) + 1);
  }
  return [...counts].map(([length, days]) => conversionNote(length, size, aggregation, days));
};

const outsideYear = ({ index, dayNumber }: Kept, expected: number): InputFault => {
  const got = dateOf(dayNumber);
  return {
    code: 'outsideYear',
    detail: `got ${got}, expected a date of the reference year ${expected}`,
    pointer: `/days/${index}/date`,
    value: got,
  };
};

/** Checks elements of `days` one after the other. */
const dayCollector = () => {
  const faults: InputFault[] = [];
  const kept: Kept[] = [];
  const indexOf = new Map<number, number>();

  /** @throws InvalidInput when there are as many faults as an answer may have */
  const add = (...found: readonly InputFault[]): void => {
    for (const fault of found) {
      faults.push(fault);
      if (faults.length === faultsMax) throw invalid(faults);
    }
  };

  /** The day number of a date; `undefined` after a fault. */
  const readDate = (date: unknown, index: number): number | undefined => {
    const pointer = `/days/${index}/date`;
    const number = typeof date === 'string' ? parseDate(date) : undefined;
    if (number === undefined) {
      add(dateFault(date, pointer));
      return undefined;
    }
    const first = indexOf.get(number);
    if (first === undefined) {
      indexOf.set(number, index);
      return number;
    }
    const value = String(date);
    const detail = `/days/${index} has the date of /days/${first}, ${value}`;
    add({ code: 'duplicateDate', detail, pointer, value });
    return undefined;
  };

  const collect = (day: unknown, index: number): void => {
    const pointer = `/days/${index}`;
    if (typeof day !== 'object' || day === null || Array.isArray(day)) {
      add(dayFault(day, pointer));
      return;
    }
    if (index >= recentDaysMax) {
      add({ ...tooManyDays, pointer });
      throw invalid(faults);
    }
    const { date, activity } = day as { readonly date?: unknown; readonly activity?: unknown };
    add(...dayFieldFaults(day, pointer));
    const dayNumber = Object.hasOwn(day, 'date') ? readDate(date, index) : undefined;
    if (Object.hasOwn(day, 'activity')) add(...activityFaults(activity, `${pointer}/activity`));
    if (faults.length > 0 || dayNumber === undefined) return;
    const given = activity as readonly (number | null)[];
    kept.push({
      index,
      dayNumber,
      ...(given.length > finestCount
        ? sumsOfTen(given)
        : // Adding 0 turns −0 into 0, as stored values are.
          { values: given.map(value => (value ?? NaN) + 0), samples: undefined }),
    });
  };

  return { collect, faults, kept };
};

/** Refuses days outside the year of a rule. @throws InvalidInput */
const checkYear = (kept: readonly Kept[], { kind, referenceYear }: JsonDayRule): void => {
  if (kind !== 'reference' || referenceYear === undefined) return;
  const outside = kept.filter(({ dayNumber }) => year(dayNumber) !== referenceYear);
  if (outside.length > 0)
    throw invalid(outside.slice(0, faultsMax).map(day => outsideYear(day, referenceYear)));
};

/** Refuses days of dates that the clock of the source skips whole, and of future ones. @throws InvalidInput */
const checkClock = (kept: readonly Kept[], { clock = utcClock, future }: DayRule): void => {
  const dayLast = lastAccepted(future);
  const faults = kept.flatMap(({ index, dayNumber }): InputFault[] => {
    const pointer = `/days/${index}/date`;
    const date = dateOf(dayNumber);
    if (dayNumber > dayLast) return [futureDateFault({ text: date, pointer }, dayLast, clock)];
    const detail = skippedDateText(clock, dayNumber);
    return detail === undefined ? [] : [{ code: 'skippedDate', detail, pointer, value: date }];
  });
  if (faults.length > 0) throw invalid(faults.slice(0, faultsMax));
};

const daysEmpty = (): InvalidInput => {
  const detail = 'got no day, expected at least one';
  return new InvalidInput('daysEmpty', detail, [{ code: 'daysEmpty', detail, pointer: '/days' }]);
};

/**
 * Reads a JSON body with days and checks each day as it comes. Only the numbers stay in memory.
 * @throws InvalidInput `jsonInvalid` as soon as there are as many faults as an answer may have. Fewer faults are in the
 *                      result, to be reported together with those of the envelope.
 * @throws all errors of `readDaysBody`
 */
export const collectJsonDays = async (
  body: AsyncIterable<Buffer>,
  limits: DaysBodyLimits = daysBodyLimits,
): Promise<CollectedDays> => {
  const { collect, faults, kept } = dayCollector();
  const { envelope, elements } = await readDaysBody(body, collect, limits);
  const finish = async (rule: JsonDayRule): Promise<ImportedDays> => {
    if (faults.length > 0) throw invalid(faults);
    if (elements === 0) throw daysEmpty();
    checkYear(kept, rule);
    checkClock(kept, rule);
    const activitySize = rule.activitySize ?? largestCount(kept);
    const notes = conversionNotes(kept, activitySize, rule.aggregation);
    const yieldToEventLoop = eventLoopYielder();
    const sampled: SampledDay[] = [];
    // The list is emptied: the sampled days replace it.
    const inOrder = kept.splice(0).sort((a, b) => a.dayNumber - b.dayNumber);
    for (const day of inOrder) {
      sampled.push({ dayNumber: day.dayNumber, values: convert(day, activitySize, rule) });
      await yieldToEventLoop();
    }
    return finishDays(sampled, activitySize, rule, { lines: 0, duplicates: 0, warnings: [], notes });
  };
  return { envelope, elements, faults, finish };
};
