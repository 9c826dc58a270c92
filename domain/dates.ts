/**
 * Calendar arithmetic on dates `YYYY-MM-DD`: UTC days of 24 hours, proleptic Gregorian calendar, years 0001 to 9998
 * (the end of a year is a date of the next one, which must have four digits as well).
 * A day number counts days from 1970-01-01, which is 0.
 */

/** Minutes and seconds of a day of 24 hours. */
export const minutesPerDay = 1440;
export const secondsPerDay = 86_400;

/** Length of a day of 24 hours, in milliseconds. */
export const dayMs = 1000 * secondsPerDay;

/** Last year of a date. */
export const yearMax = 9998;

/** Weekdays by number from 0, Monday first. */
export const weekdayNames: readonly string[] =
  'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');

/** Months by number from 0, in three letters. */
export const monthNames: readonly string[] = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/**
 * Day number of a year, month (1–12) and day (1–31), or undefined when there is no such date. Days are counted from
 * 1 March of year 0, so that a leap day is the last day of a year (Hinnant 2013, days_from_civil).
 */
export const dayNumberOf = (year: number, month: number, day: number): number | undefined => {
  if (year < 1 || year > yearMax || month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  if (day > monthDays[month - 1]! && !(month === 2 && day === 29 && isLeap(year))) return undefined;
  const years = month > 2 ? year : year - 1;
  const dayOfShiftedYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return 365 * years + leapDays + dayOfShiftedYear - 719_468;
};

/** Day number of a date `YYYY-MM-DD`, or undefined when it is invalid. */
export const parseDate = (date: string): number | undefined => {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date);
  return parts ? dayNumberOf(Number(parts[1]), Number(parts[2]), Number(parts[3])) : undefined;
};

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Instant of a text (RFC 3339) as ISO 8601 UTC with milliseconds; undefined for other texts, dates that no calendar has
 * among them, which `Date.parse` takes for later ones.
 */
export const parseInstant = (text: string): string | undefined => {
  const [, date] = instantPattern.exec(text) ?? [];
  return date === undefined || parseDate(date) === undefined ? undefined : new Date(text).toISOString();
};

/**
 * A UTC date as it is, an instant without seconds or `Z` too as ISO 8601 UTC with milliseconds, so that their texts
 * compare like the times; undefined for other texts.
 */
export const comparableTime = (text: string): string | undefined =>
  parseDate(text) === undefined
    ? parseInstant(text.replace(/(T\d{2}:\d{2})Z?$/, '$1:00').replace(/Z?$/, 'Z'))
    : text;

/** Day number of a valid date. @throws RangeError when it is invalid */
export const dayNumber = (date: string): number => {
  const number = parseDate(date);
  if (number === undefined) throw new RangeError(`got date "${date}", expected YYYY-MM-DD`);
  return number;
};

/** The date `YYYY-MM-DD` of a day number. */
export const dateOf = (number: number): string => new Date(number * dayMs).toISOString().slice(0, 10);

const [firstDay, lastDay] = [dayNumber('0001-01-01'), dayNumber(`${yearMax}-12-31`)];

/** Whether a number is that of a day of the years 1 to `yearMax`. */
export const isDayNumber = (number: number): boolean => number >= firstDay && number <= lastDay;

/** The date some days after another one, before it for negative ones; the first or last date for one beyond them. */
export const dateAfter = (date: string, days: number): string =>
  dateOf(Math.min(lastDay, Math.max(firstDay, dayNumber(date) + days)));

/** The date after another one, as the exclusive end of a range: the last date has one, too. */
export const dayAfter = (date: string): string => dateOf(dayNumber(date) + 1);

/** Weekday of a day number: 0 Monday to 6 Sunday. */
export const weekday = (number: number): number => (((number + 3) % 7) + 7) % 7;

/** Day of the year that begins on 1 March, from 0, and that year, of a day number (Hinnant 2013, civil_from_days). */
const shiftedDay = (number: number): { readonly years: number; readonly day: number } => {
  const days = number + 719_468;
  const era = Math.floor(days / 146_097);
  const inEra = days - era * 146_097;
  const leapDays = Math.floor(inEra / 1460) - Math.floor(inEra / 36_524) + Math.floor(inEra / 146_096);
  const years = Math.floor((inEra - leapDays) / 365);
  const day = inEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100));
  return { years: 400 * era + years, day };
};

/** Month of a day number: 0 January to 11 December. */
export const month = (number: number): number =>
  (Math.floor((5 * shiftedDay(number).day + 2) / 153) + 2) % 12;

/** Year of a day number. */
export const year = (number: number): number => {
  const { years, day } = shiftedDay(number);
  return day < 306 ? years : years + 1;
};

/** Day of the year of a day number, also of one before the first date: 0 for 1 January. */
export const dayOfYear = (number: number): number => {
  const { years, day } = shiftedDay(number);
  return day < 306 ? day + (isLeap(years) ? 60 : 59) : day - 306;
};

/** Distance in days between two days of the year, the shorter way around the year: 0 to 182. */
export const seasonGap = (a: number, b: number): number => {
  const apart = Math.abs(a - b);
  return Math.min(apart, Math.abs(365 - apart));
};

/** The first date of a year. */
export const firstDateOf = (year: number): string => `${String(year).padStart(4, '0')}-01-01`;

/** All dates of a year, in order. */
export const datesOfYear = (year: number): readonly string[] => {
  const first = dayNumberOf(year, 1, 1);
  if (first === undefined) throw new RangeError(`got year ${year}, expected 1 to ${yearMax}`);
  const days = dayNumberOf(year, 2, 29) === undefined ? 365 : 366;
  return Array.from({ length: days }, (_, index) => dateOf(first + index));
};

const pattern = /^P(?:(\d{1,2})W|(?:(\d{1,3})D)?(?:T(?=\d)(?:(\d{1,4})H)?(?:(\d{1,5})M)?)?)$/;

/** Shortest and longest duration, in minutes. */
const durationMinutesMin = 1;
const durationMinutesMax = 366 * minutesPerDay;

/**
 * Minutes of an ISO 8601 duration in weeks, or in days, hours and minutes: `P1D`, `PT6H`, `PT15M`, `P1W`.
 * @param most longest duration in minutes; 366 days by default
 * @returns undefined for other texts, and for durations under a minute or over `most`
 */
export const durationMinutes = (text: string, most = durationMinutesMax): number | undefined => {
  const parts = pattern.exec(text);
  if (!parts) return undefined;
  const [weeks, days, hours, minutes] = parts.slice(1).map(part => Number(part ?? 0));
  const total = ((weeks ?? 0) * 7 + (days ?? 0)) * minutesPerDay + (hours ?? 0) * 60 + (minutes ?? 0);
  return total >= durationMinutesMin && total <= most ? total : undefined;
};
