import { dayAfter, dayMs, dayNumber } from '../dates.js';

/**
 * Imports of a source that determine when its data are overdue. Only imports with the newest date or a later one count:
 * corrections of older days do not end a silence. Without an interval that people gave, it is learned from imports of
 * live data, whose last date is at most a week old; data sets that are imported once have no rhythm.
 */
export type Rhythm = {
  /** Instant of the last import that counts, or of the creation or the restore of the source. */
  readonly since: string;
  /** The last import that counts; null for none. */
  readonly importId: string | null;
  /** Newest date of recent data; null for none. */
  readonly lastDate: string | null;
  /** Instant of the last import of live data; null for none. */
  readonly liveAt: string | null;
  /** Longest wait before an import of live data by UTC date, in ms; dates ascending. */
  readonly waits: readonly { readonly date: string; readonly ms: number }[];
};

/** A learned or given interval in ms; data are overdue when it has passed. */
export type ExpectedInterval = { readonly ms: number; readonly origin: 'given' | 'learned' };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Maximum age in days of the last date of live data. */
const liveDays = 7;

/** Dates of imports that the interval is learned from: at least three, at most four weeks of daily imports. */
const datesMin = 3;
const datesMax = 28;

/** Dates from which the longest wait is ignored, and dates from which intervals below a day are learned. */
const datesForOutlier = 8;
const datesForHours = 7;

/** A wait counts as at most this factor times the longest before it: enough for a weekend, not for an outage. */
const growthMax = 3;

/** Factor on the learned wait; the shortest wait, and the longest from which an interval is learned. */
const slack = 1.5;
const shortestMs = hourMs;
const longestMs = 31 * dayMs;

/** Rhythm of a source that has no recent data yet. */
export const rhythmFrom = (createdAt: string): Rhythm => ({
  since: createdAt,
  importId: null,
  lastDate: null,
  liveAt: null,
  waits: [],
});

/**
 * The rhythm after an import.
 * @param at       instant of the import
 * @param lastDate last date of its data
 */
export const rhythmAfter = (
  rhythm: Rhythm,
  { importId, at, lastDate }: { readonly importId: string; readonly at: string; readonly lastDate: string },
): Rhythm => {
  if (rhythm.lastDate !== null && lastDate < rhythm.lastDate) return rhythm;
  const after = { ...rhythm, since: at, importId, lastDate };
  const date = at.slice(0, 10);
  if (dayNumber(lastDate) < dayNumber(date) - liveDays) return after;
  return {
    ...after,
    liveAt: at,
    waits:
      rhythm.liveAt === null
        ? []
        : waitsAfter(rhythm.waits, date, Date.parse(at) - Date.parse(rhythm.liveAt)),
  };
};

const waitsAfter = (waits: Rhythm['waits'], date: string, waitMs: number): Rhythm['waits'] => {
  const longest = Math.max(...waits.map(wait => wait.ms));
  const ms = waits.length === 0 ? waitMs : Math.min(waitMs, growthMax * longest);
  const last = waits.at(-1);
  return last?.date === date
    ? [...waits.slice(0, -1), { date, ms: Math.max(last.ms, ms) }]
    : [...waits, { date, ms }].slice(-datesMax);
};

/** Length of a slice of points and lateness of a source, in minutes. `sliceMinutes` is null without points. */
export type Feed = { readonly sliceMinutes: number | null; readonly latenessMinutes: number };

/**
 * The given interval, in minutes; null for none. Points of a slice are stored together after its end and the lateness:
 * a shorter interval would end before each of them.
 */
export const givenWait = (
  givenMinutes: number | null,
  { sliceMinutes, latenessMinutes }: Feed,
): number | null =>
  givenMinutes === null || sliceMinutes === null
    ? givenMinutes
    : Math.max(givenMinutes, sliceMinutes + latenessMinutes);

/**
 * The interval after which data are overdue.
 * @param givenMinutes interval that people gave; null for none
 * @returns            null when no interval is known
 */
export const expectedInterval = (
  { waits }: Pick<Rhythm, 'waits'>,
  givenMinutes: number | null,
): ExpectedInterval | null => {
  if (givenMinutes !== null) return { ms: givenMinutes * minuteMs, origin: 'given' };
  if (waits.length < datesMin) return null;
  const longest = waits.map(({ ms }) => ms).sort((a, b) => b - a);
  const wait = longest[waits.length >= datesForOutlier ? 1 : 0] ?? 0;
  if (wait > longestMs) return null;
  const least = waits.length >= datesForHours ? shortestMs : dayMs;
  return { ms: Math.round(slack * Math.max(wait, least)), origin: 'learned' };
};

/** Instant at which data are overdue; null when no interval is known. */
export const deadlineOf = (rhythm: Rhythm, interval: ExpectedInterval | null): string | null =>
  interval && new Date(Date.parse(rhythm.since) + interval.ms).toISOString();

/** A silence: data of a source did not come in time. */
export type Silence = {
  /** As `since` of `Rhythm`. */
  readonly since: string;
  /** Instant at which data were overdue. */
  readonly deadline: string;
  readonly intervalMinutes: number;
  readonly origin: ExpectedInterval['origin'];
  /** Newest date of recent data; null for none. */
  readonly lastDate: string | null;
};

/** The silence of a source at an instant; undefined while data are not overdue. */
export const silenceAt = (
  rhythm: Rhythm,
  givenMinutes: number | null,
  instant: string,
): Silence | undefined => {
  const interval = expectedInterval(rhythm, givenMinutes);
  const deadline = deadlineOf(rhythm, interval);
  if (!interval || deadline === null || deadline > instant) return undefined;
  const { since, lastDate } = rhythm;
  const { ms, origin } = interval;
  return { since, deadline, intervalMinutes: ms / minuteMs, origin, lastDate };
};

/**
 * Date of the alert of a silence: the first one without data, but not after the deadline.
 * @param overdue date of the deadline by the clock of the source
 */
export const dateOfSilence = ({ lastDate }: Pick<Silence, 'lastDate'>, overdue: string): string => {
  const next = lastDate === null ? overdue : dayAfter(lastDate);
  return next < overdue ? next : overdue;
};
