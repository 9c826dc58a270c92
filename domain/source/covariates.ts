import { isTotal, type Day, type Aggregation, usable } from '../day.js';

// Covariates: other sources that explain a source, such as the outside temperature. A covariate has one value a date.

/** Largest number of covariates of a source. */
export const covariatesMax = 3;

/** Values of a covariate on the reference days of a source, as they were when an analysis was requested. */
export type CovariateSeries = {
  readonly sourceId: number;
  readonly name: string;
  /** Revision of the stream of its days up to which the values are known. */
  readonly revision: number;
  /** The covariate was archived; its values are not used. */
  readonly archived?: true;
  /** By ascending date. */
  readonly values: readonly { readonly date: string; readonly value: number }[];
};

/** Value of a covariate on a date as a check knew it; null without data. */
export type CovariateReading = {
  readonly sourceId: number;
  readonly value: number | null;
  /** Revision of the stream of its days up to which the check knew them. */
  readonly revision: number;
  /** The covariate is archived; it has no value then. */
  readonly archived?: true;
};

/**
 * Learned effect of a covariate: two straight lines that meet at a knee. It is added to the expectation of a day on the
 * log scale, so that it is nearly a share: 0.01 is one percent.
 */
export type CovariateEffect = {
  readonly sourceId: number;
  readonly name: string;
  readonly knee: number;
  /** Effect of one unit below the knee, and of one unit above it. */
  readonly below: number;
  readonly above: number;
  /** Range of the values that the effect was learned from; values beyond it count as its ends. */
  readonly from: number;
  readonly to: number;
  /** By model, in their order: mean effect on the reference days planned to follow it. */
  readonly usual: readonly number[];
  /**
   * By model: least and largest effect on the reference days planned to follow it, minus `usual`; absent in models of
   * engines that do not record it.
   */
  readonly spread?: readonly (readonly [least: number, largest: number])[];
};

/** Result of the analysis for one covariate. */
export type ExplainedBy = {
  readonly sourceId: number;
  readonly name: string;
  readonly used: boolean;
  /** Share by which it lowers the error of the level of held-out days; null when it was not measured. */
  readonly errorReduction: number | null;
  readonly reason: string;
  /** Absent when it is not used. */
  readonly effect?: Omit<CovariateEffect, 'sourceId' | 'name' | 'usual' | 'spread'>;
};

/** A covariate in a finding. */
export type CovariateFact = { readonly sourceId: number; readonly name: string; readonly value: number };

/** How covariates changed the expectation of a day with a finding. */
export type ExplainedFacts = {
  /** Effect on the log scale. */
  readonly effect: number;
  /** Mean value of a slice, of the planned model and after the effect, in the unit of the source. */
  readonly planned: number;
  readonly expected: number;
  /** Covariates that had a value. */
  readonly covariates: readonly CovariateFact[];
  /** Names of the covariates without a value on the date; absent when there are none. */
  readonly missing?: readonly string[];
};

/** Smallest share of usable slices of a day that has a value. */
const usableShareMin = 0.5;

/** Significant digits of a value. */
const digits = 6;

/**
 * Value of a day of a covariate: the mean of its slices, or their total when it is summed; null with too few of them.
 */
export const covariateValue = (day: Day, aggregation: Aggregation): number | null => {
  const flags = usable(day);
  let sum = 0;
  let count = 0;
  day.activity.forEach((value, slice) => {
    if (!flags[slice]) return;
    sum += value;
    count += 1;
  });
  if (count === 0 || count < usableShareMin * flags.length) return null;
  const value = (sum / count) * (isTotal(aggregation) ? flags.length : 1);
  return Number.isFinite(value) ? Number(value.toPrecision(digits)) : null;
};
