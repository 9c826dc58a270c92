import t from 'tap';
import { utcClock } from '../../../application/ports/localClock.js';
import { cutPoints, type CutSource } from '../../../application/requests/points/cutPoints.js';
import { dayNumber, secondsPerDay } from '../../../domain/dates.js';

const now = '2024-05-20';
const parts = {
  models: { typicalDays: { list: () => [] } },
  environment: { nowMs: () => Date.parse(`${now}T12:00:00Z`) },
} as unknown as Parameters<typeof cutPoints>[0];
const source = (aggregation: 'mean' | 'counter'): CutSource => ({
  ...{ id: 1, activitySize: 24, aggregation, interpolationMethod: 'zero', lateness: 'P1D' },
});

/** Points at hours after the start of 2024-05-10: the buffer keeps those from 2024-05-12 on, a week and a day ago. */
const cut = (
  aggregation: 'mean' | 'counter',
  ...points: readonly (readonly [hour: number, value: number])[]
) => {
  const start = dayNumber('2024-05-10') * secondsPerDay;
  const times = Float64Array.from(points, ([hour]) => start + hour * 3600);
  const values = Float64Array.from(points, ([, value]) => value);
  return cutPoints(parts, source(aggregation), utcClock, { times, values });
};

t.test('points of dates that closed a week ago are late; the others are kept', async t => {
  const { late, kept } = await cut('mean', [1, 5], [1.5, 7], [25, 8], [48, 9]);
  t.strictSame(
    late.map(day => [day.dayNumber - dayNumber('2024-05-10'), day.points, day.values[1]]),
    [
      [0, 2, 6],
      [1, 1, 8],
    ],
  );
  t.strictSame([...kept.values], [9]);
  t.strictSame((await cut('mean', [48, 9])).late, []);
  t.strictSame((await cut('mean', [47.9, 9])).kept.times.length, 0);
});

t.test('the readings of a register at the cut are on both sides', async t => {
  const { late, kept } = await cut('counter', [46, 10], [47, 12], [48.5, 15], [49, 20]);
  t.strictSame(
    late.map(day => [day.dayNumber - dayNumber('2024-05-10'), day.points]),
    [[1, 2]],
    'the first kept reading begins no late date',
  );
  t.equal(late[0]?.values[22], 2);
  t.strictSame([...kept.values], [10, 12, 15, 20], 'the buffer keeps readings of two days more');
  const older = await cut('counter', [-2, 8], [46, 10], [48.5, 15]);
  t.strictSame([...older.kept.values], [10, 15]);
});

t.test('readings that are no register are not kept, with the first instant that is stored', async t => {
  const falling = [9, 8, 7, 6].map((value, index) => [index, value] as const);
  const early = await cut('counter', ...falling, [48.5, 15], [49, 20]);
  t.match(early.fault, { code: 'notCumulative' });
  t.strictSame([...early.kept.values], [15, 20], 'the late ones only');
  const present = await cut('counter', ...falling.map(([hour, value]) => [49 + hour, value] as const));
  t.match(present.fault, { code: 'notCumulative' });
  t.strictSame([present.kept.times.length, present.from], [0, Infinity]);
  const rising = await cut('counter', ...falling.map(([hour, value]) => [49 + hour, 10 - value] as const));
  t.strictSame([rising.fault, rising.kept.times.length], [undefined, 4]);
});
