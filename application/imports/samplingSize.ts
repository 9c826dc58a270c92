import { secondsPerDay } from '../../domain/dates.js';
import { countFilledBy, sliceCounts, type Aggregation, type SliceCount } from '../../domain/day.js';

/** A step longer than this multiple of the median step is an interruption, not sampling. */
const interruptedFrom = 3;

/** Largest share of the slices that irregular steps may leave empty. */
const emptyShareMax = 0.01;

/** Sum of the counts of a histogram. A loop: a callback for each of 172,800 lengths took 3 ms of an import. */
const totalOf = (histogram: Uint32Array): number => {
  let total = 0;
  for (let index = 0; index < histogram.length; index += 1) total += histogram[index]!;
  return total;
};

/** The lower median of the `total` indices that a histogram counts; `undefined` when it is empty. */
const medianOf = (histogram: Uint32Array, total: number): number | undefined => {
  let below = 0;
  const found = histogram.findIndex(count => {
    below += count;
    return below > 0 && 2 * below >= total;
  });
  return found < 0 ? undefined : found;
};

/**
 * The number of slices that readings fill. Regular readings, at least half of them at the median step, fill it evenly
 * (countFilledBy). Irregular ones, such as one every 7 to 13 minutes, fill the largest number of slices of which at
 * most one in a hundred stays empty. Their sums would differ from slice to slice, so sums need ten readings a slice.
 * @param steps number of steps by their length in seconds
 */
export const sizeFilledBy = (steps: Uint32Array, aggregation: Aggregation): SliceCount => {
  const total = totalOf(steps);
  const median = medianOf(steps, total);
  if (median === undefined) return sliceCounts[0];
  const isRegular = 2 * (steps[median] ?? 0) >= total;
  if (isRegular || aggregation === 'sum') return countFilledBy(median);
  const sampling = steps.subarray(0, interruptedFrom * median + 1);
  const time = sampling.reduce((sum, count, step) => sum + count * step, 0);
  const emptyShare = (size: SliceCount): number => {
    const seconds = secondsPerDay / size;
    return sampling.reduce((sum, count, step) => sum + count * Math.max(0, step - seconds), 0) / time;
  };
  return [...sliceCounts].reverse().find(size => emptyShare(size) <= emptyShareMax) ?? sliceCounts[0];
};
