import type { Paint } from './colors.js';

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
