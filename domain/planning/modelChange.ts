import type { Assignment, Model, TypicalDays } from './models.js';
import { Rejection } from '../rejection.js';

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
