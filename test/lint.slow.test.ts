import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';

t.test('npm run lint', async t => {
  const faults = await promisify(execFile)('npm', ['run', '-s', 'lint'])
    .then(() => '')
    .catch((error: { readonly stdout: string; readonly stderr: string }) => error.stdout + error.stderr);
  t.equal(faults, '');
});
