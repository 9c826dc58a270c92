import { seededRandom } from '../../../analysis/math/seededRandom.js';
import { changedProfile } from '../../../analysis/changes/changedModel.js';
import { dayNumber } from '../../../domain/dates.js';
import { runsWhere, usable, type Day } from '../../../domain/day.js';
import type { Series } from '../series.js';
import { faultsFor } from './faults.js';

/** The planned profile of a date; null without one. */
export type ProfileOf = (date: string) => readonly number[] | null;

/** A kind of cause: how many days it lasts, and these days after it; null for days that it does not change. */
export type Cause = {
  readonly name: string;
  readonly length: number;
  /** The same days always get the same change. */
  readonly apply: (days: readonly Day[]) => readonly Day[] | null;
};

/** Days that a change which stays is followed for. */
const stayDays = 28;
const hours = 24;

type Around = { readonly random: () => number; readonly profileOf: ProfileOf };
type Kind = readonly [
  name: string,
  length: number,
  change: (around: Around, series: Series, seed: number) => (day: Day, index: number) => Day | null,
];

/** The observed slices of a day with other values. */
const withValues = (day: Day, valueOf: (value: number, slice: number) => number): Day => {
  const flags = usable(day);
  return {
    ...day,
    activity: day.activity.map((value, slice) => (flags[slice] ? valueOf(value, slice) : value)),
  };
};

const sign = (random: () => number): number => (random() < 0.5 ? -1 : 1);

/** A slice is active above this share of the way from the smallest value of its profile to the largest. */
const activeShare = 0.25;

/** First active slice of a profile; null for one that has no inactive slice before it. */
export const openingOf = (profile: readonly number[]): number | null => {
  const least = Math.min(...profile);
  const active = least + activeShare * (Math.max(...profile) - least);
  const from = profile.findIndex(value => value > active);
  return from > 0 ? from : null;
};

const least = 0.25;
const most = 0.5;
const shapeShare = 0.4;

const kinds: readonly Kind[] = [
  [
    'level, 25 to 50 % more or less',
    stayDays,
    ({ random }) => {
      const factor = 1 + sign(random) * (least + (most - least) * random());
      return day => withValues(day, value => value * factor);
    },
  ],
  [
    'clock, an hour earlier or later',
    stayDays,
    ({ random }) => {
      const size = 60 * sign(random);
      return day => {
        if (usable(day).includes(false)) return null;
        const values = changedProfile({ type: 'clock', size }, day.activity);
        return withValues(day, (_, slice) => values[slice]!);
      };
    },
  ],
  [
    'opening, an hour later',
    stayDays,
    ({ profileOf }) =>
      day => {
        const from = openingOf(profileOf(day.date) ?? []);
        if (from === null || !usable(day)[from - 1]) return day;
        const closed = day.activity[from - 1]!;
        const to = from + Math.max(1, Math.round(day.activity.length / hours));
        return withValues(day, (value, slice) => (slice >= from && slice < to ? closed : value));
      },
  ],
  [
    'shape, 40 % from mornings to afternoons',
    stayDays,
    () => day => {
      const part = (slice: number): number => Math.floor((4 * slice) / day.activity.length);
      const factors = [1, 1 - shapeShare, 1 + shapeShare, 1];
      return withValues(day, (value, slice) => value * factors[part(slice)]!);
    },
  ],
  [
    'gap, no data for 24 h',
    2,
    ({ random }) => {
      const share = (8 + Math.floor(8 * random())) / hours;
      return (day, index) => {
        const at = Math.round(share * day.activity.length);
        const flags = usable(day);
        const isLost = (slice: number): boolean => (index === 0 ? slice >= at : slice < at);
        const gaps = runsWhere(flags.length, slice => !flags[slice] || isLost(slice));
        return { ...day, gaps, activity: day.activity.map((value, slice) => (isLost(slice) ? 0 : value)) };
      };
    },
  ],
  [
    'single day, one of the 19 faults',
    1,
    ({ random }, series, seed) => {
      const faults = faultsFor(series, seed);
      const fault = faults[Math.floor(random() * faults.length)]!;
      return day => fault.apply(day);
    },
  ],
];

/** Names of the kinds of causes, in the order of the table. */
export const causeNames: readonly string[] = kinds.map(([name]) => name);

/** Factors that keep the random numbers of dates and kinds apart. */
const seedFactors = { day: 8191, kind: 127 } as const;

const isSame = (one: Day, other: Day): boolean =>
  one.gaps.length === other.gaps.length &&
  one.activity.every((value, slice) => value === other.activity[slice]);

/**
 * The kinds of causes, made for a series.
 * @param seed an integer: the same one gives the same changes
 */
export const causesFor = (series: Series, profileOf: ProfileOf, seed: number): readonly Cause[] =>
  kinds.map(([name, length, change], index) => ({
    name,
    length,
    apply: days => {
      const number = dayNumber(days[0]?.date ?? '');
      const random = seededRandom(seed + seedFactors.day * number + seedFactors.kind * index);
      const changed = change({ random, profileOf }, series, seed);
      const after = days.flatMap((day, at) => changed(day, at) ?? []);
      const isChanged = after.length === days.length && after.some((day, at) => !isSame(day, days[at]!));
      return isChanged ? after : null;
    },
  }));
