import type { Series } from '../../../domain/source/feed.js';

/** Points of a series in one body, in its order: microseconds since 1970, finite values, line numbers. */
export type SeriesPoints = Series & {
  readonly at: number[];
  readonly values: number[];
  readonly lines: number[];
};

/** Lines that are not stored, with their reasons. */
export type RejectedLines = {
  readonly add: (line: number, reason: string) => void;
  /** Number of lines. */
  readonly count: () => number;
  /** The first ones, by line. */
  readonly first: () => readonly { readonly line: number; readonly reason: string }[];
};

/** The points of one body, and the lines that could not be read. */
export type LineBatch = {
  readonly series: readonly SeriesPoints[];
  readonly rejected: RejectedLines;
};

/** Rejected lines whose reasons are kept. */
const reasonsMax = 20;

/** An empty list. A line with several reasons has the first. */
export const rejectedLines = (): RejectedLines => {
  const lines = new Set<number>();
  const kept: { readonly line: number; readonly reason: string }[] = [];
  return {
    add: (line, reason) => {
      if (lines.has(line)) return;
      lines.add(line);
      if (kept.length < reasonsMax) kept.push({ line, reason });
    },
    count: () => lines.size,
    first: () => kept.toSorted((one, other) => one.line - other.line),
  };
};
