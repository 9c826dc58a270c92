import { clockTime } from '../../../domain/alerts/alertSentence.js';
import { dayNumber, weekday, weekdayNames } from '../../../domain/dates.js';
import { counted, inOneLine, percent } from '../../../domain/text.js';
import type { Parked } from '../../../projections/parked.js';

/** Colours for the text of a terminal. Without colours every function returns its text unchanged. */
export type Paint = {
  readonly colored: boolean;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  /** `color` is `#RRGGBB`. */
  readonly color: (text: string, color: string) => string;
};

/** Number of colours: none, the palette of 256 that nearly every terminal has, or 24 bits. */
export type ColorCount = 0 | 256 | 16_777_216;

type Rgb = readonly [red: number, green: number, blue: number];

const grey: Rgb = [128, 128, 128];
/** A colour whose brightest part is below this is unreadable on a dark terminal. */
const brightestPartMin = 64;

/** Parts of `#RRGGBB`, 0–255; grey for other text and for colours too dark for a dark terminal. */
const rgbOf = (color: string): Rgb => {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return grey;
  const value = Number.parseInt(color.slice(1), 16);
  const rgb: Rgb = [value >> 16, (value >> 8) & 255, value & 255];
  return Math.max(...rgb) >= brightestPartMin ? rgb : grey;
};

/** The escape code that sets the text colour. */
const colorCode = (rgb: Rgb, colors: ColorCount): string => {
  if (colors > 256) return `38;2;${rgb.join(';')}`;
  const [red = 0, green = 0, blue = 0] = rgb.map(part => Math.round((part / 255) * 5));
  // The palette has a cube of 6 × 6 × 6 colours that starts at 16.
  return `38;5;${16 + 36 * red + 6 * green + blue}`;
};

const wrapped = (text: string, code: string): string => `\u001b[${code}m${text}\u001b[0m`;

/** The colours of a terminal that has so many of them. */
export const paint = (colors: ColorCount): Paint =>
  colors === 0
    ? { colored: false, bold: text => text, dim: text => text, color: text => text }
    : {
        colored: true,
        bold: text => wrapped(text, '1'),
        dim: text => wrapped(text, '2'),
        color: (text, color) => wrapped(text, colorCode(rgbOf(color), colors)),
      };

/**
 * Colours that a stream may have: none when it is not a terminal or NO_COLOR is set.
 * @see https://no-color.org
 */
export const colorsOf = (stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): ColorCount => {
  if (stream.isTTY !== true || (env['NO_COLOR'] ?? '') !== '') return 0;
  return ['truecolor', '24bit'].includes(env['COLORTERM'] ?? '') ? 16_777_216 : 256;
};

/** Text from outside in one line, without characters that could steer a terminal. */
export const plain = (text: string): string => inOneLine(text);

/** A line for each parked subject, without an end of line after the last. */
export const parkedText = (parked: readonly Parked[]): string =>
  parked
    .map(
      ({ subject, position, type, reason }) =>
        `${plain(subject)} is parked: event ${position} (${type}) cannot be applied: ${plain(reason)}`,
    )
    .join('\n');

/** `text` in lines of at most `width` characters, broken at spaces. Longer words are cut. */
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

/** A text after a head; its further lines begin below its first one. */
export const hanging = (head: string, text: string, width: number): string[] =>
  wrap(text, width - head.length).map(
    (line, index) => `${index === 0 ? head : ' '.repeat(head.length)}${line}`,
  );

/** `text` in at most `width` characters; a longer one ends in `…`. */
export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1).trimEnd()}…`;

/** A value of a series with at least three digits: `0.0123`, `14.2`, `1,280`. */
export const valueText = (value: number): string => {
  const size = Math.abs(value);
  if (size >= 100) return `${value < 0 ? '-' : ''}${counted(size)}`;
  return size === 0 ? '0' : String(Number(value.toPrecision(3)));
};

/** A criticity (0–1) with two decimals; only 1 itself is shown as `1.00`. */
export const criticityText = (criticity: number): string =>
  (criticity < 1 ? Math.min(criticity, 0.994) : criticity).toFixed(2);

/** A duration given in milliseconds: `8 ms`, `1.24 s`, `2 min 5 s`. */
export const duration = (ms: number): string => {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** A size given in bytes: `512 B`, `1.9 MB` (units of 1000). */
export const byteSize = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
};

const keys = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+*';

/** One-character keys of models by their order; `–` for no model. */
export const modelKeys = (
  models: readonly { readonly id: number }[],
): ((modelId: number | null) => string) => {
  const byId = new Map(models.map(({ id }, index) => [id, keys[index] ?? '?']));
  return modelId => (modelId === null ? '–' : (byId.get(modelId) ?? '?'));
};

/** A date with its weekday: `Tue 2025-09-16`. */
export const dayName = (date: string): string =>
  `${weekdayNames[weekday(dayNumber(date))]?.slice(0, 3)} ${date}`;

/** Slices `from` inclusive to `to` exclusive. */
type SliceRange = { readonly from: number; readonly to: number };

/** Ranges in order, adjacent and overlapping ones merged. */
const merged = (ranges: readonly SliceRange[]): SliceRange[] => {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
};

/**
 * Ranges of slices as times of day: `03:20–06:40, 10:00–10:30`. When there is not enough room, the longest ranges
 * and the number of the others: `03:20–06:40 +3`.
 * @param slices number of slices a day
 * @param width  characters at most
 */
export const timesText = (ranges: readonly SliceRange[], slices: number, width: number): string => {
  const all = merged(ranges);
  const textOf = (shown: readonly SliceRange[]): string =>
    shown.map(({ from, to }) => `${clockTime(from, slices)}–${clockTime(to, slices)}`).join(', ');
  if (textOf(all).length <= width) return textOf(all);
  const longestFirst = [...all].sort((a, b) => b.to - b.from - (a.to - a.from));
  for (let count = all.length - 1; count > 0; count -= 1) {
    const kept = new Set(longestFirst.slice(0, count));
    const text = `${textOf(all.filter(range => kept.has(range)))} +${all.length - count}`;
    if (text.length <= width || count === 1) return cut(text, width);
  }
  return '';
};

/** A cell of a table. `paint` is applied after padding, so that colours do not change the width. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

const textOf = (cell: Cell | undefined): string =>
  cell === undefined ? '' : typeof cell === 'string' ? cell : cell.text;

/**
 * Rows as aligned lines with two spaces between columns. A column is as wide as its widest cell.
 * @param align one letter a column: `r` for right, `l` for left
 * @returns     lines without trailing spaces
 */
export const table = (rows: readonly (readonly Cell[])[], align: string): string[] => {
  const widths = [...align].map((_, column) => Math.max(...rows.map(row => textOf(row[column]).length)));
  return rows.map(row => {
    const last = row.findLastIndex(cell => textOf(cell) !== '');
    const padded = (cell: Cell, column: number): string => {
      const text = textOf(cell);
      const width = widths[column] ?? 0;
      const aligned =
        align[column] === 'r' ? text.padStart(width) : column === last ? text : text.padEnd(width);
      return typeof cell === 'string' ? aligned : cell.paint(aligned);
    };
    return row
      .slice(0, last + 1)
      .map(padded)
      .join('  ');
  });
};

/** Layout of a report: colours, and the longest line in characters. */
export type Style = { readonly paint: Paint; readonly width: number };

/** Indentation of the lines of a section. */
export const margin = '  ';

/** Title and notes of a section, after an empty line. */
export const sectionHead = (title: string, notes: string, { paint, width }: Style): string[] => [
  '',
  paint.bold(title),
  ...wrap(notes, width).map(line => paint.dim(line)),
  '',
];

/** Where progress is written; on a terminal (`isTTY`) of so many columns one line is overwritten. */
export type Output = {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** Shortest time between two lines: on a terminal, where the line is overwritten, and elsewhere. */
const terminalIntervalMs = 60;
const logIntervalMs = 2000;

const barColumns = 30;

/** How far some work is. */
export type Progress = {
  readonly label: string;
  readonly done: number;
  /** Total, where it is known. */
  readonly total?: number | undefined;
  /** `done` and `total` in words, with their unit. */
  readonly text: string;
};

/** A bar of `columns` characters, filled by `part` (0–1) in eighths of a character. */
export const bar = (part: number, columns: number): string => {
  const eighths = Math.round(Math.min(1, Math.max(0, part)) * columns * 8);
  const partial = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;
  return `${'█'.repeat(Math.floor(eighths / 8))}${partial[eighths % 8] ?? ''}`.padEnd(columns, '░');
};

/** Progress as one line: `recent  ██████░░░░   60 %  1.1 MB of 1.9 MB`; the bar only on a terminal. */
export const progressText = ({ label, done, total, text }: Progress, withBar: boolean): string => {
  if (total === undefined) return `${label}  ${text}`;
  const part = Math.min(1, done / Math.max(1, total));
  const percentage = percent(Math.floor(part * 100) / 100).padStart(5);
  return `${label}  ${withBar ? `${bar(part, barColumns)}  ` : ''}${percentage}  ${text}`;
};

/** A line that shows how far some work is. */
export type ProgressLine = {
  /** Shows a text, unless the last one was shown a moment ago. On a terminal `isLast` is always shown. */
  readonly showText: (text: (withBar: boolean) => string, isLast?: boolean) => void;
  /** Shows progress. Callers may call it often. */
  readonly show: (progress: Progress) => void;
  /** Replaces the line by one that stays. */
  readonly keep: (text: string) => void;
  /** Removes the line from a terminal. */
  readonly clear: () => void;
};

/**
 * A progress line on `output`: overwritten on a terminal; elsewhere a new line at most every two seconds, or
 * none when `onTerminalOnly`.
 */
export const progressLine = (output: Output, { onTerminalOnly = false } = {}): ProgressLine => {
  const isTerminal = output.isTTY === true;
  const intervalMs = isTerminal ? terminalIntervalMs : logIntervalMs;
  let next = performance.now() + (isTerminal ? 0 : logIntervalMs);
  /** The text with its bar, or without it where that is too long: a line that wraps cannot be overwritten. */
  const fitting = (text: (withBar: boolean) => string): string => {
    const { columns = Infinity } = output;
    const long = text(true);
    return long.length < columns ? long : cut(text(false), columns - 1);
  };
  const showText: ProgressLine['showText'] = (text, isLast = false) => {
    if (onTerminalOnly && !isTerminal) return;
    const now = performance.now();
    if (now < next && !(isLast && isTerminal)) return;
    next = now + intervalMs;
    output.write(isTerminal ? `\r${fitting(text)}\u001b[K` : `${text(false)}\n`);
  };
  return {
    showText,
    show: progress =>
      showText(withBar => progressText(progress, withBar), progress.done >= (progress.total ?? Infinity)),
    keep: text => void output.write(isTerminal ? `\r${text}\u001b[K\n` : `${text}\n`),
    clear: () => {
      if (isTerminal) output.write('\r\u001b[K');
    },
  };
};

/** Shows a growing number of events, on a terminal only. */
export const eventCounter = (
  output: Output,
  label: string,
): { readonly show: (count: number) => void; readonly clear: () => void } => {
  const line = progressLine(output, { onTerminalOnly: true });
  return {
    show: count => line.show({ label, done: count, text: `${counted(count)} events` }),
    clear: line.clear,
  };
};
