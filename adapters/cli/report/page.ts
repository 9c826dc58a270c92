import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { escaped } from './html.js';

/** The script that draws the charts and the style sheet, as the build made them. */
const builtFile = (name: string): string => {
  const file = fileURLToPath(new URL(`../../../report/${name}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${name} of the reports is not built: run "npm run build"`);
  return readFileSync(file, 'utf8');
};

/** A report. `style` has rules besides those of all reports; `main` is HTML. */
export type Page = {
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
