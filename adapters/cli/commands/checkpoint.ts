import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { NotUsable, signedCheckpoint } from '../../../auditing/checkpoint.js';
import { makeKey, signerOf } from '../../signingKeyFile.js';
import { readLine } from '../../../auditing/exportLine.js';
import { frontier, leafHash } from '../../../auditing/merkle.js';
import { SettingsError } from '../../settings.js';
import type { Command } from '../terminal/command.js';
import { exportOf, inputOf, inputOfSettings, type LogInput } from '../audit/logInput.js';
import { plain, plural } from '../terminal/text.js';

const usage = `usage: daybook checkpoint --key <file> [--from <log>] [--at <instant>] [--fingerprints <file>]
       daybook checkpoint --new-key <file> [--succeeds <file>]

Prints a checkpoint of the log: {origin, size, root, at, keyId, signature}. Keep it where nobody who can
change the log can change it; "daybook verify --checkpoint" then finds any change of these events.

  --key           private key of Ed25519 (PEM) to sign with
  --new-key       makes one, readable by you alone, and its public part in <file>.pub
  --succeeds      the private key before it: signs that it does, in <file>.successions, which goes into each
                  checkpoint of the new key, so that whoever trusts the old key can trust the new one
  --from          a data folder, its events.sqlite, an export or eventstoredb; else the one of the settings
  --at            the instant that the checkpoint bears, now when not given
  --fingerprints  also writes the hash of each event, a line each: kept beside the checkpoint it lets
                  verify name the very event, and it says nothing of what is in them
`;

const makeKeyFiles = (file: string, succeeds: string | undefined): void => {
  try {
    const before = succeeds === undefined ? undefined : signerOf(succeeds);
    makeKey(file, new Date().toISOString(), before);
  } catch (error) {
    if (error instanceof NotUsable) throw new SettingsError(`--succeeds: ${error.message}`);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new SettingsError(`--new-key: ${plain(file)} or what belongs to it is there already`);
    throw error;
  }
  process.stderr.write(`${plain(file)} is made; give ${plain(file)}.pub to those who verify\n`);
};

const instantOf = (text: string): string => {
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T.*Z$/.test(text) || Number.isNaN(at.getTime()))
    throw new SettingsError(`--at: got "${plain(text)}", expected an instant like 2026-01-31T12:00:00Z`);
  return at.toISOString();
};

/** Root and size of a log's tree; its leaves are told to `seen`. */
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
  summary: 'a signed statement of what the log is, to be kept elsewhere',
  usage,
  run: async (args, env) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        key: { type: 'string' },
        'new-key': { type: 'string' },
        succeeds: { type: 'string' },
        from: { type: 'string' },
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
    const at = values.at === undefined ? new Date().toISOString() : instantOf(values.at);
    const input = values.from === undefined ? inputOfSettings(env) : inputOf(values.from);
    try {
      const signer = signerOf(values.key);
      const file = values.fingerprints === undefined ? undefined : createWriteStream(values.fingerprints);
      if (file) await once(file, 'open');
      const { origin, size, root } = await treeOf(input, env, async leaf => {
        if (file && !file.write(`${leaf.toString('hex')}\n`)) await once(file, 'drain');
      });
      if (file) await once(file.end(), 'close');
      if (origin === undefined) {
        process.stderr.write('the log has no event yet\n');
        return 3;
      }
      process.stdout.write(`${JSON.stringify(signedCheckpoint({ origin, size, root, at }, signer))}\n`);
      process.stderr.write(`${plural(size, 'event')}\n`);
      return 0;
    } catch (error) {
      if (error instanceof NotUsable) throw new SettingsError(`--key: ${error.message}`);
      throw error;
    }
  },
};
