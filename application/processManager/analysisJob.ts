import type { AnalysisJob } from '../../analysis/worker.js';
import type { Day } from '../../domain/day.js';
import type { NamedDay } from '../../domain/planning/calendar.js';
import type { SourceSetup } from '../../projections/sources/sourceRecords.js';
import type { AnalysisEvent } from '../../domain/followUps.js';

/** The analysis that an event asks for. */
export const analysisJob = (
  { type, data }: AnalysisEvent,
  { calendarGiven: calendarCode, referenceYear }: Pick<SourceSetup, 'calendarGiven' | 'referenceYear'>,
  days: readonly Day[],
  specials: readonly NamedDay[],
): Extract<AnalysisJob, { kind: 'typicalDays' }> => ({
  kind: 'typicalDays',
  days,
  modelCount: type === 'SourceCreated' ? null : data.modelCount,
  coverage: data.coverage ?? null,
  calendarCode,
  referenceYear,
  specials,
  seed: data.seed,
  ...(data.covariates && { covariates: data.covariates }),
});
