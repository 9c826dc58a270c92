import { dateOf } from '../../../domain/dates.js';
import { ordinaryDay } from '../service.js';

/** A value at an instant in seconds since 1970; NaN for a value that is no number. */
export type Sample = readonly [at: number, value: number];

const day = 86_400;

/**
 * Hourly values of ordinary days up to the present hour, with what real series have: lost hours, a lost day and values
 * that are no number.
 */
export const hourlySamples = (days: number, nowMs = Date.now()): readonly Sample[] => {
  const now = Math.floor(nowMs / 1000);
  const first = Math.floor(now / day) - days;
  return Array.from({ length: days + 1 }, (_, index) => first + index).flatMap((number, index) =>
    ordinaryDay(dateOf(number)).activity.flatMap((value, hour): Sample[] => {
      const at = number * day + hour * 3600;
      const isLost = index === days - 20 || (index % 9 === 4 && hour > 18);
      if (isLost || at > now - 60) return [];
      return [[at, index % 11 === 5 && hour === 3 ? Number.NaN : value]];
    }),
  );
};

/** The samples whose time is in [from, to) as a CSV that an import takes. */
export const csvOfSamples = (samples: readonly Sample[], from: number, to: number): string =>
  samples
    .filter(([at, value]) => at >= from && at < to && !Number.isNaN(value))
    .map(([at, value]) => `${at},${value}\n`)
    .join('');

/** Parameters that read this CSV. */
export const csvForm = 'separator=comma&decimal=.&dateFormat=epochSeconds';
