import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { decisionProgress, timeLeft, workOf, verifyLog } from '../../../adapters/cli/audit/verifyLog.js';
import { sourceFacts, sourceReader } from '../../../adapters/cli/auditReport/facts.js';
import { auditReportHtml } from '../../../adapters/cli/auditReport/html.js';
import { modelsSection, timelineSection } from '../../../adapters/cli/auditReport/sections.js';
import { keyFile } from '../../../adapters/privacy/keys.js';
import { Database } from '../../../adapters/sqlite/driver.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import { exportLine } from '../../../auditing/eventBytes.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { run } from '../../helpers/process.js';
import { partsOfReport } from '../../helpers/screens/reportPage.js';
import { repositoryRoot } from '../../helpers/repository.js';
import { listed } from '../../helpers/logs/storeContract.js';
import { exactList } from '../../helpers/exactList.js';

const recorded = (name: string): string => join(repositoryRoot(), 'test/fixtures/logs/0.1.0', name);
const sealedBy = [
  ...['--checkpoint', recorded('checkpoint.json'), '--public-key', recorded('audit-key.pub')],
  ...['--fingerprints', recorded('leaves.txt')],
];
const at = ['--at', '2026-11-22T12:00:00Z'];
const dir = t.testdir({ data: {} });
copyFileSync(recorded('events.db'), join(dir, 'data', 'events.sqlite'));
copyFileSync(recorded('people.db'), join(dir, 'data', 'people.sqlite'));

const report = async (...args: readonly string[]) => {
  const out = join(dir, 'report.html');
  writeFileSync(out, '');
  const ended = await run(['audit-report', '--out', out, ...args], {}, { cwd: dir });
  const page = readFileSync(out, 'utf8');
  return { ...ended, page, ...partsOfReport(page) };
};

t.test('a proved source', async t => {
  const proved = await report('--source', '1', '--log', 'data', ...sealedBy, ...at);
  const { code, html, page, figures, stdout, stderr } = proved;
  t.equal(code, 0, stderr);
  t.equal(proved.policy, proved.expectedPolicy, 'only the script of the report may run');
  t.strictSame(
    figures.map(({ kind }) => kind),
    ['spark', 'spark', 'spark'],
    'a profile for each model',
  );
  t.match(stdout, /report\.html\n$/);
  t.match(stderr, /Verdict: proved/);
  for (const words of [
    /<h1>Library<\/h1>/,
    /Report of 2026-11-22 12:00 UTC/,
    /63 of 63 events are proved by the checkpoint of .*, which the auditor trusts/,
    /26 decisions reproduced with /,
    /imported 120 reference days, 2023-01-01 to 2023-04-30/,
    /resolved alert 1-20240101-1 as anomaly: \(sealed text\)/,
    /person 1 \(key [0-9a-f]{8}…\)/,
    /planned 2024-01-15 to follow model 2/,
    /<h3>Version 2, in force<\/h3>/,
    /1-20240205-1/,
    /<h3>Auditor<\/h3>/,
  ])
    t.match(html, words);
  for (const name of ['checkpoint.json', 'audit-key.pub', 'leaves.txt'])
    t.match(
      html,
      createHash('sha256')
        .update(readFileSync(recorded(name)))
        .digest('hex'),
      name,
    );
  const sha256 = createHash('sha256')
    .update(readFileSync(recorded('events.ndjson')))
    .digest('hex');
  t.match(html, sha256, 'the SHA-256 of the export, also for a file of the store');
  t.notMatch(page, /sealed:1:/, 'no ciphertext');
  t.notMatch(html, /<script|https?:\/\//, 'no external resources');

  const again = await report('--source', '1', '--log', 'data', ...sealedBy, ...at);
  t.equal(again.page, page, 'the same inputs at the same time give the same bytes');
});

t.test('a report without proof states what is missing', async t => {
  const open = await report('--source', '1', '--log', recorded('events.ndjson'), ...at);
  t.equal(open.code, 3);
  t.match(open.html, /<b>Not proved<\/b><p>No problem was found, but not proved: no checkpoint was given/);
  t.match(open.html, /0 of 63 events are proved/);
  const lines = readFileSync(recorded('events.ndjson'), 'utf8').split('\n');
  const forged = lines.map(line =>
    line.includes('"AlertResolved"') ? line.replace('expected', 'anomaly') : line,
  );
  writeFileSync(join(dir, 'forged.ndjson'), forged.join('\n'));
  const found = await report('--source', '1', '--log', 'forged.ndjson', ...sealedBy, ...at);
  t.equal(found.code, 1);
  t.match(found.html, /<b>Problems found<\/b>/);
  t.match(found.html, /<li>event 17 \(alerts-1 revision \d+, .*<\/li>/);
});

t.test('the dossier of an alert', async t => {
  const { code, html, figures, stderr } = await report(
    '--names',
    '--alert',
    '1-20240110-1',
    '--log',
    'data',
    ...sealedBy,
    ...at,
  );
  t.equal(code, 0, stderr);
  for (const words of [
    /<h1>Alert 1-20240110-1<\/h1>/,
    /<dd>Wed 2024-01-10<\/dd>/,
    /<p>Wed 2024-01-10: mean \d.*, expected \d.*<\/p>/,
    /checked the day/,
    /brought the day/,
    /raised the alert/,
    /<h2>Later events<\/h2>/,
    /reopened alert 1-20240110-1/,
    /<span>“alice”<\/span>/,
  ])
    t.match(html, words);
  t.match(figures, exactList({ kind: 'day', day: { date: '2024-01-10' } }));
  t.notMatch(html, /<h2>Models<\/h2>|person 1|sealed text/);
});

t.test('wrong usage', async t => {
  for (const [code, ...args] of [
    [2],
    [2, '--source', '1', '--alert', '1-20240110-1'],
    [2, '--source', 'x'],
    [2, '--source', '9', '--log', 'data'],
    [2, '--alert', '1', '--log', 'data'],
    [2, '--alert', '1-20240110-9', '--log', 'data'],
    [2, '--source', '1', '--log', 'nowhere'],
    [2, '--source', '1', '--log', 'data', '--at', 'today'],
    [2, '--source', '1', '--log', 'data', '--to-checkpoint'],
    [2, '--source', '1', '--log', recorded('events.ndjson'), '--names'],
    [3, '--source', '1', '--log', 'part'],
  ] as const) {
    writeFileSync(join(dir, 'part'), '{"partOfLog":{"sourceId":1}}\n');
    const ended = await report(...args);
    t.equal(ended.code, code, `${args.join(' ')}: ${ended.stderr}`);
    t.equal(ended.page, '', 'nothing is written');
  }
  for (const [option, id, refusal] of [
    ['--source', '9', '--source: got 9, but the log has no such source\n'],
    ['--alert', '1-20240110-9', '--alert: got "1-20240110-9", but the log has no such alert\n'],
  ] as const)
    t.equal((await report(option, id, '--log', 'data')).stderr, refusal, 'before the verification');
  for (const out of ['nowhere/report.html', 'data']) {
    const args = ['audit-report', '--source', '1', '--log', 'data', '--out', out];
    const { code, stderr } = await run(args, {}, { cwd: dir });
    t.equal(code, 2, out);
    t.equal(
      stderr,
      `--out: got "${out}", expected a file in a folder that exists\n`,
      'before the verification',
    );
  }
  t.equal((await run(['audit-report', '--source', '1', '--log', 'data'], {}, { cwd: dir })).code, 2);
});

t.test('a damaged key ends the report, which would show its person as erased', async t => {
  const data = join(t.testdir(), 'data');
  cpSync(join(dir, 'data'), data, { recursive: true });
  const file = join(data, 'people.sqlite');
  keyFile(file).close();
  const db = new Database(file);
  db.exec(`update person_keys set secret = cast(x'00' || substr(secret, 2) as blob)`);
  db.close();
  const ended = await report('--source', '1', '--log', data, '--names', ...sealedBy, ...at);
  t.equal(ended.code, 3);
  t.match(ended.stderr, /people\.sqlite has a damaged key of a person: restore it/);
  t.equal(ended.page.length, 0);
});

t.test('names without keys are refused before the log is read', async t => {
  const ended = await report('--source', '9', '--log', recorded('events.ndjson'), '--names');
  t.match(ended, { code: 2, stderr: /^--names: expected a data folder with people\.sqlite/ });
});

t.test('names with HTML are escaped', async t => {
  const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(2)>\u202e';
  const store = memoryStore();
  const events = readFileSync(recorded('events.ndjson'), 'utf8').trim().split('\n');
  for (const line of events) {
    const { stream, hash: _, ...event } = JSON.parse(line) as Parameters<typeof exportLine>[0];
    const text = JSON.stringify(event)
      .replaceAll('"name":"Library"', JSON.stringify({ name: hostile, unit: hostile }).slice(1, -1))
      .replaceAll('"Monday–Friday"', JSON.stringify(hostile))
      .replaceAll('"Open day"', JSON.stringify(hostile))
      .replaceAll('#0072B2', 'red;background:url(x)')
      .replaceAll(/sealed:1:[\w:-]+/g, JSON.stringify(hostile).slice(1, -1));
    const revision = (event as { revision: number }).revision;
    await store.append(stream, revision === 0 ? 'absent' : revision - 1, [JSON.parse(text) as never]);
  }
  const lines = (await listed(store.all(0n))).map(exportLine);
  writeFileSync(join(dir, 'hostile.ndjson'), lines.map(line => `${line}\n`).join(''));
  const { reader, read } = sourceReader(1);
  const input = { kind: 'export', file: join(dir, 'hostile.ndjson') } as const;
  const verification = { input, env: {}, checkpoints: [], fingerprintsFile: undefined, toCheckpoint: false };
  const verified = await verifyLog(verification, undefined, [reader]);
  const { sha256: _, events: ofSource, ...ofLog } = read();
  for (const alertId of [undefined, '1-20240110-1']) {
    const facts = await sourceFacts(ofSource, 1, alertId);
    const inputs = [{ role: 'log', name: hostile, sha256: '' }];
    const page = auditReportHtml({ at: ofLog.last, inputs, report: verified, ...ofLog, ...facts });
    const { html, scripts, figures } = partsOfReport(page);
    t.equal(scripts.length, 1);
    t.ok(figures.length > 0);
    t.match(html, /&lt;script&gt;alert\(1\)/);
    t.match(html, /[Mm]ean [\d.]+ &lt;script&gt;/, 'numbers with a unit');
    t.notMatch(html, /<script|<img|url\(/);
    t.notMatch(page, /<script>alert|\u202e/);
  }
});

t.test('progress of repeated decisions', async t => {
  t.equal(workOf('{"type":"ModelsReset","v":3}'), 'analysis');
  t.equal(workOf(Buffer.from('{"data":{"type":"ModelsReset","v":3},"type":"DaysChecked","v":1}')), 'other');
  const total = { analysis: 2, other: 100 };
  t.equal(timeLeft(total, { analysis: 0, other: 50 }, { analysis: 0, other: 500 }), undefined);
  t.equal(timeLeft(total, { analysis: 1, other: 50 }, { analysis: 3000, other: 500 }), 3500);
  t.equal(timeLeft(total, total, { analysis: 1, other: 1 }), 0);
  let [now, text] = [0, ''];
  const output = { isTTY: true, write: (more: string) => void (text = more) };
  const progress = decisionProgress({ analysis: 1, other: 3 }, output, () => now);
  for (const [ms, work] of [
    [100, 'other'],
    [1000, 'analysis'],
    [100, 'other'],
    [100, 'other'],
  ] as const) {
    now += ms;
    progress.took(work);
  }
  t.match(text, /decisions .* 100 % {2}4 of 4 events, about 0 ms left/);
});

t.test('all decisions of people are shown, and points that came between two of them are one row', t => {
  const dateAt = (n: number): string => dateOf(dayNumber('2024-01-01') + n);
  const eventOf = (n: number, type: string, data: object) =>
    ({
      type,
      data,
      position: BigInt(n),
      at: `${dateAt(n)}T00:00:00.000Z`,
      metadata: { by: 'anna' },
    }) as never;
  const points = (n: number) =>
    eventOf(n, 'PointsImported', { importId: 'points', points: 2, days: [{ date: dateAt(n) }] });
  const count = 520;
  const events = Array.from({ length: count }, (_, n) => [
    points(4 * n),
    points(4 * n + 1),
    eventOf(4 * n + 2, 'DaysImported', { importId: `${n}`, kind: 'recent', days: [{ date: dateAt(n) }] }),
    eventOf(4 * n + 3, 'DayPlanCleared', { date: dateAt(n) }),
  ]).flat();
  const facts = { events, calendar: [] } as never;
  const page = timelineSection({ facts, nameOf: by => by });
  t.match(page, 'sent 4 points of 2 days, 2024-01-01 to 2024-01-02');
  t.match(page, 'imported 1 recent day, 2024-01-01 to 2024-01-01');
  t.equal(page.match(/sent 4 points/g)?.length, count, 'a row for both');
  t.match(page, `cleared the planning of ${dateAt(count - 1)}`);
  t.end();
});

t.test('decisions about rules for labels are shown where the source followed them', async t => {
  const rule = (ruleId: string, dates: readonly string[]) => ({ ruleId, name: `Holidays ${ruleId}`, dates });
  const log: readonly (readonly [stream: string, revision: number, type: string, data: object])[] = [
    ['source-1', 0, 'DayPlanCleared', { date: '2024-01-01' }],
    ['calendar-default', 0, 'CalendarRuleSaved', { rule: rule('a', ['2024-01-02']) }],
    ['calendar-default', 1, 'CalendarRuleSaved', { rule: rule('b', ['2024-01-02']) }],
    ['calendar-default', 2, 'CalendarRuleSaved', { rule: rule('a', ['2024-01-02', '2024-01-03']) }],
    ['source-1', 1, 'CalendarRuleApplied', { rule: rule('a', ['2024-01-02', '2024-01-03']), followed: 2 }],
    ['calendar-default', 3, 'CalendarRuleDeleted', { ruleId: 'b' }],
    ['calendar-default', 4, 'CalendarRuleDeleted', { ruleId: 'a' }],
    ['source-1', 2, 'CalendarRuleWithdrawn', { ruleId: 'a', followed: 4 }],
    ['source-1', 3, 'CalendarRuleApplied', { rule: rule('own', ['2024-01-05']) }],
  ];
  const { reader, read } = sourceReader(1);
  for (const [n, [stream, revision, type, data]] of log.entries()) {
    const by = 'followed' in data ? 'reactor' : 'anna';
    const metadata = { by, cause: 'none', correlation: 'none' };
    const event = {
      id: `${n}`,
      stream,
      revision,
      type,
      v: 1,
      data,
      metadata,
      at: '2024-01-01T00:00:00.000Z',
    };
    await reader(Buffer.from(''), event as never, n + 1);
  }
  const { events, calendar } = read();
  const page = timelineSection({ facts: { events, calendar } as never, nameOf: by => by });
  const rows = [...page.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
  );
  t.strictSame(
    rows.filter(({ length }) => length > 0).map(([, ...cells]) => cells),
    [
      ['anna', 'cleared the planning of 2024-01-01', '1'],
      ['anna', 'named 2 dates “Holidays a” by a rule for sources with its labels', '4'],
      ['anna', 'deleted the rule “Holidays a” for sources with its labels', '7'],
      ['anna', 'named 1 date “Holidays own” by a rule', '9'],
    ],
  );
});

t.test('models are shown as they are, with every version and who made it', t => {
  const model = (id: number, name: string) => ({
    ...{ id, name, color: '#0072B2', anomaly: false, days: 10 },
    ...{
      activity: [1, 2],
      bottomTolerance: [0, 1],
      topTolerance: [2, 3],
    },
  });
  const models = [model(1, 'Open'), model(2, 'Closed')];
  const engine = 'typical-days/14';
  const data: readonly (readonly [type: string, data: object, by?: string])[] = [
    ['ModelsReset', { modelsVersion: 1, engine, models }, 'reactor'],
    ['ModelsReset', { modelsVersion: 2, engine, models, edited: { modelsVersion: 1, from: [1, 2] } }],
    ['ModelAnomalyChanged', { modelsVersion: 3, engine, modelId: 2, anomaly: true }],
    ['ModelDescribed', { modelId: 1, name: 'Working day', color: '#0072B2' }],
    ['ModelsReset', { modelsVersion: 4, engine, models, restoredFrom: 1 }],
    [
      'ModelAnomalyChanged',
      {
        modelsVersion: 5,
        engine,
        modelId: 2,
        anomaly: true,
        assignments: [{ date: '2023-01-01', modelId: 2 }],
      },
    ],
    ['ModelDescribed', { modelId: 2, name: 'Fault', color: '#0072B2' }],
  ];
  const events = data.map(([type, of, by = 'anna'], n) => ({
    ...{ type, data: of, position: BigInt(n + 1), at: '2024-01-01T00:00:00.000Z', id: `${n}` },
    metadata: { by, cause: 'none' },
  }));
  const page = { facts: { events, calendar: [], source: {} } as never, nameOf: (by: string) => by };
  const rows = [...modelsSection(page).matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
  );
  const shown = rows.filter(({ length }) => length > 0);
  t.strictSame(
    shown.slice(0, 5).map(([version, , origin, by]) => [version, origin, by]),
    [
      ['1', `learned by ${engine}`, 'reactor'],
      ['2', 'edited by a person, from version 1', 'anna'],
      ['3', 'model 2 marked as an anomaly', 'anna'],
      ['4', 'restored from version 1', 'anna'],
      ['5', 'model 2 marked as an anomaly', 'anna'],
    ],
  );
  t.match(modelsSection(page), '<h3>Version 5, in force</h3>');
  t.strictSame(
    shown.slice(5).map(cells => [cells[1], cells.at(-2), cells.at(-1)]),
    [
      ['Open', '0', 'no'],
      ['Fault', '1', 'yes'],
    ],
  );
  const timeline = timelineSection(page);
  for (const words of ['edited the models of version 1', 'restored the models of version 1'])
    t.match(timeline, words);
  t.notMatch(timeline, /learned|models reset/);
  t.end();
});

t.test('decisions after the last checkpoint are not asked about with --to-checkpoint', async t => {
  const lines = readFileSync(recorded('events.ndjson'), 'utf8').trim().split('\n');
  const last = lines.findLastIndex(line => line.includes('"type":"DaysChecked"'));
  const other = lines.with(
    last,
    (lines[last] ?? '').replace('"engine":"daybook-calendar/2"', '"engine":"daybook-calendar/9999"'),
  );
  const file = join(dir, 'other.ndjson');
  writeFileSync(file, other.map(line => `${line}\n`).join(''));
  const decisionsOf = async (size: number, toCheckpoint: boolean) => {
    const checkpoint = { size, root: '', at: '2024-01-01T00:00:00.000Z' };
    const checkpoints = [{ checkpoint, trust: 'none' }] as never;
    const of = { input: { kind: 'export', file } as const, env: {}, fingerprintsFile: undefined };
    return (await verifyLog({ ...of, checkpoints, toCheckpoint }, () => true)).decisions;
  };
  t.match(await decisionsOf(last, false), { undecided: 3 });
  const asked = await decisionsOf(last, true);
  t.match(asked, { undecided: 0, findingCount: 0 });
  t.ok((asked?.proved ?? 0) > 0);
});

t.test('the dossier of a source that others explain has no usual range, which needs their days', async t => {
  const { reader, read } = sourceReader(1);
  const lines = readFileSync(recorded('events.ndjson'), 'utf8').trim().split('\n');
  for (const [n, line] of lines.entries()) await reader(line, JSON.parse(line) as never, n + 1);
  const { events } = read();
  const explained = events.map(event => {
    const data = event.data as { readonly checks?: object };
    const checks = { ...data.checks, covariates: [{ sourceId: 2 }] };
    return event.type === 'ModelsReset' ? { ...event, data: { ...data, checks } } : event;
  });
  t.ok((await sourceFacts(events, 1, '1-20240110-1')).dossier?.usual);
  t.equal((await sourceFacts(explained, 1, '1-20240110-1')).dossier?.usual, null);
});
