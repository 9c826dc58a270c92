import { clockTime } from '../../../domain/alerts/details/shownDeviation.js';
import type { Finding } from '../../../domain/alerts/findings.js';
import type { Day } from '../../../domain/day.js';
import type { Model } from '../../../domain/planning/models.js';
import { dayName } from '../terminal/labels.js';
import { valueText } from '../terminal/text.js';
import type { Band, DayFigure } from './figures.js';
import { dayRange, observedOf } from './ranges.js';

/** A day with its planned model and what was found about it. */
export type DrawnDay = {
  readonly day: Day;
  readonly model: Model | undefined;
  readonly finding: Pick<Finding, 'slices'> | null;
};

/** Profile and bounds of a model. */
export const bandOf = ({ activity, topTolerance, bottomTolerance }: Model): Band => ({
  activity,
  top: topTolerance,
  bottom: bottomTolerance,
});

/**
 * The chart of a day over the band of its planned model. `color`: a CSS colour for the band; null for the usual one.
 */
export const dayFigure = ({ day, model, finding }: DrawnDay, color: string | null): DayFigure => ({
  kind: 'day',
  color,
  ...dayRange(day, model),
  day: {
    date: day.date,
    actual: observedOf(day),
    planned: model ? { ...bandOf(model), name: model.name, color: model.color } : null,
    broken: (finding?.slices ?? []).map(({ from, to, direction }) => ({ from, to, direction })),
  },
});

/** Mean of the observed values; undefined without one. */
const meanOf = (values: readonly (number | null)[]): number | undefined => {
  const seen = values.filter(value => value !== null);
  return seen.length === 0 ? undefined : seen.reduce((sum, value) => sum + value, 0) / seen.length;
};

const meanText = (values: readonly (number | null)[]): string => {
  const mean = meanOf(values);
  return mean === undefined ? 'no data' : valueText(mean);
};

/** The same as the chart in words: means of the day and of its model, and of each stretch outside a limit. */
export const dayWords = ({ day, model, finding }: DrawnDay): string => {
  const actual = observedOf(day);
  const expected = model?.activity ?? [];
  const slices = actual.length;
  const against = model ? `, expected ${meanText(expected)} (${model.name})` : ', no model is planned';
  const stretches = (finding?.slices ?? []).map(
    ({ from, to, direction }) =>
      `${clockTime(from, slices)} to ${clockTime(to, slices)} ${direction}: mean ${meanText(actual.slice(from, to))}` +
      (model ? `, expected ${meanText(expected.slice(from, to))}` : ''),
  );
  return `${[`${dayName(day.date)}: mean ${meanText(actual)}${against}`, ...stretches].join('. ')}.`;
};

/** A model in words: where its profile is lowest and highest, with the bounds there. */
export const modelWords = ({ activity, topTolerance, bottomTolerance }: Model): string => {
  const at = (value: number): string => {
    const slice = activity.indexOf(value);
    const [bottom, top] = [bottomTolerance[slice] ?? value, topTolerance[slice] ?? value];
    return `${valueText(value)} at ${clockTime(slice, activity.length)} (bounds ${valueText(bottom)} to ${valueText(top)})`;
  };
  return `Mean ${meanText(activity)}; lowest ${at(Math.min(...activity))}, highest ${at(Math.max(...activity))}.`;
};
