import { shown, type InputFault } from '../../application/imports/faults.js';
import type { DateFormat } from './stampFormats.js';

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
