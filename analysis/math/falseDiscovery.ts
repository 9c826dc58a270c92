/**
 * Benjamini–Hochberg procedure (Benjamini and Hochberg 1995): of `count` p-values the k smallest are discoveries, with
 * the largest k whose k-th smallest is at most k · rate / count. The expected share of false ones among them is at most
 * `rate` for valid p-values that are independent or positively dependent (Benjamini and Yekutieli 2001).
 * @param pValues those of some hypotheses, 0–1, in any order; the others count as 1, which adds no discovery
 * @param count   number of all hypotheses, at least that of the p-values
 * @param rate    false-discovery rate, above 0 and below 1
 * @returns       the largest p-value of a discovery; null without one
 */
export const discoveredUpTo = (pValues: readonly number[], count: number, rate: number): number | null => {
  const ascending = Float64Array.from(pValues).sort();
  for (let rank = ascending.length; rank > 0; rank -= 1) {
    const value = ascending[rank - 1]!;
    if (value <= (rank * rate) / count) return value;
  }
  return null;
};
