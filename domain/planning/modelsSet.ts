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
export type ModelsResetData = ModelsReplacedData & Omit<TypicalDays, 'models' | 'assignments'>;
