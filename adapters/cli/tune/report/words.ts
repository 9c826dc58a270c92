import { placeName } from '../../../../analysis/calendar/holidays.js';
import { verdictCount, verdictsMin, recentCounts } from '../../../../analysis/tuning/tune.js';
import type { TriedSetting, TriedDay } from '../../../../analysis/tuning/trySetting.js';
import type { Model, BoundsFacts } from '../../../../domain/planning/models.js';
import { counted, plural } from '../../../../domain/text.js';
import { escaped } from '../../report/html.js';
import { shareText } from '../columns.js';
import type { Tuned } from '../facts.js';

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
/** The CSS variable with the colour of a model. */
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

/** The origin of the holidays. */
export const calendarText = ({ parameters, holidays }: Pick<Tuned, 'parameters' | 'holidays'>): string => {
  if (!holidays)
    return parameters.calendar === 'none'
      ? 'no holidays, as requested'
      : 'no holidays: those of no country explain the odd days of the reference';
  const { code, evidence } = holidays;
  return `public holidays of ${placeName(code)} (${code})${evidence === null ? '' : `, inferred: ${evidence}`}`;
};

/** A setting as the end of a path: the number of models to cluster, and the target as a query. */
export const settingQuery = ({ asked, fit }: Pick<TriedSetting, 'asked' | 'fit'>): string =>
  `${fit.modelCount}${asked.coverage === null ? '' : `?coverage=${asked.coverage}`}`;

/** The request that makes the service learn a setting. */
export const resetPath = ({ origin }: Pick<Tuned, 'origin'>, tried: TriedSetting): string =>
  `POST /v1/model/reset/${origin.kind === 'store' ? origin.sourceId : '{source_id}'}/${settingQuery(tried)}`;

/** Why a setting is recommended. */
export const recommendationText = ({ whatIfs }: Pick<Tuned, 'whatIfs'>): string => {
  const [whatIf] = whatIfs;
  if (!whatIf) return 'Recommended is the choice of the engine, which a new source gets.';
  const count = verdictCount(whatIf);
  if (count < verdictsMin)
    return (
      `Recommended is the choice of the engine: there ${count === 1 ? 'is' : 'are'} ${plural(count, 'verdict')}, and ` +
      `fewer than ${verdictsMin} do not change it.`
    );
  return (
    'Recommended: of the settings that keep the most confirmed alerts those that save the most false ones, and of ' +
    `these the one that gains the fewest. It is selected and judged by the same ${plural(count, 'verdict')}.`
  );
};

/** The numbers of models that the choice of the engine considered, and the tried ones that it did not. */
export const candidatesText = ({ tried }: Pick<Tuned, 'tried'>): string => {
  const chosen = tried.find(({ asked }) => asked.modelCount === null);
  if (!chosen) return '';
  const candidates = chosen.counts.map(({ modelCount }) => modelCount);
  const others = tried.flatMap(({ asked: { modelCount } }) =>
    modelCount === null || candidates.includes(modelCount) ? [] : modelCount,
  );
  const none = [...new Set(others)].sort((a, b) => a - b);
  return (
    `The engine chose among ${candidates.join(', ')} models.` +
    (none.length > 0 ? ` No candidates, only tried here: ${none.join(', ')}.` : '')
  );
};

/** The results of a setting in sentences. */
export const summaryOf = (
  { recent, whatIfs }: Pick<Tuned, 'recent' | 'whatIfs'>,
  { models, fit, bounds, days }: TriedSetting,
  index: number,
): string => {
  const predict = models.length === 1 ? '1 model predicts' : `${models.length} models predict`;
  const sentences = [
    `${predict} a held-out day with an average error of ${roughly(fit.loss)} of the usual activity.`,
    coverageText(bounds),
  ];
  if (recent.length > 0) {
    const alerts = days.filter(({ finding }) => finding).length;
    const verb = alerts === 1 ? 'raises' : 'raise';
    const kinds = kindsText(days);
    sentences.push(
      `Of ${plural(recent.length, 'recent day')}, ${alerts === 0 ? 'none' : alerts} ${verb} an alert` +
        (kinds === '' ? '.' : `: ${kinds}.`),
    );
  }
  const whatIf = whatIfs[index];
  if (whatIf && whatIf.confirmed.stood + whatIf.falseAlarms.stood > 0)
    sentences.push(
      `It keeps ${whatIf.confirmed.kept} of ${plural(whatIf.confirmed.stood, 'confirmed alert')} ` +
        `and saves ${whatIf.falseAlarms.lost} of ${plural(whatIf.falseAlarms.stood, 'false alert')}.`,
    );
  return sentences.join(' ');
};

/** Numbers of alerts by kind; empty when all alerts are for activity. */
const kindsText = (days: readonly TriedDay[]): string => {
  const { alerts } = recentCounts({ days });
  if (alerts.frozen + alerts.drift + alerts.gap === 0) return '';
  return [
    ...(alerts.activity > 0 ? [`${alerts.activity} for activity`] : []),
    ...(alerts.frozen > 0 ? [`${alerts.frozen} for a flatline`] : []),
    ...(alerts.drift > 0 ? [`${alerts.drift} for a drift`] : []),
    ...(alerts.gap > 0 ? [`${alerts.gap} for missing data`] : []),
  ].join(', ');
};

/**
 * The measured coverage and the false alerts to expect. When no day was outside the limits, the days only give an
 * upper bound: the one-sided 95 % bound of Clopper and Pearson (1934), 1 − 0.05^(1/n).
 */
const coverageText = (bounds: BoundsFacts): string => {
  const { measuredCoverage, calibrationDays, falseAlertsPerYear, falseAlertsRange: range } = bounds;
  if (calibrationDays === 0) return 'No reference day could be judged by limits learned without it.';
  // The measured coverage counts one more day, outside the limits: inside / (days + 1).
  const inside = Math.round(measuredCoverage * (calibrationDays + 1));
  const days = plural(calibrationDays, 'ordinary reference day');
  if (inside >= calibrationDays) {
    const most = Math.ceil(365 * (1 - 0.05 ** (1 / calibrationDays)));
    return (
      `All ${days} are inside limits learned without them, so few false alerts are expected. From so many days it ` +
      `only follows that there are at most ${most} a year.`
    );
  }
  const kept = `${counted(inside)} of ${days} are inside limits learned without them`;
  if (falseAlertsPerYear === null) return `${kept}.`;
  const count =
    falseAlertsPerYear < 10 ? String(Number(falseAlertsPerYear.toFixed(1))) : counted(falseAlertsPerYear);
  const among = range ? `; nine of ten such sources have ${range.low} to ${range.high}` : '';
  return `${kept}. About ${count} false alert${count === '1' ? ' is' : 's are'} expected a year${among}.`;
};
