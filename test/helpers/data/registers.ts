/** A reading of a register: seconds since 1970, and what it shows. */
export type Reading = { readonly at: number; readonly value: number };

/** A mishap of a register between two of its readings, or of a reading. */
export type Mishap = 'none' | 'lost' | 'reset' | 'exchange' | 'foreign';

/** Readings of a register that counts amounts, and which intervals hide their amount. */
export type Register = {
  readonly readings: readonly Reading[];
  /** Whether the register shows the amount of each interval: both its ends were read, and nothing happened. */
  readonly isShown: readonly boolean[];
  /** Instants of two consecutive readings between which the meter began again. */
  readonly begun: readonly (readonly [from: number, to: number])[];
  /** Intervals that contain the end of the register, or follow lost readings that do. */
  readonly endsAt: readonly number[];
};

/**
 * Integrates amounts into a register that goes back to 0 at `end`. At mishap `n` the reading at the end of interval
 * `n` is lost, or the meter begins again within the interval at 0 (`reset`), at a smaller value (`exchange`) or at a
 * value that is far larger (`foreign`).
 * @param times one more than `amounts`, ascending
 */
export const registerOf = (
  { times, amounts }: { readonly times: readonly number[]; readonly amounts: readonly number[] },
  { start, end, mishaps }: { start: number; end: number; mishaps: readonly Mishap[] },
): Register => {
  const readings: Reading[] = [{ at: times[0] ?? 0, value: start }];
  const isShown: boolean[] = [];
  const largest = amounts.reduce((most, each) => Math.max(most, each), 1);
  const begins: (readonly [number, number])[] = [];
  const endsAt: number[] = [];
  let register = start;
  let isKnown = true;
  amounts.forEach((amount, index) => {
    const last = readings.at(-1)?.value ?? 0;
    const begun = { reset: amount / 2, exchange: last / 3, foreign: register + 1e4 * largest };
    let mishap = mishaps[index] ?? 'none';
    // A meter that begins again at or above the last reading shows nothing of it, and near 10^n it looks like its end.
    const isNearEnd = ((Math.log10(last) % 1) + 1) % 1 > Math.log10(9.9);
    if ((mishap === 'reset' || mishap === 'exchange') && (begun[mishap] >= last || isNearEnd)) mishap = 'none';
    if (mishap === 'foreign' && begun.foreign >= end) mishap = 'none';
    if (mishap !== 'none' && mishap !== 'lost') {
      register = begun[mishap];
      begins.push([readings.at(-1)?.at ?? 0, times[index + 1] ?? 0]);
    } else {
      if (register + amount >= end) endsAt.push(index);
      register = (register + amount) % end;
    }
    isShown.push(isKnown && mishap === 'none');
    isKnown = mishap !== 'lost';
    if (isKnown) readings.push({ at: times[index + 1] ?? 0, value: register });
  });
  return { readings, isShown, begun: begins, endsAt };
};
