import type { Measured } from './measure.js';
import { rankingNumbers } from './ranking.js';
import { intervalOf } from './score.js';
import { linesOf, none, textOf } from './table.js';

const digits = 4;

const shown = (value: number | null): string => (value === null ? none : value.toFixed(digits));

/** How severity and criticity rank found events and false alerts, and how often ordinary days have small p-values. */
export const rankingTable = (all: readonly Measured[], method: string, seed: number): string => {
  const series = all.flatMap(({ scores }) => scores[method]?.ranking ?? []);
  const rows = rankingNumbers.map(([name, value]) => {
    const interval = intervalOf(series, value, seed);
    return [name, shown(value(series)), interval ? interval.map(shown).join(' to ') : none];
  });
  return textOf(linesOf([['found events, false alerts', 'value', '95 % over series'], ...rows]));
};
