import { axisX, gridX, rect, ruleY, text } from '@observablehq/plot';
import type { MarkKind, TimelineFigure } from '../../adapters/cli/report/figures.js';
import { drawn, type Drawing, pointTips } from './drawn.js';

/** Each kind has a colour and a height of its own: too high is above the middle of a row, too low below it. */
const looks = {
  over: { fill: 'var(--alert-2)', from: 0.12, to: 0.5 },
  under: { fill: 'var(--accent)', from: 0.5, to: 0.88 },
  both: { fill: 'var(--alert-3)', from: 0.12, to: 0.88 },
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
