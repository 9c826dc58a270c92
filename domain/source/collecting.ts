import { dateOf, dayNumber } from '../dates.js';
import { learnedShareMin } from '../day.js';
import type { ReferenceFacts } from './sourceState.js';

// A source that was created without a reference gathers it from recent days.

/** Fewest days with three quarters of their slices before the first models. */
export const collectedDaysMin = 56;

/** Days after the first day at which the source learns again: 3, 6 and 12 months. */
const laterStages = [91, 182, 365] as const;

/** Longest reference: a year from its first day. */
const collectedDaysMax = 366;

/** A recent date and the observed share of its slices. */
type DatedShare = { readonly date: string; readonly completeness: number };

/**
 * Dates that become the reference of a source that collects it, ascending; empty when it is not time to learn.
 * @param shares recent days that are over, ascending
 * @param today  the present date by the clock of the source
 */
export const referenceDates = (
  { days, from, to }: Pick<ReferenceFacts, 'days' | 'from' | 'to'>,
  shares: readonly DatedShare[],
  today: string,
): readonly string[] => {
  const usable = shares.flatMap(({ date, completeness }) =>
    completeness >= learnedShareMin && date < today ? [date] : [],
  );
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
