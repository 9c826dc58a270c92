import { driftDays } from '../../analysis/checking/levelShift.js';
import type { CauseEvent } from '../../domain/alerts/causes.js';
import { dateOf, dayNumber } from '../../domain/dates.js';
import type { Day } from '../../domain/day.js';
import type { StoredDay } from '../../projections/days/storedDays.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { CheckedModels } from './checkedModels.js';
import { takesSteps } from './checkPart.js';

/** A day that is checked; `missing` has no data, and `takenBack` is not compared for that reason. */
export type CheckedDayData = Day & {
  readonly importId: string;
  readonly missing?: true;
  readonly takenBack?: true;
};

/** Recent days that a part of a check reads. */
type ReadDays = {
  /** The days to check, by date. */
  readonly toCheck: readonly CheckedDayData[];
  /** Days that the first step reads: those to check that have data; in a check of several steps also those before. */
  readonly ahead: readonly StoredDay[];
  /** Recent days of the 28 days before a date, by date. */
  readonly before: (date: string) => readonly StoredDay[];
};

/** Recent days of ascending dates and of `daysBefore` days before each: in order, each once. */
const recentAround = (
  { days }: CheckedModels,
  sourceId: number,
  dates: readonly string[],
  daysBefore: number,
): StoredDay[] => {
  const stretches: { readonly from: number; to: number }[] = [];
  for (const date of dates) {
    const number = dayNumber(date);
    const last = stretches.at(-1);
    if (last && number - daysBefore <= last.to) last.to = number + 1;
    else stretches.push({ from: number - daysBefore, to: number + 1 });
  }
  return stretches.flatMap(({ from, to }) => days.between(sourceId, 'recent', dateOf(from), dateOf(to)));
};

/**
 * A date without data, as a day without a value: one that an import misses and that was not taken back since, or one
 * that was taken back. Undefined for other causes.
 */
const missingDay = (
  { days }: CheckedModels,
  event: CauseEvent,
  { id: sourceId, activitySize }: SourceSetup,
  date: string,
): CheckedDayData | undefined => {
  const isTakenBack = event.type === 'DayTakenBack';
  if (event.type !== 'DaysImported' && !isTakenBack) return undefined;
  if (!isTakenBack && days.takenBackSince(sourceId, date, event.revision)) return undefined;
  return {
    date,
    importId: event.data.importId,
    missing: true,
    ...(isTakenBack && { takenBack: true }),
    activity: Array<number>(activitySize).fill(0),
    gaps: [[0, activitySize]],
    filled: [],
  };
};

/**
 * Reads the days of a part of a check. A part of several steps reads all of them now, because changes between steps
 * belong to a later check.
 * @param dates dates of the part, ascending
 */
export const readDays = (
  models: CheckedModels,
  event: CauseEvent,
  present: SourceSetup,
  dates: readonly string[],
): ReadDays => {
  const isInSteps = takesSteps(dates);
  const ahead = recentAround(models, present.id, dates, isInSteps ? driftDays : 0);
  const checkedDates = new Set(dates);
  const due = new Map(ahead.filter(({ date }) => checkedDates.has(date)).map(day => [day.date, day]));
  // Read on demand: days inside their limits do not need the days before them.
  let around = isInSteps ? ahead : undefined;
  return {
    toCheck: dates.flatMap(date => due.get(date) ?? missingDay(models, event, present, date) ?? []),
    ahead,
    before: date => {
      // The same objects, because checks cache values per day object.
      around ??= recentAround(models, present.id, dates, driftDays).map(day => due.get(day.date) ?? day);
      const first = dateOf(dayNumber(date) - driftDays);
      return around.filter(day => first <= day.date && day.date < date);
    },
  };
};
