import { engine } from '../../../analysis/engine.js';
import type { SignedCheckpoint } from '../../../auditing/checkpoint.js';
import type { VerifiedDecisions } from '../../../application/replayDecisions/tally.js';
import type { Finding, Verified } from '../../../auditing/logVerifier.js';
import type { LogFile } from '../../sqlite/readOnly.js';
import { counted, plain, plural } from '../terminal/text.js';

/** All that a verification has come to. */
export type Report = {
  readonly result: Verified;
  /** The file that was read, where the log is one. */
  readonly file: LogFile | undefined;
  readonly decisions: VerifiedDecisions | undefined;
  readonly forged: readonly SignedCheckpoint[];
};

/** What was found, and what could not be decided. */
const countsOf = ({ result, file, decisions, forged }: Report) => ({
  found: result.findingCount + (file?.faults.length ?? 0) + (decisions?.findingCount ?? 0) + forged.length,
  undecided: decisions?.undecided ?? 0,
});

/** 0 when all that was asked is proved, 1 when something was found, 3 when something cannot be decided. */
export const exitCodeOf = (report: Report): 0 | 1 | 3 => {
  const { found, undecided } = countsOf(report);
  if (found > 0) return 1;
  return undecided > 0 ? 3 : 0;
};

const placeOf = ({ event, to, stream, revision, id }: Omit<Finding, 'code'>): string =>
  [
    event === to ? `event ${event}` : `events ${event} to ${to}`,
    ...(stream === undefined
      ? []
      : [`(${plain(stream)} revision ${revision}${id === undefined ? '' : `, ${plain(id)}`})`]),
  ].join(' ');

/** What a checkpoint with a wrong signature is told as. */
export const forgedLine = ({ at }: SignedCheckpoint): string =>
  `the checkpoint of ${plain(at)} has a signature that is not of its key`;

const shownMax = 20;

const decisionLines = ({ proved, reasons, awaited }: VerifiedDecisions): string[] => [
  `${plural(proved, 'decision')} made again with ${engine}, the same to the byte`,
  ...reasons.map(
    ({ count, because, first }) =>
      `${plural(count, 'decision')} cannot be decided: ${because}; the first: ${plain(first)}`,
  ),
  ...(awaited > 0
    ? [`${plural(awaited, 'event')} at the end whose check or models are still to come, or were taken out`]
    : []),
];

const verdictOf = (report: Report): string => {
  const { found, undecided } = countsOf(report);
  if (found > 0) return `found: ${plural(found, 'thing')}`;
  return undecided > 0
    ? `not proved: ${plural(undecided, 'decision')} cannot be decided`
    : 'nothing was found';
};

/**
 * A verification in words: what was proved and what was not, then what was found, then the verdict.
 * @param checkpoints  how many were given
 */
export const reportText = (report: Report, checkpoints: number): string => {
  const { result, file, decisions, forged } = report;
  const { events, streams, uncovered, root } = result;
  const proved = checkpoints === 0 ? 'no checkpoint was given' : plural(checkpoints, 'checkpoint');
  const findings = [...result.findings, ...(decisions?.findings ?? [])];
  const rest = result.findingCount + (decisions?.findingCount ?? 0) - Math.min(findings.length, shownMax);
  return [
    ...(decisions ? decisionLines(decisions) : []),
    ...forged.map(forgedLine),
    ...(file?.faults ?? []).map(fault => `${plain(file?.path ?? '')}: ${plain(fault)}`),
    ...findings.slice(0, shownMax).map(finding => `${placeOf(finding)}: ${plain(finding.detail)}`),
    ...(rest > 0 ? [`and ${counted(rest)} more`] : []),
    ...(uncovered > 0
      ? [`${plural(uncovered, 'event')} at the beginning have no hash: only checkpoints cover them`]
      : []),
    ...(file?.isLinked === true ? [`a link led to ${plain(file.path)}: that was read`] : []),
    `${plural(events, 'event')} in ${plural(streams, 'stream')}, ${proved}, root ${root}`,
    verdictOf(report),
    '',
  ].join('\n');
};

/** The same as JSON, a line. */
export const reportJson = (report: Report): string => {
  const { result, file, decisions, forged } = report;
  const clean = exitCodeOf(report) === 0;
  const parts = { ...result, ...(file && { file }), ...(decisions && { decisions }) };
  return `${JSON.stringify({ clean, ...parts, forgedCheckpoints: forged })}\n`;
};
