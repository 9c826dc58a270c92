import {
  completeness,
  type Aggregation,
  type Day,
  type InterpolationMethod,
  type SliceCount,
} from './day.js';
import type { Decider } from './decider.js';
import {
  modelFaults,
  withIds,
  type Assignment,
  type Model,
  type ModelDraft,
  type TypicalDays,
} from './models.js';
import { Rejection } from './rejection.js';
import { lookUp, nothingKeyed, put, type Keyed } from './keyed.js';

/**
 * Facts of a source that never change. `calendar` is the code that the client gave: a country or a region. `timeZone`
 * is the IANA name of the zone by whose midnights days are cut; older events have none, which is UTC.
 */
export type SourceFacts = {
  readonly sourceId: number;
  readonly tenant: string;
  readonly name: string;
  readonly referenceYear: number;
  readonly activitySize: SliceCount;
  readonly interpolationMethod: InterpolationMethod;
  readonly aggregation: Aggregation;
  readonly calendar: string | null;
  readonly timeZone?: string;
  /** Reference days: first and last date, number, number without a gap, median completeness. */
  readonly reference: {
    readonly from: string;
    readonly to: string;
    readonly days: number;
    readonly completeDays: number;
    readonly completeness: number;
  };
};

/** Facts of the reference days: at least one, by ascending date. */
export const referenceFacts = (days: readonly Day[]): SourceFacts['reference'] => {
  const shares = days.map(completeness).sort((a, b) => a - b);
  return {
    from: days[0]?.date ?? '',
    to: days.at(-1)?.date ?? '',
    days: days.length,
    completeDays: shares.filter(share => share === 1).length,
    completeness: shares[Math.floor(shares.length / 2)] ?? 0,
  };
};

export type SourceEvent =
  | {
      readonly type: 'SourceCreated';
      readonly data: SourceFacts & { readonly requestId: string; readonly seed: number } & TargetCoverage;
    }
  | {
      readonly type: 'ModelsResetRequested';
      readonly data: {
        readonly requestId: string;
        readonly modelCount: number;
        readonly seed: number;
      } & TargetCoverage;
    }
  | { readonly type: 'ModelsReset'; readonly data: ModelsResetData }
  | { readonly type: 'ModelsReplaced'; readonly data: ModelsReplacedData }
  | {
      readonly type: 'AnalysisFailed';
      readonly data: { readonly requestId: string; readonly code: string; readonly detail: string };
    }
  | {
      readonly type: 'DayPlanned';
      readonly data: { readonly requestId: string; readonly date: string; readonly modelId: number };
    }
  | { readonly type: 'DayPlanCleared'; readonly data: { readonly requestId: string; readonly date: string } }
  | {
      readonly type: 'SpecialDayNamed';
      readonly data: { readonly requestId: string; readonly date: string; readonly name: string };
    }
  | {
      readonly type: 'SpecialDayCleared';
      readonly data: { readonly requestId: string; readonly date: string };
    };

/** Target coverage; absent for the default limits. */
type TargetCoverage = { readonly coverage?: number };

type ModelsReplacedData = {
  readonly requestId: string;
  /** Name and version of the analysis that assigned the reference days; absent in older events. */
  readonly engine?: string;
  /** 1 for the first models of a source, incremented with each change. */
  readonly modelsVersion: number;
  readonly models: readonly Model[];
  readonly assignments: readonly Assignment[];
};
type ModelsResetData = ModelsReplacedData & Omit<TypicalDays, 'models' | 'assignments'>;

export type SourceCommand =
  | ({
      readonly type: 'CreateSource';
      readonly requestId: string;
      readonly facts: SourceFacts;
      readonly seed: number;
    } & TargetCoverage)
  | ({
      readonly type: 'RequestModelsReset';
      readonly requestId: string;
      readonly modelCount: number;
      readonly seed: number;
    } & TargetCoverage)
  | { readonly type: 'ResetModels'; readonly requestId: string; readonly learned: TypicalDays }
  | {
      readonly type: 'FailAnalysis';
      readonly requestId: string;
      readonly code: string;
      readonly detail: string;
    }
  | {
      readonly type: 'ReplaceModels';
      readonly requestId: string;
      readonly models: readonly ModelDraft[];
      readonly engine: string;
      /** The nearest model of each reference day, by its index in `models`. */
      readonly assignments: TypicalDays['assignments'];
    }
  | {
      readonly type: 'PlanDay';
      readonly requestId: string;
      readonly date: string;
      readonly modelId: number;
    }
  | { readonly type: 'ClearDayPlan'; readonly requestId: string; readonly date: string }
  | {
      readonly type: 'NameSpecialDay';
      readonly requestId: string;
      readonly date: string;
      readonly name: string;
    }
  | { readonly type: 'ClearSpecialDay'; readonly requestId: string; readonly date: string };

export type SourceState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active';
      readonly requests: Keyed<true>;
      /** The request whose analysis has not ended; a newer request or a replacement supersedes it. */
      readonly pendingRequestId: string | null;
      readonly modelsVersion: number;
      readonly nextModelId: number;
      readonly modelIds: readonly number[];
      readonly overrides: Readonly<Record<string, number>>;
      /** Names of special days by their dates. */
      readonly specials: Readonly<Record<string, string>>;
    };
type Active = Extract<SourceState, { status: 'active' }>;

/** Largest number of special days of a source. */
export const specialDaysMax = 1000;

/** Rules of `source-{id}`: creation, models, overrides of the planning, special days. */
export const source: Decider<SourceCommand, SourceEvent, SourceState> = {
  initial: { status: 'absent' },

  decide: (command, state) => {
    if (state.status === 'absent') {
      if (command.type !== 'CreateSource') throw new Rejection('sourceNotFound', 'no such source');
      const { requestId, facts, seed, coverage } = command;
      return [{ type: 'SourceCreated', data: { ...facts, requestId, seed, ...targetOf(coverage) } }];
    }
    switch (command.type) {
      case 'CreateSource':
        if (lookUp(state.requests, command.requestId)) return [];
        throw new Rejection('sourceExists', `source ${command.facts.sourceId} exists already`);
      case 'RequestModelsReset':
        return requestReset(command, state);
      case 'ResetModels':
        return resetModels(command, state);
      case 'FailAnalysis':
        return failAnalysis(command, state);
      case 'ReplaceModels':
        return replaceModels(command, state);
      case 'PlanDay':
        return planDay(command, state);
      case 'ClearDayPlan':
        return clearDayPlan(command, state);
      case 'NameSpecialDay':
        return nameSpecialDay(command, state);
      case 'ClearSpecialDay':
        return clearSpecialDay(command, state);
    }
  },

  evolve: (state, event) => {
    if (event.type === 'SourceCreated')
      return {
        status: 'active',
        requests: put(nothingKeyed, event.data.requestId, true),
        pendingRequestId: event.data.requestId,
        modelsVersion: 0,
        nextModelId: 1,
        modelIds: [],
        overrides: {},
        specials: {},
      };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'ModelsResetRequested':
        return {
          ...state,
          requests: put(state.requests, event.data.requestId, true),
          pendingRequestId: event.data.requestId,
        };
      case 'AnalysisFailed':
        return { ...state, pendingRequestId: null };
      case 'ModelsReset':
        return withModels(state, event.data);
      case 'ModelsReplaced':
        return {
          ...withModels(state, event.data),
          requests: put(state.requests, event.data.requestId, true),
        };
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
  },
};

/** New models discard the overrides of the planning and a running analysis. */
const withModels = (state: Active, { modelsVersion, models }: ModelsReplacedData): Active => ({
  ...state,
  pendingRequestId: null,
  modelsVersion,
  nextModelId: Math.max(state.nextModelId, ...models.map(model => model.id + 1)),
  modelIds: models.map(model => model.id),
  overrides: {},
});

const targetOf = (coverage: number | undefined): TargetCoverage =>
  coverage === undefined ? {} : { coverage };

type Of<Type extends SourceCommand['type']> = Extract<SourceCommand, { type: Type }>;

const requestReset = (
  { requestId, modelCount, seed, coverage }: Of<'RequestModelsReset'>,
  state: Active,
): readonly SourceEvent[] =>
  lookUp(state.requests, requestId)
    ? []
    : [{ type: 'ModelsResetRequested', data: { requestId, modelCount, seed, ...targetOf(coverage) } }];

const resetModels = ({ requestId, learned }: Of<'ResetModels'>, state: Active): readonly SourceEvent[] => {
  if (state.pendingRequestId !== requestId) return [];
  return [
    {
      type: 'ModelsReset',
      data: {
        ...learned,
        requestId,
        modelsVersion: state.modelsVersion + 1,
        ...withIds(learned, state.nextModelId),
      },
    },
  ];
};

const failAnalysis = (
  { requestId, code, detail }: Of<'FailAnalysis'>,
  state: Active,
): readonly SourceEvent[] =>
  state.pendingRequestId === requestId ? [{ type: 'AnalysisFailed', data: { requestId, code, detail } }] : [];

const replaceModels = (
  { requestId, models, engine, assignments }: Of<'ReplaceModels'>,
  state: Active,
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
      },
    },
  ];
};

const planDay = ({ requestId, date, modelId }: Of<'PlanDay'>, state: Active): readonly SourceEvent[] => {
  if (!state.modelIds.includes(modelId))
    throw new Rejection(
      'modelNotFound',
      `got model ${modelId}, expected one of the source's models: ${state.modelIds.join(', ') || 'it has none yet'}`,
    );
  return state.overrides[date] === modelId
    ? []
    : [{ type: 'DayPlanned', data: { requestId, date, modelId } }];
};

const clearDayPlan = ({ requestId, date }: Of<'ClearDayPlan'>, state: Active): readonly SourceEvent[] =>
  state.overrides[date] === undefined ? [] : [{ type: 'DayPlanCleared', data: { requestId, date } }];

const nameSpecialDay = (
  { requestId, date, name }: Of<'NameSpecialDay'>,
  state: Active,
): readonly SourceEvent[] => {
  if (state.specials[date] === name) return [];
  if (state.specials[date] === undefined && Object.keys(state.specials).length >= specialDaysMax)
    throw new Rejection(
      'tooManySpecialDays',
      `got special day ${specialDaysMax + 1}, expected at most ${specialDaysMax} of a source`,
    );
  return [{ type: 'SpecialDayNamed', data: { requestId, date, name } }];
};

const clearSpecialDay = (
  { requestId, date }: Of<'ClearSpecialDay'>,
  state: Active,
): readonly SourceEvent[] =>
  state.specials[date] === undefined ? [] : [{ type: 'SpecialDayCleared', data: { requestId, date } }];
