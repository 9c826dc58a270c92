export type Direction = 'over' | 'under' | 'both';

/** Slices `from` (inclusive) to `to` (exclusive) outside a bound; `excess` is the largest distance to it. */
export type BrokenRun = {
  readonly from: number;
  readonly to: number;
  readonly direction: 'over' | 'under';
  readonly excess: number;
};

/** The limits of a model (models.ts, Limits): on a slice, on the means of a window and the day, and on their changes. */
export const brokenLimits = ['slice', 'window', 'day', 'windowChange', 'dayChange'] as const;
export type BrokenLimit = (typeof brokenLimits)[number];

/** Why a day has an alert. `criticity` is 0–1, higher for a less probable day. */
export type Finding = {
  /** `frozen`: a flatline longer than the reference explains. `drift`: a level shift, reported on its first day only. */
  readonly kind: 'activity' | 'gap' | 'frozen' | 'drift';
  readonly direction: Direction | null;
  readonly criticity: number;
  readonly slices: readonly BrokenRun[];
  readonly plannedModelId: number | null;
  readonly closestModelId: number | null;
  readonly betterModelId: number | null;
  /** The broken limits; absent for models that people supplied. */
  readonly limits?: readonly BrokenLimit[];
  /** Whether the closest model is that of a known anomaly. */
  readonly looksLikeAnomaly: boolean;
};

/** Result of the check of a day. `notCompared`: no model is planned. `drift`: a level shift explains the broken limits. */
export const outcomes = ['normal', 'abnormal', 'gap', 'drift', 'notCompared'] as const;
export type Outcome = (typeof outcomes)[number];
