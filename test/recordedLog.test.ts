import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { alertStates } from '../domain/alerts/alertsState.js';
import { launch } from './helpers/process.js';
import { repositoryRoot } from './helpers/repository.js';
import { idle, startService } from './helpers/service.js';

// Logs in test/fixtures/logs, each written by the version of its folder; their READMEs describe them.

const logs = join(repositoryRoot(), 'test/fixtures/logs');

/** Events of each log, and its decisions that can be made again. */
const versions: Readonly<Record<string, { readonly events: number; readonly proved: number }>> = {
  '0.1.0': { events: 63, proved: 38 },
  '0.2.0-dev': { events: 238, proved: 170 },
};

/** Files of the log of a version. */
const filesOf =
  (version: string) =>
  (name: string): string =>
    join(logs, version, name);

type Recorded = ReturnType<typeof filesOf>;

/** A data folder with the recorded log; not `t.testdir()`, which starting the service would empty. */
const folderOf = (t: Test, recorded: Recorded): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-recorded-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  copyFileSync(recorded('events.db'), join(folder, 'events.sqlite'));
  copyFileSync(recorded('people.db'), join(folder, 'people.sqlite'));
  return folder;
};

const verifies = async (t: Test, version: string): Promise<void> => {
  const recorded = filesOf(version);
  const { exit, stdout, stderr } = launch(
    [
      ...['verify', '--log', folderOf(t, recorded), '--decisions', '--json'],
      ...['--checkpoint', recorded('checkpoint.json'), '--public-key', recorded('audit-key.pub')],
      ...['--fingerprints', recorded('leaves.txt')],
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
  t.equal(found.events, versions[version]?.events);
  t.equal(found.uncovered, 0);
  t.strictSame(found.findings, []);
  t.equal(found.decisions.proved, versions[version]?.proved);
  t.equal(found.decisions.undecided, 0);
  t.strictSame(found.decisions.findings, []);
};

const exports = async (t: Test, recorded: Recorded): Promise<void> => {
  const { exit, stdout, stderr } = launch(['export', '--log', folderOf(t, recorded)], {});
  t.strictSame(await exit, { code: 0, signal: null }, stderr());
  t.equal(stdout(), readFileSync(recorded('events.ndjson'), 'utf8'));
};

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

const answers = async (t: Test, version: string): Promise<void> => {
  const recorded = filesOf(version);
  const isFirst = version === '0.1.0';
  const DATA_DIR = folderOf(t, recorded);
  const rebuilt = launch(['rebuild'], { DATA_DIR });
  t.strictSame(await rebuilt.exit, { code: 0, signal: null }, rebuilt.stderr());
  const { call } = await startService(t, { DATA_DIR, EVENT_STORE: 'sqlite' });
  await idle(call);
  const { answers, planning = [] } = JSON.parse(readFileSync(recorded('answers.json'), 'utf8')) as {
    answers: Record<string, unknown>;
    planning?: string[];
  };
  for (const [path, expected] of Object.entries(answers)) {
    // Version 0.1.0 listed invalidated alerts by default.
    const all = path.startsWith('/v1/alert/list?') ? `&state=${alertStates.join(',')}` : '';
    const { status, body } = await call('GET', `${path}${all}`);
    t.equal(status, 200, path);
    const wanted = isFirst ? withPresentNames(expected) : expected;
    t.strictSame(asRecorded(body, wanted), wanted, path);
  }
  if (planning.length === 0) return;
  type Planned = { readonly date: string; readonly modelId: number | null; readonly origin: string };
  const { body } = await call<{ days: readonly Planned[] }>('GET', '/v1/planning/list/1/2024');
  t.strictSame(
    body.days.map(({ date, modelId, origin }) => `${date} ${modelId} ${origin}`),
    planning,
  );
};

t.test('each folder of logs is tested', async t => {
  t.strictSame(readdirSync(logs).sort(), Object.keys(versions));
});

for (const version of Object.keys(versions)) {
  t.test(`${version}: verifies, and its decisions are reproduced`, t => verifies(t, version));
  t.test(`${version}: the export has the same bytes`, t => exports(t, filesOf(version)));
  t.test(`${version}: opens, is rebuilt, and the API gives the recorded answers`, t => answers(t, version));
}
