// The public benchmark again, from the command: it prints the recorded tables to the byte.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { benchmarkFolder } from '../../bench/quality/dataFolder.js';

t.test('npm run quality prints bench/data/results.txt', async t => {
  const script = fileURLToPath(new URL('../../bench/quality.js', import.meta.url));
  const env = { ...process.env, QUALITY_DATA: benchmarkFolder };
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--shipped'], { env });
  t.equal(stdout, readFileSync(join(benchmarkFolder, 'results.txt'), 'utf8'));
});
