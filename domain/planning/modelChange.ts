import { Rejection } from '../rejection.js';
import type { Model, Assignment, TypicalDays } from './models.js';

/** Overrides of the planning when models are replaced, by model: those carried to a new model, and those dropped. */
export type CarriedOverrides = {
  readonly carried: readonly {
    readonly from: number;
    readonly to: number;
    readonly dates: readonly string[];
  }[];
  readonly dropped: readonly { readonly from: number; readonly dates: readonly string[] }[];
};

type Profiled = Pick<Model, 'id' | 'activity'>;

/**
 * Carries overrides to the new models with the nearest profiles, by the sum of squared differences over the slices.
 * Ties go to the smaller id. All are dropped when they are not to be kept or there are no new models.
 * @param overrides model ids by date
 * @param before    the replaced models, among them those of the overrides
 * @param after     the new models, by id, of the same length
 */
export const carriedOverrides = (
  overrides: Readonly<Record<string, number>>,
  before: readonly Profiled[],
  after: readonly Profiled[],
  isKept: boolean,
): CarriedOverrides => {
  const byModel = new Map<number, string[]>();
  for (const date of Object.keys(overrides).sort()) {
    const from = overrides[date] ?? 0;
    const dates = byModel.get(from);
    if (dates) dates.push(date);
    else byModel.set(from, [date]);
  }
  const moved = [...byModel]
    .sort(([a], [b]) => a - b)
    .map(([from, dates]) => {
      const model = before.find(({ id }) => id === from);
      return { from, to: isKept && model ? nearestId(model, after) : undefined, dates };
    });
  return {
    carried: moved.flatMap(({ from, to, dates }) => (to === undefined ? [] : [{ from, to, dates }])),
    dropped: moved.flatMap(({ from, to, dates }) => (to === undefined ? [{ from, dates }] : [])),
  };
};

/** Model ids by date of the overrides that were carried. */
export const overridesAfter = ({ carried }: CarriedOverrides): Readonly<Record<string, number>> =>
  Object.fromEntries(carried.flatMap(({ to, dates }) => dates.map(date => [date, to] as const)));

const nearestId = ({ activity }: Profiled, models: readonly Profiled[]): number | undefined => {
  let nearest: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const model of models) {
    const distance = activity.reduce((sum, value, slice) => {
      const difference = value - (model.activity[slice] ?? value);
      return sum + difference * difference;
    }, 0);
    // The first model is taken even when squares overflow to Infinity.
    if (distance < least || nearest === undefined) {
      nearest = model.id;
      least = distance;
    }
  }
  return nearest;
};

/** Data of `ModelsReplaced`. */
export type ModelsReplacedData = {
  readonly requestId: string;
  /** Name and version of the analysis that assigned the reference days; absent in older events. */
  readonly engine?: string;
  /** 1 for the first models of a source, incremented with each change. */
  readonly modelsVersion: number;
  readonly models: readonly Model[];
  readonly assignments: readonly Assignment[];
  /** Absent in older events: all overrides were dropped. */
  readonly overrides?: CarriedOverrides;
  /** The earlier version that a person went back to; absent for other models. */
  readonly restoredFrom?: number;
};

/** Data of `ModelsReset`. */
export type ModelsResetData = ModelsReplacedData &
  Omit<TypicalDays, 'models' | 'assignments'> & {
    /**
     * Present when a person edited the models of a version: the id there of each model, null for one that was added.
     * The limits and all else that was learned are those of that version. `countsPlanned`: `days` of the models are
     * planned days, as in learned models; absent in older events, which count the nearest days.
     */
    readonly edited?: {
      readonly modelsVersion: number;
      readonly from: readonly (number | null)[];
      readonly countsPlanned?: true;
    };
  };

/** Fields of a model that a person may change; its profile and limits stay. Absent fields do not change. */
export type ModelChange = {
  readonly name?: string;
  readonly color?: string;
  readonly anomaly?: boolean;
};

/** A model as decisions need it. */
export type KnownModel = Pick<Model, 'id' | 'name' | 'color' | 'anomaly' | 'activity'>;

export type ModelChangeEvent =
  | {
      readonly type: 'ModelDescribed';
      readonly data: {
        readonly requestId: string;
        readonly modelId: number;
        readonly name: string;
        readonly color: string;
      };
    }
  | {
      readonly type: 'ModelAnomalyChanged';
      readonly data: {
        readonly requestId: string;
        /** Name and version of the analysis that assigned the reference days. */
        readonly engine: string;
        readonly modelsVersion: number;
        readonly modelId: number;
        readonly anomaly: boolean;
        /** The reference days are assigned again for models that people supplied; absent for automatic models. */
        readonly assignments?: readonly Assignment[];
      };
    };

export type ChangeModel = {
  readonly type: 'ChangeModel';
  readonly requestId: string;
  readonly modelId: number;
  readonly change: ModelChange;
  readonly engine: string;
  /** Version of the models that the assignments are for. */
  readonly modelsVersion: number;
  /** The nearest model of each reference day, by its index in the models; null for automatic models. */
  readonly assignments: TypicalDays['assignments'] | null;
};

/**
 * Changes a model. A change of the anomaly flag makes a new version of the models, as plannings and checks depend on
 * it.
 * @throws Rejection `modelNotFound`, `modelsInvalid`, and `modelsOutdated` when the assignments are for other models
 */
export const changeModel = (
  { requestId, modelId, change, engine, ...basis }: ChangeModel,
  { models, modelsVersion }: { readonly models: readonly KnownModel[]; readonly modelsVersion: number },
): readonly ModelChangeEvent[] => {
  const model = models.find(({ id }) => id === modelId);
  if (!model) throw new Rejection('modelNotFound', `no model ${modelId}`);
  const { name, color, anomaly } = { ...model, ...change };
  const namesake = models.find(other => other.id !== modelId && other.name === name);
  if (namesake)
    throw new Rejection('modelsInvalid', 'the model breaks a rule', [
      {
        code: 'nameTaken',
        pointer: '/name',
        detail: `got "${name}", expected a unique name: model ${namesake.id} has it`,
      },
    ]);
  const events: ModelChangeEvent[] = [];
  if (name !== model.name || color !== model.color)
    events.push({ type: 'ModelDescribed', data: { requestId, modelId, name, color } });
  if (anomaly === model.anomaly) return events;
  if (basis.modelsVersion !== modelsVersion)
    throw new Rejection(
      'modelsOutdated',
      `got a change of version ${basis.modelsVersion} of the models, expected version ${modelsVersion}`,
    );
  const assignments = basis.assignments?.flatMap(({ date, model: index }) => {
    const assigned = models[index];
    return assigned ? [{ date, modelId: assigned.id }] : [];
  });
  const data = { requestId, engine, modelsVersion: modelsVersion + 1, modelId, anomaly };
  events.push({ type: 'ModelAnomalyChanged', data: assignments ? { ...data, assignments } : data });
  return events;
};

/** A model after a change of it or of another model of its source. */
export const modelAfter = (model: Model, { type, data }: ModelChangeEvent): Model => {
  const isTarget = model.id === data.modelId;
  if (type === 'ModelDescribed') return isTarget ? { ...model, name: data.name, color: data.color } : model;
  const { assignments, anomaly } = data;
  const days = assignments ? assignments.filter(({ modelId }) => modelId === model.id).length : model.days;
  return { ...model, days, ...(isTarget && { anomaly }) };
};
