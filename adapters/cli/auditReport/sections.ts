import { processManagerName, type EventOf, type KnownEvent } from '../../../domain/events.js';
import { modelAfter } from '../../../domain/planning/modelChange.js';
import type { Model } from '../../../domain/planning/models.js';
import { numberSuffix } from '../../../domain/source/sourceDescription.js';
import type { AlertRecord } from '../../../projections/alertPages.js';
import { bandOf, modelWords } from '../report/dayFigure.js';
import { chart, escaped } from '../report/html.js';
import { plural } from '../../../domain/text.js';
import { criticityText } from '../terminal/text.js';
import { coverageOfReport, problemLines } from '../audit/report.js';
import {
  checksOf,
  verdictOfReport,
  code,
  eventColumns,
  facts,
  markOf,
  paragraph,
  section,
  table,
  timeText,
  type HtmlCell,
} from './checks.js';
import type { AuditFacts, Relearning } from './facts.js';
import { timelineEntries } from './timeline.js';

/** Common data of all sections: the facts, and names of authors. */
export type AuditPage = { readonly facts: AuditFacts; readonly nameOf: (by: string) => string };

/** Title and verdict. */
export const header = ({ facts: { at, source, report, dossier } }: AuditPage): string => {
  const { mark, headline, sentence } = verdictOfReport(report);
  const alert = dossier?.explanation.alert;
  const title = alert ? `Alert ${alert.id}` : source.name;
  return `<header>
<p class="kicker">${alert ? 'Alert dossier' : 'Audit report'} · Daybook</p>
<h1>${escaped(title)}</h1>
${paragraph(`Source ${source.id}${alert ? `, ${source.name}` : ''}. Report of ${timeText(at)}.`, 'quiet')}
<div class="verdict ${mark}"><b>${headline}</b>${paragraph(sentence)}</div>
</header>`;
};

/** Inputs and scope of the report. */
export const scopeSection = ({ facts: { inputs, report, first, last, source } }: AuditPage): string => {
  const { events, streams, root } = report.result;
  const { asked, proved, uncovered } = coverageOfReport(report);
  return section(
    'Inputs and scope',
    `${table(
      [['Input'], ['Name', 'words'], ['SHA-256', 'words']],
      inputs.map(({ role, name, sha256 }) => [role, name, code(sha256)]),
    )}
${facts([
  [
    'Log',
    `${plural(events, 'event')} in ${plural(streams, 'stream')}, ${timeText(first)} to ${timeText(last)}`,
  ],
  ['Root of the log', code(root)],
  ['Asked about', `the first ${plural(asked, 'event')}`],
  ['Proved by a trusted key', plural(proved, 'event')],
  ['Not covered', plural(uncovered, 'event')],
  ['Source', `${source.id}, ${source.name}, of tenant ${source.tenant}`],
])}
${paragraph('The SHA-256 of a log is that of its export, as "daybook export" writes it. Hashes and checkpoints are checked for the whole log; decisions, timeline, models and findings are those of the source.', 'quiet')}`,
  );
};

const relationWords: Readonly<Record<Relearning['role'], string>> = {
  from: 'this source was learned again from',
  as: 'this source was learned again as',
};

/** The sources that the source was learned again from or as, with the events that say so; empty without them. */
export const relearnedSection = ({ facts: { relearnings } }: AuditPage): string =>
  relearnings.length === 0
    ? ''
    : section(
        'Learned again',
        `${table(
          [
            ['Relation'],
            ['Source', 'number'],
            ['Time', 'time'],
            ['Type'],
            ['Event', 'number'],
            ['Hash', 'words'],
          ],
          relearnings.map(({ role, sourceId, event: { at, type, hash }, n }): HtmlCell[] => [
            relationWords[role],
            String(sourceId),
            timeText(at),
            type,
            String(n),
            hash === undefined ? 'none' : code(hash),
          ]),
        )}
${paragraph('The reference of the new source is the last 365 dates of recent days of the old one. The check of decisions compares both, day by day. Ask for the report of the other source by its id.', 'quiet')}`,
      );

/** Every check with its result. */
export const checksSection = ({ facts: { report, inputs } }: AuditPage): string => {
  const items = checksOf(
    report,
    inputs.some(({ role }) => role === 'leaf hashes'),
  ).map(
    ({ title, mark, sentences }) =>
      `<li class="${mark}">${markOf(mark)}<b>${title}</b>${sentences.map(sentence => paragraph(sentence)).join('')}</li>`,
  );
  return section(
    'Checks',
    `<ul class="checks">${items.join('\n')}</ul>
${paragraph('Not checked by any of these: that an event was true when it was written, that the clock of the service was right, and decisions of people, such as verdicts.', 'quiet')}`,
  );
};

const numbersOf = (from: bigint, to: bigint): string => (from === to ? String(from) : `${from}–${to}`);

/** Maximum rows of a table; the rest is counted. */
const rowsMax = 500;

const limited = <Row>(rows: readonly Row[], noun: string): { shown: readonly Row[]; note: string } => ({
  shown: rows.slice(0, rowsMax),
  note:
    rows.length > rowsMax
      ? paragraph(`The first ${rowsMax} of ${plural(rows.length, noun)} are shown; the log has all.`, 'quiet')
      : '',
});

/** Events of people, all of them: a decision that is not shown would look like one that was not made. */
export const timelineSection = ({ facts: { events, calendar }, nameOf }: AuditPage): string => {
  const rows = timelineEntries(events, calendar).map(
    ({ at, to, by, words, events: [from, last] }): HtmlCell[] => [
      timeText(at) === timeText(to) ? timeText(at) : `${timeText(at)} to ${timeText(to)}`,
      nameOf(by),
      words,
      numbersOf(from, last),
    ],
  );
  return section(
    'What people did',
    rows.length === 0 ? paragraph('No person changed anything in this source.') : table(eventColumns, rows),
    true,
  );
};

type VersionEvent = EventOf<'ModelsReset' | 'ModelsReplaced' | 'ModelAnomalyChanged'>;

/** A version of the models, with all of them as they were then. */
type Version = { readonly event: VersionEvent; readonly models: readonly Model[] };

/** The versions of the models in the events of a source, and its present models: people rename them in a version. */
const versionsOf = (events: readonly KnownEvent[]): { versions: Version[]; models: readonly Model[] } => {
  const versions: Version[] = [];
  let models: readonly Model[] = [];
  for (const event of events) {
    if (event.type === 'ModelsReset' || event.type === 'ModelsReplaced') models = event.data.models;
    else if (event.type === 'ModelDescribed' || event.type === 'ModelAnomalyChanged')
      models = models.map(model => modelAfter(model, event));
    else continue;
    if (event.type !== 'ModelDescribed') versions.push({ event, models });
  }
  return { versions, models };
};

/** How a version of the models came about. */
const originOf = ({ type, data }: VersionEvent): string => {
  if (type === 'ModelAnomalyChanged')
    return `model ${data.modelId} marked as ${data.anomaly ? 'an anomaly' : 'ordinary'}`;
  if (data.restoredFrom !== undefined) return `restored from version ${data.restoredFrom}`;
  if (type === 'ModelsReplaced') return 'supplied by a person';
  const { edited, engine } = data;
  return edited ? `edited by a person, from version ${edited.modelsVersion}` : `learned by ${engine}`;
};

const colorPattern = /^#[0-9a-f]{6}$/i;

/** A model's name on its colour. */
const namedModel = ({ name, color }: Model): HtmlCell => {
  const swatch = colorPattern.test(color) ? `<span class="swatch" style="background:${color}"></span>` : '';
  return { html: swatch + escaped(name) };
};

const modelsTable = (models: readonly Model[], suffix: string): string =>
  table(
    [['Id', 'number'], ['Model', 'words'], ['Profile and bounds'], ['Reference days', 'number'], ['Anomaly']],
    models.map(model => [
      String(model.id),
      namedModel(model),
      { html: chart({ kind: 'spark', model: bandOf(model) }, modelWords(model, suffix)) },
      String(model.days),
      model.anomaly ? 'yes' : 'no',
    ]),
  );

const versionRow =
  (nameOf: AuditPage['nameOf'], events: readonly KnownEvent[]) =>
  ({ event, models }: Version): HtmlCell[] => {
    const { data, metadata, at, position } = event;
    const request = events.find(({ id }) => id === metadata.cause);
    const by = metadata.by === processManagerName ? (request?.metadata.by ?? metadata.by) : metadata.by;
    return [
      String(data.modelsVersion),
      timeText(at),
      originOf(event),
      nameOf(by),
      String(models.length),
      String(position),
    ];
  };

/** The models of each version, and the present ones with their profiles. */
export const modelsSection = ({ facts: { events, source }, nameOf }: AuditPage): string => {
  const { versions, models } = versionsOf(events);
  const current = versions.at(-1);
  if (!current) return section('Models', paragraph('The source has no models.'), true);
  return section(
    'Models',
    `${table(
      [
        ['Version', 'number'],
        ['Since', 'time'],
        ['Origin', 'words'],
        ['Requested by'],
        ['Models', 'number'],
        ['Event', 'number'],
      ],
      versions.map(versionRow(nameOf, events)),
    )}
<h3>Version ${current.event.data.modelsVersion}, in force</h3>
${modelsTable(models, numberSuffix(source))}`,
    true,
  );
};

const alertRow = ({ id, date, kind, direction, criticity, state, raisedAt }: AlertRecord): HtmlCell[] => [
  id,
  date,
  direction === null ? kind : `${kind}, ${direction}`,
  criticityText(criticity),
  state,
  timeText(raisedAt),
];

/** Problems of the verification, undecided events, and unresolved alerts. */
export const findingsSection = ({ facts: { report, openAlerts } }: AuditPage): string => {
  const problems = problemLines(report);
  const { shown, note } = limited(openAlerts, 'alert');
  return section(
    'Open findings',
    `<h3>Problems of the log</h3>
${problems.length === 0 ? paragraph('None.') : `<ol>${problems.map(text => `<li>${escaped(text)}</li>`).join('')}</ol>`}
<h3>Alerts that are not resolved</h3>
${
  shown.length === 0
    ? paragraph('None.')
    : table(
        [['Alert'], ['Date', 'time'], ['Kind'], ['Criticity', 'number'], ['State'], ['Raised']],
        shown.map(alertRow),
      ) + note
}`,
    true,
  );
};

const signer = (role: string): string =>
  `<div><h3>${role}</h3><p>Name</p><p>Place and date</p><p>Signature</p></div>`;

/** Lines to sign on. */
export const signaturesSection = (): string =>
  section('Signatures', `<div class="signatures">${signer('Auditor')}${signer('Operator')}</div>`);
