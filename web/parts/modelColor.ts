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

/** `#rrggbb` in OKLab, whose distances are those that people see. */
const labOf = (color: string): readonly [number, number, number] => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
};

const distance = (a: string, b: string): number => {
  const [one, other] = [labOf(a), labOf(b)];
  return Math.hypot(...one.map((part, index) => part - (other[index] ?? 0)));
};

/** A colour mixed with white (share above 0) or black. */
const toned = (color: string, share: number): string =>
  `#${[1, 3, 5]
    .map(at => {
      const part = Number.parseInt(color.slice(at, at + 2), 16);
      const next = share > 0 ? part + (255 - part) * share : part * (1 + share);
      return Math.round(next).toString(16).padStart(2, '0');
    })
    .join('')}`;

/** Least distance in OKLab of two colours that people distinguish next to each other. */
const likeMax = 0.08;
const tones = [0, -0.35, 0.4, -0.6, 0.65, -0.2, 0.2] as const;

/**
 * Models in colours that people distinguish: one that is like that of an earlier model is made darker or lighter. When
 * nothing is left, it gets the tone that is farthest from all others.
 */
export const distinctColors = <One extends { readonly color: string }>(models: readonly One[]): One[] => {
  const taken: string[] = [];
  return models.map(model => {
    if (!isColor(model.color)) return model;
    const nearest = (color: string): number => Math.min(1, ...taken.map(other => distance(color, other)));
    const ways = tones.map(share => toned(model.color, share));
    const color =
      ways.find(way => nearest(way) >= likeMax) ??
      ways.reduce((best, way) => (nearest(way) > nearest(best) ? way : best));
    taken.push(color);
    return { ...model, color };
  });
};
