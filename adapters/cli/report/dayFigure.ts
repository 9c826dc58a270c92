import type { LimitLevels } from '../../../analysis/findings/limitLevels.js';
import type { UsualRange } from '../../../analysis/findings/usualRange.js';
import { clockTime } from '../../../domain/alerts/alertSentence.js';
import type { BrokenLimit, Finding } from '../../../domain/alerts/findings.js';
import { type Day, runsWhere, type Run, usable } from '../../../domain/day.js';
import type { Model } from '../../../domain/planning/models.js';
import { rangeOf } from '../terminal/charts.js';
import { dayName, valueText } from '../terminal/text.js';
import type { Band, DayFigure } from './figures.js';

/** Limits in the words of reports. */
export const limitWords = {
  slice: 'bounds',
  window: '8-hour limit',
  day: 'day limit',
  windowChange: '8-hour change limit',
  dayChange: 'day change limit',
  shape: 'shape limit',
} as const satisfies Record<BrokenLimit, string>;

/** Share of the values, at each end, that may be outside the picture. */
const outsideShare = 0.002;

/** Least and largest value of a vertical axis. */
type AxisRange = { readonly min: number; readonly max: number };

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

/** A finding as charts draw it. `direction`: null for one without, as a flatline, although its stretches have one. */
type DrawnFinding = NonNullable<DayFigure['alert']> & Pick<Finding, 'direction'>;

/** A day with its planned model and what was found about it. */
export type DrawnDay = {
  readonly day: Day;
  readonly model: Model | undefined;
  /** null without one. */
  readonly finding: DrawnFinding | null;
  /** Where comparable days were; null where that is unknown. */
  readonly usual: UsualRange | null;
  /** Text behind numbers of the source; absent for days of files. */
  readonly suffix?: string;
};

/** A finding as charts of its day show it. `bounds`: its broken limits as lines; null when they are unknown. */
export const drawnFinding = (
  { direction, slices, facts }: Pick<Finding, 'direction' | 'slices' | 'facts'>,
  bounds: readonly LimitLevels[] | null,
): DrawnFinding => {
  const { deviation = null, gap = null, limits = [] } = facts ?? {};
  return {
    direction,
    slices,
    deviation: deviation && { ...deviation, absolute: deviation.actual - deviation.expected },
    gap,
    brokenLimits: limits,
    bounds,
  };
};

/** Profile and bounds of a model. */
export const bandOf = ({ activity, topTolerance, bottomTolerance }: Model): Band => ({
  activity,
  top: topTolerance,
  bottom: bottomTolerance,
});

/** The chart of a day. `color`: a CSS colour for what is expected; null for the usual one. */
export const dayFigure = (
  { day, model, finding, usual, suffix = '' }: DrawnDay,
  color: string | null,
): DayFigure => ({
  kind: 'day',
  suffix,
  color,
  day: {
    date: day.date,
    day: { activity: day.activity, gaps: unusableRuns(day), observedUntil: null },
    plannedModel: model ? drawnParts(model) : null,
    usual,
    axis: null,
  },
  alert: finding && {
    slices: finding.slices.map(({ from, to, direction }) => ({ from, to, direction })),
    deviation: finding.deviation && stretchOf(finding.deviation, { absolute: finding.deviation.absolute }),
    gap: finding.gap && stretchOf(finding.gap, {}),
    brokenLimits: finding.brokenLimits.map(({ limit, actual, bound, ...stretch }) =>
      stretchOf(stretch, { limit, actual, bound }),
    ),
    bounds: finding.bounds?.filter(({ limit }) => limit === 'slice') ?? null,
  },
});

/** A stretch with other fields, and no more. */
const stretchOf = <Fields extends object>(
  { from, to }: { readonly from: number; readonly to: number },
  fields: Fields,
): Fields & { readonly from: number; readonly to: number } => ({ from, to, ...fields });

/** The parts of a model that a chart of a day draws. */
const drawnParts = ({ name, color, activity, topTolerance, bottomTolerance, limits }: Model) => ({
  ...{ name, color, activity, topTolerance, bottomTolerance },
  ...(limits && { limits: {} }),
});

/** Runs of slices without a usable value. */
const unusableRuns = (day: Day): Run[] => {
  const flags = usable(day);
  return runsWhere(flags.length, slice => !flags[slice]);
};

/** Whether the course of a day is unlike all comparable days, and no other limit is broken. */
export const isUnlikeAll = (finding: DayFigure['alert']): boolean =>
  finding !== null &&
  finding.brokenLimits.length > 0 &&
  finding.brokenLimits.every(({ limit }) => limit === 'shape');

/** Mean of the observed values; undefined without one. */
const meanOf = (values: readonly (number | null)[]): number | undefined => {
  const seen = values.filter(value => value !== null);
  return seen.length === 0 ? undefined : seen.reduce((sum, value) => sum + value, 0) / seen.length;
};

const meanText = (values: readonly (number | null)[], suffix: string): string => {
  const mean = meanOf(values);
  return mean === undefined ? 'no data' : valueText(mean) + suffix;
};

/** The same as the chart in words: means of the day and of its model, and of each stretch outside a limit. */
export const dayWords = ({ day, model, finding, suffix = '' }: DrawnDay): string => {
  const text = (values: readonly (number | null)[]): string => meanText(values, suffix);
  const actual = observedOf(day);
  const expected = model?.activity ?? [];
  const slices = actual.length;
  const against = model ? `, expected ${text(expected)} (${model.name})` : ', no model is planned';
  const unlike = isUnlikeAll(finding) ? ', a course unlike all comparable days' : '';
  const hasDirection = finding !== null && finding.direction !== null;
  const stretches = (finding?.slices ?? []).map(
    ({ from, to, direction }) =>
      `${clockTime(from, slices)} to ${clockTime(to, slices)}${hasDirection ? ` ${direction}` : ''}${unlike}: mean ${text(actual.slice(from, to))}` +
      (model ? `, expected ${text(expected.slice(from, to))}` : ''),
  );
  return `${[`${dayName(day.date)}: mean ${text(actual)}${against}`, ...stretches].join('. ')}.`;
};

/**
 * A model in words: where its profile is lowest and highest, with the bounds there.
 * @param suffix text behind numbers of the source
 */
export const modelWords = ({ activity, topTolerance, bottomTolerance }: Model, suffix = ''): string => {
  const text = (value: number): string => valueText(value) + suffix;
  const at = (value: number): string => {
    const slice = activity.indexOf(value);
    const [bottom, top] = [bottomTolerance[slice] ?? value, topTolerance[slice] ?? value];
    return `${text(value)} at ${clockTime(slice, activity.length)} (bounds ${text(bottom)} to ${text(top)})`;
  };
  return `Mean ${meanText(activity, suffix)}; lowest ${at(Math.min(...activity))}, highest ${at(Math.max(...activity))}.`;
};
