import { isUtf8 } from 'node:buffer';
import { dateOf } from '../../domain/dates.js';
import { shown } from '../../application/imports/faults.js';
import { csvRows } from './csvRows.js';
import {
  decimals,
  defaultForm,
  separatorNames,
  type CsvForm,
  type Decimal,
  type Separator,
  namedColumns,
  numberedColumns,
} from './csvForm.js';
import { foreignFile } from '../bytes/foreignFile.js';
import { parsePointValue, parseValue } from './fields.js';
import { dateFormats, stampFormats, type DateFormat } from './stampFormats.js';

/** A column of a CSV and what it seems to hold. */
export type SeenColumn = {
  /** From 1. */
  readonly number: number;
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
  /** Least and largest value, read by `decimal`; null without values. */
  readonly range: { readonly min: number; readonly max: number } | null;
  /** Value such as `70,952` when all decimals look like thousands, else null. */
  readonly thousands: string | null;
  readonly isUtf8: boolean;
  /** Fault of a file that is not text, with advice; null for text. */
  readonly notText: string | null;
  readonly unread: UnreadRows;
};

/** Inspected rows that an import would refuse. */
export type UnreadRows = {
  /** Numbers of rows with an unreadable date, and with an unreadable value. */
  readonly dates: number;
  readonly values: number;
  /** The first unreadable value. */
  readonly value: string;
  /** Rows with an earlier time than the row before, and the largest such step in seconds. */
  readonly backwards: number;
  readonly backSeconds: number;
  /** Whether the first line is `sep=;`, for Excel. It is not among the rows. */
  readonly separatorLine: boolean;
};

const noUnreadRows: UnreadRows = {
  ...{ dates: 0, values: 0, value: '' },
  ...{ backwards: 0, backSeconds: 0, separatorLine: false },
};

const secondsPerDay = 86_400;
/** Rows from which the form is guessed. */
const guessRowsMax = 200;
/** Rows that are read of a body of a known form. */
const sampleRowsMax = 25;
/** Bytes that are read for these rows. */
const sampleBytesMax = 4096;
/** Days that are listed. */
const daysMax = 5;
/** Numbers of seconds that are read as dates: the years 1980 to 2100. */
const epochFrom = 315_532_800;
const epochTo = 4_102_444_800;

const allSeparators: readonly Separator[] = [...new Set(Object.values(separatorNames))];
const valueReaders = { ',': parseValue, '.': parsePointValue } as const;

/** The instant or local time of a text in a format; `undefined` when it is none. */
const stampOf = (text: string, format: DateFormat): number | undefined => {
  const at = stampFormats[format].parse(text);
  if (typeof at === 'string') return undefined;
  return format.startsWith('epoch') && (at < epochFrom || at > epochTo) ? undefined : at;
};

const isValue = (text: string, decimal: Decimal): boolean =>
  text !== '' && typeof valueReaders[decimal](text) === 'number';

const countOf = (texts: readonly string[], holds: (text: string) => boolean): number =>
  texts.reduce((count, text) => (holds(text) ? count + 1 : count), 0);

/** A column, the form of its fields, and the number of fields that fit it. */
type Column<Form> = { readonly index: number; readonly form: Form; readonly fitting: number };

/** A guess at the form, and the number of fields that fit it. */
type Guess = {
  readonly separator: Separator;
  readonly date: Column<DateFormat> | undefined;
  readonly value: Column<Decimal> | undefined;
  readonly fitting: number;
};

/** The best of some candidates; the first one of equal ones. */
const bestOf = <Candidate extends { readonly fitting: number }>(
  candidates: readonly Candidate[],
): Candidate | undefined =>
  candidates.reduce<Candidate | undefined>(
    (best, next) => (next.fitting > (best?.fitting ?? 0) ? next : best),
    undefined,
  );

/** Guesses the columns and their forms for one separator. A column belongs when half of its fields fit. */
const guessFor = (separator: Separator, rows: readonly (readonly string[])[]): Guess => {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const column = (index: number): string[] => rows.map(fields => fields[index] ?? '');
  const indices = Array.from({ length: width }, (_, index) => index);
  const enough = ({ fitting }: { readonly fitting: number }): boolean => 2 * fitting >= rows.length - 1;
  /** The column and the form with the most fitting fields. */
  const bestColumn = <Form>(
    among: readonly number[],
    forms: readonly Form[],
    fits: (text: string, form: Form) => boolean,
  ): Column<Form> | undefined =>
    bestOf(
      among
        .flatMap(index =>
          forms.map(form => ({ index, form, fitting: countOf(column(index), text => fits(text, form)) })),
        )
        .filter(enough),
    );
  const date = bestColumn(indices, dateFormats, (text, format) => stampOf(text, format) !== undefined);
  const others = indices.filter(index => index !== date?.index);
  // Columns after the dates come first.
  const ordered = [...others.filter(index => index > (date?.index ?? -1)), ...others];
  const value = bestColumn(ordered, decimals, isValue);
  return { separator, date, value, fitting: (date?.fitting ?? 0) + (value?.fitting ?? 0) };
};

/** A value such as `70,952` when all values with a comma look like thousands, else null. */
const thousandsIn = (texts: readonly string[]): string | null => {
  const marked = texts.filter(text => text.includes(','));
  const others = texts.filter(text => !text.includes(',') && text !== '');
  return marked.every(text => /^[-\u2212]?[1-9]\d{0,2},\d{3}$/.test(text)) &&
    others.every(text => /^[-\u2212]?\d{1,3}$/.test(text))
    ? (marked[0] ?? null)
    : null;
};

/** Facts of the first rows of a body of a known form; `stepSeconds` is null for irregular rows. */
export type Sample = Pick<Inspection, 'stepSeconds' | 'thousands'>;

/** Reads the first rows of a body of a known form. */
export const sampleCsv = (head: Buffer, form: CsvForm): Sample => {
  const rows = csvRows(head.toString('utf8', 0, sampleBytesMax), form.separator, sampleRowsMax);
  // The last row may be cut.
  const whole = rows.length < sampleRowsMax ? rows.slice(0, -1) : rows;
  const columns = numberedColumns(form) ?? namedColumns(form, rows[0] ?? []);
  if ('code' in columns) return { stepSeconds: null, thousands: null };
  const { parse } = stampFormats[form.dateFormat];
  const times = whole.map(fields => parse(fields[columns.date] ?? '')).filter(at => typeof at === 'number');
  const texts = whole.slice(1).map(fields => fields[columns.value] ?? '');
  return { stepSeconds: regularStep(times), thousands: form.decimal === ',' ? thousandsIn(texts) : null };
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

/** The median step between ascending times if at least half of the steps have its length, else null. */
const regularStep = (times: readonly number[]): number | null => {
  const steps = stepsBetween(times);
  const step = medianOf(steps);
  return 2 * steps.filter(each => each === step).length >= steps.length ? step : null;
};

/** Counts rows that an import would refuse; only values and dates of a known form. */
const unreadRows = (
  times: readonly number[],
  values: { readonly texts: readonly string[]; readonly decimal: Decimal | null },
  dates: number,
): Omit<UnreadRows, 'separatorLine'> => {
  const back = times.map((at, index) => (times[index - 1] ?? at) - at).filter(step => step > 0);
  const { texts, decimal } = values;
  const faulty = decimal ? texts.filter(text => typeof valueReaders[decimal](text) !== 'number') : [];
  return {
    ...{ dates, values: faulty.length, value: faulty[0] ?? '' },
    ...{ backwards: back.length, backSeconds: back.reduce((most, step) => Math.max(most, step), 0) },
  };
};

const daysOf = (times: readonly number[]): Inspection['days'] => {
  const counts = new Map<number, number>();
  for (const at of times) {
    const day = Math.floor(at / secondsPerDay);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return [...counts].slice(0, daysMax).map(([day, rows]) => ({ date: dateOf(day), rows }));
};

/**
 * Guesses the form of a CSV body from its beginning: separator, decimal mark, date format, columns and sampling.
 * @param head    first bytes of the body
 * @param isWhole whether they are the whole body; else the last line may be cut and is left out
 * @param rowsMax rows to look at
 */
export const inspectCsv = (head: Buffer, isWhole: boolean, rowsMax = Infinity): Inspection => {
  const whole = isWhole ? head : head.subarray(0, head.lastIndexOf(0x0a) + 1);
  const isText = isUtf8(whole);
  const notText = foreignFile(head) ?? null;
  if (notText !== null) return { ...nothingSeen, isUtf8: isText, notText };
  const full = whole.toString(isText ? 'utf8' : 'latin1').replace(/^\ufeff/, '');
  const text = full.replace(separatorLine, '');
  const guesses = allSeparators.map(separator => guessFor(separator, csvRows(text, separator, guessRowsMax)));
  const { separator, date, value } = bestOf(guesses) ?? guesses[0] ?? noGuess;

  const all = csvRows(text, separator, rowsMax);
  const first = all[0] ?? [];
  const hasHeader = date
    ? stampOf(first[date.index] ?? '', date.form) === undefined
    : first.length > 0 && !first.some(field => /^\s*[-\d]/.test(field));
  const rows = hasHeader ? all.slice(1) : all;
  const times = date ? rows.flatMap(fields => stampOf(fields[date.index] ?? '', date.form) ?? []) : [];
  const texts = value ? rows.map(fields => fields[value.index] ?? '') : [];
  const decimal = value?.form ?? null;
  const values = decimal
    ? texts
        .map(field => valueReaders[decimal](field))
        .filter((each): each is number => typeof each === 'number' && !Number.isNaN(each))
    : [];
  const width = Math.max(first.length, rows[0]?.length ?? 0);
  return {
    separator,
    decimal,
    dateFormat: date?.form ?? null,
    header: hasHeader ? first.map(shown) : null,
    columns: Array.from({ length: width }, (_, index) => ({
      number: index + 1,
      name: hasHeader ? shown(first[index] ?? '') : null,
      kind: index === date?.index ? 'date' : index === value?.index ? 'value' : 'other',
      example: shown(rows[0]?.[index] ?? ''),
    })),
    rows: rows.length,
    stepSeconds: medianOf(stepsBetween(times)),
    days: daysOf(times),
    range: values.length === 0 ? null : values.reduce(widened, { min: Infinity, max: -Infinity }),
    thousands: decimal === ',' ? thousandsIn(texts) : null,
    isUtf8: isText,
    notText,
    unread: {
      ...unreadRows(times, { texts, decimal }, date ? rows.length - times.length : 0),
      separatorLine: text !== full,
    },
  };
};

/** The line that tells Excel the separator. */
const separatorLine = /^"?sep=[^\n]{0,3}\n/i;

/** The inspection of a file that is not text. */
const nothingSeen = {
  ...{
    separator: defaultForm.separator,
    decimal: null,
    dateFormat: null,
    header: null,
    columns: [],
    rows: 0,
  },
  ...{ stepSeconds: null, days: [], range: null, thousands: null, unread: noUnreadRows },
};

const widened = (
  { min, max }: { readonly min: number; readonly max: number },
  value: number,
): { readonly min: number; readonly max: number } => ({
  min: Math.min(min, value),
  max: Math.max(max, value),
});

const noGuess: Guess = { separator: defaultForm.separator, date: undefined, value: undefined, fitting: 0 };
