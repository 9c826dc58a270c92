import { unbroken } from '../../../domain/percent.js';
import { plain } from '../terminal/text.js';
import type { Figure } from './figures.js';

/** Text escaped for HTML and attributes, without control and direction characters and with unbroken percentages. */
export const escaped = (text: string): string =>
  unbroken(plain(text))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Five digits are more than a chart shows. */
const rounded = (value: number): number => Number(value.toPrecision(5));

/** JSON in a script element: no text of it ends the element or begins another. */
const scriptJson = (value: object): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'number') return rounded(part);
    return typeof part === 'string' ? unbroken(plain(part)) : part;
  }).replaceAll('<', '\\u003c');

/**
 * A chart: its data, which the script of the page draws, and the same in words for readers without script or sight.
 * @param words plain text
 */
export const chart = (figure: Figure, words: string): string =>
  `<div class="chart ${figure.kind}"><script type="application/json">${scriptJson(figure)}</script><p>${escaped(words)}</p></div>`;
