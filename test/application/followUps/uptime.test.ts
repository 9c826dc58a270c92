import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { uptimeFile } from '../../../adapters/composition/openStores.js';
import { uptimeAfter, uptimeInMemory, type Uptime } from '../../../application/followUps/clock.js';

const at = (time: string): string => `2024-03-04T${time}.000Z`;
const signs = (...times: readonly string[]): Uptime | undefined =>
  times.reduce<Uptime | undefined>((before, time) => uptimeAfter(before, at(time)), undefined);

t.test('five minutes without a heartbeat are no outage, more are', async t => {
  t.strictSame(signs('06:00:00'), { aliveAt: at('06:00:00'), resumedAt: at('06:00:00') }, 'nothing is known');
  t.strictSame(signs('06:00:00', '06:01:00', '06:06:00'), {
    ...{ aliveAt: at('06:06:00'), resumedAt: at('06:00:00') },
  });
  t.strictSame(signs('06:00:00', '06:05:01', '06:06:00'), {
    ...{ aliveAt: at('06:06:00'), resumedAt: at('06:05:01') },
  });
});

t.test('a wall clock that was set back is an outage', async t => {
  t.equal(signs('06:00:00', '03:00:00')?.resumedAt, at('03:00:00'));
});

t.test('a record keeps the uptime', async t => {
  const file = join(t.testdir(), 'uptime.json');
  for (const record of [uptimeInMemory(), uptimeFile(file)]) {
    t.equal(record.read(), undefined);
    const uptime = { aliveAt: at('06:01:00'), resumedAt: at('06:00:00') };
    record.write(uptime);
    t.strictSame(record.read(), uptime);
    record.write({ ...uptime, aliveAt: at('06:02:00') });
    t.equal(record.read()?.aliveAt, at('06:02:00'));
  }
  t.match(JSON.parse(readFileSync(file, 'utf8')), { aliveAt: at('06:02:00') });
});

t.test('a damaged record is an unknown uptime', async t => {
  const file = join(t.testdir(), 'uptime.json');
  for (const text of ['', '{', 'null', '[]', '{"aliveAt":1}', '{"aliveAt":"soon","resumedAt":"later"}']) {
    writeFileSync(file, text);
    t.equal(uptimeFile(file).read(), undefined, text);
  }
  mkdirSync(`${file}.new`);
  t.throws(() => uptimeFile(file).write({ aliveAt: at('06:00:00'), resumedAt: at('06:00:00') }));
});
