import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { alertStates } from '../domain/alerts/alertsState.js';
import { launch } from './helpers/process.js';
import { repositoryRoot } from './helpers/repository.js';
import { idle, startService } from './helpers/service.js';

// The log in test/fixtures/logs/0.1.0, written by that version; its README describes it.

const recorded = (name: string): string => join(repositoryRoot(), 'test/fixtures/logs/0.1.0', name);

/** A data folder with the recorded log; not `t.testdir()`, which starting the service would empty. */
const folderOf = (t: Test): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-recorded-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  copyFileSync(recorded('events.db'), join(folder, 'events.sqlite'));
  copyFileSync(recorded('people.db'), join(folder, 'people.sqlite'));
  return folder;
};

t.test('recorded log: verifies, and its decisions are reproduced', async t => {
  const { exit, stdout, stderr } = launch(
    [
      ...[
        'verify',
        '--log',
        folderOf(t),
        '--decisions',
        '--json',
        '--checkpoint',
        recorded('checkpoint.json'),
      ],
      ...['--public-key', recorded('audit-key.pub'), '--fingerprints', recorded('leaves.txt')],
    ],
    {},
  );
  t.strictSame(await exit, { code: 0, signal: null }, stderr());
  const found = JSON.parse(stdout()) as {
    events: number;
    uncovered: number;
    findings: unknown[];
    decisions: { proved: number; undecided: number; findings: unknown[] };
  };
  t.equal(found.events, 63);
  t.equal(found.uncovered, 0);
  t.strictSame(found.findings, []);
  t.equal(found.decisions.proved, 38);
  t.equal(found.decisions.undecided, 0);
  t.strictSame(found.decisions.findings, []);
});

t.test('recorded log: the export has the same bytes', async t => {
  const { exit, stdout, stderr } = launch(['export', '--log', folderOf(t)], {});
  t.strictSame(await exit, { code: 0, signal: null }, stderr());
  t.equal(stdout(), readFileSync(recorded('events.ndjson'), 'utf8'));
});

/** Present names of the fields of bounds, by their names in 0.1.0. */
const renamed: Readonly<Record<string, string>> = {
  target: 'targetCoverage',
  guaranteedLevel: 'guaranteedCoverage',
  measuredLevel: 'measuredCoverage',
  power: 'minimumDetectableChange',
};

/** A recorded answer with present field names, and the time zone of sources of 0.1.0. */
const withPresentNames = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('interpolationMethod' in value) return { ...value, timeZone: 'UTC' };
    return key === 'bounds'
      ? Object.fromEntries(
          Object.entries(value).map(([name, field]) => [renamed[name] ?? name, field as unknown]),
        )
      : value;
  });

/** An answer without fields that later versions added. */
const asRecorded = (answer: unknown, recorded: unknown): unknown => {
  if (typeof answer !== 'object' || answer === null || typeof recorded !== 'object' || recorded === null)
    return answer;
  if (Array.isArray(answer) && Array.isArray(recorded))
    return answer.map((one: unknown, index) => asRecorded(one, recorded[index]));
  return Object.fromEntries(
    Object.entries(answer)
      .filter(([name]) => name in recorded)
      .map(([name, value]) => [name, asRecorded(value, (recorded as Record<string, unknown>)[name])]),
  );
};

t.test('recorded log: the API gives the recorded answers', async t => {
  const { call } = await startService(t, { DATA_DIR: folderOf(t), EVENT_STORE: 'sqlite' });
  await idle(call);
  const { answers, planning } = JSON.parse(readFileSync(recorded('answers.json'), 'utf8')) as {
    answers: Record<string, unknown>;
    planning: string[];
  };
  for (const [path, expected] of Object.entries(answers)) {
    // Version 0.1.0 listed invalidated alerts by default.
    const all = path.startsWith('/v1/alert/list') ? `&state=${alertStates.join(',')}` : '';
    const { status, body } = await call('GET', `${path}${all}`);
    t.equal(status, 200, path);
    const wanted = withPresentNames(expected);
    t.strictSame(asRecorded(body, wanted), wanted, path);
  }
  type Planned = { readonly date: string; readonly modelId: number | null; readonly origin: string };
  const { body } = await call<{ days: readonly Planned[] }>('GET', '/v1/planning/list/1/2024');
  t.strictSame(
    body.days.map(({ date, modelId, origin }) => `${date} ${modelId} ${origin}`),
    planning,
  );
});
