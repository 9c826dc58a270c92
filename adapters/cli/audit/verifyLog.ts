import { accessSync, constants } from 'node:fs';
import { decisionsVerifier } from '../../../application/decisions/decisionsVerifier.js';
import type { VerifiedDecisions } from '../../../application/decisions/tally.js';
import { isPartLine, readLine, type Exported } from '../../../auditing/eventBytes.js';
import { verifier, type Verified } from '../../../auditing/logVerifier.js';
import { frontier } from '../../../auditing/merkle.js';
import { openVerification } from '../../composition/openLog.js';
import { SettingsError } from '../../settings/values.js';
import type { LogFile } from '../../sqlite/readOnly.js';
import { analyst } from '../../analyst.js';
import { plain, duration, progressLine, type Output } from '../terminal/text.js';
import { exportOf, inputOf, linesOf, logLines, type LogInput } from './logInput.js';
import type { Report } from './report.js';
import { ratedCheckpoints, readingFile, type RatedCheckpoint } from './coverage.js';
import type { parsedArguments } from '../terminal/arguments.js';

/** Kinds of events by cost: those whose models are learned again, and all others. */
type Work = 'analysis' | 'other';
type WorkCounts = Readonly<Record<Work, number>>;

const analysisTypes = /"type":"(ModelsReset|ModelsReplaced|AnalysisFailed)","v":\d+\}$/;
/** Characters at the end of a line that hold its type. */
const typeWithin = 100;

/** Kind of the event of an export line. */
export const workOf = (line: Buffer | string): Work =>
  analysisTypes.test(line.slice(-typeWithin).toString()) ? 'analysis' : 'other';

/**
 * Time that work will still take, from the mean time of each kind so far.
 * @returns milliseconds; undefined while a kind that is left has not occurred
 */
export const timeLeft = (total: WorkCounts, done: WorkCounts, tookMs: WorkCounts): number | undefined => {
  let leftMs = 0;
  for (const work of ['analysis', 'other'] as const) {
    const left = total[work] - done[work];
    if (left <= 0) continue;
    if (done[work] === 0) return undefined;
    leftMs += (left * tookMs[work]) / done[work];
  }
  return leftMs;
};

/** Shows how far the repeated decisions are, with an estimate of the time left. */
export const decisionProgress = (work: WorkCounts, output: Output, now: () => number) => {
  const line = progressLine(output);
  const done = { analysis: 0, other: 0 };
  const tookMs = { analysis: 0, other: 0 };
  const total = work.analysis + work.other;
  let before = now();
  return {
    /** An event of a kind was verified. */
    took: (kind: Work): void => {
      const at = now();
      done[kind] += 1;
      tookMs[kind] += at - before;
      before = at;
      const count = done.analysis + done.other;
      const left = timeLeft(work, done, tookMs);
      const spent = tookMs.analysis + tookMs.other;
      const estimate = left === undefined ? '' : `, about ${duration(left)} left`;
      line.show({
        label: 'decisions',
        done: left === undefined ? count : spent,
        total: left === undefined ? total : spent + left,
        text: `${count} of ${total} events${estimate}`,
      });
    },
    clear: line.clear,
  };
};

/** The input does not allow a verification; the message says why. */
export class CannotVerify extends Error {
  readonly name = 'CannotVerify';
}

const fingerprintPattern = /^[0-9a-f]{64}$/;

/** Runs a command and returns its exit code: 3, with the reason, when it cannot verify. */
export const withCannotVerify = async <Code extends number>(
  command: () => Promise<Code>,
): Promise<Code | 3> => {
  try {
    return await command();
  } catch (error) {
    if (!(error instanceof CannotVerify)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 3;
  }
};

/** The leaf hashes of a file. @throws CannotVerify when they belong to none of the checkpoints */
async function* fingerprintsOf(
  file: string,
  checkpoints: readonly RatedCheckpoint[],
): AsyncGenerator<string> {
  const tree = frontier();
  for await (const line of linesOf(file)) {
    const text = line.toString('latin1');
    if (!fingerprintPattern.test(text))
      throw new SettingsError(`--fingerprints: ${plain(file)}: expected 64 hexadecimal digits a line`);
    tree.append(Buffer.from(text, 'hex'));
  }
  const root = tree.root().toString('hex');
  if (!checkpoints.some(({ checkpoint }) => checkpoint.size === tree.size() && checkpoint.root === root))
    throw new CannotVerify('--fingerprints: the file does not belong to any given checkpoint');
  for await (const line of linesOf(file)) yield line.toString('latin1');
}

/** A log to verify, and what is verified with it. */
export type Verification = {
  readonly input: LogInput;
  readonly env: NodeJS.ProcessEnv;
  readonly checkpoints: readonly RatedCheckpoint[];
  readonly fingerprintsFile: string | undefined;
  readonly toCheckpoint: boolean;
};

/** Options of the commands that verify a log. */
export const verificationOptions = {
  log: { type: 'string' },
  checkpoint: { type: 'string', multiple: true },
  'public-key': { type: 'string', multiple: true },
  'to-checkpoint': { type: 'boolean' },
  fingerprints: { type: 'string' },
} as const;

type VerificationValues = ReturnType<
  typeof parsedArguments<{ options: typeof verificationOptions }>
>['values'];

/** The verification that options ask for. @throws SettingsError, CannotVerify */
export const verificationOf = (values: VerificationValues, env: NodeJS.ProcessEnv): Verification => {
  const { checkpoint = [], fingerprints, 'public-key': keys = [], 'to-checkpoint': toCheckpoint } = values;
  if (fingerprints !== undefined && checkpoint.length === 0)
    throw new SettingsError('--fingerprints: expected the --checkpoint that they belong to, too');
  if (toCheckpoint === true && checkpoint.length === 0)
    throw new SettingsError('--to-checkpoint: expected a --checkpoint, too');
  if (fingerprints !== undefined)
    readingFile('--fingerprints', fingerprints, () => accessSync(fingerprints, constants.R_OK));
  return {
    input: inputOf(values.log, env),
    env,
    checkpoints: ratedCheckpoints(checkpoint, keys),
    fingerprintsFile: fingerprints,
    toCheckpoint: toCheckpoint === true,
  };
};

/** Reads a log line by line: `event` is undefined for a line that is not an event, and `n` counts from 1. */
export type LineReader = (
  line: Buffer | string,
  event: Exported | undefined,
  n: number,
) => Promise<void> | undefined;

type Read = { readonly result: Verified; readonly file: LogFile | undefined };

/** Reads a log to its end and verifies its hashes. @throws CannotVerify for a part of a log */
const readAndVerify = async (
  { input, env, checkpoints, fingerprintsFile }: Verification,
  readers: readonly LineReader[],
): Promise<Read> => {
  let file: LogFile | undefined;
  const found = (more: LogFile): void => {
    file = { ...more, faults: [...(file?.faults ?? []), ...more.faults] };
  };
  const check = verifier(checkpoints.map(({ checkpoint }) => checkpoint));
  let n = 0;
  const fingerprints =
    fingerprintsFile === undefined ? undefined : fingerprintsOf(fingerprintsFile, checkpoints);
  for await (const { line, faults } of logLines(input, env, found)) {
    if (n === 0 && isPartLine(line.toString()))
      throw new CannotVerify(
        'the export is a part of a log, expected a whole one: run daybook export without filters',
      );
    const fingerprint = await fingerprints?.next();
    check.take(line, fingerprint?.done === false ? fingerprint.value : undefined, faults);
    n += 1;
    const event = readers.length > 0 ? readLine(line.toString()) : undefined;
    for (const read of readers) await read(line, typeof event === 'object' ? event : undefined, n);
  }
  await fingerprints?.return(undefined);
  return { result: check.done(), file };
};

const countWork = async ({ input, env }: Verification): Promise<WorkCounts> => {
  const counts = { analysis: 0, other: 0 };
  for await (const line of exportOf(input, env)) counts[workOf(line)] += 1;
  return counts;
};

/** Runs `read` with a reader that makes every decision again. Progress is on standard error. */
const withDecisions = async (
  verification: Verification,
  isAsked: (event: Exported) => boolean,
  read: (reader: LineReader) => Promise<Read>,
): Promise<Read & { readonly decisions: VerifiedDecisions }> => {
  const progress = decisionProgress(await countWork(verification), process.stderr, () => performance.now());
  const { stores, close } = openVerification();
  const pool = analyst(error => {
    throw error;
  });
  const { checkpoints, toCheckpoint } = verification;
  const last = toCheckpoint ? Math.max(...checkpoints.map(({ checkpoint }) => checkpoint.size)) : Infinity;
  try {
    const decisions = decisionsVerifier(stores, pool);
    const reader: LineReader = async (line, event, n) => {
      // No decision rests on a later event.
      const due = n <= last ? event : undefined;
      if (due && isAsked(due)) await decisions.take(due, n);
      else if (due) decisions.provide(due, n);
      progress.took(workOf(line));
    };
    return { ...(await read(reader)), decisions: decisions.done() };
  } finally {
    progress.clear();
    await pool.close();
    close();
  }
};

/**
 * Verifies a log.
 * @param decisions selects the events whose decisions are repeated; undefined for none
 * @param readers   called with every line, in log order
 * @throws CannotVerify, SettingsError, StoreUnavailable
 */
export const verifyLog = async (
  verification: Verification,
  decisions: ((event: Exported) => boolean) | undefined,
  readers: readonly LineReader[] = [],
): Promise<Report> => {
  const { checkpoints, toCheckpoint } = verification;
  const read = decisions
    ? await withDecisions(verification, decisions, reader =>
        readAndVerify(verification, [reader, ...readers]),
      )
    : { ...(await readAndVerify(verification, readers)), decisions: undefined };
  return { ...read, checkpoints, toCheckpoint };
};
