import { seededRandom } from '../../analysis/math/seededRandom.js';
import { runsWhere, usable, type Day } from '../../domain/day.js';
import type { Series } from './series.js';

/** Share of the reference that is seen. */
const seenShare = 1 / 3;

/** Mean length of a stretch that is seen, in days. */
const stretchDays = 3;

/** Reference days of which a random third is there. */
const someDays = (reference: readonly Day[], seed: number): readonly Day[] => {
  const random = seededRandom(seed);
  return reference.filter(() => random() < seenShare);
};

/** A reference that is seen in stretches of random length, begun and ended at any slice; days without one are gone. */
export const inStretches = (reference: readonly Day[], seed: number): readonly Day[] => {
  const random = seededRandom(seed);
  const slices = reference[0]?.activity.length ?? 0;
  let isSeen = random() < seenShare;
  let left = 0;
  const sees = (): boolean => {
    if (left === 0) {
      isSeen = !isSeen;
      const mean = slices * stretchDays * (isSeen ? 1 : (1 - seenShare) / seenShare);
      left = Math.max(1, Math.round(-Math.log(1 - random()) * mean));
    }
    left -= 1;
    return isSeen;
  };
  return reference.flatMap(day => {
    const flags = usable(day).map(isUsable => sees() && isUsable);
    const activity = day.activity.map((value, slice) => (flags[slice] ? value : 0));
    const gaps = runsWhere(slices, slice => !flags[slice]);
    return flags.includes(true) ? [{ date: day.date, activity, gaps, filled: [] }] : [];
  });
};

const thinnings = { 'a third of the days': someDays, 'a third, in stretches': inStretches } as const;

/** Names of the rows of the table, in order. */
export const thinnedNames: readonly string[] = Object.keys(thinnings);

/** A series with a third of its reference, by the names of `thinnedNames`. @param seed an integer */
export const thinned = (series: Series, seed: number): readonly Series[] =>
  Object.values(thinnings).map(thin => ({ ...series, reference: thin(series.reference, seed) }));
