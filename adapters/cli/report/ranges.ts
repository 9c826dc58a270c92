import { usable, type Day } from '../../../domain/day.js';
import type { Model } from '../../../domain/planning/models.js';
import { rangeOf } from '../terminal/profileChart.js';

/** Share of the values, at each end, that may be outside the picture. */
const outsideShare = 0.002;

/** Least and largest value of a vertical axis. */
export type AxisRange = { readonly min: number; readonly max: number };

/** A model as it is drawn: lower bounds below 0 become 0 when no value is negative. */
export const drawnModel = (model: Model, least: number): Model =>
  least < 0 ? model : { ...model, bottomTolerance: model.bottomTolerance.map(value => Math.max(0, value)) };

/** A range for values and bounds. Bounds extend it by at most half of the span of the values. */
const withBounds = (least: number, most: number, models: readonly Model[]): AxisRange => {
  const room = (most - least) * 0.5;
  const { low, high } = rangeOf([
    [least, most],
    ...models.flatMap(({ topTolerance, bottomTolerance }) => [
      topTolerance.map(value => Math.min(value, most + room)),
      bottomTolerance.map(value => Math.max(value, least - room)),
    ]),
  ]);
  return { min: low, max: high === low ? low + 1 : high };
};

/** Smallest and largest value. */
const extremes = (values: readonly number[]): readonly [low: number, high: number] =>
  values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );

/** Values of a day; null where nothing was observed. */
export const observedOf = (day: Day): (number | null)[] => {
  const flags = usable(day);
  return day.activity.map((value, slice) => (flags[slice] ? value : null));
};

const isNumber = (value: number | null): value is number => value !== null;

/** The common range of all charts of models: all profiles, and nearly all values of the days. */
export const modelRange = (models: readonly Model[], days: readonly Day[]): AxisRange => {
  const values = days.flatMap(day => observedOf(day).filter(isNumber)).sort((a, b) => a - b);
  const out = Math.floor(values.length * outsideShare);
  const profiles = models.flatMap(({ activity }) => activity);
  const [low, high] = extremes([values[out] ?? 0, values.at(-1 - out) ?? 1, ...profiles]);
  return withBounds(low, high, models);
};

/** The range of the chart of one day with its planned model. */
export const dayRange = (day: Day, model: Model | undefined): AxisRange => {
  const values = observedOf(day).filter(isNumber);
  const [low, high] = extremes([...values, ...(model?.activity ?? (values.length > 0 ? [] : [0, 1]))]);
  return withBounds(low, high, model ? [model] : []);
};
