import { clusterRows, scaledRows } from '../../analysis/learning/clustering/clusterRows.js';
import { dayNumber, dayOfYear, seasonGap, weekday } from '../../domain/dates.js';
import { usable, type Day } from '../../domain/day.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { sortedQuantile } from '../../analysis/math/statistics.js';

type Tree =
  | { readonly size: number }
  | { readonly feature: number; readonly value: number; readonly below: Tree; readonly above: Tree };

/** Mean length of an unsuccessful search in a binary search tree of `size` points. */
const searchLength = (size: number): number => {
  if (size < 2) return 0;
  if (size === 2) return 1;
  return 2 * (Math.log(size - 1) + 0.577_215_664_901_532_9) - (2 * (size - 1)) / size;
};

/**
 * An isolation forest: points that random cuts isolate early are unusual.
 * @param rows      n × m finite values
 * @param trees     number of trees
 * @param subsample rows drawn without replacement for each tree, at most all
 * @returns         a function that returns the anomaly score of a row, 0–1, larger for unusual rows
 * @see Liu, Ting and Zhou 2008, Isolation Forest, ICDM
 */
export const isolationForest = (
  rows: readonly (readonly number[])[],
  trees: number,
  subsample: number,
  seed: number,
): ((row: readonly number[]) => number) => {
  const random = seededRandom(seed);
  const size = Math.min(subsample, rows.length);
  const depthMax = Math.ceil(Math.log2(Math.max(size, 2)));

  const grow = (some: readonly (readonly number[])[], depth: number): Tree => {
    if (depth >= depthMax || some.length < 2) return { size: some.length };
    const ranges = (some[0] ?? []).flatMap((_, feature) => {
      let [low, high] = [Infinity, -Infinity];
      for (const row of some) {
        low = Math.min(low, row[feature]!);
        high = Math.max(high, row[feature]!);
      }
      return low < high ? { feature, low, high } : [];
    });
    const cut = ranges[Math.floor(random() * ranges.length)];
    if (cut === undefined) return { size: some.length };
    const { feature, low, high } = cut;
    const value = low + random() * (high - low);
    return {
      feature,
      value,
      below: grow(
        some.filter(row => row[feature]! < value),
        depth + 1,
      ),
      above: grow(
        some.filter(row => row[feature]! >= value),
        depth + 1,
      ),
    };
  };
  const forest = Array.from({ length: trees }, () => {
    const order = rows.map((_, index) => index);
    for (let index = 0; index < size; index += 1) {
      const other = index + Math.floor(random() * (order.length - index));
      [order[index], order[other]] = [order[other]!, order[index]!];
    }
    return grow(
      order.slice(0, size).map(index => rows[index]!),
      0,
    );
  });

  const pathLength = (row: readonly number[], from: Tree): number => {
    let tree = from;
    let depth = 0;
    for (; 'feature' in tree; depth += 1) tree = row[tree.feature]! < tree.value ? tree.below : tree.above;
    return depth + searchLength(tree.size);
  };
  return row => {
    const mean = forest.reduce((sum, tree) => sum + pathLength(row, tree), 0) / trees;
    return 2 ** (-mean / searchLength(size));
  };
};

/**
 * A simple method to check days, for comparison. `fit` learns from reference days and returns a function that flags a
 * day. All are deterministic, ignore holidays and use observed slices only.
 */
export type Baseline = {
  readonly name: string;
  readonly fit: (reference: readonly Day[]) => (day: Day) => boolean;
};

const seed = 1;

/** Weekday of a date, 0 Monday to 6 Sunday. */
const weekdayOf = ({ date }: Day): number => weekday(dayNumber(date));

type Spread = { readonly mean: number; readonly sd: number };

/** Mean and standard deviation (population) of each slice; NaN where no day observed it. */
const spreads = (days: readonly Day[], slices: number): Spread[] => {
  const flags = days.map(usable);
  return Array.from({ length: slices }, (_, slice) => {
    const values = days.flatMap((day, index) => (flags[index]?.[slice] ? (day.activity[slice] ?? 0) : []));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return {
      mean,
      sd: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length),
    };
  });
};

/** Mean of each weekday and slice; the mean of all days if the weekday has none, 0 without any. */
export const weekdayMeans = (reference: readonly Day[]): ((day: Day) => number[]) => {
  const slices = reference[0]?.activity.length ?? 0;
  const all = spreads(reference, slices).map(({ mean }) => mean || 0);
  const means = Array.from({ length: 7 }, (_, weekdayIndex) =>
    spreads(
      reference.filter(day => weekdayOf(day) === weekdayIndex),
      slices,
    ).map(({ mean }, slice) => (Number.isNaN(mean) ? (all[slice] ?? 0) : mean)),
  );
  return day => means[weekdayOf(day)] ?? all;
};

/** Any slice outside mean ± 3 standard deviations of its weekday. */
const weekdayBand: Baseline = {
  name: 'weekday ± 3 sd',
  fit: reference => {
    const slices = reference[0]?.activity.length ?? 0;
    const bands = Array.from({ length: 7 }, (_, weekdayIndex) =>
      spreads(
        reference.filter(day => weekdayOf(day) === weekdayIndex),
        slices,
      ),
    );
    return day => {
      const flags = usable(day);
      const band = bands[weekdayOf(day)] ?? [];
      return day.activity.some((value, slice) => {
        const { mean, sd } = band[slice] ?? { mean: NaN, sd: NaN };
        return flags[slice] === true && Math.abs(value - mean) > 3 * sd;
      });
    };
  },
};

/** A day as a point: missing slices have the mean of their weekday. */
const pointsBy = (reference: readonly Day[]): ((day: Day) => number[]) => {
  const means = weekdayMeans(reference);
  return day => {
    const flags = usable(day);
    const mean = means(day);
    return day.activity.map((value, slice) => (flags[slice] ? value : (mean[slice] ?? 0)));
  };
};

/** Isolation forest on the slices; flags scores above those of all but 1 % of the reference days. */
const forest: Baseline = {
  name: 'isolation forest',
  fit: reference => {
    const point = pointsBy(reference);
    const points = reference.map(point);
    const score = isolationForest(points, 100, 256, seed);
    const threshold = sortedQuantile(Float64Array.from(points, score).sort(), 0.99);
    return day => score(point(day)) > threshold;
  },
};

/** The cluster of days with a similar season and weekday. */
const planBy = (days: readonly Day[], labels: readonly number[], count: number): ((day: Day) => number) => {
  const learned = days.map(({ date }, index) => {
    const number = dayNumber(date);
    return { label: labels[index] ?? 0, weekday: weekday(number), season: dayOfYear(number) };
  });
  return ({ date }) => {
    const number = dayNumber(date);
    const [weekdayIndex, season] = [weekday(number), dayOfYear(number)];
    const shares = Array<number>(count).fill(0);
    for (const day of learned) {
      const part = seasonGap(season, day.season) / 63;
      const nearness = part < 1 ? (1 - part * part) ** 2 : 0;
      const weekdayWeight = day.weekday === weekdayIndex ? 1 : day.weekday < 5 === weekdayIndex < 5 ? 0.1 : 0;
      shares[day.label]! += (nearness + 1e-6) * weekdayWeight;
    }
    return shares.indexOf(Math.max(...shares));
  };
};

/** Largest distance of an observed slice from a profile. */
const supDistance = (day: Day, profile: readonly number[]): number => {
  const flags = usable(day);
  return day.activity.reduce(
    (most, value, slice) => (flags[slice] ? Math.max(most, Math.abs(value - (profile[slice] ?? 0))) : most),
    0,
  );
};

/**
 * k-means, planning by season and weekday, and one width for all slices by split conformal prediction: half of the
 * reference days are learned from, the others give the distances from their planned profiles.
 * @see Vovk, Gammerman and Shafer 2005, Algorithmic Learning in a Random World; the width is that of a band in the
 *      supremum norm (Lei, Rinaldo and Wasserman 2015, A conformal prediction approach to explore functional data)
 */
const conformal = (clusters: number, coverage: number): Baseline => ({
  name: `k=${clusters} conformal ${coverage * 100} %`,
  fit: reference => {
    const point = pointsBy(reference);
    const learned = reference.filter((_, index) => index % 2 === 0);
    const points = learned.map(point);
    const labels = clusterRows(scaledRows(points), Math.min(clusters, points.length), seed);
    const count = Math.max(...labels) + 1;
    const profiles = Array.from({ length: count }, (_, cluster) => {
      const members = points.filter((_, index) => labels[index] === cluster);
      return (members[0] ?? []).map(
        (_, slice) => members.reduce((sum, row) => sum + (row[slice] ?? 0), 0) / members.length,
      );
    });
    const plan = planBy(learned, labels, count);
    const score = (day: Day): number => supDistance(day, profiles[plan(day)] ?? []);
    const scores = Float64Array.from(
      reference.filter((_, index) => index % 2 === 1),
      score,
    ).sort();
    // With fewer days no finite width has the target coverage.
    const width = scores[Math.ceil((scores.length + 1) * coverage) - 1] ?? Infinity;
    return day => score(day) > width;
  },
});

/** In the order of the table's columns. */
export const baselines: readonly Baseline[] = [weekdayBand, forest, conformal(8, 0.95), conformal(6, 0.99)];
