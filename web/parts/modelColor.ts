/** Relative luminance of `#rrggbb` (WCAG 2.2), 0–1. */
const luminance = (color: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/** Luminance below which a colour is lost on the dark surface, and above which it is lost on the light one. */
const darkMin = 0.12;
const lightMax = 0.72;

const isColor = (color: string): boolean => /^#[0-9a-f]{6}$/i.test(color);

/** Colour of a model that is seen on both the light and the dark surface. */
export const modelColor = (color: string): string => {
  if (!isColor(color)) return 'var(--band)';
  const light = luminance(color) > lightMax ? `color-mix(in oklab, ${color} 75%, black)` : color;
  const dark = luminance(color) < darkMin ? `color-mix(in oklab, ${color} 45%, white)` : color;
  return light === dark ? color : `light-dark(${light}, ${dark})`;
};

/** Luminance at which black and white text have the same contrast. */
const middle = 0.179;

/** Colour of text on a model's colour, with a contrast of at least 4.5. */
export const inkOn = (color: string): string => {
  if (!isColor(color)) return 'var(--surface)';
  const value = luminance(color);
  const ink = value > middle ? '#000000' : '#ffffff';
  // Colours too dark for the dark surface are lightened there.
  return value < darkMin ? `light-dark(${ink}, #000000)` : ink;
};
