import { modelFaults, withIds } from '../planning/models.js';
import { Rejection } from '../rejection.js';
import { carriedOverrides } from '../planning/carriedOverrides.js';
import { lookUp } from '../keyed.js';
import type { KnownModel } from '../planning/modelChange.js';
import type { CommandOf } from './sourceCommands.js';
import type { ExistingSource } from './sourceState.js';
import type { SourceEvent, ModelsReplacedData } from './sourceEvents.js';
import { analysisInput } from './sourceFacts.js';

/** Requests new automatic models. */
export const requestReset = (
  command: CommandOf<'RequestModelsReset'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  const { requestId, modelCount, seed, keepPlanning } = command;
  if (lookUp(state.requests, requestId)) return [];
  const kept = keepPlanning === undefined ? {} : { keepPlanning };
  const data = { requestId, modelCount, seed, ...kept, ...analysisInput(command) };
  return [{ type: 'ModelsResetRequested', data }];
};

/** Overrides of the planning under new models, carried or dropped; empty for requests of older versions. */
const overridesFor = (
  { overrides, models }: ExistingSource,
  newModels: readonly KnownModel[],
  keepPlanning: boolean | undefined,
): Pick<ModelsReplacedData, 'overrides'> =>
  keepPlanning === undefined
    ? {}
    : { overrides: carriedOverrides(overrides, models, newModels, keepPlanning) };

/** Installs the models of an analysis, unless a newer request or a replacement superseded it. */
export const resetModels = (
  { requestId, learned }: CommandOf<'ResetModels'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  if (state.pendingRequestId !== requestId) return [];
  const identified = withIds(learned, state.nextModelId);
  return [
    {
      type: 'ModelsReset',
      data: {
        ...learned,
        requestId,
        modelsVersion: state.modelsVersion + 1,
        ...identified,
        ...overridesFor(state, identified.models, state.keepPlanning),
      },
    },
  ];
};

/** Ends an analysis that found no models. */
export const failAnalysis = (
  { requestId, code, detail }: CommandOf<'FailAnalysis'>,
  state: ExistingSource,
): readonly SourceEvent[] =>
  state.pendingRequestId === requestId ? [{ type: 'AnalysisFailed', data: { requestId, code, detail } }] : [];

/** Replaces all models by custom ones. */
export const replaceModels = (
  { requestId, models, engine, assignments, keepPlanning }: CommandOf<'ReplaceModels'>,
  state: ExistingSource,
): readonly SourceEvent[] => {
  if (lookUp(state.requests, requestId)) return [];
  const faults = modelFaults(models);
  if (faults.length > 0)
    throw new Rejection('modelsInvalid', `${faults.length} faults in the models`, faults);
  const days = (index: number) => assignments.filter(({ model }) => model === index).length;
  const identified = withIds({ models, assignments }, state.nextModelId);
  return [
    {
      type: 'ModelsReplaced',
      data: {
        requestId,
        engine,
        modelsVersion: state.modelsVersion + 1,
        models: identified.models.map((model, index) => ({ ...model, days: days(index) })),
        assignments: identified.assignments,
        ...overridesFor(state, identified.models, keepPlanning),
      },
    },
  ];
};
