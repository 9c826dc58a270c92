import { minutesPerDay } from '../../domain/dates.js';
import type { MeasuredChange } from '../../domain/incidents/changes.js';

/** Number of slices of some minutes. */
export const slicesOf = (minutes: number, size: number): number =>
  Math.round((minutes * size) / minutesPerDay);

/** A profile that comes some slices later; slices that leave the day at one end enter it at the other. */
const shifted = (profile: readonly number[], slices: number): number[] => {
  const size = profile.length;
  return profile.map((_, slice) => profile[(((slice - slices) % size) + size) % size]!);
};

/**
 * A profile as a change makes it expected.
 * @param profile values by slice in the unit of the source
 */
export const changedProfile = (
  { type, size, minutes = [0, minutesPerDay], values }: Omit<MeasuredChange, 'from'>,
  profile: readonly number[],
): readonly number[] => {
  switch (type) {
    case 'level':
      return profile.map(value => value * (1 + size));
    case 'clock':
      return shifted(profile, slicesOf(size, profile.length));
    case 'opening': {
      const from = slicesOf(minutes[0], profile.length);
      return profile.map((value, slice) => values?.[slice - from] ?? value);
    }
    case 'shape':
      return values ?? profile;
  }
};
