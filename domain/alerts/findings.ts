import type { Change } from '../incidents/changes.js';
import type { DayType } from '../planning/calendar.js';
import type { MonthDay } from '../planning/dayCycles.js';
import type { ExplainedFacts } from '../source/covariates.js';
import type { Silence } from './silence.js';

export type Direction = 'over' | 'under' | 'both';

/** Slices `from` (inclusive) to `to` (exclusive) outside a bound; `excess` is the largest distance to it. */
export type BrokenRun = {
  readonly from: number;
  readonly to: number;
  readonly direction: 'over' | 'under';
  readonly excess: number;
};

/** Limits of a model on residuals: on a slice, on the means of a window and the day, and on their changes. */
export const residualLimits = ['slice', 'window', 'day', 'windowChange', 'dayChange'] as const;
export type ResidualLimit = (typeof residualLimits)[number];

/** The limits of a model (models.ts, Limits): those on residuals, and that on the distance from the nearest days. */
export const brokenLimits = [...residualLimits, 'shape'] as const;
export type BrokenLimit = (typeof brokenLimits)[number];

/**
 * Kinds of findings of days. `gap`: too few data, a stretch without data longer than on any reference day of the same
 * model, or a missing date inside an import. `frozen`: a flatline longer
 * than the reference explains. `drift`: a level shift, reported on its first day only.
 */
export const findingKinds = ['activity', 'gap', 'frozen', 'drift'] as const;

/** Kinds of alerts: those of days, and `noData` when no data came in time. */
export const alertKinds = [...findingKinds, 'noData'] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Why a day has an alert. `criticity` is 0–1, higher for a less probable day. */
export type Finding = {
  readonly kind: (typeof findingKinds)[number];
  readonly direction: Direction | null;
  readonly criticity: number;
  /** Loss of the day, 0–1 (analysis/checking/severity.ts); absent in events of engines up to 8. */
  readonly severity?: number;
  readonly slices: readonly BrokenRun[];
  readonly plannedModelId: number | null;
  readonly closestModelId: number | null;
  readonly betterModelId: number | null;
  /** The broken limits; absent for models that people supplied. */
  readonly limits?: readonly BrokenLimit[];
  /** Whether the closest model is that of a known anomaly. */
  readonly looksLikeAnomaly: boolean;
  /** Absent in older events. */
  readonly facts?: FindingFacts;
};

/** Why a source without new data has an alert. */
export type SilenceFinding = Omit<Finding, 'kind' | 'facts' | 'limits'> & {
  readonly kind: 'noData';
  readonly silence: Silence;
};

/** The reason of an alert. */
export type AlertFinding = Finding | SilenceFinding;

/** Slices `from` (inclusive) to `to` (exclusive). */
export type Stretch = { readonly from: number; readonly to: number };

/** Means of a day and of the expected values over the usable slices of a stretch, in the unit of the source. */
export type Deviation = Stretch & {
  /** Number of usable slices, ≥ 1. */
  readonly slices: number;
  readonly actual: number;
  readonly expected: number;
  /** The profile of the planned model, or that profile at the level of the days before or of the day itself. */
  readonly comparedWith: 'model' | 'daysBefore' | 'dayLevel';
  /** Number of other stretches outside the bounds. */
  readonly others: number;
};

/**
 * A broken limit: the score of the day and the largest allowed magnitude, and over the usable slices of the stretch the
 * means of the day and of the bound in the unit of the source. Models that people supplied have no scores.
 */
export type LimitFacts = Stretch & {
  readonly limit: BrokenLimit;
  readonly score: number | null;
  readonly allowed: number | null;
  readonly actual: number;
  readonly bound: number;
};

/**
 * Types of days whose shape is like that of no other day. `clock`: the expected course, earlier or later; `noise`: it
 * goes up and down from slice to slice; `frozen`: it repeats one value for hours; `shape`: another course.
 */
export const shapeTypes = ['clock', 'noise', 'frozen', 'shape'] as const;

/** How the shape of a day differs from all others. */
export type ShapeDifference = {
  readonly type: (typeof shapeTypes)[number];
  /** For `clock`: minutes later, negative for earlier. */
  readonly minutes?: number;
  /** For `frozen`: its stretch and the repeated value. */
  readonly flatline?: Stretch & { readonly value: number };
};

/** Place of a date by which it is planned: its date of the month, or its day of a cycle, from 0. */
export type PlannedPlace =
  { readonly monthDay: MonthDay } | { readonly phase: number; readonly length: number };

/**
 * Type of a day in the planning. `name` is that of a holiday or a special day; `place` goes before both, and is absent
 * without a cycle and in events of engines up to 13.
 */
export type PlannedAs = {
  readonly origin: 'automatic' | 'manual';
  readonly type: DayType['type'];
  readonly name: string | null;
  readonly place?: PlannedPlace;
};

/**
 * A flatline: its value, and the length in slices of the longest of the reference. `daysBefore`: of the four weeks
 * before, for want of a reference; events of earlier engines do not say so.
 */
export type FlatlineFacts = { readonly value: number; readonly longest: number; readonly of?: 'daysBefore' };

/** Numbers that a check found out about a day with a finding. */
export type FindingFacts = {
  readonly plannedAs: PlannedAs;
  /** Whether the scale of the model is straight, as that of temperatures: factors have no meaning. Absent for no. */
  readonly straight?: true;
  /** null for a gap, and without a model. */
  readonly deviation: Deviation | null;
  readonly limits: readonly LimitFacts[];
  /** Factor on all limits of an automatic model, ≥ 1. */
  readonly widening: number;
  /** Level of the days before by slice, as a normalised residual; only when a limit on a change is broken. */
  readonly baseline?: readonly number[];
  /** For a gap: observed share of the day, and median of the reference days, 0–1. */
  readonly completeness?: { readonly day: number; readonly usual: number };
  /** A stretch without data, and the length in slices of the longest of the reference days of the same model. */
  readonly gap?: Stretch & { readonly longest: number };
  /** Only for a flatline. */
  readonly flatline?: FlatlineFacts;
  /** When the limit on the shape is broken: how the day differs from all others. */
  readonly shape?: ShapeDifference;
  /** On a date in progress. Absent for a whole day. */
  readonly soFar?: {
    /** Slices that had elapsed. */
    readonly elapsed: number;
    /** Whether the last slice with data is outside; of engines up to 9 the last elapsed one. */
    readonly ongoing: boolean;
    /** End of the last slice with data; absent when it is the last elapsed one, and by engines up to 9. */
    readonly dataEnd?: number;
  };
  /** Accepted changes that moved what was expected; absent for none. */
  readonly accepted?: readonly Change[];
  /** How covariates changed what was expected; absent for models without covariates. */
  readonly explainedBy?: ExplainedFacts;
};

/**
 * Result of the check of a day. `notCompared`: no model is planned. `drift`: a level shift explains the broken
 * limits.
 */
export const outcomes = ['normal', 'abnormal', 'gap', 'drift', 'notCompared'] as const;
export type Outcome = (typeof outcomes)[number];
