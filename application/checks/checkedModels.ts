import type { ReadModels } from '../../projections/readModels.js';

/** The read models that checks read. */
export type CheckedModels = {
  readonly sources: Pick<ReadModels['sources'], 'setup'>;
  readonly days: Pick<
    ReadModels['days'],
    | 'byImport'
    | 'checkCount'
    | 'recentDates'
    | 'hasRecent'
    | 'revision'
    | 'between'
    | 'checkedDays'
    | 'adaptedBefore'
    | 'adaptedBetween'
    | 'covariates'
    | 'recent'
  >;
  readonly models: Pick<ReadModels['models'], 'list'>;
  readonly rhythms: Pick<ReadModels['rhythms'], 'ofSource'>;
  readonly planning: Pick<ReadModels['planning'], 'modelsKey' | 'checks' | 'day'>;
};
