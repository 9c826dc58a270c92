/**
 * Colours that people with common kinds of colour blindness can distinguish, as far as that is possible for so many.
 * First the eight of Okabe and Ito, "Color Universal Design" (2008), strongest on white first. Then the schemes muted,
 * vibrant, bright, medium-contrast and light of Paul Tol, "Colour Schemes" (SRON/EPS/TN/09-002, 2021).
 */
const published = [
  ['#0072B2', '#E69F00', '#009E73', '#D55E00', '#CC79A7', '#56B4E9', '#F0E442', '#000000'],
  ['#332288', '#88CCEE', '#44AA99', '#117733', '#999933', '#DDCC77', '#CC6677', '#882255', '#AA4499'],
  ['#EE7733', '#0077BB', '#33BBEE', '#EE3377', '#CC3311', '#009988', '#BBBBBB'],
  ['#4477AA', '#EE6677', '#228833', '#CCBB44', '#66CCEE', '#AA3377'],
  ['#6699CC', '#004488', '#EECC66', '#994455', '#997700', '#EE99AA'],
  ['#77AADD', '#99DDFF', '#44BB99', '#BBCC33', '#AAAA00', '#EEDD88', '#EE8866', '#FFAABB', '#DDDDDD'],
].flat();

/** A colour with its red, green and blue components reduced to two thirds. */
const darker = (color: string): string =>
  `#${[1, 3, 5]
    .map(at => Math.floor((Number.parseInt(color.slice(at, at + 2), 16) * 2) / 3))
    .map(component => component.toString(16).toUpperCase().padStart(2, '0'))
    .join('')}`;

/** At least 64 distinct colours `#RRGGBB`, the easiest to distinguish first; darker shades of the others at the end. */
export const palette: readonly string[] = [...new Set([...published, ...published.map(darker)])];

/** Colour of a model by its index from 0. The palette repeats after its end. */
export const colorOf = (index: number): string => palette[index % palette.length] ?? '#000000';
