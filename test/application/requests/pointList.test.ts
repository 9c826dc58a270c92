import t from 'tap';
import { pointCollector } from '../../../application/requests/points/pointList.js';

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
