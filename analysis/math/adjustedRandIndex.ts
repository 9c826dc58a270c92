/**
 * Adjusted Rand index of two labellings of the same items (Hubert and Arabie 1985): 1 when they are equal up to names,
 * 0 on average for random labellings.
 */
export const adjustedRandIndex = (a: readonly number[], b: readonly number[]): number => {
  const pairs = (count: number): number => (count * (count - 1)) / 2;
  const pairsWithin = (labels: readonly (number | string)[]): number => {
    const counts = new Map<number | string, number>();
    for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
    return [...counts.values()].reduce((sum, count) => sum + pairs(count), 0);
  };
  const inA = pairsWithin(a);
  const inB = pairsWithin(b);
  const inBoth = pairsWithin(a.map((label, at) => `${label}/${b[at]}`));
  const all = pairs(a.length);
  const expected = all > 0 ? (inA * inB) / all : 0;
  const most = (inA + inB) / 2;
  return most === expected ? 1 : (inBoth - expected) / (most - expected);
};
