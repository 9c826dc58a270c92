import { ln } from '../../../analysis/math/portableMath.js';
import { sortedQuantile } from '../../../analysis/math/statistics.js';
import { dayNumber, month, weekday } from '../../../domain/dates.js';
import { usable, type Day } from '../../../domain/day.js';
import { isolationForest } from '../baselines.js';

/** A reference day or a day to check as a row; months tell which rows belong together. */
type Row = { readonly values: Float64Array; readonly month: number; readonly weekday: number };

/** Score of a row; larger for unusual days. `without` is a month whose rows are left out, null for none. */
type RowScore = (row: Row, without: number | null) => number;

/** A method that scores days, for comparison with the engine at the same share of false alerts. */
export type Peer = {
  readonly name: string;
  readonly fit: (reference: readonly Day[]) => (day: Day) => number;
};

/** Rows whose missing slices have the mean of the reference. */
const rowsBy = (reference: readonly Day[]): ((day: Day) => Row) => {
  const slices = reference[0]?.activity.length ?? 0;
  const sums = new Float64Array(slices);
  const counts = new Float64Array(slices);
  for (const day of reference) {
    const flags = usable(day);
    for (let slice = 0; slice < slices; slice += 1) {
      if (!flags[slice]) continue;
      sums[slice]! += day.activity[slice]!;
      counts[slice]! += 1;
    }
  }
  return day => {
    const flags = usable(day);
    const number = dayNumber(day.date);
    return {
      values: Float64Array.from(day.activity, (value, slice) =>
        flags[slice] ? value : sums[slice]! / Math.max(1, counts[slice]!),
      ),
      month: month(number),
      weekday: weekday(number),
    };
  };
};

const unitQuantile = 0.99;

/** A peer whose scores are multiples of the 99 % quantile that reference days have without their month. */
const peer = (name: string, scoreOf: (rows: readonly Row[]) => RowScore): Peer => ({
  name,
  fit: reference => {
    const rowOf = rowsBy(reference);
    const rows = reference.map(rowOf);
    const score = scoreOf(rows);
    const own = Float64Array.from(rows, row => score(row, row.month)).sort();
    const unit = Math.max(1e-9, sortedQuantile(own, unitQuantile));
    return day => score(rowOf(day), null) / unit;
  },
});

/** Smallest standard deviation, as a share of the mean magnitude. */
const deviationMin = 0.01;

/** The largest distance of a slice from the mean of its weekday, in standard deviations. */
const weekdayBand = (rows: readonly Row[]): RowScore => {
  const size = rows.flatMap(({ values }) => [...values]);
  const least = (deviationMin * size.reduce((sum, value) => sum + Math.abs(value), 0)) / size.length;
  const bandOf = (days: readonly Row[]) => {
    const slices = Array.from(days[0]?.values ?? [], (_, slice) => slice);
    return slices.map(slice => {
      const mean = days.reduce((sum, { values }) => sum + values[slice]!, 0) / days.length;
      const square = days.reduce((sum, { values }) => sum + (values[slice]! - mean) ** 2, 0) / days.length;
      return { mean, deviation: Math.max(least, Math.sqrt(square)) };
    });
  };
  const bands = new Map<string, ReturnType<typeof bandOf>>();
  return (row, without) => {
    const key = `${row.weekday} ${without}`;
    const days = rows.filter(other => other.weekday === row.weekday && other.month !== without);
    const band = bands.get(key) ?? bandOf(days);
    bands.set(key, band);
    return band.reduce(
      (most, { mean, deviation }, slice) => Math.max(most, Math.abs(row.values[slice]! - mean) / deviation),
      0,
    );
  };
};

const distance = (a: Float64Array, b: Float64Array, from = 0): number => {
  let total = 0;
  for (let at = 0; at < a.length; at += 1) total += (a[at]! - b[from + at]!) ** 2;
  return Math.sqrt(total);
};

const neighbours = 5;
const offset = 0.5;

/** Mean distance to the five nearest days on a log scale (Ramaswamy, Rastogi and Shim 2000). */
const nearestDays = (rows: readonly Row[]): RowScore => {
  const values = rows.flatMap(row => [...row.values]);
  const unit = values.reduce((sum, value) => sum + Math.abs(value), 0) / values.length || 1;
  const scaled = (row: Row): Float64Array =>
    row.values.map(value => (value >= 0 ? ln(value / unit + offset) : ln(offset) + value / (offset * unit)));
  const points = rows.map(row => ({ month: row.month, point: scaled(row) }));
  return (row, without) => {
    const own = scaled(row);
    const distances = Float64Array.from(
      points.filter(({ month }) => month !== without),
      ({ point }) => distance(own, point),
    ).sort();
    const nearest = distances.subarray(0, neighbours);
    return nearest.reduce((sum, value) => sum + value, 0) / nearest.length;
  };
};

/** A stretch minus its mean, over its standard deviation; zeros for a constant one. */
const normalised = (values: Float64Array): Float64Array => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  const least = 1e-9 * Math.max(1, Math.abs(mean));
  return values.map(value => (deviation > least ? (value - mean) / deviation : 0));
};

/**
 * Distance to the most similar day-long stretch of the reference, both normalised (Yeh et al. 2016, Matrix Profile I).
 * Stretches begin at each full hour.
 */
const matrixProfile = (rows: readonly Row[]): RowScore => {
  const slices = rows[0]?.values.length ?? 0;
  const step = Math.max(1, Math.round(slices / 24));
  const all = new Float64Array(rows.length * slices);
  rows.forEach(({ values }, index) => all.set(values, index * slices));
  const stretches: { readonly month: number; readonly values: Float64Array }[] = [];
  for (let from = 0; from + slices <= all.length; from += step)
    stretches.push({
      month: rows[Math.floor(from / slices)]!.month,
      values: normalised(all.subarray(from, from + slices)),
    });
  return (row, without) => {
    const own = normalised(row.values);
    let least = Number.POSITIVE_INFINITY;
    for (const { month, values } of stretches) {
      if (month === without) continue;
      let total = 0;
      for (let at = 0; at < slices && total < least; at += 1) total += (own[at]! - values[at]!) ** 2;
      least = Math.min(least, total);
    }
    return Math.sqrt(least);
  };
};

const trees = 100;
const subsample = 256;
const seed = 1;

/** Isolation forest of days; reference days are not left out. */
const forest = (rows: readonly Row[]): RowScore => {
  const score = isolationForest(
    rows.map(({ values }) => [...values]),
    trees,
    subsample,
    seed,
  );
  return ({ values }) => score([...values]);
};

/** In the order of the columns. */
export const peers: readonly Peer[] = [
  peer('weekday ± k·sd', weekdayBand),
  peer('k-NN of days, log scale', nearestDays),
  peer('matrix profile', matrixProfile),
  peer('isolation forest', forest),
];
