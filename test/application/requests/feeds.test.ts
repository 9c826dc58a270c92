import t from 'tap';
import { routesBy, unclaimedFeeds, unclaimedMax } from '../../../application/requests/points/feeds.js';
import { rejectedLines } from '../../../application/requests/points/pointList.js';
import { writeLines } from '../../../application/requests/useCases/writeLines.js';
import { EventFault } from '../../../application/ports/eventStore.js';
import { utcClock } from '../../../application/ports/localClock.js';
import { batchedBuffer } from '../../../application/requests/useCases/importPoints.js';
import type { PointBatch } from '../../../application/ports/pointBuffer.js';
import { exactList } from '../../helpers/exactList.js';
import type { Recorded } from '../../../domain/events.js';
import type { Feed, Series } from '../../../domain/source/feed.js';

// The source that takes a series, and the series that none takes.

const feed = (tags: Feed['tags'], field = 'value'): Feed => ({ measurement: 'energy', field, tags });
const series = (tags: Feed['tags'], field = 'value'): Series => ({
  ...{ measurement: 'energy', field },
  tags: Object.entries(tags),
});

t.test('the feed with the most tags gets a series, among equals that of the smallest id', t => {
  const routes = routesBy([
    { sourceId: 1, feed: feed({}) },
    { sourceId: 9, feed: feed({ room: 'hall' }) },
    { sourceId: 5, feed: feed({ floor: '2' }) },
    { sourceId: 7, feed: feed({ room: 'hall', floor: '2' }) },
    { sourceId: 8, feed: feed({ room: 'hall' }, 'count') },
  ]);
  const cases: readonly (readonly [Series, number | undefined])[] = [
    [series({}), 1],
    [series({ room: 'yard' }), 1],
    [series({ room: 'hall', host: 'pi' }), 9],
    [series({ floor: '2', host: 'pi' }), 5],
    [series({ floor: '2', host: 'pi', room: 'hall' }), 7],
    [series({ room: 'hall' }, 'count'), 8],
    [series({ room: 'yard' }, 'count'), undefined],
    [series({}, 'energy'), undefined],
  ];
  for (const [one, sourceId] of cases) t.equal(routes(one), sourceId, JSON.stringify(one));
  const tied = routesBy([
    { sourceId: 4, feed: feed({ floor: '2' }) },
    { sourceId: 3, feed: feed({ room: 'hall' }) },
  ]);
  t.equal(tied(series({ floor: '2', room: 'hall' })), 3);
  t.end();
});

t.test('a series is looked up by the tags that feeds name, not feed by feed', t => {
  const feeds = Array.from({ length: 1000 }, (_, index) => {
    const tags = { entity_id: `meter ${index}` };
    return { sourceId: index + 1, feed: feed(index % 2 === 0 ? tags : { domain: 'sensor', ...tags }) };
  });
  const routes = routesBy(feeds);
  let reads = 0;
  const sensor = (entity: string): Series => {
    const { tags, ...one } = series({ domain: 'sensor', entity_id: entity, host: 'pi' });
    return {
      ...one,
      get tags() {
        reads += 1;
        return tags;
      },
    };
  };
  t.equal(routes(sensor('meter 998')), 999);
  t.equal(routes(sensor('meter 999')), 1000);
  t.equal(routes(sensor('other')), undefined);
  t.ok(reads < 20, `tags were read ${reads} times`);
  t.end();
});

t.test('series that no source takes: the latest of each tenant, for seven days', t => {
  const unclaimed = unclaimedFeeds();
  for (let index = 0; index <= unclaimedMax; index += 1)
    unclaimed.note('one', series({ index: String(index) }), 1, index);
  unclaimed.note('one', series({ index: '1' }), 5, 2000);
  unclaimed.note('one', series({ text: 'x'.repeat(3000) }), 1, 2000);
  const listed = unclaimed.list('one', 3000);
  t.equal(listed.length, unclaimedMax);
  t.match(listed[0], { firstSeenMs: 1, lastSeenMs: 2000, points: 6 });
  t.strictSame(listed[0]?.tags, [['index', '1']]);
  t.notOk(
    listed.some(({ tags }) => tags[0]?.[1] === '0'),
    'the one without points for the longest time is dropped',
  );
  t.strictSame(unclaimed.list('two', 3000), []);
  t.match(unclaimed.list('one', 7 * 86_400_000 + 1999), exactList({ lastSeenMs: 2000 }));
  t.end();
});

t.test('a source that cannot take its lines does not keep out those of others', async t => {
  const nowMs = Date.parse('2024-05-20T12:00:00Z');
  const stored: PointBatch[] = [];
  const event = { position: 9n, type: 'DaysImported', stream: 'days-2' } as Recorded;
  const setup = (id: number) => ({
    ...{ id, timeZone: id === 1 ? 'Mars/Olympus' : 'UTC', activitySize: 24, aggregation: 'mean' },
    ...{ interpolationMethod: 'zero', lateness: 'PT15M' },
  });
  const sources = [1, 2, 3].map(sourceId => ({ sourceId, feed: feed({ id: String(sourceId) }) }));
  const service = {
    caughtUp: () => Promise.resolve(),
    now: () => new Date(nowMs).toISOString(),
    environment: { nowMs: () => nowMs },
    feeds: { routesOf: () => routesBy(sources) },
    models: { sources: { setup }, days: { wholeDayRevision: () => -1 } },
    points: {
      buffer: { add: (batch: PointBatch) => Promise.resolve(stored.push(batch)) },
      writer: { storeLate: () => Promise.reject(new EventFault(event, 'damage')) },
    },
  } as unknown as Parameters<typeof writeLines>[0];
  const old = nowMs - 30 * 86_400_000;
  const all = sources.map(({ sourceId }, index) => ({
    ...series({ id: String(sourceId) }),
    at: (sourceId === 2 ? [old, nowMs] : [nowMs]).map(ms => 1000 * ms),
    values: [5, 6],
    lines: (sourceId === 2 ? [1, 2] : [1]).map(line => 10 * index + line),
  }));
  const rejected = rejectedLines();
  const writer = { actor: { tenant: 'one' }, by: 'anna' } as Parameters<typeof writeLines>[1];
  await writeLines(service, writer, { series: all, rejected }, zone =>
    zone === 'UTC' ? utcClock : undefined,
  );
  t.strictSame(
    stored.map(({ sourceId, points }) => [sourceId, points.map(({ value }) => value)]),
    [
      [2, [6]],
      [3, [5]],
    ],
  );
  t.match(
    rejected.first(),
    exactList(
      { line: 1, reason: 'this runtime does not know the time zone of source 1' },
      { line: 11, reason: /^source 2: event 9 \(DaysImported\) of days-2 cannot be read/ },
    ),
  );
});

t.test(
  'points of a write are stored 500 at a time; it ends when all are durable, or with an error',
  async t => {
    const sizes: number[] = [];
    const answers: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
    const buffered = ({ points }: PointBatch) =>
      new Promise<number>((resolve, reject) => {
        sizes.push(points.length);
        answers.push({ resolve: () => resolve(1), reject });
      });
    const write = async (
      ...counts: readonly number[]
    ): Promise<{ readonly isOver: () => boolean; end: Promise<number> }> => {
      const { add, end } = batchedBuffer({ points: { buffer: { add: buffered } } } as never);
      for (const [sourceId, count] of counts.entries())
        await add({
          sourceId,
          by: 'anna',
          points: Array.from({ length: count }, (_, at) => ({ at, value: 1, base: -1 })),
        });
      let isOver = false;
      const ended = end().finally(() => (isOver = true));
      await new Promise(resolve => setImmediate(resolve));
      return { isOver: () => isOver, end: ended };
    };
    const first = await write(700, 300, 1);
    t.strictSame(sizes, [500, 200, 300, 1]);
    for (const { resolve } of answers.slice(1)) resolve();
    await new Promise(resolve => setImmediate(resolve));
    t.equal(first.isOver(), false, 'the first 500 are not durable');
    answers[0]!.resolve();
    t.equal(await first.end, 4, 'the points that changed nothing');
    const second = await write(600);
    answers.at(-2)!.reject(new Error('full'));
    answers.at(-1)!.resolve();
    await t.rejects(second.end, { message: 'full' });
  },
);
