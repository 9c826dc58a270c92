import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { exportOf, inputOf } from '../../../adapters/cli/audit/logInput.js';
import { readHistory } from '../../../adapters/cli/tune/history.js';
import { readOptions } from '../../../adapters/cli/tune/options.js';
import { Database } from '../../../adapters/sqlite/driver.js';

/** The lines of a log, or its refusal. */
const readingOf = async (path: string): Promise<readonly string[] | string> => {
  try {
    const lines: string[] = [];
    for await (const line of exportOf(inputOf(path, {}), {})) lines.push(line.toString());
    return lines;
  } catch (error) {
    return (error as Error).message.replaceAll(/\S*\//g, '');
  }
};

t.test('a log on the command line: what is no log is named', async t => {
  const dir = t.testdir({
    none: {},
    text: { 'events.sqlite': 'hello\n' },
    empty: { 'events.sqlite': '' },
    other: {},
    cut: {},
    'notes.txt': 'hello\n',
    'other.json': '{"a":1}\n',
    'picture.png': '\u0000\u0001',
    'changed.ndjson': '_"at":"1"}\n{"at":"2"}\n',
    'part.ndjson': '{"partOfLog":{"sourceId":1}}\n',
    'nothing.ndjson': '',
  });
  new Database(join(dir, 'other', 'events.sqlite')).exec('create table notes (text)').close();
  new Database(join(dir, 'cut', 'whole.sqlite'))
    .exec('create table events (id); create table more (id); create table most (id)')
    .close();
  const whole = readFileSync(join(dir, 'cut', 'whole.sqlite'));
  writeFileSync(join(dir, 'cut', 'events.sqlite'), whole.subarray(0, 4096));
  const log = 'a data folder, its events.sqlite, or a file of "daybook export"';
  for (const [name, said] of [
    ['none', 'there is no log events.sqlite'],
    ['missing', 'there is no log missing'],
    ['text', 'events.sqlite: got a file that is no SQLite database, expected the database of a log'],
    ['empty', 'events.sqlite: got an empty file, expected the database of a log'],
    ['other', 'events.sqlite: got another SQLite database, expected the database of a log'],
    ['notes.txt', `notes.txt: got a text, expected a log: ${log}`],
    ['other.json', `other.json: got a text, expected a log: ${log}`],
    ['picture.png', `picture.png: got a file of another program, expected a log: ${log}`],
  ] as const)
    t.equal(await readingOf(join(dir, name)), said, name);
  t.match(
    await readingOf(join(dir, 'cut')),
    /^events\.sqlite: got a damaged or cut database \(SQLITE_CORRUPT\), .*; restore it from a backup$/,
  );
  const lines = ['_"at":"1"}', '{"at":"2"}'];
  t.strictSame(await readingOf(join(dir, 'changed.ndjson')), lines, 'a changed line is for the verification');
  t.strictSame(await readingOf(join(dir, 'part.ndjson')), ['{"partOfLog":{"sourceId":1}}']);
  t.strictSame(await readingOf(join(dir, 'nothing.ndjson')), [], 'a log without events has an empty export');
});

t.test('without --log a command reads the log that the service uses, not an older file in its folder', t => {
  const dir = t.testdir({ 'events.sqlite': '' });
  const env = { DATA_DIR: dir, EVENTSTOREDB_URL: 'esdb://localhost:2113?tls=false' };
  const file = join(dir, 'events.sqlite');
  const tuned = (settings: NodeJS.ProcessEnv) => readOptions(['--source', '1'], settings).from;
  t.strictSame(inputOf(undefined, { DATA_DIR: dir }), { kind: 'sqlite', file });
  t.match(tuned({ DATA_DIR: dir }), { folder: file });
  const moved = { ...env, EVENT_STORE: 'eventstoredb' };
  t.strictSame(inputOf(undefined, moved), { kind: 'eventstoredb' });
  t.match(tuned(moved), { folder: 'eventstoredb' });
  t.throws(
    () => readHistory('eventstoredb', 1),
    /got eventstoredb, expected a data folder; daybook copy-log/,
  );
  for (const [settings, said] of [
    [{ ...env, EVENT_STORE: 'evenstoredb' }, /^EVENTSTOREDB_URL: set without EVENT_STORE=eventstoredb/],
    [{ DATA_DIR: dir, EVENT_STORE: 'evenstoredb' }, /^EVENT_STORE: got "evenstoredb", expected sqlite/],
    [{ DATA_DIR: dir, EVENT_STORE: 'memory' }, /^EVENT_STORE: memory has no log on disk/],
  ] as const) {
    t.throws(() => inputOf(undefined, settings), { name: 'SettingsError', message: said });
    t.throws(() => tuned(settings), { name: 'SettingsError', message: said });
  }
  t.end();
});
