import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { copiedCheckout, runTest } from '../../bench/mutants/checkouts.js';
import { coverageCache, executedIn } from '../../bench/mutants/coverage.js';
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

t.test('mutants count as executed whose place ran in one of the processes or workers of a test', async t => {
  const lines = [
    ...['export const f = a => {', '  if (a > 1) return 2 * a;', '  return a + 3;', '};'],
    ...['export const g = a => 4 + a;', 'export const h = a => a > 5 && a < 6;'],
  ];
  const folder = t.testdir({
    'package.json': '{"type":"module"}',
    'a.js': `${lines.join('\n')}\n`,
    'child.js': "import { g } from './a.js';\ng(1);\n",
    'worker.js': "import { f } from './a.js';\nf(7);\n",
    'program.js': `
      import { spawnSync } from 'node:child_process';
      import { Worker } from 'node:worker_threads';
      import { h } from './a.js';
      h(1);
      if (process.argv[2]) new Worker(new URL('./worker.js', import.meta.url));
      if (process.argv[2]) spawnSync(process.execPath, [new URL('./child.js', import.meta.url).pathname]);
    `,
    ...{ alone: {}, whole: {} },
  });
  const file = join(folder, 'a.js');
  const mutants = mutantsOf(file);
  const numbers = (coverage: string, ...args: readonly string[]) => {
    const env = { ...process.env, NODE_V8_COVERAGE: join(folder, coverage) };
    spawnSync(process.execPath, [join(folder, 'program.js'), ...args], { env });
    const found = [...executedIn(join(folder, coverage), mutants)].map(index => mutants[index]!.text);
    const isOperator = found.includes('||');
    return [isOperator, ...found.map(text => Number(text) - 1).filter(number => number > 0)].sort();
  };
  t.strictSame(numbers('alone'), [5, true], 'only what the first condition needs, and the operator after it');
  t.strictSame(numbers('whole', 'all'), [1, 2, 4, 5, true], 'and what a worker and a child have run');
});

t.test(
  'coverage is kept as long as the test and the file are the same; tests that fail have none',
  async t => {
    const checkout = t.testdir({
      'package.json': '{"type":"module"}',
      build: {
        'a.js': 'export const a = 1;\nexport const b = () => 2;\n',
        'a.test.js':
          "import './a.js';\nimport { appendFileSync } from 'node:fs';\nappendFileSync('runs', 'r');\n",
        'failing.js': "import './a.js';\nprocess.exitCode = 1;\n",
      },
      cache: {},
    });
    const runs = (): number => readFileSync(join(checkout, 'runs'), 'utf8').length;
    const change = (name: string): void => appendFileSync(join(checkout, 'build', name), '// changed\n');
    const [one, two] = mutantsOf(join(checkout, 'build/a.js')).map(mutant => ({ ...mutant, file: 'a.js' }));
    const executed = (test = 'a.test.js', mutant = one!) =>
      coverageCache(join(checkout, 'cache'), [one!, two!]).executes(checkout, test, mutant);
    t.equal(await executed(), true);
    t.equal(await executed('a.test.js', two), false, 'the function is not called');
    t.equal(runs(), 1, 'another run of the program has it');
    t.ok(coverageCache(join(checkout, 'cache'), []).msOf('a.test.js')! > 0, 'and its time');
    change('a.test.js');
    t.equal(await executed(), true);
    t.equal(runs(), 2);
    change('a.js');
    t.equal(await executed(), true);
    t.equal(runs(), 3);
    t.equal(await executed('failing.js'), false);
  },
);

t.test('a copy of a checkout has a build of its own; tests in it end in time', async t => {
  const root = t.testdir({
    'package.json': '{"type":"module"}',
    build: { 'quick.js': '', 'endless.js': 'for (;;);' },
  });
  const copy = copiedCheckout(root);
  writeFileSync(join(copy, 'build/quick.js'), 'throw new Error();');
  t.equal(readFileSync(join(root, 'build/quick.js'), 'utf8'), '');
  t.equal(await runTest(copy, 'quick.js', 60_000), undefined, 'it fails in the copy');
  t.ok((await runTest(root, 'quick.js', 60_000))! > 0, 'and passes in the checkout');
  t.equal(await runTest(copy, 'endless.js', 500), undefined);
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
  const names = (file: string) => nearestTests(build)(join(build, file)).map(({ test }) => test);
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
