// `daybook pull` as a process, against a service and a server that answers like Prometheus: one feed.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { daybookAt } from '../../../adapters/cli/pull/daybook.js';
import { dateOf } from '../../../domain/dates.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import { fakePrometheus } from '../../helpers/metrics/fakePrometheus.js';
import { argsOf, today, usual } from '../../helpers/metrics/hourlyFeed.js';
import { run } from '../../helpers/process.js';
import { startService } from '../../helpers/service.js';

const service = await startService(t);
const { call } = service;
const env = { DAYBOOK_URL: service.address(), DAYBOOK_TOKEN: await service.tokenFor({}) };

t.test('pull: a short history is the reference up to yesterday, today comes as points', async t => {
  const { url, asked } = await fakePrometheus(t, usual);
  const { code, stdout, stderr } = await run(argsOf(url, 'short'), env);
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
  t.match(await run(['pull'], env), { code: 2, stderr: /--prometheus: got none/ });
  t.match(await run(['pull', '--config', '/none/feeds.yaml'], env), {
    code: 2,
    stderr: /cannot be read/,
  });
  t.match(await run([...args, '--config', 'a'], env), { code: 2, stderr: /got --config and --/ });
  t.match(await run(args, {}), { code: 2, stderr: /DAYBOOK_TOKEN: got none/ });
  t.match(await run(args, { ...env, DAYBOOK_URL: 'gate' }), {
    code: 2,
    stderr: /DAYBOOK_URL: got "gate"/,
  });
  for (const address of ['http://anna:secret@127.0.0.1:1', 'anna:secret@127.0.0.1']) {
    const { code, stderr } = await run(args, { ...env, DAYBOOK_URL: address });
    t.match({ code, stderr }, { code: 2, stderr: /DAYBOOK_URL: got credentials/ });
    t.notMatch(stderr, /secret/);
  }
  t.match(await run(args, { ...env, DAYBOOK_TOKEN: 'x' }), {
    code: 2,
    stderr: /DAYBOOK_TOKEN is refused \(401\)/,
  });
});

t.test('pull --follow: ends when the service refuses the token', async t => {
  const { url } = await fakePrometheus(t, usual);
  const feeds = ['one', 'other'].map(name => `{ url: "${url}", query: power, name: ${name} }`);
  const file = join(t.testdir({ 'feeds.yaml': `feeds: [${feeds.join(', ')}]` }), 'feeds.yaml');
  const refused = run(['pull', '--config', file, '--follow'], { ...env, DAYBOOK_TOKEN: 'x' });
  t.match(await refused, {
    code: 2,
    stdout: '',
    stderr: /^(one|other): DAYBOOK_TOKEN is refused \(401\).*\n--follow ends: .*\n$/,
  });
});

t.test('pull: an archived source stays archived, and none of its name is created', async t => {
  const { url } = await fakePrometheus(t, usual);
  const idOf = async (name: string): Promise<number> => {
    const list = await call<{ sources: readonly SourceRecord[] }>('GET', `/v1/source/list?text=${name}`);
    return list.body.sources[0]?.id ?? 0;
  };
  await run(argsOf(url, 'leaving'), env);
  const id = await idOf('leaving');
  await call('DELETE', `/v1/source/${id}`);
  t.match(await run(argsOf(url, 'leaving'), env), {
    code: 1,
    stderr: new RegExp(`^leaving: source ${id} "leaving" is archived: restore it`, 'm'),
  });
  t.equal(await idOf('leaving'), 0, 'no source is created');
});

/** A service whose answers to a path are those of a test, by a part of the path. */
const answering = async (test: Test, answers: (path: string) => unknown) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const body = answers(request.url ?? '');
    response.statusCode = body === undefined ? 404 : 200;
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? { code: 'sourceNotFound' }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  test.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const access = { address: `http://127.0.0.1:${port}`, token: 'x' };
  const { signal } = new AbortController();
  return { asked, daybook: daybookAt(access, { retries: 0, signal }) };
};

t.test('pull: pages and objects that are no answer of the service count as unavailable', async t => {
  for (const answer of ['<html>signed out</html>', { status: 'ok' }, null]) {
    const { daybook } = await answering(t, () => answer ?? 'null');
    for (const given of ['Gate', 7])
      await t.rejects(daybook.presentSource(given), { name: 'PullFault', exitCode: 3 }, String(given));
  }
});

t.test('pull: an id goes on after a rename, and with the source that learned again', async t => {
  const source = (id: number, relearnedAs: number | null = null) => ({ id, name: `Gate ${id}`, relearnedAs });
  const { daybook, asked } = await answering(t, path => {
    if (path.includes('archived=true')) return { sources: [source(1, 3), source(2)] };
    return path === '/v1/source/3' || path === '/v1/source/4' ? source(Number(path.at(-1))) : undefined;
  });
  t.match(await daybook.presentSource(4), { id: 4 });
  t.strictSame(asked, ['/v1/source/4'], 'its name is not asked for');
  t.match(await daybook.presentSource(1), { id: 3 });
  await t.rejects(daybook.presentSource(2), { message: /^source 2 "Gate 2" is archived/, exitCode: 1 });
});
