import { EventEmitter } from 'node:events';
import t from 'tap';
import { stepOn } from '../../../adapters/cli/demo/tour.js';
import {
  calendar,
  hourAxis,
  profileChart,
  rangeOf,
  resampled,
} from '../../../adapters/cli/terminal/charts.js';
import {
  colorsOf,
  paint,
  bar,
  progressLine,
  progressText,
  table,
  byteSize,
  criticityText,
  cut,
  duration,
  plain,
  valueText,
  wrap,
} from '../../../adapters/cli/terminal/text.js';
import { signInLine } from '../../../adapters/cli/commands/token.js';
import { stopSignals } from '../../../adapters/cli/commands/serve.js';
import { counted, plural } from '../../../domain/text.js';

t.test('numbers', async t => {
  t.strictSame([0, 999, 1000, 52_704, 1e6].map(counted), ['0', '999', '1,000', '52,704', '1,000,000']);
  t.strictSame([0, 0.012_34, 3.14159, 99.96, 1234.6, -0.5, -1280].map(valueText), [
    '0',
    '0.0123',
    '3.14',
    '100',
    '1,235',
    '-0.5',
    '-1,280',
  ]);
  t.strictSame([0, 0.456, 0.9999, 1].map(criticityText), ['0.00', '0.46', '0.99', '1.00']);
  t.strictSame([0.4, 999.4, 999.6, 1240, 12_340, 59_960, 125_000].map(duration), [
    '0 ms',
    '999 ms',
    '1.00 s',
    '1.24 s',
    '12.3 s',
    '1 min 0 s',
    '2 min 5 s',
  ]);
  t.strictSame([999, 1000, 999_949, 1_900_000].map(byteSize), ['999 B', '1.0 kB', '999.9 kB', '1.9 MB']);
  t.strictSame([plural(1, 'day'), plural(2, 'day')], ['1 day', '2 days']);
});

t.test('texts', async t => {
  t.strictSame(wrap('the model of  many days', 9), ['the model', 'of many', 'days']);
  t.strictSame(wrap('abcdefgh i', 5), ['abcde', 'fgh i']);
  t.equal(cut('Monday–Friday', 7), 'Monday…');
  t.equal(cut('Monday', 7), 'Monday');
  t.equal(plain('a\u001b[31mb\nc\u202e'), 'a [31mb c ');
});

t.test('day profiles', async t => {
  t.strictSame(resampled([1, 3, 5, 7], 2), [2, 6]);
  t.strictSame(resampled([0, 3, 6], 2), [1, 5]);
  t.strictSame(resampled([1, 3], 4), [1, 1, 3, 3]);
  t.strictSame(profileChart([0, 1, 2, 3, 4, 5, 6, 7], { low: 0, high: 7 }, 8, 1), ['▁▂▃▄▅▆▇█']);
  t.strictSame(profileChart([0, 7, 8, 15], { low: 0, high: 15 }, 4, 2), ['  ▁█', '▁███']);
  t.strictSame(profileChart([3, 3], { low: 3, high: 3 }, 4, 1), ['▁▁▁▁'], 'constant values');
  t.strictSame(rangeOf([[2, 9], [3]]), { low: 0, high: 9 });
  t.strictSame(rangeOf([[30, 50]]), { low: 30, high: 50 }, 'all values in the upper half');
  t.strictSame(rangeOf([[-2, 5]]), { low: -2, high: 5 });
  t.equal(hourAxis(24), '0     6     12    18    24');
  t.equal(hourAxis(48), '0     3     6     9     12    15    18    21    24');
});

t.test('tables', async t => {
  t.strictSame(
    table(
      [
        ['day', 'rows', ''],
        ['Monday', '7', ''],
        ['Tue', { text: '1,280', paint: text => `<${text}>` }, 'x'],
      ],
      'lrl',
    ),
    ['day      rows', 'Monday      7', 'Tue     <1,280>  x'],
  );
  t.strictSame(
    calendar(
      [
        {
          label: '25 Aug',
          days: [
            undefined,
            ...['A', 'A', 'A', 'A', 'B'].map(text => ({ text, mark: '' })),
            { text: 'C', mark: '!' },
          ],
        },
      ],
      paint(0),
      80,
    ),
    ['        Mon   Tue   Wed   Thu   Fri   Sat   Sun', '25 Aug   ·     A     A     A     A     B     C!'],
  );
});

t.test('progress', async t => {
  const shown: string[] = [];
  const output = { isTTY: true, columns: 40, write: (text: string) => void shown.push(text) };
  progressLine(output).show({
    label: 'recent days and their check',
    done: 4,
    total: 4,
    text: '4 MB of 4 MB',
  });
  progressLine(output).show({ label: 'recent', done: 4, total: 4, text: '4 MB of 4 MB' });
  progressLine({ ...output, columns: 80 }).show({ label: 'recent', done: 4, total: 4, text: '4 MB' });
  t.strictSame(
    shown.map(text => text.replace(/^\r(.*)\u001b\[K$/, '$1')),
    [
      'recent days and their check  100 %  4…',
      'recent  100 %  4 MB of 4 MB',
      `recent  ${'█'.repeat(30)}  100 %  4 MB`,
    ],
    'a line that is too long for the terminal has no bar',
  );
  t.equal(bar(0.5, 4), '██░░');
  t.equal(bar(0.4, 4), '█▋░░');
  t.equal(bar(7, 4), '████');
  t.equal(
    progressText({ label: 'recent', done: 500, total: 1000, text: '500 B of 1.0 kB' }, true),
    'recent  ███████████████░░░░░░░░░░░░░░░   50 %  500 B of 1.0 kB',
  );
  const written = (isTTY: boolean) => {
    const texts: string[] = [];
    const step = stepOn({ isTTY, write: text => texts.push(text) }, 'recent');
    step.sent(500, 1000);
    step.done('7 rows in 8 ms');
    return texts;
  };
  t.strictSame(written(false), ['recent  7 rows in 8 ms\n'], 'outside a terminal a short step has one line');
  t.strictSame(written(true), [
    '\rrecent  ███████████████░░░░░░░░░░░░░░░   50 %  500 B of 1.0 kB\u001b[K',
    '\rrecent  7 rows in 8 ms\u001b[K\n',
  ]);
});

t.test('colours', async t => {
  t.equal(paint(0).color('A', '#ff0000'), 'A');
  t.equal(paint(256).color('A', '#ff0000'), '\u001b[38;5;196mA\u001b[0m');
  t.equal(paint(16_777_216).color('A', '#0072B2'), '\u001b[38;2;0;114;178mA\u001b[0m');
  t.equal(
    paint(16_777_216).color('A', '#000000'),
    '\u001b[38;2;128;128;128mA\u001b[0m',
    'black becomes grey',
  );
  t.equal(paint(256).bold('A'), '\u001b[1mA\u001b[0m');
});

t.test('colours of a stream', async t => {
  t.equal(colorsOf({}, {}), 0, 'no terminal');
  t.equal(colorsOf({ isTTY: true }, { NO_COLOR: '1', COLORTERM: 'truecolor' }), 0);
  t.equal(colorsOf({ isTTY: true }, {}), 256);
  t.equal(colorsOf({ isTTY: true }, { COLORTERM: 'truecolor' }), 16_777_216);
});

t.test('signals end a starting process, stop a running one, and are never without a listener', async t => {
  const sent = new EventEmitter();
  const exits: number[] = [];
  sent.on('removeListener', name => t.fail(`a listener of ${String(name)} was removed`));
  const signals = stopSignals({
    on: (signal, listener) => sent.on(signal, listener),
    exit: code => void exits.push(code),
  });
  sent.emit('SIGTERM', 'SIGTERM', 15);
  sent.emit('SIGINT', 'SIGINT', 2);
  t.strictSame(exits, [143, 130], 'before it runs');
  const stopped = signals.stop();
  sent.emit('SIGTERM', 'SIGTERM', 15);
  await stopped;
  t.strictSame(exits, [143, 130], 'the first signal lets requests finish');
  sent.emit('SIGINT', 'SIGINT', 2);
  t.strictSame(exits, [143, 130, 3], 'the second one does not');
});

t.test('sign-in: a token is shown to a terminal outside of production alone', async t => {
  const secret = { kind: 'secret', secret: 'a secret that is long enough for HS256' } as const;
  const jwks = { kind: 'jwks', url: new URL('https://id.example.org/jwks') } as const;
  const provider = { issuer: 'https://id.example.org', clientId: 'screens', scope: 'openid' };
  const lines: string[] = [];
  for (const key of [secret, jwks])
    for (const oidc of [undefined, provider])
      for (const isTTY of [true, false])
        for (const isProduction of [true, false]) {
          const tokens = { key, algorithms: ['HS256'], issuer: 'daybook', audience: 'daybook' };
          const settings = { tokens, ...(oidc && { oidc }) };
          const line = await signInLine('http://[::]:8080', settings, { isTTY, isProduction });
          lines.push(
            line
              .replace(/[\w-]+\.[\w-]+\.[\w-]+/, 'TOKEN')
              .replace(/daybook token .*/, 'COMMAND')
              .trim(),
          );
        }
  const hint = 'Sign in to its screens with the output of: COMMAND';
  t.strictSame(lines, [
    ...[
      hint,
      'Open http://localhost:8080/#token=TOKEN',
      hint,
      hint.replace('COMMAND', 'npx --no -- COMMAND'),
    ],
    ...Array.from({ length: 12 }, () => ''),
  ]);
});
