import { modelAfter, type ModelChangeEvent } from './modelChange.js';
import type { ModelsReplacedData, ModelsResetData } from './modelsSet.js';
import { Rejection } from '../rejection.js';
import { lookUp, type Keyed } from '../keyed.js';
import { carriedOverrides } from './carriedOverrides.js';
import type { KnownModel } from './modelChange.js';

/** All models of a source under one version of them: the event that set them, with the changes that people made. */
export type SetModels =
  | { readonly type: 'ModelsReset'; readonly data: ModelsResetData }
  | { readonly type: 'ModelsReplaced'; readonly data: ModelsReplacedData };

/** Whether an event sets or changes models. */
export const isModelsEvent = <Event extends { readonly type: string }>(
  event: Event,
): event is Event & (SetModels | ModelChangeEvent) =>
  ['ModelsReset', 'ModelsReplaced', 'ModelDescribed', 'ModelAnomalyChanged'].includes(event.type);

/** Goes back to earlier models. `keepPlanning`: whether overrides are carried to them; they are dropped otherwise. */
export type RestoreModels = {
  readonly type: 'RestoreModels';
  readonly requestId: string;
  readonly earlier: SetModels;
  readonly keepPlanning: boolean;
};

/** The models after an event that sets or changes some; undefined before the first ones. */
export const modelsAfter = (
  before: SetModels | undefined,
  event: SetModels | ModelChangeEvent,
): SetModels | undefined => {
  if (event.type === 'ModelsReset' || event.type === 'ModelsReplaced') return event;
  if (!before) return undefined;
  const changed = {
    models: before.data.models.map(model => modelAfter(model, event)),
    ...(event.type === 'ModelAnomalyChanged' && {
      modelsVersion: event.data.modelsVersion,
      ...(event.data.assignments && { assignments: event.data.assignments }),
    }),
  };
  return { ...before, data: { ...before.data, ...changed } } as SetModels;
};

/** The same models under ids from a first one on, in their order. */
const renumbered = ({ type, data }: SetModels, firstId: number): SetModels => {
  const ids = new Map(data.models.map(({ id }, index) => [id, firstId + index]));
  const idOf = (id: number): number => ids.get(id) ?? id;
  const models = data.models.map(model => ({ ...model, id: idOf(model.id) }));
  const assignments = data.assignments.map(({ modelId, plannedId, ...assigned }) => ({
    ...assigned,
    modelId: idOf(modelId),
    ...(plannedId !== undefined && { plannedId: idOf(plannedId) }),
  }));
  return { type, data: { ...data, models, assignments } } as SetModels;
};

/** The part of models that restoring keeps: all but ids, the version, the request and overrides of the planning. */
export const keptByRestoring = (models: SetModels): object => {
  const { type, data } = renumbered(models, 1);
  const { requestId, modelsVersion, overrides, restoredFrom, ...kept } = data;
  return { type, ...kept };
};

type RestoringState = {
  readonly requests: Keyed<true>;
  readonly modelsVersion: number;
  readonly nextModelId: number;
  readonly models: readonly KnownModel[];
  readonly overrides: Readonly<Record<string, number>>;
};

/**
 * Sets earlier models again, under new ids and as a new version.
 * @throws Rejection `modelsCurrent` when their version is not an earlier one
 */
export const restoreModels = (
  { requestId, earlier, keepPlanning }: RestoreModels,
  state: RestoringState,
): readonly SetModels[] => {
  if (lookUp(state.requests, requestId)) return [];
  const restoredFrom = earlier.data.modelsVersion;
  if (restoredFrom >= state.modelsVersion)
    throw new Rejection(
      'modelsCurrent',
      `got version ${restoredFrom} of the models, expected one before the present version ${state.modelsVersion}`,
    );
  const { type, data } = renumbered(earlier, state.nextModelId);
  const overrides = carriedOverrides(state.overrides, state.models, data.models, keepPlanning);
  const set = { requestId, modelsVersion: state.modelsVersion + 1, restoredFrom, overrides };
  return [{ type, data: { ...data, ...set } } as SetModels];
};
