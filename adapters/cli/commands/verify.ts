import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { signedCheckpoint } from '../../../auditing/checkpoint.js';
import { readLine } from '../../../auditing/eventBytes.js';
import { frontier, leafHash, holds, readProof, sizesOf } from '../../../auditing/merkle.js';
import { plural } from '../../../domain/text.js';
import { SettingsError } from '../../settings/values.js';
import { makeKey, signerOf } from '../../signingKeyFile.js';
import {
  apiFormatOf,
  apiReportJson,
  apiReportText,
  verifyApiExport,
  type LogInput,
  exportOf,
  inputOf,
} from '../audit/logInput.js';
import {
  checkpointWords,
  untrustedReasons,
  fromFile,
  isTrusted,
  ratedCheckpoints,
  type RatedCheckpoint,
  readingFile,
} from '../audit/coverage.js';
import { exitCodeOf, forgedSentence, reportJson, reportText } from '../audit/report.js';
import { CannotVerify, verificationOf, verificationOptions, verifyLog } from '../audit/verifyLog.js';
import { parsedArguments, type Command, instantOption } from '../terminal/arguments.js';
import { plain } from '../terminal/text.js';

const verifyUsage = `usage: daybook verify [--log <log>] [--checkpoint <file>]… [--public-key <file>]… [--fingerprints <file>]
                      [--to-checkpoint] [--decisions] [--json]
       daybook verify --proof <file> --checkpoint <file>… [--public-key <file>]…

Reads a log from its first event to its last, reports in sentences which events are proved, and finds
changes. No service has to run. <log> is the log of the settings when not given, a file of "daybook export", a data folder, its
events.sqlite, or eventstoredb. A file of GET /v1/audit/event (JSON pages or NDJSON) is recognised: it can
be checked in part and never proved.

A log alone shows every event that was changed, added, removed or moved within its stream. Files that were
kept elsewhere also show that a stream was cut off at its end or rewritten, or that streams were reordered:

  --checkpoint     a checkpoint of the log; may be given several times, and each narrows the place
  --public-key     a key that you trust: it may have signed checkpoints, and so may a key that it has named
                   as its successor. Without it a checkpoint proves nothing
  --to-checkpoint  asks only about the events up to the last checkpoint; later ones are counted
  --fingerprints   the file of "daybook checkpoint --fingerprints": names the changed event
  --decisions      also makes every decision again: models, plannings and checks, by the engine that made
                   them and from the events before them, and compares to the byte. It finds a decision that
                   was changed together with all hashes. Decisions of other engines cannot be verified
  --json           the result as JSON
  --proof          instead of a log: an answer of GET /v1/audit/proof/inclusion or …/consistency, together
                   with the checkpoints of the sizes that it names

No key yet? "daybook checkpoint --new-key audit-key" makes one, "daybook checkpoint --key audit-key >
checkpoint.json" signs the present log.

Exit codes: 0 proved: a key that you trust covers all that was asked, and no
problem was found; 1 a problem was found; 2 wrong usage; 3 no problem was found, but not all is proved; the reason is printed.
`;

const options = {
  ...verificationOptions,
  decisions: { type: 'boolean' },
  json: { type: 'boolean' },
  proof: { type: 'string' },
} as const;

/** Prints whether a proof holds; returns the exit code. */
const verifyProof = (file: string, checkpoints: readonly RatedCheckpoint[]): 0 | 1 | 3 => {
  const proof = fromFile('--proof', file, readProof);
  const needed = sizesOf(proof).map(size => {
    const matching = (accept: (one: RatedCheckpoint) => boolean): RatedCheckpoint | undefined =>
      checkpoints.find(one => one.checkpoint.size === size && accept(one));
    const found = matching(isTrusted) ?? matching(() => true);
    if (!found) throw new CannotVerify(`the proof needs the checkpoint of ${plural(size, 'event')}`);
    return found;
  });
  const subject =
    'leaf' in proof
      ? `the event is number ${proof.leafIndex + 1} of the log of ${plural(proof.treeSize, 'event')}`
      : `the log of ${plural(proof.from, 'event')} is the beginning of that of ${plural(proof.to, 'event')}`;
  const isHeld = holds(
    proof,
    needed.map(({ checkpoint }) => checkpoint),
  );
  const forged = checkpoints.filter(({ trust }) => trust === 'forged');
  const untrusted = untrustedReasons(needed);
  const proved = isHeld && forged.length === 0 && untrusted.length === 0;
  const under = needed.map(checkpointWords).join(', and ');
  const lines = [
    ...forged.map(forgedSentence),
    isHeld ? `By ${under}: ${subject}.` : `The proof does not show that ${subject}.`,
    ...(isHeld ? untrusted.map(({ detail, cure }) => `Not proved: ${detail}. To prove more: ${cure}.`) : []),
    ...(proved ? ['Verdict: proved.'] : []),
  ];
  process.stdout.write(lines.map(line => `${line}\n`).join(''));
  if (!isHeld || forged.length > 0) return 1;
  return proved ? 0 : 3;
};

type Values = ReturnType<
  typeof parsedArguments<{ options: typeof options; allowPositionals: true }>
>['values'];

const requireUsable = (values: Values, positionals: readonly string[]): void => {
  const { proof, log } = values;
  const [text] = positionals;
  if (text !== undefined)
    throw new SettingsError(`got "${plain(text)}", expected options only, perhaps --log ${plain(text)}`);
  if (log !== undefined && proof !== undefined)
    throw new SettingsError('--log and --proof: got both, expected one');
  const others = [values.fingerprints, values.json, values.decisions, values['to-checkpoint']];
  if (proof !== undefined && others.some(value => value !== undefined))
    throw new SettingsError('--proof: expected --checkpoint and --public-key alone');
};

/** Verifies an export of the API; undefined for any other log. */
const verifyFromApi = async (input: LogInput, values: Values): Promise<1 | 3 | undefined> => {
  const format = input.kind === 'export' ? apiFormatOf(input.file) : undefined;
  if (input.kind !== 'export' || format === undefined) return undefined;
  if (format === 'csv')
    throw new CannotVerify(
      `${plain(input.file)} is a CSV export of the API, which shows no more than a table: ask for format=ndjson, or for "daybook export"`,
    );
  const report = await verifyApiExport(input.file, format);
  process.stdout.write(values.json === true ? apiReportJson(report) : apiReportText(report));
  return report.findingCount > 0 ? 1 : 3;
};

export const verify: Command = {
  usage: verifyUsage,
  run: async (args, env) => {
    const { values, positionals } = parsedArguments({ args: [...args], options, allowPositionals: true });
    requireUsable(values, positionals);
    try {
      if (values.proof !== undefined)
        return verifyProof(
          values.proof,
          ratedCheckpoints(values.checkpoint ?? [], values['public-key'] ?? []),
        );
      const verification = verificationOf(values, env);
      const apiExitCode = await verifyFromApi(verification.input, values);
      if (apiExitCode !== undefined) return apiExitCode;
      const report = await verifyLog(verification, values.decisions === true ? () => true : undefined);
      process.stdout.write(values.json === true ? reportJson(report) : reportText(report));
      return exitCodeOf(report);
    } catch (error) {
      if (!(error instanceof CannotVerify)) throw error;
      process.stderr.write(`${error.message}\n`);
      return 3;
    }
  },
};

const checkpointUsage = `usage: daybook checkpoint --key <file> [--log <log>] [--at <instant>] [--fingerprints <file>]
       daybook checkpoint --new-key <file> [--succeeds <file>]

Prints a checkpoint of the log: {origin, size, root, at, keyId, signature}. Store it where people who can
change the log cannot change it; "daybook verify --checkpoint" then finds any change of these events.

  --key           Ed25519 private key (PEM) that signs the checkpoint
  --new-key       creates a key that only you can read, and its public part in <file>.pub
  --succeeds      previous private key: signs the new one, in <file>.successions. Checkpoints of the new key
                  contain this, so that verifiers who trust the previous key can trust the new one
  --log           a data folder, its events.sqlite, an export or eventstoredb; default: the settings
  --at            instant of the checkpoint; default: now
  --fingerprints  also writes the leaf hash of each event, one per line. Stored with the checkpoint they let
                  verify name the changed event; they reveal nothing about its contents

Exit codes: 0 done; 2 wrong usage; 3 the log has no events yet, or cannot be read.
`;

const makeKeyFiles = (file: string, succeeds: string | undefined): void => {
  const before =
    succeeds === undefined ? undefined : readingFile('--succeeds', succeeds, () => signerOf(succeeds));
  try {
    makeKey(file, new Date().toISOString(), before);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new SettingsError(
        `--new-key: ${plain(file)} or one of its other files exists already; choose a new name`,
      );
    throw error;
  }
  process.stderr.write(`created ${plain(file)}; give ${plain(file)}.pub to verifiers\n`);
};

/** Origin, size and root of a log's Merkle tree; `seen` is called with each leaf hash. */
const treeOf = async (
  input: LogInput,
  env: NodeJS.ProcessEnv,
  seen: (leaf: Buffer) => Promise<void> | undefined,
) => {
  const tree = frontier();
  let origin: string | undefined;
  for await (const line of exportOf(input, env)) {
    const leaf = leafHash(line);
    tree.append(leaf);
    await seen(leaf);
    if (origin !== undefined) continue;
    const first = readLine(line.toString());
    if (typeof first === 'string') throw new SettingsError(`the first line of the log ${first}`);
    origin = first.id;
  }
  return { origin, size: tree.size(), root: tree.root().toString('hex') };
};

export const checkpoint: Command = {
  usage: checkpointUsage,
  run: async (args, env) => {
    const { values } = parsedArguments({
      args: [...args],
      options: {
        key: { type: 'string' },
        'new-key': { type: 'string' },
        succeeds: { type: 'string' },
        log: { type: 'string' },
        at: { type: 'string' },
        fingerprints: { type: 'string' },
      },
    });
    if (values['new-key'] !== undefined) {
      const { 'new-key': file, succeeds, ...others } = values;
      if (Object.keys(others).length > 0)
        throw new SettingsError('--new-key: expected no other option than --succeeds');
      makeKeyFiles(file, succeeds);
      return 0;
    }
    if (values.succeeds !== undefined) throw new SettingsError('--succeeds: expected --new-key, too');
    if (values.key === undefined) throw new SettingsError('--key: got none, expected a file');
    const at = values.at === undefined ? new Date().toISOString() : instantOption('--at', values.at);
    const input = inputOf(values.log, env);
    const { key } = values;
    const signer = readingFile('--key', key, () => signerOf(key));
    const file = values.fingerprints === undefined ? undefined : createWriteStream(values.fingerprints);
    if (file) await once(file, 'open');
    const { origin, size, root } = await treeOf(input, env, async leaf => {
      if (file && !file.write(`${leaf.toString('hex')}\n`)) await once(file, 'drain');
    });
    if (file) await once(file.end(), 'close');
    if (origin === undefined) {
      process.stderr.write('the log has no events yet\n');
      return 3;
    }
    process.stdout.write(`${JSON.stringify(signedCheckpoint({ origin, size, root, at }, signer))}\n`);
    process.stderr.write(`${plural(size, 'event')}\n`);
    return 0;
  },
};
