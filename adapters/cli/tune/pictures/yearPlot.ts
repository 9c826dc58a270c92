import { dateOf, dayNumber, month, monthNames, weekday, year } from '../../../../domain/dates.js';
import { dayName } from '../../terminal/labels.js';
import { at, escaped, picture, text } from './svg.js';

/** A date of the calendar. */
export type CalendarCell = {
  readonly date: string;
  /** The planned model; null for none. */
  readonly modelId: number | null;
  readonly key: string;
  /** Tooltip, after the date. */
  readonly words: string;
  /** Name of the holiday or special day. */
  readonly holiday: string | null;
  /** The nearest model, if it is not the planned one. */
  readonly nearest?: number | null;
  /** Why there is no model: the day is an outlier, which is marked, or has no data. */
  readonly mark?: 'outlier' | 'empty';
  /** Whether the day has an alert; days without one are drawn faint. Undefined for reference days. */
  readonly alert?: boolean;
};

const size = 15;
const gap = 3;
const step = size + gap;
const left = 34;
const top = 20;

/** Where dates (day numbers) are drawn. */
type Grid = { readonly weekOf: (number: number) => number; readonly xOf: (number: number) => number };

const yOf = (number: number): number => top + weekday(number) * step;

/** The square of one date. */
const cellSquare = (
  { date, modelId, key, words, holiday, nearest = null, mark, alert }: CalendarCell,
  { xOf }: Grid,
): string => {
  const number = dayNumber(date);
  const [x, y] = [xOf(number), yOf(number)];
  const fill = modelId === null ? 'class="none"' : `style="fill:var(--m${modelId})"`;
  const faint = alert === false ? ' class="faint"' : '';
  const tooltip = [dayName(date), words, ...(holiday === null ? [] : [holiday])].join(' · ');
  return (
    `<g><title>${escaped(tooltip)}</title><g${faint}><rect x="${at(x)}" y="${at(y)}" width="${size}" height="${size}" rx="2" ${fill}/>` +
    (nearest === null
      ? ''
      : `<path class="corner" style="fill:var(--m${nearest})" d="M${at(x + size - 6)} ${at(y + size)}h6v-6z"/>`) +
    (modelId === null
      ? mark === 'outlier'
        ? `<text class="key" x="${at(x + size / 2)}" y="${at(y + size / 2 + 3.5)}">×</text>`
        : ''
      : `<text class="key" x="${at(x + size / 2)}" y="${at(y + size / 2 + 3)}" style="fill:var(--k${modelId})">${escaped(key)}</text>`) +
    '</g>' +
    (holiday === null
      ? ''
      : `<rect class="holiday" x="${at(x - 0.5)}" y="${at(y - 0.5)}" width="${size + 1}" height="${size + 1}" rx="3"/>`) +
    (alert ? `<circle class="alertDot" cx="${at(x + size - 2)}" cy="${at(y + 2)}" r="4"/>` : '') +
    '</g>'
  );
};

/** Borders and names of the months from `first` to `last` (day numbers). */
const monthParts = (first: number, last: number, width: number, { weekOf, xOf }: Grid): string[] => {
  const parts: string[] = [];
  let named = -Infinity;
  for (let number = first; number <= last; number += 1) {
    const begins = dateOf(number).endsWith('-01');
    if (!begins && number > first) continue;
    const [x, row] = [xOf(number) - gap / 2, weekday(number)];
    if (begins && number > first) {
      const [upper, lower] = [top - gap / 2, top + 7 * step - gap / 2];
      const turn = top + row * step - gap / 2;
      parts.push(
        row === 0
          ? `<path class="border" d="M${at(x)} ${at(upper)}V${at(lower)}"/>`
          : `<path class="border" d="M${at(x + step)} ${at(upper)}V${at(turn)}H${at(x)}V${at(lower)}"/>`,
      );
    }
    // The name of a month is above its first whole week, that of the first month above its first day.
    const over = left + (weekOf(number) + (row === 0 || number === first ? 0 : 1)) * step;
    const name = monthNames[month(number)] ?? '';
    const words = number === first || month(number) === 0 ? `${name} ${year(number)}` : name;
    if (over < named || over > width - 24) continue;
    parts.push(text(over, top - 8, words, {}));
    named = over + 6 * words.length + 3;
  }
  return parts;
};

/**
 * A calendar: weeks from left to right, Monday to Sunday from top to bottom. Each day has colour and key of its model.
 * @param cells by ascending date, at least one
 */
export const yearPlot = (cells: readonly CalendarCell[], label: string): string => {
  const first = dayNumber(cells[0]?.date ?? '1970-01-01');
  const last = dayNumber(cells.at(-1)?.date ?? '1970-01-01');
  const monday = first - weekday(first);
  const weekOf = (number: number): number => Math.floor((number - monday) / 7);
  const xOf = (number: number): number => left + weekOf(number) * step;
  const grid = { weekOf, xOf };
  const width = Math.max(120, left + (weekOf(last) + 1) * step + 36);
  const height = top + 7 * step + 4;

  const heads = ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'].map((name, index) =>
    name === '' ? '' : text(left - 6, top + index * step + size - 3.5, name, { anchor: 'end' }),
  );
  return picture(width, height, label, [
    ...heads,
    ...cells.map(cell => cellSquare(cell, grid)),
    ...monthParts(first, last, width, grid),
  ]);
};
