import type { Finding } from '../../../../domain/findings.js';
import { usable, type Day } from '../../../../domain/day.js';
import type { Model } from '../../../../domain/models.js';
import { dayName } from '../../terminal/labels.js';
import { rangeOf as chartRangeOf, type ValueRange } from '../../terminal/profileChart.js';
import { at, escaped, frame, pathOf, picture, type Frame, type Point } from './svg.js';

const width = 340;
const hours = [0, 6, 12, 18, 24];

/** Share of the values, at each end, that may be outside the picture. */
const outsideShare = 0.002;

/** A model as it is drawn: lower bounds below 0 become 0 when no value is negative. */
export const drawnModel = (model: Model, least: number): Model =>
  least < 0 ? model : { ...model, bottomTolerance: model.bottomTolerance.map(value => Math.max(0, value)) };

/** A range for values and bounds. Bounds extend it by at most half of the span of the values. */
const withBounds = (low: number, high: number, models: readonly Model[]): ValueRange => {
  const room = (high - low) * 0.5;
  return chartRangeOf([
    [low, high],
    ...models.flatMap(({ topTolerance, bottomTolerance }) => [
      topTolerance.map(value => Math.min(value, high + room)),
      bottomTolerance.map(value => Math.max(value, low - room)),
    ]),
  ]);
};

/** Smallest and largest value. */
const extremes = (values: readonly number[]): readonly [low: number, high: number] =>
  values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );

/** The common range of all pictures of models: all profiles, and nearly all values of the days. */
export const modelRange = (models: readonly Model[], days: readonly Day[]): ValueRange => {
  const values = days
    .flatMap(day => {
      const flags = usable(day);
      return day.activity.filter((_, slice) => flags[slice]);
    })
    .sort((a, b) => a - b);
  const out = Math.floor(values.length * outsideShare);
  const curves = models.flatMap(({ activity }) => activity);
  const [low, high] = extremes([values[out] ?? 0, values.at(-1 - out) ?? 1, ...curves]);
  return withBounds(low, high, models);
};

/** The points of a day, at the middle of each slice. Slices without data interrupt the line. */
const dayPoints = ({ activity, gaps, filled, date }: Day, { x, y }: Frame): Point[] => {
  const flags = usable({ activity, gaps, filled, date });
  return activity.map((value, slice) =>
    flags[slice] ? place(value, slice, activity.length, x, y) : undefined,
  );
};

/** The point of a value. Points far outside the frame are moved near it, where it clips them. */
const place = (
  value: number,
  slice: number,
  slices: number,
  x: Frame['x'],
  y: Frame['y'],
): readonly [number, number] => [x(((slice + 0.5) * 24) / slices), Math.min(900, Math.max(-900, y(value)))];

/** The points of a day profile. */
const profilePoints = (profile: readonly number[], { x, y }: Frame): Point[] =>
  profile.map((value, slice) => place(value, slice, profile.length, x, y));

/** The area between two profiles. */
const areaPath = (top: readonly number[], bottom: readonly number[], frame: Frame): string =>
  `${pathOf([...profilePoints(top, frame), ...profilePoints(bottom, frame).reverse()])}z`;

/** Clips drawings at the frame. The name must be unique in the report. */
const clip = (name: string, height: number): string =>
  `<clipPath id="${name}"><rect x="50" y="6" width="${width - 60}" height="${height - 40}"/></clipPath>`;

const plotHeight = 210;

/** A model: its days as thin lines, its profile as a thick one, its bounds shaded. */
export const modelPlot = (
  model: Model,
  key: string,
  days: readonly Day[],
  { low, high }: ValueRange,
): string => {
  const axes = frame(
    width,
    plotHeight,
    { from: 0, to: 24, ticks: hours, label: 'hour of the day' },
    { from: low, to: high, label: 'value' },
  );
  const name = `model-${model.id}`;
  const opacity = Math.min(0.6, Math.max(0.13, 6 / Math.max(1, days.length)));
  return picture(width, plotHeight, `Model ${key}, ${model.name}: profile, bounds and days`, [
    clip(name, plotHeight),
    axes.drawn,
    `<g clip-path="url(#${name})" style="--own:var(--m${model.id})">`,
    `<path class="band" d="${areaPath(model.topTolerance, model.bottomTolerance, axes)}"/>`,
    `<g class="days" stroke-opacity="${opacity.toFixed(2)}">`,
    ...days.map(day => `<path d="${pathOf(dayPoints(day, axes))}"/>`),
    '</g>',
    `<path class="edge" d="${pathOf(profilePoints(model.topTolerance, axes))}"/>`,
    `<path class="edge" d="${pathOf(profilePoints(model.bottomTolerance, axes))}"/>`,
    `<path class="halo" d="${pathOf(profilePoints(model.activity, axes))}"/>`,
    `<path class="curve" d="${pathOf(profilePoints(model.activity, axes))}"/>`,
    '</g>',
  ]);
};

const alertHeight = 180;

/** Runs outside a limit that are shorter than this get a spot, because they are easily overlooked. */
const shortRunHours = 0.75;

/** A run of slices outside a limit; `direction` is also its CSS class. */
type BrokenRun = { readonly from: number; readonly to: number; readonly direction: string };

/** The shaded backgrounds, thick lines and spots of the runs outside a limit. */
const brokenParts = (broken: readonly BrokenRun[], points: readonly Point[], { x }: Frame) => {
  const slices = points.length;
  const ground = broken.map(({ from, to, direction }) => {
    const [start, end] = [x((from * 24) / slices), x((to * 24) / slices)];
    return `<rect class="ground ${direction}" x="${at(start)}" y="10" width="${at(end - start)}" height="${alertHeight - 44}"/>`;
  });
  const runs = broken.map(({ from, to, direction }) => {
    const run = points.slice(from, to);
    const spot = ((to - from) * 24) / slices < shortRunHours ? run[Math.floor(run.length / 2)] : undefined;
    return {
      path: `<path class="broken ${direction}" d="${pathOf(run)}"/>`,
      spot: spot
        ? `<circle class="spot ${direction}" cx="${at(spot[0])}" cy="${at(Math.max(10, spot[1]))}" r="4.5"/>`
        : '',
    };
  });
  return { ground, paths: runs.map(({ path }) => path), spots: runs.map(({ spot }) => spot) };
};

/** A day and the bounds of its planned model. Parts outside a limit are thick, on a shaded background. */
export const alertPlot = (day: Day, model: Model | undefined, finding: Finding | null): string => {
  const broken = (finding?.slices ?? []).map(run => ({
    ...run,
    direction: finding?.kind === 'frozen' ? 'frozen' : run.direction,
  }));
  const flags = usable(day);
  const own = day.activity.filter((_, slice) => flags[slice]);
  const [least, most] = extremes([...own, ...(model?.activity ?? [0, 1])]);
  const { low, high } = withBounds(least, most, model ? [model] : []);
  const room = (high - low || 1) * 0.04;
  const axes = frame(
    width,
    alertHeight,
    { from: 0, to: 24, ticks: hours, label: 'hour of the day' },
    { from: low, to: high + room, label: 'value', count: 3 },
  );
  const name = `alert-${day.date}`;
  const points = dayPoints(day, axes);
  const { ground, paths, spots } = brokenParts(broken, points, axes);
  return picture(width, alertHeight, `${dayName(day.date)} against its bounds`, [
    clip(name, alertHeight),
    axes.drawn,
    `<g clip-path="url(#${escaped(name)})"${model ? ` style="--own:var(--m${model.id})"` : ''}>`,
    ...ground,
    ...(model
      ? [
          `<path class="band" d="${areaPath(model.topTolerance, model.bottomTolerance, axes)}"/>`,
          `<path class="expected" d="${pathOf(profilePoints(model.activity, axes))}"/>`,
        ]
      : []),
    `<path class="day" d="${pathOf(points)}"/>`,
    ...paths,
    '</g>',
    ...spots,
  ]);
};
