/** A day that may be like others, in the unit of the source. The arrays have one length. */
export type LikeDay = {
  readonly date: string;
  readonly values: readonly number[];
  /** Profile of its planned model. */
  readonly expected: readonly number[];
  /** Whether each slice has a value. */
  readonly flags: readonly boolean[];
  readonly modelId: number;
  /** Whether its check found it ordinary: then it may contradict a change, and is no like day. */
  readonly isOrdinary?: boolean;
};

/** Number of parts of a day whose sums are compared: an hour each, so that noise of short slices counts less. */
const partsMax = 24;

/**
 * Sum of squares, over the hours of a day, of the sum of its residuals.
 * @param fitted values that a change makes expected, as many as the day has
 */
export const squares = ({ values, flags }: LikeDay, fitted: readonly number[]): number => {
  const per = Math.max(1, Math.floor(values.length / partsMax));
  let total = 0;
  for (let from = 0; from < values.length; from += per) {
    let sum = 0;
    for (let slice = from; slice < Math.min(from + per, values.length); slice += 1)
      if (flags[slice]) sum += values[slice]! - fitted[slice]!;
    total += sum * sum;
  }
  return total;
};

/** Factor on a profile that fits some days best, by least squares; NaN without any expected value. */
export const bestFactor = (days: readonly LikeDay[]): number => {
  let [product, square] = [0, 0];
  for (const { values, expected, flags } of days)
    for (let slice = 0; slice < values.length; slice += 1)
      if (flags[slice]) {
        product += values[slice]! * expected[slice]!;
        square += expected[slice]! * expected[slice]!;
      }
  return product / square;
};

/** Mean of days by slice, over those with a value there; `otherwise` where none has one. */
export const meanProfile = (days: readonly LikeDay[], otherwise: readonly number[]): number[] =>
  otherwise.map((fallback, slice) => {
    let [sum, count] = [0, 0];
    for (const { values, flags } of days)
      if (flags[slice]) {
        sum += values[slice]!;
        count += 1;
      }
    return count === 0 ? fallback : sum / count;
  });

/** Mean of the expected profiles of days by slice. */
export const meanExpected = (days: readonly LikeDay[]): number[] =>
  (days[0]?.expected ?? []).map(
    (_, slice) => days.reduce((sum, { expected }) => sum + expected[slice]!, 0) / days.length,
  );
