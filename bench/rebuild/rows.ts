/** Values by local time, in minutes since 1970; a missing sample has no entry. */
export type Samples = Map<number, number>;

/** How a series is made from files of its origin. */
export type Transformation = {
  /** Paths in the repository of the origin, read in this order. */
  readonly files: readonly string[];
  readonly samplesOf: (files: readonly Buffer[]) => Samples;
};

const minutesPerDay = 1440;

/**
 * Minutes since 1970 of a local time.
 * @throws RangeError when a part is not a number
 */
export const minutesOf = (year: number, month: number, day: number, minutes = 0): number => {
  const at = Date.UTC(year, month - 1, day) / 60_000 + minutes;
  if (!Number.isFinite(at))
    throw new RangeError(`got ${year}-${month}-${day} + ${minutes} min, expected a date`);
  return at;
};

/** Minutes since 1970 of `YYYY-MM-DDThh:mm:ss`. */
export const minutesOfStamp = (stamp: string): number => Date.parse(`${stamp}Z`) / 60_000;

/** Numbers without sign in a text, in order: the parts of a date. */
export const digitsOf = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);

/** Hour of a day by an hour of its half, 1 to 12, and a text with AM or PM. */
export const hoursOf = (hour: number, half: string): number => (hour % 12) + (/p/i.test(half) ? 12 : 0);

/** Cells of a line with commas; quotes around a cell are dropped, and a comma within them stays. */
export const cellsOf = (line: string): string[] => {
  const cells: string[] = [];
  for (let at = 0; at <= line.length;) {
    const [whole, quoted, plain = ''] = /^\s*(?:"([^"]*)"\s*|([^,]*))/.exec(line.slice(at)) ?? [''];
    cells.push(quoted ?? plain.trim());
    at += whole.length + 1;
  }
  return cells;
};

/** Cells of each line that is not empty. */
export function* linesOf(text: string): Generator<string[]> {
  for (const line of text.split(/\r?\n/)) if (line.trim() !== '') yield cellsOf(line);
}

/**
 * Rows of a table with a head, by the names of its columns.
 * @throws Error when a wanted column is missing
 */
export function* rowsOf<Name extends string>(
  text: string,
  wanted: readonly Name[],
): Generator<Record<Name, string>> {
  const lines = linesOf(text);
  const heads: string[] = lines.next().value ?? [];
  const places = wanted.map(name => [name, heads.indexOf(name)] as const);
  for (const [name, place] of places)
    if (place < 0) throw new Error(`got the columns ${heads.join(', ')}, expected ${name}`);
  for (const cells of lines)
    yield Object.fromEntries(places.map(([name, place]) => [name, cells[place] ?? ''])) as Record<
      Name,
      string
    >;
}

/** Means of slices of some minutes, of the samples that are there. */
export const meansOf = (samples: Iterable<readonly [number, number]>, minutes: number): Samples => {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const [at, value] of samples) {
    const slice = Math.floor(at / minutes) * minutes;
    const kept = sums.get(slice) ?? { sum: 0, count: 0 };
    sums.set(slice, { sum: kept.sum + value, count: kept.count + 1 });
  }
  return new Map([...sums].map(([slice, { sum, count }]) => [slice, sum / count]));
};

/** Samples of which the first of a repeated time is kept. */
export const firstOf = (samples: Iterable<readonly [number, number]>): Samples => {
  const kept: Samples = new Map();
  for (const [at, value] of samples) if (!kept.has(at)) kept.set(at, value);
  return kept;
};

/** A value with at most four decimals and a decimal comma. */
const textOf = (value: number): string => String(Number(value.toFixed(4))).replace('.', ',');

/** CSV of the samples from one local time to another, both included, as the files of series are. */
export const csvOf = (samples: Samples, from: number, to: number): string => {
  const rows = [...samples].filter(([at]) => at >= from && at <= to).sort(([one], [other]) => one - other);
  const stampOf = (at: number): string => new Date(at * 60_000).toISOString().slice(0, 19);
  return ['"date";"value"\n', ...rows.map(([at, value]) => `"${stampOf(at)}";"${textOf(value)}"\n`)].join('');
};

/** Last minute of the day of a local time. */
export const endOfDay = (at: number): number =>
  Math.floor(at / minutesPerDay) * minutesPerDay + minutesPerDay - 1;
