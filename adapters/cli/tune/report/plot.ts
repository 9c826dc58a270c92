import type { Dot, LinesFigure } from '../../report/figures.js';

/** A line chart with its title and the notes below it. */
export type Plot = { readonly title: string; readonly figure: LinesFigure; readonly notes: string };

/** The dots of a line chart in words. */
export const plotWords = ({ series }: LinesFigure): string =>
  series.map((dots: readonly Dot[]) => `${dots.map(({ title }) => title).join('; ')}.`).join(' ');
