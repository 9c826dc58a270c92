import { createHash } from 'node:crypto';

export type Chance = {
  /** From 0 to below 1. */
  readonly next: () => number;
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly one: <Value>(of: readonly Value[]) => Value;
  readonly happens: (share: number) => boolean;
};

/** Mulberry32, from numbers that name a place in the test. */
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
    one: of => {
      const value = of[below(of.length)];
      if (value === undefined) throw new RangeError('nothing to choose from');
      return value;
    },
    happens: share => next() < share,
  };
};
