import { seededRandom } from '../../analysis/math/seededRandom.js';

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
