import type { Paint } from '../terminal/colors.js';
import { wrap } from '../terminal/text.js';

/** Layout of a report: colours, and the longest line in characters. */
export type Style = { readonly paint: Paint; readonly width: number };

/** Indentation of the lines of a section. */
export const margin = '  ';

/** Title and notes of a section, after an empty line. */
export const sectionHead = (title: string, notes: string, { paint, width }: Style): string[] => [
  '',
  paint.bold(title),
  ...wrap(notes, width).map(line => paint.dim(line)),
  '',
];
