import { at, escaped, frame, line, pathOf, picture, text, type Frame } from './svg.js';

/** Width of a picture; two are placed in a row. */
const width = 520;
const height = 240;

/** A point of a plot. `words` is its tooltip, `marked` the label of a highlighted point. */
export type Dot = {
  readonly x: number;
  readonly y: number;
  readonly words: string;
  readonly marked?: string;
};

/** A line with its dots; `kind` is its CSS class. */
export type Series = { readonly kind: 'first' | 'second'; readonly dots: readonly Dot[] };

/** Title of an axis, and the text of its values. */
type Axis = { readonly label: string; readonly text: (value: number) => string };

/** A line plot. */
export type LinePlot = {
  /** Text for screen readers. */
  readonly label: string;
  readonly series: readonly Series[];
  readonly x: Axis & { readonly ticks: readonly number[] };
  /** `least` has values that the axis always includes. */
  readonly y: Axis & { readonly least?: readonly number[] };
  /** Draws below the lines. */
  readonly extra?: (place: {
    readonly x: (value: number) => number;
    readonly y: (value: number) => number;
  }) => string;
};

/** A line and its dots. */
const seriesPath = ({ kind, dots }: Series, { x, y }: Frame): string => {
  const shapes = dots.map(dot => {
    const [cx, cy] = [x(dot.x), y(dot.y)];
    const shape =
      kind === 'first'
        ? `<circle class="dot first" cx="${at(cx)}" cy="${at(cy)}" r="3.5"/>`
        : `<rect class="dot second" x="${at(cx - 4.2)}" y="${at(cy - 4.2)}" width="8.4" height="8.4"/>`;
    return `<g><title>${escaped(dot.words)}</title>${shape}</g>`;
  });
  return `<path class="line ${kind}" d="${pathOf(dots.map(dot => [x(dot.x), y(dot.y)]))}"/>${shapes.join('')}`;
};

/** The ring and the label of a highlighted dot. */
const markedDot = (dot: Dot, { x, y }: Frame): string => {
  const [cx, cy] = [x(dot.x), y(dot.y)];
  const isAtEnd = cx > width - 130;
  return (
    line(cx, 20, cx, cy - 6.5, 'guide') +
    `<circle class="ring" cx="${at(cx)}" cy="${at(cy)}" r="6.5"/>` +
    text(cx + (isAtEnd ? -5 : 5), 22, dot.marked ?? '', { anchor: isAtEnd ? 'end' : 'start', kind: 'mark' })
  );
};

/** Draws lines on common axes as SVG. */
export const linePlot = ({ label, series, x, y, extra = () => '' }: LinePlot): string => {
  const dots = series.flatMap(({ dots }) => dots);
  const xs = [...dots.map(dot => dot.x), ...x.ticks];
  const ys = [...dots.map(dot => dot.y), ...(y.least ?? [])];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const room = (high - low || Math.abs(high) * 0.1 || 1) * 0.12;
  const bottom = (y.least ?? []).includes(low) ? low : low - room;
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const side = (right - left || 1) * 0.04;
  const axes = frame(
    width,
    height,
    { from: left - side, to: right + side, ticks: x.ticks, label: x.label, text: x.text },
    { from: bottom, to: high + 2 * room, label: y.label, text: y.text, count: 5 },
    { left: 66, right: 14, top: 12, bottom: 36 },
  );
  return picture(width, height, label, [
    axes.drawn,
    extra(axes),
    // The first series is drawn last, on top of the second.
    ...[...series].reverse().map(one => seriesPath(one, axes)),
    ...dots.filter(({ marked }) => marked !== undefined).map(dot => markedDot(dot, axes)),
  ]);
};

/** A picture with its title and the notes below it. */
export type Plot = { readonly title: string; readonly drawn: string; readonly notes: string };
