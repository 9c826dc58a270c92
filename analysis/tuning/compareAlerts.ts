import type { Verdict } from '../../domain/alerts.js';
import type { TriedDay, TriedSetting } from './tune.js';

/** The alert that stands on a day, and what a person said of it; null while nobody has. */
export type StoodAlert = { readonly date: string; readonly verdict: Verdict | null };

/** Alerts that stood, and of those how many a setting keeps or not. */
export type Fate = { readonly stood: number; readonly kept: number; readonly lost: number };

/** What would have been different under a setting. Days count once, whatever alerts they have had. */
export type WhatIf = {
  /** Days with an alert under the setting. */
  readonly alerts: number;
  /** Of them, days on which no alert stands now: nobody has judged these. */
  readonly gained: number;
  /** All alerts that stand now. */
  readonly all: Fate;
  /** Verdict `anomaly`: losing one is missing what mattered. */
  readonly confirmed: Fate;
  /** Verdict `notAnomaly` or `expected`: what is lost of them is work saved. */
  readonly falseAlarms: Fate;
  /** Verdict `newPattern`, or none yet: neither good nor bad to lose. */
  readonly undecided: Fate;
  readonly gainedDates: readonly string[];
  readonly lostDates: readonly string[];
};

const falseVerdicts: readonly (Verdict | null)[] = ['notAnomaly', 'expected'];

/**
 * Compares the alerts that stand with those that a setting would have raised on the same days.
 * @param stood at most one a date; those of dates that were not tried are not counted
 * @param tried the recent days under the setting
 */
export const compareAlerts = (stood: readonly StoodAlert[], tried: readonly TriedDay[]): WhatIf => {
  const dates = new Set(tried.map(({ date }) => date));
  const raised = new Set(tried.filter(({ finding }) => finding !== null).map(({ date }) => date));
  const there = stood.filter(({ date }) => dates.has(date));
  const standing = new Set(there.map(({ date }) => date));
  const fate = (of: readonly StoodAlert[]): Fate => {
    const kept = of.filter(({ date }) => raised.has(date)).length;
    return { stood: of.length, kept, lost: of.length - kept };
  };
  const isFalse = ({ verdict }: StoodAlert): boolean => falseVerdicts.includes(verdict);
  const isConfirmed = ({ verdict }: StoodAlert): boolean => verdict === 'anomaly';
  const gainedDates = [...raised].filter(date => !standing.has(date));
  return {
    alerts: raised.size,
    gained: gainedDates.length,
    all: fate(there),
    confirmed: fate(there.filter(isConfirmed)),
    falseAlarms: fate(there.filter(isFalse)),
    undecided: fate(there.filter(alert => !isFalse(alert) && !isConfirmed(alert))),
    gainedDates,
    lostDates: there.map(({ date }) => date).filter(date => !raised.has(date)),
  };
};

/**
 * Which setting to recommend, by its index. Where people have given verdicts: of the settings that keep the most
 * confirmed alerts those that save the most false ones, of these the one with the fewest gained, the first of equals.
 * Without verdicts the first, which is the engine's own choice: more alerts or fewer are no merit while nobody has
 * said which were right.
 * @param tried at least one setting, the engine's own choice first
 * @param whatIfs one a setting in the same order; empty where no alerts are known
 */
export const recommended = (tried: readonly TriedSetting[], whatIfs: readonly WhatIf[]): number => {
  const judged = whatIfs.some(({ confirmed, falseAlarms }) => confirmed.stood + falseAlarms.stood > 0);
  if (!judged) return 0;
  const rank = (index: number): readonly [number, number, number] => {
    const { confirmed, falseAlarms, gained } = whatIfs[index] as WhatIf;
    return [-confirmed.kept, -falseAlarms.lost, gained];
  };
  return tried
    .map((_, index) => ({ index, rank: rank(index) }))
    .reduce((best, next) => (isBefore(next.rank, best.rank) ? next : best)).index;
};

const isBefore = (a: readonly number[], b: readonly number[]): boolean => {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
};
