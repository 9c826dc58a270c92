// A whole release from HEAD: built twice with the same bytes, and verified.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from './helpers/repository.js';

const root = repositoryRoot();
const hasGit = existsSync(join(root, '.git'));

t.test('npm run release:check', { skip: !hasGit && 'no .git: the sources are no clone' }, async t => {
  const secret = execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519'], { encoding: 'utf8' });
  const place = t.testdir({ key: secret });
  const release = join(place, 'release');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, '.ci/release/check.mjs'), '--out', release, '--key', join(place, 'key')],
    { encoding: 'utf8' },
  );
  t.equal(status, 0, stderr);
  t.match(stdout, 'built twice, in two folders, with the same bytes');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  t.strictSame(readdirSync(release).sort(), [
    'SHA256SUMS',
    `daybook-${version}.cdx.json`,
    `daybook-${version}.intoto.jsonl`,
    `daybook-${version}.tgz`,
    `daybook-client-${version}.cdx.json`,
    `daybook-client-${version}.tgz`,
    `daybook-client-python-${version}.tar.gz`,
    `daybook-container-${version}.cdx.json`,
    `daybook-container-context-${version}.tar.gz`,
  ]);
  const names = (file: string): string[] =>
    (
      JSON.parse(readFileSync(join(release, file), 'utf8')) as { components: { name: string }[] }
    ).components.map(({ name }) => name);
  const product = names(`daybook-${version}.cdx.json`);
  for (const name of ['koa', 'better-sqlite3', 'react', 'plot']) t.ok(product.includes(name), name);
  t.notOk(product.includes('typescript'), 'no tools of development');
  t.strictSame(names(`daybook-client-${version}.cdx.json`), ['openapi-fetch', 'openapi-typescript-helpers']);
  t.ok(names(`daybook-container-${version}.cdx.json`).includes('node'));
});
