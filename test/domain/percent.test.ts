import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { percent, unbroken } from '../../domain/text.js';
import { repositoryRoot, sourceFiles } from '../helpers/repository.js';

t.test('a percentage has a space before its sign', async t => {
  t.equal(percent(0.973), '97 %');
  t.equal(percent(0.9731, 1), '97.3 %');
  t.equal(percent(0.29), '29 %', '100 · 0.29 is not 29');
  t.equal(percent(0), '0 %');
});

t.test('a page keeps the sign on the line of its number', async t => {
  t.equal(unbroken('31 % under, 8.5 % over'), '31\u00a0% under, 8.5\u00a0% over');
  t.equal(unbroken('a % b'), 'a % b');
});

t.test('texts get their percentages from one function a side', async t => {
  const root = repositoryRoot();
  const folders = ['domain', 'analysis', 'application', 'adapters', 'web'];
  const writers = folders
    .flatMap(folder => sourceFiles(root, folder, /\.tsx?$/))
    .filter(file => /\} ?%[ `]|\\u00a0%`|style: 'percent'/.test(readFileSync(join(root, file), 'utf8')))
    .sort();
  t.strictSame(writers, ['domain/text.ts', 'web/messages/percent.ts']);
});
