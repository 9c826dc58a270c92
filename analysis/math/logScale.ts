import { exp, ln } from './portableMath.js';

/**
 * The scale on which days are compared with models: y = ln(x / unit + offset) for x ≥ 0, and its tangent below 0.
 * It is monotone and can be inverted everywhere. A change by a given factor has nearly the same size at every level,
 * and differences between values near 0 are small.
 */
export type LogScale = {
  /** Mean magnitude of the reference, in the unit of the source, > 0. */
  readonly unit: number;
  /** Added to x / unit, > 0. A larger offset makes differences between small values smaller. */
  readonly offset: number;
};

/** Converts a value x to y. */
export const toScale = ({ unit, offset }: LogScale, x: number): number =>
  x >= 0 ? ln(x / unit + offset) : ln(offset) + x / unit / offset;

/** Converts y back to x. The result is at most Number.MAX_VALUE, since JSON has no infinity. */
export const fromScale = ({ unit, offset }: LogScale, y: number): number => {
  const low = ln(offset);
  const x = y >= low ? Math.max(0, exp(y) - offset) * unit : (y - low) * offset * unit;
  return Math.min(Number.MAX_VALUE, x);
};
