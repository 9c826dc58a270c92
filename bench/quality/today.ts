import { trial } from '../../analysis/tuning/trial.js';
import type { Setting } from '../../analysis/learning/setting.js';
import type { Day } from '../../domain/day.js';
import { isFlagged, type Expected } from './definitions.js';
import type { Part } from './score.js';
import type { Series } from './series.js';

/** Hours after the first abnormal slice of a day at which a finding is looked for. */
export const hoursAfter = [1, 2, 4, 8] as const;

/** Found days by the hours after their first abnormal slice, when they are checked slice by slice. */
export type Today = {
  /** Event days that the check of the whole day finds, and those that it finds this early. */
  readonly found: readonly Part[];
  /** Days with an early finding that the whole day has not, out of all scored days. */
  readonly added: Part;
};

/** A day until `elapsed` slices have elapsed. */
const until = (day: Day, elapsed: number) => {
  const size = day.activity.length;
  return {
    ...day,
    activity: day.activity.map((value, slice) => (slice < elapsed ? value : 0)),
    gaps: [
      ...day.gaps.flatMap(([from, to]) => (from < elapsed ? [[from, Math.min(to, elapsed)] as const] : [])),
      [elapsed, size] as const,
    ],
    inProgress: { elapsed, closesAt: '' },
  };
};

/** Replays the scored days of a series slice by slice. */
export const todayOf = (series: Series, { scored, events }: Expected, setting: Setting): Today => {
  const { days, recheck } = trial(series.reference, series.recent, setting);
  const byDate = new Map(days.map(day => [day.day.date, day]));
  /** Slices after which the day is found; undefined when it is not found before its end. */
  const foundAfter = (day: Day): number | undefined => {
    for (let elapsed = 1; elapsed < day.activity.length; elapsed += 1)
      if (recheck(until(day, elapsed)).finding) return elapsed;
    return undefined;
  };
  const early = new Map(scored.map(day => [day.date, foundAfter(day)]));
  const foundEvents = events.filter(({ date }) => {
    const checked = byDate.get(date);
    return checked && isFlagged(checked);
  });
  const added = scored.filter(({ date }) => early.get(date) !== undefined && !byDate.get(date)?.finding);
  const within = (day: Day, hours: number): boolean => {
    const after = early.get(day.date);
    const first = byDate.get(day.date)?.finding?.slices[0]?.from ?? 0;
    return after !== undefined && ((after - first) * 24) / day.activity.length <= hours;
  };
  return {
    found: hoursAfter.map(hours => ({
      count: foundEvents.filter(day => within(day, hours)).length,
      of: foundEvents.length,
    })),
    added: { count: added.length, of: scored.length },
  };
};
