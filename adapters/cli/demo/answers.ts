import type * as api from '../../../client/index.js';

// The fields of the service's answers that the demo reads; the answers have more.

/** Summary of an import. */
export type Import = Pick<
  api.ImportSummary,
  'lines' | 'days' | 'missingSamples' | 'filledSamples' | 'duplicates' | 'warnings'
>;

/** A source and the state of its analysis. */
export type Source = Pick<api.Source, 'id' | 'name' | 'referenceYear' | 'activitySize' | 'analysis'>;

/** A typical day; `activity` has one value a slice. */
export type Model = Pick<api.Model, 'id' | 'name' | 'color' | 'anomaly' | 'activity' | 'days'>;

/** The planned model of a date, with the reason in words. */
export type PlannedDay = Pick<api.Plan, 'date' | 'modelId' | 'origin' | 'reason'>;

/** An alert of one day; its slices are `from` inclusive to `to` exclusive. */
export type Alert = Pick<
  api.Alert,
  | 'id'
  | 'date'
  | 'kind'
  | 'state'
  | 'direction'
  | 'criticity'
  | 'plannedModelId'
  | 'closestModelId'
  | 'betterModelId'
> & { readonly slices: readonly { readonly from: number; readonly to: number }[] };

/** An imported day; `completeness` is the observed share of it, 0–1. */
export type RecentDay = Pick<api.Import['days'][number], 'date' | 'status' | 'completeness'>;
