// `daybook pull` as a process, against a service and a server that answers like Prometheus.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { dateOf, secondsPerDay } from '../../../domain/dates.js';
import type { SourceRecord } from '../../../projections/sources/sourceRecords.js';
import {
  evaluated,
  fakePrometheus,
  matrix,
  type Asked,
  type FakeAnswer,
} from '../../helpers/metrics/fakePrometheus.js';
import { argsOf, today, usual, valueAt, values } from '../../helpers/metrics/hourlyFeed.js';
import { launch, run } from '../../helpers/process.js';
import { repositoryRoot } from '../../helpers/repository.js';
import { eventually, startService } from '../../helpers/service.js';

const service = await startService(t);
const { call } = service;
const env = { DAYBOOK_URL: service.address(), DAYBOOK_TOKEN: await service.tokenFor({}) };

const sourceOf = async (name: string): Promise<SourceRecord | undefined> => {
  const { body } = await call<{ sources: readonly SourceRecord[] }>('GET', `/v1/source/list?text=${name}`);
  return body.sources[0];
};

/** The slices of a date of a source. */
const activityOn = async (name: string, date: string) => {
  const { body } = await call<{ day: { activity: readonly number[]; gaps: readonly object[] } | null }>(
    'GET',
    `/v1/day/${(await sourceOf(name))?.id}/${date}`,
  );
  return body.day;
};

/** Arguments with a file of one feed that repeats a request once. */
const fileOf = (t: Test, text: string): string[] => {
  const file = join(t.testdir(), 'feeds.yaml');
  writeFileSync(file, text);
  return ['pull', '--config', file];
};
const impatient = (t: Test, url: string, name: string, more = ''): string[] =>
  fileOf(
    t,
    `feeds: [{ url: "${url}", query: power, name: ${name}, since: ${dateOf(today - 85)}, step: 1h, retries: 1${more} }]`,
  );

t.test('pull: stamps at the end of a step belong to the step before', async t => {
  const { url, asked } = await fakePrometheus(t, usual);
  const args = argsOf(url, 'ends', dateOf(today - 30), '--stamps', 'end', '--until', dateOf(today - 3));
  t.match(await run(args, env), { code: 0 });
  const date = dateOf(today - 10);
  const day = await activityOn('ends', date);
  const at = (today - 10) * secondsPerDay;
  t.strictSame(
    day?.activity.slice(0, 2),
    [1, 2].map(hour => Number(values.get(at + hour * 3600))),
  );
  t.equal((await sourceOf('ends'))?.reference.to, dateOf(today - 3), 'the last date is included');
  t.ok(asked.every(({ start }) => start > (today - 30) * secondsPerDay));
});

t.test('pull: killed in the middle, it goes on where the data end', async t => {
  let isHeld = true;
  const { url, asked } = await fakePrometheus(t, asked => {
    // A reference of 31 days ends early: the history after it comes in several windows.
    const isLate = asked.start > (today - 30) * secondsPerDay;
    return isHeld && isLate
      ? undefined
      : evaluated(asked, at => (asked.query === 'power' ? valueAt(at) : undefined));
  });
  const until = dateOf(today - 55);
  t.match(await run(argsOf(url, 'killed', undefined, '--until', until), env), { code: 0 });
  t.equal((await sourceOf('killed'))?.lastData.date, until);
  const killed = launch(argsOf(url, 'killed'), env);
  await eventually('a part of the history', async () =>
    ((await sourceOf('killed'))?.lastData.date ?? '') > until ? true : undefined,
  );
  await killed.end('SIGKILL');
  isHeld = false;
  const before = asked.length;
  const middle = (await sourceOf('killed'))?.lastData.date ?? '';
  t.ok(middle < dateOf(today - 20), 'it was killed in the middle');
  t.match(await run(argsOf(url, 'killed'), env), { code: 0 });
  t.equal(dateOf((asked[before]?.start ?? 0) / secondsPerDay), dateOf(Date.parse(middle) / 86_400_000 - 1));
  // In the first hour of a day no slice of it has elapsed.
  const elapsed = Math.floor((Date.now() / 1000 - 3600) / secondsPerDay);
  t.equal((await sourceOf('killed'))?.lastData.date, dateOf(elapsed));
  for (let number = today - 54; number < today; number += 1) {
    const day = await activityOn('killed', dateOf(number));
    const expected = Array.from({ length: 24 }, (_, hour) =>
      Number(valueAt(number * secondsPerDay + hour * 3600)),
    );
    const filled = expected.map(value => (Number.isNaN(value) ? 0 : value));
    const isLost = expected.every(Number.isNaN);
    t.strictSame(day?.activity, isLost ? undefined : filled, dateOf(number));
  }
});

t.test('pull: passing faults are repeated, lasting ones have exit code 3', async t => {
  const faults: FakeAnswer[] = [
    { status: 429, headers: { 'Retry-After': '1' }, body: 'slow down' },
    { status: 503, body: { status: 'error', errorType: 'timeout', error: 'query timed out' } },
  ];
  const passing = await fakePrometheus(t, asked => faults.pop() ?? usual(asked));
  t.match(await run(argsOf(passing.url, 'passing'), env), { code: 0 });
  t.strictSame(faults, []);
  const lasting: readonly (readonly [FakeAnswer | undefined, RegExp])[] = [
    [undefined, /cannot be reached: .*, after 2 attempts/],
    [{ status: 502, body: '<h1>Bad gateway</h1>' }, /answered 502: <h1>Bad gateway/],
    [{ body: { ...matrix(), isPartial: true } }, /partial answer \(isPartial\)/],
    [
      { body: { ...matrix(), warnings: ['store b is away'] } },
      /may lack data, with the warning "store b is away"/,
    ],
    [{ headers: { 'Content-Length': '9000' }, body: '{}' }, /cannot be reached/],
  ];
  for (const [index, [answer, message]] of lasting.entries()) {
    const { url } = await fakePrometheus(t, () => answer);
    // Only a connection that stays open with half an answer ends by the limit of time.
    const limit = answer?.headers ? ', timeout: 2s' : '';
    const args = impatient(t, url, `lasting-${index}`, limit);
    t.match(await run(args, env), { code: 3, stderr: message });
    t.equal(await sourceOf(`lasting-${index}`), undefined, 'nothing is stored');
  }
});

t.test('pull: faults of a query have exit code 1 and say what to do', async t => {
  const series = (instance: string) => ({ metric: { instance }, values: [] });
  const refused: readonly (readonly [(asked: Asked) => FakeAnswer, RegExp])[] = [
    [
      () => ({ body: matrix(series('a'), series('b')) }),
      /got 2 series, expected 1: \{instance="a"\}, .*sum\(…\)/,
    ],
    [() => ({ body: matrix() }), /no value on whole days from .*: check query and since/],
    [
      () => ({ status: 400, body: { status: 'error', errorType: 'bad_data', error: 'parse error' } }),
      /answered 400, expected 200: bad_data: parse error/,
    ],
    [() => ({ status: 302, headers: { Location: 'https://b/' }, body: '' }), /answered 302 to https:\/\/b\//],
    [() => ({ body: ' '.repeat(17_000_000) }), /got more than .* expected one series/],
    [
      asked => evaluated(asked, valueAt, { instance: String(asked.start) }),
      /got the series .* aggregate over/,
    ],
  ];
  for (const [answer, message] of refused) {
    const { url } = await fakePrometheus(t, answer);
    t.match(await run(impatient(t, url, 'refused'), env), { code: 1, stderr: message });
  }
  const { url } = await fakePrometheus(t, usual);
  const short = argsOf(url, 'refused', dateOf(today - 9));
  t.match(await run(short, env), { code: 1, stderr: /the service answered 422: .*at least 14/ });
  t.equal(await sourceOf('refused'), undefined);
});

t.test('pull: an empty answer between others is asked for again before it is a gap', async t => {
  let lost = 1;
  const { url } = await fakePrometheus(t, asked => {
    const isMiddle =
      asked.start >= (today - 60) * secondsPerDay && asked.start < (today - 40) * secondsPerDay;
    if (isMiddle && lost > 0) {
      lost -= 1;
      return { body: matrix() };
    }
    return usual(asked);
  });
  t.match(await run(argsOf(url, 'lost'), env), { code: 0 });
  t.equal(lost, 0);
  t.equal((await sourceOf('lost'))?.reference.days, 84);
});

t.test('pull: credentials are sent and never shown', async t => {
  const { url, asked } = await fakePrometheus(t, () => ({ status: 401, body: 'who are you?' }));
  const refused = await run(argsOf(url, 'secret'), { ...env, PROMETHEUS_TOKEN: 's3cret' });
  t.match(refused, { code: 2, stderr: /refuses the credentials \(401\): who are you\?/ });
  t.equal(asked[0]?.headers.authorization, 'Bearer s3cret');
  const basic = { ...env, PROMETHEUS_USER: 'me', PROMETHEUS_PASSWORD: 's3cret' };
  const second = await run(argsOf(url, 'secret'), basic);
  t.equal(asked.at(-1)?.headers.authorization, `Basic ${Buffer.from('me:s3cret').toString('base64')}`);
  const named = impatient(t, url, 'secret', ', tokenFrom: T, headersFrom: { X-Scope-OrgID: O }');
  const third = await run(named, { ...env, T: 's3cret', O: 's3cret' });
  t.match(asked.at(-1)?.headers, { authorization: 'Bearer s3cret', 'x-scope-orgid': 's3cret' });
  for (const { stdout, stderr } of [refused, second, third]) t.notMatch(stdout + stderr, /s3cret|bWU6/);
});

t.test('pull: TLS certificates are checked', async t => {
  const { url } = await fakePrometheus(t, usual, { tls: true });
  const args = argsOf(url, 'tls');
  t.match(await run(args, env), { code: 3, stderr: /is not trusted .*NODE_EXTRA_CA_CERTS/ });
  const ca = join(repositoryRoot(), 'test/fixtures/tls/ca.crt');
  t.match(await run(args, { ...env, NODE_EXTRA_CA_CERTS: ca }), { code: 0 });
});

t.test('pull: feeds of a file, one of them at fault; a source by its id', async t => {
  const { url } = await fakePrometheus(t, usual);
  t.match(await run(argsOf(url, 'short'), env), { code: 0 });
  const { id } = (await sourceOf('short')) ?? {};
  const defaults = `defaults: { url: "${url}", query: power, step: 1h, retries: 1 }\n`;
  const feeds = `feeds: [{ source: ${id} }, { source: 99999 }, { name: unknown }]`;
  const { code, stdout, stderr } = await run(fileOf(t, defaults + feeds), env);
  t.equal(code, 2);
  t.match(stdout, new RegExp(`^source ${id}: source ${id}: \\d+ points? from ${dateOf(today)} on`, 'm'));
  t.match(stderr, /^source 99999: the service answered 404: no source 99999$/m);
  t.match(stderr, /^unknown: there is no source "unknown": give since/m);
  t.match(stdout, /^3 feeds, 2 failed$/m);
});

/** When the meter of the register is exchanged. */
const resetAt = (today - 12) * secondsPerDay + 20 * 1800;
/** Dates whose first reading is lost: at an end of a window, and where the buffer begins to keep points. */
const lostMidnights = [today - 28, today - 8, today - 7];
/** Readings of a register: it counts 10 an hour, 25 from 08:00 to 09:00. */
const readingAt = (at: number): string | undefined => {
  if (lostMidnights.some(number => number * secondsPerDay === at)) return undefined;
  const day = Math.floor(at / secondsPerDay);
  const seconds = at % secondsPerDay;
  const extra = 15 * Math.min(1, Math.max(0, (seconds - 8 * 3600) / 3600));
  const total = (day - today + 90) * 255 + (seconds / 3600) * 10 + extra;
  return String(at < resetAt ? 5000 + total : total - 78 * 255);
};

t.test(
  'pull: readings of a counter are differenced by the service, over its windows and a reset',
  async t => {
    const { url, asked } = await fakePrometheus(t, asked => evaluated(asked, readingAt));
    const usual = Array.from({ length: 24 }, (_, hour) => (hour === 8 ? 25 : 10));
    // The reference ends early, so that the history after it comes in windows, and as points of both kinds.
    const shared = ['--aggregation', 'counter', '--activity-size', '24'];
    const args = argsOf(url, 'meter', dateOf(today - 85), ...shared).map(one => (one === '1h' ? '30m' : one));
    const first = await run([...args, '--until', dateOf(today - 60)], env);
    t.match(first, { code: 0, stdout: /created from 26 days, / });
    const second = await run(args, env);
    t.match(second, { code: 0, stdout: /^meter: warning counterReset: got /m }, second.stderr);
    t.ok(asked.length > 3, 'several windows');
    t.match(await sourceOf('meter'), { aggregation: 'counter', reference: { to: dateOf(today - 60) } });
    for (let number = today - 85; number < today; number += 1) {
      const day = await activityOn('meter', dateOf(number));
      const gaps = number === today - 12 ? [[9, 10]] : [];
      const expected = usual.map((value, hour) => (gaps.length > 0 && hour === 9 ? 0 : value));
      t.strictSame(
        { activity: day?.activity, gaps: day?.gaps },
        { activity: expected, gaps },
        dateOf(number),
      );
    }
    const third = await run(args, env);
    t.match(third, { code: 0, stdout: /points from/ });
    t.strictSame((await activityOn('meter', dateOf(today - 1)))?.activity, usual, 'repeats count once');
  },
);

t.test('pull: values that are no readings, and stamps at the end of a step, are refused', async t => {
  const { url } = await fakePrometheus(t, usual);
  const args = argsOf(url, 'level', dateOf(today - 85), '--aggregation', 'counter');
  t.match(await run(args, env), { code: 1, stderr: /422: got .* falls .*expected readings/ });
  t.equal(await sourceOf('level'), undefined);
  const ends = await run([...args, '--stamps', 'end'], env);
  t.match(ends, { code: 2, stderr: /stamps: got "end", expected start: a reading of a counter/ });
  const found = await run(argsOf(url, 'meter', undefined, '--stamps', 'end'), env);
  t.match(found, { code: 2, stderr: /got stamps end for source \d+, which takes readings/ });
});

t.test('pull --follow: polls each step until SIGTERM, faults included', async t => {
  let failing = false;
  const { url, asked } = await fakePrometheus(t, asked =>
    failing ? { status: 400, body: 'not now' } : evaluated(asked, at => String(20 + (at % 7))),
  );
  const since = dateOf(today - 16);
  const text = `feeds: [{ url: "${url}", query: power, name: followed, since: ${since}, step: 15s, activitySize: 24 }]`;
  const followed = launch([...fileOf(t, text), '--follow'], env);
  t.teardown(() => followed.end('SIGKILL'));
  await eventually('the first pull', () => (/points from/.test(followed.stdout()) ? true : undefined));
  const first = asked.length;
  failing = true;
  await eventually('a failed poll', () => (/not now/.test(followed.stderr()) ? true : undefined));
  failing = false;
  await eventually('the next poll', () =>
    /points from[^]*points from/.test(followed.stdout()) ? true : undefined,
  );
  const last = asked.at(-1);
  t.ok(asked.length >= first + 2);
  t.ok((last?.end ?? 0) - (last?.start ?? 0) < 2 * 3600, 'the last hour only');
  t.strictSame(await followed.end('SIGTERM'), { code: 0, signal: null });
});
