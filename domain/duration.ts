import { minutesPerDay } from './dates.js';

const pattern = /^P(?:(\d{1,2})W|(?:(\d{1,3})D)?(?:T(?=\d)(?:(\d{1,4})H)?(?:(\d{1,5})M)?)?)$/;

/** Shortest and longest duration, in minutes. */
const durationMinutesMin = 1;
const durationMinutesMax = 366 * minutesPerDay;

/**
 * Minutes of an ISO 8601 duration in weeks, or in days, hours and minutes: `P1D`, `PT6H`, `PT15M`, `P1W`.
 * @returns undefined for other texts, and for durations under a minute or over 366 days
 */
export const durationMinutes = (text: string): number | undefined => {
  const parts = pattern.exec(text);
  if (!parts) return undefined;
  const [weeks, days, hours, minutes] = parts.slice(1).map(part => Number(part ?? 0));
  const total = ((weeks ?? 0) * 7 + (days ?? 0)) * minutesPerDay + (hours ?? 0) * 60 + (minutes ?? 0);
  return total >= durationMinutesMin && total <= durationMinutesMax ? total : undefined;
};
