import type { Database } from 'better-sqlite3';
import type { PlanningCalendar } from '../../domain/planning/calendar.js';
import { dayNumber, weekday } from '../../domain/dates.js';
import type { Assignment, CheckFacts, Model } from '../../domain/planning/models.js';
import { planner, type DayPlan } from '../../domain/planning/planning.js';
import { parsed } from '../readModel.js';
import type { SourceMemo } from '../sources/sourceMemo.js';

/** Models of a source with their planner. */
export type Base = {
  readonly models: readonly Pick<Model, 'id' | 'name' | 'anomaly'>[];
  readonly assignments: readonly Assignment[];
  readonly checks: CheckFacts | null;
  readonly plan: (date: string) => DayPlan;
};

/** Plan of a date while a source has no models. */
export const planWithoutModels = (date: string): DayPlan => ({
  date,
  modelId: null,
  origin: 'automatic',
  reason: 'the source has no models yet',
  share: null,
  alternatives: [],
  working: weekday(dayNumber(date)) < 5,
  dayType: { type: 'ordinary' },
  unseen: 1,
});

/** Number of dates whose plans a planner keeps: two years of a list that is requested repeatedly. */
const plansMax = 750;

/** Keeps the plans of a planner. All are dropped when there are too many. */
const remembered = (plan: (date: string) => DayPlan): ((date: string) => DayPlan) => {
  const plans = new Map<string, DayPlan>();
  return date => {
    const known = plans.get(date);
    if (known) return known;
    const computed = plan(date);
    if (plans.size === plansMax) plans.clear();
    plans.set(date, computed);
    return computed;
  };
};

/** Returns a function that reads the models of a source; undefined when it has none. Planners are kept in memory. */
export const baseReader = (
  db: Database,
  planningCalendar: (sourceId: number) => PlanningCalendar,
  keptBase: SourceMemo<Base | undefined>,
) => {
  const base = db.prepare<[number], { models: string; assignments: string; checks: string }>(
    'select models, assignments, checks from planning_bases where source_id = ?',
  );
  const modelsEvent = db
    .prepare<[number], string>('select event_id from planning_bases where source_id = ?')
    .pluck();
  const modelsKey = db
    .prepare<[number], string>(
      `select event_id || '/' || coalesce(changed_id, '') from planning_bases where source_id = ?`,
    )
    .pluck();
  const specialDaysEvent = db
    .prepare<[number], string>('select event_id from special_days_events where source_id = ?')
    .pluck();
  const baseOf = (sourceId: number): Base | undefined => {
    const key = modelsKey.get(sourceId);
    if (key === undefined) return undefined;
    return keptBase(sourceId, `${key}/${specialDaysEvent.get(sourceId) ?? ''}`, () => {
      const row = base.get(sourceId);
      if (!row) return undefined;
      const models = parsed<Base['models']>(row.models);
      const assignments = parsed<Assignment[]>(row.assignments);
      const checks = parsed<CheckFacts | null>(row.checks);
      const plan = remembered(planner(models, assignments, planningCalendar(sourceId)));
      return { models, assignments, checks, plan };
    });
  };
  return {
    baseOf,
    setBy: (sourceId: number): string | undefined => modelsEvent.get(sourceId),
    modelsKey: (sourceId: number): string | undefined => modelsKey.get(sourceId),
  };
};
