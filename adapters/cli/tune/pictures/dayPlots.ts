import type { Finding } from '../../../../domain/alerts.js';
import { usable, type Day } from '../../../../domain/day.js';
import type { Model } from '../../../../domain/models.js';
import { dayName } from '../../terminal/labels.js';
import { rangeOf as scaleOf } from '../../terminal/profileChart.js';
import { at, escaped, frame, pathOf, picture, type Frame, type Point } from './svg.js';

const width = 340;
const hours = [0, 6, 12, 18, 24];

/** The values that a picture has to show. */
export type Extent = { readonly low: number; readonly high: number };

/** So many of the values, from the lowest and from the highest, may be beyond the picture. */
const outlyingShare = 0.002;

/** Bounds as they are drawn: a lower one below 0 of what is never below it is cut there, where nothing can break it. */
export const drawnModel = (model: Model, least: number): Model =>
  least < 0 ? model : { ...model, bottomTolerance: model.bottomTolerance.map(value => Math.max(0, value)) };

/** What a picture shows of values, and of bounds as much as half of their span farther out. */
const withBounds = (low: number, high: number, models: readonly Model[]): Extent => {
  const room = (high - low) * 0.5;
  return scaleOf([
    [low, high],
    ...models.flatMap(({ topTolerance, bottomTolerance }) => [
      topTolerance.map(value => Math.min(value, high + room)),
      bottomTolerance.map(value => Math.max(value, low - room)),
    ]),
  ]);
};

const rangeOf = (values: readonly number[]): readonly [low: number, high: number] =>
  values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );

/** What pictures of models show, common to all so that they can be compared: all curves, nearly all values. */
export const extentOf = (models: readonly Model[], days: readonly Day[]): Extent => {
  const values = days
    .flatMap(day => {
      const flags = usable(day);
      return day.activity.filter((_, slice) => flags[slice]);
    })
    .sort((a, b) => a - b);
  const out = Math.floor(values.length * outlyingShare);
  const curves = models.flatMap(({ activity }) => activity);
  const [low, high] = rangeOf([values[out] ?? 0, values.at(-1 - out) ?? 1, ...curves]);
  return withBounds(low, high, models);
};

/** Slices at their middle, in hours; broken off where the day was not observed. */
const dayPoints = ({ activity, gaps, filled, date }: Day, { x, y }: Frame): Point[] => {
  const flags = usable({ activity, gaps, filled, date });
  return activity.map((value, slice) =>
    flags[slice] ? place(value, slice, activity.length, x, y) : undefined,
  );
};

/** A value's point; what lies far beyond the frame is kept just outside, to be cut off by it. */
const place = (
  value: number,
  slice: number,
  slices: number,
  x: Frame['x'],
  y: Frame['y'],
): readonly [number, number] => [x(((slice + 0.5) * 24) / slices), Math.min(900, Math.max(-900, y(value)))];

const curvePoints = (curve: readonly number[], { x, y }: Frame): Point[] =>
  curve.map((value, slice) => place(value, slice, curve.length, x, y));

/** The area between two curves. */
const areaPath = (top: readonly number[], bottom: readonly number[], of: Frame): string =>
  `${pathOf([...curvePoints(top, of), ...curvePoints(bottom, of).reverse()])}z`;

/** What is drawn is cut off at the frame; each picture needs a name of its own for that. */
const clip = (name: string, height: number): string =>
  `<clipPath id="${name}"><rect x="50" y="6" width="${width - 60}" height="${height - 40}"/></clipPath>`;

const plotHeight = 210;

/** A model: its days as thin lines, its curve, its bounds shaded. */
export const modelPlot = (model: Model, key: string, days: readonly Day[], { low, high }: Extent): string => {
  const of = frame(
    width,
    plotHeight,
    { from: 0, to: 24, ticks: hours, label: 'hour of the day (UTC)' },
    { from: low, to: high, label: 'value' },
  );
  const name = `model-${model.id}`;
  const opacity = Math.min(0.6, Math.max(0.13, 6 / Math.max(1, days.length)));
  return picture(width, plotHeight, `Model ${key}, ${model.name}: curve and bounds over its days`, [
    clip(name, plotHeight),
    of.drawn,
    `<g clip-path="url(#${name})" style="--own:var(--m${model.id})">`,
    `<path class="band" d="${areaPath(model.topTolerance, model.bottomTolerance, of)}"/>`,
    `<g class="days" stroke-opacity="${opacity.toFixed(2)}">`,
    ...days.map(day => `<path d="${pathOf(dayPoints(day, of))}"/>`),
    '</g>',
    `<path class="edge" d="${pathOf(curvePoints(model.topTolerance, of))}"/>`,
    `<path class="edge" d="${pathOf(curvePoints(model.bottomTolerance, of))}"/>`,
    `<path class="halo" d="${pathOf(curvePoints(model.activity, of))}"/>`,
    `<path class="curve" d="${pathOf(curvePoints(model.activity, of))}"/>`,
    '</g>',
  ]);
};

const alertHeight = 180;

/** Hours of a broken run below which it is marked by a spot. */
const shortHours = 0.75;

/** A day against the bounds of its planned model; where it breaks a limit it is drawn thick, over a shaded ground. */
export const alertPlot = (day: Day, model: Model | undefined, finding: Finding | null): string => {
  const broken = (finding?.slices ?? []).map(run => ({
    ...run,
    direction: finding?.kind === 'frozen' ? 'frozen' : run.direction,
  }));
  const slices = day.activity.length;
  const flags = usable(day);
  const own = day.activity.filter((_, slice) => flags[slice]);
  const [least, most] = rangeOf([...own, ...(model?.activity ?? [0, 1])]);
  const { low, high } = withBounds(least, most, model ? [model] : []);
  const room = (high - low || 1) * 0.04;
  const of = frame(
    width,
    alertHeight,
    { from: 0, to: 24, ticks: hours, label: 'hour of the day (UTC)' },
    { from: low, to: high + room, label: 'value', count: 3 },
  );
  const name = `alert-${day.date}`;
  const ground = broken.map(({ from, to, direction }) => {
    const [start, end] = [of.x((from * 24) / slices), of.x((to * 24) / slices)];
    return `<rect class="ground ${direction}" x="${at(start)}" y="10" width="${at(end - start)}" height="${alertHeight - 44}"/>`;
  });
  const points = dayPoints(day, of);
  // A short run is easily overlooked: it gets a spot.
  const runs = broken.map(({ from, to, direction }) => {
    const there = points.slice(from, to);
    const spot = ((to - from) * 24) / slices < shortHours ? there[Math.floor(there.length / 2)] : undefined;
    return {
      path: `<path class="broken ${direction}" d="${pathOf(there)}"/>`,
      spot: spot
        ? `<circle class="spot ${direction}" cx="${at(spot[0])}" cy="${at(Math.max(10, spot[1]))}" r="4.5"/>`
        : '',
    };
  });
  return picture(width, alertHeight, `${dayName(day.date)} against its bounds`, [
    clip(name, alertHeight),
    of.drawn,
    `<g clip-path="url(#${escaped(name)})"${model ? ` style="--own:var(--m${model.id})"` : ''}>`,
    ...ground,
    ...(model
      ? [
          `<path class="band" d="${areaPath(model.topTolerance, model.bottomTolerance, of)}"/>`,
          `<path class="expected" d="${pathOf(curvePoints(model.activity, of))}"/>`,
        ]
      : []),
    `<path class="day" d="${pathOf(points)}"/>`,
    ...runs.map(({ path }) => path),
    '</g>',
    ...runs.map(({ spot }) => spot),
  ]);
};
