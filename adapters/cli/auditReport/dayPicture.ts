import type { Finding } from '../../../domain/findings.js';
import { usable, type Day } from '../../../domain/day.js';
import type { Model } from '../../../domain/models.js';
import { at, escaped, frame, pathOf, picture, type Frame, type Point } from '../tune/pictures/svg.js';

const width = 720;
const height = 300;
const hours = [0, 3, 6, 9, 12, 15, 18, 21, 24];
const clockText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

const points = (values: readonly number[], { x, y }: Frame, isShown: readonly boolean[]): Point[] =>
  values.map((value, slice) =>
    isShown[slice] === false ? undefined : [x(((slice + 0.5) * 24) / values.length), y(value)],
  );

/** The range of the values, with some room at both ends. */
const rangeOf = (values: readonly number[]): { readonly from: number; readonly to: number } => {
  const from = values.reduce((least, value) => Math.min(least, value), Infinity);
  const to = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (!Number.isFinite(from)) return { from: 0, to: 1 };
  const room = (to - from || 1) * 0.06;
  return { from: from >= 0 && from - room < 0 ? 0 : from - room, to: to + room };
};

/** A day against the bounds of its planned model. Slices outside the bounds are thick on a shaded background. */
export const dayPicture = (
  day: Day | undefined,
  model: Model | null,
  { slices }: Pick<Finding, 'slices'>,
): string => {
  const flags = day ? usable(day) : [];
  const own = day?.activity.filter((_, slice) => flags[slice]) ?? [];
  const bounds = model ? [...model.topTolerance, ...model.bottomTolerance] : [];
  const axes = frame(
    width,
    height,
    { from: 0, to: 24, ticks: hours, label: 'time of day', text: clockText },
    { ...rangeOf([...own, ...bounds]), label: 'value' },
    { left: 56, right: 24, top: 12, bottom: 40 },
  );
  const line = day ? points(day.activity, axes, flags) : [];
  const toX = (slice: number): number => axes.x((slice * 24) / Math.max(1, line.length));
  const grounds = slices.map(
    ({ from, to, direction }) =>
      `<rect class="ground ${direction}" x="${at(toX(from))}" y="12" width="${at(toX(to) - toX(from))}" height="${height - 52}"/>`,
  );
  const band = model
    ? `<path class="band" d="${pathOf([...points(model.topTolerance, axes, []), ...points(model.bottomTolerance, axes, []).reverse()])}z"/>` +
      `<path class="expected" d="${pathOf(points(model.activity, axes, []))}"/>`
    : '';
  const broken = slices.map(({ from, to, direction }) => {
    const run = line.slice(from, to);
    const [alone] = run.length === 1 ? run : [];
    return alone
      ? `<circle class="spot ${direction}" cx="${at(alone[0])}" cy="${at(alone[1])}" r="4"/>`
      : `<path class="broken ${direction}" d="${pathOf(run)}"/>`;
  });
  return picture(width, height, `${day?.date ?? ''} against the bounds of ${model?.name ?? 'no model'}`, [
    axes.drawn,
    ...grounds,
    band,
    `<path class="day" d="${pathOf(line)}"/>`,
    ...broken,
  ]);
};

/** The profile of a model within its bounds, as a small picture without axes. */
export const sparkline = ({ name, activity, topTolerance, bottomTolerance }: Model): string => {
  const [wide, high] = [132, 34];
  const { from, to } = rangeOf([...topTolerance, ...bottomTolerance]);
  const place = (values: readonly number[]): Point[] =>
    values.map((value, slice) => [
      ((slice + 0.5) * wide) / values.length,
      high - 1 - ((value - from) / (to - from || 1)) * (high - 2),
    ]);
  return `<svg class="spark" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" role="img" aria-label="${escaped(`profile of ${name}`)}"><path class="band" d="${pathOf([...place(topTolerance), ...place(bottomTolerance).reverse()])}z"/><path class="curve" d="${pathOf(place(activity))}"/></svg>`;
};
