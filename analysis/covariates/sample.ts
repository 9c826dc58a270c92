import type { CovariateSeries } from '../../domain/source/covariates.js';
import type { CrossFittedDay } from '../learning/crossFitting.js';
import type { Learned } from '../learning/learn.js';
import type { PreparedReference } from '../learning/prepare.js';
import { mean } from '../math/statistics.js';
import { effectShape, levelOf } from './effectOn.js';

/** The final models of a reference, and its cross-fitted days. */
export type Fit = { readonly learned: Learned; readonly fitted: readonly CrossFittedDay[] };

type FittedReference = Fit & {
  readonly prepared: PreparedReference;
  readonly outliers: ReadonlyMap<number, number>;
};

/** A covariate with a knee that was tried. */
export type Candidate = { readonly series: CovariateSeries; readonly knee: number };
/** Ordinary days, which effects are learned from. */
export type OrdinarySample = FittedReference & {
  /** By place in the sample: place in `fitted`, block, and level of the residuals against the planned model. */
  readonly places: readonly number[];
  readonly blocks: readonly number[];
  readonly levels: Float64Array;
  readonly valuesOf: (series: CovariateSeries) => Float64Array;
  readonly featuresOf: (candidate: Candidate) => readonly Float64Array[];
};

/** The sample of a reference. Values and features are kept, because many fits use them. */
export const sampleOf = (reference: FittedReference): OrdinarySample => {
  const { prepared, fitted, outliers } = reference;
  const places = fitted.flatMap(({ index }, place) =>
    prepared.days[index]!.ordinary && !outliers.has(index) ? place : [],
  );
  const values = new Map<CovariateSeries, Float64Array>();
  const features = new Map<CovariateSeries, Map<number, readonly Float64Array[]>>();
  const valuesOf = (series: CovariateSeries): Float64Array => {
    const known = values.get(series) ?? valuesByDay(series, prepared);
    values.set(series, known);
    return known;
  };
  const sample: OrdinarySample = {
    ...reference,
    places,
    blocks: places.map(place => prepared.days[fitted[place]!.index]!.block),
    levels: Float64Array.from(places, place => dayLevelOf(prepared, fitted[place]!)),
    valuesOf,
    featuresOf: ({ series, knee }) => {
      const known = features.get(series) ?? new Map<number, readonly Float64Array[]>();
      features.set(series, known);
      const own = known.get(knee) ?? featuresAt({ series, knee }, sample);
      known.set(knee, own);
      return own;
    },
  };
  return sample;
};

/** Value of a covariate on each reference day; NaN without one. */
const valuesByDay = ({ values, archived }: CovariateSeries, { days }: PreparedReference): Float64Array => {
  const byDate = new Map(values.map(({ date, value }) => [date, value]));
  return Float64Array.from(days, ({ date }) => (archived ? Number.NaN : (byDate.get(date) ?? Number.NaN)));
};

/** Effect that explains the residuals of a day best. */
const dayLevelOf = (
  { days, scale }: PreparedReference,
  { index, learned, model }: CrossFittedDay,
): number => {
  const profile = learned.profiles[model]!;
  const residuals = days[index]!.scaled.map((y, slice) => y - profile[slice]!);
  return levelOf(effectShape(scale, profile), residuals);
};

/** Distance of values below and above a knee, in standard deviations of the covariate. */
const hingeFeatures = (value: number, knee: number, deviation: number): readonly [number, number] => [
  Math.max(0, knee - value) / deviation,
  Math.max(0, value - knee) / deviation,
];

/** Features of each day of the sample, minus their mean over the days planned to follow the same model. */
const featuresAt = ({ series, knee }: Candidate, sample: OrdinarySample): readonly Float64Array[] => {
  const { fitted, places, valuesOf } = sample;
  const values = valuesOf(series);
  const deviation = deviationOf(sample, series);
  const usual = new Map<Learned, readonly Float64Array[]>();
  return places.map(place => {
    const { index, learned, model } = fitted[place]!;
    const value = values[index]!;
    if (value !== value) return new Float64Array(2);
    const means =
      usual.get(learned) ??
      meansByModel(learned, values, other => Float64Array.from(hingeFeatures(other, knee, deviation)));
    usual.set(learned, means);
    const [below, above] = hingeFeatures(value, knee, deviation);
    return Float64Array.of(below - means[model]![0]!, above - means[model]![1]!);
  });
};

/** Mean by model of a function of the values of its days; of all days for a model without values. */
export const meansByModel = (
  { profiles, expected }: Learned,
  values: Float64Array,
  featuresOf: (value: number) => Float64Array,
): readonly Float64Array[] => {
  const meanOf = (isIncluded: (index: number) => boolean): Float64Array | undefined => {
    let sum: Float64Array | undefined;
    let count = 0;
    values.forEach((value, index) => {
      if (value !== value || !isIncluded(index)) return;
      const own = featuresOf(value);
      sum = sum ? sum.map((total, at) => total + own[at]!) : own;
      count += 1;
    });
    return sum?.map(total => total / count);
  };
  const common = meanOf(index => expected[index] !== null) ?? meanOf(() => true)!;
  return profiles.map((_, model) => meanOf(index => expected[index] === model) ?? common);
};

/** Values of a covariate on the days of a sample, ascending. */
export const knownValues = (
  { fitted, places, valuesOf }: OrdinarySample,
  series: CovariateSeries,
): Float64Array => {
  const values = valuesOf(series);
  return Float64Array.from(
    places.map(place => values[fitted[place]!.index]!).filter(value => value === value),
  ).sort();
};

/** Standard deviation of those values. */
export const deviationOf = (sample: OrdinarySample, series: CovariateSeries): number => {
  const values = knownValues(sample, series);
  const middle = mean(values);
  return Math.sqrt(mean(values.map(value => (value - middle) * (value - middle))));
};
