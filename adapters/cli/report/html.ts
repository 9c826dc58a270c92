import { escapedHtml, unbroken } from '../../../domain/text.js';
import { plain } from '../terminal/text.js';
import type { Figure } from './figures.js';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Text escaped for HTML and attributes, without control and direction characters and with unbroken percentages. */
export const escaped = (text: string): string => escapedHtml(plain(text));

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

/** The script that draws the charts and the style sheet, as the build made them. */
const builtFile = (name: string): string => {
  const file = fileURLToPath(new URL(`../../../report/${name}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${name} of the reports is not built: run "npm run build"`);
  return readFileSync(file, 'utf8');
};

/** A report. `style` has rules besides those of all reports; `main` is HTML. */
type Page = {
  readonly kind: 'tune' | 'audit';
  readonly title: string;
  readonly style?: string;
  readonly main: string;
};

/**
 * One HTML file that needs no network and no other file. Only its own script may run.
 * @throws Error when the script of the reports is not built
 */
export const reportPage = ({ kind, title, style = '', main }: Page): string => {
  const script = builtFile('report.js');
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escaped(title)}</title>
<style>${builtFile('report.css')}${style}</style>
</head>
<body class="${kind}">
<main>
${main}
</main>
<script>${script}</script>
</body>
</html>
`;
};
