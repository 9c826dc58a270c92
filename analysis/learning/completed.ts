import type { EngineRules } from '../engine.js';
import type { PreparedReference, ScaledProfile } from './prepare.js';
import { commonProfile, similarMean } from './profiles.js';

/** Number of rounds: in the second one, similar days are complete. */
const rounds = 2;

/** A reference whose profiles have no gaps; the same reference when it has none, or by the rules of older engines. */
export const withoutGaps = (
  prepared: PreparedReference,
  { completesGaps }: Pick<EngineRules, 'completesGaps'>,
): PreparedReference =>
  prepared.isComplete || !completesGaps
    ? prepared
    : { ...prepared, profiles: completedProfiles(prepared), isComplete: true };

/**
 * Profiles of reference days without gaps. A slice without a usable value takes the mean of similar days, moved by the
 * line between the residuals of the slices around the gap; so a day that is high stays high. Only profiles are learned
 * from these values: tolerances, limits and losses use observed slices alone.
 * @param prepared a reference whose profiles have gaps
 */
const completedProfiles = (prepared: PreparedReference): ScaledProfile[] => {
  const { days } = prepared;
  const common = commonProfile(
    prepared,
    days.map(() => true),
  );
  const factors = new Float64Array(days.length).fill(1);
  let profiles = prepared.profiles.map(profile => profile);
  for (let round = 0; round < rounds; round += 1) {
    const known = { ...prepared, profiles, isComplete: round > 0 };
    profiles = days.map(({ scaled, usable }, index) => {
      if (!usable.includes(false)) return scaled;
      factors[index] = 0;
      const expected = similarMean(known, prepared.weights[index]!, factors).map((value, slice) =>
        value === value ? value : common[slice]!,
      );
      factors[index] = 1;
      return completed(scaled, expected);
    });
  }
  return profiles;
};

/** A profile whose gaps have the expected values plus the line between the residuals at their ends. */
const completed = (scaled: ScaledProfile, expected: ScaledProfile): ScaledProfile => {
  const filled = Float64Array.from(scaled);
  for (let from = 0; from < filled.length;) {
    if (scaled[from] === scaled[from]) {
      from += 1;
      continue;
    }
    let to = from;
    while (to < filled.length && scaled[to] !== scaled[to]) to += 1;
    const left = from > 0 ? scaled[from - 1]! - expected[from - 1]! : null;
    const right = to < filled.length ? scaled[to]! - expected[to]! : null;
    const first = left ?? right ?? 0;
    const last = right ?? left ?? 0;
    for (let slice = from; slice < to; slice += 1)
      filled[slice] = expected[slice]! + first + ((last - first) * (slice - from + 1)) / (to - from + 1);
    from = to;
  }
  return filled;
};
