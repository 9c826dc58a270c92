import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { tableFromIPC } from 'apache-arrow';
import { Database } from '../../../adapters/sqlite/driver.js';
import { sqliteStore } from '../../../adapters/sqlite/sqliteStore.js';
import { rowWriter } from '../../../adapters/tables.js';
import { dataTables } from '../../../application/requests/dataTables.js';
import { eventVersions } from '../../../domain/events.js';
import { id as idOf } from '../../helpers/data/samples.js';
import { mainFile, run } from '../../helpers/process.js';
import { repositoryRoot } from '../../helpers/repository.js';

const log = join(repositoryRoot(), 'test/fixtures/logs/0.1.0/events.db');
const dir = t.testdir({ data: {} });
copyFileSync(log, join(dir, 'data', 'events.sqlite'));

const exported = (...args: readonly string[]) => run(['export', '--log', 'data', ...args], {}, { cwd: dir });
/** A value of Arrow as the text formats write it: dates and instants are numbers there. */
const shown = (column: string, value: unknown): unknown =>
  typeof value !== 'number' || !/^date$|At$/.test(column)
    ? value
    : new Date(value).toISOString().slice(0, column === 'date' ? 10 : undefined);
const linesOf = (text: string): string[] => text.trimEnd().split('\n');

t.test('each table as CSV and as NDJSON has the same rows', async t => {
  for (const [name, table] of Object.entries(dataTables)) {
    const columns = Object.keys(table.columns);
    const csv = await exported('--as', name);
    const ndjson = await exported('--as', name, '--format', 'ndjson', '--source', '1');
    t.equal(csv.code, 0, csv.stderr);
    const [head, ...rows] = linesOf(csv.stdout);
    t.equal(head, columns.join(), name);
    const objects = linesOf(ndjson.stdout).map(line => JSON.parse(line) as Record<string, unknown>);
    t.strictSame(Object.keys(objects[0] ?? {}), columns);
    const ofSource = rows.filter(row => row.split(',')[columns.indexOf('sourceId')] === '1');
    t.equal(objects.length, ofSource.length, `${name}: ${rows.length} rows`);
    t.ok(ofSource.length > 0);
  }
});

t.test('days have a row for each slice', async t => {
  const { stdout } = await exported('--as', 'days', '--source', '1', '--format', 'ndjson');
  type Row = {
    readonly date: string;
    readonly kind: string;
    readonly slice: number;
    readonly minute: number;
  };
  const rows = linesOf(stdout).map(line => JSON.parse(line) as Row);
  const reference = rows.filter(({ kind }) => kind === 'reference');
  const dates = new Set(reference.map(({ date }) => date));
  t.equal(dates.size, 120, 'the reference days of the recorded log');
  const first = reference.filter(({ date }) => date === '2023-01-01');
  t.equal(reference.length, 120 * first.length);
  t.strictSame(
    first.map(({ slice }) => slice),
    first.map((_, index) => index),
  );
  t.strictSame(
    first.map(({ minute }) => minute),
    first.map((_, index) => (index * 1440) / first.length),
  );
});

t.test('a table as Arrow has the values and types of its columns', async t => {
  for (const name of ['checks', 'residuals']) {
    const args = ['export', '--log', 'data', '--as', name];
    const { stdout } = await promisify(execFile)(process.execPath, [mainFile, ...args, '--format', 'arrow'], {
      ...{ cwd: dir, encoding: 'buffer', maxBuffer: 1e8 },
    });
    const table = tableFromIPC(stdout);
    const lines = linesOf((await exported('--as', name, '--format', 'ndjson')).stdout);
    t.equal(table.numRows, lines.length, name);
    for (const at of [0, lines.length - 1]) {
      const row = table.get(at)?.toJSON() as Record<string, unknown>;
      t.strictSame(
        Object.entries(row).map(([column, value]) => shown(column, value)),
        Object.entries(JSON.parse(lines[at] ?? '') as object).map(([, value]) => value as unknown),
      );
    }
  }
});

t.test('residuals are values minus the profile of the planned model', async t => {
  const { stdout } = await exported('--as', 'residuals', '--source', '1', '--format', 'ndjson');
  type Row = Readonly<Record<'value' | 'residual' | 'normalisedResidual', number | null>> &
    Readonly<Record<'expected' | 'lower' | 'upper', number>>;
  const rows = linesOf(stdout).map(line => JSON.parse(line) as Row);
  let outside = 0;
  for (const { value, expected, lower, upper, residual, normalisedResidual } of rows) {
    if (value === null) {
      t.equal(residual, null);
      continue;
    }
    if (residual !== value - expected) t.fail(`got ${residual}, expected ${value - expected}`);
    if (normalisedResidual === null) continue;
    const isOutside = Math.abs(normalisedResidual) > 1 + 1e-9;
    if (isOutside && value >= lower && value <= upper) t.fail(`${value} is inside the bounds`);
    if (!isOutside && (value < lower - 1e-9 || value > upper + 1e-9))
      t.fail(`${value} is outside the bounds`);
    outside += isOutside ? 1 : 0;
  }
  t.ok(outside > 0 && outside < rows.length / 4, `${outside} of ${rows.length} values are outside`);
});

t.test('a gap has no value, and a field with separators is quoted', async t => {
  const { head, line } = rowWriter(dataTables.alerts, 'csv');
  t.strictSame(head, [Object.keys(dataTables.alerts.columns).join()]);
  t.equal(line(['a;b', 'c']), '"a;b",c', 'a spreadsheet may separate columns by semicolons');
  t.equal(line([1, null, 'a,b', 'say "no"', true]), '1,,"a,b","say ""no""",true');
});

t.test(
  'a text that a spreadsheet would run as a formula has an apostrophe before it, a number has not',
  async t => {
    const { line } = rowWriter(dataTables.alerts, 'csv');
    const texts = ['=1+1', '+1', '-2', '@SUM(A1)', '\t=1', '\uff1d1', '=HYPERLINK("http://x","y")'];
    t.equal(line(texts), `'=1+1,'+1,'-2,'@SUM(A1),'\t=1,'\uff1d1,"'=HYPERLINK(""http://x"",""y"")"`);
    t.equal(line(['\r=1', '\n=1']), `"'\r=1","'\n=1"`);
    t.equal(line([-1.5, 0, -1e-7, true, null, 'a=b', "'a", '', ' =1']), `-1.5,0,-1e-7,true,,a=b,'a,, =1`);
    t.equal(
      rowWriter({ columns: { name: 'text' } }, 'ndjson').line(['=1+1']),
      '{"name":"=1+1"}',
      'NDJSON as it is',
    );
  },
);

t.test('wrong options', async t => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['--as', 'weeks'], /--as: got "weeks", expected days or checks or alerts or models or residuals/],
    [['--as', 'days', '--format', 'xml'], /--format: got "xml", expected csv or ndjson or arrow/],
    [['--as', 'days', '--source', '0'], /--source: got "0"/],
    [['--as', 'days', '--source', '99'], /--source: got 99, but the log has no such source/],
    [['--as', 'days', '--since', '2023-01-01'], /--since: got it with --as/],
    [['--format', 'csv'], /--format: got it without --as/],
  ];
  for (const [args, message] of wrong) {
    const { code, stdout, stderr } = await exported(...args);
    t.equal(code, 2, args.join(' '));
    t.match(stderr, message);
    t.equal(stdout, '');
  }
});

t.test('a source that is parked is named instead of a table without its rows', async t => {
  const folder = t.testdir({});
  const file = join(folder, 'events.sqlite');
  copyFileSync(log, file);
  const store = sqliteStore(file);
  let revision = -1;
  for await (const event of store.read('source-1')) ({ revision } = event);
  const metadata = { by: 'someone', cause: idOf(1), correlation: idOf(1) };
  const broken = { id: idOf(4000), type: 'ModelsReset', v: eventVersions.ModelsReset, data: {} };
  await store.append('source-1', revision, [{ ...broken, metadata, at: '2026-01-01T00:00:00.000Z' }]);
  await store.close();
  const env = { DATA_DIR: folder };
  const { code, stdout, stderr } = await run(['export', '--as', 'days'], env);
  t.strictSame([code, stdout], [3, ''], stderr);
  const said = /^source-1 is parked: event \d+ \(ModelsReset\) cannot be applied: .+\n$/;
  t.match(stderr, said);
  t.equal((await run(['export', '--as', 'days', '--source', '2'], env)).code, 0);
  t.match(await run(['rebuild'], env), { code: 1, stderr: said });
  const replayed = await run(['replay', '--into', join(folder, 'then')], env);
  t.match(replayed, { code: 3, stdout: /are the same/, stderr: said });
});

t.test('a part of a log is refused', async t => {
  const part = await exported('--source', '1');
  writeFileSync(join(dir, 'part.ndjson'), part.stdout);
  t.ok(readFileSync(join(dir, 'part.ndjson'), 'utf8').startsWith('{"partOfLog"'));
  const { code, stderr } = await run(['export', '--as', 'days', '--log', 'part.ndjson'], {}, { cwd: dir });
  t.equal(code, 2);
  t.match(stderr, /^--log: line \d+ .*; expected a whole log/m);
});

t.test('a damaged log cannot be read, which is no wrong usage', async t => {
  const folder = t.testdir();
  copyFileSync(log, join(folder, 'events.sqlite'));
  const db = new Database(join(folder, 'events.sqlite'));
  const names = db.prepare<[], string>(`select name from sqlite_master where type = 'trigger'`).pluck().all();
  for (const name of names) db.exec(`drop trigger ${name}`);
  db.exec('pragma ignore_check_constraints = on');
  db.exec(`update events set data = substr(data, 2) where position = 3`);
  db.close();
  const ended = await run(['export', '--as', 'days'], { DATA_DIR: folder });
  t.match(ended, { code: 3, stdout: '', stderr: /line 3 .*; expected a whole log/ });
});
