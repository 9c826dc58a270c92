import type { CoarseDay } from './heldOutDays.js';

/** Days before and after a day, by place, whose mean is taken from it: seasons must not look like lengths. */
const around = 25;

/** Parts of days minus the mean of the days around them; NaN stays NaN. */
const withoutSeason = (days: readonly CoarseDay[]): Float64Array[] => {
  const size = days[0]!.parts.length;
  const residuals = days.map(({ parts }) => Float64Array.from(parts));
  for (let part = 0; part < size; part += 1) {
    let sum = 0;
    let count = 0;
    const add = (index: number, sign: 1 | -1): void => {
      const value = days[index]?.parts[part] ?? Number.NaN;
      if (value !== value) return;
      sum += sign * value;
      count += sign;
    };
    for (let index = 0; index < around; index += 1) add(index, 1);
    for (let index = 0; index < days.length; index += 1) {
      add(index + around, 1);
      add(index - around - 1, -1);
      residuals[index]![part]! -= sum / count;
    }
  }
  return residuals;
};

/**
 * Mean absolute error of planning held-out days by a cycle of each length: by the mean of the days of the same place
 * outside their block. It only ranks lengths, since it has means and no kernel of the season.
 * @param days by date
 */
export const lengthErrors = (days: readonly CoarseDay[], lengths: readonly number[]): number[] => {
  const residuals = withoutSeason(days);
  const blocks = new Map<number, number>();
  for (const { block } of days) if (!blocks.has(block)) blocks.set(block, blocks.size);
  const blockOf = Int32Array.from(days, ({ block }) => blocks.get(block)!);
  return lengths.map(length => {
    const phases = Int32Array.from(days, ({ number }) => ((number % length) + length) % length);
    let error = 0;
    let compared = 0;
    for (let part = 0; part < days[0]!.parts.length; part += 1) {
      const sums = new Float64Array(length * (blocks.size + 1));
      const counts = new Int32Array(sums.length);
      residuals.forEach((residual, index) => {
        if (residual[part] !== residual[part]) return;
        for (const row of [0, blockOf[index]! + 1]) {
          sums[row * length + phases[index]!]! += residual[part]!;
          counts[row * length + phases[index]!]! += 1;
        }
      });
      residuals.forEach((residual, index) => {
        const own = (blockOf[index]! + 1) * length + phases[index]!;
        const others = counts[phases[index]!]! - counts[own]!;
        if (residual[part] !== residual[part] || others === 0) return;
        error += Math.abs(residual[part]! - (sums[phases[index]!]! - sums[own]!) / others);
        compared += 1;
      });
    }
    return compared > 0 ? error / compared : Number.POSITIVE_INFINITY;
  });
};
