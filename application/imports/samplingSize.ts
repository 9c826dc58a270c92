import { countFilledBy, sliceCounts, type Aggregation, type SliceCount } from '../../domain/day.js';

const secondsPerDay = 86_400;

/** A step longer than this multiple of the median step is an interruption, not sampling. */
const interruptedFrom = 3;

/** Largest share of the slices that irregular steps may leave empty. */
const emptyShareMax = 0.01;

/** The lower median of the indices that a histogram counts; `undefined` when it is empty. */
const medianOf = (histogram: Uint32Array): number | undefined => {
  const total = histogram.reduce((sum, count) => sum + count, 0);
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
  const median = medianOf(steps);
  if (median === undefined) return sliceCounts[0];
  const total = steps.reduce((sum, count) => sum + count, 0);
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
