// `daybook tune --apply-to`: the preview, the question, and the models that the service learns.
import { PassThrough } from 'node:stream';
import t from 'tap';
import { askOn, previewText } from '../../../adapters/cli/tune/apply.js';
import { analysed, csvOf, ordinaryDay, ordinaryDays, startService } from '../../helpers/service.js';
import { tunedWith } from '../../helpers/tuned.js';

const reference = ordinaryDays('2023-02-06', 84);
const night = { ...ordinaryDay('2023-05-10'), activity: Array<number>(24).fill(300) };
const recent = ordinaryDays('2023-05-01', 21).map(day => (day.date === night.date ? night : day));

// The folder of the service is another one: testdir() of one test empties its folder.
const service = await startService(t, { DATA_DIR: `${t.testdir({ data: {} })}/data` });
const { call } = service;
const env = { DAYBOOK_URL: service.address(), DAYBOOK_TOKEN: await service.tokenFor({}) };
await call('POST', '/v1/import/create-source', {
  json: { name: 'Gate', referenceYear: 2023, days: reference },
});
await analysed(call, 1);
await call('POST', '/v1/import/days', { json: { sourceId: 1, days: recent } });

type Listed = {
  readonly models: readonly object[];
  readonly bounds: { readonly targetCoverage: number | null };
};
const models = async () => (await call<Listed>('GET', '/v1/model/list/1')).body;
const resets = () => service.events().filter(({ type }) => type === 'ModelsReset').length;

t.test('the preview is shown, a no changes nothing, a yes lets the service learn the setting', async t => {
  const dir = t.testdir({ 'reference.csv': csvOf(reference), 'recent.csv': csvOf(recent) });
  const files = [`${dir}/reference.csv`, `${dir}/recent.csv`];
  const options = [
    '--models',
    '3',
    '--coverage',
    '0.95',
    '--cross',
    '--pick',
    '3@0.95',
    '--out',
    `${dir}/out`,
  ];
  const args = [...files, ...options, '--apply-to', '1'];
  const asked: string[] = [];
  const answering = (answer: string) => (question: string) => {
    asked.push(question);
    return Promise.resolve(answer);
  };
  const before = await models();
  const no = await tunedWith(env, answering(''), args);
  t.match(no, { code: 0, stderr: /Nothing was changed\.\n$/ });
  t.match(no.stderr, /Source Gate: 2 models now \(.*\)\.\nWith the setting: 3 models \(/);
  t.match(no.stderr, /The service learns the same models, to the last digit\./);
  t.match(no.stderr, /Alerts gained \d+(: 2023-[\d, -]+)?; kept 1; lost 0\./, 'the planted day stays');
  t.strictSame(asked, ['Apply? [y/N] ']);
  t.strictSame(await models(), before);
  t.equal(resets(), 1);

  const yes = await tunedWith(env, answering('y'), args);
  t.match(yes, { code: 0, stderr: /Source 1 learns the setting now: GET \/v1\/source\/1 says/ });
  t.match(await models(), { models: { length: 3 }, bounds: { targetCoverage: 0.95 } });

  const again = await tunedWith(env, null, [...args, '--yes', '--json']);
  t.equal(again.code, 0, 'no question with --yes');
  t.equal(asked.length, 2);
  const printed = JSON.parse(again.stdout) as { readonly settings: readonly object[] };
  t.equal(printed.settings.length, 4, 'standard output has the numbers alone');
  t.equal(resets(), 3);

  const other = [`${dir}/recent.csv`, '--models', '2', '--coverage', '0.95', '--out', `${dir}/other`];
  const differs = await tunedWith(env, answering('n'), [...other, '--apply-to', '1']);
  t.match(differs.stderr.replaceAll('\n', ' '), /The service learns other models than those of this run/);
});

t.test('what cannot be applied is refused before anything is computed', async t => {
  const dir = t.testdir({ 'reference.csv': csvOf(reference) });
  const args = [`${dir}/reference.csv`, '--models', '2', '--coverage', '0.95', '--out', `${dir}/out`];
  for (const [own, more, code, stderr] of [
    [env, ['--apply-to', '1'], 2, /^--apply-to: got no terminal to ask on, expected --yes\n$/],
    [env, ['--apply-to', 'x', '--yes'], 2, /^--apply-to: got "x"/],
    [env, ['--yes'], 2, /^--yes: got no --apply-to/],
    [{}, ['--apply-to', '1', '--yes'], 2, /^DAYBOOK_TOKEN: got none, expected a token with the scopes read/],
  ] as const)
    t.match(await tunedWith(own, null, [...args, ...more]), { code, stderr, stdout: '' }, more.join(' '));
  const unknown = await tunedWith(env, null, [...args, '--apply-to', '99', '--yes']);
  t.match(unknown, { code: 1, stderr: /answered 404/ });
  const refused = { ...env, DAYBOOK_TOKEN: await service.tokenFor({ scopes: ['read'] }) };
  t.match(await tunedWith(refused, null, [...args, '--apply-to', '1', '--yes']), { code: 2, stderr: /403/ });
});

t.test('the preview names at most eight dates, overrides, and accepted changes that end', async t => {
  const model = (name: string) => ({ name, activity: [1], topTolerance: [2], bottomTolerance: [0] });
  const dates = Array.from({ length: 9 }, (_, day) => ({ date: `2023-05-0${day + 1}` }));
  const override = { date: '2023-05-01' };
  t.strictSame(
    previewText({ name: 'Gate' }, [model('A')], [], {
      models: [model('B')],
      overrides: [
        { ...override, to: null },
        { ...override, to: { name: 'B' } },
      ],
      alerts: { gained: dates, lost: dates.slice(0, 1), counts: { gained: 9, kept: 2, lost: 1 } },
      endedChanges: [{ incidentId: 'a1', change: { summary: 'closed 07–08' } }],
    }),
    [
      'Source Gate: 0 models now (none).',
      'With the setting: 1 model (B).',
      'The service learns the same models, to the last digit.',
      `Alerts gained 9: ${dates
        .slice(0, 8)
        .map(({ date }) => date)
        .join(', ')} …; kept 2; lost 1: 2023-05-01.`,
      'Overrides of the planning: 1 carried, 1 dropped.',
      'Accepted changes that end: closed 07–08 (incident a1).',
    ],
  );
});

t.test('the end of the terminal is an empty answer', async t => {
  for (const [typed, answer] of [
    ['y\n', 'y'],
    ['', ''],
    ['\u0003', ''],
  ] as const) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const terminal = Object.assign(output, { isTTY: true });
    const asked = askOn(input, terminal)('Apply? [y/N] ');
    input.end(typed);
    t.equal(await asked, answer, JSON.stringify(typed));
  }
});
