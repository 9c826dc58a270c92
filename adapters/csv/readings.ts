import { faultsMax } from '../../domain/rejection.js';
import { dateOf, isDayNumber } from '../../domain/dates.js';
import {
  shown,
  type InputFault,
  futureDateFault,
  lastAccepted,
  recentDaysMax,
  tooManyDays,
} from '../../application/requests/imports/faults.js';
import { referenceDaysMax, type DayRule } from '../../application/requests/imports/assembleDays.js';
import type { warningList } from '../../application/requests/imports/importWarnings.js';
import { skippedDateText, utcClock } from '../../application/ports/localClock.js';
import { defaultForm, type CsvForm } from './csvForm.js';
import { localStampReader, type LocalStamps, rowReader } from './rowReader.js';
import type { PlainForm } from './plainRows.js';
import type { RowTaker } from './rows.js';

/** A row: its time as messages show it, and its line. */
type TimedLine = { readonly time: string; readonly line: number };

/** `YYYY-MM-DDThh:mm:ss` of seconds since 1970, with milliseconds if it has a fraction. */
const timeOf = (at: number): string =>
  new Date(at * 1000).toISOString().slice(0, Number.isInteger(at) ? 19 : 23);

/** The fault of a row of a reference after its last possible day. */
const beyondYear = (text: string, firstDay: number, line: number): InputFault => ({
  code: 'beyondYear',
  detail:
    `got ${shown(text)}, expected a time before ${dateOf(firstDay + referenceDaysMax)}: reference data ` +
    `covers at most ${referenceDaysMax} days from its first`,
  line,
  value: shown(text),
});

/** The fault of a row with an earlier time than the row before it. */
const timeGoesBack = (
  text: string,
  { time, line }: TimedLine,
  last: TimedLine,
  ending: string,
): InputFault => ({
  code: 'timeGoesBack',
  detail: `line ${line}, ${time}, comes before line ${last.line}, ${last.time}: expected ascending times${ending}`,
  line,
  value: shown(text),
});

/** The fault of the first row after the last possible day. */
const tooManyDaysAt = (text: string, line: number): InputFault => ({
  ...tooManyDays,
  line,
  value: shown(text),
});

/** The fault of a row with the time of the row before it and another value. */
const conflictingValue = (text: string, { time, line }: TimedLine, lastLine: number): InputFault => ({
  code: 'conflictingValue',
  detail: `line ${line} has the time of line ${lastLine}, ${time}, and another value`,
  line,
  value: shown(text),
});

/** The warning for a row with the time and the value of the row before it. */
const duplicate = (
  { time, line }: TimedLine,
  lastLine: number,
): ReturnType<ReturnType<typeof warningList>['all']>[number] => ({
  code: 'duplicate',
  detail: `line ${line} repeats line ${lastLine}, ${time}, with the same value: counted once`,
});

const secondsPerDay = 86_400;

/** The clock of stamps without an offset: UTC, or that of the source's time zone. */
export const stampClocks = ['utc', 'local'] as const;
export type StampClock = (typeof stampClocks)[number];

/** Counts after all rows. */
export type ReadingsState = {
  /** Rows of data including repeated ones, without header and blank lines. */
  readonly rows: number;
  readonly duplicates: number;
  /** Local day number of the first row; `undefined` without rows. */
  readonly firstDay: number | undefined;
  readonly localStamps: LocalStamps | undefined;
};

/**
 * How a CSV body is read: the rule for its days, the clock of stamps without an offset (UTC when it is not given), and
 * the form (the default format unless it is given).
 */
export type CsvRule = DayRule & {
  readonly stamps?: StampClock;
  readonly form?: CsvForm;
  /** Whether rows may be in any order: they are points, which are sorted later. */
  readonly anyOrder?: boolean;
};

/** Most blank lines at the end of a file: reading them costs as much as reading rows. */
const blankLinesMax = 10_000;

const byteOf = (character: string): number => character.charCodeAt(0);
const noByte = -1;

/** The form of plain rows; undefined for forms that csv-parse reads. */
export const plainFormOf = (
  { separator, decimal, dateFormat, dateColumn, valueColumn }: CsvForm,
  stamps: StampClock,
): PlainForm | undefined => {
  const isSpaced = dateFormat === 'YYYY-MM-DD HH:mm:ss';
  // If the decimal mark is also the separator, only quotes distinguish them.
  if (separator === decimal) return undefined;
  if (dateColumn !== undefined || valueColumn !== undefined || (dateFormat !== 'ISO' && !isSpaced))
    return undefined;
  return {
    separator: byteOf(separator),
    decimal: byteOf(decimal),
    timeMark: byteOf(isSpaced ? ' ' : 'T'),
    // By a local clock rows with and without `Z` are read in different ways.
    utcLetter: stamps === 'local' ? noByte : byteOf('Z'),
  };
};

/** Index, from `from` to `to`, of the first time that is not after the time before it, or not before `before`. */
const endOfAscent = (times: Float64Array, from: number, to: number, before: number): number => {
  let index = from;
  for (let last = times[from - 1] ?? NaN; index < to; index += 1) {
    const at = times[index] ?? NaN;
    if (at <= last || at >= before) break;
    last = at;
  }
  return index;
};

/**
 * Checks rows one after the other and passes their readings on.
 * @param faults     receives the faults in line order, up to `faultsMax`; then the reading ends
 * @param warnings   receives a warning for each repeated reading
 * @param onReadings called with seconds since 1970, strictly ascending but for rows in any order, and as many values,
 *                   finite or NaN (no sample); not called after a fault
 * @returns          the taker for `readRows`
 */
export const checkReadings = (
  {
    kind,
    aggregation,
    clock = utcClock,
    stamps = 'utc',
    form = defaultForm,
    future,
    anyOrder = false,
  }: Pick<CsvRule, 'kind' | 'clock' | 'stamps' | 'form' | 'future' | 'anyOrder'> &
    Partial<Pick<CsvRule, 'aggregation'>>,
  faults: InputFault[],
  warnings: ReturnType<typeof warningList>,
  onReadings: (times: Float64Array, values: Float64Array) => void,
): RowTaker & { readonly state: () => ReadingsState } => {
  let rows = 0;
  let duplicates = 0;
  let days = 0;
  let firstDay: number | undefined;
  let blankLine: number | undefined;
  // The last row with a valid time: its time, day and line, and its value if that is valid.
  let lastAt = -Infinity;
  let lastDay = -Infinity;
  let lastLine = 0;
  let lastValue: number | undefined;
  // Whether that row is before the one before it: points may come newest first.
  let descends = false;
  const localStamps = stamps === 'local' ? localStampReader(clock) : undefined;

  /** An instant as the file shows it. */
  const shownTime = (at: number): string => timeOf(localStamps ? at + clock.periodAt(at).offset : at);
  const orderText = localStamps
    ? ` of the clock of ${clock.timeZone}`
    : ' in UTC' + (clock === utcClock ? '' : '; stamps by the clock of the source need clock=local');
  const add = (fault: InputFault): void => {
    if (faults.length < faultsMax) faults.push(fault);
  };
  const row = rowReader(form, add);

  const isBeyondYear = (day: number, first: number | undefined): boolean =>
    kind === 'reference' && first !== undefined && day - first >= referenceDaysMax;

  /** Whether a reading of a counter ends the last day of a reference, at the midnight after it. */
  const isClosing = (at: number, day: number, first: number): boolean =>
    aggregation === 'counter' &&
    day - first === referenceDaysMax &&
    clock.periodAt(at).offset + at === day * secondsPerDay;

  const dayLast = lastAccepted(future);

  const readRow = (fields: readonly string[], line: number): boolean => {
    rows += 1;
    const read = row.read(fields, line);
    if (read === undefined) return row.isReady();
    const { time, text, stamp, isInstant, value } = read;
    const at = localStamps && !isInstant ? localStamps.instantAfter(stamp, lastAt, descends) : stamp;
    if (at === undefined) {
      const detail = skippedDateText(clock, Math.floor(stamp / secondsPerDay));
      if (detail !== undefined)
        row.addFault({ code: 'skippedDate', detail, line, value: shown(time) }, 'date');
      return true;
    }

    const day = Math.floor((at + clock.periodAt(at).offset) / secondsPerDay);
    if (!isDayNumber(day)) {
      row.addNoDate(time, line);
      return true;
    }
    firstDay ??= day;
    if (isBeyondYear(isClosing(at, day, firstDay) ? day - 1 : day, firstDay)) {
      row.addFault(beyondYear(time, firstDay, line), 'date');
      return true;
    }
    if (day > dayLast) {
      row.addFault(futureDateFault({ text: time, line }, dayLast, clock), 'date');
      return true;
    }
    if (at === lastAt && !anyOrder) {
      const place = { time: shownTime(at), line };
      if (value !== undefined && lastValue !== undefined && !Object.is(value, lastValue))
        row.addFault(conflictingValue(text, place, lastLine), 'value');
      else {
        duplicates += 1;
        warnings.add(duplicate(place, lastLine));
      }
      return true;
    }
    if (at < lastAt && !anyOrder) {
      const last = { time: shownTime(lastAt), line: lastLine };
      row.addFault(timeGoesBack(time, { time: shownTime(at), line }, last, orderText), 'date');
    }
    // The dates of points in any order are counted when these are sorted.
    if (day > lastDay && !anyOrder) days += 1;
    descends = anyOrder && at < lastAt;
    lastAt = at;
    lastDay = day;
    lastLine = line;
    lastValue = value;
    if (days > recentDaysMax) {
      row.addFault(tooManyDaysAt(time, line), 'date');
      return false;
    }
    if (faults.length === 0 && value !== undefined) onReadings(Float64Array.of(at), Float64Array.of(value));
    return true;
  };

  return {
    separator: form.separator,
    plain: plainFormOf(form, stamps),
    onRow: (fields, line) => {
      if (fields.length === 1 && fields[0] === '') {
        blankLine ??= line;
        if (line - blankLine < blankLinesMax) return true;
        const detail = `got more than ${blankLinesMax} blank lines, expected none before further rows`;
        add({ code: 'blankLine', detail, line: blankLine });
        return false;
      }
      if (blankLine !== undefined)
        add({
          code: 'blankLine',
          detail: 'got a blank line before further rows, expected none',
          line: blankLine,
        });
      blankLine = undefined;
      if (line === 1 && row.isHeader(fields)) row.readHeader(fields);
      else if (!readRow(fields, line)) return false;
      return faults.length < faultsMax;
    },
    onPlainRows: ({ times, values, count }, line) => {
      if (blankLine !== undefined) return 0;
      const usable = localStamps ? localStamps.convert(times, count) : count;
      let taken = 0;
      let last = lastAt;
      while (taken < usable) {
        const at = times[taken] ?? NaN;
        if (at <= last) break;
        const { offset, to } = clock.periodAt(at);
        const day = Math.floor((at + offset) / secondsPerDay);
        if (isBeyondYear(day, firstDay) || day > dayLast || !isDayNumber(day)) break;
        if (day > lastDay && days === recentDaysMax) break;
        firstDay ??= day;
        if (day > lastDay && !anyOrder) days += 1;
        lastDay = day;
        // The end of the local day, or of the period of its clock.
        const dayEnd = Math.min(to, (day + 1) * secondsPerDay - offset);
        taken = endOfAscent(times, taken + 1, usable, dayEnd);
        last = times[taken - 1] ?? NaN;
      }
      if (taken === 0) return 0;
      rows += taken;
      descends = false;
      lastAt = last;
      lastLine = line + taken - 1;
      lastValue = values[taken - 1];
      if (faults.length === 0) onReadings(times.subarray(0, taken), values.subarray(0, taken));
      return taken;
    },
    state: () => ({ rows, duplicates, firstDay, localStamps: localStamps?.counts() }),
  };
};
