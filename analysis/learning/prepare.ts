import { dayTypes, isWorkingDay } from '../../domain/calendar.js';
import { kinship, type PlanningCalendar } from '../../domain/planning.js';
import { kinRow, eachKin, type KinRow } from './similarityWeights.js';
import { neverStops, type CheckStop } from '../checkStop.js';
import type { Reference, ReferenceDay } from './reference.js';
import { toScale, type ToleranceScale } from '../math/logScale.js';

/** One value a slice on the tolerance scale; NaN where a slice was not observed. */
export type ScaledCurve = Float64Array;

/** A reference day ready for learning. */
export type PreparedDay = ReferenceDay & {
  readonly scaled: ScaledCurve;
  /** Ordinary and bridge days: bounds and limits are of these. Holidays and days round Christmas are few and vary. */
  readonly ordinary: boolean;
  /** See `isWorkingDay`. */
  readonly working: boolean;
};

/** A reference on its tolerance scale, with what its days say of one another. */
export type Prepared = {
  readonly slices: number;
  readonly scale: ToleranceScale;
  readonly days: readonly PreparedDay[];
  readonly rows: readonly KinRow[];
  /** The row of any date, given as its day number; kept for the next time. */
  readonly rowOf: (date: number) => KinRow;
  /** Whether a date, given as its day number, is an ordinary or bridge day. */
  readonly isOrdinary: (date: number) => boolean;
  readonly checkStop: CheckStop;
};

/** Half the mean: measured against 0.2 and 1 on real series; less lets nights decide, more hides them. */
const offset = 0.5;

/**
 * Of sources that go below 0 for more than a hundredth of their magnitude (temperatures, net power): there factors
 * mean nothing, and with so large an offset the scale is as good as straight.
 */
const signedOffset = 1000;
const signedShare = 0.01;

/** The reference on its scale, every day's kin found. */
export const prepare = (
  reference: Reference,
  calendar: PlanningCalendar,
  checkStop: CheckStop = neverStops,
): Prepared => {
  const scale = scaleOf(reference);
  const typeOf = dayTypes(calendar.holidays, calendar.specials);
  const numbers = reference.days.map(({ number }) => number);
  const kin = kinship(calendar);
  const known = new Map<number, KinRow>();
  const rowOf = (date: number): KinRow => {
    const row = known.get(date) ?? kinRow(date, numbers, kin);
    known.set(date, row);
    return row;
  };
  const isOrdinary = (date: number): boolean => ['ordinary', 'bridge'].includes(typeOf(date).type);
  return {
    slices: reference.slices,
    scale,
    days: reference.days.map(day => ({
      ...day,
      scaled: Float64Array.from(day.activity, (value, slice) =>
        day.usable[slice] ? toScale(scale, value) : Number.NaN,
      ),
      ordinary: isOrdinary(day.number),
      working: isWorkingDay(day.weekday, typeOf(day.number)),
    })),
    rows: numbers.map(rowOf),
    rowOf,
    isOrdinary,
    checkStop,
  };
};

const scaleOf = ({ days }: Reference): ToleranceScale => {
  let [above, below, count] = [0, 0, 0];
  for (const { activity, usable } of days)
    activity.forEach((value, slice) => {
      if (!usable[slice]) return;
      if (value >= 0) above += value;
      else below -= value;
      count += 1;
    });
  const total = above + below;
  return {
    unit: total > 0 ? total / count : 1,
    offset: below > signedShare * total ? signedOffset : offset,
  };
};

/**
 * What a date's kin had on the average: their weighted mean, slice by slice; NaN in slices that none observed.
 * @param included weight of each day from 0 (left out) to 1
 */
export const kinMean = (
  { days, slices }: Prepared,
  row: KinRow,
  included: (index: number) => number,
): ScaledCurve => {
  const sums = new Float64Array(slices);
  const weights = new Float64Array(slices);
  eachKin(row, included, (index, weight) => {
    const { scaled } = days[index]!;
    for (let slice = 0; slice < slices; slice += 1) {
      const value = scaled[slice]!;
      if (value !== value) continue;
      sums[slice]! += weight * value;
      weights[slice]! += weight;
    }
  });
  return sums.map((sum, slice) => (weights[slice]! > 0 ? sum / weights[slice]! : Number.NaN));
};

/** Mean squared difference over the slices that both have; Infinity when they share none. */
export const scaledDistance = (a: ScaledCurve, b: ScaledCurve): number => {
  let total = 0;
  let count = 0;
  for (let slice = 0; slice < a.length; slice += 1) {
    const apart = a[slice]! - b[slice]!;
    if (apart !== apart) continue;
    total += apart * apart;
    count += 1;
  }
  return count > 0 ? total / count : Number.POSITIVE_INFINITY;
};
