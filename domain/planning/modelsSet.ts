import type { CarriedOverrides } from './carriedOverrides.js';
import type { Assignment, Model, TypicalDays } from './models.js';

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
  /** The earlier version that a person went back to; absent for other models. */
  readonly restoredFrom?: number;
};

/** Data of `ModelsReset`. */
export type ModelsResetData = ModelsReplacedData &
  Omit<TypicalDays, 'models' | 'assignments'> & {
    /**
     * Present when a person edited the models of a version: the id there of each model, null for one that was added.
     * The limits and all else that was learned are those of that version.
     */
    readonly edited?: { readonly modelsVersion: number; readonly from: readonly (number | null)[] };
  };
