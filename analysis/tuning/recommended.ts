import type { WhatIf } from './compareAlerts.js';
import type { TriedSetting } from './trySetting.js';

/**
 * Index of the recommended setting. With verdicts: the setting that keeps the most confirmed alerts, then loses the most
 * false alarms, then gains the fewest alerts; the first of equals. Without verdicts: the first setting, since nothing
 * shows whether more or fewer alerts would be better.
 * @param tried   at least one setting, `asCreated` first
 * @param whatIfs one per setting in the same order; empty when no alerts are known
 */
export const recommended = (tried: readonly TriedSetting[], whatIfs: readonly WhatIf[]): number => {
  const hasVerdicts = whatIfs.some(({ confirmed, falseAlarms }) => confirmed.stood + falseAlarms.stood > 0);
  if (!hasVerdicts) return 0;
  const rank = (index: number): readonly [number, number, number] => {
    const { confirmed, falseAlarms, gained } = whatIfs[index] as WhatIf;
    return [-confirmed.kept, -falseAlarms.lost, gained];
  };
  return tried
    .map((_, index) => ({ index, rank: rank(index) }))
    .reduce((best, next) => (isBefore(next.rank, best.rank) ? next : best)).index;
};

/** Whether the first number that differs is smaller in `a`. */
const isBefore = (a: readonly number[], b: readonly number[]): boolean => {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
};
