import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { sortedQuantile } from '../../../analysis/math/statistics.js';
import { dayNumber, weekday } from '../../../domain/dates.js';
import { usable, type Day } from '../../../domain/day.js';
import type { Series } from '../series.js';

/** A fault of a day; null for a day that cannot have it. The same day always gets the same fault. */
export type Fault = { readonly name: string; readonly apply: (day: Day) => Day | null };

/** Numbers of the reference that faults use, and the Sundays of the recent days. */
type Facts = {
  readonly lowDecile: number;
  readonly largest: number;
  /** Robust standard deviation of each slice. */
  readonly deviations: readonly number[];
  readonly lowest: number;
  readonly sundays: readonly Day[];
};

/** Values of a day after a fault, by slice. `hour` gives the slice of an hour, `random` the next number below 1. */
type Around = Facts & {
  readonly day: Day;
  /** Whether each slice has a value. */
  readonly flags: readonly boolean[];
  readonly mean: number;
  readonly slices: number;
  readonly hour: (hour: number) => number;
  readonly random: () => number;
};
type Change = readonly [
  name: string,
  values: (around: Around) => ((value: number, slice: number) => number) | null,
];

/** Median absolute deviation to standard deviation of a normal distribution. */
const madToDeviation = 1.4826;

const usableValues = (days: readonly Day[], slice?: number): Float64Array =>
  Float64Array.from(
    days.flatMap(day => {
      const flags = usable(day);
      return day.activity.filter((_, at) => flags[at] && (slice === undefined || at === slice));
    }),
  ).sort();

const factsOf = ({ reference, recent }: Series): Facts => {
  const values = usableValues(reference);
  const slices = reference[0]?.activity.length ?? 0;
  return {
    lowDecile: sortedQuantile(values, 0.1),
    largest: values.at(-1) ?? 0,
    lowest: (values[0] ?? 0) >= 0 ? 0 : Number.NEGATIVE_INFINITY,
    deviations: Array.from({ length: slices }, (_, slice) => {
      const own = usableValues(reference, slice);
      const median = sortedQuantile(own, 0.5);
      return madToDeviation * sortedQuantile(own.map(value => Math.abs(value - median)).sort(), 0.5);
    }),
    sundays: recent.filter(day => weekday(dayNumber(day.date)) === 6 && !usable(day).includes(false)),
  };
};

/** A normal number: the sum of twelve uniform ones (Irwin and Hall 1927). */
const normal = (random: () => number): number => {
  let sum = -6;
  for (let draw = 0; draw < 12; draw += 1) sum += random();
  return sum;
};

/** A stretch of some hours that begins at a random slice of a range of hours. */
const stretch = ({ hour, random }: Around, [from, to]: readonly [number, number], hours: number) => {
  const start = hour(from) + Math.floor(random() * (hour(to - hours) - hour(from) + 1));
  return (slice: number): boolean => slice >= start && slice < start + Math.max(1, hour(hours));
};

const shifted =
  (hours: number): Change[1] =>
  ({ day, flags, hour, slices }) =>
    flags.includes(false) ? null : (_, slice) => day.activity[(slice - hour(hours) + slices) % slices]!;

const scaled =
  (factor: number): Change[1] =>
  () =>
  value =>
    value * factor;

const repeated =
  (hours: number): Change[1] =>
  around => {
    const isIn = stretch(around, [0, 24], hours);
    const { day, flags, hour } = around;
    const from = hours === 24 ? hour(12) : flags.findIndex((_, slice) => isIn(slice));
    return flags[from] ? (value, slice) => (isIn(slice) ? day.activity[from]! : value) : null;
  };

/** A busy slice of the day: one between 8 and 18 o'clock. */
const oneSlice =
  (changed: (value: number, facts: Facts) => number): Change[1] =>
  around => {
    const { hour, random } = around;
    const chosen = hour(8) + Math.floor(random() * (hour(18) - hour(8)));
    return (value, slice) => (slice === chosen ? changed(value, around) : value);
  };

const nearestSunday = ({ day, sundays }: Around): Day | null => {
  const number = dayNumber(day.date);
  if (weekday(number) > 4) return null;
  const distance = ({ date }: Day): number => Math.abs(dayNumber(date) - number);
  return [...sundays].sort((a, b) => distance(a) - distance(b))[0] ?? null;
};

const changes: readonly Change[] = [
  [
    'closed day (low decile all day)',
    ({ lowDecile }) =>
      () =>
        lowDecile,
  ],
  [
    'closed from 12:00',
    ({ hour, lowDecile }) =>
      (value, slice) =>
        slice < hour(12) ? value : lowDecile,
  ],
  [
    'outage of 2 h between 8 and 18',
    around => {
      const isIn = stretch(around, [8, 18], 2);
      return (value, slice) => (isIn(slice) ? 0 : value);
    },
  ],
  [
    '9–17 at zero',
    ({ hour }) =>
      (value, slice) =>
        slice >= hour(9) && slice < hour(17) ? 0 : value,
  ],
  [
    'night (22–6) + 20 % of the mean of the day',
    ({ hour, mean }) =>
      (value, slice) =>
        slice >= hour(22) || slice < hour(6) ? value + 0.2 * mean : value,
  ],
  ['shifted by 1 h', shifted(1)],
  ['shifted by 2 h', shifted(2)],
  ['shifted by 3 h', shifted(3)],
  ['−20 % all day', scaled(0.8)],
  ['+20 % all day', scaled(1.2)],
  ['−40 % all day', scaled(0.6)],
  ['+40 % all day', scaled(1.4)],
  ['one value for 8 h', repeated(8)],
  ['one value for 24 h', repeated(24)],
  [
    'noise of one robust sd a slice',
    ({ deviations, random }) =>
      (value, slice) =>
        value + deviations[slice]! * normal(random),
  ],
  [
    'a Sunday on a working day',
    around => {
      const sunday = nearestSunday(around);
      return sunday && ((_, slice) => sunday.activity[slice]!);
    },
  ],
  ['one slice at 2 × maximum', oneSlice((_, { largest }) => 2 * largest)],
  ['one slice × 3', oneSlice(value => 3 * value)],
  [
    '+ one mean for 2 h',
    around => {
      const isIn = stretch(around, [0, 24], 2);
      return (value, slice) => (isIn(slice) ? value + around.mean : value);
    },
  ],
];

/** Names of the faults, in the order of the table. */
export const faultNames: readonly string[] = changes.map(([name]) => name);

/** Factors that keep the random numbers of days and faults apart. */
const seedFactors = { day: 8191, fault: 127 } as const;

/**
 * The faults of the injection test, made for a series.
 * @param seed an integer: the same one gives the same faults, in any order of the days
 */
export const faultsFor = (series: Series, seed: number): readonly Fault[] => {
  const facts = factsOf(series);
  return changes.map(([name, valuesOf], index) => ({
    name,
    apply: day => {
      const flags = usable(day);
      const slices = day.activity.length;
      const observed = day.activity.filter((_, slice) => flags[slice]);
      const valueOf = valuesOf({
        ...facts,
        day,
        flags,
        slices,
        mean: observed.reduce((sum, value) => sum + value, 0) / observed.length,
        hour: hour => Math.round((hour * slices) / 24),
        random: seededRandom(seed + seedFactors.day * dayNumber(day.date) + seedFactors.fault * index),
      });
      return valueOf
        ? {
            ...day,
            activity: day.activity.map((value, slice) =>
              flags[slice] ? Math.max(facts.lowest, valueOf(value, slice)) : value,
            ),
          }
        : null;
    },
  }));
};
