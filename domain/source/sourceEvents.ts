import type { Assignment, Model, TypicalDays } from '../planning/models.js';
import type { CarriedOverrides } from '../planning/carriedOverrides.js';
import type { ModelChangeEvent } from '../planning/modelChange.js';
import type { SourceDescription } from './sourceDescription.js';
import type { SourceCreation, AnalysisInput } from './sourceFacts.js';

/** Events of `source-{id}`. */
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
      } & AnalysisInput;
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
};
export type ModelsResetData = ModelsReplacedData & Omit<TypicalDays, 'models' | 'assignments'>;
