import type { Verdict } from '../../domain/alerts/alertsState.js';
import type { Finding } from '../../domain/alerts/findings.js';
import { modelCountMax } from '../../domain/planning/models.js';
import { trySetting, type Asked, type TriedSetting, type TuneData, type TriedDay } from './trySetting.js';

/** The settings of a sweep. */
export type Sweep = {
  /** Numbers of models, ascending, each once. */
  readonly counts: readonly number[];
  /** Target coverages, ascending, each once. */
  readonly coverages: readonly number[];
  /** Whether to combine every number of models with every coverage. */
  readonly cross: boolean;
  /** A further setting, tried last unless it is one of the others; absent without one. */
  readonly also?: Asked;
};

/** The setting of a source that is created without options. It is always tried first. */
export const asCreated: Asked = { modelCount: null, coverage: null };

/** The settings that can be tried at once: `asCreated`, then each number of models with default limits. */
export const firstSettings = ({ counts }: Sweep): Asked[] => [
  asCreated,
  ...counts.map(modelCount => ({ modelCount, coverage: null })),
];

/**
 * The settings with target coverages, and the further one. They need the chosen number of models first.
 * @param chosenCount number of models of the setting `asCreated`
 * @returns           each coverage with that number of models, or with every number when `cross` is set
 */
export const laterSettings = (sweep: Sweep, chosenCount: number): Asked[] => {
  const { counts, coverages, cross, also } = sweep;
  const combined = cross ? [...new Set([...counts, chosenCount])].sort((a, b) => a - b) : [chosenCount];
  const later = combined.flatMap(modelCount => coverages.map(coverage => ({ modelCount, coverage })));
  const others = [...firstSettings(sweep), ...later].map(settingName);
  return also === undefined || others.includes(settingName(also)) ? later : [...later, also];
};

/**
 * Tries the settings of a sweep on a reference and recent days. The same data, sweep and seed give the same bytes.
 * @param progress called after each setting with the number of settings done and the total
 * @returns        `asCreated`; each number of models; each coverage (or each number with each coverage)
 * @throws RangeError as `trial` does, or when a number of models is not 1 to 64
 */
export const tune = (
  data: TuneData,
  sweep: Sweep,
  progress: (done: number, total: number) => void = () => {},
): TriedSetting[] => {
  const wrong = sweep.counts.find(count => !Number.isInteger(count) || count < 1 || count > modelCountMax);
  if (wrong !== undefined)
    throw new RangeError(`got ${wrong} models, expected an integer from 1 to ${modelCountMax}`);
  const total = settingsCount(sweep);
  const tried: TriedSetting[] = [];
  const tryAll = (settings: readonly Asked[]): void => {
    for (const asked of settings) {
      tried.push(trySetting(data, asked));
      progress(tried.length, total(tried[0]?.fit.modelCount ?? 0));
    }
  };
  tryAll(firstSettings(sweep));
  tryAll(laterSettings(sweep, tried[0]?.fit.modelCount ?? 1));
  return tried;
};

/** Returns the number of settings of a sweep for a chosen number of models. */
export const settingsCount =
  (sweep: Sweep) =>
  (chosenCount: number): number =>
    firstSettings(sweep).length + laterSettings(sweep, chosenCount).length;

/** Short name of a setting: `chosen`, `7`, `7@0.95`. */
export const settingName = ({ modelCount, coverage }: Asked): string =>
  `${modelCount ?? 'chosen'}${coverage === null ? '' : `@${coverage}`}`;

/** Counts of the recent days under a setting. */
export type RecentCounts = {
  readonly days: number;
  /** Days compared with a model. */
  readonly compared: number;
  /** Days with an alert, by its kind. Only the first day of a drift has an alert. */
  readonly alerts: Readonly<Record<Finding['kind'], number>>;
  /** Days with the outcome `drift`. */
  readonly drifting: number;
  /** Compared days that are ordinary or bridge days. */
  readonly ordinary: number;
  /** Share of these without an alert, outliers included; null when there are none. */
  readonly quiet: number | null;
};

/** Counts the outcomes and alerts of the recent days. */
export const recentCounts = ({ days }: Pick<TriedSetting, 'days'>): RecentCounts => {
  const count = (kind: Finding['kind']): number =>
    days.filter(({ finding }) => finding?.kind === kind).length;
  const compared = days.filter(({ outcome }) => outcome !== 'gap' && outcome !== 'notCompared');
  const ordinary = compared.filter(day => day.ordinary);
  return {
    days: days.length,
    compared: compared.length,
    alerts: {
      activity: count('activity'),
      frozen: count('frozen'),
      drift: count('drift'),
      gap: count('gap'),
    },
    drifting: compared.filter(({ outcome }) => outcome === 'drift').length,
    ordinary: ordinary.length,
    quiet:
      ordinary.length > 0
        ? ordinary.filter(({ finding }) => finding === null).length / ordinary.length
        : null,
  };
};

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

/** A valid alert of a day, and the verdict of a person; null without a verdict. */
export type ValidAlert = { readonly date: string; readonly verdict: Verdict | null };

/** Number of valid alerts, and how many of them a setting keeps and loses. */
type AlertCounts = { readonly stood: number; readonly kept: number; readonly lost: number };

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
