import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { signedCheckpoint } from '../../../auditing/checkpoint.js';
import { readLine } from '../../../auditing/eventBytes.js';
import { frontier, leafHash } from '../../../auditing/merkle.js';
import { plural } from '../../../domain/text.js';
import { SettingsError } from '../../settings/values.js';
import { makeKey, signerOf } from '../../signingKeyFile.js';
import { readingFile } from '../audit/coverage.js';
import { exportOf, inputOf, type LogInput } from '../audit/logInput.js';
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
