import type { LocalClock } from '../../../application/ports/localClock.js';
import { placeAt, sliceStart } from '../../../application/requests/points/sliceTimes.js';
import type { SliceCount } from '../../../domain/day.js';
import type { PulledSource, Samples } from './daybook.js';

const none: Samples = { times: [], values: [] };

/** The last readings, from the start of the slice of the last one or the reading before it. */
const lastOf = ({ times, values }: Samples, size: SliceCount, clock: LocalClock): Samples => {
  const last = times.at(-1);
  if (last === undefined) return none;
  const start = sliceStart(clock, size, placeAt(clock, size, last));
  const from = Math.max(
    0,
    times.findLastIndex(at => at <= start),
  );
  return { times: times.slice(from), values: values.slice(from) };
};

/**
 * Returns a function that puts the last readings of the window before in front of those of a window, so that each
 * slice of a register has the readings around it in one import. Points that are no readings stay as they are.
 */
export const overlapping = (
  { aggregation, activitySize }: PulledSource,
  clock: LocalClock,
): ((window: Samples) => Samples) => {
  let before = none;
  return ({ times, values }) => {
    if (aggregation !== 'counter') return { times, values };
    const joined = { times: [...before.times, ...times], values: [...before.values, ...values] };
    before = lastOf(joined, activitySize as SliceCount, clock);
    return joined;
  };
};
