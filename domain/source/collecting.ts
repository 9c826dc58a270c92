import { dateOf, dayNumber } from '../dates.js';
import type { ReferenceFacts } from './sourceState.js';

// A source that was created without a reference gathers it from recent days.

/** Fewest days with three quarters of their slices, observed or interpolated, before the first models. */
export const collectedDaysMin = 56;

/** Days after the first day at which the source learns again: 3, 6 and 12 months. */
const laterStages = [91, 182, 365] as const;

/** Longest reference: a year from its first day. */
const collectedDaysMax = 366;

/**
 * Dates that become the reference of a source that collects it, ascending; empty when it is not time to learn.
 * @param learnable dates of recent days that models can be learned from, ascending
 * @param today     the present date by the clock of the source
 */
export const referenceDates = (
  { days, from, to }: Pick<ReferenceFacts, 'days' | 'from' | 'to'>,
  learnable: readonly string[],
  today: string,
): readonly string[] => {
  const usable = learnable.filter(date => date < today);
  const first = days === 0 ? usable[0] : from;
  if (first === undefined) return [];
  const age = dayNumber(today) - dayNumber(first);
  const isDue =
    days === 0
      ? usable.length >= collectedDaysMin
      : laterStages.some(stage => age >= stage && dayNumber(to) - dayNumber(from) < stage - 1);
  const end = dateOf(dayNumber(first) + collectedDaysMax);
  return isDue ? usable.filter(date => first <= date && date < end) : [];
};

/**
 * Date of the first models of a source that collects its reference, if each day from the present one on has data; null
 * before its first usable day.
 * @param usable   dates of usable days, ascending
 * @param lastDate last date with data
 */
export const learningDate = (
  usable: readonly string[],
  lastDate: string | undefined,
  today: string,
): string | null => {
  const last = usable.at(-1);
  if (last === undefined) return null;
  const enough = usable[collectedDaysMin - 1];
  const present = dayNumber(today);
  if (enough !== undefined) return dateOf(Math.max(present, dayNumber(enough) + 1));
  // A date in progress may become a usable day; earlier ones without enough data do not.
  const counted = Math.max(dayNumber(last), Math.min(dayNumber(lastDate ?? last), present - 1));
  return dateOf(Math.max(present, counted + collectedDaysMin - usable.length + 1));
};
