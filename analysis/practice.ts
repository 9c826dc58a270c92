import { dateOf } from '../domain/dates.js';
import type { Day } from '../domain/day.js';
import { calendarOf } from './calendar/holidays.js';
import type { CheckStop } from './checkStop.js';
import { typicalDays } from './learning/typicalDays.js';
import { seededRandom } from './math/seededRandom.js';

const seed = 1;
const days = 120;
const slices = 24;
/** Monday 2 January 2023. */
const firstDay = 19_359;

/** Made-up days with a rhythm of the day and of the week. */
const practiceDays = (): Day[] => {
  const random = seededRandom(seed);
  return Array.from({ length: days }, (_, index) => {
    const level = (index % 7 < 5 ? 10 : 4) * (0.9 + 0.2 * random());
    return {
      date: dateOf(firstDay + index),
      activity: Array.from({ length: slices }, (_, slice) =>
        slice < 7 ? 1 + random() : level * (0.9 + 0.2 * random()),
      ),
      gaps: [],
      filled: [],
    };
  });
};

/**
 * Learns from made-up days, so that modules, holidays and compiled code are there before the first analysis of a
 * process.
 * @throws any error of `checkStop`
 */
export const practise = (checkStop: CheckStop): void => {
  const calendar = calendarOf('FR', 2023);
  checkStop();
  typicalDays(practiceDays(), { modelCount: null, coverage: null, calendar, seed }, checkStop);
};
