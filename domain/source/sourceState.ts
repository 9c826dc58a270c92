import { overridesAfter } from '../planning/carriedOverrides.js';
import { emptyKeyed, put, type Keyed } from '../keyed.js';
import type { KnownModel } from '../planning/modelChange.js';
import type { SourceDescription } from './sourceDescription.js';
import type { SourceEvent, ModelsReplacedData } from './sourceEvents.js';
import { describedAtCreation } from './sourceFacts.js';

/** State of `source-{id}`. */
export type SourceState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active' | 'archived';
      readonly description: SourceDescription;
      readonly requests: Keyed<true>;
      /** The request whose analysis has not ended; a newer request or a replacement supersedes it. */
      readonly pendingRequestId: string | null;
      /** Whether that request carries overrides to its models; absent for requests of older versions. */
      readonly keepPlanning?: boolean;
      readonly modelsVersion: number;
      readonly nextModelId: number;
      /** By id. */
      readonly models: readonly KnownModel[];
      readonly overrides: Readonly<Record<string, number>>;
      /** Names of special days by their dates. */
      readonly specials: Readonly<Record<string, string>>;
      /** The source that was learned from recent days of this one. */
      readonly relearnedAs: number | null;
    };

/** A source that was created. */
export type ExistingSource = Exclude<SourceState, { status: 'absent' }>;

/** State of a source after an event. Long, because it has one case per type of event. */
export const evolveSource = (state: SourceState, event: SourceEvent): SourceState => {
  if (event.type === 'SourceCreated')
    return {
      status: 'active',
      description: describedAtCreation(event.data),
      requests: put(emptyKeyed, event.data.requestId, true),
      pendingRequestId: event.data.requestId,
      modelsVersion: 0,
      nextModelId: 1,
      models: [],
      overrides: {},
      specials: Object.fromEntries((event.data.specialDays ?? []).map(({ date, name }) => [date, name])),
      relearnedAs: null,
    };
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'SourceDescribed': {
      const { requestId, ...description } = event.data;
      return { ...state, description };
    }
    case 'SourceRelearned':
      return { ...state, requests: put(state.requests, event.data.requestId, true) };
    case 'SourceArchived': {
      const { relearnedAs = state.relearnedAs } = event.data;
      return { ...state, status: 'archived', relearnedAs };
    }
    case 'SourceRestored':
      return { ...state, status: 'active' };
    case 'ModelsResetRequested': {
      const { requestId, keepPlanning } = event.data;
      const { keepPlanning: _, ...before } = state;
      return {
        ...before,
        requests: put(state.requests, requestId, true),
        pendingRequestId: requestId,
        ...(keepPlanning !== undefined && { keepPlanning }),
      };
    }
    case 'AnalysisFailed':
      return { ...state, pendingRequestId: null };
    case 'ModelsReset':
      return withModels(state, event.data);
    case 'ModelsReplaced':
      return {
        ...withModels(state, event.data),
        requests: put(state.requests, event.data.requestId, true),
      };
    case 'ModelDescribed': {
      const { modelId, name, color } = event.data;
      return withModel(state, modelId, { name, color });
    }
    case 'ModelAnomalyChanged': {
      const { modelId, anomaly, modelsVersion } = event.data;
      return { ...withModel(state, modelId, { anomaly }), modelsVersion };
    }
    case 'DayPlanned':
      return { ...state, overrides: { ...state.overrides, [event.data.date]: event.data.modelId } };
    case 'DayPlanCleared': {
      const { [event.data.date]: _, ...overrides } = state.overrides;
      return { ...state, overrides };
    }
    case 'SpecialDayNamed':
      return { ...state, specials: { ...state.specials, [event.data.date]: event.data.name } };
    case 'SpecialDayCleared': {
      const { [event.data.date]: _, ...specials } = state.specials;
      return { ...state, specials };
    }
  }
};

/** New models end a running analysis; only the overrides that were carried to them stay. */
const withModels = (
  state: ExistingSource,
  { modelsVersion, models, overrides }: ModelsReplacedData,
): ExistingSource => ({
  ...state,
  pendingRequestId: null,
  modelsVersion,
  nextModelId: Math.max(state.nextModelId, ...models.map(model => model.id + 1)),
  models: models.map(({ id, name, color, anomaly, activity }) => ({ id, name, color, anomaly, activity })),
  overrides: overrides ? overridesAfter(overrides) : {},
});

const withModel = (state: ExistingSource, modelId: number, changed: Partial<KnownModel>): ExistingSource => ({
  ...state,
  models: state.models.map(model => (model.id === modelId ? { ...model, ...changed } : model)),
});
