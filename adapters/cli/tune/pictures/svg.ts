import { plain } from '../../terminal/text.js';

// Pure functions from values to SVG text. Lengths are in units of the picture, about a pixel each.

/** Text escaped for HTML and attributes, without control and direction characters. */
export const escaped = (text: string): string =>
  plain(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** A coordinate with at most one decimal. */
export const at = (value: number): string => String(Math.round(value * 10) / 10);

/** Maps values from `from`–`to` linearly to coordinates `start`–`end`. */
export type Scale = ((value: number) => number) & { readonly from: number; readonly to: number };
export const scale = (from: number, to: number, start: number, end: number): Scale => {
  const span = to - from || 1;
  return Object.assign((value: number) => start + ((value - from) / span) * (end - start), { from, to });
};

/** About `count` round values between `from` and `to`; their distance is 1, 2 or 5 times a power of ten. */
export const ticks = (from: number, to: number, count: number): number[] => {
  const raw = (to - from) / Math.max(1, count);
  if (!(raw > 0) || !Number.isFinite(raw)) return [from];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find(times => times * power >= raw * 0.999) ?? 10) * power;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
};

/** The value of a tick in few characters: `0.25`, `40`, `60k`, `1.5M`. */
export const tickText = (value: number): string => {
  const size = Math.abs(value);
  const short = (number: number): string => String(Number(number.toPrecision(4)));
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(1);
  if (size >= 1e9) return `${short(value / 1e9)}G`;
  if (size >= 1e6) return `${short(value / 1e6)}M`;
  if (size >= 1e4) return `${short(value / 1e3)}k`;
  return short(value);
};

/** A picture. `label` is the text for screen readers. */
export const picture = (width: number, height: number, label: string, parts: readonly string[]): string =>
  `<svg viewBox="0 0 ${at(width)} ${at(height)}" width="${at(width)}" height="${at(height)}" role="img" aria-label="${escaped(label)}">${parts.join('')}</svg>`;

/** A line of text; `anchor` is the part of it at x. */
export const text = (
  x: number,
  y: number,
  words: string,
  { anchor = 'start', kind = 'tick', turn = false } = {},
): string =>
  `<text class="${kind}" x="${at(x)}" y="${at(y)}"${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}${
    turn ? ` transform="rotate(-90 ${at(x)} ${at(y)})"` : ''
  }>${escaped(words)}</text>`;

/** A straight line; `kind` is its CSS class. */
export const line = (x1: number, y1: number, x2: number, y2: number, kind: string): string =>
  `<line class="${kind}" x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"/>`;

/** A point of a path; undefined interrupts the path. */
export type Point = readonly [x: number, y: number] | undefined;

/** A path through points, in relative coordinates, which are shorter. */
export const pathOf = (points: readonly Point[]): string => {
  let path = '';
  let [x, y] = [0, 0];
  let drawing = false;
  for (const point of points) {
    if (!point) {
      drawing = false;
      continue;
    }
    // Positions are rounded before differences are taken, so that rounding errors do not add up.
    const [toX, toY] = [Math.round(point[0] * 10), Math.round(point[1] * 10)];
    const [right, down] = [(toX - x) / 10, (toY - y) / 10];
    path += drawing ? `l${right}${down < 0 ? '' : ' '}${down}` : `M${toX / 10} ${toY / 10}`;
    [x, y] = [toX, toY];
    drawing = true;
  }
  return path;
};

/** The scales of both axes, and the drawn grid. */
export type Frame = { readonly x: Scale; readonly y: Scale; readonly drawn: string };

type Margins = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
};

/** Axes with grid lines, values and titles. */
export const frame = (
  width: number,
  height: number,
  x: {
    readonly from: number;
    readonly to: number;
    readonly ticks: readonly number[];
    readonly label: string;
    readonly text?: (value: number) => string;
  },
  y: {
    readonly from: number;
    readonly to: number;
    readonly label: string;
    readonly text?: (value: number) => string;
    readonly count?: number;
  },
  { left, right, top, bottom }: Margins = { left: 50, right: 10, top: 10, bottom: 34 },
): Frame => {
  const xScale = scale(x.from, x.to, left, width - right);
  const yScale = scale(y.from, y.to, height - bottom, top);
  const xText = x.text ?? tickText;
  const yText = y.text ?? tickText;
  const drawn = [
    ...ticks(y.from, y.to, y.count ?? 4).map(
      value =>
        line(left, yScale(value), width - right, yScale(value), 'gridLine') +
        text(left - 6, yScale(value) + 3.5, yText(value), { anchor: 'end' }),
    ),
    ...x.ticks.map(
      value =>
        line(xScale(value), height - bottom, xScale(value), height - bottom + 4, 'axisLine') +
        text(xScale(value), height - bottom + 15, xText(value), { anchor: 'middle' }),
    ),
    line(left, height - bottom, width - right, height - bottom, 'axisLine'),
    text((left + width - right) / 2, height - 3, x.label, { anchor: 'middle', kind: 'label' }),
    ...(y.label === ''
      ? []
      : [text(10, (top + height - bottom) / 2, y.label, { anchor: 'middle', kind: 'label', turn: true })]),
  ].join('');
  return { x: xScale, y: yScale, drawn };
};
