import { shown, type InputFault } from '../../application/requests/imports/faults.js';
import { parseDate } from '../../domain/dates.js';
import { hasOffset, isForeignText, parseTimestamp, type FieldFault } from './fields.js';

/** Formats of a timestamp that a request can name; the first one is the default format. */
export const dateFormats = [
  'ISO',
  'YYYY-MM-DD HH:mm:ss',
  'DD/MM/YYYY HH:mm',
  'DD.MM.YYYY HH:mm',
  'epochSeconds',
  'epochMilliseconds',
] as const;
export type DateFormat = (typeof dateFormats)[number];

/** How timestamps of one format are read. */
type StampFormat = {
  /** The form, for messages. */
  readonly expected: string;
  /** Seconds since 1970 of UTC or of a local clock, or the fault. `dayOf` returns the day number of a date. */
  readonly parse: (text: string, dayOf?: typeof parseDate) => number | FieldFault;
  /** Whether a valid text is an instant, independent of the clock of local times. */
  readonly isInstant: (text: string) => boolean;
};

/** The ISO form of `YYYY-MM-DD HH:mm[:ss…]`; any other text as it is. */
const isoOfSpaced = (text: string): string => {
  if (text[10] !== ' ') return text.replace('T', ' ');
  const spelled = `${text.slice(0, 10)}T${text.slice(11)}`;
  return spelled.length === 16 ? `${spelled}:00` : spelled;
};

/** Reads `D/M/YYYY H:mm[:ss]`, or the same with dots. */
const dayFirstReader =
  (form: RegExp) =>
  (text: string, dayOf?: typeof parseDate): number | FieldFault => {
    const [, day = '', month = '', year = '', hour = '', minute = '', second = '00'] = form.exec(text) ?? [];
    if (year === '') return isForeignText(text) ? 'notUtf8' : 'timestampFormat';
    const [mm, dd, hh] = [month, day, hour].map(part => part.padStart(2, '0'));
    return parseTimestamp(`${year}-${mm}-${dd}T${hh}:${minute}:${second}`, dayOf);
  };

/** Seconds from 1970 to the year 10000. */
const secondsMax = 253_402_300_800;

/** Reads numbers of ticks since 1970, so many a second. */
const epochReader =
  (perSecond: number) =>
  (text: string): number | FieldFault => {
    if (!/^-?\d{1,15}(\.\d{1,9})?$/.test(text)) return isForeignText(text) ? 'notUtf8' : 'timestampFormat';
    const seconds = Number(text) / perSecond + 0;
    // Clocks know no later instants; dates of the first and the last year are refused with the clock of the source.
    return Math.abs(seconds) > secondsMax ? 'timestampCalendar' : seconds;
  };

export const stampFormats: Readonly<Record<DateFormat, StampFormat>> = {
  ISO: { expected: 'YYYY-MM-DDThh:mm:ss', parse: parseTimestamp, isInstant: hasOffset },
  'YYYY-MM-DD HH:mm:ss': {
    expected: 'YYYY-MM-DD hh:mm:ss',
    parse: (text, dayOf) => parseTimestamp(isoOfSpaced(text), dayOf),
    isInstant: hasOffset,
  },
  'DD/MM/YYYY HH:mm': {
    expected: 'DD/MM/YYYY hh:mm',
    parse: dayFirstReader(/^(\d\d?)\/(\d\d?)\/(\d{4}) (\d\d?):(\d\d)(?::(\d\d))?$/),
    isInstant: () => false,
  },
  'DD.MM.YYYY HH:mm': {
    expected: 'DD.MM.YYYY hh:mm',
    parse: dayFirstReader(/^(\d\d?)\.(\d\d?)\.(\d{4}) (\d\d?):(\d\d)(?::(\d\d))?$/),
    isInstant: () => false,
  },
  epochSeconds: {
    expected: 'seconds since 1970-01-01T00:00:00Z',
    parse: epochReader(1),
    isInstant: () => true,
  },
  epochMilliseconds: {
    expected: 'milliseconds since 1970-01-01T00:00:00Z',
    parse: epochReader(1000),
    isInstant: () => true,
  },
};

/** Characters between the columns, by the names that a request can use; a character names itself. */
export const separatorNames = {
  ';': ';',
  ',': ',',
  '|': '|',
  '\t': '\t',
  semicolon: ';',
  comma: ',',
  pipe: '|',
  tab: '\t',
} as const;
export type SeparatorName = keyof typeof separatorNames;
export type Separator = (typeof separatorNames)[SeparatorName];

export const decimals = [',', '.'] as const;
export type Decimal = (typeof decimals)[number];

/** How a CSV body is written. */
export type CsvForm = {
  readonly separator: Separator;
  /** Decimal mark. */
  readonly decimal: Decimal;
  readonly dateFormat: DateFormat;
  /** A column by its number, from 1, or by its name in the header; undefined for the first of exactly two. */
  readonly dateColumn?: string;
  /** A column as `dateColumn`; undefined for the second of exactly two. */
  readonly valueColumn?: string;
};

/** The form of a CSV body unless its request names another one. */
export const defaultForm: CsvForm = { separator: ';', decimal: ',', dateFormat: 'ISO' };

/** Longest name of a column that a request can give. */
export const columnNameMax = 200;
/** Largest number of a column that a request can give. */
const columnNumberMax = 1000;

/** Indices of the columns, from 0. */
export type Columns = {
  readonly date: number;
  readonly value: number;
  /** The exact number of columns; undefined when there may be more. */
  readonly count: number | undefined;
};

/** The index that a column's number names; undefined when it is a name. */
const numbered = (column: string): number | undefined =>
  /^[1-9]\d{0,3}$/.test(column) && Number(column) <= columnNumberMax ? Number(column) - 1 : undefined;

/** The columns of a form that names none of them, or all by numbers; undefined when a header is needed. */
export const numberedColumns = ({ dateColumn, valueColumn }: CsvForm): Columns | undefined => {
  if (dateColumn === undefined && valueColumn === undefined) return { date: 0, value: 1, count: 2 };
  const date = numbered(dateColumn ?? '1');
  const value = numbered(valueColumn ?? '2');
  return date === undefined || value === undefined ? undefined : { date, value, count: undefined };
};

/** The columns of a form in a header, or the fault of a name that the header does not have once. */
export const namedColumns = (
  { dateColumn = '1', valueColumn = '2' }: CsvForm,
  header: readonly string[],
): Columns | InputFault => {
  const found: number[] = [];
  for (const column of [dateColumn, valueColumn]) {
    const index = numbered(column) ?? header.indexOf(column);
    if (index < 0 || (numbered(column) === undefined && header.lastIndexOf(column) !== index))
      return {
        code: 'columnUnknown',
        detail:
          `got the header ${shown(header.map(name => `"${name}"`).join(', '))}, expected a column "${shown(column)}"` +
          (index < 0 ? '' : ' once'),
        line: 1,
        value: shown(column),
      };
    found.push(index);
  }
  const [date = 0, value = 1] = found;
  return { date, value, count: undefined };
};

/** Whether a form names one column for both dates and values. */
export const isOneColumn = ({ dateColumn = '1', valueColumn = '2' }: CsvForm): boolean =>
  dateColumn === valueColumn;
