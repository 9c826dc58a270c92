import type { Paint } from './text.js';

/** One day of a calendar. */
export type CalendarCell = {
  /** One character. */
  readonly text: string;
  /** One character after the text, or empty. */
  readonly mark: string;
  readonly color?: string;
};

/** One week from Monday to Sunday; a day outside the calendar is `undefined`. */
export type CalendarWeek = { readonly label: string; readonly days: readonly (CalendarCell | undefined)[] };

/** Columns of a day, and of a day on a narrow terminal. */
const dayColumns = 6;
const dayColumnsNarrow = 4;

/**
 * Weeks as lines under a line of weekdays.
 * @param width columns of the terminal; 38 are enough
 */
export const calendar = (weeks: readonly CalendarWeek[], paint: Paint, width: number): string[] => {
  const labelWidth = Math.max(...weeks.map(({ label }) => label.length));
  const isNarrow = labelWidth + 2 + 7 * dayColumns > width;
  const gap = ' '.repeat((isNarrow ? dayColumnsNarrow : dayColumns) - 3);
  const head = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].join(gap);
  return [
    `${' '.repeat(labelWidth)}  ${paint.dim(head)}`,
    ...weeks.map(({ label, days }) => {
      const cells = days.map(day => {
        if (!day) return ` · ${gap}`;
        const text = day.color === undefined ? day.text : paint.color(day.text, day.color);
        return ` ${text}${day.mark === '' ? ' ' : paint.bold(day.mark)}${gap}`;
      });
      return `${paint.dim(label.padEnd(labelWidth))}  ${cells.join('')}`.trimEnd();
    }),
  ];
};

/** The values that a chart shows, from its lowest line to its highest. */
export type ValueRange = { readonly low: number; readonly high: number };

const blocks = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
/** Heights that one block character can show. */
const stepsPerBlock = blocks.length - 1;

/**
 * Means of `columns` equal parts of a day.
 * @param values one a slice, slices of equal length
 * @returns      `columns` values in the same unit
 */
export const resampled = (values: readonly number[], columns: number): number[] =>
  Array.from({ length: columns }, (_, column) => {
    const from = (column * values.length) / columns;
    const until = ((column + 1) * values.length) / columns;
    let sum = 0;
    for (let index = Math.floor(from); index < until; index += 1)
      sum += (values[index] ?? 0) * (Math.min(index + 1, until) - Math.max(index, from));
    return sum / (until - from);
  });

/**
 * A day profile in block characters. The lowest line always has a mark, so that zero is visible.
 * @param range common to all charts that are to be compared
 * @returns     `rows` lines of `columns` characters, highest line first
 */
export const profileChart = (
  profile: readonly number[],
  range: ValueRange,
  columns: number,
  rows: number,
): string[] => {
  const steps = rows * stepsPerBlock;
  const span = range.high - range.low || 1;
  const heights = resampled(profile, columns).map(value =>
    Math.min(steps, Math.max(1, Math.round(((value - range.low) / span) * (steps - 1)) + 1)),
  );
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * stepsPerBlock;
    return heights.map(height => blocks[Math.min(stepsPerBlock, Math.max(0, height - below))]).join('');
  });
};

/**
 * Common range of several profiles: from 0 to the highest value. It starts at the lowest value when that is
 * negative or in the upper half, so that the shape of a load that never falls stays visible.
 */
export const rangeOf = (profiles: readonly (readonly number[])[]): ValueRange => {
  let low = Infinity;
  let high = -Infinity;
  for (const value of profiles.flat()) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low === Infinity) return { low: 0, high: 1 };
  return low >= 0 && low <= high / 2 ? { low: 0, high } : { low, high };
};

/** Hours under a chart of `columns` characters, every 3 or 6 hours: `0     3     6 …`. */
export const hourAxis = (columns: number): string => {
  const every = columns >= 40 ? 3 : 6;
  let line = '';
  for (let hour = 0; hour < 24; hour += every)
    line = line.padEnd(Math.round((hour / 24) * columns)) + String(hour);
  return `${line.padEnd(columns)}24`;
};
