/**
 * A source of numbers 0 ≤ x < 1 that depends on its seed alone: mulberry32 of Tommy Ettinger (2017, public
 * domain), 32 bits of state, one number for each of them. Integer arithmetic only, so every machine draws
 * the same; made for choosing starts, not for secrets.
 * @param seed a safe integer, of which the lower 32 bits count
 * @throws RangeError when the seed is not a safe integer
 */
export const randomFrom = (seed: number): (() => number) => {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`got seed ${seed}, expected an integer`);
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
