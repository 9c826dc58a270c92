import { shown } from '../../../application/requests/imports/faults.js';
import type { ReadDay } from '../../../analysis/misread/windows.js';
import {
  type Decimal,
  type Separator,
  type DateFormat,
  defaultForm,
  type CsvForm,
  type SeparatorName,
  namedColumns,
  numberedColumns,
  stampFormats,
} from '../csvForm.js';
import { runStepsAtOnce } from '../../../application/ports/sharing/turns.js';

/** A column of a CSV and what it seems to hold. */
export type SeenColumn = {
  /** From 1. */
  readonly number: number;
  /** As the file writes it; null without a header. */
  readonly name: string | null;
  readonly kind: 'date' | 'value' | 'other';
  readonly example: string;
};

/** Probable form of a CSV body, from its beginning. */
export type Inspection = {
  readonly separator: Separator;
  /** null when no column has values. */
  readonly decimal: Decimal | null;
  /** null when no column has dates of a known format. */
  readonly dateFormat: DateFormat | null;
  readonly header: readonly string[] | null;
  readonly columns: readonly SeenColumn[];
  /** Rows of data that were looked at. */
  readonly rows: number;
  /** Median of the seconds between two rows; null when there are fewer than two dates. */
  readonly stepSeconds: number | null;
  /** The first dates, as the file writes them, each with the number of its rows. */
  readonly days: readonly { readonly date: string; readonly rows: number }[];
  /** The latest date, as the file writes it; null without dates. */
  readonly lastDate: string | null;
  /** Least and largest value, read by `decimal`; null without values. */
  readonly range: { readonly min: number; readonly max: number } | null;
  /** Value such as `70,952` when all decimals look like thousands, else null. */
  readonly thousands: string | null;
  readonly isUtf8: boolean;
  /** Fault of a file that is not text, with advice; null for text. */
  readonly notText: string | null;
  readonly unread: UnreadRows;
  /** Hourly means of the rows that were read, by day. */
  readonly readDays: readonly ReadDay[];
};

/** Inspected rows that an import would refuse. */
export type UnreadRows = {
  /** Numbers of rows with an unreadable date, and with an unreadable value. */
  readonly dates: number;
  readonly values: number;
  /** The first unreadable date, and the first unreadable value. */
  readonly date: string;
  readonly value: string;
  /** Rows with an earlier time than the row before, and the largest such step in seconds. */
  readonly backwards: number;
  readonly backSeconds: number;
  /** Rows with the time of the row before and another value. */
  readonly conflicts: number;
  /** Whether the first line is `sep=;`, for Excel. It is not among the rows. */
  readonly separatorLine: boolean;
  /** Number of the first blank line before further rows, from 1; null for none. */
  readonly blankLine: number | null;
};

/** The choices that a request must make to read an inspected body: those that differ from the default format. */
export const formChoices = ({ separator, decimal, dateFormat, columns }: Inspection): Partial<CsvForm> => {
  const date = columns.find(({ kind }) => kind === 'date');
  const value = columns.find(({ kind }) => kind === 'value');
  const isGiven = columns.length === 2 && date?.number === 1 && value?.number === 2;
  return {
    ...(separator === defaultForm.separator ? {} : { separator }),
    ...(decimal === null || decimal === defaultForm.decimal ? {} : { decimal }),
    ...(dateFormat === null || dateFormat === defaultForm.dateFormat ? {} : { dateFormat }),
    ...(isGiven || !date || !value
      ? {}
      : { dateColumn: columnName(date, columns), valueColumn: columnName(value, columns) }),
  };
};

/** The name of a column if it can be sent and names no other, else its number. */
const columnName = ({ name, number }: SeenColumn, columns: readonly SeenColumn[]): string =>
  name !== null &&
  name !== '' &&
  name === name.trim() &&
  name === shown(name) &&
  !/^\d+$/.test(name) &&
  columns.filter(other => other.name === name).length === 1
    ? name
    : String(number);

/** Names of separators in requests where the character is hard to send. */
const spelledSeparators: Partial<Record<Separator, SeparatorName>> = { '\t': 'tab', ';': 'semicolon' };

/** Choices as a request spells them. */
export const spelledForm = <Choices extends Partial<CsvForm>>({
  separator,
  ...others
}: Choices): Omit<Choices, 'separator'> & { readonly separator?: SeparatorName } => ({
  ...(separator === undefined ? {} : { separator: spelledSeparators[separator] ?? separator }),
  ...others,
});

/** Choices as query parameters: `separator=,&decimal=.`. */
export const choicesQuery = (choices: Partial<CsvForm>): string =>
  Object.entries(spelledForm(choices))
    .map(
      ([name, choice]) =>
        `${name}=${encodeURIComponent(choice).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')}`,
    )
    .join('&');

const newline = 0x0a;
/** Rows of a step of an inspection: less than a millisecond of work. */
export const rowsOfStep = 200;
/** Fields of a row that are kept. */
const fieldsMax = 50;
/** Longest quoted field; a longer one is read as if its quote were text. */
const quotedMax = 4096;

/**
 * The first rows of a CSV as fields, for an inspection. Bytes that break the rules of quotes are kept unchanged. Blank
 * lines and fields after the 50th are left out.
 */
export const csvRows = (text: string, separator: string, rowsMax: number): string[][] =>
  runStepsAtOnce(csvRowSteps(text, separator, rowsMax));

/** The same in steps. */
export const csvRowSteps = function* (
  text: string,
  separator: string,
  rowsMax: number,
): Generator<void, string[][]> {
  const rows: string[][] = [];
  let fields: string[] = [];
  let at = 0;
  while (at < text.length && rows.length < rowsMax) {
    const { field, end } = fieldAt(text, at, separator);
    if (fields.length < fieldsMax) fields.push(field);
    if (text[end] === separator) {
      at = end + 1;
      // A separator at the very end is followed by an empty field.
      if (at === text.length && fields.length < fieldsMax) fields.push('');
      if (at < text.length) continue;
    }
    if (fields.length > 1 || fields[0] !== '') rows.push(fields);
    fields = [];
    at = end + 1;
    if (rows.length % rowsOfStep === 0) yield;
  }
  if (fields.length > 0 && rows.length < rowsMax) rows.push(fields);
  return rows;
};

/** The field that begins at an index, and the index of the separator or line feed after it. */
const fieldAt = (text: string, from: number, separator: string): { field: string; end: number } => {
  const mark = separator.charCodeAt(0);
  const endOf = (start: number): number => {
    let end = start;
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end);
      if (code === mark || code === newline) break;
    }
    return end;
  };
  if (text[from] === '"') {
    let close = from + 1;
    for (;;) {
      close = text.indexOf('"', close);
      if (close < 0 || text[close + 1] !== '"' || close - from > quotedMax) break;
      close += 2;
    }
    if (close > 0) {
      const end = endOf(close + 1);
      if (/^\r?$/.test(text.slice(close + 1, end)))
        return { field: text.slice(from + 1, close).replaceAll('""', '"'), end };
    }
  }
  const end = endOf(from);
  return { field: text.slice(from, end).replace(/\r$/, ''), end };
};

/** Rows that are read of a body of a known form. */
const sampleRowsMax = 25;
/** Bytes that are read for these rows. */
const sampleBytesMax = 4096;

/** A value such as `70,952` when all values with a comma look like thousands, else null. */
export const thousandsIn = (texts: readonly string[]): string | null => {
  const marked = texts.filter(text => text.includes(','));
  const others = texts.filter(text => !text.includes(',') && text !== '');
  return marked.every(text => /^[-\u2212]?[1-9]\d{0,2},\d{3}$/.test(text)) &&
    others.every(text => /^[-\u2212]?\d{1,3}$/.test(text))
    ? (marked[0] ?? null)
    : null;
};

/** Steps between ascending times, in order of length. */
const stepsBetween = (times: readonly number[]): number[] =>
  times
    .slice(1)
    .map((at, index) => at - (times[index] ?? NaN))
    .filter(step => step > 0)
    .sort((a, b) => a - b);

/** Median of steps in order of length; null for none. */
const medianOf = (steps: readonly number[]): number | null =>
  steps[Math.floor((steps.length - 1) / 2)] ?? null;

/** Median of the steps between ascending times; null for none. */
export const medianStep = (times: readonly number[]): number | null => medianOf(stepsBetween(times));

/** The median step between ascending times if at least half of the steps have its length, else null. */
const regularStep = (times: readonly number[]): number | null => {
  const steps = stepsBetween(times);
  const step = medianOf(steps);
  return 2 * steps.filter(each => each === step).length >= steps.length ? step : null;
};

/** Facts of the first rows of a body of a known form; `stepSeconds` is null for irregular rows. */
type Sample = Pick<Inspection, 'stepSeconds' | 'thousands'>;

/** Reads the first rows of a body of a known form. */
export const sampleCsv = (head: Buffer, form: CsvForm): Sample => {
  const text = head.toString('utf8', 0, sampleBytesMax).replace(/^\ufeff/, '');
  const rows = csvRows(text, form.separator, sampleRowsMax);
  // The last row may be cut.
  const whole = rows.length < sampleRowsMax ? rows.slice(0, -1) : rows;
  const columns = numberedColumns(form) ?? namedColumns(form, rows[0] ?? []);
  if ('code' in columns) return { stepSeconds: null, thousands: null };
  const { parse } = stampFormats[form.dateFormat];
  const times = whole.map(fields => parse(fields[columns.date] ?? '')).filter(at => typeof at === 'number');
  const texts = whole.slice(1).map(fields => fields[columns.value] ?? '');
  return { stepSeconds: regularStep(times), thousands: form.decimal === ',' ? thousandsIn(texts) : null };
};
