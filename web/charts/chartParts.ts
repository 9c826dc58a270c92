import { axisY, plot, type PlotOptions, pointer, pointerX, ruleX, tip } from '@observablehq/plot';
import type { Alert, Source } from '../api/client.js';

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

/** Fields of a source that go with its numbers: texts behind each, and how values of a slice are combined. */
type WithNumbers = keyof Source & keyof NonNullable<Alert['deviation']>;
type NumberField = Exclude<WithNumbers, 'aggregation'>;

const isBehindNumbers: Readonly<Record<NumberField, true>> = { unit: true };
const numberFields = Object.keys(isBehindNumbers) as readonly NumberField[];

/** Texts behind numbers, in a source or in a part of an answer that has them; absent or null without a value. */
type NumberTexts = { readonly [Field in NumberField]?: Source[Field] };

/** The texts behind a number in one, with a space before each that keeps the line; empty without texts. */
export const numberSuffix = (source: NumberTexts | null | undefined): string =>
  numberFields.map(field => (source?.[field] ? `\u00a0${source[field]}` : '')).join('');

/** Numbers of an axis in the reader's language, and the text behind numbers of the source. */
export type AxisNumbers = {
  /** Writes a number of an axis. @param ticks all numbers of it, ascending */
  readonly compact: (value: number, ticks?: readonly number[]) => string;
  readonly suffix: string;
};

/** The vertical axis of values of a source; the text behind its numbers is above it. */
export const valueAxis = (
  { compact, suffix }: AxisNumbers,
  options: { readonly ticks: number; readonly tickPadding: number },
) =>
  axisY({
    ...{ ...options, tickSize: 0, label: suffix.trim() || null, labelArrow: 'none' as const },
    // Plot gives all ticks as the third argument, as `Array.map` does; its types do not say so.
    tickFormat: ((value: number, _: number, ticks?: readonly number[]) => compact(value, ticks)) as (
      value: number,
    ) => string,
  });
