import { seededRandom } from '../../analysis/math/seededRandom.js';
import { sortedQuantile } from '../../analysis/math/statistics.js';

const resamples = 2000;
const probabilities = [0.025, 0.975] as const;

export type Interval = readonly [low: number, high: number];

/**
 * 95 % bootstrap interval over series (Efron 1979, percentiles): how far a pooled number would move with other series
 * of this kind. Null when it is not known for most resamples.
 * @param value the pooled number of some series; null when it is not known
 */
export const intervalOf = <Item>(
  series: readonly Item[],
  value: (sample: readonly Item[]) => number | null,
  seed: number,
): Interval | null => {
  const random = seededRandom(seed);
  const values: number[] = [];
  for (let round = 0; round < resamples; round += 1) {
    const drawn = series.map(() => series[Math.floor(random() * series.length)]!);
    const found = value(drawn);
    if (found !== null) values.push(found);
  }
  if (2 * values.length < resamples) return null;
  const sorted = Float64Array.from(values).sort();
  return [sortedQuantile(sorted, probabilities[0]), sortedQuantile(sorted, probabilities[1])];
};
