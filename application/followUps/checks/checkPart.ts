import { driftDays } from '../../../analysis/checking/recentLevel.js';
import type { Adaptation } from '../../../domain/alerts/checks.js';
import type { Outcome } from '../../../domain/alerts/findings.js';
import type { CovariateReading } from '../../../domain/source/covariates.js';
import type { ReadModels } from '../../../projections/readModels.js';

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
    | 'referenceVersion'
  >;
  readonly typicalDays: Pick<ReadModels['typicalDays'], 'list'>;
  readonly acceptedChanges: Pick<ReadModels['acceptedChanges'], 'ofSource'>;
  readonly rhythms: Pick<ReadModels['rhythms'], 'ofSource'>;
  readonly planning: Pick<ReadModels['planning'], 'modelsKey' | 'assignedDays' | 'checks' | 'day'>;
};

/** Outcome of a check of one imported day. */
export type DayOutcome = {
  readonly date: string;
  readonly importId: string;
  readonly outcome: Outcome;
  readonly adaptation?: Adaptation;
};

/** Part of a check: its number from 1, its dates, and the last outcomes of the earlier parts of the same run. */
export type CheckPart = {
  readonly part: number;
  readonly last: boolean;
  readonly dates: readonly string[];
  readonly earlier: ReadonlyMap<string, DayOutcome>;
  /** Values of covariates by date that a recorded check knew; absent to read them now. */
  readonly covariates?: ReadonlyMap<string, readonly CovariateReading[]>;
};

/**
 * Maximum days of one append. A day whose 144 slices alternate over and under has 144 runs of 75 bytes; 50 such days
 * take about 600 of the 1024 KiB of an append.
 */
export const daysPerCheck = 50;

/** Maximum days that are checked in one step; a larger part takes one step per day. */
export const daysPerStep = 3;

/** Whether a part of a check takes one step per day. */
export const takesSteps = (dates: readonly string[]): boolean => dates.length > daysPerStep;

/**
 * The next part of a run.
 * @param part    its number, from 1
 * @param rest    dates of the run that are not checked yet, ascending
 * @param earlier last outcomes of the earlier parts of the run
 */
export const nextPart = (
  part: number,
  rest: readonly string[],
  earlier: ReadonlyMap<string, DayOutcome>,
): CheckPart => ({ part, last: rest.length <= daysPerCheck, dates: rest.slice(0, daysPerCheck), earlier });

/**
 * The outcomes that the next part of a run needs, from those of one more part: of the days that a level shift may last,
 * the latest of which has the state of the adaptive factor. Dates ascend.
 */
export const withOutcomes = (
  earlier: ReadonlyMap<string, DayOutcome>,
  days: readonly DayOutcome[],
): ReadonlyMap<string, DayOutcome> =>
  new Map([...earlier, ...days.map(day => [day.date, day] as const)].slice(-driftDays));
