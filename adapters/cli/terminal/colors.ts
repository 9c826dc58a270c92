/** Colours for the text of a terminal. Without colours every function returns its text unchanged. */
export type Paint = {
  readonly colored: boolean;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  /** `color` is `#RRGGBB`. */
  readonly color: (text: string, color: string) => string;
};

/** Number of colours: none, the palette of 256 that nearly every terminal has, or 24 bits. */
export type ColorCount = 0 | 256 | 16_777_216;

type Rgb = readonly [red: number, green: number, blue: number];

const grey: Rgb = [128, 128, 128];
/** A colour whose brightest part is below this is unreadable on a dark terminal. */
const brightestPartMin = 64;

/** Parts of `#RRGGBB`, 0–255; grey for other text and for colours too dark for a dark terminal. */
const rgbOf = (color: string): Rgb => {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return grey;
  const value = Number.parseInt(color.slice(1), 16);
  const rgb: Rgb = [value >> 16, (value >> 8) & 255, value & 255];
  return Math.max(...rgb) >= brightestPartMin ? rgb : grey;
};

/** The escape code that sets the text colour. */
const colorCode = (rgb: Rgb, colors: ColorCount): string => {
  if (colors > 256) return `38;2;${rgb.join(';')}`;
  const [red = 0, green = 0, blue = 0] = rgb.map(part => Math.round((part / 255) * 5));
  // The palette has a cube of 6 × 6 × 6 colours that starts at 16.
  return `38;5;${16 + 36 * red + 6 * green + blue}`;
};

const wrapped = (text: string, code: string): string => `\u001b[${code}m${text}\u001b[0m`;

/** The colours of a terminal that has so many of them. */
export const paint = (colors: ColorCount): Paint =>
  colors === 0
    ? { colored: false, bold: text => text, dim: text => text, color: text => text }
    : {
        colored: true,
        bold: text => wrapped(text, '1'),
        dim: text => wrapped(text, '2'),
        color: (text, color) => wrapped(text, colorCode(rgbOf(color), colors)),
      };

/**
 * Colours that a stream may have: none when it is not a terminal or NO_COLOR is set.
 * @see https://no-color.org
 */
export const colorsOf = (stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): ColorCount => {
  if (stream.isTTY !== true || (env['NO_COLOR'] ?? '') !== '') return 0;
  return ['truecolor', '24bit'].includes(env['COLORTERM'] ?? '') ? 16_777_216 : 256;
};
