import { dateOf, dayNumber, dateAfter } from '../dates.js';
import { upTo } from '../futureDays.js';
import { Rejection } from '../rejection.js';
import type { ReferenceFacts } from './sourceState.js';

/** Number of dates of the year that a source is learned again from. */
const relearnedDates = 365;

/** Minimum number of these dates with three quarters of their slices: half of the dates. */
export const relearnedDaysMin = 183;

/** A recent day: its date, and whether it has three quarters of its slices, observed or interpolated. */
export type LearnableDay = { readonly date: string; readonly learnable: boolean };

/** The year that a source is learned again from, `from` and `to` inclusive. */
export type RelearnedYear = { readonly from: string; readonly to: string };

/** The 365 dates up to a last one. */
export const lastYearOf = (lastDate: string): RelearnedYear => ({
  from: dateOf(dayNumber(lastDate) - relearnedDates + 1),
  to: lastDate,
});

/** Last date that counts: a date in progress is not over, so that it and later ones are no reference days. */
export const lastBefore = (open: string, tomorrow: string): string => {
  const before = dateAfter(open, -1);
  return before < tomorrow ? before : tomorrow;
};

/** A first or last day further from the next one than this, in days, is of a wrong clock. */
const strayDistance = 366;

/**
 * First and last of some dates, without a first and a last one that are years away from the others.
 * @param dates at least one, ascending; the first two and the last two are looked at
 */
export const endsOf = (dates: readonly string[]): { readonly first: string; readonly last: string } => {
  const endOf = (date: string, next: string): string =>
    dates.length > 2 && Math.abs(dayNumber(date) - dayNumber(next)) > strayDistance ? next : date;
  const [first = '', second = first] = dates;
  const last = dates.at(-1) ?? first;
  return { first: endOf(first, second), last: endOf(last, dates.at(-2) ?? last) };
};

/**
 * The last full year of recent days: the 365 dates up to the last one.
 * @param recent   recent days by ascending date
 * @param countedTo later days do not count; undefined in events of earlier builds, where all days count
 * @param strayCounts for events of earlier builds: a first day of a wrong clock showed that the year was full
 * @throws Rejection `recentTooShort` when the days begin later, or fewer than 183 of the dates have enough data
 */
export const relearnedYear = (
  recent: readonly LearnableDay[],
  countedTo: string | undefined,
  strayCounts = false,
): RelearnedYear => {
  const days = upTo(recent, countedTo);
  const dates = days.map(({ date }) => date);
  if (dates.length === 0)
    throw new Rejection(
      'recentTooShort',
      `got no recent days, expected ${relearnedDates} dates of them: import them`,
    );
  const ends = endsOf(dates);
  const { last } = ends;
  const first = strayCounts ? dates[0]! : ends.first;
  const year = lastYearOf(last);
  if (first > year.from) {
    const count = dayNumber(last) - dayNumber(first) + 1;
    throw new Rejection(
      'recentTooShort',
      `got recent days of ${count} dates, ${first} to ${last}, expected ${relearnedDates}: the year is full on ${fullOn(first)}`,
    );
  }
  const enough = days.filter(({ date, learnable }) => year.from <= date && date <= last && learnable);
  if (enough.length < relearnedDaysMin)
    throw new Rejection(
      'recentTooShort',
      `got ${enough.length} recent days with three quarters of their slices, ${year.from} to ${year.to}, ` +
        `expected at least ${relearnedDaysMin}`,
    );
  return year;
};

/** The date on which recent days that begin on a date are a full year. */
const fullOn = (first: string): string => dateOf(dayNumber(first) + relearnedDates - 1);

/**
 * Why a source should be learned again: its limits are at their widest (`limitsAtMaximum`), it drifts for four weeks
 * (`drift`), or a full year of recent days is there (`yearOfData`).
 */
export const relearnReasons = ['limitsAtMaximum', 'drift', 'yearOfData'] as const;
export type RelearnReason = (typeof relearnReasons)[number];

/** A proposal to learn a source again. `since` is the date from which the reason holds. */
export type RelearnProposal = {
  readonly reason: RelearnReason;
  readonly since: string;
  readonly sentence: string;
  /** Whether a full year of recent days is there. */
  readonly possible: boolean;
};

/** Facts of the recent days of a source that a proposal depends on. */
export type RelearnFacts = {
  /** First and last date. */
  readonly first: string;
  readonly last: string;
  /** Number of the last 365 dates with three quarters of their slices. */
  readonly enoughDays: number;
  /** First of the latest days whose adaptive factor is at its maximum; null when it is below. */
  readonly atMaximumSince: string | null;
  /** Dates of the days that only a level shift explains, ascending. */
  readonly drifting: readonly string[];
};

/** Minimum length in days of a drift that is a reason, and largest distance of its drifting days. */
const driftDaysMin = 28;
const driftGapMax = 7;

/**
 * First date of a drift that has lasted for four weeks and has not ended. Drifting days at most a week apart belong
 * together, because days without activity do not drift.
 * @param drifting ascending dates
 * @param last     date of the last recent day
 */
export const lastingDriftSince = (drifting: readonly string[], last: string): string | null => {
  const end = drifting.at(-1);
  if (end === undefined || dayNumber(last) - dayNumber(end) > driftGapMax) return null;
  let since = end;
  for (const date of [...drifting].reverse()) {
    if (dayNumber(since) - dayNumber(date) > driftGapMax) break;
    since = date;
  }
  return dayNumber(end) - dayNumber(since) + 1 >= driftDaysMin ? since : null;
};

/** Each reason as the beginning of a sentence. */
const reasonTexts: Readonly<Record<RelearnReason, (since: string) => string>> = {
  limitsAtMaximum: since => `The limits have been at their widest since ${since}`,
  drift: since => `The source has been on another level than its reference since ${since}`,
  yearOfData: since => `A full year of recent days has been there since ${since}`,
};

/** When a source can be learned again; `full` is the date on which its recent days are a full year. */
const outlookText = ({
  possible,
  full,
  last,
}: {
  readonly possible: boolean;
  readonly full: string;
  readonly last: string;
}): string => {
  if (possible) return 'it can be learned again from the last year';
  return full > last
    ? `it can be learned again when a year of recent days is there, on ${full}`
    : 'its last year has too few complete days to be learned again';
};

/** The most pressing reason to learn a source again; null for none. */
export const relearnProposal = ({
  first,
  last,
  enoughDays,
  atMaximumSince,
  drifting,
}: RelearnFacts): RelearnProposal | null => {
  const full = fullOn(first);
  const possible = full <= last && enoughDays >= relearnedDaysMin;
  const since: Readonly<Record<RelearnReason, string | null>> = {
    limitsAtMaximum: atMaximumSince,
    drift: lastingDriftSince(drifting, last),
    yearOfData: possible ? full : null,
  };
  const outlook = outlookText({ possible, full, last });
  for (const reason of relearnReasons) {
    const date = since[reason];
    if (date !== null)
      return { reason, since: date, sentence: `${reasonTexts[reason](date)}; ${outlook}.`, possible };
  }
  return null;
};

// A source that was created without a reference gathers it from recent days.

/** Fewest days with three quarters of their slices, observed or interpolated, before the first models. */
export const collectedDaysMin = 56;

/** Days after the first day at which the source learns again: 3, 6 and 12 months. */
const laterStages = [91, 182, 365] as const;

/** Days that may be missing at the ends of a stage, judged or taken back, before it is learned a second time. */
const missingAtEndsMax = 7;

/** Longest reference: a year from its first day. */
const collectedDaysMax = 366;

/**
 * The usable dates that count for the first models: from the first one on with 56 of them, or the last one, within a
 * year. A day of a wrong clock, years before the others, begins no reference.
 * @param usable ascending
 */
export const countedDates = (usable: readonly string[]): readonly string[] =>
  usable.slice(
    usable.findIndex((date, index) => {
      const last = usable[index + collectedDaysMin - 1] ?? usable.at(-1) ?? date;
      return last < dateAfter(date, collectedDaysMax);
    }),
  );

/**
 * Dates that become the reference of a source that collects it, ascending; empty when it is not time to learn. A later
 * stage waits for the data of its last date, so data that come late are learned once.
 * @param learnable dates of recent days that models can be learned from, ascending
 * @param today     the present date by the clock of the source
 */
export const referenceDates = (
  { days, from, to }: Pick<ReferenceFacts, 'days' | 'from' | 'to'>,
  learnable: readonly string[],
  today: string,
): readonly string[] => {
  const usable = learnable.filter(date => date < today);
  const first = days === 0 ? countedDates(usable)[0] : from;
  const last = usable.at(-1);
  if (first === undefined || last === undefined) return [];
  const end = dateAfter(first, collectedDaysMax);
  const dates = usable.filter(date => first <= date && date < end);
  if (days === 0) return dates.length >= collectedDaysMin ? dates : [];
  const hasLater = (dates.at(-1) ?? to) > to;
  const isDue = laterStages.some(stage => {
    const lastOfStage = dateAfter(first, stage - 1);
    return to < dateAfter(lastOfStage, -missingAtEndsMax) && lastOfStage <= last;
  });
  return hasLater && isDue ? dates : [];
};

/**
 * Date of the first models of a source that collects its reference, if each day from the present one on has data; null
 * before its first usable day.
 * @param usable   dates of usable days that count, ascending
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
