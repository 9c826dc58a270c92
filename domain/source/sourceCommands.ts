import type { ModelDraft, TypicalDays } from '../planning/models.js';
import type { AppliedRuleCommand } from '../planning/calendarRules.js';
import type { ChangeModel } from '../planning/modelChange.js';
import type { EditedModels, RestoreModels } from '../planning/editedModels.js';
import type { AcceptanceCommand } from './acceptedChanges.js';
import type { LeftOutCommand } from './leftOutDays.js';
import type { MinChange } from './minChange.js';
import type { DescriptionPatch, SourceDescription } from './sourceDescription.js';
import type { SourceFacts, AnalysisInput, ReferenceExtension, SourceCreation } from './sourceState.js';

/** Commands of `source-{id}`. */
export type SourceCommand =
  | ({
      readonly type: 'CreateSource';
      readonly requestId: string;
      readonly facts: SourceFacts;
      readonly seed: number;
    } & AnalysisInput)
  | { readonly type: 'DescribeSource'; readonly requestId: string; readonly patch: DescriptionPatch }
  /** `created` has what the description, the special days and the calendar rules of the source do not determine. */
  | {
      readonly type: 'RelearnSource';
      readonly requestId: string;
      readonly created: Omit<
        SourceCreation,
        keyof SourceDescription | 'specialDays' | 'leftOutDays' | 'calendarRules'
      > & {
        readonly relearnedFrom: number;
        /** The floor proposed from the new reference; a floor that a person gave stays. */
        readonly minChange?: MinChange;
      };
    }
  | ({ readonly type: 'ExtendReference' } & Omit<ReferenceExtension, 'withoutDates' | 'keepsModels'>)
  | LeftOutCommand
  | AcceptanceCommand
  | { readonly type: 'ArchiveSource'; readonly requestId: string }
  | { readonly type: 'RestoreSource'; readonly requestId: string }
  | ({
      readonly type: 'RequestModelsReset';
      readonly requestId: string;
      readonly modelCount: number;
      readonly seed: number;
      readonly keepPlanning?: boolean;
    } & AnalysisInput)
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
      /** Given when some of the models are edits of present automatic ones, which keep their limits. */
      readonly edited?: EditedModels;
    }
  | ChangeModel
  | RestoreModels
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
  | { readonly type: 'ClearSpecialDay'; readonly requestId: string; readonly date: string }
  | AppliedRuleCommand;

/** The command of a type. */
export type CommandOf<Type extends SourceCommand['type']> = Extract<SourceCommand, { type: Type }>;
