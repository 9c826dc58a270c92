import { exp, ln } from '../math/exactLog.js';

/** Share of the highest scores that the tail is judged by, and what its index is kept within. */
const tailShare = 0.1;
const tailIndex = { least: 2, most: 8 } as const;

/**
 * The conformal p-value of a joint score: the share of the n left-out scores and itself that are at least as high
 * (Vovk, Gammerman and Shafer 2005). Beyond the highest of them, where every score would have 1/(n + 1), it falls as
 * the tail of a Pareto distribution does, whose index is that of the highest tenth (Hill 1975), kept within 2 to 8.
 * @param score  > 0
 * @param scores of ordinary reference days, ascending
 */
export const pValue = (score: number, scores: readonly number[]): number => {
  const highest = scores.at(-1) ?? 0;
  const count = scores.length;
  if (score <= highest) return (scores.filter(other => other >= score).length + 1) / (count + 1);
  if (highest <= 0) return 1 / (count + 1);
  const tail = scores.slice(-Math.max(2, Math.ceil(count * tailShare)));
  const base = tail[0] ?? highest;
  const mean =
    tail.reduce((sum, other) => sum + ln(Math.max(other, 1e-9) / Math.max(base, 1e-9)), 0) / tail.length;
  const index = Math.min(tailIndex.most, Math.max(tailIndex.least, mean > 0 ? 1 / mean : tailIndex.most));
  return exp(index * ln(highest / score)) / (count + 1);
};

/**
 * A p-value as criticity: 1 − p^¼, from 0 for the most ordinary day to 1. A day in a hundred has 0.68, one in ten
 * thousand 0.9; p = (1 − criticity)⁴.
 */
export const criticityOf = (p: number): number => 1 - Math.sqrt(Math.sqrt(p));
