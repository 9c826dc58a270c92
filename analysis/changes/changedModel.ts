import type { AcceptedChange } from '../../domain/source/acceptedChanges.js';
import type { Limits, Model } from '../../domain/planning/models.js';
import { oncePer } from '../math/oncePer.js';
import { fromScale, toScale } from '../math/portableMath.js';
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

/** The slice of a profile whose value is nearest to a value; the first of several. */
const nearestSlice = (profile: readonly number[], value: number): number => {
  let nearest = 0;
  for (let slice = 1; slice < profile.length; slice += 1)
    if (Math.abs(profile[slice]! - value) < Math.abs(profile[nearest]! - value)) nearest = slice;
  return nearest;
};

/**
 * Bounds around a changed profile: a slice that changed has the tolerance, on the log scale, of a slice of the model.
 * @param toleranceOf the slice whose tolerance a changed one has
 */
const boundsAround = (
  { activity, topTolerance, bottomTolerance }: Model,
  limits: Limits,
  profile: readonly number[],
  toleranceOf: (slice: number) => number,
): Pick<Model, 'activity' | 'topTolerance' | 'bottomTolerance'> => {
  const moved = (bounds: readonly number[]): number[] =>
    profile.map((value, slice) => {
      if (value === activity[slice]) return bounds[slice]!;
      const other = toleranceOf(slice);
      const distance = toScale(limits, bounds[other]!) - toScale(limits, activity[other]!);
      return fromScale(limits, toScale(limits, value) + distance);
    });
  return { activity: profile, topTolerance: moved(topTolerance), bottomTolerance: moved(bottomTolerance) };
};

/**
 * A model as an accepted change makes it expected: a level scales profile and bounds, a clock shifts them;
 * new values of an opening have the tolerance of the slice whose expected value is nearest, those of a shape that of
 * their slice. The same object for models of people and those that the change does not move.
 */
export const changedModel = (model: Model, change: AcceptedChange): Model => {
  const { limits, activity } = model;
  const isMoved = change.modelIds === undefined || change.modelIds.includes(model.id);
  if (!limits || !isMoved) return model;
  const moved = (values: readonly number[]): readonly number[] => changedProfile(change, values);
  if (change.type === 'level' || change.type === 'clock')
    return {
      ...model,
      activity: moved(activity),
      topTolerance: moved(model.topTolerance),
      bottomTolerance: moved(model.bottomTolerance),
    };
  const profile = moved(activity);
  const toleranceOf = (slice: number): number =>
    change.type === 'shape' ? slice : nearestSlice(activity, profile[slice]!);
  return { ...model, ...boundsAround(model, limits, profile, toleranceOf) };
};

/** Models as the accepted changes of their source make them expected on a date, and these changes. */
export type ChangedDate = {
  readonly moved: (model: Model) => Model;
  readonly applied: readonly AcceptedChange[];
};

/**
 * Returns a function that moves models by the accepted changes of a source, in their order, from their dates on. Each
 * model is moved once, because checks cache values per model object.
 */
export const changedDates = (accepted: readonly AcceptedChange[]): ((date: string) => ChangedDate) => {
  const known = new Map<string, (model: Model) => Model>();
  return date => {
    const applied = accepted.filter(({ from }) => from <= date);
    const key = applied.map(({ incidentId }) => incidentId).join();
    const moved = known.get(key) ?? oncePer((model: Model) => applied.reduce(changedModel, model));
    known.set(key, moved);
    return { moved, applied };
  };
};
