import { shown, type InputFault } from '../../application/requests/imports/faults.js';
import { namedColumns, numberedColumns, type CsvForm, stampFormats } from './csvForm.js';
import {
  fieldFaults,
  isForeignText,
  missingValueAdvice,
  parsePointValue,
  parseValue,
  rememberingDate,
  type FieldFault,
} from './fields.js';
import type { ImportSummary } from '../../domain/days.js';
import type { LocalClock } from '../../application/ports/localClock.js';

/** Counts of the rows by a local clock that needed a decision. */
export type LocalStamps = NonNullable<ImportSummary['localStamps']>;

/** Reads times of a local clock as instants. */
type LocalStampReader = {
  /** Changes times to instants, in place, up to the first one that does not mean exactly one. Returns their number. */
  readonly convert: (times: Float64Array, count: number) => number;
  /**
   * Returns the instant of one time, and counts it. In a repeated hour it is the first instant after the last row, or
   * the second one if there is none; where rows descend, the last one before that row, or the first one. In a skipped
   * hour it is undefined.
   */
  readonly instantAfter: (localTime: number, last: number, descends: boolean) => number | undefined;
  /** `undefined` when every time meant exactly one instant. */
  readonly counts: () => LocalStamps | undefined;
};

/** A reader of local times in the order of their rows. */
export const localStampReader = (clock: LocalClock): LocalStampReader => {
  // Local times from `from` to `to` mean exactly one instant each.
  let from = 0;
  let to = 0;
  let offset = 0;
  let repeatedHour = 0;
  let skippedHour = 0;

  /** The instants of a time. Turns the range to its period if the periods before and after have the same offset. */
  const instantsOf = (localTime: number): readonly number[] => {
    const instants = clock.instantsOf(localTime);
    const [at] = instants;
    if (at === undefined || instants.length > 1) return instants;
    const period = clock.periodAt(at);
    const neighbours = [period.from - 1, period.to].filter(Number.isFinite);
    if (neighbours.every(next => clock.periodAt(next).offset === period.offset)) {
      ({ offset } = period);
      from = period.from + offset;
      to = period.to + offset;
    }
    return instants;
  };

  return {
    convert: (times, count) => {
      for (let index = 0; index < count; index += 1) {
        const time = times[index] ?? NaN;
        if (time >= from && time < to) times[index] = time - offset;
        else {
          const [at, second] = instantsOf(time);
          if (at === undefined || second !== undefined) return index;
          times[index] = at;
        }
      }
      return count;
    },
    instantAfter: (localTime, last, descends) => {
      const instants = instantsOf(localTime);
      if (instants.length === 0) skippedHour += 1;
      if (instants.length > 1) repeatedHour += 1;
      return descends
        ? (instants.findLast(at => at < last) ?? instants[0])
        : (instants.find(at => at > last) ?? instants.at(-1));
    },
    counts: () => (repeatedHour + skippedHour === 0 ? undefined : { repeatedHour, skippedHour }),
  };
};

const rowsOf = (count: number): string => `${count} row${count === 1 ? '' : 's'}`;

/** The warning for rows by a local clock that needed a decision. */
export const localStampsWarning = (
  { repeatedHour, skippedHour }: LocalStamps,
  timeZone: string,
): ImportSummary['warnings'][number] => ({
  code: 'localStamps',
  detail: `the clock of ${timeZone}: ${[
    ...(repeatedHour > 0
      ? [`${rowsOf(repeatedHour)} in hours that occur twice, put in the order of the rows`]
      : []),
    ...(skippedHour > 0 ? [`${rowsOf(skippedHour)} in hours that are skipped, left out`] : []),
  ].join('; ')}`,
});

/** The two fields of a row, read by a form. */
export type RowFields = {
  readonly time: string;
  readonly text: string;
  /** Seconds since 1970 of the instant, or of a time of some clock. */
  readonly stamp: number;
  readonly isInstant: boolean;
  /** NaN for a missing sample; `undefined` after a fault. */
  readonly value: number | undefined;
};

/** Reads the fields of rows and reports their faults. */
export type RowReader = {
  /** Whether the first line is a header: its date does not begin with a digit, as a wrong date does. */
  readonly isHeader: (fields: readonly string[]) => boolean;
  readonly readHeader: (fields: readonly string[]) => void;
  /** Whether the columns are known; not after a header without them. */
  readonly isReady: () => boolean;
  /** The fields of a row; `undefined` when there is no time in it. */
  readonly read: (fields: readonly string[], line: number) => RowFields | undefined;
  /** Adds a fault of the time or of the value of a row. */
  readonly addFault: (fault: InputFault, of: 'date' | 'value') => void;
  /** Adds the fault of a time that is outside the calendar. */
  readonly addNoDate: (time: string, line: number) => void;
};

/** A reader of the fields of a form. @param add receives the faults */
export const rowReader = (form: CsvForm, add: (fault: InputFault) => void): RowReader => {
  const dayOf = rememberingDate();
  let columns = numberedColumns(form);
  const { parse: parseStamp, isInstant, expected: stampExpected } = stampFormats[form.dateFormat];
  const readValue = form.decimal === '.' ? parsePointValue : parseValue;
  // Instants before 1970 are negative numbers.
  const beginsRow = form.dateFormat.startsWith('epoch') ? /^\s*-?\d/ : /^\s*\d/;
  const separator = form.separator === '\t' ? 'a tab' : `"${form.separator}"`;

  const addField = (code: FieldFault, line: number, index: number, text: string): void => {
    const value = shown(text);
    const expected = code === 'timestampFormat' ? `expected ${stampExpected}` : fieldFaults[code];
    const advice = code === 'valueFormat' || code === 'pointValue' ? missingValueAdvice(text) : '';
    const detail = `got "${value}", ${expected}${advice}`;
    add({ code: code === 'pointValue' ? 'valueFormat' : code, detail, line, column: index + 1, value });
  };
  const addColumns = (fields: readonly string[], line: number): void => {
    const got = `${fields.length} column${fields.length === 1 ? '' : 's'}`;
    const expected =
      columns?.count === undefined
        ? `at least ${1 + Math.max(columns?.date ?? 0, columns?.value ?? 1)}`
        : '2, date and value';
    add({
      code: 'columnCount',
      detail: `got ${got}, expected ${expected}, separated by ${separator}`,
      line,
      column: 2,
      value: shown(fields.join(form.separator)),
    });
  };
  const hasColumns = ({ length }: readonly string[]): boolean =>
    columns !== undefined &&
    (columns.count === undefined ? length > Math.max(columns.date, columns.value) : length === columns.count);

  return {
    isHeader: fields => columns === undefined || !beginsRow.test(fields[columns.date] ?? ''),
    readHeader: fields => {
      fields.forEach((field, index) => {
        if (isForeignText(field)) addField('notUtf8', 1, Math.min(index, 1), field);
      });
      if (columns === undefined) {
        const named = namedColumns(form, fields);
        if ('code' in named) add(named);
        else columns = named;
      } else if (!hasColumns(fields)) addColumns(fields, 1);
    },
    isReady: () => columns !== undefined,
    read: (fields, line) => {
      if (columns === undefined) return undefined;
      if (!hasColumns(fields)) {
        addColumns(fields, line);
        return undefined;
      }
      const { [columns.date]: time = '', [columns.value]: text = '' } = fields;
      const stamp = parseStamp(time, dayOf);
      const value = readValue(text);
      if (typeof stamp === 'string') addField(stamp, line, columns.date, time);
      if (typeof value === 'string') addField(value, line, columns.value, text);
      return typeof stamp === 'string'
        ? undefined
        : {
            time,
            text,
            stamp,
            isInstant: isInstant(time),
            value: typeof value === 'string' ? undefined : value,
          };
    },
    addFault: (fault, of) => add({ ...fault, column: 1 + (columns?.[of] ?? 0) }),
    addNoDate: (time, line) => addField('timestampCalendar', line, columns?.date ?? 0, time),
  };
};
