/** A day as the rules of this folder read it: its values, NaN for slices without points. */
export type ReadDay = { readonly dayNumber: number; readonly values: readonly number[] };

/** Days as rows of equal parts, hours unless slices are longer; ascending dates, each once. */
export type HourRows = {
  readonly dayNumbers: readonly number[];
  /** Parts of a day, at most 24. */
  readonly parts: number;
  /** `parts` means of observed slices for each day; NaN for a part without any. */
  readonly values: Float64Array;
  readonly rowOf: ReadonlyMap<number, number>;
};

const partsMax = 24;

/** Means of the observed slices of each part of a day are written from `at` on. */
const writeParts = ({ values }: ReadDay, parts: number, into: Float64Array, at: number): void => {
  const per = values.length / parts;
  for (let part = 0; part < parts; part += 1) {
    let sum = 0;
    let count = 0;
    for (let slice = part * per; slice < (part + 1) * per; slice += 1) {
      const value = values[slice] ?? NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      count += 1;
    }
    into[at + part] = count === 0 ? NaN : sum / count;
  }
};

/** Rows of days. @param days ascending, with equal numbers of slices */
export const hourRows = (days: readonly ReadDay[]): HourRows => {
  const parts = Math.min(partsMax, days[0]?.values.length ?? 1);
  const values = new Float64Array(days.length * parts);
  days.forEach((day, row) => writeParts(day, parts, values, row * parts));
  const dayNumbers = days.map(({ dayNumber }) => dayNumber);
  return { dayNumbers, parts, values, rowOf: new Map(dayNumbers.map((number, row) => [number, row])) };
};

/** Days of a week: profiles have a row for each. */
export const weekDays = 7;

/** Middle of up to four numbers: the mean of the two inner ones of four. */
const middleOf = (sorted: Float64Array, count: number): number => {
  if (count === 0) return NaN;
  const half = count >> 1;
  const upper = sorted[half] ?? NaN;
  return count % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? NaN)) / 2;
};

const weeksMax = 4;
/** Longest window of a profile, in days. */
export const windowMax = weeksMax * weekDays;

/**
 * Typical week of the days `from` (inclusive) to `to` (exclusive): for each weekday, by day number modulo 7, and each
 * part the median of its values; NaN where there is none.
 */
export const weekProfile = (rows: HourRows, from: number, to: number): Float64Array => {
  const { parts, values, rowOf } = rows;
  const profile = new Float64Array(weekDays * parts).fill(NaN);
  const sorted = new Float64Array(weeksMax);
  for (let first = from; first < Math.min(to, from + weekDays); first += 1) {
    const starts: number[] = [];
    for (let day = first; day < to && starts.length < weeksMax; day += weekDays) {
      const row = rowOf.get(day);
      if (row !== undefined) starts.push(row * parts);
    }
    const at = weekdayOf(first) * parts;
    for (let part = 0; part < parts; part += 1) {
      let count = 0;
      for (const start of starts) {
        const value = values[start + part] ?? NaN;
        if (Number.isNaN(value)) continue;
        let place = count;
        for (; place > 0 && (sorted[place - 1] ?? NaN) > value; place -= 1)
          sorted[place] = sorted[place - 1] ?? NaN;
        sorted[place] = value;
        count += 1;
      }
      profile[at + part] = middleOf(sorted, count);
    }
  }
  return profile;
};

/** Row of a day in a profile. */
export const weekdayOf = (dayNumber: number): number => ((dayNumber % weekDays) + weekDays) % weekDays;
