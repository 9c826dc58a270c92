/**
 * Pseudo-random number generator: mulberry32 (Tommy Ettinger 2017, public domain), with 32 bits of state.
 * It uses integer arithmetic only, so that every machine draws the same numbers. Not for secrets.
 * @param seed a safe integer; only its lower 32 bits are used
 * @returns    a function that returns the next number, 0 ≤ x < 1
 * @throws RangeError when the seed is not a safe integer
 */
export const seededRandom = (seed: number): (() => number) => {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`got seed ${seed}, expected an integer`);
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
