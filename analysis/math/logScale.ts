import { exp, ln } from './exactLog.js';

/**
 * The scale on which days are compared with their models: y = ln(x / unit + offset) for x ≥ 0 and the straight line
 * that goes on from it below, so that it is monotone and maps back exactly. On it a change by a factor is the same at
 * noon and at night, and what is near nothing does not matter.
 */
export type ToleranceScale = {
  /** The mean magnitude of the reference, in the source's unit, > 0. */
  readonly unit: number;
  /** What a value is raised by, in units, > 0: smaller values are told apart less. */
  readonly offset: number;
};

/** y of a value x. */
export const toScale = ({ unit, offset }: ToleranceScale, x: number): number =>
  x >= 0 ? ln(x / unit + offset) : ln(offset) + x / unit / offset;

/** The value x of a y, at most the largest number: an infinite bound could not be written down. */
export const fromScale = ({ unit, offset }: ToleranceScale, y: number): number => {
  const low = ln(offset);
  const x = y >= low ? Math.max(0, exp(y) - offset) * unit : (y - low) * offset * unit;
  return Math.min(Number.MAX_VALUE, x);
};
