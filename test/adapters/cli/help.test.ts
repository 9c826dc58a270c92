// Help of the command line, and its suggestions for wrong names. (Help of each command: docs.test.ts.)
import fc from '../../helpers/property.js';
import t from 'tap';
import { helpPage } from '../../../adapters/cli/terminal/arguments.js';
import { distance } from '../../../domain/text.js';
import { run } from '../../helpers/process.js';

const wordsIn = (text: string): readonly string[] => text.split(/\s+/).filter(word => word !== '');

t.test('help: a page has all words in their order, in 80 columns', async t => {
  const word = fc.stringMatching(/^[a-z,.()]{1,20}$/);
  const words = fc.array(word, { minLength: 1, maxLength: 40 }).map(all => all.join(' '));
  const option = fc
    .tuple(fc.stringMatching(/^--[a-z]{1,30}( [A-Z]{1,9})?$/), words)
    .map(([name, meaning]) => `  ${name}  ${meaning}`);
  const paragraph = fc.oneof(
    words,
    fc.array(option, { minLength: 1, maxLength: 5 }).map(all => all.join('\n')),
  );
  fc.assert(
    fc.property(fc.array(paragraph, { minLength: 1, maxLength: 5 }), paragraphs => {
      const text = `usage: daybook x [--y <z>]\n\n${paragraphs.join('\n\n')}\n`;
      const page = helpPage(text);
      t.strictSame(wordsIn(page), wordsIn(text));
      t.ok(page.split('\n').every(({ length }) => length <= 80));
    }),
    { numRuns: 100 },
  );
});

t.test('help: options keep their column, long ones have a line of their own', async t => {
  t.equal(
    helpPage(`usage: daybook x

  --a        ${'one '.repeat(20).trim()}
  --long-option-with-a-long-value some-value-of-it  two
             three

Last
line
`),
    `usage: daybook x

  --a        one one one one one one one one one one one one one one one one one
             one one one
  --long-option-with-a-long-value some-value-of-it
      two three

Last line
`,
  );
});

t.test('names: the command that was meant is suggested', async t => {
  for (const [got, meant] of [
    ['srve', 'serve'],
    ['sevre', 'serve'],
    ['start', 'serve'],
    ['imprt', 'import-folder'],
    ['relpay', 'replay'],
    ['copylog', 'copy-log'],
    ['hlep', 'help'],
    ['versoin', '--version'],
  ] as const) {
    const { code, stderr } = await run([got], {});
    t.equal(code, 2);
    t.ok(stderr.startsWith(`got "${got}", expected a command, perhaps ${meant}\n`), stderr);
  }
  t.match(await run(['verify', 'data'], {}), {
    code: 2,
    stderr: 'got "data", expected options only, perhaps --log data\n',
  });
});

t.test('names: exchanged neighbours are one change', async t => {
  t.equal(distance('sevre', 'serve'), 1);
  t.equal(distance('abc', 'ca'), 3, 'no character is changed after an exchange');
  t.equal(distance('', 'abc'), 3);
  const text = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(text, text, fc.nat(6), (a, b, at) => {
      t.equal(distance(a, a), 0);
      t.equal(distance(a, b), distance(b, a));
      const exchanged = a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2);
      t.ok(distance(a, exchanged) <= 1);
    }),
    { numRuns: 200 },
  );
});
