import { dayNumber, weekday, weekdayNames } from '../../../domain/dates.js';
import { clockTime } from '../../../domain/alerts/details/shownDeviation.js';
import { cut } from './text.js';

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
