import { calendarOf } from '../../analysis/calendar/holidays.js';
import type { Calendar } from '../../domain/planning/calendar.js';
import { runsWhere, type Day } from '../../domain/day.js';
import { seededRandom } from '../../analysis/math/seededRandom.js';
import { seriesFacts, readPart } from './dataFolder.js';

/** A known date of a series, as in its JSON. */
export type KnownEvent = {
  readonly date: string;
  /** Last date of a lasting change. */
  readonly until?: string;
  readonly kind: string;
  readonly part: string;
  /** Mean of the day over that of usual days; null when unknown. */
  readonly dayVsUsual: number | null;
};

/** A real series: reference days, recent days, and known dates. */
export type Series = {
  readonly name: string;
  /** ISO 3166 country, with region, of the holidays; null when unknown. */
  readonly calendar: string | null;
  readonly referenceYear: number;
  readonly reference: readonly Day[];
  readonly recent: readonly Day[];
  /** Part of the data that `recent` contains, as `knownEvents` names it: parts may be swapped. */
  readonly checkedPart: 'reference' | 'recent' | 'both';
  readonly knownEvents: readonly KnownEvent[];
};

type Facts = {
  readonly activitySize: number;
  readonly referenceYear?: number;
  readonly calendar?: string | null;
  readonly knownEvents?: readonly (Omit<KnownEvent, 'dayVsUsual'> & {
    readonly dayVsUsual?: number | null;
  })[];
};

/** Public holidays of a series; null without a country. */
export const calendarFor = ({ calendar, referenceYear }: Series): Calendar | null =>
  calendar === null ? null : calendarOf(calendar, referenceYear);

/**
 * Reads a series of a folder.
 * @throws Error when a part is missing or a row is malformed
 */
export const readSeries = (folder: string, name: string): Series => {
  const facts = seriesFacts(folder, name) as Facts;
  const days = (part: string): Day[] => daysOf(readPart(folder, name, part), facts.activitySize);
  const reference = days('reference');
  return {
    name,
    calendar: facts.calendar ?? null,
    referenceYear: facts.referenceYear ?? Number(reference[0]?.date.slice(0, 4)),
    reference,
    recent: days('recent'),
    checkedPart: 'recent',
    knownEvents: (facts.knownEvents ?? []).map(known => ({ ...known, dayVsUsual: known.dayVsUsual ?? null })),
  };
};

const quote = 0x22;
const comma = 0x2c;
const zero = 0x30;
const lineFeed = 0x0a;
/** Where the value starts in `"YYYY-MM-DDThh:mm:ss";"…"`. */
const valueAt = 23;

/**
 * Days of a CSV with rows `"YYYY-MM-DDThh:mm:ss";"decimal comma"`, ascending, after one header line. A slice is the
 * mean of its rows, a gap without rows. It reads bytes, because a year of minutes has 16 MB.
 * @param slices slices per day, a divisor of 1440
 */
export const daysOf = (csv: Buffer, slices: number): Day[] => {
  const days: Day[] = [];
  const totals = new Float64Array(slices);
  const counts = new Int32Array(slices);
  let date = '';
  const close = (): void => {
    if (date === '') return;
    days.push({
      date,
      activity: Array.from(totals, (total, slice) => total / (counts[slice] || 1)),
      gaps: runsWhere(slices, slice => counts[slice] === 0),
      filled: [],
    });
    totals.fill(0);
    counts.fill(0);
  };
  const two = (at: number): number => (csv[at]! - zero) * 10 + csv[at + 1]! - zero;

  let dateAt = -1;
  for (let at = csv.indexOf(lineFeed) + 1; at > 0 && at < csv.length;) {
    const end = csv.indexOf(lineFeed, at);
    const last = (end < 0 ? csv.length : end) - 1;
    const minutes = two(at + 12) * 60 + two(at + 15);
    if (csv[at] !== quote || csv[last] !== quote || last <= at + valueAt || !(minutes < 1440))
      throw new Error(`got row ${csv.toString('latin1', at, last + 1)}, expected "date";"value"`);
    if (dateAt < 0 || csv.compare(csv, dateAt, dateAt + 10, at + 1, at + 11) !== 0) {
      close();
      date = csv.toString('latin1', at + 1, at + 11);
      dateAt = at + 1;
    }
    const slice = Math.floor((minutes * slices) / 1440);
    totals[slice]! += decimal(csv, at + valueAt, last);
    counts[slice]! += 1;
    at = last + 2;
  }
  close();
  return days;
};

/** The number of a text with digits. Exact, because an integer below 2^53 over a power of ten is rounded once. */
const decimal = (csv: Buffer, from: number, to: number): number => {
  let digits = 0;
  let scale = 0;
  const first = csv[from] === 0x2d ? from + 1 : from;
  let plain = to - first <= 16;
  for (let at = first; at < to && plain; at += 1) {
    const digit = csv[at]! - zero;
    if (csv[at] === comma && scale === 0) scale = 1;
    else if (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit;
      scale *= 10;
    } else plain = false;
  }
  if (!plain || digits > Number.MAX_SAFE_INTEGER) {
    const text = csv.toString('latin1', from, to);
    const value = text === '' ? NaN : Number(text.replace(',', '.'));
    if (!Number.isFinite(value)) throw new Error(`got value "${text}", expected a number`);
    return value;
  }
  const value = digits / (scale || 1);
  return first > from ? -value : value;
};

/** The same series with its last `count` reference days only. */
export const shortened = (series: Series, count: number): Series => ({
  ...series,
  reference: series.reference.slice(-count),
});

/** Minimum recent days of a series whose parts are swapped. */
const swappedFrom = 60;

/** The same series with its parts swapped, or null when the recent part has less than 60 days. */
export const swapped = (series: Series): Series | null =>
  series.recent.length < swappedFrom
    ? null
    : {
        ...series,
        referenceYear: Number(series.recent[Math.floor(series.recent.length / 2)]?.date.slice(0, 4)),
        reference: series.recent,
        recent: series.reference,
        checkedPart: series.checkedPart === 'recent' ? 'reference' : 'recent',
      };

/**
 * The same series with as many reference days from a random date on, and all other days as recent ones: earlier days
 * are checked, too. Null when fewer than 60 days are left.
 */
export const splitAnew = (series: Series, seed: number): Series | null => {
  const days = [...series.reference, ...series.recent].sort((a, b) => (a.date < b.date ? -1 : 1));
  const { length } = series.reference;
  const others = days.length - length;
  if (others < swappedFrom) return null;
  const from = Math.floor(seededRandom(seed)() * (others + 1));
  const reference = days.slice(from, from + length);
  return {
    ...series,
    referenceYear: Number(reference[length >> 1]?.date.slice(0, 4)),
    reference,
    recent: [...days.slice(0, from), ...days.slice(from + length)],
    checkedPart: 'both',
  };
};
