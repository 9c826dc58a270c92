// `daybook pull` as a process, against a service and a server that answers like Prometheus: one feed.
import t from 'tap';
import { dateOf } from '../../../domain/dates.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { fakePrometheus } from '../../helpers/metrics/fakePrometheus.js';
import { argsOf, today, usual } from '../../helpers/metrics/hourlyFeed.js';
import { run } from '../../helpers/process.js';
import { startService } from '../../helpers/service.js';

const bare = { bare: true } as const;
const service = await startService(t);
const { call } = service;
const env = { DAYBOOK_URL: service.address(), DAYBOOK_TOKEN: await service.tokenFor({}) };

t.test('pull: a short history is the reference up to yesterday, today comes as points', async t => {
  const { url, asked } = await fakePrometheus(t, usual);
  const { code, stdout, stderr } = await run(argsOf(url, 'short'), env, bare);
  t.equal(code, 0, stderr);
  t.match(stdout, /^short: source \d+ created from 84 days, .* not finite left out$/m);
  t.match(stdout, /^1 feed, 0 failed$/m);
  const { body } = await call<{ sources: readonly SourceRecord[] }>('GET', '/v1/source/list?text=short');
  t.match(body.sources[0]?.reference, { from: dateOf(today - 85), to: dateOf(today - 1) });
  for (const { path, start, end, step, query } of asked) {
    t.match({ path, step, query }, { path: '/api/v1/query_range', step: 3600, query: 'power' });
    t.ok(start % 3600 === 0 && end < Date.now() / 1000);
  }
});

t.test('pull: wrong usage, a refused token, no service', async t => {
  const args = argsOf('http://127.0.0.1:1', 'usage');
  t.match(await run(['pull'], env, bare), { code: 2, stderr: /--prometheus: got none/ });
  t.match(await run(['pull', '--config', '/none/feeds.yaml'], env, bare), {
    code: 2,
    stderr: /cannot be read/,
  });
  t.match(await run([...args, '--config', 'a'], env, bare), { code: 2, stderr: /got --config and --/ });
  t.match(await run(args, {}, bare), { code: 2, stderr: /DAYBOOK_TOKEN: got none/ });
  t.match(await run(args, { ...env, DAYBOOK_URL: 'gate' }, bare), {
    code: 2,
    stderr: /DAYBOOK_URL: got "gate"/,
  });
  t.match(await run(args, { ...env, DAYBOOK_TOKEN: 'x' }, bare), {
    code: 2,
    stderr: /DAYBOOK_TOKEN is refused \(401\)/,
  });
});
