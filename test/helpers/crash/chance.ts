import { createHash } from 'node:crypto';

export type Chance = {
  /** 0 ≤ x < 1. */
  readonly next: () => number;
  /** An integer, 0 ≤ n < `end`. */
  readonly below: (end: number) => number;
  readonly one: <Value>(values: readonly Value[]) => Value;
  readonly happens: (share: number) => boolean;
};

/** Mulberry32, seeded with numbers that identify a place in the test. */
export const chance = (...place: readonly number[]): Chance => {
  let state = createHash('sha256').update(place.join()).digest().readUInt32LE();
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    one: values => {
      const value = values[below(values.length)];
      if (value === undefined) throw new RangeError('nothing to choose from');
      return value;
    },
    happens: share => next() < share,
  };
};
