import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../helpers/repository.js';

const program = join(repositoryRoot(), 'build', 'adapters', 'cli', 'main.js');

const skip = existsSync('/dev/full') ? false : 'needs /dev/full';

t.test('an output that cannot be written is no stack', { skip }, async t => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [program, '--help'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  t.equal(status, 3);
  t.match(stderr, /^the output cannot be written: ENOSPC[^\n]*\n$/);
});
