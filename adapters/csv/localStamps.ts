import type { ImportSummary } from '../../domain/days.js';
import type { LocalClock } from '../../application/imports/localClock.js';

/** Counts of the rows by a local clock that needed a decision. */
export type LocalStamps = NonNullable<ImportSummary['localStamps']>;

/** Reads times of a local clock as instants. */
export type LocalStampReader = {
  /** Changes times to instants, in place, up to the first one that does not mean exactly one. Returns their number. */
  readonly convert: (times: Float64Array, count: number) => number;
  /**
   * Returns the instant of one time, and counts it. In a repeated hour it is the first instant after the last row, or
   * the second one if there is none; in a skipped hour it is undefined.
   */
  readonly instantAfter: (localTime: number, last: number) => number | undefined;
  /** `undefined` when every time meant exactly one instant. */
  readonly counts: () => LocalStamps | undefined;
};

/** A reader of local times in the order of their rows. */
export const localStampReader = (clock: LocalClock): LocalStampReader => {
  // Local times from `from` to `to` mean exactly one instant each.
  let from = 0;
  let to = 0;
  let offset = 0;
  let repeatedHour = 0;
  let skippedHour = 0;

  /** The instants of a time. Turns the range to its period if the periods before and after have the same offset. */
  const instantsOf = (localTime: number): readonly number[] => {
    const instants = clock.instantsOf(localTime);
    const [at] = instants;
    if (at === undefined || instants.length > 1) return instants;
    const period = clock.periodAt(at);
    const neighbours = [period.from - 1, period.to].filter(Number.isFinite);
    if (neighbours.every(next => clock.periodAt(next).offset === period.offset)) {
      ({ offset } = period);
      from = period.from + offset;
      to = period.to + offset;
    }
    return instants;
  };

  return {
    convert: (times, count) => {
      for (let index = 0; index < count; index += 1) {
        const time = times[index] ?? NaN;
        if (time >= from && time < to) times[index] = time - offset;
        else {
          const [at, second] = instantsOf(time);
          if (at === undefined || second !== undefined) return index;
          times[index] = at;
        }
      }
      return count;
    },
    instantAfter: (localTime, last) => {
      const instants = instantsOf(localTime);
      if (instants.length === 0) skippedHour += 1;
      if (instants.length > 1) repeatedHour += 1;
      return instants.find(at => at > last) ?? instants.at(-1);
    },
    counts: () => (repeatedHour + skippedHour === 0 ? undefined : { repeatedHour, skippedHour }),
  };
};

const rowsOf = (count: number): string => `${count} row${count === 1 ? '' : 's'}`;

/** The warning for rows by a local clock that needed a decision. */
export const localStampsWarning = (
  { repeatedHour, skippedHour }: LocalStamps,
  timeZone: string,
): ImportSummary['warnings'][number] => ({
  code: 'localStamps',
  detail: `the clock of ${timeZone}: ${[
    ...(repeatedHour > 0
      ? [`${rowsOf(repeatedHour)} in hours that occur twice, put in the order of the rows`]
      : []),
    ...(skippedHour > 0 ? [`${rowsOf(skippedHour)} in hours that are skipped, left out`] : []),
  ].join('; ')}`,
});
