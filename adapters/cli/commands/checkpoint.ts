import { once } from 'node:events';
import { createWriteStream, existsSync, lstatSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { signedCheckpoint } from '../../../auditing/checkpoint.js';
import { leafHash } from '../../../auditing/merkle.js';
import { plural } from '../../../domain/text.js';
import { SettingsError } from '../../settings/values.js';
import { makeKey, signerOf } from '../../signingKeyFile.js';
import { readingFile } from '../audit/coverage.js';
import { inputOf, type LogInput } from '../audit/logInput.js';
import { reportVerdictOf } from '../audit/report.js';
import { CannotVerify, verifyLog, withCannotVerify } from '../audit/verifyLog.js';
import { instantOption, parsedArguments, type Command } from '../terminal/arguments.js';
import { plain } from '../terminal/text.js';

const usage = `usage: daybook checkpoint --key <file> [--log <log>] [--at <instant>] [--fingerprints <file>]
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

Exit codes: 0 done; 2 wrong usage; 3 the log has no events yet, has problems, or cannot be read.
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

/** Origin, size and root of the Merkle tree of a log without a problem; `seen` is called with each leaf hash. */
const treeOf = async (
  input: LogInput,
  env: NodeJS.ProcessEnv,
  seen: (leaf: Buffer) => Promise<void> | undefined,
) => {
  let origin: string | undefined;
  const whole = { input, env, checkpoints: [], fingerprintsFile: undefined, toCheckpoint: false };
  const report = await verifyLog(whole, undefined, [
    (line, event) => {
      origin ??= event?.id;
      return seen(leafHash(line));
    },
  ]);
  if (reportVerdictOf(report) === 'found')
    throw new CannotVerify('the log has problems and was not signed: run daybook verify, which names them');
  const { events, root } = report.result;
  return { origin, size: events, root };
};

/**
 * A file of leaf hashes. It replaces an earlier one when it is kept: those of a log that could not be verified
 * must not overwrite the proof of what was changed. A pipe or a device is written to as it is.
 */
const leavesFile = async (given: string) => {
  // A link to a file stays one.
  const path = existsSync(given) ? realpathSync(given) : given;
  const isPlain = lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  const written = isPlain ? `${path}.${process.pid}.new` : path;
  const stream = createWriteStream(written);
  await once(stream, 'open');
  return {
    stream,
    keep: async (): Promise<void> => {
      await once(stream.end(), 'close');
      if (isPlain) renameSync(written, path);
    },
    /** Removes it, unless it was kept. */
    discard: async (): Promise<void> => {
      if (!stream.closed) await once(stream.end(), 'close');
      if (isPlain) rmSync(written, { force: true });
    },
  };
};

/** Prints a checkpoint of a log; returns the exit code. @throws CannotVerify */
const printCheckpoint = async (
  { log, at, fingerprints }: { readonly [option in 'log' | 'at' | 'fingerprints']?: string | undefined },
  key: string,
  env: NodeJS.ProcessEnv,
): Promise<0> => {
  const instant = at === undefined ? new Date().toISOString() : instantOption('--at', at);
  const input = inputOf(log, env);
  const signer = readingFile('--key', key, () => signerOf(key));
  const file = fingerprints === undefined ? undefined : await leavesFile(fingerprints);
  try {
    const { origin, size, root } = await treeOf(input, env, async leaf => {
      if (file && !file.stream.write(`${leaf.toString('hex')}\n`)) await once(file.stream, 'drain');
    });
    if (origin === undefined) throw new CannotVerify('the log has no events yet');
    await file?.keep();
    process.stdout.write(
      `${JSON.stringify(signedCheckpoint({ origin, size, root, at: instant }, signer))}\n`,
    );
    process.stderr.write(`${plural(size, 'event')}\n`);
    return 0;
  } finally {
    await file?.discard();
  }
};

export const checkpoint: Command = {
  usage,
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
    const { key } = values;
    return withCannotVerify(() => printCheckpoint(values, key, env));
  },
};
