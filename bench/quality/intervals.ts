import type { Measured } from './measure.js';
import { intervalOf, meanOf, pooled, type Part, type Score } from './score.js';

/** A pooled number of a method; null when it is not known. */
export type PooledNumber = {
  readonly name: string;
  readonly value: number | null;
  /** 95 % bootstrap interval over series. */
  readonly interval: readonly [low: number, high: number] | null;
};

const shareOf = (part: (score: Score) => Part) => (of: readonly Score[]) => {
  const { count, of: total } = part(pooled(of));
  return total === 0 ? null : count / total;
};

const numbers: readonly (readonly [string, (of: readonly Score[]) => number | null])[] = [
  ['false', shareOf(score => score.ordinary)],
  ['events found', shareOf(score => score.events)],
  ['events attainable', shareOf(({ attainable, events }) => ({ count: attainable ?? 0, of: events.of }))],
  [
    'found of attainable',
    shareOf(({ attainable, events }) => ({ count: events.count, of: attainable ?? 0 })),
  ],
  ['event runs found', shareOf(score => score.eventRuns)],
  ['power', of => meanOf(pooled(of).power)],
];

/** Pooled numbers of a method, and how far they would move with other series of this kind. */
export const pooledNumbers = (all: readonly Measured[], method: string, seed: number): PooledNumber[] => {
  const scores = all.flatMap(({ scores }) => scores[method] ?? []);
  return numbers.map(([name, value]) => ({
    name,
    value: value(scores),
    interval: intervalOf(scores, value, seed),
  }));
};
