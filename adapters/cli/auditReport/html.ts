import { engine } from '../../../analysis/engine.js';
import { escaped } from '../report/html.js';
import { reportPage } from '../report/page.js';
import { dossierSections } from './dossier.js';
import type { AuditFacts } from './facts.js';
import { authorNames } from './names.js';
import {
  checksSection,
  findingsSection,
  header,
  modelsSection,
  relearnedSection,
  scopeSection,
  signaturesSection,
  timelineSection,
  type AuditPage,
} from './sections.js';

const footer = ({ at, source }: AuditFacts): string =>
  `<footer>Created by "daybook audit-report" with the engine ${engine}, source ${source.id}, dated ${escaped(at)}. The same inputs with the same --at give the same bytes. docs/auditing.md explains this report.</footer>`;

/** The report as one HTML file that needs no network and no other file. */
export const auditReportHtml = (facts: AuditFacts): string => {
  const nameOf = authorNames(
    facts.events.map(({ metadata }) => metadata.by),
    facts.authors,
  );
  const shown: AuditPage = { facts, nameOf };
  const { dossier, source } = facts;
  const title = dossier
    ? `Alert ${dossier.explanation.alert.id}: audit dossier`
    : `${source.name}: audit report`;
  const middle = dossier
    ? dossierSections(dossier, nameOf)
    : [timelineSection(shown), modelsSection(shown), findingsSection(shown)];
  return reportPage({
    kind: 'audit',
    title,
    main: [
      header(shown),
      scopeSection(shown),
      relearnedSection(shown),
      checksSection(shown),
      ...middle,
      signaturesSection(),
      footer(facts),
    ].join('\n'),
  });
};
