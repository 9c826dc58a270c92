import type { WhatIf } from './compareAlerts.js';
import type { TriedSetting } from './trySetting.js';

/** Fewest verdicts that can change the recommendation: fewer are chance. */
export const verdictsMin = 10;

/** Number of alerts with a verdict that says whether they were right. */
export const verdictCount = ({ confirmed, falseAlarms }: WhatIf): number =>
  confirmed.stood + falseAlarms.stood;

/**
 * Index of the recommended setting. With ten verdicts: the setting that keeps the most confirmed alerts, then loses the
 * most false alarms, then gains the fewest alerts; the first of equals. With fewer: the first setting, since nothing
 * shows whether more or fewer alerts would be better.
 * @param tried   at least one setting, `asCreated` first
 * @param whatIfs one per setting in the same order; empty when no alerts are known
 */
export const recommended = (tried: readonly TriedSetting[], whatIfs: readonly WhatIf[]): number => {
  if (!whatIfs.some(whatIf => verdictCount(whatIf) >= verdictsMin)) return 0;
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
