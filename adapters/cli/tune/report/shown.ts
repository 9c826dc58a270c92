import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import type { Model } from '../../../../domain/planning/models.js';
import { shareText } from '../columns.js';
import type { Tuned } from '../facts.js';
import { escaped } from '../../report/html.js';

/** Red, green and blue, 0–255 each. */
type Rgb = readonly [red: number, green: number, blue: number];

const rgbOf = (color: string): Rgb => {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

const hexOf = (rgb: Rgb): string =>
  `#${rgb.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance, 0–1 (WCAG 2.2). */
const luminance = (rgb: Rgb): number => {
  const [red = 0, green = 0, blue = 0] = rgb.map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** Contrast ratio, 1–21 (WCAG 2.2). */
const contrast = (a: Rgb, b: Rgb): number => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
};

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
/** Least contrast of what a chart draws with its background (WCAG 2.2, 1.4.11). */
const contrastMin = 3;
/** Backgrounds of light and dark screens. */
const grounds = { light: white, dark: [21, 24, 30] as Rgb };

/** The colour, moved towards black or white until it has enough contrast with the background. */
export const legible = (color: string, ground: 'light' | 'dark'): string => {
  const towards = ground === 'light' ? black : white;
  let rgb = rgbOf(color);
  for (let step = 0; step < 20 && contrast(rgb, grounds[ground]) < contrastMin; step += 1)
    rgb = rgb.map((part, index) => part + ((towards[index] ?? 0) - part) * 0.08) as unknown as Rgb;
  return hexOf(rgb);
};

/** Black or white, whichever has more contrast with the colour. */
const lettersOn = (color: string): string =>
  contrast(rgbOf(color), black) > contrast(rgbOf(color), white) ? '#000000' : '#ffffff';

/** CSS colour of a model, and of letters on it. Both are defined by `modelColors`. */
export const fillOf = (modelId: number): string => `var(--m${modelId})`;
export const inkOf = (modelId: number): string => `var(--k${modelId})`;

/** The rule that defines the colours of the models on light and dark screens. */
export const modelColors = (models: readonly Pick<Model, 'id' | 'color'>[]): string =>
  `:root{${models
    .map(({ id, color }) => {
      const [light, dark] = [legible(color, 'light'), legible(color, 'dark')];
      return `--m${id}:light-dark(${light},${dark});--k${id}:light-dark(${lettersOn(light)},${lettersOn(dark)});`;
    })
    .join('')}}`;

/** Data of all sections of a report. */
export type TuneReport = {
  readonly tuned: Tuned;
  /** The setting whose models and alerts are shown, and its index. */
  readonly setting: TriedSetting;
  readonly index: number;
  /** The models of the setting, as they are drawn. */
  readonly models: readonly Model[];
  /** Names of holidays and special days, by date. */
  readonly named: ReadonlyMap<string, string>;
  readonly keyOf: (modelId: number | null) => string;
  readonly modelOf: (modelId: number | null) => Model | undefined;
};

/** A section with a title and notes. `notes` and `content` are HTML. */
export const section = (title: string, notes: string, content: string): string =>
  `<section>\n<h2>${escaped(title)}</h2>\n<p class="quiet">${notes}</p>\n${content}\n</section>`;

/** The key of a model on its colour. */
export const chip = (key: string, modelId: number): string =>
  `<span class="chip" style="background:${fillOf(modelId)};color:${inkOf(modelId)}">${escaped(key)}</span>`;

/** A share as a rounded percentage; small ones with a decimal. */
export const roughly = (share: number): string => shareText(share, share < 0.1 ? 1 : 0);
