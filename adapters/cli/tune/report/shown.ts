import type { TriedSetting } from '../../../../analysis/tuning/trySetting.js';
import type { Model } from '../../../../domain/planning/models.js';
import { shareText } from '../columns.js';
import type { Tuned } from '../facts.js';
import { escaped } from '../../report/html.js';
import { fillOf, inkOf } from './modelColors.js';

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
