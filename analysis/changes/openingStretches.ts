import { meanExpected, meanProfile, type LikeDay } from './fits.js';

/** A slice is active above this share of the way from the smallest value to the largest. */
const activeShare = 0.15;

/** A stretch at one end of the active time. `values` are the means of its slices on the days. */
export type OpeningStretch = {
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
  readonly values: readonly number[];
};

/**
 * Stretches at the begin and the end of the expected active time that are closed or open now, on the mean of days.
 * @returns none when the expected day has no end of its active time
 */
export const openingStretches = (days: readonly LikeDay[]): readonly OpeningStretch[] => {
  const expected = meanExpected(days);
  const values = meanProfile(days, expected);
  const floor = Math.min(...expected);
  const active = floor + activeShare * (Math.max(...expected) - floor);
  const isActive = (value: number): boolean => value > active;
  const usual = { from: expected.findIndex(isActive), to: expected.findLastIndex(isActive) + 1 };
  const now = { from: values.findIndex(isActive), to: values.findLastIndex(isActive) + 1 };
  const isAllDay = usual.from <= 0 && usual.to === expected.length;
  if (usual.from < 0 || now.from < 0 || isAllDay) return [];
  const ends = [
    {
      from: Math.min(usual.from, now.from),
      to: Math.max(usual.from, now.from),
      isOpen: now.from < usual.from,
    },
    { from: Math.min(usual.to, now.to), to: Math.max(usual.to, now.to), isOpen: now.to > usual.to },
  ];
  return ends
    .filter(({ from, to }) => from < to)
    .map(stretch => ({ ...stretch, values: values.slice(stretch.from, stretch.to) }));
};
