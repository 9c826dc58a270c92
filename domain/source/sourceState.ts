import {
  overridesAfter,
  type KnownModel,
  type ModelChangeEvent,
  type ModelsReplacedData,
  type ModelsResetData,
} from '../planning/modelChange.js';
import { emptyKeyed, put, type Keyed } from '../keyed.js';
import {
  descriptionIn,
  type DescribedFacts,
  type DescriptionFacts,
  type SourceDescription,
} from './sourceDescription.js';
import {
  completeness,
  type Aggregation,
  type Day,
  type InterpolationMethod,
  type SliceCount,
} from '../day.js';
import {
  evolveAccepted,
  staysBehind,
  staysWithNewModels,
  type AcceptanceEvent,
  type AcceptedChange,
} from './acceptedChanges.js';
import type { MinChange } from './minChange.js';
import { evolveLeftOut, type LeftOutDay, type LeftOutEvent, type WithoutDates } from './leftOutDays.js';
import type { SetModels } from '../planning/editedModels.js';
import type { NamedDay } from '../planning/calendar.js';
import { noSpecialDays, renamed, type NamingEvent, type SpecialDays } from '../planning/specialDays.js';
import type { CovariateSeries } from './covariates.js';

/** Default of the largest number of sources of a tenant, without archived ones. */
export const sourcesMaxUsual = 10_000;

/**
 * Facts of a new source. Only its description changes later (SourceDescribed). `calendar` is the code that the client
 * gave: a country or a region. `timeZone` is the IANA name of the zone by whose midnights days are cut; older events
 * have none, which is UTC.
 */
export type SourceFacts = {
  readonly sourceId: number;
  readonly tenant: string;
  readonly referenceYear: number;
  readonly activitySize: SliceCount;
  readonly interpolationMethod: InterpolationMethod;
  readonly aggregation: Aggregation;
  readonly calendar: string | null;
  readonly timeZone?: string;
  /** The source whose recent days are the reference of this one. */
  readonly relearnedFrom?: number;
  /** Last date whose recent days of that source count; absent when no later days (future, in progress) remain. */
  readonly countedTo?: string;
  /** Whether the source gathers its reference from recent days, because it was created without one. */
  readonly collects?: true;
  /** Days that a person left out of the reference of that source. */
  readonly leftOutDays?: readonly LeftOutDay[];
  /** Special days that were named in that source. */
  readonly specialDays?: readonly NamedDay[];
  /** Rules that name dates of the source from its creation on; absent without any. */
  readonly calendarRules?: Omit<SpecialDays, 'named'>;
  readonly reference: ReferenceFacts;
} & DescriptionFacts;

/**
 * Reference days: first and last date, number, number without a gap, median completeness. A source that collects its
 * reference has the date of its creation and 0 days until it learns.
 */
export type ReferenceFacts = {
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly completeDays: number;
  readonly completeness: number;
};

/**
 * Input of an analysis next to the reference: the target coverage, absent for the default limits, and the sources that
 * explain this one with their values, absent without such sources.
 */
export type AnalysisInput = {
  readonly coverage?: number;
  readonly covariates?: readonly CovariateSeries[];
};

/** The input of an analysis in a command, without the rest of the command. */
export const analysisInput = ({ coverage, covariates }: AnalysisInput): AnalysisInput => ({
  ...(coverage !== undefined && { coverage }),
  ...(covariates && { covariates }),
});

/** Data of `SourceCreated`. */
export type SourceCreation = SourceFacts & {
  readonly requestId: string;
  readonly seed: number;
} & AnalysisInput;

/** Facts of the reference days: at least one, by ascending date. */
export const referenceFacts = (days: readonly Day[]): ReferenceFacts => {
  const shares = days.map(completeness).sort((a, b) => a - b);
  return {
    from: days[0]?.date ?? '',
    to: days.at(-1)?.date ?? '',
    days: days.length,
    completeDays: shares.filter(share => share === 1).length,
    completeness: shares[Math.floor(shares.length / 2)] ?? 0,
  };
};

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
      readonly specials: SpecialDays;
      /** Reference days that people left out: reasons by date. */
      readonly leftOut: Readonly<Record<string, string>>;
      /** Changes that people took as the new normal, in their order. */
      readonly accepted: readonly AcceptedChange[];
      /** Number of reference days, also of those that are left out. */
      readonly referenceDays: number;
      /** The source that was learned from recent days of this one. */
      readonly relearnedAs: number | null;
      /** Whether people set the present models; see `areOfPeople`. */
      readonly modelsOfPeople: boolean;
      /** Reference days of a source that collects them; null for a source that was created with its reference. */
      readonly collected: number | null;
    };

/** A source that was created. */
export type ExistingSource = Exclude<SourceState, { status: 'absent' }>;

/** State of a source after an event. Long, because it has one case per type of event. */
export const evolveSource = (state: SourceState, event: SourceEvent): SourceState => {
  if (event.type === 'SourceCreated')
    return {
      status: 'active',
      description: descriptionIn(event.data),
      requests: put(emptyKeyed, event.data.requestId, true),
      pendingRequestId: event.data.collects ? null : event.data.requestId,
      collected: event.data.collects ? 0 : null,
      modelsVersion: 0,
      nextModelId: 1,
      models: [],
      overrides: {},
      specials: specialDaysOf(event.data),
      leftOut: Object.fromEntries((event.data.leftOutDays ?? []).map(day => [day.date, day.reason])),
      accepted: [],
      referenceDays: event.data.reference.days,
      modelsOfPeople: false,
      relearnedAs: null,
    };
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'SourceDescribed':
      return { ...state, description: descriptionIn(event.data) };
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
    case 'ReferenceExtended': {
      const { requestId, reference, keepsModels } = event.data;
      return {
        ...state,
        requests: put(state.requests, requestId, true),
        ...(!keepsModels && {
          pendingRequestId: requestId,
          keepPlanning: true,
          accepted: state.accepted.filter(change => staysBehind(change, reference)),
        }),
        collected: reference.days,
        referenceDays: reference.days,
        description: descriptionAfter(state.description, event.data),
      };
    }
    case 'ReferenceDayLeftOut':
    case 'LeavingOutTakenBack':
      return {
        ...state,
        ...evolveLeftOut(state, event),
        requests: put(state.requests, event.data.requestId, true),
      };
    case 'ChangeAccepted':
    case 'ChangeWithdrawn':
      return {
        ...state,
        accepted: evolveAccepted(state.accepted, event),
        requests: put(state.requests, event.data.requestId, true),
      };
    case 'AnalysisFailed':
      return { ...state, pendingRequestId: null };
    case 'ModelsReset':
    case 'ModelsReplaced':
      return {
        ...withModels(state, event.data),
        modelsOfPeople: areOfPeople(event),
        requests: put(state.requests, event.data.requestId, true),
      };
    case 'ModelDescribed': {
      const { modelId, name, color } = event.data;
      return withModel(state, modelId, { name, color });
    }
    case 'ModelAnomalyChanged': {
      const { modelId, anomaly, modelsVersion } = event.data;
      return { ...withModel(state, modelId, { anomaly }), modelsVersion, modelsOfPeople: true };
    }
    case 'DayPlanned':
      return { ...state, overrides: { ...state.overrides, [event.data.date]: event.data.modelId } };
    case 'DayPlanCleared': {
      const { [event.data.date]: _, ...overrides } = state.overrides;
      return { ...state, overrides };
    }
    case 'SpecialDayNamed':
    case 'SpecialDayCleared':
    case 'CalendarRuleApplied':
    case 'CalendarRuleWithdrawn':
      return { ...state, specials: renamed(state.specials, event) };
  }
};

/** Names of dates that a source begins with. */
export const specialDaysOf = ({
  specialDays = [],
  calendarRules,
}: Pick<SourceFacts, 'specialDays' | 'calendarRules'>): SpecialDays => ({
  ...noSpecialDays,
  ...calendarRules,
  named: Object.fromEntries(specialDays.map(({ date, name }) => [date, name])),
});

/** New models end a running analysis; only the overrides that were carried to them stay. */
const withModels = (
  state: ExistingSource,
  { modelsVersion, models, overrides }: ModelsReplacedData,
): ExistingSource => ({
  ...state,
  pendingRequestId: null,
  accepted: state.accepted.filter(staysWithNewModels),
  modelsVersion,
  nextModelId: Math.max(state.nextModelId, ...models.map(model => model.id + 1)),
  models: models.map(({ id, name, color, anomaly, activity }) => ({ id, name, color, anomaly, activity })),
  overrides: overrides ? overridesAfter(overrides) : {},
});

/** Whether models are a decision of people: supplied, edited or restored ones. */
const areOfPeople = (event: SetModels): boolean =>
  event.type === 'ModelsReplaced' || event.data.edited !== undefined || event.data.restoredFrom !== undefined;

/** Whether the present models stay when the reference grows: those of people do, until they ask for others. */
export const keepsModels = ({
  modelsOfPeople,
  pendingRequestId,
}: Pick<ExistingSource, 'modelsOfPeople' | 'pendingRequestId'>): boolean =>
  modelsOfPeople && pendingRequestId === null;

const withModel = (state: ExistingSource, modelId: number, changed: Partial<KnownModel>): ExistingSource => ({
  ...state,
  models: state.models.map(model => (model.id === modelId ? { ...model, ...changed } : model)),
});

/** Data of `ReferenceExtended`. */
export type ReferenceExtension = {
  readonly requestId: string;
  readonly referenceYear: number;
  readonly reference: ReferenceFacts;
  /** Dates that are no reference days: judged as anomalies, taken back, or without enough data meanwhile. */
  readonly leftOut: readonly string[];
  /** Whether models that people set stay, and none are learned. Absent in older events: models were learned. */
  readonly keepsModels?: boolean;
  /** The floor that the service proposes; absent for none, and when a person gave one. */
  readonly minChange?: MinChange;
  readonly seed: number;
} & AnalysisInput &
  WithoutDates;

/** A description after an extension of the reference, which may propose another floor. */
export const descriptionAfter = (
  description: SourceDescription,
  { minChange }: Pick<ReferenceExtension, 'minChange'>,
): SourceDescription => (minChange ? { ...description, minChange } : description);

/** Events of `source-{id}`. */
export type SourceEvent =
  | { readonly type: 'SourceCreated'; readonly data: SourceCreation }
  /** Recent days of a source that collects became reference days, and models are to be learned, or people's stay. */
  | { readonly type: 'ReferenceExtended'; readonly data: ReferenceExtension }
  /** The whole description after a change. */
  | { readonly type: 'SourceDescribed'; readonly data: DescribedFacts & { readonly requestId: string } }
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
      } & AnalysisInput &
        WithoutDates;
    }
  | { readonly type: 'ModelsReset'; readonly data: ModelsResetData }
  | { readonly type: 'ModelsReplaced'; readonly data: ModelsReplacedData }
  | ModelChangeEvent
  | LeftOutEvent
  | AcceptanceEvent
  | {
      readonly type: 'AnalysisFailed';
      readonly data: { readonly requestId: string; readonly code: string; readonly detail: string };
    }
  | {
      readonly type: 'DayPlanned';
      readonly data: { readonly requestId: string; readonly date: string; readonly modelId: number };
    }
  | { readonly type: 'DayPlanCleared'; readonly data: { readonly requestId: string; readonly date: string } }
  | NamingEvent;
