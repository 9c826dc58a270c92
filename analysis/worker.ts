import type { NamedDay } from '../domain/calendar.js';
import type { Day } from '../domain/day.js';
import type { ModelDraft, TypicalDays } from '../domain/models.js';
import { nearestModels } from './checking/nearestModels.js';
import { calendarOf } from './calendar/holidays.js';
import { inferCalendar } from './calendar/inferCalendar.js';
import { trySetting, type Asked, type TriedSetting, type TuneData } from './tuning/tune.js';
import { typicalDays } from './learning/typicalDays.js';

/** A piece of analysis for a worker thread. All of it is plain data, as structured cloning demands. */
export type AnalysisJob =
  | {
      readonly kind: 'typicalDays';
      readonly days: readonly Day[];
      readonly modelCount: number | null;
      readonly level: number | null;
      /** The calendar that was named; null to infer it from the days. */
      readonly calendarCode: string | null;
      readonly referenceYear: number;
      readonly specials: readonly NamedDay[];
      readonly seed: number;
    }
  | { readonly kind: 'nearestModels'; readonly days: readonly Day[]; readonly models: readonly ModelDraft[] }
  | { readonly kind: 'trySetting'; readonly data: TuneData; readonly asked: Asked };

/** What each kind of job gives. */
export type AnalysisResults = {
  readonly typicalDays: TypicalDays;
  readonly nearestModels: TypicalDays['assignments'];
  readonly trySetting: TriedSetting;
};
export type AnalysisResult = AnalysisResults[AnalysisJob['kind']];

/**
 * Does one job. It is the default export because piscina calls that of the file it is given; a fault of the
 * data is thrown as RangeError and reaches the caller as a rejected promise.
 */
const runJob = (job: AnalysisJob): AnalysisResult => {
  switch (job.kind) {
    case 'typicalDays': {
      const { days, modelCount, level, calendarCode, referenceYear, specials, seed } = job;
      const calendar =
        calendarCode === null ? inferCalendar(days, referenceYear) : calendarOf(calendarCode, referenceYear);
      return typicalDays(days, { modelCount, level, calendar, specials, seed });
    }
    case 'nearestModels':
      return nearestModels(job.days, job.models);
    case 'trySetting':
      return trySetting(job.data, job.asked);
  }
};

export default runJob;
