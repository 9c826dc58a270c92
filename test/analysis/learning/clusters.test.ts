import fc from '../../helpers/property.js';
import { kmeans } from 'ml-kmeans';
import t from 'tap';
import {
  centreValues,
  inertiaBounds,
  inertiaOf,
  pointsOf,
} from '../../../analysis/learning/clustering/centres.js';
import { lloyd } from '../../../analysis/learning/clustering/lloyd.js';
import { flatRows } from '../../../analysis/math/flatRows.js';
import { guessedProfiles, nearestProfiles } from '../../../analysis/learning/learn.js';
import { nearestProfile } from '../../../analysis/learning/profiles.js';
import { groupMedians } from '../../../analysis/learning/sliceMedians.js';
import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { sortedQuantile } from '../../../analysis/math/statistics.js';

const squaredEuclidean = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, at) => sum + (x - b[at]!) ** 2, 0);

/** Rows with many equal values and ties, and the indices of the initial centroids. */
const clustering = fc.integer({ min: 1, max: 6 }).chain(width =>
  fc
    .array(
      fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ min: -5, max: 5, noNaN: true })), {
        minLength: width,
        maxLength: width,
      }),
      { minLength: 1, maxLength: 60 },
    )
    .chain(rows =>
      fc.record({
        rows: fc.constant(rows),
        starts: fc.array(fc.nat(rows.length - 1), { minLength: 1, maxLength: Math.min(9, rows.length) }),
      }),
    ),
);

/** Whether labels and centroids are those of ml-kmeans. */
const isSame = (
  { rows, starts }: { readonly rows: number[][]; readonly starts: number[] },
  maxIterations: number,
): boolean => {
  const options = { tolerance: 1e-6, distanceFunction: squaredEuclidean, seed: 0 };
  const initialization = starts.map(row => [...rows[row]!]);
  const expected = kmeans(rows, starts.length, { ...options, initialization, maxIterations });
  const points = pointsOf(flatRows(rows));
  const { centres, step } = lloyd(points, starts, { tolerance: 1e-6, maxIterations });
  const again = kmeans(rows, starts.length, {
    ...options,
    initialization: starts.map((_, centre) => [...centreValues(points, centres, centre)]),
    maxIterations: 1,
  });
  return (
    JSON.stringify([...step.labels]) === JSON.stringify(expected.clusters) &&
    JSON.stringify(again.clusters) === JSON.stringify(expected.clusters) &&
    JSON.stringify(again.centroids) === JSON.stringify(expected.centroids)
  );
};

t.test('k-means: labels and centroids equal those of ml-kmeans', async t => {
  fc.assert(
    fc.property(clustering, fc.integer({ min: 1, max: 40 }), (rows, maxIterations) =>
      isSame(rows, maxIterations),
    ),
    { numRuns: 2000, seed: 20 },
  );
  t.pass('2,000 clusterings');
});

t.test('k-means: the same for rows of more values than the projection has dimensions', async t => {
  const random = seededRandom(23);
  for (let run = 0; run < 300; run += 1) {
    // From rows near a line to noise, whose remainders are as large as its coordinates.
    const noise = 2 * random() ** 3;
    const rows = Array.from({ length: 20 + Math.floor(40 * random()) }, () => {
      const level = random();
      return Array.from({ length: 48 }, (_, slice) => level * ((slice % 5) - 1) + noise * (random() - 0.5));
    });
    const starts = Array.from({ length: 2 + Math.floor(8 * random()) }, (_, at) => 2 * at);
    if (!isSame({ rows, starts }, 1 + Math.floor(30 * random()))) t.fail(`run ${run}`);
  }
  t.pass('300 clusterings');
});

t.test('k-means: the inertia of a run is within its bounds', async t => {
  fc.assert(
    fc.property(clustering, fc.boolean(), ({ rows, starts }, isWide) => {
      // Rows of more values than the projection has dimensions leave a remainder.
      const wide = rows.map((row, at) => [
        ...row,
        ...Array.from({ length: 47 }, (_, slice) => (at * slice) % 7),
      ]);
      const points = pointsOf(flatRows(isWide ? wide : rows));
      const { means } = lloyd(points, starts, { tolerance: 1e-6, maxIterations: 20 });
      const { least, most } = inertiaBounds(points, means);
      const inertia = inertiaOf(points, means);
      return least <= inertia && inertia <= most;
    }),
    { numRuns: 1000, seed: 26 },
  );
  t.pass('1,000 clusterings');
});

t.test('k-means: the values of a centre give close bounds of its remainder on both sides', async t => {
  const random = seededRandom(3);
  const rows = Array.from({ length: 60 }, (_, row) =>
    Array.from({ length: 72 }, (_, slice) => ((row % 3) * slice) / 24 + random()),
  );
  const points = pointsOf(flatRows(rows));
  const { centres } = lloyd(points, [0, 1, 2, 3], { tolerance: 1e-6, maxIterations: 20 });
  const { dimensions, origin, remainders, slack } = points.projection;
  const usual = remainders.reduce((sum, remainder) => sum + remainder, 0) / remainders.length;
  for (let centre = 0; centre < centres.count; centre += 1) {
    const values = centreValues(points, centres, centre);
    const place = centres.coordinates.subarray(centre * dimensions, (centre + 1) * dimensions);
    const squared =
      squaredEuclidean([...values], [...origin.values]) -
      squaredEuclidean([...place], [...place.map(() => 0)]);
    const [low, high] = [centres.remaindersMin[centre]!, centres.remaindersMax[centre]!];
    t.ok(low ** 2 <= squared + slack && squared - slack <= high ** 2, `centre ${centre}`);
    if (centres.sizes[centre]! > 9) t.ok(high < usual / 2, `centre ${centre}: ${high} of ${usual}`);
  }
});

t.test('medians of groups equal the medians of sorted values', async t => {
  const value = fc.oneof(
    fc.integer({ min: -2, max: 2 }),
    fc.double({ min: -9, max: 9, noNaN: true }),
    fc.constant(NaN),
  );
  const grouping = fc.integer({ min: 1, max: 4 }).chain(slices =>
    fc.array(
      fc.record({
        group: fc.integer({ min: -1, max: 3 }),
        row: fc.array(value, { minLength: slices, maxLength: slices }),
      }),
      { minLength: 1, maxLength: 30 },
    ),
  );
  // Later groupings differ in few rows: their medians are found from those before.
  const changes = fc.array(
    fc.array(fc.record({ at: fc.nat(29), group: fc.integer({ min: -1, max: 3 }) }), { maxLength: 6 }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(grouping, changes, (days, later) => {
      const rows = days.map(({ row }) => Float64Array.from(row));
      const fallbacks = [0, 1, 2, 3].map(group => new Float64Array(rows[0]!.length).fill(100 + group));
      const groups = days.map(({ group }) => group);
      return [[], ...later].every(changed => {
        for (const { at, group } of changed) if (at < groups.length) groups[at] = group;
        const medians = groupMedians(rows, groups, fallbacks);
        return fallbacks.every((fallback, group) =>
          fallback.every((other, slice) => {
            const values = rows.filter((_, at) => groups[at] === group).map(row => row[slice]!);
            const present = Float64Array.from(values.filter(value => !Number.isNaN(value))).sort();
            const expected = present.length > 0 ? sortedQuantile(present, 0.5) : other;
            return Object.is(medians[group]![slice], expected);
          }),
        );
      });
    }),
    { numRuns: 2000, seed: 21 },
  );
  t.pass('2,000 groupings, each with up to five more');
});

t.test('nearest profiles: bounds keep the labels of all distances while profiles move', async t => {
  const value = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ min: -3, max: 3, noNaN: true }));
  const moving = fc
    .record({ width: fc.integer({ min: 1, max: 9 }), count: fc.integer({ min: 1, max: 6 }) })
    .chain(({ width, count }) => {
      const row = fc.array(value, { minLength: width, maxLength: width });
      return fc.record({
        rows: fc.array(row, { minLength: 1, maxLength: 30 }),
        guesses: fc.array(fc.nat(count - 1), { minLength: 30, maxLength: 30 }),
        steps: fc.array(fc.array(row, { minLength: count, maxLength: count }), {
          minLength: 1,
          maxLength: 4,
        }),
      });
    });
  const profile = (values: readonly number[]): Float64Array => Float64Array.from(values);
  fc.assert(
    fc.property(moving, fc.constantFrom(1, 0.1), ({ rows: values, guesses, steps }, share) => {
      const rows = values.map(profile);
      const first = steps[0]!.map(profile);
      let nearest = guessedProfiles(first, guesses.slice(0, rows.length));
      return steps.every(step => {
        // A small share keeps the profiles near the first ones, so that bounds hold.
        const moved = first.map((start, at) => start.map((y, slice) => y + share * (step[at]![slice]! - y)));
        nearest = nearestProfiles(rows, moved, nearest);
        return rows.every((row, at) => nearest.labels[at] === nearestProfile(row, moved));
      });
    }),
    { numRuns: 2000, seed: 24 },
  );
  t.pass('2,000 movements');
});
