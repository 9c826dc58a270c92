import { isIn, type Day } from './day.js';

/** Heights of block characters, the lowest first, and the mark of a stretch without data. */
const heights = '▁▂▃▄▅▆▇█';
const noData = '·';
const lowest = heights[0] ?? '';

/** Most characters of a line; every number of slices above it is a multiple of a smaller one. */
const charactersMax = 48;

/** Means of the observed slices of equal stretches; undefined for a stretch without data. */
const stretchMeans = ({ activity, gaps }: BlockDay, elapsed: number): readonly (number | undefined)[] => {
  const length = Math.ceil(activity.length / charactersMax);
  return Array.from({ length: Math.ceil(activity.length / length) }, (_, stretch) => {
    const from = stretch * length;
    const observed = activity
      .slice(from, from + length)
      .filter((_value, index) => !isIn(gaps, from + index) && from + index < elapsed);
    const sum = observed.reduce((total, value) => total + value, 0);
    return observed.length === 0 ? undefined : sum / observed.length;
  });
};

type BlockDay = Pick<Day, 'activity' | 'gaps'>;

/**
 * The values of a day as a line of at most 48 block characters, from its lowest value to its highest.
 * @param elapsed slices that have elapsed, for a date in progress
 */
export const dayBlocks = (day: BlockDay, elapsed = day.activity.length): string => {
  const means = stretchMeans(day, elapsed);
  const known = means.filter(mean => mean !== undefined);
  const low = Math.min(...known);
  const span = Math.max(...known) - low;
  return means
    .map(mean => {
      if (mean === undefined) return noData;
      const height = span > 0 ? Math.round(((mean - low) / span) * (heights.length - 1)) : 0;
      return heights[height] ?? lowest;
    })
    .join('');
};
