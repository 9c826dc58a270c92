import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import { percent } from '../columns.js';
import type { Tuned } from '../facts.js';
import { linePlot, type Dot, type Plot } from './linePlot.js';

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

const twoDecimals = (value: number): string => value.toFixed(2);
const oneDecimal = (value: number): string => percent(value, 1);

/** One number of a setting, as a plot against the number of models. */
type Measure = {
  readonly title: string;
  readonly axis: string;
  readonly value: (tried: TriedSetting) => number | null;
  readonly shown: (value: number) => string;
  readonly notes: string;
};

const measures: readonly Measure[] = [
  {
    title: 'Error of the predicted day profile',
    axis: 'mean error, % of activity',
    value: ({ fit }) => fit.loss,
    shown: oneDecimal,
    notes: 'Lower is better: difference between held-out days and the profile predicted for them.',
  },
  {
    title: 'Silhouette',
    axis: 'mean silhouette',
    value: ({ silhouette }) => silhouette?.mean ?? null,
    shown: twoDecimals,
    notes: 'Higher is better separated. It nearly always prefers two models, so it does not decide.',
  },
  {
    title: 'Predictability',
    axis: 'share of held-out days',
    value: ({ fit }) => fit.predictability,
    shown: twoDecimals,
    notes:
      'Share of held-out days that are nearest to the model planned for them. It falls when models are similar.',
  },
  {
    title: 'Stability',
    axis: 'adjusted Rand index',
    value: ({ fit }) => fit.stability,
    shown: twoDecimals,
    notes: 'Similarity of the models learned from two halves of the reference: 1 for equal, 0 for chance.',
  },
];

/** Plots against the number of models: error, silhouette, predictability and stability, where known. */
export const countPlots = ({ tried }: Tuned): Plot[] => {
  const counts = byCount(tried);
  const chosen = tried[0]?.models.length ?? 0;
  const ticks = countTicks(counts.map(({ models }) => models.length));
  return measures.flatMap(({ title, axis, value, shown, notes }) => {
    const dots = counts.flatMap((one): Dot[] => {
      const y = value(one);
      const count = one.models.length;
      if (y === null) return [];
      const marked = count === chosen ? { marked: `${chosen} chosen: ${shown(y)}` } : {};
      return [{ x: count, y, words: `${count} models: ${shown(y)}`, ...marked }];
    });
    if (dots.length === 0) return [];
    const drawn = linePlot({
      label: `${title} against the number of models`,
      series: [{ kind: 'first', dots }],
      x: { label: 'number of models', text: String, ticks },
      y: { label: axis, text: shown },
    });
    return [{ title, drawn, notes }];
  });
};
