import type { Database } from 'better-sqlite3';
import { dayTypes, type Calendar, type NamedDay, type PlanningCalendar } from '../domain/calendar.js';
import { datesOfYear, dayNumber, weekday } from '../domain/dates.js';
import { sourceOf } from '../domain/events.js';
import type { Assignment, CheckFacts, Model, TypicalDays } from '../domain/models.js';
import { planner, type DayPlan } from '../domain/planning.js';
import { parsed, type ReadModel } from './readModel.js';
import { sourceMemo } from './sourceMemo.js';

/** A calendar as clients see it: how Daybook came by it, without its dates. */
export type ShownCalendar = Omit<Calendar, 'holidays'>;

/** A calendar without its dates. */
export const shownCalendar = ({ code, origin, evidence, library }: Calendar): ShownCalendar => ({
  code,
  origin,
  evidence,
  library,
});

/** What was learned beside the present models: nothing where people supplied them, but the calendar stays. */
export type Learned = {
  readonly bounds: TypicalDays['bounds'] | null;
  readonly hitRate: number | null;
  readonly calendar: ShownCalendar | null;
};

/** A date of a calendar that is not ordinary. */
export type CalendarDay = {
  readonly date: string;
  readonly type: 'holiday' | 'bridge' | 'christmas' | 'special';
  readonly name: string | null;
};

export const planningModel: ReadModel = {
  name: 'planning',
  version: 3,
  schema: `
    create table planning_bases (
      source_id integer primary key,
      models text not null,
      assignments text not null,
      learned text not null,
      -- What checks go by beside the models: no answer shows it.
      checks text not null,
      event_id text not null
    ) strict;
    -- The last calendar that models were learned with: it stays when people replace the models.
    create table planning_calendars (
      source_id integer primary key,
      calendar text not null
    ) strict;
    create table special_days (
      source_id integer not null,
      date text not null,
      name text not null,
      primary key (source_id, date)
    ) strict, without rowid;
    create table special_days_events (
      source_id integer primary key,
      event_id text not null
    ) strict;
    create table planning_overrides (
      source_id integer not null,
      date text not null,
      model_id integer not null,
      planned_by text not null,
      planned_at text not null,
      primary key (source_id, date)
    ) strict, without rowid;`,
  apply: db => {
    const base = db.prepare(
      `insert or replace into planning_bases (source_id, models, assignments, learned, checks, event_id)
       values (?, ?, ?, ?, ?, ?)`,
    );
    const override = db.prepare(
      `insert or replace into planning_overrides (source_id, date, model_id, planned_by, planned_at)
       values (?, ?, ?, ?, ?)`,
    );
    const clear = db.prepare('delete from planning_overrides where source_id = ? and date = ?');
    const clearAll = db.prepare('delete from planning_overrides where source_id = ?');
    const keepCalendar = db.prepare(
      'insert or replace into planning_calendars (source_id, calendar) values (?, ?)',
    );
    const dropCalendar = db.prepare('delete from planning_calendars where source_id = ?');
    const nameDay = db.prepare(
      'insert or replace into special_days (source_id, date, name) values (?, ?, ?)',
    );
    const unnameDay = db.prepare('delete from special_days where source_id = ? and date = ?');
    const specialsChanged = db.prepare(
      'insert or replace into special_days_events (source_id, event_id) values (?, ?)',
    );
    return event => {
      const sourceId = sourceOf(event.stream);
      switch (event.type) {
        case 'ModelsReset':
        case 'ModelsReplaced': {
          const { models, assignments } = event.data;
          const planned = models.map(({ id, name, anomaly }) => ({ id, name, anomaly }));
          const { bounds, hitRate, checks } =
            event.type === 'ModelsReset' ? event.data : { bounds: null, hitRate: null, checks: null };
          const learned = JSON.stringify({ bounds, hitRate });
          base.run(
            sourceId,
            JSON.stringify(planned),
            JSON.stringify(assignments),
            learned,
            JSON.stringify(checks),
            event.id,
          );
          if (event.type === 'ModelsReset') {
            if (event.data.calendar) keepCalendar.run(sourceId, JSON.stringify(event.data.calendar));
            else dropCalendar.run(sourceId);
          }
          clearAll.run(sourceId);
          break;
        }
        case 'DayPlanned':
          override.run(sourceId, event.data.date, event.data.modelId, event.metadata.by, event.at);
          break;
        case 'DayPlanCleared':
          clear.run(sourceId, event.data.date);
          break;
        case 'SpecialDayNamed':
          nameDay.run(sourceId, event.data.date, event.data.name);
          specialsChanged.run(sourceId, event.id);
          break;
        case 'SpecialDayCleared':
          unnameDay.run(sourceId, event.data.date);
          specialsChanged.run(sourceId, event.id);
          break;
      }
    };
  },
};

type Base = {
  readonly models: readonly Pick<Model, 'id' | 'name' | 'anomaly'>[];
  readonly assignments: readonly Assignment[];
  readonly checks: CheckFacts | null;
  readonly plan: (date: string) => DayPlan;
};

/** Planners kept ready; each holds a year of assignments. */
const cachedMax = 200;

/** Dates whose plans a planner keeps ready: some two years of a list that is asked for again and again. */
const plansMax = 750;

/** A planner that does not work out a date again. */
const remembered = (plan: (date: string) => DayPlan): ((date: string) => DayPlan) => {
  const plans = new Map<string, DayPlan>();
  return date => {
    const known = plans.get(date);
    if (known) return known;
    const made = plan(date);
    if (plans.size === plansMax) plans.clear();
    plans.set(date, made);
    return made;
  };
};

/** Questions about the planning: automatic, but where a person has overridden it. */
export const planningQueries = (db: Database) => {
  const base = db.prepare<[number], { models: string; assignments: string; checks: string }>(
    'select models, assignments, checks from planning_bases where source_id = ?',
  );
  const baseId = db
    .prepare<[number], string>('select event_id from planning_bases where source_id = ?')
    .pluck();
  const override = db.prepare<[number, string], { model_id: number; planned_by: string }>(
    'select model_id, planned_by from planning_overrides where source_id = ? and date = ?',
  );
  const keptBase = sourceMemo<Base | undefined>(cachedMax);

  const learned = db
    .prepare<[number], string>('select learned from planning_bases where source_id = ?')
    .pluck();
  const calendar = db
    .prepare<[number], string>('select calendar from planning_calendars where source_id = ?')
    .pluck();
  const specials = db.prepare<[number], NamedDay>(
    'select date, name from special_days where source_id = ? order by date',
  );
  const specialsId = db
    .prepare<[number], string>('select event_id from special_days_events where source_id = ?')
    .pluck();

  const calendarOf = (sourceId: number): Calendar | null => {
    const text = calendar.get(sourceId);
    return text === undefined ? null : parsed<Calendar>(text);
  };
  const knownOf = (sourceId: number): PlanningCalendar => ({
    holidays: calendarOf(sourceId)?.holidays ?? null,
    specials: specials.all(sourceId),
  });

  const baseOf = (sourceId: number): Base | undefined => {
    const setBy = baseId.get(sourceId);
    if (setBy === undefined) return undefined;
    return keptBase(sourceId, `${setBy}/${specialsId.get(sourceId) ?? ''}`, () => {
      const row = base.get(sourceId);
      if (!row) return undefined;
      const models = parsed<Base['models']>(row.models);
      const assignments = parsed<Assignment[]>(row.assignments);
      const checks = parsed<CheckFacts | null>(row.checks);
      const plan = remembered(planner(models, assignments, knownOf(sourceId)));
      return { models, assignments, checks, plan };
    });
  };

  const day = (sourceId: number, date: string): DayPlan => {
    const made = baseOf(sourceId);
    if (!made)
      return {
        date,
        modelId: null,
        origin: 'automatic',
        reason: 'the source has no models yet',
        share: null,
        alternatives: [],
        working: weekday(dayNumber(date)) < 5,
        unseen: 1,
      };
    const manual = override.get(sourceId, date);
    if (!manual) return made.plan(date);
    // What would be planned without the override are its alternatives.
    const { modelId, share, alternatives, working, unseen } = made.plan(date);
    const automatic = modelId === null || share === null ? [] : [{ modelId, share }, ...alternatives];
    const name = made.models.find(({ id }) => id === manual.model_id)?.name;
    return {
      date,
      modelId: manual.model_id,
      origin: 'manual',
      reason: `set to "${name}" by ${manual.planned_by}`,
      share: automatic.find(other => other.modelId === manual.model_id)?.share ?? null,
      alternatives: automatic.filter(other => other.modelId !== manual.model_id).slice(0, 3),
      working,
      unseen,
    };
  };

  return {
    day,
    /** The id of the event that set the present models. */
    setBy: (sourceId: number): string | undefined => baseId.get(sourceId),
    /** What was learned beside the present models. */
    learned: (sourceId: number): Learned => {
      const text = learned.get(sourceId);
      const known = calendarOf(sourceId);
      return {
        ...(text === undefined
          ? { bounds: null, hitRate: null }
          : parsed<Pick<Learned, 'bounds' | 'hitRate'>>(text)),
        calendar: known && shownCalendar(known),
      };
    },
    /** What checks go by beside the present models; null where bounds alone decide. */
    checks: (sourceId: number): CheckFacts | null => baseOf(sourceId)?.checks ?? null,
    /** What the present models are called, by their ids. */
    modelNames: (sourceId: number): ReadonlyMap<number, string> =>
      new Map(baseOf(sourceId)?.models.map(({ id, name }) => [id, name])),
    /** The special days of a source, by date. */
    specialDays: (sourceId: number): NamedDay[] => specials.all(sourceId),
    /** The dates of a year that are not ordinary, and the calendar that says so. */
    calendar: (
      sourceId: number,
      year: number,
    ): { readonly days: CalendarDay[]; readonly calendar: ShownCalendar | null } => {
      const known = calendarOf(sourceId);
      const typeOf = dayTypes(known?.holidays ?? null, specials.all(sourceId));
      const days = datesOfYear(year).flatMap((date): CalendarDay[] => {
        const day = typeOf(dayNumber(date));
        return day.type === 'ordinary'
          ? []
          : [{ date, type: day.type, name: 'name' in day ? day.name : null }];
      });
      return { days, calendar: known && shownCalendar(known) };
    },
    /** Every date of a year. */
    year: (sourceId: number, year: number): DayPlan[] => datesOfYear(year).map(date => day(sourceId, date)),
    /** Which model each reference day belongs to. */
    assignments: (sourceId: number): ReadonlyMap<string, number> =>
      new Map(baseOf(sourceId)?.assignments.map(({ date, modelId }) => [date, modelId])),
  };
};
