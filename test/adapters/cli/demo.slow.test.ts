import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { csvLines, makeYear } from '../../../adapters/cli/demo/data.js';
import { demo } from '../../helpers/demo.js';
import { exactList } from '../../helpers/exactList.js';
import { mainFile } from '../../helpers/process.js';

t.test('the demo reads plain and packed files', async t => {
  const { reference, recent } = makeYear(3);
  const tmp = t.testdir({ 'reference.csv': [...csvLines(reference)].join('') });
  const [referenceFile, recentFile] = [join(tmp, 'reference.csv'), join(tmp, 'recent.csv.gz')];
  writeFileSync(recentFile, gzipSync([...csvLines(recent)].join('')));
  const { code, stdout, stderr, left } = await demo(tmp, referenceFile, recentFile);
  t.equal(code, 0, stderr);
  t.match(stdout, /^ {2}\d+ alerts in 118 recent days$/m);
  t.notMatch(stdout, /planted/);
  t.strictSame(left, []);
});

t.test('the demo reads files in the form that options name', async t => {
  const { reference, recent } = makeYear(3);
  const points = (samples: typeof reference) =>
    [...csvLines(samples)].map(line => line.replace(',', '.').replace(';', ',')).join('');
  const tmp = t.testdir({ 'reference.csv': points(reference), 'recent.csv': points(recent) });
  const files = [join(tmp, 'reference.csv'), join(tmp, 'recent.csv')];
  const form = ['--separator', ',', '--decimal', '.'];
  const local = ['--time-zone', 'Europe/Paris', '--clock', 'local'];
  const { code, stdout, stderr } = await demo(tmp, ...files, ...form, ...local);
  t.equal(code, 0, stderr);
  t.match(stdout, /0 to 24 h \(Europe\/Paris\)/);
  t.match(stdout, /^ {2}\d+ alerts in 118 recent days$/m);
  const refused = await demo(tmp, ...files);
  t.match(refused.stderr.replaceAll(/\s+/g, ' '), /Read it with --separator , --decimal \./);
});

t.test('the demo lists the faults of a refused file', async t => {
  const { reference } = makeYear(3);
  const lines = [...csvLines(reference)];
  lines[4] = lines[4]?.replace(/"\n$/, '.5"\n') ?? '';
  const tmp = t.testdir({ 'reference.csv': lines.join('') });
  const file = join(tmp, 'reference.csv');
  const { code, stderr, left } = await demo(tmp, file, file);
  t.equal(code, 1);
  t.match(stderr, /reference year: refused \(422\)/);
  t.match(stderr, /line 5, column 2/);
  t.strictSame(left, []);
});

t.test('demo --serve keeps the service running until Ctrl-C; its token is for a terminal', async t => {
  const tmp = t.testdir();
  const env = {
    ...{ ...process.env, TMPDIR: tmp, JWT_SECRET: 'a secret of another service, of 32 bytes' },
    ...{ JWT_ISSUER: 'https://other.example', JWT_AUDIENCE: 'other', EVENT_STORE: 'eventstoredb' },
  };
  const child = spawn(process.execPath, [mainFile, 'demo', '--serve'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let shown = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    shown += text;
    if (shown.includes('Ctrl-C stops it')) break;
  }
  t.notMatch(shown, /eyJ|#token/, 'no token in output that may be collected');
  const address = /running on (http:\S+)\. /.exec(shown)?.[1];
  const [, command = ''] = /TOKEN=\$\((.+)\)/.exec(shown) ?? [];
  const run = command.replace('npx --no -- daybook', `'${process.execPath}' '${mainFile}'`);
  t.not(run, command, 'npx takes the package of the folder');
  const asked = spawnSync('sh', ['-c', run], { env, encoding: 'utf8' });
  const token = asked.stdout.trim();
  const answer = await fetch(`${address}/v1/source/list`, {
    headers: { authorization: `Bearer ${token}` },
  });
  t.match(await answer.json(), { sources: exactList({ name: 'Market hall' }) });
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGINT');
  t.equal(await ended, 0);
  t.strictSame(readdirSync(tmp), []);
});
