/** Pure functions from values to text for a terminal: nothing here writes, and the same input gives the same text. */

/** Colours for the text of a terminal; without colour every function answers its text unchanged. */
export type Paint = {
  readonly colored: boolean;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  /** `color` is `#RRGGBB`. */
  readonly color: (text: string, color: string) => string;
};

const wrapped = (text: string, code: string): string => `\u001b[${code}m${text}\u001b[0m`;

/** Parts of red, green and blue of `#RRGGBB`, 0–255; grey when it is none, or too dark for a dark terminal. */
const rgbOf = (color: string): [number, number, number] => {
  const value = Number.parseInt(color.slice(1), 16);
  const [red, green, blue] = [value >> 16, (value >> 8) & 255, value & 255];
  const known = /^#[0-9a-f]{6}$/i.test(color);
  return known && Math.max(red, green, blue) >= 64 ? [red, green, blue] : [128, 128, 128];
};

/**
 * How to paint: not at all, with the 256 colours that nearly every terminal has, or with all of them.
 * @param colors 0, 256 or 2 ** 24
 */
export const paint = (colors: number): Paint => {
  if (colors === 0) return { colored: false, bold: text => text, dim: text => text, color: text => text };
  const code = ([red, green, blue]: [number, number, number]) => {
    if (colors > 256) return `38;2;${red};${green};${blue}`;
    // The cube of 6 × 6 × 6 colours starts at 16.
    const [r, g, b] = [red, green, blue].map(part => Math.round((part / 255) * 5)) as [
      number,
      number,
      number,
    ];
    return `38;5;${16 + 36 * r + 6 * g + b}`;
  };
  return {
    colored: true,
    bold: text => wrapped(text, '1'),
    dim: text => wrapped(text, '2'),
    color: (text, color) => wrapped(text, code(rgbOf(color))),
  };
};

/** Text from outside without what could steer a terminal (control and direction characters). */
export const plain = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, ' ');

/** `text` in lines of `width` characters at most, broken at spaces; longer words are cut. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(/ +/).filter(word => word !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
      continue;
    }
    for (let from = 0; from < word.length; from += width) lines.push(word.slice(from, from + width));
  }
  return lines;
};

/** `text` in `width` characters at most: what is too long ends in `…`. */
export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1).trimEnd()}…`;

/** A whole number with commas: `52,704`. */
export const counted = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

/** A count and its noun: `1 day`, `2 days`. */
export const plural = (count: number, noun: string): string =>
  `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A value of a series in three digits or more: `0.0123`, `14.2`, `1,280`. */
export const level = (value: number): string => {
  const size = Math.abs(value);
  if (size >= 100) return `${value < 0 ? '-' : ''}${counted(size)}`;
  return size === 0 ? '0' : String(Number(value.toPrecision(3)));
};

/** A share (0–1) in two decimals; only 1 itself reads `1.00`. */
export const share = (value: number): string => (value < 1 ? Math.min(value, 0.994) : value).toFixed(2);

/** A length of time given in milliseconds: `8 ms`, `1.24 s`, `2 min 5 s`. */
export const duration = (ms: number): string => {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** A size given in bytes: `512 B`, `1.9 MB` (units of 1000). */
export const size = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
};

/** `HH:MM` at which slice `index` of `slices` equal ones begins; 24:00 ends the day. */
export const clock = (index: number, slices: number): string => {
  const minutes = Math.round((index / slices) * 1440);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
};

/**
 * `values`, each for an equal part of a day, as the means of `columns` equal parts.
 * @returns `columns` values in the same unit
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

const blocks = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/**
 * A day's curve in block characters, `rows` lines of `columns`, highest line first. The lowest line always
 * has a mark, so that nothing is seen to be nothing. `low` to `high` is the scale, common to curves that are
 * to be compared.
 */
export const curve = (
  values: readonly number[],
  scale: { readonly low: number; readonly high: number },
  columns: number,
  rows: number,
): string[] => {
  const steps = rows * 8;
  const span = scale.high - scale.low || 1;
  const heights = resampled(values, columns).map(value =>
    Math.min(steps, Math.max(1, Math.round(((value - scale.low) / span) * (steps - 1)) + 1)),
  );
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * 8;
    return heights.map(height => blocks[Math.min(8, Math.max(0, height - below))]).join('');
  });
};

/**
 * The scale of several curves: from nothing to the highest value; when all stay in the upper half (a load
 * that never falls), from the lowest, so that their shape is seen.
 */
export const scaleOf = (curves: readonly (readonly number[])[]): { low: number; high: number } => {
  let low = Infinity;
  let high = -Infinity;
  for (const value of curves.flat()) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low === Infinity) return { low: 0, high: 1 };
  return low >= 0 && low <= high / 2 ? { low: 0, high } : { low, high };
};

/** Hours under a curve of `columns`, every 3 or 6 as they fit: `0     3     6 …`. */
export const hourAxis = (columns: number): string => {
  const every = columns >= 40 ? 3 : 6;
  let line = '';
  for (let hour = 0; hour < 24; hour += every)
    line = line.padEnd(Math.round((hour / 24) * columns)) + String(hour);
  return `${line.padEnd(columns)}24`;
};

/** One cell of a table, with how to paint it once it is padded. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/**
 * Rows as aligned lines, two spaces between columns, each as wide as its widest cell. A column is to the
 * right where `align` has an `r`, else to the left. Lines end with their last character.
 */
export const table = (rows: readonly (readonly Cell[])[], align: string): string[] => {
  const textOf = (cell: Cell | undefined) =>
    cell === undefined ? '' : typeof cell === 'string' ? cell : cell.text;
  const widths = [...align].map((_, column) => Math.max(...rows.map(row => textOf(row[column]).length)));
  return rows.map(row => {
    const last = row.findLastIndex(cell => textOf(cell) !== '');
    return row
      .slice(0, last + 1)
      .map((cell, column) => {
        const text = textOf(cell);
        const width = widths[column] ?? 0;
        const padded =
          align[column] === 'r' ? text.padStart(width) : column === last ? text : text.padEnd(width);
        return typeof cell === 'string' ? padded : cell.paint(padded);
      })
      .join('  ');
  });
};

/** A bar of `columns`, full by `part` (0–1), in eighths of a character. */
export const bar = (part: number, columns: number): string => {
  const eighths = Math.round(Math.min(1, Math.max(0, part)) * columns * 8);
  const partial = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;
  return `${'█'.repeat(Math.floor(eighths / 8))}${partial[eighths % 8] ?? ''}`.padEnd(columns, '░');
};

/** Where a file being sent stands: `reference  ██████░░░░   60 %  1.1 MB of 1.9 MB`. Sizes in bytes; `total` 0 when not known. */
export const progressLine = (label: string, sent: number, total: number): string => {
  if (total === 0) return `${label}  ${size(sent)}`;
  const part = sent / total;
  return `${label}  ${bar(part, 30)}  ${String(Math.floor(part * 100)).padStart(3)} %  ${size(sent)} of ${size(total)}`;
};

/** One day of a calendar: what stands there, and whether it is marked. */
export type CalendarDay = { readonly text: string; readonly mark: string; readonly color?: string };

/**
 * Weeks as lines from Monday to Sunday under a line of weekdays, each begun by the label of its week.
 * A day that is `undefined` is outside of what is shown.
 */
export const calendar = (
  weeks: readonly { readonly label: string; readonly days: readonly (CalendarDay | undefined)[] }[],
  how: Paint,
): string[] => {
  const labelWidth = Math.max(...weeks.map(({ label }) => label.length));
  const head = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].join('   ');
  return [
    `${' '.repeat(labelWidth)}  ${how.dim(head)}`,
    ...weeks.map(({ label, days }) => {
      const cells = days.map(day => {
        if (!day) return ' ·    ';
        const text = day.color === undefined ? day.text : how.color(day.text, day.color);
        return ` ${text}${day.mark === '' ? ' ' : how.bold(day.mark)}   `;
      });
      return `${how.dim(label.padEnd(labelWidth))}  ${cells.join('')}`.trimEnd();
    }),
  ];
};
