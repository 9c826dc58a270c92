// The parts of `daybook pull` that need no server: feeds, answers, windows, waits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { feedOfOptions, feedsOf } from '../../../adapters/cli/pull/feeds.js';
import {
  labelText,
  pointsMax,
  seriesOf,
  dayAt,
  windowsOf,
  yearLater,
} from '../../../adapters/cli/pull/queryRange.js';
import { resumedAt } from '../../../adapters/cli/pull/pullFeed.js';
import { pauseMs, retryAfterMs } from '../../../adapters/cli/pull/retries.js';
import { clockOf } from '../../../adapters/timeZones.js';
import { utcClock } from '../../../application/ports/localClock.js';
import { startOf } from '../../../application/requests/points/sliceTimes.js';
import { dateOf, dayNumber } from '../../../domain/dates.js';
import { exactList } from '../../helpers/exactList.js';
import { matrix } from '../../helpers/metrics/fakePrometheus.js';
import { repositoryRoot } from '../../helpers/repository.js';

const feed = 'feeds:\n  - url: http://h:9090/\n    query: up\n    name: a\n';
const read = (text: string, env: NodeJS.ProcessEnv = {}) => feedsOf(text, 'feeds.yaml', env);

t.test('feeds: the example is read, with its secrets from the environment', async t => {
  const text = readFileSync(join(repositoryRoot(), 'examples/feeds.yaml'), 'utf8');
  const env = {
    METRICS_TOKEN: 'secret',
    METRICS_TENANT: 'north',
    PROMETHEUS_USER: 'me',
    PROMETHEUS_PASSWORD: 'é:1',
  };
  t.equal(feedsOf(text, 'feeds.yaml', {}).length, 2, 'without variables');
  const whole = text.replaceAll(/^ {2}# (- | {2})/gm, '  $1');
  const [power, web, door, ...others] = feedsOf(whole, 'feeds.yaml', env);
  t.strictSame(others, []);
  t.match(power, {
    title: 'Library power',
    url: 'http://127.0.0.1:9090',
    source: 'Library power',
    since: '2025-01-01',
    ...{ stepSeconds: 1800, stamps: 'end', timeZone: 'Europe/Paris', timeoutMs: 60_000, retries: 5 },
    choices: { activitySize: '48', calendar: 'FR', unit: 'W' },
    labels: { site: 'library', kind: 'power' },
    headers: { Authorization: `Basic ${Buffer.from('me:é:1').toString('base64')}` },
  });
  t.match(web, { stepSeconds: 3600, choices: { aggregation: 'sum', expectedInterval: 'P1D' } });
  t.match(door, {
    url: 'https://metrics.example.org/prometheus',
    ...{ timeoutMs: 30_000, retries: 8, stamps: 'start' },
    headers: { Authorization: 'Bearer secret', 'X-Scope-OrgID': 'north' },
  });
  t.throws(() => read(whole), {
    message: 'feeds[2].tokenFrom: the environment variable METRICS_TOKEN is not set',
  });
});

t.test('feeds: a fault names its place, what was got and what is expected', async t => {
  const faults: readonly (readonly [string, RegExp])[] = [
    ['feeds: [', /^feeds\.yaml is not valid YAML: /],
    ['- a', /^feeds\.yaml: expected a list "feeds"/],
    ['feeds: []', /feeds: expected a list of 1 to 500/],
    ['feeds: [1]', /^feeds\[0\]: got 1, expected the fields of a feed/],
    [`${feed}    url: http://h\n`, /not valid YAML.*unique/],
    [`${feed}other: 1`, /got "other", expected feeds and defaults only/],
    [`${feed}    quer: x`, /^feeds\[0\]: got the field "quer", expected a field, perhaps query/],
    [`${feed}    source: 3`, /expected either name or source/],
    [`${feed}    since: 2025-02-30`, /^feeds\[0\]\.since: got "2025-02-30", expected a date/],
    [
      `${feed}    since: 2025-02-02\n    until: 2025-02-01`,
      /until: got "2025-02-01", expected a date from since on/,
    ],
    [`${feed}    step: 5s`, /step: got "5s", expected a duration such as 30m, from 15 to 86400 seconds/],
    [`${feed}    step: 30`, /step: got 30, expected a duration/],
    [`${feed}    timeZone: Europe\/Pari`, /timeZone: got "Europe\/Pari"/],
    [`${feed}    aggregation: max`, /aggregation: got "max", expected mean or sum or counter/],
    [`${feed}    aggregation: counter\n    stamps: end`, /stamps: got "end", expected start/],
    [`${feed}    retries: 99`, /retries: got 99, expected an integer from 0 to 20/],
    [`${feed}    token: abc`, /got token in the file, expected tokenFrom/],
    [`${feed}    tokenFrom: s3cret-value`, /tokenFrom: expected the name of an environment variable/],
    [`${feed}    userFrom: A`, /got one of userFrom and passwordFrom, expected both/],
    [`${feed}    headersFrom: { "X Y": A }`, /headersFrom: got "X Y", expected the name of a header field/],
    [feed.replace('http://h', 'http://me:pass@h'), /url: got credentials or a query in the address/],
    [feed.replace('http://h', 'ftp://h'), /url: got "ftp:\/\/h:9090\/", expected an address/],
    [feed + feed.replace('feeds:\n', ''), /^feeds\[1\] has the source of feeds\[0\]/],
  ];
  for (const [text, message] of faults) t.throws(() => read(text), { name: 'SettingsError', message }, text);
  for (const [text] of faults)
    try {
      read(text);
    } catch (error) {
      t.notMatch((error as Error).message, /s3cret|pass@|abc/, 'no secret is repeated');
    }
  t.throws(() => read(feed, { PROMETHEUS_TOKEN: 'a\nb' }), {
    message: /characters that a header cannot have/,
  });
  t.match(read(feed), exactList({ url: 'http://h:9090', timeZone: 'UTC' }));
  t.strictSame(read(feed)[0]?.headers, {});
  t.match(read(feed.replace('9090/', '9090/api/v1/query_range')), exactList({ url: 'http://h:9090' }));
});

t.test('feeds: options are the fields of one feed', async t => {
  const given = {
    prometheus: 'http://h:9090',
    query: 'up',
    name: 'a',
    since: '2025-01-01',
    'activity-size': '24',
  };
  t.match(feedOfOptions(given, {}), { source: 'a', choices: { activitySize: '24' } });
  t.throws(() => feedOfOptions({ ...given, query: undefined }, {}), { message: /^--query: got none/ });
  for (const [options, message] of [
    [{ prometheus: 'h' }, /^--prometheus: got "h", expected an address/],
    [{ stamps: 'middle' }, /^--stamps: got "middle", expected start or end/],
    [{ aggregation: 'counter', stamps: 'end' }, /^--stamps: got "end", expected start/],
    [{ until: '2024-01-01' }, /^--until: got "2024-01-01", expected a date from since on/],
    [{ 'time-zone': 'Paris' }, /^--time-zone: got "Paris"/],
  ] as const)
    t.throws(() => feedOfOptions({ ...given, ...options }, {}), { message });
});

const range = { from: 0, to: 120 };
const answer = (...values: readonly (readonly [number, string])[]) =>
  JSON.stringify(matrix({ metric: {}, values }));

t.test('answers: values that are no finite numbers are left out and counted', async t => {
  const text = answer([0, '1.5'], [30, 'NaN'], [60, '+Inf'], [90, '-Inf'], [120, '-2e-07']);
  t.match(seriesOf(text, range), {
    labels: '{}',
    times: exactList(0, 120),
    values: exactList(1.5, -2e-7),
    omitted: 3,
  });
  t.match(seriesOf(JSON.stringify(matrix()), range), { labels: undefined, times: exactList() });
});

t.test('answers: faults', async t => {
  const many = Array.from({ length: 7 }, (_, index) => ({ metric: { b: '"', a: `${index}` }, values: [] }));
  const faults: readonly (readonly [string, RegExp])[] = [
    ['<html>', /no JSON object, "<html>"/],
    ['[]', /no JSON object/],
    [
      '{"status":"error","errorType":"bad_data","error":"parse error"}',
      /status error: bad_data: parse error/,
    ],
    [
      '{"status":"success","data":{"resultType":"vector","result":[]}}',
      /result type vector, expected a matrix/,
    ],
    [
      JSON.stringify(matrix(...many)),
      /got 7 series, expected 1: \{a="0", b="\\""\}, .* and 2 more; add labels/,
    ],
    [answer([0, '1'], [0, '1']), /got a sample at 0, expected ascending times from 0 to 120/],
    [answer([121, '1']), /got a sample at 121/],
    [answer([0, 'one']), /got the value one at 0, expected a number/],
    ['{"status":"success","data":{"resultType":"matrix","result":[{"metric":{}}]}}', /without values/],
    [
      '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"histograms":[]}]}}',
      /native histogram/,
    ],
  ];
  for (const [text, message] of faults)
    t.throws(() => seriesOf(text, range), { name: 'PullFault', exitCode: 1, message }, text);
  t.equal(labelText({ b: 1, a: 'x\n' }), '{a="x\\n", b=1}');
});

t.test('answers: partial ones are not taken, warnings about the query are', async t => {
  const body = matrix({ metric: {}, values: [[0, '1']] });
  const withParts = (parts: object): string => JSON.stringify({ ...body, ...parts });
  t.throws(() => seriesOf(withParts({ isPartial: true }), range), {
    name: 'Transient',
    message: /isPartial/,
  });
  const lost = withParts({ warnings: ['store b: connection refused'] });
  t.throws(() => seriesOf(lost, range), { name: 'Transient', message: /"store b: connection refused"/ });
  t.match(seriesOf(lost, range, true), {
    times: exactList(0),
    warnings: exactList('store b: connection refused'),
  });
  const notice = 'PromQL info: metric might not be a counter';
  t.match(seriesOf(withParts({ warnings: [notice], isPartial: false }), range), {
    warnings: exactList(notice),
  });
});

t.test('windows: whole local days that cover a span once, with at most 11,000 instants each', async t => {
  const clocks = ['Europe/Paris', 'Asia/Kathmandu', 'Pacific/Apia'].map(zone => clockOf(zone) ?? utcClock);
  for (const clock of [utcClock, ...clocks])
    for (const step of [15, 60, 420, 1800, 86_400]) {
      const span = {
        from: startOf(clock, dayNumber('2011-12-01')),
        to: startOf(clock, dayNumber('2012-04-10')) + 7,
      };
      const windows = windowsOf(clock, span, step);
      const counts = windows.map(({ from, to }) => (to - from) / step + 1);
      t.ok(Math.max(...counts) <= pointsMax);
      const first = Math.ceil(span.from / step) * step;
      t.equal(windows[0]?.from, first);
      const total = Math.floor((span.to - 1 - first) / step) + 1;
      t.equal(
        counts.reduce((sum, count) => sum + count, 0),
        total,
        `${clock.timeZone} ${step}`,
      );
      windows.slice(1).forEach(({ from }, index) => {
        const before = windows[index]?.to ?? 0;
        t.equal(from - before, step, 'no instant is left out');
        t.ok(dayAt(clock, before) < dayAt(clock, from), 'a window ends with a day');
      });
    }
  t.strictSame(windowsOf(utcClock, { from: 10, to: 10 }, 60), []);
  t.equal(dateOf(yearLater(dayNumber('2024-02-29'))), '2025-03-01');
  t.equal(dateOf(yearLater(dayNumber('2025-07-04'))), '2026-07-04');
});

t.test('waits grow up to half a minute and honour Retry-After', async t => {
  t.strictSame(
    [0, 1, 2, 10].map(attempt => pauseMs(attempt, 0, 1)),
    [500, 1000, 2000, 30_000],
  );
  t.equal(pauseMs(0, 0, 0), 250);
  t.equal(pauseMs(0, 7000, 1), 7000);
  t.equal(pauseMs(0, 1e9, 1), 120_000, 'a server cannot stop a pull for days');
  t.equal(retryAfterMs('7', 0), 7000);
  t.equal(retryAfterMs('Thu, 01 Jan 1970 00:00:09 GMT', 4000), 5000);
  for (const text of [undefined, null, '', 'soon', '-5']) t.equal(retryAfterMs(text, 2e12), 0);
});

t.test(
  'a pull begins at since for a source without any day, else two days before the end of its data',
  async t => {
    const start = (since: string | undefined, recentDays: number, days = 0): string => {
      const lastData = { date: '2026-03-10' };
      const reference = { from: '2026-03-10', to: '2026-03-10', days };
      const found = { reference, lastData, counts: { recentDays } };
      const end = startOf(utcClock, dayNumber('2026-03-12'));
      return dateOf(dayAt(utcClock, resumedAt({ since }, found, utcClock, end)));
    };
    t.equal(start('2025-03-01', 0), '2025-03-01', 'a source that collects');
    t.equal(start('2025-03-01', 60), '2026-03-09');
    t.equal(start(undefined, 0), '2026-03-09');
    t.equal(start('2025-03-01', 0, 60), '2026-03-11', 'after the reference');
  },
);
