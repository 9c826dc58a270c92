import type { Calendar } from './calendar.js';
import type { Fault } from './rejection.js';

/**
 * Limits of an automatic model beside its bounds. They are on the *share of the tolerance* that a slice uses: 0 on
 * the curve, 1 on the upper bound, −1 on the lower one, counted on the scale y(x) = ln(x / unit + offset)
 * (straight below 0), on which the bounds lie as far out as a value is improbable.
 */
export type Limits = {
  readonly unit: number;
  readonly offset: number;
  /** Hours of the window, and how far from 0 the mean share over any window of so many hours may be. */
  readonly windowHours: number;
  readonly window: number;
  /** How far from 0 the mean share over the whole day may be. */
  readonly day: number;
  /**
   * How far the same two means may be from those of the days before, where that leads away from the model
   * (analysis/checking/recentBaseline.ts). Absent in models of versions that had no such limits, and where too few reference days have
   * days before them.
   */
  readonly windowChange?: number;
  readonly dayChange?: number;
};

/** What a person or the analysis says of a typical day. The three arrays have one length, a value a slice. */
export type ModelDraft = {
  readonly name: string;
  readonly color: string;
  readonly anomaly: boolean;
  readonly activity: readonly number[];
  readonly topTolerance: readonly number[];
  readonly bottomTolerance: readonly number[];
  /** Absent for models that people supplied: their bounds alone decide. */
  readonly limits?: Limits;
};

/** A typical day of a source. `id` is never used again, `days` counts the reference days it stands for. */
export type Model = ModelDraft & { readonly id: number; readonly days: number };

/**
 * Which model a reference day belongs to: the one that it is nearest to. `plannedId` is the one that days of its
 * season, weekday and type make expected of its date, where the analysis said so: the planning goes by it.
 */
export type Assignment = { readonly date: string; readonly modelId: number; readonly plannedId?: number };

/** What a check needs to know of the reference beside the models. */
export type CheckFacts = {
  /** Joint scores of ordinary reference days whose block was left out, ascending: 1 is on a limit. */
  readonly scores: readonly number[];
  /** The longest run of slices of one value in a reference day, and the smallest value of all. */
  readonly longestRun: number;
  readonly minimum: number;
};

/** What the analysis learned, before the models have ids: `assignments` point into `models` by their index. */
export type TypicalDays = {
  readonly engine: string;
  readonly seed: number;
  readonly models: readonly (ModelDraft & { readonly days: number })[];
  readonly assignments: readonly {
    readonly date: string;
    readonly model: number;
    readonly planned?: number;
  }[];
  readonly leftOut: readonly { readonly date: string; readonly reason: string }[];
  readonly bounds: BoundsFacts;
  /** One for each number of models tried, ascending. */
  readonly choice: readonly CountTried[];
  /** What the days were planned by; null when no calendar was given and none inferred. */
  readonly calendar: Calendar | null;
  /**
   * Share of the reference days whose nearest model was planned for them while their block was left out; null in
   * models of versions that did not measure it.
   */
  readonly hitRate: number | null;
  /** null in models of versions that had bounds alone. */
  readonly checks: CheckFacts | null;
};

/** What bounds can be trusted to do. Levels are shares of ordinary days that stay within all their limits. */
export type BoundsFacts = {
  readonly method: string;
  /** The level asked for, null for the engine's default limits. */
  readonly target: number | null;
  /** What the method guarantees of exchangeable days, null where it guarantees nothing. */
  readonly guaranteedLevel: number | null;
  readonly calibrationDays: number;
  /** Share of calibration days within limits that were learned without their block. */
  readonly measuredLevel: number;
  /** Alerts that ordinary days will raise in a year, by the measured level; null where it was not measured. */
  readonly falseAlertsPerYear: number | null;
  /**
   * The smallest change that four of five ordinary days would show, as a share of the day's total: of the whole day
   * and of the eight busiest hours. null when even a doubling, or a fall to nothing, would not; null as a whole
   * where it was not measured.
   */
  readonly power: {
    readonly wholeDay: { readonly more: number | null; readonly less: number | null };
    readonly eightHours: { readonly more: number | null; readonly less: number | null };
  } | null;
};

/** A number of models and how it fared on blocks of reference days that were left out. */
export type CountTried = {
  readonly modelCount: number;
  /** Mean absolute error of the planned curve, as a share of the mean absolute activity. */
  readonly loss: number;
  /** Share of days whose nearest model was planned for them: how far the calendar tells the models. null where not measured. */
  readonly predictability: number | null;
  /** How alike the models are that are learned without a block: adjusted Rand index, at most 1. null where not measured. */
  readonly stability: number | null;
};

/** Models and the assignments to them with ids that count from `firstId` in the order of the models. */
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

export const modelCountMax = 64;
export const nameLengthMax = 100;

/**
 * Every fault of a set of models against the rules that a schema cannot say: unique names, one length
 * in a model, bottomTolerance ≤ activity ≤ topTolerance slice by slice. Empty when all is well.
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
        detail: `got "${model.name}" again, expected a name of its own: /models/${first} has it`,
      });
    else names.set(model.name, index);
    return [...faults, ...curveFaults(model, index)];
  });
};

const curveFaults = (model: ModelDraft, index: number): Fault[] => {
  const length = model.activity.length;
  const uneven = (['topTolerance', 'bottomTolerance'] as const)
    .filter(part => model[part].length !== length)
    .map(part => ({
      code: 'lengths',
      pointer: `/models/${index}/${part}`,
      detail: `got ${model[part].length} values, expected ${length} as in activity`,
    }));
  if (uneven.length > 0) return uneven;
  return model.activity.flatMap((value, slice) => {
    const top = model.topTolerance[slice] ?? value;
    const bottom = model.bottomTolerance[slice] ?? value;
    return [
      ...(top < value
        ? [
            {
              code: 'bounds',
              pointer: `/models/${index}/topTolerance/${slice}`,
              detail: `got ${top}, expected at least the activity ${value}`,
            },
          ]
        : []),
      ...(bottom > value
        ? [
            {
              code: 'bounds',
              pointer: `/models/${index}/bottomTolerance/${slice}`,
              detail: `got ${bottom}, expected at most the activity ${value}`,
            },
          ]
        : []),
    ];
  });
};
