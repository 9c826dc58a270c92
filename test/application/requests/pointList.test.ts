import t from 'tap';
import { clockOf } from '../../../adapters/timeZones.js';
import { utcClock } from '../../../application/ports/localClock.js';
import {
  dayNumbersOf,
  pointCollector,
  rejectedLines,
} from '../../../application/requests/points/pointList.js';
import { secondsPerDay } from '../../../domain/dates.js';
import fc from '../../helpers/property.js';

/** The points of a body by time, and the number of those that say the same twice. */
const collected = async (...points: readonly (readonly [at: number, value: number])[]) => {
  const { add, finish } = pointCollector();
  for (const [at, value] of points) add(at, value);
  const { times, values, duplicates } = await finish();
  return { points: [...times].map((at, index) => [at, values[index]]), duplicates };
};

t.test(
  'points come by time; of one instant the last of the body counts, and the same again is a duplicate',
  async t => {
    t.strictSame(await collected([1, 5], [2, 5]), {
      points: [
        [1, 5],
        [2, 5],
      ],
      duplicates: 0,
    });
    t.strictSame(await collected([3, 6], [1, 1], [2, 5], [1, 1], [2, 6]), {
      points: [
        [1, 1],
        [2, 6],
        [3, 6],
      ],
      duplicates: 1,
    });
    t.strictSame(await collected([1, 4], [1, 5], [1, 5]), { points: [[1, 5]], duplicates: 1 });
    t.strictSame(await collected(), { points: [], duplicates: 0 });
  },
);

t.test('any number of points comes as it was added, by time', async t => {
  for (const count of [65_535, 65_536, 65_537, 200_000]) {
    const { add, finish } = pointCollector();
    for (let index = 0; index < count; index += 1) add(count - index, 2 * index);
    const { times, values } = await finish();
    t.strictSame([times.length, values.length], [count, count]);
    t.ok(times.every((at, index) => at === index + 1 && values[index] === 2 * (count - at)));
  }
});

/** Day numbers of seconds since 1970 by the clock of a time zone. */
const numbersIn = (timeZone: string, times: readonly number[]) =>
  dayNumbersOf({ times: Float64Array.from(times), invalid: 'jsonInvalid' }, clockOf(timeZone) ?? utcClock);

t.test('the dates of points are those of their clock, each once', t => {
  t.strictSame(numbersIn('UTC', []), []);
  t.strictSame(
    numbersIn('UTC', [-1, 0, 1, secondsPerDay - 0.5, secondsPerDay, 9 * secondsPerDay]),
    [-1, 0, 1, 9],
  );
  // In Havana, 00:30 of 5 November 2023 comes twice: the clock goes back from 01:00 to 00:00.
  const havana = clockOf('America/Havana')!;
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1_699_000_000, max: 1_699_400_000 }), { maxLength: 50 }),
      times => {
        const sorted = [...new Set(times)].sort((one, other) => one - other);
        const days = sorted.map(at => Math.floor((at + havana.periodAt(at).offset) / secondsPerDay));
        const found = numbersIn('America/Havana', sorted);
        return JSON.stringify(found) === JSON.stringify([...new Set(days)]);
      },
    ),
  );
  t.end();
});

t.test('points of more dates than an import may have are refused', t => {
  const days = (count: number) => Array.from({ length: count }, (_, day) => day * secondsPerDay + 3600);
  t.equal(numbersIn('UTC', days(50_000)).length, 50_000);
  t.throws(() => numbersIn('UTC', days(50_001)), { code: 'jsonInvalid', faults: [{ code: 'tooManyDays' }] });
  t.end();
});

t.test('rejected lines: any number, each once, and only the reasons that are kept are made', t => {
  const rejected = rejectedLines();
  let made = 0;
  const reasonOf = (line: number) => () => {
    made += 1;
    return `reason of ${line}`;
  };
  // More lines than a Set can hold.
  const lines = 2 ** 24 + 10;
  for (let line = 2; line <= lines; line += 1) rejected.add(line, reasonOf(line));
  for (const line of [2, 9, lines, 1, 1]) rejected.add(line, () => 'another reason');
  t.equal(rejected.count(), lines);
  t.equal(made, 20);
  t.strictSame(
    rejected.first(),
    Array.from({ length: 20 }, (_, index) => ({ line: index + 2, reason: `reason of ${index + 2}` })),
  );
  t.end();
});
