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

Reads a log from its first event to its last and finds whatever was changed in it, with nothing but its
inputs: no service has to run. <log> is a file of "daybook export", a data folder, its events.sqlite, or
eventstoredb.

By itself a log shows every event that was changed, added, taken out or moved within its stream. That a
stream was cut off at its end or made anew from some event on, or that streams were ordered anew, only
what was kept elsewhere can show:

  --checkpoint    a checkpoint of the log; may be given several times, and each narrows the place
  --public-key    who may have signed it; without one the checkpoint is taken as it is. A key that it has
                  named as the next is trusted too
  --fingerprints  what "daybook checkpoint --fingerprints" wrote with the checkpoint: names the very event
  --decisions     makes every decision again, too: models, plannings and checks, by the engine that made
                  them and from the events before them, and compares them to the byte. It finds what was
                  changed in decisions by somebody who made all hashes anew. What another engine has made
                  cannot be decided
  --json          the result as JSON
  --proof         instead of a log: what GET /v1/audit/proof/inclusion or …/consistency answered, together
                  with the checkpoints of the sizes that it names

Exit codes: 0 nothing was found, 1 something was, 2 wrong usage, 3 it cannot be decided.
`;

/** It cannot be said whether the log is whole. */
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

/** What a file says, or who gave it wrongly. */
const fromFile = <Result>(option: string, file: string, read: (text: string) => Result): Result => {
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof NotUsable) throw new SettingsError(`${option}: ${plain(file)}: ${error.message}`);
    throw error;
  }
};

/** Checkpoints whose signature is not that of the key that they name. */
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
        `the checkpoint of ${plain(checkpoint.at)} is signed with a key that was not given and that none given has named: ${checkpoint.keyId}`,
      );
    return !isSignedBy(checkpoint, key);
  });
};

const fingerprintPattern = /^[0-9a-f]{64}$/;

/** The fingerprints of a file, which have to be those of one of the checkpoints: else they say nothing. */
async function* fingerprintsOf(
  file: string,
  checkpoints: readonly SignedCheckpoint[],
): AsyncGenerator<string> {
  const tree = frontier();
  for await (const line of linesOf(file)) {
    const text = line.toString('latin1');
    if (!fingerprintPattern.test(text))
      throw new SettingsError(`--fingerprints: ${plain(file)}: expected 64 hexadecimal digits a line`);
    tree.append(Buffer.from(text, 'hex'));
  }
  const root = tree.root().toString('hex');
  if (!checkpoints.some(of => of.size === tree.size() && of.root === root))
    throw new Undecided('the fingerprints are not those of a checkpoint that was given');
  for await (const line of linesOf(file)) yield line.toString('latin1');
}

/** Something that reads the events of a log in its order, as far as its lines are events. */
type Reader = { readonly take: (event: Exported, n: number) => Promise<void> };

/** A log, and what its events and its file come to. */
type Log = { readonly input: LogInput; readonly env: NodeJS.ProcessEnv };
type Read = { readonly result: Verified; readonly file: LogFile | undefined };

/** Reads a log to its end. */
const verified = async (
  { input, env }: Log,
  checkpoints: readonly SignedCheckpoint[],
  fingerprintsFile: string | undefined,
  reader: Reader | undefined,
): Promise<Read> => {
  let file: LogFile | undefined;
  const found = (more: LogFile): void => {
    file = { ...more, faults: [...(file?.faults ?? []), ...more.faults] };
  };
  const check = verifier(checkpoints);
  let n = 0;
  const fingerprints =
    fingerprintsFile === undefined ? undefined : fingerprintsOf(fingerprintsFile, checkpoints);
  for await (const { line, faults } of logLines(input, env, found)) {
    if (n === 0 && isPartLine(line.toString()))
      throw new Undecided('the export is a part of a log: expected a whole one');
    const fingerprint = await fingerprints?.next();
    check.take(line, fingerprint?.done === false ? fingerprint.value : undefined, faults);
    n += 1;
    const event = reader && readLine(line.toString());
    if (typeof event === 'object') await reader?.take(event, n);
  }
  await fingerprints?.return(undefined);
  return { result: check.done(), file };
};

/** The same, and all its decisions. */
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

/** Says whether a proof holds; answers the exit code. */
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
      : `the log of ${plural(proof.from, 'event')} is how that of ${plural(proof.to, 'event')} begins`;
  const proved = holds(proof, needed);
  const lines = [...forged.map(forgedLine), proved ? what : `it is not proved that ${what}`];
  process.stdout.write(lines.map(line => `${line}\n`).join(''));
  return proved && forged.length === 0 ? 0 : 1;
};

export const verify: Command = {
  summary: 'finds whatever was changed in a log or an export of it',
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
