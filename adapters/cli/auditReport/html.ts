import { engine } from '../../../analysis/engine.js';
import { escaped } from '../tune/pictures/svg.js';
import { dossierSections } from './dossier.js';
import type { AuditFacts } from './facts.js';
import { authorNames } from './names.js';
import {
  checksSection,
  findingsSection,
  header,
  modelsSection,
  scopeSection,
  signaturesSection,
  timelineSection,
  type Shown,
} from './sections.js';
import { style } from './style.js';

const footer = ({ at, source }: AuditFacts): string =>
  `<footer>Made by "daybook audit-report" with the engine ${engine}, source ${source.id}, dated ${escaped(at)}. The same inputs with the same --at give the same bytes. docs/auditing.md says how to read this report.</footer>`;

/** The report as one HTML file that needs no network, no script and no other file. */
export const auditReportHtml = (facts: AuditFacts): string => {
  const nameOf = authorNames(facts.events.map(({ metadata }) => metadata.by));
  const shown: Shown = { facts, nameOf };
  const { dossier, source } = facts;
  const title = dossier
    ? `Alert ${dossier.explanation.alert.id}: audit dossier`
    : `${source.name}: audit report`;
  const middle = dossier
    ? dossierSections(dossier, nameOf)
    : [timelineSection(shown), modelsSection(shown), findingsSection(shown)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${[header(shown), scopeSection(shown), checksSection(shown), ...middle, signaturesSection(), footer(facts)].join('\n')}
</main>
</body>
</html>
`;
};
