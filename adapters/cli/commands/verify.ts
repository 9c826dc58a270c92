import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { analyst } from '../../workers/analyst.js';
import {
  NotUsable,
  isSignedBy,
  publicKeyOf,
  readCheckpoint,
  trustedKeys,
  type SignedCheckpoint,
} from '../../../auditing/checkpoint.js';
import { decisionsVerifier } from '../../../application/replayDecisions/decisionVerifier.js';
import type { VerifiedDecisions } from '../../../application/replayDecisions/tally.js';
import { isPartLine, readLine, type Exported } from '../../../auditing/exportLine.js';
import { frontier } from '../../../auditing/merkle.js';
import { holds, readProof, sizesOf } from '../../../auditing/proofs.js';
import { verifier, type Verified } from '../../../auditing/logVerifier.js';
import { openReadModels } from '../../composition/openLog.js';
import { SettingsError } from '../../settings.js';
import { NoLog, type LogFile } from '../../sqlite/readOnly.js';
import type { Command } from '../terminal/command.js';
import { inputOf, linesOf, logLines, type LogInput } from '../audit/logInput.js';
import { exitCodeOf, forgedLine, reportJson, reportText, type Report } from '../audit/report.js';
import { plain, plural } from '../terminal/text.js';

const usage = `usage: daybook verify <log> [--checkpoint <file>]… [--public-key <file>]… [--fingerprints <file>]
                      [--decisions] [--json]
       daybook verify --proof <file> --checkpoint <file>… [--public-key <file>]…

Verifies a log from its first event to its last and reports every change, without a running service. <log>
is a file of "daybook export", a data folder, its events.sqlite, or eventstoredb.

A log alone shows every event that was changed, added, removed or moved within its stream. Removed last
events of a stream, streams that were written again, and a new order of streams are found with a checkpoint:

  --checkpoint    a checkpoint of the log; more checkpoints narrow the place of a change
  --public-key    key that may have signed it; without one signatures are not checked. Keys that follow this
                  key are trusted as well
  --fingerprints  output of "daybook checkpoint --fingerprints": names the changed event
  --decisions     also repeats every decision (models, plannings, checks) from the earlier events and
                  compares the results. This finds changed decisions even when all hashes were computed
                  again. Decisions of another engine cannot be repeated
  --json          prints the result as JSON
  --proof         verifies a proof instead of a log: an answer of GET /v1/audit/proof/inclusion or
                  …/consistency, with the checkpoints of the sizes that it names

Exit codes: 0 no problems, 1 problems found, 2 wrong usage, 3 cannot be verified.
`;

/** The log or proof cannot be verified. */
class Undecided extends Error {
  readonly name = 'Undecided';
}

const options = {
  checkpoint: { type: 'string', multiple: true },
  'public-key': { type: 'string', multiple: true },
  fingerprints: { type: 'string' },
  decisions: { type: 'boolean' },
  json: { type: 'boolean' },
  proof: { type: 'string' },
} as const;

/** Reads and parses a file of an option. @throws SettingsError */
const fromFile = <Result>(option: string, file: string, read: (text: string) => Result): Result => {
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof NotUsable) throw new SettingsError(`${option}: ${plain(file)}: ${error.message}`);
    throw error;
  }
};

/** Checkpoints whose signature does not match the key that they name. */
const forgedOf = (
  checkpoints: readonly SignedCheckpoint[],
  keyFiles: readonly string[],
): readonly SignedCheckpoint[] => {
  const given = keyFiles.map(file => fromFile('--public-key', file, publicKeyOf));
  if (given.length === 0) return [];
  const keys = trustedKeys(
    given,
    checkpoints.flatMap(({ successions = [] }) => successions),
  );
  return checkpoints.filter(checkpoint => {
    const key = keys.get(checkpoint.keyId);
    if (!key)
      throw new Undecided(
        `the checkpoint of ${plain(checkpoint.at)} is signed with the key ${checkpoint.keyId}, which no --public-key is or names; add that key`,
      );
    return !isSignedBy(checkpoint, key);
  });
};

const leafHashPattern = /^[0-9a-f]{64}$/;

/** The leaf hashes of a file, which must have the root of one of the checkpoints. */
async function* leafHashesOf(file: string, checkpoints: readonly SignedCheckpoint[]): AsyncGenerator<string> {
  const tree = frontier();
  for await (const line of linesOf(file)) {
    const text = line.toString('latin1');
    if (!leafHashPattern.test(text))
      throw new SettingsError(`--fingerprints: ${plain(file)}: expected 64 hexadecimal digits a line`);
    tree.append(Buffer.from(text, 'hex'));
  }
  const root = tree.root().toString('hex');
  if (!checkpoints.some(of => of.size === tree.size() && of.root === root))
    throw new Undecided('--fingerprints: the file does not belong to any given checkpoint');
  for await (const line of linesOf(file)) yield line.toString('latin1');
}

/** Receives the events of a log in order. */
type Reader = { readonly take: (event: Exported, n: number) => Promise<void> };

/** A log, and the result of its verification. */
type Log = { readonly input: LogInput; readonly env: NodeJS.ProcessEnv };
type Read = { readonly result: Verified; readonly file: LogFile | undefined };

/** Verifies a log. */
const verified = async (
  { input, env }: Log,
  checkpoints: readonly SignedCheckpoint[],
  leafHashFile: string | undefined,
  reader: Reader | undefined,
): Promise<Read> => {
  let file: LogFile | undefined;
  const found = (more: LogFile): void => {
    file = { ...more, faults: [...(file?.faults ?? []), ...more.faults] };
  };
  const check = verifier(checkpoints);
  let n = 0;
  const leaves = leafHashFile === undefined ? undefined : leafHashesOf(leafHashFile, checkpoints);
  for await (const { line, faults } of logLines(input, env, found)) {
    if (n === 0 && isPartLine(line.toString()))
      throw new Undecided(
        'the export is a part of a log, expected a whole one: run daybook export without filters',
      );
    const leaf = await leaves?.next();
    check.take(line, leaf?.done === false ? leaf.value : undefined, faults);
    n += 1;
    const event = reader && readLine(line.toString());
    if (typeof event === 'object') await reader?.take(event, n);
  }
  await leaves?.return(undefined);
  return { result: check.done(), file };
};

/** Verifies a log and its decisions. */
const verifiedWithDecisions = async (
  read: (reader: Reader) => Promise<Read>,
): Promise<Read & { readonly decisions: VerifiedDecisions }> => {
  const { models, close } = openReadModels('');
  const pool = analyst(error => {
    throw error;
  });
  try {
    const decisions = decisionsVerifier(models, pool);
    return { ...(await read(decisions)), decisions: decisions.done() };
  } finally {
    await pool.close();
    close();
  }
};

/** Prints whether a proof is valid; returns the exit code. */
const verifyProof = (
  file: string,
  checkpoints: readonly SignedCheckpoint[],
  forged: readonly SignedCheckpoint[],
): number => {
  const proof = fromFile('--proof', file, readProof);
  const needed = sizesOf(proof).map(size => {
    const checkpoint = checkpoints.find(of => of.size === size);
    if (!checkpoint) throw new Undecided(`the proof needs the checkpoint of ${plural(size, 'event')}`);
    return checkpoint;
  });
  const what =
    'leaf' in proof
      ? `the event is number ${proof.leafIndex + 1} of the log of ${plural(proof.treeSize, 'event')}`
      : `the log of ${plural(proof.to, 'event')} extends that of ${plural(proof.from, 'event')}`;
  const proved = holds(proof, needed);
  const lines = [...forged.map(forgedLine), proved ? what : `not proved: ${what}`];
  process.stdout.write(lines.map(line => `${line}\n`).join(''));
  return proved && forged.length === 0 ? 0 : 1;
};

export const verify: Command = {
  summary: 'finds changes in a log or an export',
  usage,
  run: async (args, env) => {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const { proof } = values;
    const [text, ...more] = positionals;
    if (more.length > 0 || (text === undefined) === (proof === undefined))
      throw new SettingsError(
        `got ${positionals.length} logs${proof === undefined ? '' : ' and a proof'}, expected one log or one proof; see daybook verify --help`,
      );
    if (proof !== undefined && (values.fingerprints !== undefined || values.json === true))
      throw new SettingsError('--proof: expected --checkpoint and --public-key alone');
    const checkpoints = (values.checkpoint ?? []).map(file => fromFile('--checkpoint', file, readCheckpoint));
    if (values.fingerprints !== undefined && checkpoints.length === 0)
      throw new SettingsError('--fingerprints: expected the --checkpoint that they belong to, too');
    try {
      const forged = forgedOf(checkpoints, values['public-key'] ?? []);
      if (proof !== undefined) return verifyProof(proof, checkpoints, forged);
      const log = { input: inputOf(text ?? ''), env };
      const read = (reader?: Reader) => verified(log, checkpoints, values.fingerprints, reader);
      const report: Report = {
        ...(values.decisions === true
          ? await verifiedWithDecisions(read)
          : { ...(await read()), decisions: undefined }),
        forged,
      };
      process.stdout.write(
        values.json === true ? reportJson(report) : reportText(report, checkpoints.length),
      );
      return exitCodeOf(report);
    } catch (error) {
      if (error instanceof NoLog) throw new SettingsError(error.message);
      if (!(error instanceof Undecided)) throw error;
      process.stderr.write(`${error.message}\n`);
      return 3;
    }
  },
};
