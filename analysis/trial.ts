import type { Calendar } from '../domain/calendar.js';
import type { Day } from '../domain/day.js';
import type { Model, TypicalDays } from '../domain/models.js';
import { planner, type DayPlan } from '../domain/planning.js';
import { referenceFacts } from '../domain/source.js';
import { checkDay, type Checked } from './check.js';
import { typicalDays } from './typicalDays.js';

/** What a data scientist may choose. */
export type Setting = {
  /** Models wanted, 1 to 64; null to let their number be chosen. */
  readonly modelCount: number | null;
  /** Share of ordinary days that are to stay without an alert, 0.9 to 0.995; null for the default limits. */
  readonly level: number | null;
  /** Public holidays; null where none are known. */
  readonly calendar: Calendar | null;
  readonly seed: number;
};

/** One recent day under a setting. */
export type TriedDay = Checked & { readonly day: Day; readonly plan: DayPlan };

/** What a setting makes of a reference and of recent days. */
export type Trial = {
  readonly learned: TypicalDays;
  /** Those of `learned`, with ids from 1 in their order. */
  readonly models: readonly Model[];
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
export const trial = (reference: readonly Day[], recent: readonly Day[], setting: Setting): Trial => {
  const learned = typicalDays(reference, setting.modelCount, setting.seed);
  const models = learned.models.map((model, index) => ({ ...model, id: index + 1 }));
  const plan = planner(
    models,
    learned.assignments.map(({ date, model }) => ({ date, modelId: model + 1 })),
  );
  const byDate = (a: Day, b: Day): number => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0);
  const { completeness } = referenceFacts([...reference].sort(byDate));
  const recheck = (day: Day): Checked => checkDay(day, models, plan(day.date).modelId, completeness);
  const days = [...recent].sort(byDate).map(day => ({ day, plan: plan(day.date), ...recheck(day) }));
  return { learned, models, plan, days, recheck };
};
