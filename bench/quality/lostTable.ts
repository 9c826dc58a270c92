import type { LostSamples, Loss } from './lostSamples.js';
import type { Measured } from './measure.js';
import { linesOf, medianOf, none, textOf } from './table.js';

/** Largest accepted share of dates with another model. */
const otherMax = 0.02;

const percent = (value: number | null): string => (value === null ? none : (100 * value).toFixed(1));
const worst = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.max(...values);
const worstOrMedian = (values: readonly number[]): string =>
  `${percent(medianOf(values))} (${percent(worst(values))})`;

const cellsOf = (tried: readonly LostSamples[]): string[] => {
  const all = tried.flatMap(({ losses }) => losses);
  const each = (value: (loss: Loss) => number): number[] => all.map(value);
  const moved = medianOf(all.flatMap(({ moved }) => moved ?? []));
  return [
    worstOrMedian(each(({ other }) => other)),
    worstOrMedian(each(({ sameClusters }) => sameClusters)),
    worstOrMedian(each(({ outside }) => outside)),
    moved === null ? none : moved.toFixed(2),
    `${all.filter(({ other }) => other <= otherMax).length}/${all.length}`,
  ];
};

/**
 * Plans before and after samples are lost: a block for a requested number of models, and one for the engine's choice.
 * Shares are in percent of the dates, as the median of the losses and the largest.
 */
export const lostTable = (all: readonly Measured[]): string => {
  const blocks = (all[0]?.lost ?? []).map((_, place) => {
    const tried = all.flatMap(({ name, lost }) => (lost[place] ? [{ name, lost: lost[place] }] : []));
    const requested = tried[0]?.lost.requested ?? null;
    const title = requested === null ? 'lost samples, chosen number' : `lost samples, ${requested} models`;
    return textOf(
      linesOf([
        [title, 'models', 'then', 'other model', 'same clusters', 'outside bounds', 'moved', 'up to 2 %'],
        ...tried.map(({ name, lost }) => [
          name,
          String(lost.modelCount),
          lost.losses.map(({ modelCount }) => modelCount).join(' '),
          ...cellsOf([lost]),
        ]),
        ['pooled', '', '', ...cellsOf(tried.map(({ lost }) => lost))],
      ]),
    );
  });
  return blocks.join('\n');
};
