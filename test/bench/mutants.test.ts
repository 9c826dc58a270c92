import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { equalMutants } from '../../bench/mutants/equalMutants.js';
import { linesOf, mutantsOf } from '../../bench/mutants/faults.js';
import { nearestTests } from '../../bench/mutants/nearestTests.js';

t.test('a file has a mutant for each operator, number and condition', async t => {
  const text = "const a = 1;\nif (a < 2 && !b)\n  f('1' + a);\n";
  const file = join(t.testdir({ 'a.js': text }), 'a.js');
  t.strictSame(
    mutantsOf(file).map(mutant => linesOf(mutant, text)),
    [
      { line: 1, before: 'const a = 1;', after: 'const a = 2;' },
      { line: 2, before: 'if (a < 2 && !b)', after: 'if (!(a < 2 && !b))' },
      { line: 2, before: 'if (a < 2 && !b)', after: 'if (a < 2 || !b)' },
      { line: 2, before: 'if (a < 2 && !b)', after: 'if (a <= 2 && !b)' },
      { line: 2, before: 'if (a < 2 && !b)', after: 'if (a < 3 && !b)' },
      { line: 2, before: 'if (a < 2 && !b)', after: 'if (a < 2 && b)' },
      { line: 3, before: "f('1' + a);", after: ';' },
    ],
  );
});

t.test('near tests come first, those with a service last, those of other programs never', async t => {
  const imports = (...paths: readonly string[]): string => paths.map(path => `import '${path}';\n`).join('');
  const build = t.testdir({
    domain: { 'a.js': '', 'b.js': imports('./a.js') },
    ...{ analysis: {}, application: {}, projections: {}, auditing: {} },
    adapters: { 'main.js': imports('../domain/b.js') },
    test: {
      domain: { 'b.test.js': imports('../../domain/b.js'), 'z.test.js': imports('../../domain/a.js') },
      helpers: { 'service.js': "new URL('../../adapters/main.js', import.meta.url)" },
      'recordedLog.test.js': imports('./helpers/service.js'),
      http: {
        'a.test.js': imports('../helpers/service.js'),
        'b.test.js': imports('../helpers/service.js'),
        'c.slow.test.js': imports('../helpers/service.js'),
      },
      web: { 'a.test.js': imports('../helpers/service.js') },
    },
  });
  const names = (file: string) => nearestTests(build)(join(build, file)).map(test => relative(build, test));
  t.strictSame(names('domain/a.js'), [
    ...['test/domain/z.test.js', 'test/domain/b.test.js', 'test/recordedLog.test.js'],
    ...['test/http/a.test.js', 'test/http/b.test.js'],
  ]);
  t.strictSame(names('adapters/main.js').slice(0, 1), ['test/recordedLog.test.js']);
});

t.test('each equal mutant is one of its file, and has a reason', async t => {
  const build = fileURLToPath(new URL('../..', import.meta.url));
  for (const { file, after, reason } of equalMutants) {
    const path = join(build, file);
    const original = readFileSync(path, 'utf8');
    const lines = mutantsOf(path).map(mutant => linesOf(mutant, original).after);
    t.ok(lines.includes(after), `${file}: ${after}`);
    t.match(reason, /^\S.{9,}/, `the reason of ${file}: ${after}`);
  }
});
