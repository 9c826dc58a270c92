import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { slowTest } from './helpers/amount.js';
import { repositoryRoot } from './helpers/repository.js';

/** Runs tap with the reporter on files in a new folder; returns its exit code and last line. */
const run = (t: Test, files: Readonly<Record<string, string>>) => {
  const root = repositoryRoot();
  const cwd = t.testdir({
    ...files,
    'reporter.mjs': readFileSync(join(root, 'test/reporter.mjs'), 'utf8'),
    'package.json': JSON.stringify({
      type: 'module',
      tap: {
        include: ['*.test.js'],
        reporter: './reporter.mjs',
        timeout: 600,
        'disable-coverage': true,
        // As in package.json: other plugins are built first.
        plugin: ['!@tapjs/typescript', '!@tapjs/mock'],
      },
    }),
  });
  const own = Object.entries(process.env).filter(([name]) => !/^(_?TAP|NODE_OPTIONS)/.test(name));
  const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tap'), ['run'], {
    cwd,
    env: Object.fromEntries(own),
    encoding: 'utf8',
  });
  return { status, last: stdout.trim().split('\n').at(-1) };
};

const passes = `import t from 'tap';\nt.test('one', async t => { t.ok(true); });\n`;

t.test('reporter: the last line counts a file that fails after its tests passed', async t => {
  const aborts = `${passes}t.on('end', () => process.abort());\n`;
  t.same(run(t, { 'a.test.js': aborts, 'b.test.js': passes }), {
    status: 1,
    last: '2 passed, 1 failed, 0 skipped',
  });
});

slowTest('reporter: the last line counts a file that fails as it ends', async t => {
  const exits = `${passes}process.on('exit', () => { process.exitCode = 3; });\n`;
  t.match(run(t, { 'a.test.js': exits, 'b.test.js': passes }), { status: 1, last: / 1 failed, 0 skipped$/ });
});

t.test('reporter: the last line counts each failed test once', async t => {
  const fails = `${passes}t.test('two', async t => { t.ok(false); t.ok(false); });\n`;
  t.match(run(t, { 'a.test.js': fails, 'b.test.js': passes }), { status: 1, last: /^2 passed, 2 failed/ });
});

slowTest('reporter: the last line when all tests pass', async t => {
  t.same(run(t, { 'b.test.js': passes }), { status: 0, last: '1 passed, 0 failed, 0 skipped' });
});
