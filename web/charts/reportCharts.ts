import { axisX, axisY, dot, gridY, line, ruleX, text, gridX, rect, ruleY } from '@observablehq/plot';
import type { Dot, LinesFigure, MarkKind, TimelineFigure } from '../../adapters/cli/report/figures.js';
import { percentFormat } from '../messages/percent.js';
import { drawn, type Drawing, pointTips } from './chartParts.js';

type LineAxis = Pick<LinesFigure['x'], 'label' | 'percent'>;

const tickFormat = ({ percent }: LineAxis): ((value: number) => string) => {
  if (percent) return percentFormat('en', 1);
  const { format } = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, useGrouping: false });
  return value => format(value);
};

/** The span of an axis, with room at both ends; without room below where an included value is the lowest. */
const spanOf = (
  values: readonly number[],
  { includes, percent, max }: LinesFigure['y'],
): [number, number] => {
  const low = Math.min(...values, ...includes);
  const high = Math.max(...values, ...includes);
  const room = (high - low || Math.abs(high) * 0.1 || 1) * 0.12;
  const top = high + 2.2 * room;
  // No share is above 1.
  const most = max ?? (percent && high <= 1 ? 1 : Infinity);
  return [includes.includes(low) ? low : low - room, Math.min(most, top)];
};

const colors = ['var(--accent)', 'var(--alert-2)'] as const;

const seriesMarks = (dots: readonly Dot[], index: number) => {
  const color = colors[index] ?? colors[0];
  return [
    line(dots, { x: 'x', y: 'y', stroke: color, strokeWidth: 2 }),
    dot(dots, {
      x: 'x',
      y: 'y',
      r: 3.75,
      symbol: index === 0 ? 'circle' : 'square',
      fill: color,
      stroke: 'var(--surface)',
      strokeWidth: 1.2,
    }),
  ];
};

/** The ring of a highlighted dot, and its label at the top, where no line is. */
const labelMarks = (dots: readonly Dot[], top: number, middle: number) =>
  dots
    .filter(({ label }) => label !== undefined)
    .flatMap(point => [
      ruleX([point], {
        x: 'x',
        y1: 'y',
        y2: top,
        insetBottom: 7,
        stroke: 'var(--line-strong)',
        strokeDasharray: '2,3',
      }),
      dot([point], { x: 'x', y: 'y', r: 7, stroke: 'var(--ink)', strokeWidth: 1.6 }),
      text([point], {
        x: 'x',
        frameAnchor: 'top',
        text: 'label',
        dx: point.x > middle ? -5 : 5,
        dy: 2,
        textAnchor: point.x > middle ? 'end' : 'start',
        fill: 'var(--ink)',
        fontWeight: 650,
        fontSize: '0.75rem',
        stroke: 'var(--surface)',
        strokeWidth: 4,
      }),
    ]);

/** Both axes with their titles, and a grid. */
const axisMarks = (x: LinesFigure['x'], y: LinesFigure['y']) => [
  gridY({ stroke: 'var(--line)', strokeOpacity: 1, ticks: 5 }),
  axisY({
    ticks: 5,
    tickSize: 0,
    tickPadding: 8,
    label: y.label,
    labelArrow: 'none',
    tickFormat: tickFormat(y),
  }),
  axisX({
    ticks: x.ticks,
    tickSize: 0,
    tickPadding: 8,
    label: x.label,
    labelArrow: 'none',
    tickFormat: tickFormat(x),
  }),
];

/** A dashed line where both axes have the same value. */
const diagonalMark = (from: number, to: number) =>
  line([from, to], {
    x: value => value,
    y: value => value,
    stroke: 'var(--line-strong)',
    strokeWidth: 1.4,
    strokeDasharray: '5,4',
  });

/** Lines with dots over a common axis of numbers. */
export const lineChart = (
  { series, x, y, diagonal }: Omit<LinesFigure, 'kind'>,
  { width, height }: { readonly width: number; readonly height: number },
): Drawing => {
  const dots = series.flat();
  const xs = [...dots.map(one => one.x), ...x.ticks];
  const left = Math.min(...xs);
  const right = Math.max(...xs);
  const side = (right - left || 1) * 0.04;
  const [bottom, top] = spanOf(
    dots.map(one => one.y),
    y,
  );
  const ends = dots.map(one => one.x);
  const from = Math.min(...ends);
  const to = Math.max(...ends);
  return drawn({
    width,
    height,
    marginLeft: 46,
    marginRight: 14,
    marginTop: 26,
    marginBottom: 40,
    x: { domain: [left - side, right + side] },
    y: {
      domain: [bottom, top],
    },
    marks: [
      ...axisMarks(x, y),
      ...(diagonal ? [diagonalMark(from, to)] : []),
      // The first series is drawn last, on top of the second.
      ...series
        .map((one, index) => seriesMarks(one, index))
        .reverse()
        .flat(),
      ...labelMarks(dots, top, (left + right) / 2),
      pointTips(dots, 200),
    ],
  });
};

/** Each kind has a colour and a height of its own: too high is above the middle of a row, too low below it. */
const looks = {
  over: { fill: 'var(--alert-2)', from: 0.12, to: 0.5 },
  under: { fill: 'var(--accent)', from: 0.5, to: 0.88 },
  both: { fill: 'var(--alert-3)', from: 0.12, to: 0.88 },
  course: { fill: 'var(--alert-1)', from: 0.12, to: 0.88 },
  frozen: { fill: 'var(--ok)', from: 0.3, to: 0.7 },
  drift: { fill: 'var(--drift)', from: 0.12, to: 0.88 },
  gap: { fill: 'var(--gap)', from: 0.36, to: 0.64 },
  confirmed: { fill: 'var(--ink)', from: 0.12, to: 0.88 },
  refused: { fill: 'var(--surface)', from: 0.18, to: 0.82 },
  undecided: { fill: 'var(--gap)', from: 0.12, to: 0.88 },
} as const satisfies Record<MarkKind, object>;

/** Heights in pixels at a `scale` of 1: the size of text of the page over 16 pixels. */
const rowHeight = 20;
const headHeight = 34;
/** Least width of a mark, in pixels. */
const markMin = 3;
const dayMs = 86_400_000;
const at = (date: string): number => Date.parse(`${date}T00:00:00Z`);

const marksOf = (rows: TimelineFigure['rows'], width: number) =>
  rows.flatMap(({ marks }, row) =>
    marks.map(({ date, kind, title }) => {
      const { fill, from, to } = looks[kind];
      return {
        x1: new Date(at(date)),
        x2: new Date(at(date) + width),
        y1: row + from,
        y2: row + to,
        x: new Date(at(date) + width / 2),
        y: row + 0.5,
        fill,
        stroke: kind === 'refused' ? 'var(--ink)' : fill,
        title,
      };
    }),
  );

/** Alerts over time, a row for each setting, with their number at its end. */
export const timelineChart = (
  { first, last, rows }: Pick<TimelineFigure, 'first' | 'last' | 'rows'>,
  { width, scale }: { readonly width: number; readonly scale: number },
): Drawing => {
  const longest = Math.max(...rows.map(({ name }) => name.length));
  const marginLeft = (20 + 6.6 * longest) * scale;
  const marginRight = 36 * scale;
  const marginTop = headHeight * scale;
  const from = at(first);
  const to = at(last) + dayMs;
  const msPerPixel = (to - from) / Math.max(1, width - marginLeft - marginRight);
  const bars = marksOf(rows, Math.max(dayMs, markMin * msPerPixel));
  const names = rows.map(({ name, highlighted, marks }, row) => ({
    y: row + 0.5,
    name,
    count: String(marks.length),
    weight: highlighted ? 650 : 400,
    ink: highlighted ? 'var(--ink)' : 'var(--muted)',
  }));
  const highlights = rows.flatMap(({ highlighted }, row) => (highlighted ? [row] : []));
  return drawn({
    width,
    height: marginTop + rows.length * rowHeight * scale + 8,
    marginLeft,
    marginRight,
    marginTop,
    marginBottom: 8,
    x: { type: 'utc', domain: [new Date(from), new Date(to)] },
    y: { domain: [rows.length, 0], axis: null },
    color: { type: 'identity' },
    marks: [
      rect(highlights, {
        y1: row => row,
        y2: row => row + 1,
        insetLeft: -marginLeft,
        insetRight: -marginRight,
        fill: 'var(--accent-soft)',
      }),
      ruleY(
        rows.map((_, row) => row + 1),
        { stroke: 'var(--line)' },
      ),
      gridX({ stroke: 'var(--line)', strokeOpacity: 1 }),
      axisX({ anchor: 'top', tickSize: 0, tickPadding: 6, label: null }),
      ...names.flatMap(row => {
        const style = { y: 'y', fill: row.ink, fontWeight: row.weight };
        return [
          text([row], { ...style, text: 'name', frameAnchor: 'left', textAnchor: 'end', dx: -8 }),
          text([row], { ...style, text: 'count', frameAnchor: 'right', textAnchor: 'start', dx: 8 }),
        ];
      }),
      rect(bars, {
        x1: 'x1',
        x2: 'x2',
        y1: 'y1',
        y2: 'y2',
        insetRight: 0.5,
        fill: 'fill',
        stroke: 'stroke',
        strokeWidth: 0.8,
      }),
      pointTips(bars, 16),
    ],
  });
};
