import type { CovariateReading } from '../source/covariates.js';
import type { Outcome, SilenceFinding } from './findings.js';

/**
 * State of the adaptive factor on the limits of a source, after a checked day (adaptive conformal inference, Gibbs and
 * Candès 2021). `units` is 2000 · ln(factor), an integer from 0 to 1386: factor 1 to 2
 * (analysis/checking/adaptiveFactor.ts). `counted` is the date of the last counted alert.
 */
export type FactorState = { readonly units: number; readonly counted: string | null };

/** The state of the limits on residuals, and of the limit on the shape; that is absent while its factor is 1. */
export type Adaptation = FactorState & { readonly shape?: FactorState };

export const notAdapted: FactorState = { units: 0, counted: null };

/** Largest number of units. */
export const unitsMax = 1386;

/** Units that a counted alert adds. Each compared day without a finding subtracts one. */
export const unitsPerAlert = 99;

/** Types of events that cause a check. */
export const checkCauses = [
  'DaysImported',
  'PointsImported',
  'DateClosed',
  'DayTakenBack',
  'ModelsReset',
  'ModelsReplaced',
  'ModelAnomalyChanged',
  'DayPlanned',
  'DayPlanCleared',
  'SpecialDayNamed',
  'SpecialDayCleared',
  'CalendarRuleApplied',
  'CalendarRuleWithdrawn',
  'ChangeAccepted',
  'ChangeWithdrawn',
  'ClockTicked',
  'SourceRestored',
  'CovariateDaysImported',
] as const;

/** Rules that checks follow from a version on; a check names those that apply to it. Absent in older events. */
export type CheckRules = {
  /** Alerts that a check finds again are confirmed: they were replaced. */
  readonly keepsAlerts?: boolean;
  /** So are those of a check of an accepted or withdrawn change: they kept the finding from before the change. */
  readonly confirmsChanges?: boolean;
  /** Alerts of a date that grows are confirmed when they have become more critical: they kept the criticity. */
  readonly confirmsCriticity?: boolean;
};
export const checkRules = [
  'keepsAlerts',
  'confirmsChanges',
  'confirmsCriticity',
] as const satisfies readonly (keyof CheckRules)[];

/** The event that caused a check. */
export type CheckCause = { readonly id: string; readonly type: (typeof checkCauses)[number] };

/**
 * Versions of the data that a check used: the revisions of `source-{id}` and `days-{id}`, −1 for none. Readers in log
 * order see totally ordered versions.
 */
export type Knowledge = { readonly source: number; readonly days: number };

export type CheckedDay = {
  readonly date: string;
  readonly importId: string;
  readonly dayDigest: string;
  readonly plannedModelId: number | null;
  readonly outcome: Outcome;
  /** State of the adaptive factor after the day; absent when the limits do not adapt. */
  readonly adaptation?: Adaptation;
  /** Whether the finding was smaller than the floor of the source; absent for a day without such a finding. */
  readonly belowFloor?: true;
  /** Number of slices that had elapsed on a date in progress; absent for a date that is closed. */
  readonly elapsed?: number;
  /** Whether the date has no data: it is missing inside an import, or was taken back. */
  readonly missing?: true;
  /** Values of the sources that explain this one, as the check knew them; absent without such sources. */
  readonly covariates?: readonly CovariateReading[];
};

/** A silence of a source, as the finding of its date. `key` is the same for the same silence. */
export type CheckedSilence = {
  readonly date: string;
  readonly finding: SilenceFinding;
  readonly importId: string;
  readonly key: string;
};
