import {
  completeness,
  type Aggregation,
  type Day,
  type InterpolationMethod,
  type SliceCount,
} from '../day.js';
import type { NamedDay } from '../planning/calendar.js';
import type { CovariateSeries } from './covariates.js';
import type { Decider } from '../decider.js';
import {
  modelFaults,
  withIds,
  type Assignment,
  type Model,
  type ModelDraft,
  type TypicalDays,
} from '../planning/models.js';
import { Rejection } from '../rejection.js';
import { carriedOverrides, overridesAfter, type CarriedOverrides } from '../planning/carriedOverrides.js';
import { lookUp, emptyKeyed, put, type Keyed } from '../keyed.js';
import {
  changeModel,
  type ChangeModel,
  type KnownModel,
  type ModelChangeEvent,
} from '../planning/modelChange.js';
import {
  isSameDescription,
  patchedDescription,
  type DescriptionPatch,
  type SourceDescription,
} from './sourceDescription.js';

/**
 * Facts of a new source. Only its description changes later (SourceDescribed). `calendar` is the code that the client
 * gave: a country or a region. `timeZone` is the IANA name of the zone by whose midnights days are cut; older events
 * have none, which is UTC.
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
  /** Absent when they were not given. */
  readonly labels?: SourceDescription['labels'];
  readonly place?: NonNullable<SourceDescription['place']>;
  readonly expectedInterval?: string;
  /** The source whose recent days are the reference of this one. */
  readonly relearnedFrom?: number;
  /** Special days that were named in that source. */
  readonly specialDays?: readonly NamedDay[];
  readonly explainedBy?: readonly number[];
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

/** Description of a source as it was created. */
export const describedAtCreation = ({
  name,
  labels,
  place,
  expectedInterval,
  explainedBy,
}: Pick<
  SourceFacts,
  'name' | 'labels' | 'place' | 'expectedInterval' | 'explainedBy'
>): SourceDescription => ({
  name,
  labels: labels ?? {},
  place: place ?? null,
  expectedInterval: expectedInterval ?? null,
  ...(explainedBy && { explainedBy }),
});

/** Data of `SourceCreated`. */
export type SourceCreation = SourceFacts & {
  readonly requestId: string;
  readonly seed: number;
} & TargetCoverage &
  Covariates;

/** A description as the facts of a new source have it: without what was not given. */
export const descriptionFacts = ({
  name,
  labels,
  place,
  expectedInterval,
  explainedBy,
}: SourceDescription): Pick<
  SourceFacts,
  'name' | 'labels' | 'place' | 'expectedInterval' | 'explainedBy'
> => ({
  name,
  ...(Object.keys(labels).length > 0 && { labels }),
  ...(place && { place }),
  ...(expectedInterval !== null && { expectedInterval }),
  ...(explainedBy && { explainedBy }),
});

export type SourceEvent =
  | { readonly type: 'SourceCreated'; readonly data: SourceCreation }
  /** The whole description after a change. */
  | { readonly type: 'SourceDescribed'; readonly data: SourceDescription & { readonly requestId: string } }
  /** `created` is the data of the event that creates the new source; the next event archives this one. */
  | {
      readonly type: 'SourceRelearned';
      readonly data: { readonly requestId: string; readonly created: SourceCreation };
    }
  /** The source is hidden; its data stay in the log. `relearnedAs` is the source that takes its place. */
  | {
      readonly type: 'SourceArchived';
      readonly data: { readonly requestId: string; readonly relearnedAs?: number };
    }
  | { readonly type: 'SourceRestored'; readonly data: { readonly requestId: string } }
  | {
      readonly type: 'ModelsResetRequested';
      readonly data: {
        readonly requestId: string;
        readonly modelCount: number;
        readonly seed: number;
        /** Whether overrides are carried to the new models. Absent in older events: they were dropped. */
        readonly keepPlanning?: boolean;
      } & TargetCoverage &
        Covariates;
    }
  | { readonly type: 'ModelsReset'; readonly data: ModelsResetData }
  | { readonly type: 'ModelsReplaced'; readonly data: ModelsReplacedData }
  | ModelChangeEvent
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

/** Sources that explain this one, with their values as the analysis uses them; absent without such sources. */
type Covariates = { readonly covariates?: readonly CovariateSeries[] };

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
  /** Absent in older events: all overrides were dropped. */
  readonly overrides?: CarriedOverrides;
};
type ModelsResetData = ModelsReplacedData & Omit<TypicalDays, 'models' | 'assignments'>;

export type SourceCommand =
  | ({
      readonly type: 'CreateSource';
      readonly requestId: string;
      readonly facts: SourceFacts;
      readonly seed: number;
    } & TargetCoverage &
      Covariates)
  | { readonly type: 'DescribeSource'; readonly requestId: string; readonly patch: DescriptionPatch }
  /** `created` has what the description and the special days of the source do not determine. */
  | {
      readonly type: 'RelearnSource';
      readonly requestId: string;
      readonly created: Omit<SourceCreation, keyof SourceDescription | 'specialDays'> & {
        readonly relearnedFrom: number;
      };
    }
  | { readonly type: 'ArchiveSource'; readonly requestId: string }
  | { readonly type: 'RestoreSource'; readonly requestId: string }
  | ({
      readonly type: 'RequestModelsReset';
      readonly requestId: string;
      readonly modelCount: number;
      readonly seed: number;
      readonly keepPlanning?: boolean;
    } & TargetCoverage &
      Covariates)
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
      readonly keepPlanning?: boolean;
    }
  | ChangeModel
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
type Present = Exclude<SourceState, { status: 'absent' }>;

/** Largest number of special days, and of overrides of the planning, of a source. */
export const specialDaysMax = 1000;
export const overridesMax = 5000;

/** Commands that an archived source takes. An analysis that was under way is completed. */
const forArchived: readonly SourceCommand['type'][] = [
  'CreateSource',
  'RelearnSource',
  'ArchiveSource',
  'RestoreSource',
  'ResetModels',
  'FailAnalysis',
];

/** Rules of `source-{id}`: creation, description, archive, models, overrides of the planning, special days. */
export const source: Decider<SourceCommand, SourceEvent, SourceState> = {
  initial: { status: 'absent' },

  decide: (command, state) => {
    if (state.status === 'absent') {
      if (command.type !== 'CreateSource') throw new Rejection('sourceNotFound', 'no such source');
      const { requestId, facts, seed, coverage } = command;
      const data = { ...facts, requestId, seed, ...targetOf(coverage), ...covariatesOf(command) };
      return [{ type: 'SourceCreated', data }];
    }
    if (state.status === 'archived' && !forArchived.includes(command.type))
      throw new Rejection('sourceNotFound', 'the source is archived');
    switch (command.type) {
      case 'CreateSource':
        if (lookUp(state.requests, command.requestId)) return [];
        throw new Rejection('sourceExists', `source ${command.facts.sourceId} exists already`);
      case 'DescribeSource':
        return describe(command, state);
      case 'RelearnSource':
        return relearn(command, state);
      case 'ArchiveSource': {
        const { requestId } = command;
        return state.status === 'archived' ? [] : [{ type: 'SourceArchived', data: { requestId } }];
      }
      case 'RestoreSource': {
        const { requestId } = command;
        return state.status === 'active' ? [] : [{ type: 'SourceRestored', data: { requestId } }];
      }
      case 'RequestModelsReset':
        return requestReset(command, state);
      case 'ResetModels':
        return resetModels(command, state);
      case 'FailAnalysis':
        return failAnalysis(command, state);
      case 'ReplaceModels':
        return replaceModels(command, state);
      case 'ChangeModel':
        return changeModel(command, state);
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

  // Long, because it has one case per type of event.
  evolve: (state, event) => {
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
        const { requestId: _, ...description } = event.data;
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
  },
};

/** New models end a running analysis; only the overrides that were carried to them stay. */
const withModels = (state: Present, { modelsVersion, models, overrides }: ModelsReplacedData): Present => ({
  ...state,
  pendingRequestId: null,
  modelsVersion,
  nextModelId: Math.max(state.nextModelId, ...models.map(model => model.id + 1)),
  models: models.map(({ id, name, color, anomaly, activity }) => ({ id, name, color, anomaly, activity })),
  overrides: overrides ? overridesAfter(overrides) : {},
});

const withModel = (state: Present, modelId: number, changed: Partial<KnownModel>): Present => ({
  ...state,
  models: state.models.map(model => (model.id === modelId ? { ...model, ...changed } : model)),
});

const targetOf = (coverage: number | undefined): TargetCoverage =>
  coverage === undefined ? {} : { coverage };

const covariatesOf = ({ covariates }: Covariates): Covariates => (covariates ? { covariates } : {});

type CommandOf<Type extends SourceCommand['type']> = Extract<SourceCommand, { type: Type }>;

const describe = (
  { requestId, patch }: CommandOf<'DescribeSource'>,
  state: Present,
): readonly SourceEvent[] => {
  const description = patchedDescription(state.description, patch);
  return isSameDescription(description, state.description)
    ? []
    : [{ type: 'SourceDescribed', data: { ...description, requestId } }];
};

const relearn = (
  { requestId, created }: CommandOf<'RelearnSource'>,
  state: Present,
): readonly SourceEvent[] => {
  if (lookUp(state.requests, requestId)) return [];
  const { relearnedFrom, sourceId } = created;
  if (state.status === 'archived') throw relearnRefusal(relearnedFrom, state.relearnedAs);
  const specialDays = Object.entries(state.specials)
    .map(([date, name]) => ({ date, name }))
    .filter(({ date }) => date >= created.reference.from)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  const data: SourceCreation = {
    ...created,
    ...descriptionFacts(state.description),
    ...(specialDays.length > 0 && { specialDays }),
  };
  return [
    { type: 'SourceRelearned', data: { requestId, created: data } },
    { type: 'SourceArchived', data: { requestId, relearnedAs: sourceId } },
  ];
};

/** Refusal to learn an archived source again. */
export const relearnRefusal = (sourceId: number, relearnedAs: number | null): Rejection =>
  relearnedAs === null
    ? new Rejection('sourceNotFound', `source ${sourceId} is archived`)
    : new Rejection('sourceRelearned', relearnedText(sourceId, relearnedAs));

/** Says which source took the place of one that was learned again. */
export const relearnedText = (sourceId: number, relearnedAs: number): string =>
  `source ${sourceId} was learned again as source ${relearnedAs}`;

const requestReset = (command: CommandOf<'RequestModelsReset'>, state: Present): readonly SourceEvent[] => {
  const { requestId, modelCount, seed, keepPlanning, coverage } = command;
  if (lookUp(state.requests, requestId)) return [];
  const kept = keepPlanning === undefined ? {} : { keepPlanning };
  const data = { requestId, modelCount, seed, ...kept, ...targetOf(coverage), ...covariatesOf(command) };
  return [{ type: 'ModelsResetRequested', data }];
};

/** Overrides of the planning under new models, carried or dropped; empty for requests of older versions. */
const overridesFor = (
  { overrides, models }: Present,
  newModels: readonly KnownModel[],
  keepPlanning: boolean | undefined,
): Pick<ModelsReplacedData, 'overrides'> =>
  keepPlanning === undefined
    ? {}
    : { overrides: carriedOverrides(overrides, models, newModels, keepPlanning) };

const resetModels = (
  { requestId, learned }: CommandOf<'ResetModels'>,
  state: Present,
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

const failAnalysis = (
  { requestId, code, detail }: CommandOf<'FailAnalysis'>,
  state: Present,
): readonly SourceEvent[] =>
  state.pendingRequestId === requestId ? [{ type: 'AnalysisFailed', data: { requestId, code, detail } }] : [];

const replaceModels = (
  { requestId, models, engine, assignments, keepPlanning }: CommandOf<'ReplaceModels'>,
  state: Present,
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

const planDay = (
  { requestId, date, modelId }: CommandOf<'PlanDay'>,
  state: Present,
): readonly SourceEvent[] => {
  const modelIds = state.models.map(({ id }) => id);
  if (!modelIds.includes(modelId))
    throw new Rejection(
      'modelNotFound',
      `got model ${modelId}, expected one of the source's models: ${modelIds.join(', ') || 'it has none yet'}`,
    );
  if (state.overrides[date] === modelId) return [];
  if (state.overrides[date] === undefined && Object.keys(state.overrides).length >= overridesMax)
    throw new Rejection(
      'tooManyOverrides',
      `got override ${overridesMax + 1} of the planning, expected at most ${overridesMax} of a source`,
    );
  return [{ type: 'DayPlanned', data: { requestId, date, modelId } }];
};

const clearDayPlan = (
  { requestId, date }: CommandOf<'ClearDayPlan'>,
  state: Present,
): readonly SourceEvent[] =>
  state.overrides[date] === undefined ? [] : [{ type: 'DayPlanCleared', data: { requestId, date } }];

const nameSpecialDay = (
  { requestId, date, name }: CommandOf<'NameSpecialDay'>,
  state: Present,
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
  { requestId, date }: CommandOf<'ClearSpecialDay'>,
  state: Present,
): readonly SourceEvent[] =>
  state.specials[date] === undefined ? [] : [{ type: 'SpecialDayCleared', data: { requestId, date } }];
