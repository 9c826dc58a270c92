import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { pointFile } from '../../../adapters/points/pointFile.js';
import { clockOf } from '../../../adapters/timeZones.js';
import { parking } from '../../../application/reading/parking.js';
import { arrivals } from '../../../application/requests/points/pointClock.js';
import { pointWriter, type StoredSlices } from '../../../application/requests/points/pointWriter.js';
import { isIn, runsWhere } from '../../../domain/day.js';
import { importPoints } from '../../../application/requests/useCases/importPoints.js';
import type { PointList } from '../../../application/requests/points/pointList.js';
import { utcClock } from '../../../application/ports/localClock.js';
import { source } from '../../../domain/source/source.js';
import type { SourceFacts } from '../../../domain/source/sourceState.js';

import { streams } from '../../../domain/streams.js';
import { factsOf, id, origin } from '../../helpers/data/samples.js';
import { exactList } from '../../helpers/exactList.js';
import { memoryService } from '../../helpers/memoryService.js';

const minuteMs = 60_000;

/** A writer of points of a source with slices of an hour, on 2024-02-10 from midnight on. */
const writing = async (resumedMinute = -1000, more: Partial<SourceFacts> = {}) => {
  const { clock, service, events, requester } = await memoryService({
    facts: { ...factsOf(1, 24), ...more },
  });
  const { models, caughtUp, handle, environment } = service;
  const log = pino({ level: 'silent' });
  const buffer = pointFile(':memory:');
  const startMs = clock.nowMs;
  const resumedAt = () => new Date(startMs + resumedMinute * minuteMs).toISOString();
  const parts = { models, caughtUp, handle, environment, log, buffer, clockOf, resumedAt };
  const writer = pointWriter({ ...parts, parking: parking({ models, write: change => change(), log }) });
  let warnings: StoredSlices['warnings'] = [];
  return {
    /** Goes to a minute, adds a point of another minute, and returns how many events store it. */
    send: async (nowMinute: number, minute: number, value: number, base = -1): Promise<number> => {
      clock.nowMs = startMs + nowMinute * minuteMs;
      const at = 1000 * (startMs + minute * minuteMs);
      await buffer.add({ sourceId: 1, by: 'anna', points: [{ at, value, base }] });
      const before = events.length;
      ({ warnings } = await writer.store(1));
      await caughtUp();
      return events.length - before;
    },
    /** Adds points every so many seconds from one minute to another, stores them, and returns the dates of each event. */
    sendMany: async (everyS: number, from: number, to: number): Promise<unknown[]> => {
      const count = ((to - from) * 60) / everyS;
      const points = Array.from({ length: count }, (_, index) => ({
        at: 1000 * (startMs + from * minuteMs) + index * everyS * 1e6,
        ...{ value: 7, base: -1 },
      }));
      await buffer.add({ sourceId: 1, by: 'anna', points });
      const before = events.length;
      await writer.store(1);
      await caughtUp();
      return events.slice(before).map(event => event.type === 'PointsImported' && event.data.days);
    },
    change: async (type: 'ArchiveSource' | 'RestoreSource', n: number): Promise<void> => {
      await handle(source, streams.source(1), { type, requestId: id(n) }, origin(n));
      await caughtUp();
    },
    /** Adds readings of the dates before those of the buffer; `late` has their minutes and values. */
    sendLate: async (...late: readonly (readonly [minute: number, value: number])[]): Promise<number> => {
      const times = Float64Array.from(late, ([minute]) => startMs / 1000 + minute * 60);
      const values = Float64Array.from(late, ([, value]) => value);
      const before = events.length;
      await writer.storeLate(1, 'anna', [], { times, values });
      await caughtUp();
      return events.length - before;
    },
    /** Sends a body of points. */
    sendBody: (...body: readonly (readonly [minute: number, value: number])[]) => {
      const times = Float64Array.from(body, ([minute]) => startMs / 1000 + minute * 60);
      const values = Float64Array.from(body, ([, value]) => value);
      const list = { times, values, invalid: 'csvInvalid', lines: 0, duplicates: 0, warnings: [], notes: [] };
      const points = { ...service.points, buffer, writer };
      const now = () => new Date(clock.nowMs).toISOString();
      const parts = { ...service, points, now, requireRoom: () => {} };
      return importPoints(parts, requester(60), { sourceId: 1, clock: utcClock }, list as PointList);
    },
    waiting: () => buffer.waiting(1, 100),
    shown: (date: string) => {
      const day = models.days.recent(1, date);
      return (
        day &&
        runsWhere(24, slice => !isIn(day.gaps, slice)).map(([from, to]) => [
          from,
          day.activity.slice(from, to),
        ])
      );
    },
    /** Warnings of the last `send`. */
    warnings: () => warnings,
    isOpen: () => models.days.recent(1, '2024-02-10')?.inProgress !== undefined,
    activity: () => models.days.recent(1, '2024-02-10')?.activity ?? [],
    /** Minutes of all points in the buffer. */
    buffered: async () =>
      (await buffer.between(1, 0, Number.MAX_SAFE_INTEGER)).map(({ at }) => (at / 1000 - startMs) / minuteMs),
    store: async (nowMinute: number): Promise<void> => {
      clock.nowMs = startMs + nowMinute * minuteMs;
      await writer.store(1);
    },
    /** Starts the clock of the writer at a minute. */
    start: (nowMinute: number): void => {
      clock.nowMs = startMs + nowMinute * minuteMs;
      writer.start();
    },
    stop: writer.stop,
  };
};

t.test(
  'each slice is stored once it is over, corrections of stored ones once in the time of a slice',
  async t => {
    const { send, warnings, activity, stop } = await writing();
    t.equal(await send(10, 5, 7), 0, 'the first slice is not over');
    t.equal(await send(65, 62, 8), 1, 'it is over');
    t.equal(activity()[0], 7);
    t.equal(await send(125, 122, 9), 1, 'the second one');
    t.equal(await send(126, 70, 20), 1, 'a correction of it');
    t.equal(await send(127, 75, 20), 0, 'the next one waits');
    const detail = /^1 point of .* at 2024-02-10T03:06:00.000Z/;
    t.match(warnings(), exactList({ code: 'correctionsWait', detail }));
    t.equal(await send(140, 8, 9), 0, 'also one of the first slice');
    t.match(warnings(), exactList({ detail: /^2 points / }));
    t.equal(activity()[1], 14);
    t.equal(await send(185, 184, 3), 1, 'until a slice is over');
    t.strictSame(activity().slice(0, 3), [8, 16, 9]);
    t.strictSame(warnings(), []);
    t.equal(await send(187, 10, 11), 1, 'an hour after the correction before');
    t.equal(activity()[0], 9);
    await stop();
  },
);

t.test('a closed date is stored whole, however many points wait', async t => {
  const { sendMany, stop } = await writing();
  const wholeDay = (date: string) => ({ date, observed: exactList([0, Array<number>(24).fill(7)]) });
  t.match(
    await sendMany(1.6, -2 * 1440, -1440),
    exactList(exactList(wholeDay('2024-02-08'))),
    'more than a page of one date',
  );
  t.match(
    await sendMany(3, -8 * 1440, -6 * 1440),
    exactList(exactList(wholeDay('2024-02-02')), exactList(wholeDay('2024-02-03'))),
    'of two dates',
  );
  await stop();
});

t.test('a point from the future of a wrong clock ends no slice before its lateness', async t => {
  const { send, stop } = await writing();
  t.equal(await send(10, 600, 7), 0);
  t.equal(await send(62, 58, 7), 0, 'its last points may be on their way');
  t.equal(await send(75, 59, 7), 1, 'after the lateness');
  await stop();
});

t.test('points of an archived source wait until it is restored', async t => {
  const { send, change, stop } = await writing();
  await send(10, 5, 7);
  await change('ArchiveSource', 40);
  t.equal(await send(65, 62, 7), 0);
  await change('RestoreSource', 41);
  t.equal(await send(66, 63, 7), 1);
  await stop();
});

t.test('stored points are forgotten when no new ones come, also of an archived source', async t => {
  const dayMinutes = 24 * 60;
  const ended = async (isArchived: boolean, days: number): Promise<readonly number[]> => {
    const { send, store, change, buffered, start, stop } = await writing();
    await send(10, 5, 7);
    await send(65, 62, 8);
    await send(130, 122, 9);
    await store(2 * dayMinutes);
    if (isArchived) {
      await change('ArchiveSource', 40);
      await send(2 * dayMinutes + 10, 2 * dayMinutes, 9);
    }
    start(days * dayMinutes);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    await stop();
    return buffered();
  };
  t.strictSame(await ended(false, 8), [5, 62, 122], 'corrections may come');
  t.strictSame(await ended(false, 12), [122], 'the last one stays');
  t.strictSame(await ended(true, 12), [122, 2 * dayMinutes], 'a point that waits keeps the one before it');
});

t.test('readings that only together are no register count nowhere once they were given up', async t => {
  const { send, sendLate, shown, stop } = await writing(-1000, { aggregation: 'counter' });
  const falling = [5, 15, 25, 35] as const;
  const refused = { code: 'notCumulative' };
  for (const minute of falling) t.equal(await send(minute, minute, 900 - minute), 0);
  await t.rejects(send(120, 120, 800), refused);
  for (const minute of [180, 240, 300]) await send(minute, minute, 1000 + minute);
  t.strictSame(shown('2024-02-10'), [[3, [60, 60]]], 'the rise after them is of no slice');

  const late = -20 * 1440;
  for (const minute of falling) t.equal(await sendLate([late + minute, 900 - minute]), 0);
  await t.rejects(sendLate([late + 120, 800]), refused);
  await sendLate(...[180, 240, 300].map(minute => [late + minute, 1000 + minute] as const));
  t.strictSame(shown('2024-01-21'), [[3, [60, 60]]]);
  await stop();
});

t.test('a body whose late readings are refused because of others is refused as a whole', async t => {
  const { send, sendLate, sendBody, waiting, stop } = await writing(-1000, { aggregation: 'counter' });
  await send(600, 300, 5000);
  const before = await waiting();
  const late = -20 * 1440;
  for (const minute of [5, 15, 25, 35]) await sendLate([late + minute, 900 - minute]);
  await t.rejects(sendBody([late + 120, 800], [400, 5100], [500, 5200]), { code: 'notCumulative' });
  t.strictSame(await waiting(), before);
  await sendBody([400, 5100], [500, 5200]);
  t.notSame(await waiting(), before);
  await stop();
});

t.test('a date in progress has no value after its last one, with linear interpolation as well', async t => {
  const { send, shown, isOpen, stop } = await writing(-1000, { interpolationMethod: 'linear' });
  await send(600, 125, 7);
  await send(610, 245, 9);
  t.ok(isOpen());
  t.strictSame(shown('2024-02-10'), [[0, [7, 7, 7, 8, 9]]]);
  await send(25 * 60, 305, 10);
  t.notOk(isOpen());
  t.strictSame(shown('2024-02-10'), [[0, [7, 7, 7, 8, 9, ...Array<number>(19).fill(10)]]], 'once it is over');
  await stop();
});

t.test('a date in progress stays so while senders have time after an outage', async t => {
  for (const [minutes, isOpen] of [
    [14, true],
    [15, false],
  ] as const) {
    const writer = await writing(25 * 60);
    await writer.send(10, 5, 7);
    t.equal(await writer.send(65, 62, 7), 1);
    t.equal(await writer.send(25 * 60 + minutes, 190, 7), 1, 'one of many points that a sender kept');
    t.equal(writer.isOpen(), isOpen);
    await writer.stop();
  }
});

t.test('points of a closed date are stored at once, and leave the wait of corrections as it is', async t => {
  const { send, warnings, stop } = await writing();
  await send(65, 5, 7);
  t.equal(await send(125, 122, 9), 1);
  t.equal(await send(126, 10, 20), 1, 'a correction');
  t.equal(await send(127, -600, 8), 1, 'of yesterday');
  t.equal(await send(128, -600, 9), 1, 'its correction');
  t.equal(await send(129, 11, 20), 0, 'the next correction of today waits');
  t.match(warnings(), exactList({ code: 'correctionsWait' }));
  await stop();
});

t.test('the first corrections after a whole day was set do not wait', async t => {
  const { send, warnings, stop } = await writing();
  await send(65, 5, 7);
  t.equal(await send(125, 122, 9), 1, 'the first slice is over');
  t.equal(await send(126, 10, 20), 1, 'a correction');
  t.equal(await send(127, 11, 20), 0, 'the next one waits');
  t.equal(await send(128, 12, 20, 4), 1, 'one after the days of event 4 does not');
  t.strictSame(warnings(), []);
  t.equal(await send(129, 13, 20, 4), 0, 'the next one waits');
  t.match(warnings(), exactList({ code: 'correctionsWait' }));
  await stop();
});

t.test('points of closed dates wait while more of them come, at most five minutes', async t => {
  let nowMs = 0;
  const { service } = await memoryService({ facts: factsOf(1, 24) });
  const buffer = pointFile(':memory:');
  const areComing = arrivals({ models: service.models, buffer, environment: { elapsedMs: () => nowMs } });
  const source = service.models.sources.setup(1);
  const clock = clockOf('UTC');
  if (!source || !clock) throw new Error('no source');
  const setting = {
    source,
    clock,
    nowMs: Date.parse('2024-02-10T12:00:00Z'),
    elapsedAt: 0,
    isResuming: false,
  };
  const look = async (afterS: number, ...times: readonly string[]): Promise<boolean> => {
    nowMs += 1000 * afterS;
    const points = times.map(time => ({ at: 1000 * Date.parse(`${time}Z`), value: 1, base: -1 }));
    if (points.length > 0) await buffer.add({ sourceId: 1, by: 'anna', points });
    return areComing(setting, await buffer.waiting(1, 1000));
  };
  t.equal(await look(0, '2024-02-10T08:00'), false, 'a date in progress');
  t.equal(await look(10, '2024-02-08T08:00'), true);
  t.equal(await look(10, '2024-02-08T09:00'), true);
  t.equal(await look(5), true);
  t.equal(await look(5, '2024-02-10T09:00'), false, 'ten seconds without points of closed dates');
  for (let count = 0; count < 30; count += 1)
    t.equal(await look(10, `2024-02-08T10:${10 + count}`), true, 'others come');
  t.equal(await look(10, '2024-02-08T11:00'), false, 'five minutes');

  const page = await buffer.waiting(1, 1000);
  const lookAtPage = async (afterS: number): Promise<boolean> => {
    nowMs += 1000 * afterS;
    return areComing(setting, page, true);
  };
  for (let count = 0; count < 30; count += 1)
    t.equal(await lookAtPage(10), true, 'after a page that is full, others may come');
  t.equal(await lookAtPage(10), false, 'five minutes');
});
