import { type WhatIf, recentCounts, type RecentCounts, settingName } from '../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../analysis/tuning/trySetting.js';
import { percent } from '../../../domain/text.js';
import type { Tuned } from './facts.js';

/** A share (0–1) as a percentage: `97.3 %`; a dash for null. */
export const shareText = (share: number | null, decimals = 1): string =>
  share === null ? '–' : percent(share, decimals);

/** A column of the table of settings. */
export type SettingColumn = {
  readonly head: string;
  /** The cell of a setting. */
  readonly text: (tried: TriedSetting, whatIf: WhatIf | undefined) => string;
  /** Explanation for `--help` and the report. */
  readonly meaning: string;
};

const fixed = (value: number | null | undefined, decimals: number): string =>
  value === null || value === undefined ? '–' : value.toFixed(decimals);

const settingColumns: readonly SettingColumn[] = [
  {
    head: 'setting',
    text: ({ asked }) => settingName(asked),
    meaning:
      '“chosen”: the engine chooses the number of models, as for a new source. 7: seven models. 7@0.95: seven models ' +
      'with limits for a coverage of 95 %, the share of ordinary days inside the limits. Without a coverage the ' +
      'default limits apply, which follow the data and have no target.',
  },
  {
    head: 'models',
    text: ({ models }) => String(models.length),
    meaning: 'Number of learned models; fewer than requested when fewer typical days differ.',
  },
  {
    head: 'error',
    text: ({ fit }) => shareText(fit.loss),
    meaning:
      'Error of the predicted day profile, by cross-fitting: a fold of the reference (a month, or two weeks of a short ' +
      'reference) is held out, and each of its days is compared with the profile predicted for it. Mean absolute ' +
      'difference as a share of the mean absolute activity.',
  },
  {
    head: 'silhouette',
    text: ({ silhouette }) => fixed(silhouette?.mean, 2),
    meaning:
      'Separation of the models, −1 to 1 (Rousseeuw 1987): mean over the reference days, each as its calendar features ' +
      'predict it, of (b − a) / max(a, b), with a the mean distance to the days of its own model and b to those of the ' +
      'nearest other model. None with one model.',
  },
  {
    head: 'hit rate',
    text: ({ hitRate }) => shareText(hitRate, 0),
    meaning:
      'Share of held-out reference days that are nearest to the model planned for them, with clusters that were found ' +
      'without these days. With many models some are similar, so the rate falls without much harm.',
  },
  {
    head: 'stable',
    text: ({ fit }) => fixed(fit.stability, 2),
    meaning:
      'Similarity of the models learned from each half of the reference to those of all days: adjusted Rand index ' +
      '(Hubert and Arabie 1985), 1 for equal, 0 for chance.',
  },
];

const boundsColumns: readonly SettingColumn[] = [
  {
    head: 'coverage',
    text: ({ bounds }) => shareText(bounds.measuredCoverage),
    meaning:
      'Measured coverage: share of ordinary reference days inside all limits, with models learned without their fold. ' +
      'The limits of a target coverage are set on these days, so there the two nearly agree. The recent days are the ' +
      'real test.',
  },
  {
    head: 'false/year',
    text: ({ bounds }) => fixed(bounds.falseAlertsPerYear, 1),
    meaning:
      'Expected alerts on ordinary days in a year. With default limits it is calibrated on other series and counts that ' +
      'limits adapt; with a coverage it follows from the measured coverage.',
  },
];

type MinimumChange = NonNullable<TriedSetting['bounds']['minimumDetectableChange']>['wholeDay'];

/** A minimum detectable change: `+40 / −35 %`, `±15 %`, or `+60 %` where no decrease is detectable. */
export const changeText = (change: MinimumChange | undefined): string => {
  if (!change) return '–';
  const { more, less } = change;
  if (more === null) return less === null ? 'none' : `−${percent(less)}`;
  if (less === null) return `+${percent(more)}`;
  return percent(more) === percent(less)
    ? `±${percent(more)}`
    : `+${Math.round(100 * more)} / −${percent(less)}`;
};

const changeColumns: readonly SettingColumn[] = [
  {
    head: 'day change',
    text: ({ bounds }) => changeText(bounds.minimumDetectableChange?.wholeDay),
    meaning:
      'Minimum detectable change of a whole day, the same in all hours: the smallest one that four of five ordinary ' +
      'days would show. A direction is missing when even a doubling or a fall to zero would not show.',
  },
  {
    head: '8 h change',
    text: ({ bounds }) => changeText(bounds.minimumDetectableChange?.eightHours),
    meaning: 'Minimum detectable change in the eight busiest hours only, as a share of the total of the day.',
  },
];

const kindColumn = (head: string, kind: keyof RecentCounts['alerts'], meaning: string): SettingColumn => ({
  head,
  text: tried => String(recentCounts(tried).alerts[kind]),
  meaning,
});

const recentColumns: readonly SettingColumn[] = [
  {
    head: 'alerts',
    text: ({ days }) => String(days.filter(({ finding }) => finding).length),
    meaning: 'Recent days with an alert of any kind.',
  },
  {
    head: 'quiet',
    text: tried => shareText(recentCounts(tried).quiet),
    meaning:
      'Share of ordinary recent days (no holiday, special day or day around Christmas) without an alert: coverage on ' +
      'days that the models have not seen. Truly unusual days lower it.',
  },
];

/** Columns of the kinds of alerts other than unusual activity, shown where any setting has one. */
const kindColumns: readonly SettingColumn[] = [
  kindColumn(
    'frozen',
    'frozen',
    'Alerts for a flatline: one value repeated for more than one and a half times the longest run in the reference.',
  ),
  kindColumn(
    'drift',
    'drift',
    'Alerts for a drift: from this day on the source as a whole differs from the reference. Raised once, not every day.',
  ),
  kindColumn(
    'gaps',
    'gap',
    'Alerts for days with less than half of the data of reference days, which are not compared, and for a stretch ' +
      'without data longer than any on reference days of the same model; the rest of such a day is compared.',
  ),
];

/** Covariates that the setting uses; shown where covariates were given. */
const covariateColumns: readonly SettingColumn[] = [
  {
    head: 'explained by',
    text: ({ explainedBy = [] }) =>
      explainedBy.flatMap(({ name, used }) => (used ? [name] : [])).join(', ') || 'none',
    meaning:
      'Covariates of --explained-by that the setting uses. One is used when it lowers the error of the level of held-out ' +
      'days by at least 2 %, in at least 60 % of the folds.',
  },
];

const partOf = (alerts: WhatIf['all'] | undefined, part: 'kept' | 'lost'): string =>
  alerts === undefined ? '–' : `${alerts[part]} of ${alerts.stood}`;

const whatIfColumns: readonly SettingColumn[] = [
  {
    head: 'gained',
    text: (_, whatIf) => String(whatIf?.gained ?? '–'),
    meaning: 'Days with an alert under the setting but without one now. They have no verdict yet.',
  },
  {
    head: 'lost',
    text: (_, whatIf) => partOf(whatIf?.all, 'lost'),
    meaning: 'Days with an alert now but without one under the setting, with any verdict.',
  },
  {
    head: 'confirmed kept',
    text: (_, whatIf) => partOf(whatIf?.confirmed, 'kept'),
    meaning:
      'Days that users confirmed (verdict anomaly) and that have an alert under the setting. The others would be missed.',
  },
  {
    head: 'false saved',
    text: (_, whatIf) => partOf(whatIf?.falseAlarms, 'lost'),
    meaning: 'Days that users called no anomaly or expected, and that have no alert under the setting.',
  },
];

/** The columns that have values for these results. */
export const columnsFor = ({ tried, recent, whatIfs, covariates }: Tuned): readonly SettingColumn[] => [
  ...settingColumns,
  ...boundsColumns,
  ...changeColumns,
  ...(recent.length > 0 ? recentColumns : []),
  ...kindColumns.filter(({ text }) => tried.some(one => text(one, undefined) !== '0')),
  ...(whatIfs.length > 0 ? whatIfColumns : []),
  ...(covariates.length > 0 ? covariateColumns : []),
];

/** All columns, for `--help`. */
export const allColumns: readonly SettingColumn[] = [
  ...settingColumns,
  ...boundsColumns,
  ...changeColumns,
  ...recentColumns,
  ...kindColumns,
  ...whatIfColumns,
  ...covariateColumns,
];
