import { recentCounts } from '../../../../analysis/tuning/recentCounts.js';
import { settingName } from '../../../../analysis/tuning/tune.js';
import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import { percent } from '../columns.js';
import type { Tuned } from '../facts.js';
import { linePlot, type Dot, type LinePlot, type Plot, type Series } from './linePlot.js';
import { line, ticks } from './svg.js';

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

/** A percentage without decimals where it is whole. */
const coverageText = (value: number): string =>
  percent(value, Number.isInteger(Math.round(value * 1e6) / 1e4) ? 0 : 1);

/** The horizontal axis of target coverages. */
const coverageAxis = (coverages: readonly number[]): LinePlot['x'] => ({
  label: 'target coverage',
  text: coverageText,
  ticks: coverages.length > 5 ? ticks(coverages[0] ?? 0, 1, 5) : thinned(coverages),
});

const dotsOf = (
  settings: readonly TriedSetting[],
  value: (tried: TriedSetting) => number | null,
  words: (y: number) => string,
): Dot[] =>
  settings.flatMap(one => {
    const y = value(one);
    return y === null ? [] : { x: targetOf(one), y, words: `${settingName(one.asked)}: ${words(y)}` };
  });

const seriesOf = (first: readonly Dot[], second: readonly Dot[]): Series[] => [
  { kind: 'first', dots: first },
  ...(second.length > 0 ? [{ kind: 'second' as const, dots: second }] : []),
];

/** Target and measured coverage. */
const coveragePlot = (settings: readonly TriedSetting[], hasRecent: boolean): Plot => {
  const measured = dotsOf(
    settings,
    ({ bounds }) => bounds.measuredCoverage,
    y => `${percent(y)} of held-out reference days within their limits`,
  );
  const quiet = dotsOf(
    settings,
    one => recentCounts(one).quiet,
    y => `${percent(y)} of ordinary recent days without an alert`,
  );
  const coverages = settings.map(targetOf);
  const [from, to] = [Math.min(...coverages), Math.max(...coverages)];
  return {
    title: 'Coverage: target and measured',
    drawn: linePlot({
      label: 'Measured coverage against target coverage',
      series: seriesOf(measured, quiet),
      x: coverageAxis(coverages),
      y: { label: 'days without an alert', text: value => percent(value, 0), least: [1, from] },
      extra: place => line(place.x(from), place.y(from), place.x(to), place.y(to), 'ideal'),
    }),
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
    drawn: linePlot({
      label: 'Alerts a year against target coverage',
      series: seriesOf(expected, raised),
      x: coverageAxis(settings.map(targetOf)),
      y: { label: 'alerts in 365 days', text: value => String(Number(value.toPrecision(3))), least: [0] },
    }),
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
  return [coveragePlot(settings, hasRecent), alertsPlot(settings, hasRecent)];
};
