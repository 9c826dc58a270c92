import { escaped } from '../report/html.js';
import type { Mark } from './checks.js';

/** A cell: text, which is escaped, or HTML. */
export type HtmlCell = string | { readonly html: string };

/** HTML of a cell. */
export const html = (cell: HtmlCell): string => (typeof cell === 'string' ? escaped(cell) : cell.html);

/** A SHA-256 or an id in a narrow font. */
export const code = (text: string): HtmlCell => ({ html: `<code>${escaped(text)}</code>` });

const symbols: Readonly<Record<Mark, string>> = { good: '✓', warn: '!', bad: '✗', none: '–' };
const markWords: Readonly<Record<Mark, string>> = {
  good: 'proved',
  warn: 'not proved',
  bad: 'problem',
  none: 'not asked',
};

/** A round mark for the result of a check. */
export const markOf = (mark: Mark): string =>
  `<span class="mark" role="img" aria-label="${markWords[mark]}">${symbols[mark]}</span>`;

/** A section with a title. `onPage`: begins a page on paper. */
export const section = (title: string, content: string, onPage = false): string =>
  `<section${onPage ? ' class="page"' : ''}>\n<h2>${escaped(title)}</h2>\n${content}\n</section>`;

export const paragraph = (text: string, kind = ''): string =>
  `<p${kind === '' ? '' : ` class="${kind}"`}>${escaped(text)}</p>`;

/** Names and values. */
export const facts = (rows: readonly (readonly [name: string, value: HtmlCell])[]): string =>
  `<dl>${rows.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${html(value)}</dd>`).join('')}</dl>`;

/** A column of a table: its title and the CSS class of its cells. */
export type Column = readonly [title: string, kind?: 'number' | 'time' | 'words'];

export const table = (columns: readonly Column[], rows: readonly (readonly HtmlCell[])[]): string => {
  const kindOf = (index: number): string => {
    const kind = columns[index]?.[1];
    return kind === undefined ? '' : ` class="${kind}"`;
  };
  // Narrow screens show each cell on a separate line, after its column's title.
  const label = (index: number): string => ` data-label="${escaped(columns[index]?.[0] ?? '')}"`;
  const head = columns.map(([title], index) => `<th${kindOf(index)}>${escaped(title)}</th>`).join('');
  const body = rows.map(
    row =>
      `<tr>${row.map((cell, index) => `<td${kindOf(index)}${label(index)}><span>${html(cell)}</span></td>`).join('')}</tr>`,
  );
  return `<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
};

/** An instant for people: `2026-11-22 14:05 UTC`. */
export const timeText = (at: string): string => {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(at);
  return parts ? `${parts[1]} ${parts[2]} UTC` : at;
};
