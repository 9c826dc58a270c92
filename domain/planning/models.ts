import type { Calendar } from './calendar.js';
import type { DayCycle } from './dayCycles.js';
import type { CovariateEffect, ExplainedBy } from '../source/covariates.js';
import { faultsMax, Rejection, type Fault } from '../rejection.js';

/**
 * Limits of an automatic model. Scores are computed on normalised residuals: 0 on the profile, 1 on the upper bound,
 * −1 on the lower bound, on the log scale y(x) = ln(x / unit + offset) (analysis/math/portableMath.ts). A score breaks
 * its limit when its magnitude is larger.
 */
export type Limits = {
  readonly unit: number;
  readonly offset: number;
  /** Length of the window in hours, and limit on the mean over any window. */
  readonly windowHours: number;
  readonly window: number;
  /** Limit on the mean over the day. */
  readonly day: number;
  /**
   * Limits on the change of the two means from the recent baseline (analysis/checking/recentLevel.ts). Absent in
   * older models, and when the reference has too few consecutive days.
   */
  readonly windowChange?: number;
  readonly dayChange?: number;
  /**
   * Limit on the distance from the nearest days, in units of what is usual (analysis/checking/shape.ts). Absent in
   * older models, and when the reference has too few ordinary days.
   */
  readonly shape?: number;
};

/** A typical day without an id. The three arrays have one length, with one value per slice. */
export type ModelDraft = {
  readonly name: string;
  readonly color: string;
  readonly anomaly: boolean;
  readonly activity: readonly number[];
  readonly topTolerance: readonly number[];
  readonly bottomTolerance: readonly number[];
  /** Absent for models that people supplied: only their bounds are checked. */
  readonly limits?: Limits;
};

/**
 * A typical day of a source. An `id` is never reused; `days` is the number of reference days planned to follow it. For
 * models that people supplied, and of engines up to 8, it is the number of days nearest to the model.
 */
export type Model = ModelDraft & { readonly id: number; readonly days: number };

/**
 * Models of a reference day: `modelId` is the nearest one. `plannedId` is the one predicted from similar dates, which
 * the planning uses; absent for models that people supplied and in older events.
 */
export type Assignment = { readonly date: string; readonly modelId: number; readonly plannedId?: number };

/** Reference days that the shapes of days are compared with, and the distance of each to its nearest ones. */
export type ShapeFacts = {
  readonly dates: readonly string[];
  readonly distances: readonly number[];
  /** Absent in models of engines up to 10, and when a kind of day has too few days. */
  readonly hours?: HourFacts;
};

/**
 * The hours of the same days (analysis/checking/hours.ts): the distance of each to its nearest ones, the places of
 * those that are no working days, and the factor that brings scores of hours to the limit on the shape. With `only`,
 * distances are those of the days of one kind, since the other kind has too few.
 */
export type HourFacts = {
  readonly distances: readonly number[];
  readonly free: readonly number[];
  readonly factor: number;
  readonly only?: 'working' | 'free';
};

/** Measurements of the reference that checks need. */
export type CheckFacts = {
  /** Joint scores of cross-fitted ordinary reference days, ascending: 1 is on a limit. */
  readonly scores: readonly number[];
  /** Length in slices of the longest flatline of a reference day, and the smallest value of all days. */
  readonly longestRun: number;
  readonly minimum: number;
  /** Absent in older models, and when the reference has too few ordinary days. */
  readonly shape?: ShapeFacts;
  /** Whether limits adapt to recent alerts (analysis/checking/adaptiveFactor.ts); absent when they do not. */
  readonly adaptive?: true;
  /** Effects of other sources on the expectation of a day; absent for sources that no other one explains. */
  readonly covariates?: readonly CovariateEffect[];
};

/** Result of the analysis, before models have ids: `assignments` refer to `models` by index. */
export type TypicalDays = {
  readonly engine: string;
  readonly seed: number;
  readonly models: readonly (ModelDraft & { readonly days: number })[];
  readonly assignments: readonly {
    readonly date: string;
    readonly model: number;
    readonly planned?: number;
  }[];
  /** Reference days that were not learned from. */
  readonly leftOut: readonly { readonly date: string; readonly reason: string }[];
  readonly bounds: BoundsFacts;
  /** One entry for each number of models that was tried, ascending. */
  readonly choice: readonly CountTried[];
  /** The calendar used; null when none was given and none inferred. */
  readonly calendar: Calendar | null;
  /** Cycles of the reference that are no week, by which dates are planned; absent for none. */
  readonly cycles?: readonly DayCycle[];
  /** Share of cross-fitted reference days whose nearest model was planned; null in older models. */
  readonly hitRate: number | null;
  /** null in older models, which have bounds only. */
  readonly checks: CheckFacts | null;
  /** Sources that explain this one, with their measured effects; absent without such sources. */
  readonly explainedBy?: readonly ExplainedBy[];
};

/** Measured quality of the limits. A coverage is a share, 0–1, of ordinary days without a broken limit. */
export type BoundsFacts = {
  readonly method: string;
  /** Target coverage; null for the default limits. */
  readonly targetCoverage: number | null;
  /** Coverage that the method guarantees for exchangeable days; null when there is no guarantee. */
  readonly guaranteedCoverage: number | null;
  /** Number of cross-fitted days that the limits are computed from. */
  readonly calibrationDays: number;
  /** Coverage measured on these days. */
  readonly measuredCoverage: number;
  /** Expected alerts on ordinary days per year, from the measured coverage; null when it was not measured. */
  readonly falseAlertsPerYear: number | null;
  /**
   * Range of that number which holds for nine of ten sources; absent in older models, with a guard or a target
   * coverage, and with few calibration days.
   */
  readonly falseAlertsRange?: { readonly low: number; readonly high: number };
  /**
   * Present when the default limits were widened because too few calibration days were inside them: that share, 0–1,
   * and the factor.
   */
  readonly guard?: { readonly coverage: number; readonly factor: number };
  /**
   * Guarantee of limits that adapt, for any sequence of days: in T compared days at most `share` · T + `alerts` counted
   * alerts (one a week), as long as the adaptive factor is below 2.
   */
  readonly guarantee?: { readonly share: number; readonly alerts: number };
  /**
   * Minimum detectable change: the smallest change that four of five ordinary days would show, as a share of the
   * total of the day; for the whole day and for the eight busiest hours. A number is null when even a doubling, or a
   * fall to 0, would not be detected; the whole is null when it was not measured.
   */
  readonly minimumDetectableChange: {
    readonly wholeDay: { readonly more: number | null; readonly less: number | null };
    readonly eightHours: { readonly more: number | null; readonly less: number | null };
    /**
     * For the quarters of the day: a change of each slice, as a share of its mean magnitude. Absent in older models,
     * and with fewer than four slices.
     */
    readonly timesOfDay?: readonly {
      readonly from: number;
      readonly to: number;
      readonly more: number | null;
      readonly less: number | null;
    }[];
  } | null;
};

/** Measurements of one number of models by cross-fitting. */
export type CountTried = {
  readonly modelCount: number;
  /** Mean absolute error of the planned profile, divided by the mean absolute activity. */
  readonly loss: number;
  /** Share of days whose nearest model was planned; null when it was not measured. */
  readonly predictability: number | null;
  /** Mean adjusted Rand index between the clusters of all days and of each half, at most 1; null if not measured. */
  readonly stability: number | null;
};

/** Gives ids to models, counted from `firstId` in their order, and refers to them in the assignments. */
export const withIds = <Draft extends ModelDraft>(
  { models, assignments }: { readonly models: readonly Draft[] } & Pick<TypicalDays, 'assignments'>,
  firstId: number,
): { readonly models: (Draft & { readonly id: number })[]; readonly assignments: Assignment[] } => ({
  models: models.map((model, index) => ({ ...model, id: firstId + index })),
  assignments: assignments.map(({ date, model, planned }) => ({
    date,
    modelId: firstId + model,
    ...(planned === undefined ? {} : { plannedId: firstId + planned }),
  })),
});

/** Largest number of models of a source, and longest name of a model. */
export const modelCountMax = 64;
export const nameLengthMax = 100;

/**
 * Checks the rules that a schema cannot express: unique names, arrays of one length in each model, and
 * bottomTolerance ≤ activity ≤ topTolerance in each slice.
 * @returns all faults; empty when there are none
 */
export const modelFaults = (models: readonly ModelDraft[]): Fault[] => {
  const names = new Map<string, number>();
  return models.flatMap((model, index) => {
    const faults: Fault[] = [];
    const first = names.get(model.name);
    if (first !== undefined)
      faults.push({
        code: 'nameTaken',
        pointer: `/models/${index}/name`,
        detail: `got "${model.name}" again, expected a unique name: /models/${first} has it`,
      });
    else names.set(model.name, index);
    return [...faults, ...profileFaults(model, index)];
  });
};

/** Refuses models with faults. @throws Rejection `modelsInvalid` with a JSON Pointer to each fault */
export const requireModels = (models: readonly ModelDraft[]): void => {
  const faults = modelFaults(models);
  if (faults.length > 0)
    throw new Rejection('modelsInvalid', 'the models are not valid', faults.slice(0, faultsMax));
};

const profileFaults = (model: ModelDraft, index: number): Fault[] => {
  const length = model.activity.length;
  const lengthFaults = (['topTolerance', 'bottomTolerance'] as const)
    .filter(part => model[part].length !== length)
    .map(part => ({
      code: 'lengths',
      pointer: `/models/${index}/${part}`,
      detail: `got ${model[part].length} values, expected ${length} as in activity`,
    }));
  if (lengthFaults.length > 0) return lengthFaults;
  return model.activity.flatMap((value, slice) => {
    const top = model.topTolerance[slice] ?? value;
    const bottom = model.bottomTolerance[slice] ?? value;
    const fault = (part: string, got: number, expected: string): Fault => ({
      code: 'bounds',
      pointer: `/models/${index}/${part}/${slice}`,
      detail: `got ${got}, expected ${expected} the activity ${value}`,
    });
    return [
      ...(top < value ? [fault('topTolerance', top, 'at least')] : []),
      ...(bottom > value ? [fault('bottomTolerance', bottom, 'at most')] : []),
    ];
  });
};
