import { plot, type PlotOptions } from '@observablehq/plot';

/** An SVG, or a figure around one. */
export type Drawing = ReturnType<typeof plot>;

/** Draws a chart without the style element that Plot adds; its rules are in base.css. */
export const drawn = (options: PlotOptions): Drawing => {
  const drawing = plot({ className: 'plot', ...options });
  for (const style of drawing.querySelectorAll('style')) style.remove();
  drawing.setAttribute('aria-hidden', 'true');
  return drawing;
};
