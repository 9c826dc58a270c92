import type { BrokenRun, Deviation, Stretch } from './findings.js';

/** A day and the values expected of it, by slice. Slices without a usable value take no part. */
export type Compared = {
  readonly activity: readonly number[];
  readonly expected: readonly number[];
  readonly usable: readonly boolean[];
};

/** Share of the largest deviation that a narrower stretch needs to be reported instead. */
const mainShareMin = 0.5;

type Means = Pick<Deviation, 'from' | 'to' | 'slices' | 'actual' | 'expected'>;

/** Means over the usable slices of a stretch; undefined when there are none. */
export const meansOver = (
  { activity, expected, usable }: Compared,
  { from, to }: Stretch,
): Means | undefined => {
  let slices = 0;
  let actual = 0;
  let wanted = 0;
  for (let slice = from; slice < to; slice += 1) {
    if (!usable[slice]) continue;
    slices += 1;
    actual += activity[slice] ?? 0;
    wanted += expected[slice] ?? 0;
  }
  return slices === 0 ? undefined : { from, to, slices, actual: actual / slices, expected: wanted / slices };
};

/** Joins runs of one direction when the day stays on that side of the expected values between them. */
const joinedRuns = (compared: Compared, runs: readonly BrokenRun[]): Stretch[] => {
  const joined: { from: number; to: number; direction: BrokenRun['direction'] }[] = [];
  for (const { from, to, direction } of [...runs].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last?.direction === direction && isOnSide(compared, { from: last.to, to: from }, direction))
      last.to = to;
    else joined.push({ from, to, direction });
  }
  return joined.map(({ from, to }) => ({ from, to }));
};

const isOnSide = (
  { activity, expected, usable }: Compared,
  { from, to }: Stretch,
  direction: BrokenRun['direction'],
): boolean => {
  for (let slice = from; slice < to; slice += 1) {
    const difference = (activity[slice] ?? 0) - (expected[slice] ?? 0);
    if (usable[slice] && (direction === 'over' ? difference < 0 : difference > 0)) return false;
  }
  return true;
};

const size = ({ slices, actual, expected }: Means): number => Math.abs(actual - expected) * slices;

/**
 * Main stretch of a day: the narrowest one with at least half of the largest deviation.
 * @param runs  slices outside the bounds
 * @param wider other stretches that broke a limit, by ascending length
 * @returns     null when no stretch has a usable slice
 */
export const mainDeviation = (
  compared: Compared,
  runs: readonly BrokenRun[],
  wider: readonly Stretch[],
): Omit<Deviation, 'comparedWith'> | null => {
  const stretches = joinedRuns(compared, runs);
  const means = stretches.flatMap(stretch => meansOver(compared, stretch) ?? []);
  const [largest] = means.sort((a, b) => size(b) - size(a));
  const candidates = [
    ...(largest ? [largest] : []),
    ...wider.flatMap(stretch => meansOver(compared, stretch) ?? []),
  ];
  const most = Math.max(...candidates.map(size));
  const main = candidates.find(candidate => size(candidate) >= mainShareMin * most);
  if (!main) return null;
  return {
    ...main,
    others: stretches.filter(({ from, to }) => to <= main.from || main.to <= from).length,
  };
};
