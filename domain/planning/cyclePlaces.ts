import { month, weekday } from '../dates.js';
import { isWorkingDay, type DayType } from './calendar.js';
import { cycleOfDays, phaseOf, type CyclePlace, type DayCycle, type MonthDay } from './dayCycles.js';

const noPlace: CyclePlace = {};

/**
 * Returns the place of a date, given as its day number, in the cycles of a source. Holidays and special days are no
 * date of a month.
 */
export const cyclePlaces = (
  cycles: readonly DayCycle[] | undefined,
  typeOf: (number: number) => DayType,
): ((number: number) => CyclePlace) => {
  if (!cycles || cycles.length === 0) return () => noPlace;
  const days = cycleOfDays(cycles);
  const placeOf = (number: number): Pick<CyclePlace, 'phase'> => {
    const isPhase = days && (days.weekdays?.includes(weekday(number)) ?? true);
    return isPhase ? { phase: phaseOf(days, number) } : noPlace;
  };
  const tests = cycles.map(cycle => (cycle.kind === 'monthDay' ? isMonthDay(cycle, typeOf) : () => false));
  return number => {
    const { type } = typeOf(number);
    const monthDay = type === 'holiday' || type === 'special' ? -1 : tests.findIndex(test => test(number));
    return { ...placeOf(number), ...(monthDay >= 0 && { monthDay }) };
  };
};

/** Returns whether a date, given as its day number, is that date of its month. */
export const isMonthDay = (
  { counts, place, weekday: wanted }: MonthDay,
  typeOf: (number: number) => DayType,
): ((number: number) => boolean) => {
  if (counts === 'workingDays') return isWorkingPlace(place, typeOf);
  const step = counts === 'weekdays' ? 7 : 1;
  const sign = place > 0 ? -1 : 1;
  const reach = Math.abs(place);
  return number => {
    if (counts === 'weekdays' && weekday(number) !== wanted) return false;
    const own = month(number);
    return month(number + sign * step * reach) !== own && month(number + sign * step * (reach - 1)) === own;
  };
};

/** Returns whether a date is a working day with a place among those of its month. */
const isWorkingPlace =
  (place: number, typeOf: (number: number) => DayType) =>
  (number: number): boolean => {
    const isCounted = (other: number): boolean => isWorkingDay(weekday(other), typeOf(other));
    if (!isCounted(number)) return false;
    const step = place > 0 ? -1 : 1;
    const own = month(number);
    let count = 1;
    for (let other = number + step; month(other) === own && count <= Math.abs(place); other += step)
      if (isCounted(other)) count += 1;
    return count === Math.abs(place);
  };
