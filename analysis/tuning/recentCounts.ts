import type { Finding } from '../../domain/alerts/findings.js';
import type { TriedSetting } from './trySetting.js';

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
