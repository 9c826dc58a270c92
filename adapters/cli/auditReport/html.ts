import { engine } from '../../../analysis/engine.js';
import { escaped, chart, reportPage } from '../report/html.js';
import { type AuditFacts, authorNames, type Dossier } from './facts.js';
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
import { clockTime } from '../../../domain/alerts/alertSentence.js';
import { numberSuffix } from '../../../domain/source/sourceDescription.js';
import type { Explanation, Link } from '../../../application/requests/history/explainAlert.js';
import { dayName, criticityText, valueText } from '../terminal/text.js';
import { limitWords, dayFigure, dayWords, isUnlikeAll } from '../report/dayFigure.js';
import type { DayFigure } from '../report/figures.js';
import { plural } from '../../../domain/text.js';
import { code, eventColumns, facts, paragraph, section, table, timeText, type HtmlCell } from './checks.js';
import { eventWords } from './timeline.js';

const kindWords: Readonly<Record<string, string>> = {
  activity: 'The day broke a limit of its planned model.',
  gap: 'The day has too few data to be compared.',
  frozen: 'The sensor repeated one value for longer than the reference explains.',
  drift: 'The level of the source shifted.',
  noData: 'No data came in time.',
};

const summary = ({ explanation: { alert, plannedModel, planning } }: Dossier): string => {
  const { direction } = alert;
  const { kind, date, criticity, state, verdict } = alert;
  return facts([
    ['Day', dayName(date)],
    ['Reason', alert.sentence],
    ['Kind', kindWords[kind] ?? kind],
    ['Direction', direction ?? 'none'],
    ['Criticity', `${criticityText(criticity)} of 1`],
    ['Planned model', plannedModel ? `${plannedModel.name} (model ${plannedModel.id})` : 'none'],
    ['Why that model', planning.reason],
    ['Broken limits', alert.limits?.map(limit => limitWords[limit]).join(', ') ?? 'the bounds of the model'],
    ['State', verdict === null ? state : `${state}, verdict ${verdict}`],
  ]);
};

/** Marks of the chart of a day, with their words. */
const keysOf = (finding: DayFigure['alert'], hasUsual: boolean): readonly (readonly [string, string])[] => [
  ['actual', 'the day'],
  ['expected', 'profile of the planned model'],
  ...(hasUsual ? [['band', 'usual range: 9 of 10 comparable days'] as const] : []),
  [
    'beyond',
    isUnlikeAll(finding)
      ? 'course unlike all comparable days'
      : 'stretch of the reason, with its broken limit',
  ],
];

const figureOf = (
  { explanation: { alert, plannedModel }, day, ...drawn }: Dossier,
  suffix: string,
): string => {
  if (!day) return paragraph('The log has no data of this day.');
  const { usual, bounds } = drawn;
  const finding = { ...alert, bounds };
  const compared = { day, model: plannedModel ?? undefined, finding, usual, suffix };
  const legend = keysOf(finding, usual !== null).map(
    ([kind, words]) => `<span><i class="key ${kind}"></i>${words}</span>`,
  );
  return `<figure aria-label="${escaped(`Day ${day.date}`)}">${chart(dayFigure(compared, null), dayWords(compared))}
<figcaption>${legend.join('')}</figcaption></figure>`;
};

const runsTable = ({ explanation: { alert }, day }: Dossier, suffix: string): string => {
  const slices = day?.activity.length ?? 0;
  if (alert.slices.length === 0 || slices === 0) return '';
  return `<h3>Outside a limit</h3>${table(
    [['From'], ['To'], ['Direction'], ['Largest distance', 'number']],
    alert.slices.map(({ from, to, direction, excess }) => [
      clockTime(from, slices),
      clockTime(to, slices),
      direction,
      valueText(excess) + suffix,
    ]),
  )}`;
};

/** The links of an explanation, in the order of the log, each with its role. */
const linksOf = ({ raised, check, import: brought, planning, accepted, models, since }: Explanation) => {
  const roles: readonly (readonly [string, Link | null | undefined])[] = [
    ['requested the models', models?.request],
    ['made the models', models?.event],
    ['planned the date', planning.event],
    ['named the date', planning.specialDay],
    ...accepted.map(link => ['changed what is expected', link] as const),
    ['brought the day', brought?.part],
    ['completed the import', brought?.last],
    ['requested the check', check.cause],
    ['checked the day', check.event],
    ['raised the alert', raised],
    ...since.map(link => ['came after it', link] as const),
  ];
  const byId = new Map<string, { readonly link: Link; readonly roles: string[] }>();
  for (const [role, link] of roles) {
    if (!link) continue;
    const known = byId.get(link.eventId) ?? { link, roles: [] };
    known.roles.push(role);
    byId.set(link.eventId, known);
  }
  return [...byId.values()].sort((a, b) => Number(BigInt(a.link.position) - BigInt(b.link.position)));
};

const chainTable = ({ explanation }: Dossier, nameOf: AuditPage['nameOf']): string =>
  table(
    [['Event', 'number'], ['Time', 'time'], ['Role'], ['Type'], ['Who'], ['Hash', 'words']],
    linksOf(explanation).map(({ link, roles }): HtmlCell[] => [
      link.position,
      timeText(link.at),
      roles.join(', '),
      link.type,
      nameOf(link.by),
      link.hash === null ? 'none' : code(link.hash),
    ]),
  );

const historyTable = ({ history }: Dossier, nameOf: AuditPage['nameOf']): string =>
  table(
    eventColumns,
    history.map(event => [
      timeText(event.at),
      nameOf(event.metadata.by),
      eventWords(event),
      String(event.position),
    ]),
  );

/** Sections of one alert: its facts, its day, the events that led to it, and its later events. */
const dossierSections = (dossier: Dossier, { facts, nameOf }: AuditPage): readonly string[] => {
  const suffix = numberSuffix(facts.source);
  const { models, reference, check } = dossier.explanation;
  const parameters = models?.parameters;
  return [
    section('The alert', summary(dossier) + figureOf(dossier, suffix) + runsTable(dossier, suffix), true),
    section(
      'Why it was raised',
      `${chainTable(dossier, nameOf)}
${paragraph(`The check knew the log up to event ${check.knownTo}. The models were learned from ${plural(reference.events.length, 'event')} of reference days; the planned model has ${plural(reference.plannedModelDates.length, 'reference day')}${parameters ? `; engine ${parameters.engine}, seed ${parameters.seed}` : ''}.`)}`,
      true,
    ),
    section('Later events', historyTable(dossier, nameOf)),
  ];
};

const footer = ({ at, source }: AuditFacts): string =>
  `<footer>Created by "daybook audit-report" with the engine ${engine}, source ${source.id}, dated ${escaped(at)}. The same inputs with the same --at give the same bytes. docs/auditing.md explains this report.</footer>`;

/** The report as one HTML file that needs no network and no other file. */
export const auditReportHtml = (facts: AuditFacts): string => {
  const nameOf = authorNames(
    [...facts.events, ...facts.calendar].map(({ metadata }) => metadata.by),
    facts.authors,
  );
  const shown: AuditPage = { facts, nameOf };
  const { dossier, source } = facts;
  const title = dossier
    ? `Alert ${dossier.explanation.alert.id}: audit dossier`
    : `${source.name}: audit report`;
  const middle = dossier
    ? dossierSections(dossier, shown)
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
