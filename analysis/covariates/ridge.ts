import { selectedQuantile } from '../math/statistics.js';

/** Rows of features with the value that they explain. */
export type Samples = { readonly features: readonly Float64Array[]; readonly values: Float64Array };

/** Penalty on squared coefficients, as a share of the number of samples. Features are in standard deviations. */
const penaltyShare = 0.01;

/** Residuals beyond this many robust standard deviations lose weight (Huber 1964). */
const huberDeviations = 1.5;
const rounds = 5;

/**
 * Robust ridge regression: coefficients of the features. The intercept is not penalised and not returned. Huber's
 * weights by iterated least squares limit the effect of single days.
 * @returns one coefficient for each feature; all 0 without samples
 */
export const robustRidge = ({ features, values }: Samples): Float64Array => {
  const count = features[0]?.length ?? 0;
  let solution: Float64Array = new Float64Array(count + 1);
  const weights = new Float64Array(values.length).fill(1);
  if (values.length === 0) return solution.slice(0, count);
  for (let round = 0; round < rounds; round += 1) {
    solution = weightedRidge({ features, values }, weights);
    const residuals = values.map((value, at) => value - predicted(solution, features[at]!));
    const spread = 1.4826 * selectedQuantile(residuals.map(Math.abs), 0.5);
    if (spread === 0) break;
    residuals.forEach((residual, at) => {
      weights[at] = Math.min(1, (huberDeviations * spread) / Math.max(Math.abs(residual), 1e-300));
    });
  }
  return solution.slice(0, count);
};

const predicted = (solution: Float64Array, features: Float64Array): number =>
  dot(solution, features) + solution[features.length]!;

/** Sum of coefficients times features. */
export const dot = (coefficients: Float64Array, features: Float64Array): number => {
  let sum = 0;
  for (let at = 0; at < features.length; at += 1) sum += coefficients[at]! * features[at]!;
  return sum;
};

/** Solves the normal equations of weighted ridge regression; the intercept is the last coefficient. */
const weightedRidge = ({ features, values }: Samples, weights: Float64Array): Float64Array => {
  const size = (features[0]?.length ?? 0) + 1;
  const rows = Array.from({ length: size }, () => new Float64Array(size + 1));
  features.forEach((own, at) => {
    const weight = weights[at]!;
    const entry = (column: number): number => (column < size - 1 ? own[column]! : 1);
    for (let row = 0; row < size; row += 1) {
      const scaled = weight * entry(row);
      for (let column = 0; column < size; column += 1) rows[row]![column]! += scaled * entry(column);
      rows[row]![size]! += scaled * values[at]!;
    }
  });
  for (let row = 0; row < size - 1; row += 1) rows[row]![row]! += penaltyShare * values.length;
  return solved(rows);
};

/** Gaussian elimination with pivots on the diagonal, which are positive for a penalised matrix. */
const solved = (rows: readonly Float64Array[]): Float64Array => {
  const size = rows.length;
  for (let pivot = 0; pivot < size; pivot += 1) {
    const own = rows[pivot]!;
    if (!(own[pivot]! > 0)) continue;
    for (let row = pivot + 1; row < size; row += 1) {
      const factor = rows[row]![pivot]! / own[pivot]!;
      for (let column = pivot; column <= size; column += 1) rows[row]![column]! -= factor * own[column]!;
    }
  }
  const solution = new Float64Array(size);
  for (let row = size - 1; row >= 0; row -= 1) {
    const own = rows[row]!;
    let sum = own[size]!;
    for (let column = row + 1; column < size; column += 1) sum -= own[column]! * solution[column]!;
    solution[row] = own[row]! > 0 ? sum / own[row]! : 0;
  }
  return solution;
};
