import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  NotUsable,
  isSignedBy,
  publicKeyOf,
  readCheckpoint,
  trustedKeys,
  type SignedCheckpoint,
} from '../audit/checkpoint.js';
import { isPartLine } from '../audit/exported.js';
import { frontier } from '../audit/merkle.js';
import { holds, readProof, sizesOf } from '../audit/proofs.js';
import { verifier, type Finding, type Verified } from '../audit/verifier.js';
import { SettingsError } from '../settings.js';
import { NoLog } from '../stores/readOnly.js';
import type { Command } from './command.js';
import { exportOf, inputOf, linesOf, type LogInput } from './audit/input.js';
import { counted, plain, plural } from './demo/terminal.js';

const usage = `usage: daybook verify <log> [--checkpoint <file>]… [--public-key <file>]… [--fingerprints <file>] [--json]
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

/** Reads a log to its end. */
const verified = async (
  input: LogInput,
  env: NodeJS.ProcessEnv,
  checkpoints: readonly SignedCheckpoint[],
  fingerprintsFile: string | undefined,
): Promise<Verified> => {
  const check = verifier(checkpoints);
  const fingerprints =
    fingerprintsFile === undefined ? undefined : fingerprintsOf(fingerprintsFile, checkpoints);
  let begun = false;
  for await (const line of exportOf(input, env)) {
    if (!begun && isPartLine(line.toString()))
      throw new Undecided('the export is a part of a log: expected a whole one');
    begun = true;
    const fingerprint = await fingerprints?.next();
    check.take(line, fingerprint?.done === false ? fingerprint.value : undefined);
  }
  await fingerprints?.return(undefined);
  return check.done();
};

const placeOf = ({ event, to, stream, revision, id }: Finding): string =>
  [
    event === to ? `event ${event}` : `events ${event} to ${to}`,
    ...(stream === undefined
      ? []
      : [`(${plain(stream)} revision ${revision}${id === undefined ? '' : `, ${plain(id)}`})`]),
  ].join(' ');

/** What a checkpoint with a wrong signature is told as. */
const forgedLine = ({ at }: SignedCheckpoint): string =>
  `the checkpoint of ${plain(at)} has a signature that is not of its key`;

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

const shownMax = 20;

const report = (result: Verified, forged: readonly SignedCheckpoint[], checkpoints: number): string => {
  const { events, streams, uncovered, root, findings, findingCount } = result;
  const proved = checkpoints === 0 ? 'no checkpoint was given' : plural(checkpoints, 'checkpoint');
  return [
    ...forged.map(forgedLine),
    ...findings.slice(0, shownMax).map(finding => `${placeOf(finding)}: ${plain(finding.detail)}`),
    ...(findingCount > shownMax ? [`and ${counted(findingCount - shownMax)} more`] : []),
    ...(uncovered > 0
      ? [`${plural(uncovered, 'event')} at the beginning have no hash: only checkpoints cover them`]
      : []),
    `${plural(events, 'event')} in ${plural(streams, 'stream')}, ${proved}, root ${root}`,
    findingCount + forged.length === 0
      ? 'nothing was found'
      : `found: ${plural(findingCount + forged.length, 'thing')}`,
    '',
  ].join('\n');
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
      const result = await verified(inputOf(text ?? ''), env, checkpoints, values.fingerprints);
      const clean = result.findingCount + forged.length === 0;
      process.stdout.write(
        values.json === true
          ? `${JSON.stringify({ clean, ...result, forgedCheckpoints: forged })}\n`
          : report(result, forged, checkpoints.length),
      );
      return clean ? 0 : 1;
    } catch (error) {
      if (error instanceof NoLog) throw new SettingsError(error.message);
      if (!(error instanceof Undecided)) throw error;
      process.stderr.write(`${error.message}\n`);
      return 3;
    }
  },
};
