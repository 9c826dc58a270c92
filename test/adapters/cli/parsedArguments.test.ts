import t from 'tap';
import { folderOptions } from '../../../adapters/cli/sendFolder.js';
import { parsedArguments, WrongArguments } from '../../../adapters/cli/terminal/arguments.js';

const options = {
  'from-store': { type: 'string' },
  seed: { type: 'string' },
  label: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

const messageOf = (args: readonly string[], allowPositionals = false): string => {
  try {
    parsedArguments({ args: [...args], options, allowPositionals });
    return 'none';
  } catch (error) {
    if (!(error instanceof WrongArguments)) throw error;
    return error.message;
  }
};

t.test('arguments: right ones', async t => {
  const args = ['--from-store', 'data', '--seed=-5', '--label', 'a', '--label=b', '--json', 'x', '--', '-y'];
  const { values, positionals } = parsedArguments({ args, options, allowPositionals: true });
  t.same(values, { 'from-store': 'data', seed: '-5', label: ['a', 'b'], json: true });
  t.strictSame(positionals, ['x', '-y']);
  t.equal(messageOf(['--seed', '-', '--from-store=']), 'none', 'a dash alone and an empty text are values');
});

t.test('arguments: each wrong one has one sentence', async t => {
  for (const [args, message] of [
    [['--from-store', '--seed', '1'], '--from-store: got no value before --seed, expected one'],
    [['--from-store', '--oops', '1'], '--from-store: got no value before --oops, expected one'],
    [['--from-store', '-x'], '--from-store: got no value before -x, expected one'],
    [['--seed', '-5'], '--seed: got "-5" as the next argument, expected a value, or --seed=-5'],
    [['--seed'], '--seed: got no value, expected one'],
    [['--label', 'a', '--label'], '--label: got no value, expected one'],
    [['--json=1'], '--json: got "1", expected no value'],
    [['--json='], '--json: got "", expected no value'],
    [['--sed', '1'], 'got --sed, expected an option, perhaps --seed'],
    [['-seed', '1'], 'got -s, expected an option: --from-store, --seed, --label, --json, --help'],
    [['--toString'], 'got --toString, expected an option: --from-store, --seed, --label, --json, --help'],
    [['--seed', '1', '--seed', '2'], 'got --seed more than once, expected it once'],
    [['--json', '--json'], 'got --json more than once, expected it once'],
    [['data'], 'got "data", expected options only'],
  ] as const)
    t.equal(messageOf(args), message, args.join(' '));
  t.equal(messageOf(['data'], true), 'none');
});

t.test('labels: each has a key, a value and a key of its own', async t => {
  const labelsOf = (...labels: readonly string[]) =>
    folderOptions(['folder', '--token', 'x', ...labels.map(label => `--label=${label}`)], {}).labels;
  t.strictSame(labelsOf('site:Lyon: east', 'floor:2'), { site: 'Lyon: east', floor: '2' });
  t.strictSame(labelsOf(), {});
  for (const label of ['site', ':Lyon', 'site:'])
    t.throws(() => labelsOf(label), { message: `--label: got "${label}", expected key:value` });
  t.throws(() => labelsOf('site:Lyon', 'site:Nice'), { message: /expected the key site once/ });
});
