import { exp, ln } from '../math/portableMath.js';

/** Share of the scores that is the upper tail, and the range of the tail index. */
const tailShare = 0.1;
const tailIndex = { min: 2, max: 8 } as const;

/**
 * Conformal p-value of a joint score: the share of the n reference scores and the score itself that are at least as
 * high (Vovk, Gammerman and Shafer 2005). Above the highest reference score, where that share is always 1/(n + 1), the
 * p-value decreases like a Pareto tail. Its index is estimated from the highest tenth (Hill 1975), clamped to 2–8.
 * @param score  > 0
 * @param scores joint scores of ordinary reference days, ascending
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
  const index = Math.min(tailIndex.max, Math.max(tailIndex.min, mean > 0 ? 1 / mean : tailIndex.max));
  return exp(index * ln(highest / score)) / (count + 1);
};

/** Criticity of a p-value: 1 − p^¼, 0–1. A p-value of 0.01 gives 0.68, one of 0.0001 gives 0.9. */
export const criticityOf = (p: number): number => 1 - Math.sqrt(Math.sqrt(p));
