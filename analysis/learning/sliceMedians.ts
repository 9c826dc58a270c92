import type { ScaledProfile } from './prepare.js';

/** Rows of one array, prepared for the medians of many groups. */
type RowRanks = {
  /** For each slice, the rank of each row among the values there, from 0; all other rows have the number of values. */
  readonly ranks: Uint16Array;
  /** For each slice, the values in ascending order. */
  readonly sorted: readonly Float64Array[];
  readonly isComplete: boolean;
  /** Medians of groups by their members (memberKeys), when all rows are complete. */
  readonly medians: Map<string, ScaledProfile>;
};

/** Most rows whose ranks fit 16 bits. */
const rowsMax = 65_535;

/** Most medians that are kept for one array of rows. */
const mediansMax = 4096;

/** Ranked once for each array of rows: medians of many groupings read the same ranks. */
const knownRanks = new WeakMap<readonly ScaledProfile[], RowRanks>();

const ranksOf = (rows: readonly ScaledProfile[]): RowRanks => {
  const known = knownRanks.get(rows);
  if (known) return known;
  if (rows.length > rowsMax) throw new RangeError(`got ${rows.length} rows, expected at most ${rowsMax}`);
  const slices = rows[0]?.length ?? 0;
  const ranks = new Uint16Array(rows.length * slices);
  const order = Uint16Array.from(rows.keys());
  const sorted = Array.from({ length: slices }, (_, slice) =>
    rankSlice(rows, slice, order, ranks.subarray(slice * rows.length, (slice + 1) * rows.length)),
  );
  const isComplete = sorted.every(values => values.length === rows.length);
  const found = { ranks, sorted, isComplete, medians: new Map<string, ScaledProfile>() };
  knownRanks.set(rows, found);
  return found;
};

/**
 * Writes the ranks of the values of one slice, in any order for equal values; returns its values in ascending order.
 * @param order order of the rows in the slice before; becomes the order in this one, NaN last
 */
const rankSlice = (
  rows: readonly ScaledProfile[],
  slice: number,
  order: Uint16Array,
  ranks: Uint16Array,
): Float64Array => {
  const sorted = new Float64Array(rows.length);
  let count = 0;
  // Insertion sort: it passes over each pair of rows that changed places since the slice before.
  for (let end = 0; end < order.length; end += 1) {
    const row = order[end]!;
    let value = rows[row]![slice]!;
    if (value === value) count += 1;
    else value = Number.POSITIVE_INFINITY;
    let at = end;
    for (; at > 0 && sorted[at - 1]! > value; at -= 1) {
      sorted[at] = sorted[at - 1]!;
      order[at] = order[at - 1]!;
    }
    sorted[at] = value;
    order[at] = row;
  }
  for (let rank = 0; rank < order.length; rank += 1) ranks[order[rank]!] = Math.min(rank, count);
  return sorted.subarray(0, count);
};

/** Members of each group as a string, 16 rows a character; null for a group without rows. */
const memberKeys = (groups: ArrayLike<number>, count: number): (string | null)[] => {
  const width = (groups.length + 15) >> 4;
  const words = new Uint16Array(count * width);
  const isUsed = new Uint8Array(count);
  for (let row = 0; row < groups.length; row += 1) {
    const group = groups[row]!;
    if (group < 0) continue;
    words[group * width + (row >> 4)]! |= 1 << (row & 15);
    isUsed[group] = 1;
  }
  return Array.from(isUsed, (used, group) =>
    used === 1 ? String.fromCharCode(...words.subarray(group * width, (group + 1) * width)) : null,
  );
};

/**
 * Median of the rows of each group, slice by slice.
 * @param rows      NaN in slices without a value; the same array must always hold the same rows
 * @param groups    group of each row, −1 for none
 * @param fallbacks values for slices in which a group has none, one profile for each group
 * @returns         not to be changed: complete groups with the same rows get the same array in each call
 */
export const groupMedians = (
  rows: readonly ScaledProfile[],
  groups: ArrayLike<number>,
  fallbacks: readonly ScaledProfile[],
): ScaledProfile[] => {
  const ranked = ranksOf(rows);
  const { isComplete, medians: known } = ranked;
  const keys = isComplete ? memberKeys(groups, fallbacks.length) : [];
  const kept = fallbacks.map((_, group) => known.get(keys[group] ?? ''));
  const wanted = fallbacks.flatMap((_, group) => (kept[group] ? [] : group));
  const places = new Int32Array(fallbacks.length).fill(wanted.length);
  wanted.forEach((group, place) => (places[group] = place));
  const members: number[] = [];
  for (let row = 0; row < rows.length; row += 1)
    if (groups[row]! >= 0 && places[groups[row]!]! < wanted.length) members.push(row);
  const found = wanted.map(group => Float64Array.from(fallbacks[group]!));
  const placeOf = Int32Array.from(members, row => places[groups[row]!]!);
  if (wanted.length > 0) fillMedians(ranked, { members: Int32Array.from(members), placeOf }, found);
  if (known.size > mediansMax) known.clear();
  wanted.forEach((group, place) => {
    const key = keys[group];
    if (key) known.set(key, found[place]!);
  });
  return fallbacks.map((_, group) => kept[group] ?? found[places[group]!]!);
};

/** Rows, and the place of the median that each is for. */
type Placed = { readonly members: Int32Array; readonly placeOf: Int32Array };

/**
 * Writes medians; slices in which a place has no value are not written. The ranks of each place are bits, so that a
 * median is the place of a bit.
 */
const fillMedians = (
  { ranks, sorted }: RowRanks,
  { members, placeOf }: Placed,
  medians: readonly ScaledProfile[],
): void => {
  const rows = ranks.length / sorted.length;
  const words = (rows >> 5) + 1;
  const begins = Int32Array.from(placeOf, place => place * words);
  const bits = new Int32Array(medians.length * words);
  const sizes = sizesOf(placeOf, medians.length);
  for (let slice = 0; slice < sorted.length; slice += 1) {
    const values = sorted[slice]!;
    const from = slice * rows;
    bits.fill(0);
    for (let at = 0; at < members.length; at += 1) {
      const rank = ranks[from + members[at]!]!;
      bits[begins[at]! + (rank >> 5)]! |= 1 << (rank & 31);
    }
    for (let place = 0; place < medians.length; place += 1) {
      const begin = place * words;
      const size = values.length === rows ? sizes[place]! : countBits(bits, begin, values.length);
      if (size === 0) continue;
      const rank = rankOfBit(bits, begin, (size - 1) >> 1);
      // The same arithmetic as `sortedQuantile` at 0.5; −0 becomes 0.
      const low = values[rank]! + 0;
      medians[place]![slice] = size % 2 === 1 ? low : low + 0.5 * (values[nextBit(bits, begin, rank)]! - low);
    }
  }
};

/** Number of rows of each place. */
const sizesOf = (placeOf: Int32Array, count: number): Int32Array => {
  const sizes = new Int32Array(count);
  for (let at = 0; at < placeOf.length; at += 1) sizes[placeOf[at]!]! += 1;
  return sizes;
};

/** Number of bits of a word (Warren 2012, Hacker's Delight, 5-1). */
const bitCount = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** Number of bits below a place, from the word `begin` on. */
const countBits = (bits: Int32Array, begin: number, end: number): number => {
  let count = 0;
  const last = begin + (end >> 5);
  for (let word = begin; word < last; word += 1) count += bitCount(bits[word]!);
  return count + bitCount(bits[last]! & ((1 << (end & 31)) - 1));
};

/** Place of a bit, given the number of bits before it. */
const rankOfBit = (bits: Int32Array, begin: number, before: number): number => {
  let word = begin;
  let left = before;
  for (let count = bitCount(bits[word]!); count <= left; count = bitCount(bits[word]!)) {
    left -= count;
    word += 1;
  }
  let rest = bits[word]!;
  for (; left > 0; left -= 1) rest &= rest - 1;
  return ((word - begin) << 5) + lowestBit(rest);
};

/** Place of the next bit after one. */
const nextBit = (bits: Int32Array, begin: number, rank: number): number => {
  let word = begin + (rank >> 5);
  // −2 << 31 is 0: no bit is after the last one of a word.
  let rest = bits[word]! & (-2 << (rank & 31));
  while (rest === 0) rest = bits[(word += 1)]!;
  return ((word - begin) << 5) + lowestBit(rest);
};

const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);
