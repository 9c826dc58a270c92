import { counted, inOneLine } from '../../../domain/text.js';
import { dayNumber, weekday, weekdayNames } from '../../../domain/dates.js';
import { clockTime } from '../../../domain/alerts/alertSentence.js';
import type { Paint } from './colors.js';

/** Text from outside in one line, without characters that could steer a terminal. */
export const plain = (text: string): string => inOneLine(text);

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
