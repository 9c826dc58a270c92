import { notAdapted, type Adaptation } from '../../domain/alerts/checks.js';
import type { Finding } from '../../domain/alerts/findings.js';
import { dayPValue, pValueOf } from '../../analysis/checking/checkLimits.js';
import { discoveredUpTo } from '../../analysis/math/statistics.js';
import type { Trial, TrialDay } from '../../analysis/tuning/trial.js';
import { jointOf, isFlagged, type Expected } from './definitions.js';

/** The two numbers of an alert that lists are sorted by. `p`: its p-value; null when it has none, as a flatline. */
export type Ranks = { readonly criticity: number; readonly severity: number; readonly p: number | null };

/** How a series ranks its alerts, and how often its ordinary days have a small p-value. */
export type Ranking = {
  /** Alerts on event days, and on ordinary days. */
  readonly found: readonly Ranks[];
  readonly false: readonly Ranks[];
  /** Numbers of days, and of the ordinary ones with a p-value of at most each of `tails`. */
  readonly days: number;
  readonly eventDays: number;
  readonly atMost: readonly number[];
};

/** P-values whose frequency on ordinary days is counted. */
export const tails = [0.01, 0.003] as const;

/**
 * Area under the ROC curve: the share of pairs of which the first is larger, ties counting half; null without pairs.
 */
export const aucOf = (larger: readonly number[], smaller: readonly number[]): number | null => {
  if (larger.length === 0 || smaller.length === 0) return null;
  let sum = 0;
  for (const one of larger) for (const other of smaller) sum += one > other ? 1 : one === other ? 0.5 : 0;
  return sum / larger.length / smaller.length;
};

const ranksOf = ({ criticity, severity = 0, kind }: Finding): Ranks => ({
  criticity,
  severity,
  p: kind === 'activity' ? pValueOf(criticity) : null,
});

/**
 * P-value of the joint score of a checked day, with the adaptive factor of its check; 1 for a day whose drift explains
 * it, and for one that is not compared.
 */
const pValueOn = (trial: Trial, day: TrialDay, adaptation: Adaptation): number => {
  const joint = jointOf(trial, day, adaptation);
  const { checks, rules } = trial.comparison;
  return joint > 0 && checks ? dayPValue(joint, checks.scores, rules) : 1;
};

/** How the alerts and p-values of the recent days of a series rank them. */
export const rankingOf = (trial: Trial, { ordinary, events }: Expected): Ranking => {
  const byDate = new Map(trial.days.map((day, index) => [day.day.date, { day, index }]));
  const daysOf = (days: Expected['ordinary']) => days.flatMap(({ date }) => byDate.get(date) ?? []);
  const ranked = (days: Expected['ordinary']): Ranks[] =>
    daysOf(days).flatMap(({ day }) => (day.finding && isFlagged(day) ? ranksOf(day.finding) : []));
  const before = (index: number): Adaptation =>
    trial.days.slice(0, index).findLast(({ adaptation }) => adaptation)?.adaptation ?? notAdapted;
  const values = daysOf(ordinary).map(({ day, index }) => pValueOn(trial, day, before(index)));
  return {
    found: ranked(events),
    false: ranked(ordinary),
    days: values.length,
    eventDays: daysOf(events).length,
    atMost: tails.map(tail => values.filter(value => value <= tail).length),
  };
};

const aucBy =
  (rank: 'criticity' | 'severity') =>
  (series: readonly Ranking[]): number | null =>
    aucOf(
      series.flatMap(({ found }) => found.map(one => one[rank])),
      series.flatMap(one => one.false.map(alert => alert[rank])),
    );

const tailShare =
  (index: number) =>
  (series: readonly Ranking[]): number | null => {
    const days = series.reduce((sum, one) => sum + one.days, 0);
    return days === 0 ? null : series.reduce((sum, { atMost }) => sum + (atMost[index] ?? 0), 0) / days;
  };

/** Rates of false discoveries whose real shares are counted. */
const rates = [0.1, 0.2] as const;

/**
 * Discoveries among the days of all series at a rate, by the procedure of Benjamini and Hochberg: the share of false
 * ones; null without one.
 */
const falseShare =
  (rate: number) =>
  (series: readonly Ranking[]): number | null => {
    const days = series.reduce((sum, one) => sum + one.days + one.eventDays, 0);
    const valuesOf = (ranks: readonly Ranks[]): number[] => ranks.flatMap(({ p }) => p ?? []);
    const found = series.flatMap(one => valuesOf(one.found));
    const wrong = series.flatMap(one => valuesOf(one.false));
    const upTo = discoveredUpTo([...found, ...wrong], days, rate);
    if (upTo === null) return null;
    const count = (values: readonly number[]): number => values.filter(value => value <= upTo).length;
    return count(wrong) / (count(found) + count(wrong));
  };

/**
 * Numbers over series: AUC of found events against false alerts, shares of ordinary days with a small p-value, and
 * shares of false discoveries.
 */
export const rankingNumbers: readonly (readonly [
  name: string,
  value: (series: readonly Ranking[]) => number | null,
])[] = [
  ['AUC of severity', aucBy('severity')],
  ['AUC of criticity', aucBy('criticity')],
  ...tails.map((tail, index) => [`ordinary days at p ≤ ${tail}`, tailShare(index)] as const),
  ...rates.map(rate => [`false discoveries at ${rate}`, falseShare(rate)] as const),
];
