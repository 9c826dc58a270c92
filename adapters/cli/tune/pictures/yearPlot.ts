import { dateOf, dayNumber, month, monthNames, weekday, year } from '../../../../domain/dates.js';
import { dayName } from '../../terminal/labels.js';
import { at, escaped, picture, text } from './svg.js';

/** What a date of a calendar shows. */
export type CalendarCell = {
  readonly date: string;
  /** Of the model that it follows; null for none. */
  readonly modelId: number | null;
  readonly key: string;
  /** What it is called when one points at it, after its date. */
  readonly words: string;
  /** Name of the public holiday that it is. */
  readonly holiday: string | null;
  /** The model that it is nearest to, where that is another one. */
  readonly nearest?: number | null;
  /** Why there is no model: an unusual day is marked, one without data is not. */
  readonly mark?: 'unusual' | 'empty';
  /** Whether it has an alert, which then stands out from days without; undefined where none can be. */
  readonly alert?: boolean;
};

const size = 15;
const gap = 3;
const step = size + gap;
const left = 34;
const top = 20;

/**
 * Weeks from left to right, Monday to Sunday from top to bottom, coloured by model with its letter, months bordered.
 * @param cells by ascending date, at least one
 */
export const yearPlot = (cells: readonly CalendarCell[], label: string): string => {
  const first = dayNumber(cells[0]?.date ?? '1970-01-01');
  const last = dayNumber(cells.at(-1)?.date ?? '1970-01-01');
  const monday = first - weekday(first);
  const weekOf = (number: number): number => Math.floor((number - monday) / 7);
  const xOf = (number: number): number => left + weekOf(number) * step;
  const yOf = (number: number): number => top + weekday(number) * step;
  const width = Math.max(120, left + (weekOf(last) + 1) * step + 36);
  const height = top + 7 * step + 4;

  const squares = cells.map(({ date, modelId, key, words, holiday, nearest = null, mark, alert }) => {
    const number = dayNumber(date);
    const [x, y] = [xOf(number), yOf(number)];
    const fill = modelId === null ? 'class="none"' : `style="fill:var(--m${modelId})"`;
    const faint = alert === false ? ' class="faint"' : '';
    const said = [dayName(date), words, ...(holiday === null ? [] : [holiday])].join(' · ');
    return (
      `<g><title>${escaped(said)}</title><g${faint}><rect x="${at(x)}" y="${at(y)}" width="${size}" height="${size}" rx="2" ${fill}/>` +
      (nearest === null
        ? ''
        : `<path class="corner" style="fill:var(--m${nearest})" d="M${at(x + size - 6)} ${at(y + size)}h6v-6z"/>`) +
      (modelId === null
        ? mark === 'unusual'
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
  });
  const heads = ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'].map((name, index) =>
    name === '' ? '' : text(left - 6, top + index * step + size - 3.5, name, { anchor: 'end' }),
  );
  const months: string[] = [];
  let named = -Infinity;
  for (let number = first; number <= last; number += 1) {
    const begins = dateOf(number).endsWith('-01');
    if (!begins && number > first) continue;
    const [x, row] = [xOf(number) - gap / 2, weekday(number)];
    if (begins && number > first) {
      const [upper, lower] = [top - gap / 2, top + 7 * step - gap / 2];
      const turn = top + row * step - gap / 2;
      months.push(
        row === 0
          ? `<path class="border" d="M${at(x)} ${at(upper)}V${at(lower)}"/>`
          : `<path class="border" d="M${at(x + step)} ${at(upper)}V${at(turn)}H${at(x)}V${at(lower)}"/>`,
      );
    }
    // The name of a month stands over the first week that is all its own, the first over its first day.
    const over = left + (weekOf(number) + (row === 0 || number === first ? 0 : 1)) * step;
    const name = monthNames[month(number)] ?? '';
    const words = number === first || month(number) === 0 ? `${name} ${year(number)}` : name;
    if (over < named || over > width - 24) continue;
    months.push(text(over, top - 8, words, {}));
    named = over + 6 * words.length + 3;
  }
  return picture(width, height, label, [...heads, ...squares, ...months]);
};
