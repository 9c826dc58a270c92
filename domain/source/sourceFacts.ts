import {
  completeness,
  type Aggregation,
  type Day,
  type InterpolationMethod,
  type SliceCount,
} from '../day.js';
import type { NamedDay } from '../planning/calendar.js';
import type { CovariateSeries } from './covariates.js';
import type { SourceDescription } from './sourceDescription.js';

/**
 * Facts of a new source. Only its description changes later (SourceDescribed). `calendar` is the code that the client
 * gave: a country or a region. `timeZone` is the IANA name of the zone by whose midnights days are cut; older events
 * have none, which is UTC.
 */
export type SourceFacts = {
  readonly sourceId: number;
  readonly tenant: string;
  readonly name: string;
  readonly referenceYear: number;
  readonly activitySize: SliceCount;
  readonly interpolationMethod: InterpolationMethod;
  readonly aggregation: Aggregation;
  readonly calendar: string | null;
  readonly timeZone?: string;
  /** Absent when they were not given. */
  readonly labels?: SourceDescription['labels'];
  readonly place?: NonNullable<SourceDescription['place']>;
  readonly expectedInterval?: string;
  /** The source whose recent days are the reference of this one. */
  readonly relearnedFrom?: number;
  /** Last date whose recent days of that source count; absent when no later ones were left out as future days. */
  readonly countedTo?: string;
  /** Special days that were named in that source. */
  readonly specialDays?: readonly NamedDay[];
  readonly explainedBy?: readonly number[];
  /** Reference days: first and last date, number, number without a gap, median completeness. */
  readonly reference: {
    readonly from: string;
    readonly to: string;
    readonly days: number;
    readonly completeDays: number;
    readonly completeness: number;
  };
};

/**
 * Input of an analysis next to the reference: the target coverage, absent for the default limits, and the sources that
 * explain this one with their values, absent without such sources.
 */
export type AnalysisInput = {
  readonly coverage?: number;
  readonly covariates?: readonly CovariateSeries[];
};

/** The input of an analysis in a command, without the rest of the command. */
export const analysisInput = ({ coverage, covariates }: AnalysisInput): AnalysisInput => ({
  ...(coverage !== undefined && { coverage }),
  ...(covariates && { covariates }),
});

/** Data of `SourceCreated`. */
export type SourceCreation = SourceFacts & {
  readonly requestId: string;
  readonly seed: number;
} & AnalysisInput;

/** Facts of the reference days: at least one, by ascending date. */
export const referenceFacts = (days: readonly Day[]): SourceFacts['reference'] => {
  const shares = days.map(completeness).sort((a, b) => a - b);
  return {
    from: days[0]?.date ?? '',
    to: days.at(-1)?.date ?? '',
    days: days.length,
    completeDays: shares.filter(share => share === 1).length,
    completeness: shares[Math.floor(shares.length / 2)] ?? 0,
  };
};

/** Description of a source as it was created. */
export const describedAtCreation = ({
  name,
  labels,
  place,
  expectedInterval,
  explainedBy,
}: Pick<
  SourceFacts,
  'name' | 'labels' | 'place' | 'expectedInterval' | 'explainedBy'
>): SourceDescription => ({
  name,
  labels: labels ?? {},
  place: place ?? null,
  expectedInterval: expectedInterval ?? null,
  ...(explainedBy && { explainedBy }),
});

/** Fields of a description as facts of a new source: fields without a value are absent. */
export const descriptionFacts = ({
  name,
  labels,
  place,
  expectedInterval,
  explainedBy,
}: SourceDescription): Pick<
  SourceFacts,
  'name' | 'labels' | 'place' | 'expectedInterval' | 'explainedBy'
> => ({
  name,
  ...(Object.keys(labels).length > 0 && { labels }),
  ...(place && { place }),
  ...(expectedInterval !== null && { expectedInterval }),
  ...(explainedBy && { explainedBy }),
});
