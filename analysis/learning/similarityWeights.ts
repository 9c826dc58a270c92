/** What the days of a reference say of one date: their indices and weights > 0, in order of date. */
export type KinRow = {
  /** Days that count for more than a ten-thousandth of the one that counts most. */
  readonly near: readonly number[];
  readonly weights: Float64Array;
  /** The weights of all days, for dates whose near days are all left out. */
  readonly all: Float64Array;
};

/** Below this share of the largest weight a day is looked at only where there is nothing nearer. */
const nearShare = 1e-4;

/**
 * The row of a date.
 * @param date    its day number
 * @param numbers day numbers of the reference days
 * @param kinship how much a reference day says of a date, ≥ 0 (domain/planning.ts)
 */
export const kinRow = (
  date: number,
  numbers: readonly number[],
  kinship: (date: number, reference: number) => number,
): KinRow => {
  const all = Float64Array.from(numbers, number => kinship(date, number));
  const least = all.reduce((most, weight) => Math.max(most, weight), 0) * nearShare;
  const near = numbers.flatMap((_, index) => ((all[index] ?? 0) > least ? index : []));
  return { near, weights: Float64Array.from(near, index => all[index] ?? 0), all };
};

/** Calls back for each day that counts and is included: the near ones, or all when none of them is. */
export const eachKin = (
  row: KinRow,
  included: (index: number) => number,
  visit: (index: number, weight: number) => void,
): void => {
  let any = false;
  row.near.forEach((index, at) => {
    const weight = row.weights[at]! * included(index);
    if (weight === 0) return;
    any = true;
    visit(index, weight);
  });
  if (any) return;
  for (let index = 0; index < row.all.length; index += 1) {
    const weight = row.all[index]! * included(index);
    if (weight > 0) visit(index, weight);
  }
};
