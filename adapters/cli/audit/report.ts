import { engine } from '../../../analysis/engine.js';
import type { VerifiedDecisions } from '../../../application/decisions/tally.js';
import type { LogFinding, Verified } from '../../../auditing/logVerifier.js';
import type { LogFile } from '../../sqlite/readOnly.js';
import { counted, plural } from '../../../domain/text.js';
import { plain } from '../terminal/text.js';
import {
  coverageOf,
  coverageReasons,
  coverageSentences,
  type Coverage,
  type Reason,
  isTrusted,
  type RatedCheckpoint,
} from './coverage.js';

/** Everything that a verification found out. */
export type Report = {
  readonly result: Verified;
  /** The file that was read, where the log is one. */
  readonly file: LogFile | undefined;
  readonly decisions: VerifiedDecisions | undefined;
  readonly checkpoints: readonly RatedCheckpoint[];
  /** Whether only the events up to the last checkpoint were asked about. */
  readonly toCheckpoint: boolean;
};

/** `found`: problems; `proved`: a trusted key covers all that was asked; `unproved`: the rest. */
export type ReportVerdict = 'proved' | 'found' | 'unproved';

const forgedOf = ({ checkpoints }: Report): readonly RatedCheckpoint[] =>
  checkpoints.filter(one => one.trust === 'forged');

const problemCount = (report: Report): number =>
  report.result.findingCount +
  (report.file?.faults.length ?? 0) +
  (report.decisions?.findingCount ?? 0) +
  forgedOf(report).length;

/** The events that the checkpoints of a report prove, and those that they do not. */
export const coverageOfReport = ({ result, checkpoints, toCheckpoint }: Report): Coverage =>
  coverageOf(result, checkpoints, toCheckpoint);

/** Reasons why a part of the question is not proved; none when all is. */
const reasonsOf = (report: Report): readonly Reason[] => {
  const { result, checkpoints, decisions } = report;
  const reasons = coverageReasons(result, coverageOfReport(report), checkpoints);
  if (decisions && decisions.undecided > 0)
    reasons.push({
      code: 'decisionsUndecided',
      detail: `${plural(decisions.undecided, 'decision')} cannot be repeated`,
    });
  return reasons;
};

/** The verdict of a report: the gravest of all its findings. */
export const reportVerdictOf = (report: Report): ReportVerdict => {
  if (problemCount(report) > 0) return 'found';
  return reasonsOf(report).length > 0 ? 'unproved' : 'proved';
};

const exitCodes = { proved: 0, found: 1, unproved: 3 } as const;

/** 0 when a trusted key covers all that was asked, 1 when a problem was found, 3 when it is not proved. */
export const exitCodeOf = (report: Report): 0 | 1 | 3 => exitCodes[reportVerdictOf(report)];

const placeOf = ({ event, to, stream, revision, id }: Omit<LogFinding, 'code'>): string =>
  [
    event === to ? `event ${event}` : `events ${event} to ${to}`,
    ...(stream === undefined
      ? []
      : [`(${plain(stream)} revision ${revision}${id === undefined ? '' : `, ${plain(id)}`})`]),
  ].join(' ');

/** The sentence for a checkpoint with a wrong signature. */
export const forgedSentence = ({ checkpoint: { at } }: RatedCheckpoint): string =>
  `The checkpoint of ${plain(at)} has a signature that does not match its key.`;

const shownMax = 20;

/** Result of the repeated decisions in sentences. */
export const decisionSentences = ({ proved, reasons, awaited }: VerifiedDecisions): string[] => [
  `${plural(proved, 'decision')} reproduced with ${engine}, the same to the byte.`,
  ...reasons.map(
    ({ count, because, first }) =>
      `${plural(count, 'decision')} cannot be repeated: ${because}; the first: ${plain(first)}.`,
  ),
  ...(awaited > 0
    ? [`${plural(awaited, 'event')} at the end with pending or removed checks or models.`]
    : []),
];

/** All problems that were found, a line each, at most `shownMax` of the events. */
export const problemLines = (report: Report): string[] => {
  const { result, file, decisions } = report;
  const findings = [...result.findings, ...(decisions?.findings ?? [])];
  const rest = result.findingCount + (decisions?.findingCount ?? 0) - Math.min(findings.length, shownMax);
  return [
    ...forgedOf(report).map(forgedSentence),
    ...(file?.faults ?? []).map(fault => `${plain(file?.path ?? '')}: ${plain(fault)}`),
    ...findings.slice(0, shownMax).map(finding => `${placeOf(finding)}: ${plain(finding.detail)}`),
    ...(rest > 0 ? [`and ${counted(rest)} more`] : []),
  ];
};

/** The verdict in a sentence, with the reasons when something is not proved. */
export const verdictSentence = (report: Report): string => {
  const verdict = reportVerdictOf(report);
  if (verdict === 'found') return `Verdict: ${plural(problemCount(report), 'problem')} found.`;
  if (verdict === 'proved') {
    const { asked, uncovered } = coverageOfReport(report);
    const scope = uncovered > 0 ? `, for the first ${plural(asked, 'event')}` : '';
    return `Verdict: proved${scope}. No problem was found.`;
  }
  const reasons = reasonsOf(report).map(({ detail }) => detail);
  return `Verdict: no problem was found, but not proved: ${reasons.join('; ')}.`;
};

/** A verification in words: what was read, what is proved and what is not, the problems, the verdict, advice. */
export const reportText = (report: Report): string => {
  const { result, file, decisions } = report;
  const { events, streams, root } = result;
  const advice = reasonsOf(report).flatMap(({ cure }) => cure ?? []);
  return [
    `${plural(events, 'event')} in ${plural(streams, 'stream')}, root ${root}`,
    ...(file?.isLinked === true ? [`The given path is a link; verified ${plain(file.path)}.`] : []),
    ...coverageSentences(result, coverageOfReport(report)),
    ...(decisions ? decisionSentences(decisions) : []),
    ...problemLines(report),
    verdictSentence(report),
    ...(reportVerdictOf(report) === 'unproved'
      ? [...new Set(advice)].map(cure => `To prove more: ${cure}.`)
      : []),
    '',
  ].join('\n');
};

/** A verification as one line of JSON. */
export const reportJson = (report: Report): string => {
  const { result, file, decisions, checkpoints } = report;
  const { matched, ...rest } = result;
  const { asked, proved, uncovered } = coverageOfReport(report);
  const verdict = reportVerdictOf(report);
  const listed = checkpoints.map(one => ({
    at: one.checkpoint.at,
    size: one.checkpoint.size,
    keyId: one.checkpoint.keyId,
    trust: one.trust,
    trusted: isTrusted(one),
    matches: matched.includes(one.checkpoint),
  }));
  return `${JSON.stringify({
    clean: verdict === 'proved',
    verdict,
    reasons: verdict === 'unproved' ? reasonsOf(report) : [],
    ...rest,
    asked,
    proved,
    uncovered,
    checkpoints: listed,
    ...(file && { file }),
    ...(decisions && { decisions }),
    forgedCheckpoints: forgedOf(report).map(({ checkpoint }) => checkpoint),
  })}\n`;
};
