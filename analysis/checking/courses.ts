/** Courses of some days: differences between neighbouring slices on the log scale, in one array, row after row. */
export type Courses = {
  readonly values: Float64Array;
  /** Number of differences of a day. */
  readonly width: number;
  /** Mean of each slice on the log scale, which a slice without a value gets. */
  readonly means: Float64Array;
};

/** Differences of neighbouring slices, written from a place on. @param scaled NaN in slices without a value */
const writeCourse = (scaled: Float64Array, means: Float64Array, into: Float64Array, from: number): void => {
  const at = (slice: number): number => {
    const value = scaled[slice]!;
    return value === value ? value : means[slice]!;
  };
  for (let slice = 1; slice < scaled.length; slice += 1) into[from + slice - 1] = at(slice) - at(slice - 1);
};

const meansOf = (rows: readonly Float64Array[]): Float64Array => {
  const means = new Float64Array(rows[0]?.length ?? 0);
  for (let slice = 0; slice < means.length; slice += 1) {
    let sum = 0;
    let count = 0;
    for (const row of rows) {
      const value = row[slice]!;
      if (value !== value) continue;
      sum += value;
      count += 1;
    }
    means[slice] = count > 0 ? sum / count : 0;
  }
  return means;
};

/** Courses of days on the log scale. @param rows at least one; NaN in slices without a value */
export const coursesOf = (rows: readonly Float64Array[]): Courses => {
  const means = meansOf(rows);
  const width = Math.max(0, means.length - 1);
  const values = new Float64Array(rows.length * width);
  rows.forEach((row, index) => writeCourse(row, means, values, index * width));
  return { values, width, means };
};

/** Course of one more day. @param means values of slices without one; NaN leaves them out */
export const courseOf = (scaled: Float64Array, means: Float64Array): Float64Array => {
  const course = new Float64Array(Math.max(0, scaled.length - 1));
  writeCourse(scaled, means, course, 0);
  return course;
};

/** Slices between two comparisons of a distance with the farthest of the nearest ones. */
const slicesPerLook = 24;

/** Squared distance of a course from a row; Infinity when it is at least `most`. NaN of a course does not count. */
export const squaredUpTo = (
  course: Float64Array,
  { values, from }: { readonly values: Float64Array; readonly from: number },
  most: number,
): number => {
  let total = 0;
  for (let at = 0; at < course.length;) {
    const end = Math.min(course.length, at + slicesPerLook);
    for (; at < end; at += 1) {
      const difference = course[at]! - values[from + at]!;
      if (difference === difference) total += difference * difference;
    }
    if (total >= most) return Number.POSITIVE_INFINITY;
  }
  return total;
};
