import { parseHTML } from 'linkedom/worker';
import { alertPicture } from '../charts/dayPicture.js';
import type { DayDetails, DrawnAlert } from '../api/client.js';
import { numberSuffix } from '../charts/chartParts.js';
import { dayChart } from '../charts/dayChart.js';
import { compactFormat } from '../messages/percent.js';
import tokens from '../styles/tokens.css?raw';

/** Light colours of the screens by the name of their variable. */
const colors = new Map(
  [...tokens.matchAll(/(--[\w-]+):\s*light-dark\((#[0-9a-f]{6}),/g)].map(([, name = '', color = '']) => [
    name,
    color,
  ]),
);

const fontSize = 11;
/** Space at both sides for the labels of the first and the last hour, in pixels. */
const sideSpace = 4;

/** An SVG without a style sheet and without lengths in em, which the canvas of the service does not know. */
const standalone = (svg: string): string =>
  svg
    .replaceAll(
      /\b(d?[xy])="(-?[\d.]+)em"/g,
      (_, name: string, size: string) => `${name}="${Number(size) * fontSize}"`,
    )
    .replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => colors.get(name) ?? '#000000')
    .replaceAll('currentColor', colors.get('--muted') ?? '#000000');

export type PictureOptions = {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture for one of the chart. A canvas draws at the size of the SVG. */
  readonly scale: number;
  /** Name of the family of the text. */
  readonly font: string;
  /** Language tag of the numbers, such as fr. */
  readonly language: string;
};

/**
 * The chart of an alert's day as the screens draw it, with light colours, as SVG.
 * @param alert as in the answer of the API
 * @param day   as in the answer of the API
 */
export const alertSvg = (
  alert: DrawnAlert,
  day: DayDetails,
  { width, height, scale, font, language }: PictureOptions,
): string => {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const chart = dayChart(alertPicture(day, alert), {
    width,
    height,
    compact: compactFormat(language),
    suffix: numberSuffix(alert.deviation),
    document,
  });
  chart.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  chart.setAttribute('font-family', font);
  chart.setAttribute('font-size', String(fontSize));
  chart.setAttribute('width', String(width * scale));
  chart.setAttribute('height', String(height * scale));
  chart.setAttribute('viewBox', `${-sideSpace} 0 ${width + 2 * sideSpace} ${height}`);
  return standalone(chart.outerHTML);
};
