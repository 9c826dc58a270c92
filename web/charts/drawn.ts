import { plot, type PlotOptions, pointer, pointerX, ruleX, tip } from '@observablehq/plot';

/** An SVG, or a figure around one. */
export type Drawing = ReturnType<typeof plot>;

/** Draws a chart without the style element that Plot adds; its rules are in base.css. */
export const drawn = (options: PlotOptions): Drawing => {
  const drawing = plot({ className: 'plot', ...options });
  for (const style of drawing.querySelectorAll('style')) style.remove();
  drawing.setAttribute('aria-hidden', 'true');
  return drawing;
};

const look = {
  fill: 'var(--raised)',
  stroke: 'var(--line-strong)',
  lineHeight: 1.35,
  pathFilter: 'none',
} as const;

/** A text at an hour of the day; lines are separated by line feeds. */
type HourTip = { readonly hour: number; readonly y: number; readonly title: string };

/** Marks that show the text of the hour under the pointer. */
export const hourTips = (rows: readonly HourTip[]) => [
  ruleX(rows, pointerX({ x: 'hour', stroke: 'var(--line-strong)', strokeOpacity: 0.6 })),
  tip(rows, pointerX({ x: 'hour', y: 'y', title: 'title', ...look })),
];

/** A text at a point, in the values of both axes. */
type PointTip = { readonly x: number | Date; readonly y: number; readonly title: string };

/** A mark that shows the text of the point nearest to the pointer, within `maxRadius` pixels. */
export const pointTips = (rows: readonly PointTip[], maxRadius: number) =>
  tip(rows, pointer({ x: 'x', y: 'y', title: 'title', maxRadius, ...look }));
