import type { Verdict } from '../../domain/alerts/alertState.js';
import type { TriedDay } from './trySetting.js';

/** A valid alert of a day, and the verdict of a person; null without a verdict. */
export type ValidAlert = { readonly date: string; readonly verdict: Verdict | null };

/** Number of valid alerts, and how many of them a setting keeps and loses. */
export type AlertCounts = { readonly stood: number; readonly kept: number; readonly lost: number };

/** Difference between the valid alerts and those of a setting. Each day is counted once. */
export type WhatIf = {
  /** Days with an alert under the setting. */
  readonly alerts: number;
  /** Days among `alerts` without a valid alert now; they have no verdict. */
  readonly gained: number;
  /** All valid alerts. */
  readonly all: AlertCounts;
  /** Verdict `anomaly`: a lost one would be missed. */
  readonly confirmed: AlertCounts;
  /** Verdict `notAnomaly` or `expected`: a lost one saves work. */
  readonly falseAlarms: AlertCounts;
  /** Verdict `newPattern`, or none: a lost one is neither good nor bad. */
  readonly undecided: AlertCounts;
  readonly gainedDates: readonly string[];
  readonly lostDates: readonly string[];
};

const falseVerdicts: readonly (Verdict | null)[] = ['notAnomaly', 'expected'];

/**
 * Compares the valid alerts with those that a setting would have raised on the same days.
 * @param valid at most one per date; alerts on dates that were not tried are ignored
 * @param tried the recent days under the setting
 */
export const compareAlerts = (valid: readonly ValidAlert[], tried: readonly TriedDay[]): WhatIf => {
  const dates = new Set(tried.map(({ date }) => date));
  const raised = new Set(tried.filter(({ finding }) => finding !== null).map(({ date }) => date));
  const comparable = valid.filter(({ date }) => dates.has(date));
  const validDates = new Set(comparable.map(({ date }) => date));
  const countsOf = (alerts: readonly ValidAlert[]): AlertCounts => {
    const kept = alerts.filter(({ date }) => raised.has(date)).length;
    return { stood: alerts.length, kept, lost: alerts.length - kept };
  };
  const isFalse = ({ verdict }: ValidAlert): boolean => falseVerdicts.includes(verdict);
  const isConfirmed = ({ verdict }: ValidAlert): boolean => verdict === 'anomaly';
  const gainedDates = [...raised].filter(date => !validDates.has(date));
  return {
    alerts: raised.size,
    gained: gainedDates.length,
    all: countsOf(comparable),
    confirmed: countsOf(comparable.filter(isConfirmed)),
    falseAlarms: countsOf(comparable.filter(isFalse)),
    undecided: countsOf(comparable.filter(alert => !isFalse(alert) && !isConfirmed(alert))),
    gainedDates,
    lostDates: comparable.map(({ date }) => date).filter(date => !raised.has(date)),
  };
};
