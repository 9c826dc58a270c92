import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { engine } from '../../../analysis/engine.js';
import { UnknownVersion } from '../../../domain/events.js';
import { analyst } from '../../analyst.js';
import {
  NotUsable,
  isSignedBy,
  publicKeyOf,
  readCheckpoint,
  trustedKeys,
  type SignedCheckpoint,
} from '../../audit/checkpoint.js';
import { decisionsVerifier } from '../../audit/decisions/verifier.js';
import type { VerifiedDecisions } from '../../audit/decisions/tally.js';
import { isPartLine, readLine, type Exported } from '../../audit/exported.js';
import { frontier } from '../../audit/merkle.js';
import { holds, readProof, sizesOf } from '../../audit/proofs.js';
import { verifier, type Finding, type Verified } from '../../audit/verifier.js';
import { openReadModels } from '../../open.js';
import { SettingsError } from '../../settings.js';
import { NoLog } from '../../stores/readOnly.js';
import type { Command } from '../terminal/command.js';
import { exportOf, inputOf, linesOf, type LogInput } from '../audit/logInput.js';
import { counted, plain, plural } from '../terminal/text.js';

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

/** Reads a log to its end. */
const verified = async (
  input: LogInput,
  env: NodeJS.ProcessEnv,
  checkpoints: readonly SignedCheckpoint[],
  fingerprintsFile: string | undefined,
  reader: Reader | undefined,
): Promise<Verified> => {
  const check = verifier(checkpoints);
  let n = 0;
  const fingerprints =
    fingerprintsFile === undefined ? undefined : fingerprintsOf(fingerprintsFile, checkpoints);
  for await (const line of exportOf(input, env)) {
    if (n === 0 && isPartLine(line.toString()))
      throw new Undecided('the export is a part of a log: expected a whole one');
    const fingerprint = await fingerprints?.next();
    check.take(line, fingerprint?.done === false ? fingerprint.value : undefined);
    n += 1;
    const event = reader && readLine(line.toString());
    if (typeof event === 'object') await reader?.take(event, n);
  }
  await fingerprints?.return(undefined);
  return check.done();
};

/** The same, and all its decisions. */
const verifiedWithDecisions = async (
  read: (reader: Reader) => Promise<Verified>,
): Promise<{ readonly result: Verified; readonly decisions: VerifiedDecisions }> => {
  const { models, close } = openReadModels('');
  const pool = analyst(error => {
    throw error;
  });
  try {
    const decisions = decisionsVerifier(models, pool);
    const result = await read(decisions);
    return { result, decisions: decisions.done() };
  } finally {
    await pool.close();
    close();
  }
};

const placeOf = ({ event, to, stream, revision, id }: Omit<Finding, 'code'>): string =>
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

const decisionLines = ({ proved, undecided, undecidedBecause, awaited }: VerifiedDecisions): string[] => [
  `${plural(proved, 'decision')} made again with ${engine}, the same to the byte`,
  ...(awaited > 0 ? [`${plural(awaited, 'event')} at the end whose check is still to come`] : []),
  ...(undecidedBecause === null
    ? []
    : [`${plural(undecided, 'decision')} cannot be decided, the first: ${plain(undecidedBecause)}`]),
];

const report = (
  result: Verified,
  decisions: VerifiedDecisions | undefined,
  forged: readonly SignedCheckpoint[],
  checkpoints: number,
): string => {
  const { events, streams, uncovered, root } = result;
  const proved = checkpoints === 0 ? 'no checkpoint was given' : plural(checkpoints, 'checkpoint');
  const found = result.findingCount + (decisions?.findingCount ?? 0);
  const shown = [...result.findings, ...(decisions?.findings ?? [])].slice(0, shownMax);
  return [
    ...forged.map(forgedLine),
    ...shown.map(finding => `${placeOf(finding)}: ${plain(finding.detail)}`),
    ...(found > shown.length ? [`and ${counted(found - shown.length)} more`] : []),
    ...(uncovered > 0
      ? [`${plural(uncovered, 'event')} at the beginning have no hash: only checkpoints cover them`]
      : []),
    `${plural(events, 'event')} in ${plural(streams, 'stream')}, ${proved}, root ${root}`,
    ...(decisions ? decisionLines(decisions) : []),
    found + forged.length === 0 ? 'nothing was found' : `found: ${plural(found + forged.length, 'thing')}`,
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
      const read = (reader?: Reader) =>
        verified(inputOf(text ?? ''), env, checkpoints, values.fingerprints, reader);
      const { result, decisions } =
        values.decisions === true
          ? await verifiedWithDecisions(read)
          : { result: await read(), decisions: undefined };
      const clean = result.findingCount + (decisions?.findingCount ?? 0) + forged.length === 0;
      process.stdout.write(
        values.json === true
          ? `${JSON.stringify({ clean, ...result, ...(decisions && { decisions }), forgedCheckpoints: forged })}\n`
          : report(result, decisions, forged, checkpoints.length),
      );
      if (!clean) return 1;
      return (decisions?.undecided ?? 0) > 0 ? 3 : 0;
    } catch (error) {
      if (error instanceof NoLog) throw new SettingsError(error.message);
      if (!(error instanceof Undecided || error instanceof UnknownVersion)) throw error;
      process.stderr.write(`${error.message}\n`);
      return 3;
    }
  },
};
