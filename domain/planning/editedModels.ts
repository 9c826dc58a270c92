import { lookUp, type Keyed } from '../keyed.js';
import { Rejection } from '../rejection.js';
import {
  modelAfter,
  type ModelChangeEvent,
  type ModelsReplacedData,
  type ModelsResetData,
  carriedOverrides,
  type KnownModel,
} from './modelChange.js';
import { withIds, type BoundsFacts, type Model, type ModelDraft, type TypicalDays } from './models.js';

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

/** Supplied models that are edits of present automatic ones. */
export type EditedModels = {
  /** The present models as they are in the log. */
  readonly present: ModelsResetData;
  /** The id of the present model that each supplied one was, or null for one of a person's own. */
  readonly from: readonly (number | null)[];
  /** Whether a model has its planned days; false for a repeated older decision, which counted the nearest ones. */
  readonly countsPlanned: boolean;
};

const profileParts = ['activity', 'topTolerance', 'bottomTolerance'] as const;

const isSameProfile = (one: ModelDraft, other: ModelDraft): boolean =>
  profileParts.every(
    part =>
      one[part].length === other[part].length && one[part].every((value, at) => value === other[part][at]),
  );

const areSameLimits = (limits: ModelDraft['limits'], supplied: unknown): boolean => {
  if (!limits || typeof supplied !== 'object' || supplied === null) return false;
  const entries = Object.entries(limits);
  const given = supplied as Readonly<Record<string, unknown>>;
  return (
    entries.length === Object.keys(given).length && entries.every(([name, value]) => given[name] === value)
  );
};

/**
 * The present model that each supplied one was: it has its id and its limits, which no other source has. A second one
 * with the id is a model of a person's own.
 * @returns ids, or null for others
 */
export const editedIds = (
  supplied: readonly { readonly id?: unknown; readonly limits?: unknown }[],
  present: readonly Model[],
): (number | null)[] => {
  const byId = new Map(present.map(model => [model.id, model]));
  return supplied.map(({ id, limits }) => {
    const model = typeof id === 'number' ? byId.get(id) : undefined;
    if (!model || !areSameLimits(model.limits, limits)) return null;
    byId.delete(model.id);
    return model.id;
  });
};

/** Measured numbers of limits hold for the profiles that they were measured with. */
const unmeasured = ({ guarantee: _, ...bounds }: ModelsResetData['bounds']): ModelsResetData['bounds'] => ({
  ...bounds,
  guaranteedCoverage: null,
  calibrationDays: 0,
  falseAlertsPerYear: null,
  minimumDetectableChange: null,
});

/** Bounds as they are stated: events of edited models keep a range of false alerts without its number. */
export const statedBounds = (bounds: BoundsFacts): BoundsFacts => {
  const { falseAlertsRange: _, ...others } = bounds;
  return bounds.falseAlertsPerYear === null ? others : bounds;
};

type EditingState = {
  readonly modelsVersion: number;
  readonly nextModelId: number;
  readonly models: readonly KnownModel[];
  readonly overrides: Readonly<Record<string, number>>;
};

type Supplied = {
  readonly requestId: string;
  /** Without limits: those of the present models are kept. */
  readonly models: readonly ModelDraft[];
  /** The nearest model of each reference day, by its index in `models`. */
  readonly assignments: TypicalDays['assignments'];
  readonly keepPlanning?: boolean;
  readonly edited: EditedModels;
};

/** Assignments of reference days: those of the present models where no profile changed, else to the nearest model. */
const assignmentsOf = (
  { assignments, edited: { present, from } }: Supplied,
  areAll: boolean,
  areEqual: boolean,
): TypicalDays['assignments'] => {
  const index = (id: number): number => from.indexOf(id);
  if (areAll && areEqual)
    return present.assignments.map(({ date, modelId, plannedId }) => ({
      date,
      model: index(modelId),
      ...(plannedId !== undefined && { planned: index(plannedId) }),
    }));
  if (!areAll) return assignments;
  const planned = new Map(present.assignments.map(({ date, plannedId }) => [date, plannedId]));
  return assignments.map(({ date, model }) => {
    const id = planned.get(date);
    return { date, model, ...(id !== undefined && { planned: index(id) }) };
  });
};

/** Measurements of the reference, with those by model in the order of the supplied ones. */
const checksOf = ({ present, from }: EditedModels): ModelsResetData['checks'] => {
  const { checks, models } = present;
  if (!checks?.covariates) return checks;
  const places = from.map(id => models.findIndex(model => model.id === id));
  // Covariates do not move models that a person added.
  const covariates = checks.covariates.map(({ usual, spread, ...effect }) => ({
    ...effect,
    usual: places.map(place => usual[place] ?? 0),
    ...(spread && { spread: places.map(place => spread[place] ?? ([0, 0] as const)) }),
  }));
  return { ...checks, covariates };
};

/**
 * Sets edited models: those that were present keep their limits, and the source what else was learned. A profile that
 * changed takes its measured numbers away; models that were added or removed also take the learned planning away.
 * @throws Rejection `modelsOutdated` when the present models are others by now
 */
export const editModels = (supplied: Supplied, state: EditingState): ModelsResetData => {
  const { requestId, models, keepPlanning = true, edited } = supplied;
  const { present, from, countsPlanned } = edited;
  if (present.modelsVersion !== state.modelsVersion)
    throw new Rejection(
      'modelsOutdated',
      `got edits of version ${present.modelsVersion} of the models, expected the present version ${state.modelsVersion}`,
    );
  const before = from.map(id => present.models.find(model => model.id === id));
  const drafts = models.map((model, at) => ({
    ...model,
    ...(before[at]?.limits && { limits: before[at].limits }),
  }));
  const areAll = present.models.length === models.length && before.every(Boolean);
  const areEqual = drafts.every((draft, at) => before[at] && isSameProfile(draft, before[at]));
  const assigned = assignmentsOf(supplied, areAll, areEqual);
  const identified = withIds({ models: drafts, assignments: assigned }, state.nextModelId);
  const daysOf = (id: number): number =>
    identified.assignments.filter(
      ({ modelId, plannedId }) => (countsPlanned ? (plannedId ?? modelId) : modelId) === id,
    ).length;
  const asBefore = identified.models.map((model, at) => ({ ...model, ...profileOf(before[at]) }));
  const { restoredFrom: _, ...learned } = present;
  return {
    ...learned,
    requestId,
    modelsVersion: state.modelsVersion + 1,
    models: identified.models.map(model => ({ ...model, days: daysOf(model.id) })),
    assignments: identified.assignments,
    checks: checksOf(edited),
    overrides: carriedOverrides(state.overrides, state.models, asBefore, keepPlanning),
    bounds: areAll && areEqual ? present.bounds : unmeasured(present.bounds),
    hitRate: areAll && areEqual ? present.hitRate : null,
    edited: { modelsVersion: present.modelsVersion, from, ...(countsPlanned && { countsPlanned }) },
  };
};

/** The profile of the model that a supplied one was: overrides follow the model, not its new profile. */
const profileOf = (model: Model | undefined): Partial<Pick<Model, 'activity'>> =>
  model ? { activity: model.activity } : {};
