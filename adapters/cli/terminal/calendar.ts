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

/** Weeks as lines under a line of weekdays. */
export const calendar = (weeks: readonly CalendarWeek[], paint: Paint): string[] => {
  const labelWidth = Math.max(...weeks.map(({ label }) => label.length));
  const head = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].join('   ');
  return [
    `${' '.repeat(labelWidth)}  ${paint.dim(head)}`,
    ...weeks.map(({ label, days }) => {
      const cells = days.map(day => {
        if (!day) return ' ·    ';
        const text = day.color === undefined ? day.text : paint.color(day.text, day.color);
        return ` ${text}${day.mark === '' ? ' ' : paint.bold(day.mark)}   `;
      });
      return `${paint.dim(label.padEnd(labelWidth))}  ${cells.join('')}`.trimEnd();
    }),
  ];
};
