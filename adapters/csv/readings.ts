import { dateOf } from '../../domain/dates.js';
import type { DayKind } from '../../domain/days.js';
import { faultsMax, shown, type InputFault } from '../faults.js';
import { recentDaysMax, referenceDaysMax, type warningList } from '../importedDays.js';
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

/** What is known after all rows. */
export type ReadingsState = {
  /** Rows of data, repeated ones too; neither the header nor blank lines. */
  readonly rows: number;
  readonly duplicates: number;
  /** Day number of the first row, `undefined` when there was none. */
  readonly firstDay: number | undefined;
};

const timeOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 19);

/**
 * Checks rows one after the other and passes on the readings of a file without fault.
 * @param faults     receives what is wrong, in line order, up to `faultsMax`
 * @param warnings   receives a warning for each repeated reading
 * @param onReadings is given seconds since 1970, strictly ascending, and as many values, finite or NaN (no sample);
 *                   it is not called any more once there is a fault
 * @returns          the taker for `readRows`, which ends the reading when there are faults enough
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
  // The last row whose time could be read: where it stands, and its value if that could be read too.
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

  const isBeyondYear = (day: number): boolean =>
    kind === 'reference' && firstDay !== undefined && day - firstDay >= referenceDaysMax;

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
    if (isBeyondYear(day)) {
      add({
        code: 'beyondYear',
        detail:
          `got ${shown(time)}, expected a time before ${dateOf(firstDay + referenceDaysMax)}: reference data ` +
          `covers at most ${referenceDaysMax} days from its first`,
        line,
        column: 1,
        value: shown(time),
      });
      return true;
    }
    if (at === lastAt) {
      if (value !== undefined && lastValue !== undefined && !Object.is(value, lastValue)) {
        add({
          code: 'conflictingValue',
          detail: `line ${line} has the time of line ${lastLine}, ${timeOf(at)}, and another value`,
          line,
          column: 2,
          value: shown(text),
        });
      } else {
        duplicates += 1;
        warnings.add({
          code: 'duplicate',
          detail: `line ${line} repeats line ${lastLine}, ${timeOf(at)}, with the same value: counted once`,
        });
      }
      return true;
    }
    if (at < lastAt)
      add({
        code: 'timeGoesBack',
        detail:
          `line ${line}, ${timeOf(at)}, comes before line ${lastLine}, ${timeOf(lastAt)}: ` +
          'expected ascending times in UTC',
        line,
        column: 1,
        value: shown(time),
      });
    if (day !== lastDay) days += 1;
    lastAt = at;
    lastDay = day;
    lastLine = line;
    lastValue = value;
    if (days > recentDaysMax) {
      add({
        code: 'tooManyDays',
        detail: `got more than ${recentDaysMax} days, expected at most as many an import`,
        line,
        column: 1,
        value: shown(time),
      });
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
      // A name, not a date: what begins with a digit after spaces is a date badly written, and no row is lost.
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
          if (isBeyondYear(day) || days === recentDaysMax) break;
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
