import { namedColumns, numberedColumns, type CsvForm } from '../csvForm.js';
import { stampFormats } from '../stampFormats.js';
import { csvRows } from './csvRows.js';
import type { Inspection } from './inspection.js';

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
