import { meansOver } from '../../domain/alerts/deviation.js';
import type { Finding, Stretch } from '../../domain/alerts/findings.js';
import { usable, type Day, observed } from '../../domain/day.js';
import type { Model } from '../../domain/planning/models.js';
import { isBelow, type Change, type MinChange } from '../../domain/source/minChange.js';
import { isOnChange } from '../findings/limitLevels.js';
import type { Checked } from './comparison.js';
import { dateAfter } from '../../domain/dates.js';

/** Share of the typical value, and most of it that the rounding step of the data may be. */
const levelShare = 0.01;
const stepsMin = 1.5;
const stepShareMax = 0.05;

/** Share of the usual change from one week to the next, and the range of the result in percent. */
const weeklyShare = 0.5;
const percentRange = { min: 2, max: 5 } as const;

/** Powers of ten that values may be rounded to, largest step first: the factor that makes values whole numbers. */
const factors = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;
const wholeTolerance = 1e-6;

/** Digits of a proposed number. */
const digits = 2;
const rounded = (value: number): number => Number(value.toPrecision(digits));

/** Median of values, the upper one of two; 0 without values. It sorts them. */
const median = (values: Float64Array): number => values.sort()[values.length >> 1] ?? 0;

/** Step that values are rounded to, a power of ten from 1 down to a millionth; 0 when they are not. */
const roundingStep = (values: readonly number[]): number => {
  const factor = factors.find(factor =>
    values.every(value => {
      const scaled = value * factor;
      return Math.abs(scaled - Math.round(scaled)) <= wholeTolerance * Math.max(1, Math.abs(scaled));
    }),
  );
  return factor === undefined ? 0 : 1 / factor;
};

/** Relative changes of slices from the same weekday a week before. */
const weeklyChanges = (days: readonly Day[]): Float64Array => {
  const byDate = new Map(days.map(day => [day.date, { day, flags: observed(day) }]));
  const changes: number[] = [];
  for (const { day, flags } of byDate.values()) {
    const before = byDate.get(dateAfter(day.date, -7));
    if (!before) continue;
    day.activity.forEach((value, slice) => {
      const other = before.day.activity[slice] ?? 0;
      if (flags[slice] && before.flags[slice] && other !== 0)
        changes.push(Math.abs(value - other) / Math.abs(other));
    });
  }
  return Float64Array.from(changes);
};

/**
 * The floor that a new source gets, from its own values; both numbers have two digits. `absolute` is 1 % of the median
 * size of the values that are not 0, or 1.5 times the step that all values are rounded to, if that is larger and the
 * step at most 5 % of the median: one step may be rounding. `percent` is half of the median change from one week to the
 * next, from 2 to 5 %.
 * @param days reference days in the unit of the source; gaps and interpolated slices do not count
 * @returns    null when no observed value differs from 0
 */
export const proposedMinChange = (days: readonly Day[]): MinChange | null => {
  const values = days.flatMap(day => {
    const flags = observed(day);
    return day.activity.filter((value, slice) => flags[slice] && value !== 0);
  });
  const level = median(Float64Array.from(values, Math.abs));
  if (level === 0) return null;
  const step = roundingStep(values);
  const absolute = Math.max(levelShare * level, step <= stepShareMax * level ? stepsMin * step : 0);
  const weekly = 100 * weeklyShare * median(weeklyChanges(days));
  const percent = Math.min(percentRange.max, Math.max(percentRange.min, weekly));
  return { absolute: rounded(absolute), percent: rounded(percent), proposed: true };
};

/** Each slice of the runs; none when only means broke a limit, since the runs are theirs then. */
const slicesOutside = ({ limits, slices }: Finding): readonly Stretch[] =>
  limits && !limits.some(limit => limit === 'slice' || limit === 'shape')
    ? []
    : slices.flatMap(({ from, to }) =>
        Array.from({ length: to - from }, (_, index) => ({ from: from + index, to: from + index + 1 })),
      );

/** Changes of a finding: its main stretch, each slice outside the bounds, and each stretch whose mean broke a limit. */
const changesOf = (day: Day, { activity }: Model, finding: Finding): readonly Change[] => {
  const { deviation = null, limits = [] } = finding.facts ?? {};
  const main = deviation ? [deviation] : [];
  if (deviation && deviation.comparedWith !== 'model') return main;
  const compared = { activity: day.activity, expected: activity, usable: usable(day) };
  const means = limits.filter(({ limit }) => limit !== 'slice' && limit !== 'shape' && !isOnChange(limit));
  return [
    ...main,
    ...[...slicesOutside(finding), ...means].flatMap(stretch => meansOver(compared, stretch) ?? []),
  ];
};

/**
 * The result of a check under the floor of its source. A finding of kind `activity` or `drift` whose changes are all
 * below the floor is none: the day is `normal`, and `belowFloor` says why. A proposed floor does not narrow the bounds
 * that people supplied.
 * @param model the planned model as it is expected on the date
 */
export const withFloor = (checked: Checked, day: Day, model: Model, floor: MinChange | null): Checked => {
  const { finding } = checked;
  if (!floor || (finding?.kind !== 'activity' && finding?.kind !== 'drift')) return checked;
  if (floor.proposed && !model.limits) return checked;
  const changes = changesOf(day, model, finding);
  return changes.length > 0 && changes.every(change => isBelow(floor, change))
    ? { outcome: 'normal', finding: null, belowFloor: true }
    : checked;
};
