import t from 'tap';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkpoint } from '../../../adapters/cli/commands/checkpoint.js';
import { verify } from '../../../adapters/cli/commands/verify.js';
import { repositoryRoot } from '../../helpers/repository.js';

const recorded = (name: string): string => join(repositoryRoot(), 'test/fixtures/logs/0.1.0', name);

// Files that options of the commands of audits name.

t.test('a file that cannot be read is named with its option, as wrong usage', async t => {
  const log = ['--log', recorded('events.ndjson')];
  const given = ['--checkpoint', recorded('checkpoint.json')];
  const none = join(t.testdir({}), 'none');
  const folder = join(t.testdirName, 'folder');
  mkdirSync(folder);
  const cases = [
    [verify, [...log, '--checkpoint', none], '--checkpoint'],
    [verify, [...log, ...given, '--public-key', none], '--public-key'],
    [verify, [...log, ...given, '--fingerprints', none], '--fingerprints'],
    [verify, ['--proof', none, ...given], '--proof'],
    [checkpoint, [...log, '--key', none], '--key'],
    [checkpoint, ['--new-key', join(folder, 'new'), '--succeeds', none], '--succeeds'],
  ] as const;
  for (const [command, args, option] of cases)
    await t.rejects(
      async () => command.run(args, {}),
      { name: 'SettingsError', message: `${option}: ${none} cannot be read: no such file` },
      option,
    );
  await t.rejects(async () => verify.run([...log, '--checkpoint', folder], {}), {
    name: 'SettingsError',
    message: /^--checkpoint: .*folder cannot be read: EISDIR/,
  });
});
