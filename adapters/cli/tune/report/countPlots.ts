import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import type { Dot } from '../../report/figures.js';
import { shareText } from '../columns.js';
import type { Tuned } from '../facts.js';
import type { Plot } from './plot.js';

/** Settings at default limits by number of models, ascending, one each. */
const byCount = (tried: readonly TriedSetting[]): TriedSetting[] => {
  const found = new Map<number, TriedSetting>();
  for (const one of tried) if (one.asked.coverage === null) found.set(one.models.length, one);
  return [...found.values()].sort((a, b) => a.models.length - b.models.length);
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
  const chosen = tried[0]?.models.length ?? 0;
  const ticks = countTicks(counts.map(({ models }) => models.length));
  return measures.flatMap(({ title, axis, percent: isShare, max, value, notes }): Plot[] => {
    const dots = counts.flatMap((one): Dot[] => {
      const y = value(one);
      const count = one.models.length;
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
