import { engine } from '../../../analysis/engine.js';
import type { SignedCheckpoint } from '../../../auditing/checkpoint.js';
import type { VerifiedDecisions } from '../../../application/replayDecisions/tally.js';
import type { Finding, Verified } from '../../../auditing/logVerifier.js';
import type { LogFile } from '../../sqlite/readOnly.js';
import { counted, plain, plural } from '../terminal/text.js';

/** Results of a verification. */
export type Report = {
  readonly result: Verified;
  /** The verified file, if the log is one. */
  readonly file: LogFile | undefined;
  readonly decisions: VerifiedDecisions | undefined;
  readonly forged: readonly SignedCheckpoint[];
};

/** Number of findings, and of decisions that cannot be repeated. */
const countsOf = ({ result, file, decisions, forged }: Report) => ({
  found: result.findingCount + (file?.faults.length ?? 0) + (decisions?.findingCount ?? 0) + forged.length,
  undecided: decisions?.undecided ?? 0,
});

/** 0 when everything was verified, 1 after findings, 3 when decisions cannot be repeated. */
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

/** Message for a checkpoint with a wrong signature. */
export const forgedLine = ({ at }: SignedCheckpoint): string =>
  `the checkpoint of ${plain(at)} has a signature that does not match its key`;

const shownMax = 20;

const decisionLines = ({ proved, reasons, awaited }: VerifiedDecisions): string[] => [
  `${plural(proved, 'decision')} reproduced with ${engine}`,
  ...reasons.map(
    ({ count, because, first }) =>
      `${plural(count, 'decision')} cannot be repeated: ${because}; the first: ${plain(first)}`,
  ),
  ...(awaited > 0 ? [`${plural(awaited, 'event')} at the end with pending or removed checks or models`] : []),
];

const verdictOf = (report: Report): string => {
  const { found, undecided } = countsOf(report);
  if (found > 0) return `${plural(found, 'problem')} found`;
  return undecided > 0
    ? `not verified: ${plural(undecided, 'decision')} cannot be repeated`
    : 'no problems found';
};

/**
 * Report as text: decisions, findings, the extent of the log, and the verdict.
 * @param checkpoints  number of given checkpoints
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
    ...(file?.isLinked === true ? [`the given path is a link; verified ${plain(file.path)}`] : []),
    `${plural(events, 'event')} in ${plural(streams, 'stream')}, ${proved}, root ${root}`,
    verdictOf(report),
    '',
  ].join('\n');
};

/** Report as one line of JSON. */
export const reportJson = (report: Report): string => {
  const { result, file, decisions, forged } = report;
  const clean = exitCodeOf(report) === 0;
  const parts = { ...result, ...(file && { file }), ...(decisions && { decisions }) };
  return `${JSON.stringify({ clean, ...parts, forgedCheckpoints: forged })}\n`;
};
