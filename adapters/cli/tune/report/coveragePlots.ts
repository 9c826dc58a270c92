import { recentCounts } from '../../../../analysis/tuning/recentCounts.js';
import { settingName } from '../../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import type { Dot, LinesFigure } from '../../report/figures.js';
import { shareText } from '../columns.js';
import type { Tuned } from '../facts.js';
import type { Plot } from './plot.js';

/** Smallest distance of two target coverages whose labels fit next to each other. */
const tickDistanceMin = 0.012;

/** Ascending coverages that are far enough apart for their labels. */
const thinned = (coverages: readonly number[]): number[] => {
  const kept: number[] = [];
  for (const coverage of coverages)
    if (coverage - (kept.at(-1) ?? -1) >= tickDistanceMin) kept.push(coverage);
  return kept;
};

const targetOf = ({ asked }: TriedSetting): number => asked.coverage ?? 0;

/** The horizontal axis of target coverages. */
const coverageAxis = (settings: readonly TriedSetting[]): LinesFigure['x'] => ({
  label: 'target coverage',
  percent: true,
  ticks: thinned(settings.map(targetOf)),
});

const dotsOf = (
  settings: readonly TriedSetting[],
  value: (tried: TriedSetting) => number | null,
  words: (y: number) => string,
): Dot[] =>
  settings.flatMap(one => {
    const y = value(one);
    return y === null ? [] : { x: targetOf(one), y, title: `${settingName(one.asked)}: ${words(y)}` };
  });

/** Target and measured coverage. */
const coveragePlot = (settings: readonly TriedSetting[], hasRecent: boolean): Plot => {
  const measured = dotsOf(
    settings,
    ({ bounds }) => bounds.measuredCoverage,
    y => `${shareText(y)} of held-out reference days within their limits`,
  );
  const quiet = dotsOf(
    settings,
    one => recentCounts(one).quiet,
    y => `${shareText(y)} of ordinary recent days without an alert`,
  );
  return {
    title: 'Coverage: target and measured',
    figure: {
      kind: 'lines',
      series: [measured, quiet].filter(dots => dots.length > 0),
      x: coverageAxis(settings),
      y: {
        label: 'days without an alert',
        percent: true,
        includes: [1, Math.min(...settings.map(targetOf))],
      },
      diagonal: true,
    },
    notes:
      'Dashed: the target. Circles: ordinary reference days, judged by models that have not seen them. The limits are ' +
      'set on these days, so they lie on the line except for rounding.' +
      (hasRecent
        ? ' Squares: ordinary recent days, the real test. Truly unusual days among them lower the value.'
        : ''),
  };
};

/** Expected false alerts a year, and alerts of the recent days. */
const alertsPlot = (settings: readonly TriedSetting[], hasRecent: boolean): Plot => {
  const expected = dotsOf(
    settings,
    ({ bounds }) => bounds.falseAlertsPerYear,
    y => `${y.toFixed(1)} false alerts a year, from the measured coverage`,
  );
  const raised = dotsOf(
    settings,
    one => {
      const { compared, alerts } = recentCounts(one);
      return compared > 0 ? (365 * alerts.activity) / compared : null;
    },
    y => `${y.toFixed(1)} alerts a year, from the recent days`,
  );
  return {
    title: 'Alerts a year',
    figure: {
      kind: 'lines',
      series: [expected, raised].filter(dots => dots.length > 0),
      x: coverageAxis(settings),
      y: { label: 'alerts in 365 days', percent: false, includes: [0] },
      diagonal: false,
    },
    notes:
      'Circles: expected false alerts, from the measured coverage.' +
      (hasRecent ? ' Squares: activity alerts of the recent days per year, true and false ones.' : ''),
  };
};

/** Plots of the settings with a target coverage and the chosen number of models; empty without any. */
export const coveragePlots = ({ tried, recent }: Tuned): Plot[] => {
  const chosen = tried[0]?.models.length ?? 0;
  const settings = tried.filter(({ asked }) => asked.coverage !== null && asked.modelCount === chosen);
  if (settings.length === 0) return [];
  const hasRecent = recent.length > 0;
  return [coveragePlot(settings, hasRecent), alertsPlot(settings, hasRecent)].filter(
    ({ figure }) => figure.series.length > 0,
  );
};
