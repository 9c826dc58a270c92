import { dateOf } from '../../domain/dates.js';
import type { DayKind } from '../../domain/days.js';
import { faultsMax, shown, type InputFault } from '../../application/imports/faults.js';
import { recentDaysMax, referenceDaysMax, type warningList } from '../../application/imports/assembleDays.js';
import type { RowTaker } from './rows.js';
import {
  fieldFaults,
  parseTimestamp,
  parseValue,
  rememberingDate,
  replacementCharacter,
  type FieldFault,
} from './fields.js';

const secondsPerDay = 86_400;

/** Counts after all rows. */
export type ReadingsState = {
  /** Rows of data including repeated ones, without header and blank lines. */
  readonly rows: number;
  readonly duplicates: number;
  /** Day number of the first row; `undefined` without rows. */
  readonly firstDay: number | undefined;
};

/** `YYYY-MM-DDThh:mm:ss` of seconds since 1970. */
const timeOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 19);

/** A time with the line that it is on. */
type TimedLine = { readonly at: number; readonly line: number };

const beyondYear = (time: string, firstDay: number, line: number): InputFault => ({
  code: 'beyondYear',
  detail:
    `got ${shown(time)}, expected a time before ${dateOf(firstDay + referenceDaysMax)}: reference data ` +
    `covers at most ${referenceDaysMax} days from its first`,
  line,
  column: 1,
  value: shown(time),
});

const timeGoesBack = (time: string, { at, line }: TimedLine, last: TimedLine): InputFault => ({
  code: 'timeGoesBack',
  detail:
    `line ${line}, ${timeOf(at)}, comes before line ${last.line}, ${timeOf(last.at)}: ` +
    'expected ascending times in UTC',
  line,
  column: 1,
  value: shown(time),
});

const tooManyDays = (time: string, line: number): InputFault => ({
  code: 'tooManyDays',
  detail: `got more than ${recentDaysMax} days, expected at most as many in an import`,
  line,
  column: 1,
  value: shown(time),
});

/** Two rows with the same time. */
type SameTime = TimedLine & { readonly lastLine: number };

const conflictingValue = (text: string, { at, line, lastLine }: SameTime): InputFault => ({
  code: 'conflictingValue',
  detail: `line ${line} has the time of line ${lastLine}, ${timeOf(at)}, and another value`,
  line,
  column: 2,
  value: shown(text),
});

const duplicate = ({ at, line, lastLine }: SameTime) => ({
  code: 'duplicate',
  detail: `line ${line} repeats line ${lastLine}, ${timeOf(at)}, with the same value: counted once`,
});

/**
 * Checks rows one after the other and passes their readings on.
 * @param faults     receives the faults in line order, up to `faultsMax`; then the reading ends
 * @param warnings   receives a warning for each repeated reading
 * @param onReadings called with strictly ascending seconds since 1970 and as many values, finite or NaN (no sample);
 *                   not called after a fault
 * @returns          the taker for `readRows`
 */
export const checkReadings = (
  kind: DayKind,
  faults: InputFault[],
  warnings: ReturnType<typeof warningList>,
  onReadings: (times: Float64Array, values: Float64Array) => void,
): RowTaker & { readonly state: () => ReadingsState } => {
  const dayOf = rememberingDate();
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

  const add = (fault: InputFault): void => {
    if (faults.length < faultsMax) faults.push(fault);
  };
  const addField = (code: FieldFault, line: number, column: 1 | 2, text: string): void => {
    const value = shown(text);
    add({ code, detail: `got "${value}", ${fieldFaults[code]}`, line, column, value });
  };
  const addColumns = (fields: readonly string[], line: number): void => {
    const value = shown(fields.join(';'));
    const got = `${fields.length} column${fields.length === 1 ? '' : 's'}`;
    add({
      code: 'columnCount',
      detail: `got ${got}, expected 2, date and value, separated by ";"`,
      line,
      column: 2,
      value,
    });
  };
  const readHeader = (fields: readonly string[]): void => {
    fields.forEach((field, index) => {
      if (field.includes(replacementCharacter)) addField('notUtf8', 1, index === 0 ? 1 : 2, field);
    });
    if (fields.length !== 2) addColumns(fields, 1);
  };

  const isBeyondYear = (day: number, first: number | undefined): boolean =>
    kind === 'reference' && first !== undefined && day - first >= referenceDaysMax;

  const readRow = (fields: readonly string[], line: number): boolean => {
    rows += 1;
    const [time = '', text = ''] = fields;
    if (fields.length !== 2) {
      addColumns(fields, line);
      return true;
    }
    const at = parseTimestamp(time, dayOf);
    const parsed = parseValue(text);
    if (typeof at === 'string') addField(at, line, 1, time);
    if (typeof parsed === 'string') addField(parsed, line, 2, text);
    if (typeof at === 'string') return true;
    const value = typeof parsed === 'string' ? undefined : parsed;

    const day = Math.floor(at / secondsPerDay);
    firstDay ??= day;
    if (isBeyondYear(day, firstDay)) {
      add(beyondYear(time, firstDay, line));
      return true;
    }
    if (at === lastAt) {
      const places = { at, line, lastLine };
      if (value !== undefined && lastValue !== undefined && !Object.is(value, lastValue))
        add(conflictingValue(text, places));
      else {
        duplicates += 1;
        warnings.add(duplicate(places));
      }
      return true;
    }
    if (at < lastAt) add(timeGoesBack(time, { at, line }, { at: lastAt, line: lastLine }));
    if (day !== lastDay) days += 1;
    lastAt = at;
    lastDay = day;
    lastLine = line;
    lastValue = value;
    if (days > recentDaysMax) {
      add(tooManyDays(time, line));
      return false;
    }
    if (faults.length === 0 && value !== undefined) onReadings(Float64Array.of(at), Float64Array.of(value));
    return true;
  };

  return {
    onRow: (fields, line) => {
      if (fields.length === 1 && fields[0] === '') {
        blankLine ??= line;
        return true;
      }
      if (blankLine !== undefined)
        add({
          code: 'blankLine',
          detail: 'got a blank line before further rows, expected none',
          line: blankLine,
        });
      blankLine = undefined;
      // Line 1 is a header unless it begins with a digit, as a wrong date does.
      if (line === 1 && !/^\s*\d/.test(fields[0] ?? '')) readHeader(fields);
      else if (!readRow(fields, line)) return false;
      return faults.length < faultsMax;
    },
    onPlainRows: ({ times, values, count }, line) => {
      if (blankLine !== undefined) return 0;
      let taken = 0;
      let last = lastAt;
      let dayEnd = (lastDay + 1) * secondsPerDay;
      for (; taken < count; taken += 1) {
        const at = times[taken] ?? NaN;
        if (at <= last) break;
        if (at >= dayEnd) {
          const day = Math.floor(at / secondsPerDay);
          if (isBeyondYear(day, firstDay) || days === recentDaysMax) break;
          firstDay ??= day;
          days += 1;
          lastDay = day;
          dayEnd = (day + 1) * secondsPerDay;
        }
        last = at;
      }
      if (taken === 0) return 0;
      rows += taken;
      lastAt = last;
      lastLine = line + taken - 1;
      lastValue = values[taken - 1];
      if (faults.length === 0) onReadings(times.subarray(0, taken), values.subarray(0, taken));
      return taken;
    },
    state: () => ({ rows, duplicates, firstDay }),
  };
};
