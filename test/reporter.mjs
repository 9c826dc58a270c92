// Passes tap's own output through and ends with one line for people and CI: what passed and what failed.
// Tap's closing line leaves out a file that a signal ended after its tests had passed: its own line counts it.
import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const decoder = new StringDecoder('utf8');
let unfinished = '';
let totals;
let failedFiles = 0;

const read = line => {
  if (line.startsWith('not ok ')) failedFiles += 1;
  const found = /^# \{ total: (\d+)(.*)\}/.exec(line);
  if (!found) return;
  const count = name => Number(new RegExp(`${name}: (\\d+)`).exec(found[2])?.[1] ?? 0);
  const [failed, skipped, todo] = [count('fail'), count('skip'), count('todo')];
  const passed = found[2].includes('pass:') ? count('pass') : Number(found[1]) - failed - skipped - todo;
  totals = { passed, failed, skipped };
};

export default class Reporter extends Transform {
  _transform(chunk, _encoding, done) {
    const lines = (unfinished + decoder.write(chunk)).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) read(line);
    done(null, chunk);
  }
  _flush(done) {
    read(unfinished);
    const { passed, failed, skipped } = totals ?? { passed: 0, failed: 1, skipped: 0 };
    this.push(`\n${passed} passed, ${Math.max(failed, failedFiles)} failed, ${skipped} skipped\n`);
    done();
  }
}
