import t from 'tap';
import { projection } from '../../../analysis/learning/clustering/projection.js';
import { flatRows, squaredDistanceTo } from '../../../analysis/math/flatRows.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';

/** Rows of values around a few profiles; `noise` is their distance from the profiles as a share. */
const rowsNear = (profiles: number, width: number, noise: number) => {
  const random = seededRandom(width);
  const made = Array.from({ length: profiles }, () => Array.from({ length: width }, () => random() - 0.5));
  return Array.from({ length: 40 }, (_, row) =>
    made[row % profiles]!.map(value => value + noise * (random() - 0.5)),
  );
};

/** Largest excess of the squared distances of rows over their bounds; the squared norm of each row is bounded, too. */
const excessOf = (list: readonly (readonly number[])[]): number => {
  const rows = flatRows(list);
  const { dimensions, coordinates, remainders, slack } = projection(rows);
  let most = -Infinity;
  for (let one = 0; one < rows.count; one += 1)
    for (let other = 0; other < rows.count; other += 1) {
      let squared = 0;
      for (let at = 0; at < dimensions; at += 1)
        squared += (coordinates[one * dimensions + at]! - coordinates[other * dimensions + at]!) ** 2;
      const [a, b] = [remainders[one]!, remainders[other]!];
      const distance = squaredDistanceTo(rows, one, Float64Array.from(list[other]!));
      most = Math.max(
        most,
        squared + (a - b) ** 2 - slack - distance,
        distance - squared - (a + b) ** 2 - slack,
      );
    }
  return most;
};

t.test('coordinates and remainders bound the distances of rows from below and above', async t => {
  for (const [profiles, width, noise] of [
    [3, 24, 0.2],
    [5, 48, 0],
    [20, 144, 0.5],
    [2, 5, 1],
  ] as const)
    t.ok(excessOf(rowsNear(profiles, width, noise)) <= 0, `${profiles} profiles of ${width} values`);
});

t.test(
  'a basis ends when no remainder is over a hundredth of the largest norm, or at 16 dimensions',
  async t => {
    const restOf = (profiles: number, width: number, noise: number, unit = 1): readonly [number, boolean] => {
      const rows = rowsNear(profiles, width, noise).map(row => row.map(value => unit * value));
      const { dimensions, remainders } = projection(flatRows(rows));
      return [dimensions, Math.max(...remainders) > 1e-6 * unit];
    };
    // Three profiles around their mean need two axes; coordinates come in fours.
    t.strictSame(restOf(3, 48, 0), [4, false]);
    t.strictSame(restOf(3, 48, 0.002), [4, true], 'small noise is left');
    t.strictSame(restOf(3, 48, 0.002, 1000), [4, true], 'in any unit');
    t.strictSame(restOf(40, 48, 0), [16, true]);
    t.strictSame(restOf(40, 24, 0), [24, false], 'narrow rows have as many as values');
  },
);
