import type { Day } from '../../domain/day.js';
import { withIds, type Assignment, type Model, type TypicalDays } from '../../domain/models.js';
import { dayNumber } from '../../domain/dates.js';
import { planner, type DayPlan } from '../../domain/planning.js';
import { referenceFacts } from '../../domain/source.js';
import type { DayBefore } from '../checking/dayScores.js';
import { checkDay, type Checked } from '../checking/checkDay.js';
import { driftDays } from '../checking/levelShift.js';
import type { Setting } from '../learning/setting.js';
import { typicalDays } from '../learning/typicalDays.js';
import { neverStops, type CheckStop } from '../checkStop.js';

export type { Setting };

/** One recent day under a setting. */
export type TriedDay = Checked & { readonly day: Day; readonly plan: DayPlan };

/** What a setting makes of a reference and of recent days. */
export type Trial = {
  readonly learned: TypicalDays;
  /** Those of `learned`, with ids from 1 in their order. */
  readonly models: readonly Model[];
  readonly assignments: readonly Assignment[];
  readonly plan: (date: string) => DayPlan;
  readonly days: readonly TriedDay[];
  /** Checks a recent day in place of the one of its date, the other recent days being as they are. */
  readonly recheck: (day: Day) => Checked;
};

/**
 * What the service would do with a reference year and recent days under a setting, without a service: it learns,
 * plans and checks, each recent day in order of date after those before it.
 * @param reference days of one length, each date once, values in the source's unit
 * @param recent    days of that length, each date once; may be empty
 * @throws RangeError as typicalDays does
 */
export const trial = (
  reference: readonly Day[],
  recent: readonly Day[],
  setting: Setting,
  checkStop: CheckStop = neverStops,
): Trial => {
  const learned = typicalDays(reference, setting, checkStop);
  const { models, assignments } = withIds(learned, 1);
  const plan = planner(models, assignments, {
    holidays: learned.calendar?.holidays ?? null,
    specials: setting.specials ?? [],
  });
  const byDate = (a: Day, b: Day): number => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0);
  const { completeness } = referenceFacts([...reference].sort(byDate));
  const planned = new Map<string, DayPlan>();
  const planOnce = (date: string): DayPlan => {
    const known = planned.get(date) ?? plan(date);
    planned.set(date, known);
    return known;
  };
  const comparison = { models, checks: learned.checks, completeness, plan: planOnce };
  const days: TriedDay[] = [];
  const recheck = (day: Day): Checked => {
    const number = dayNumber(day.date);
    const before = (): readonly DayBefore[] =>
      days.flatMap(({ day: other, outcome }): DayBefore | [] => {
        const apart = number - dayNumber(other.date);
        return apart > 0 && apart <= driftDays ? { day: other, drifting: outcome === 'drift' } : [];
      });
    return checkDay(day, comparison, before);
  };
  for (const day of [...recent].sort(byDate)) days.push({ day, plan: planOnce(day.date), ...recheck(day) });
  return { learned, models, assignments, plan, days, recheck };
};
