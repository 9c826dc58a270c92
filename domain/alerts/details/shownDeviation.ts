import { minutesPerDay } from '../../dates.js';
import type { Aggregation } from '../../day.js';
import type { Deviation, Finding, FindingFacts, SilenceFinding, Stretch } from '../findings.js';

/** A finding of a date; `size` is the number of slices of a day. */
export type DatedFinding = {
  readonly date: string;
  readonly size: number;
  readonly aggregation: Aggregation;
  readonly finding:
    Pick<Finding, 'kind' | 'slices' | 'facts'> | Pick<SilenceFinding, 'kind' | 'slices' | 'silence'>;
};

/** Facts of a finding; undefined for a silence and in older events. */
export const factsOf = (finding: DatedFinding['finding']): FindingFacts | undefined =>
  finding.kind === 'noData' ? undefined : finding.facts;

/** A stretch with its local clock times `HH:MM`; a day ends at 24:00. */
export type ClockStretch = Stretch & { readonly fromTime: string; readonly toTime: string };

/** Local clock time of the start of a slice, `HH:MM`. */
export const clockTime = (slice: number, size: number): string => {
  const minutes = (slice * minutesPerDay) / size;
  return [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0')).join(':');
};

/** A stretch with its clock times; `size` is the number of slices of a day. */
export const clockStretch = ({ from, to }: Stretch, size: number): ClockStretch => ({
  from,
  to,
  fromTime: clockTime(from, size),
  toTime: clockTime(to, size),
});

/**
 * How far a day was from what was expected over its main stretch. `actual` and `expected` are means per slice, or
 * totals for sources that are summed, in the unit of the source; `absolute` is their difference.
 */
export type ShownDeviation = ClockStretch &
  Omit<Deviation, 'from' | 'to'> & {
    readonly aggregation: Aggregation;
    readonly absolute: number;
    /** 100 · absolute / expected in tenths; null when nothing above 0 was expected. */
    readonly percent: number | null;
  };

/** A deviation as clients see it. */
export const shownDeviation = (
  { actual, expected, slices, ...deviation }: Deviation,
  { size, aggregation }: DatedFinding,
): ShownDeviation => {
  const factor = aggregation === 'sum' ? slices : 1;
  const absolute = factor * (actual - expected);
  return {
    ...deviation,
    ...clockStretch(deviation, size),
    slices,
    aggregation,
    actual: factor * actual,
    expected: factor * expected,
    absolute,
    percent: expected > 0 ? tenths((100 * (actual - expected)) / expected) : null,
  };
};

const tenths = (value: number): number | null =>
  Number.isFinite(value) ? Math.round(value * 10) / 10 : null;
