import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import type { Dot, LinesFigure } from '../../report/figures.js';
import { shareText } from '../columns.js';
import type { Tuned } from '../facts.js';
import { recentCounts, settingName } from '../../../../analysis/tuning/tune.js';

/** A line chart with its title and the notes below it. */
export type Plot = { readonly title: string; readonly figure: LinesFigure; readonly notes: string };

/** The dots of a line chart in words. */
export const plotWords = ({ series }: LinesFigure): string =>
  series.map((dots: readonly Dot[]) => `${dots.map(({ title }) => title).join('; ')}.`).join(' ');

/** Settings at default limits by number of models that were clustered, ascending, one each. */
const byCount = (tried: readonly TriedSetting[]): TriedSetting[] => {
  const found = new Map<number, TriedSetting>();
  for (const one of tried) if (one.asked.coverage === null) found.set(one.fit.modelCount, one);
  return [...found.values()].sort((a, b) => a.fit.modelCount - b.fit.modelCount);
};

const ticksMax = 12;

/** Ticks for numbers of models, ascending. */
const countTicks = (numbers: readonly number[]): number[] => {
  const [least, most] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
  const every = Math.max(1, Math.ceil((most - least + 1) / ticksMax));
  return Array.from({ length: Math.floor((most - least) / every) + 1 }, (_, index) => least + index * every);
};

/** One number of a setting, as a plot against the number of models. */
type Measure = {
  readonly title: string;
  readonly axis: string;
  readonly percent: boolean;
  /** Largest possible value, where `percent` does not say it. */
  readonly max?: number;
  readonly value: (tried: TriedSetting) => number | null;
  readonly notes: string;
};

const measures: readonly Measure[] = [
  {
    title: 'Error of the predicted day profile',
    axis: 'mean error, share of activity',
    percent: true,
    value: ({ fit }) => fit.loss,
    notes: 'Lower is better: difference between held-out days and the profile predicted for them.',
  },
  {
    title: 'Silhouette',
    axis: 'mean silhouette',
    percent: false,
    max: 1,
    value: ({ silhouette }) => silhouette?.mean ?? null,
    notes: 'Higher is better separated. It nearly always prefers two models, so it does not decide.',
  },
  {
    title: 'Hit rate with common clusters',
    axis: 'share of held-out days',
    percent: true,
    value: ({ fit }) => fit.predictability,
    notes:
      'Share of held-out days that are nearest to the model planned for them, with the clusters of all days, as numbers ' +
      'of models are compared (predictability in files). So it can differ from the hit rate of the table, whose clusters ' +
      'are found without the held-out days. It falls when models are similar.',
  },
  {
    title: 'Stability',
    axis: 'adjusted Rand index',
    percent: false,
    max: 1,
    value: ({ fit }) => fit.stability,
    notes:
      'Similarity of the models learned from each half of the reference to those of all days: 1 for equal, 0 for chance.',
  },
];

/** Plots against the number of models: error, silhouette, hit rate and stability, where known. */
export const countPlots = ({ tried }: Tuned): Plot[] => {
  const counts = byCount(tried);
  const chosen = tried[0]?.fit.modelCount ?? 0;
  const ticks = countTicks(counts.map(({ fit }) => fit.modelCount));
  return measures.flatMap(({ title, axis, percent: isShare, max, value, notes }): Plot[] => {
    const dots = counts.flatMap((one): Dot[] => {
      const y = value(one);
      const count = one.fit.modelCount;
      if (y === null) return [];
      const shown = isShare ? shareText(y) : y.toFixed(2);
      const label = count === chosen ? { label: `${chosen} chosen: ${shown}` } : {};
      return [{ x: count, y, title: `${count === 1 ? '1 model' : `${count} models`}: ${shown}`, ...label }];
    });
    if (dots.length === 0) return [];
    const x = { label: 'number of models', percent: false, ticks };
    const y = { label: axis, percent: isShare, includes: [], ...(max !== undefined && { max }) };
    return [{ title, figure: { kind: 'lines', series: [dots], x, y, diagonal: false }, notes }];
  });
};

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
  const chosen = tried[0]?.fit.modelCount ?? 0;
  const settings = tried.filter(({ asked }) => asked.coverage !== null && asked.modelCount === chosen);
  if (settings.length === 0) return [];
  const hasRecent = recent.length > 0;
  return [coveragePlot(settings, hasRecent), alertsPlot(settings, hasRecent)].filter(
    ({ figure }) => figure.series.length > 0,
  );
};
