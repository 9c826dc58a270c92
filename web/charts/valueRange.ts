import type { Model } from '../api/types.js';
import type { DayPicture, Profile } from './dayPicture.js';

/** The range of an axis: every given value, and 0 where that is near. */
export const rangeOf = (profiles: readonly Profile[]): [number, number] => {
  const values = profiles.flat().filter(value => value !== null);
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (values.length === 0) return [0, 1];
  const from = low >= 0 && low < 0.5 * high ? 0 : low;
  return [from, high === from ? from + 1 : high];
};

/** A lower bound as charts show it: not below 0 where no value is, as for counts. The band then ends at the axis. */
const shownBound = (bottom: readonly number[], values: readonly Profile[]): Profile =>
  values.some(profile => profile.some(value => value !== null && value < 0))
    ? bottom
    : bottom.map(value => Math.max(0, value));

/** Profiles that a picture draws, for a common axis. */
export const profilesOf = ({ actual, planned }: DayPicture): Profile[] => {
  const values = [actual, planned?.activity].filter(profile => profile !== null && profile !== undefined);
  return planned ? [...values, planned.top, shownBound(planned.bottom, values)] : values;
};

/** The range of the charts of models next to each other. */
export const rangeOfModels = (
  models: readonly Pick<Model, 'activity' | 'topTolerance' | 'bottomTolerance'>[],
): [number, number] => {
  const values = models.map(({ activity }) => activity);
  return rangeOf(
    models.flatMap(({ topTolerance, bottomTolerance }) => [
      topTolerance,
      shownBound(bottomTolerance, values),
    ]),
  );
};
