import { coverageSentences, isTrusted, type RatedCheckpoint } from '../audit/coverage.js';
import {
  coverageOfReport,
  decisionSentences,
  forgedSentence,
  reportVerdictOf,
  verdictSentence,
  type Report,
} from '../audit/report.js';
import { plural } from '../../../domain/text.js';
import { plain } from '../terminal/text.js';
import { escaped } from '../report/html.js';

/** `good` proved, `warn` not proved, `bad` a problem, `none` not asked. */
export type Mark = 'good' | 'warn' | 'bad' | 'none';

/** A check and its result in sentences. */
export type Check = { readonly title: string; readonly mark: Mark; readonly sentences: readonly string[] };

/** A sentence of the command line for a reader of paper. */
const onPaper = (sentence: string): string =>
  sentence
    .replaceAll(/ \(--(?:public-key|to-checkpoint)\)/g, '')
    .replaceAll('you did NOT name', 'the auditor did NOT name')
    .replaceAll('you trust', 'the auditor trusts')
    .replaceAll('you did not name', 'the auditor did not name');

const trustSentence = ({ checkpoint: { at, size, keyId }, trust }: RatedCheckpoint): string => {
  const subject = `The checkpoint of ${plain(at)} over ${plural(size, 'event')}`;
  if (trust === 'given') return `${subject} is signed by key ${keyId}, which the auditor trusts.`;
  if (trust === 'successor')
    return `${subject} is signed by key ${keyId}, which a key that the auditor trusts named as its successor.`;
  return `${subject} is signed by key ${keyId}, which the auditor did not name as trusted: the signature was not checked.`;
};

const contentCheck = ({ result, file }: Report): Check => {
  const count = result.findingCount + (file?.faults.length ?? 0);
  const { events, streams } = result;
  return {
    title: 'Hash chains',
    mark: count === 0 ? 'good' : 'bad',
    sentences: [
      count === 0
        ? `Each of ${plural(events, 'event')} in ${plural(streams, 'stream')} fits to the event before it: no event was edited, added, removed or moved within its stream.`
        : `${plural(count, 'problem')} found in the log; they are listed under open findings.`,
    ],
  };
};

const coverageCheck = (report: Report): Check => {
  const coverage = coverageOfReport(report);
  const isWhole = coverage.proved > 0 && coverage.proved >= coverage.asked;
  return {
    title: 'Completeness under a checkpoint',
    mark: isWhole ? 'good' : 'warn',
    sentences: coverageSentences(report.result, coverage).map(onPaper),
  };
};

const keyCheck = ({ checkpoints }: Report): Check => {
  const title = 'Checkpoint and key';
  if (checkpoints.length === 0)
    return {
      title,
      mark: 'warn',
      sentences: ['No checkpoint was given: nothing outside this log confirms it.'],
    };
  const mark = checkpoints.every(isTrusted)
    ? 'good'
    : checkpoints.some(one => one.trust === 'forged')
      ? 'bad'
      : 'warn';
  return {
    title,
    mark,
    sentences: checkpoints.map(one => (one.trust === 'forged' ? forgedSentence(one) : trustSentence(one))),
  };
};

const decisionsCheck = ({ decisions }: Report): Check => {
  const title = 'Decisions of the service';
  if (!decisions)
    return { title, mark: 'none', sentences: ['Not asked: the decisions were not made again.'] };
  const { findingCount, undecided } = decisions;
  const mark = findingCount > 0 ? 'bad' : undecided > 0 ? 'warn' : 'good';
  const problems =
    findingCount > 0 ? [`${plural(findingCount, 'decision')} do not follow from the events.`] : [];
  return { title, mark, sentences: [...problems, ...decisionSentences(decisions)] };
};

/** The checks of a report, each with its result in sentences. */
export const checksOf = (report: Report, hasLeafHashes: boolean): readonly Check[] => [
  contentCheck(report),
  coverageCheck(report),
  keyCheck(report),
  decisionsCheck(report),
  ...(hasLeafHashes
    ? [
        {
          title: 'Leaf hashes',
          mark: report.result.findings.some(({ code }) => code === 'fingerprint') ? 'bad' : 'good',
          sentences: ['The leaf hashes that were kept with the checkpoint were compared, event by event.'],
        } as const,
      ]
    : []),
];

/** The verdict of a report: its mark, a headline and a sentence. */
export const verdictOfReport = (
  report: Report,
): { readonly mark: Mark; readonly headline: string; readonly sentence: string } => {
  const verdict = reportVerdictOf(report);
  const sentence = onPaper(verdictSentence(report)).replace(/^Verdict: (.)/, (_, first: string) =>
    first.toUpperCase(),
  );
  const [proof = sentence] = coverageSentences(report.result, coverageOfReport(report)).map(onPaper);
  if (verdict === 'proved')
    return { mark: 'good', headline: 'Proved', sentence: `${proof} No problem was found.` };
  if (verdict === 'found') return { mark: 'bad', headline: 'Problems found', sentence };
  return { mark: 'warn', headline: 'Not proved', sentence };
};

/** A cell: text, which is escaped, or HTML. */
export type HtmlCell = string | { readonly html: string };

/** HTML of a cell. */
const html = (cell: HtmlCell): string => (typeof cell === 'string' ? escaped(cell) : cell.html);

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

/** A paragraph of HTML. @param text plain text, which is escaped @param kind a class of the style sheet */
export const paragraph = (text: string, kind = ''): string =>
  `<p${kind === '' ? '' : ` class="${kind}"`}>${escaped(text)}</p>`;

/** Names and values. */
export const facts = (rows: readonly (readonly [name: string, value: HtmlCell])[]): string =>
  `<dl>${rows.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${html(value)}</dd>`).join('')}</dl>`;

/** A column of a table: its title and the CSS class of its cells. */
type Column = readonly [title: string, kind?: 'number' | 'time' | 'words'];

/** Columns of events with their authors. */
export const eventColumns: readonly Column[] = [
  ['Time', 'time'],
  ['Who', 'time'],
  ['What', 'words'],
  ['Event', 'number'],
];

/** A table of HTML with the heads of its columns. */
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
