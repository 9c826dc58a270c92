import { month, weekday, dayOfYear, seasonGap } from '../dates.js';
import { isWorkingDay, type DayType, dayTypes, type PlanningCalendar } from './calendar.js';
import {
  cycleOfDays,
  phaseOf,
  type CyclePlace,
  type DayCycle,
  type MonthDay,
  isOfWeeks,
} from './dayCycles.js';

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

/** Calendar features of a date: its type, its weekday (0 Monday), its day of the year and its place in cycles. */
export type CalendarFeatures = CyclePlace & {
  readonly type: DayType;
  readonly weekday: number;
  readonly season: number;
  /** Factor on distances in the season, for cycles that are longer than a fortnight; absent for 1. */
  readonly seasonFactor?: number;
  /** Whether the source follows a cycle that is no number of weeks, on holidays as well. */
  readonly isCyclic?: true;
};

/** Half-width of the season kernel in days; the narrower one is for days around Christmas. */
export const seasonDays = 50;
const christmasDays = 12;

/** Kernel value of another season. It decides only when no reference day is nearer. */
const otherSeason = 1e-6;

/**
 * Factors and summands of the similarity weight. The weight of a reference day for a date is the season kernel times,
 * or plus, a value that depends on the types and weekdays of both.
 */
const weights = {
  /** Two working days, or two days of the weekend, compared with 1 for the same weekday. */
  sameKind: 0.1,
  /** A holiday for a holiday, added to the kernel; `holidayName` is added too when both have the same name. */
  holiday: 0.3,
  holidayName: 3,
  /** A Sunday for a holiday. */
  sunday: 0.2,
  /** For days around Christmas: one of the same kind, by working day or weekend, and an ordinary day. */
  christmasWorking: 0.5,
  christmasWeekend: 0.3,
  ordinaryForChristmas: 0.1,
  /** A bridge for a bridge, added to the kernel; an ordinary day of the same weekday for a bridge. */
  bridge: 0.3,
  ordinaryForBridge: 0.3,
  /** A special day for one of the same name, added to the kernel; other days for a special day. */
  specialName: 3,
  ordinaryForSpecial: 0.1,
  /** Other days for a date of the month, which has several days of its own kind. */
  ordinaryForMonthDay: 0.01,
} as const;

/** A date of the month for one of another month, added to the kernel. */
export const monthDayWeight = 0.3;

/** Factor on a reference day of each type for dates of another type. Rare days must not affect ordinary dates. */
const otherTypeFactor = { ordinary: 1, bridge: 0.05, christmas: 0.05, special: 0.02, holiday: 0 } as const;

/** Biweight kernel of a distance in days. It uses + − × ÷ only, so that all machines give the same bits. */
const seasonKernel = (gap: number, halfWidth: number): number => {
  if (gap >= halfWidth) return otherSeason;
  const part = gap / halfWidth;
  const root = 1 - part * part;
  return root * root + otherSeason;
};

/** The season kernel by whole days, since it is read for each pair of days. */
const seasonKernels = Float64Array.from({ length: 183 }, (_, gap) => seasonKernel(gap, seasonDays));

/** 1 for the same weekday, less for two working days or two days of the weekend, 0 for one of each. */
const weekdayFactor = (a: number, b: number): number =>
  a === b ? 1 : a < 5 === b < 5 ? weights.sameKind : 0;

/** Longest cycle of days whose days are compared with those of the same season as days of a week are. */
const fortnight = 14;

const christmasWeekdayFactor = (a: number, b: number): number => {
  if (a === b) return 1;
  if (a < 5 !== b < 5) return 0;
  return a < 5 ? weights.christmasWorking : weights.christmasWeekend;
};

/** Days of the same place in a cycle are as days of one weekday; those of another place have nothing in common. */
const placeFactor = (date: CalendarFeatures, reference: CalendarFeatures): number => {
  if (date.phase === undefined && reference.phase === undefined)
    return weekdayFactor(date.weekday, reference.weekday);
  return date.phase === reference.phase ? 1 : 0;
};

/** Similarity weight of a reference day for a date, ≥ 0: season, weekday or place in cycles, and type are compared. */
export const similarityWeight = (date: CalendarFeatures, reference: CalendarFeatures): number => {
  const distance = seasonGap(date.season, reference.season);
  const gap = date.seasonFactor === undefined ? distance : Math.floor(distance * date.seasonFactor);
  if (date.monthDay !== undefined && date.monthDay === reference.monthDay)
    return monthDayWeight + seasonKernels[gap]!;
  const weight = typedWeight(date, reference, gap);
  if (date.monthDay === reference.monthDay) return weight;
  return weight * (reference.monthDay === undefined ? weights.ordinaryForMonthDay : otherTypeFactor.special);
};

/** Weight by season, weekday or phase, and type, without dates of the month. */
const typedWeight = (date: CalendarFeatures, reference: CalendarFeatures, gap: number): number => {
  const near = seasonKernels[gap]!;
  const weekdays = placeFactor(date, reference);
  if (date.isCyclic && date.type.type !== 'special')
    return near * weekdays * (reference.type.type === 'special' ? otherTypeFactor.special : 1);
  if (date.type.type === 'ordinary' && reference.type.type === 'ordinary') return near * weekdays;
  const typeFactor = otherTypeFactor[reference.type.type];
  const ordinaryWeight = near * weekdays * typeFactor;
  switch (date.type.type) {
    case 'ordinary':
      return ordinaryWeight;
    case 'holiday':
      if (reference.type.type === 'holiday')
        return weights.holiday + near + (reference.type.name === date.type.name ? weights.holidayName : 0);
      return near * (reference.weekday === 6 ? weights.sunday : otherSeason);
    case 'christmas':
      if (reference.type.type !== 'christmas') return ordinaryWeight * weights.ordinaryForChristmas;
      return seasonKernel(gap, christmasDays) * christmasWeekdayFactor(date.weekday, reference.weekday);
    case 'bridge':
      if (reference.type.type === 'bridge') return weights.bridge + near;
      return date.weekday === reference.weekday ? near * weights.ordinaryForBridge * typeFactor : 0;
    case 'special':
      if (reference.type.type === 'special' && reference.type.name === date.type.name)
        return weights.specialName + near;
      return ordinaryWeight * weights.ordinaryForSpecial;
  }
};

/** Returns the calendar features of a date, given as its day number. */
export const calendarFeatures = (calendar: PlanningCalendar): ((number: number) => CalendarFeatures) => {
  const typeOf = dayTypes(calendar.holidays, calendar.specials);
  const placeOf = cyclePlaces(calendar.cycles, typeOf);
  const days = cycleOfDays(calendar.cycles);
  const fixed = {
    ...(days && days.length > fortnight && { seasonFactor: fortnight / days.length }),
    ...(days && !isOfWeeks(days) && { isCyclic: true as const }),
  };
  return number => ({
    type: typeOf(number),
    weekday: weekday(number),
    season: dayOfYear(number),
    ...placeOf(number),
    ...fixed,
  });
};

/** Returns the similarity weight of a reference day for a date, both given as day numbers. Features are kept. */
export const similarity = (calendar: PlanningCalendar): ((date: number, reference: number) => number) => {
  const featuresOf = calendarFeatures(calendar);
  const known = new Map<number, CalendarFeatures>();
  const kept = (number: number): CalendarFeatures => {
    const features = known.get(number) ?? featuresOf(number);
    known.set(number, features);
    return features;
  };
  return (date, reference) => similarityWeight(kept(date), kept(reference));
};
