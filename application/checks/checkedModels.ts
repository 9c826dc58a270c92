import type { ReadModels } from '../../projections/readModels.js';

/** The read models that checks read. */
export type CheckedModels = {
  readonly sources: Pick<ReadModels['sources'], 'setup'>;
  readonly days: Pick<
    ReadModels['days'],
    | 'byImport'
    | 'missingDates'
    | 'checkCount'
    | 'recentDates'
    | 'hasRecent'
    | 'takenBackSince'
    | 'revision'
    | 'between'
    | 'checkedDays'
    | 'adaptedBefore'
    | 'adaptedBetween'
    | 'covariates'
    | 'recent'
    | 'reference'
  >;
  readonly models: Pick<ReadModels['models'], 'list'>;
  readonly rhythms: Pick<ReadModels['rhythms'], 'ofSource'>;
  readonly planning: Pick<ReadModels['planning'], 'modelsKey' | 'assignedDays' | 'checks' | 'day'>;
};
