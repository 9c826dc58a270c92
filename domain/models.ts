import type { Fault } from './rejection.js';

/** What a person or the analysis says of a typical day. The three arrays have one length, a value a slice. */
export type ModelDraft = {
  readonly name: string;
  readonly color: string;
  readonly anomaly: boolean;
  readonly activity: readonly number[];
  readonly topTolerance: readonly number[];
  readonly bottomTolerance: readonly number[];
};

/** A typical day of a source. `id` is never used again, `days` counts the reference days it stands for. */
export type Model = ModelDraft & { readonly id: number; readonly days: number };

/** Which model a reference day belongs to. */
export type Assignment = { readonly date: string; readonly modelId: number };

/** What the analysis learned, before the models have ids: `assignments` point into `models` by their index. */
export type TypicalDays = {
  readonly engine: string;
  readonly seed: number;
  readonly models: readonly (ModelDraft & { readonly days: number })[];
  readonly assignments: readonly { readonly date: string; readonly model: number }[];
  readonly leftOut: readonly { readonly date: string; readonly reason: string }[];
  readonly bounds: {
    readonly method: string;
    readonly level: number;
    readonly calibrationDays: number;
    readonly measuredLevel: number;
  };
  readonly choice: readonly { readonly modelCount: number; readonly loss: number }[];
};

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
