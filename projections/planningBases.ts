import type { Database } from 'better-sqlite3';
import {
  type PlanningCalendar,
  dayTypes,
  type Calendar,
  type NamedDay,
} from '../domain/planning/calendar.js';
import type { DayCycle } from '../domain/planning/dayCycles.js';
import { dayNumber, weekday, datesOfYear } from '../domain/dates.js';
import type { Assignment, CheckFacts, Model } from '../domain/planning/models.js';
import { noSpecialDays, renamed, specialDayList, type SpecialDays } from '../domain/planning/specialDays.js';
import { specialDaysOf } from '../domain/source/sourceState.js';
import type { EventOf } from '../domain/events.js';
import { sourceOf } from '../domain/streams.js';
import { planner, type DayPlan } from '../domain/planning/planning.js';
import type { InOtherLanguages } from '../domain/words/languages.js';
import { inWords } from '../domain/planning/planTexts.js';
import { cell, parsed, type SourceMemo } from './readModel.js';
import type { CarriedOverrides } from '../domain/planning/modelChange.js';

/** An override that new models moved from one model to another, or dropped. */
export type MovedOverride = {
  readonly date: string;
  readonly from: NamedModel;
  readonly to: NamedModel | null;
};
type NamedModel = Pick<Model, 'id' | 'name'>;

/** Returns a function that moves the overrides of a source to new models, before these are stored. */
export const overrideMover = (db: Database) => {
  const models = cell<[number], string>(db, 'select models from planning_bases where source_id = ?');
  const move = db.prepare(
    `update planning_overrides set model_id = $to, carried_from = coalesce(carried_from, $name)
     where source_id = $sourceId and date = $date`,
  );
  const drop = db.prepare('delete from planning_overrides where source_id = ? and date = ?');
  const dropAll = db.prepare('delete from planning_overrides where source_id = ?');
  return (
    sourceId: number,
    overrides: CarriedOverrides | undefined,
    after: readonly NamedModel[],
  ): readonly MovedOverride[] => {
    if (!overrides) {
      dropAll.run(sourceId);
      return [];
    }
    const moved = movedOverrides(overrides, parsed<NamedModel[]>(models(sourceId) ?? '[]'), after);
    for (const { date, from, to } of moved)
      if (to) move.run({ sourceId, date, to: to.id, name: from.name });
      else drop.run(sourceId, date);
    return moved;
  };
};

/** Overrides that new models moved or dropped, by date, with the names of the models. */
export const movedOverrides = (
  { carried, dropped }: CarriedOverrides,
  before: readonly NamedModel[],
  after: readonly NamedModel[],
): readonly MovedOverride[] => {
  const named = (models: readonly NamedModel[], id: number): NamedModel => ({
    id,
    name: models.find(model => model.id === id)?.name ?? '',
  });
  return [
    ...carried.flatMap(({ from, to, dates }) =>
      dates.map(date => ({ date, from: named(before, from), to: named(after, to) })),
    ),
    ...dropped.flatMap(({ from, dates }) =>
      dates.map(date => ({ date, from: named(before, from), to: null })),
    ),
  ].sort((a, b) => (a.date < b.date ? -1 : 1));
};

/** Returns a function that changes the names of dates of a source. */
export const specialDaysWriter = (db: Database) => {
  const read = cell<[number], string>(db, 'select days from special_days where source_id = ?');
  const write = db.prepare(
    'insert or replace into special_days (source_id, days, event_id) values (?, ?, ?)',
  );
  return (event: EventOf<NamingType>): void => {
    const sourceId = sourceOf(event.stream);
    const text = read(sourceId);
    const before = text === undefined ? noSpecialDays : parsed<SpecialDays>(text);
    const after = event.type === 'SourceCreated' ? specialDaysOf(event.data) : renamed(before, event);
    const { named, rules } = after;
    if (text === undefined && rules.length === 0 && Object.keys(named).length === 0) return;
    write.run(sourceId, JSON.stringify(after), event.id);
  };
};

type NamingType =
  'SourceCreated' | 'SpecialDayNamed' | 'SpecialDayCleared' | 'CalendarRuleApplied' | 'CalendarRuleWithdrawn';

/** A calendar without its dates, as clients see it. */
export type ShownCalendar = Omit<Calendar, 'holidays'>;

/** Removes the dates of a calendar. */
export const shownCalendar = ({ code, origin, evidence, library }: Calendar): ShownCalendar => ({
  code,
  origin,
  evidence,
  library,
});

/** A cycle with what was found about it, in words. */
export type ShownCycle = DayCycle & { readonly sentence: string; readonly sentences: InOtherLanguages };

/** A cycle as clients see it. */
export const shownCycle = (cycle: DayCycle): ShownCycle => {
  const { reason: sentence, reasons: sentences } = inWords(texts => texts.cycle(cycle));
  return { ...cycle, sentence, sentences };
};

/** A date of a calendar that is not ordinary. */
export type CalendarDay = {
  readonly date: string;
  readonly type: 'holiday' | 'bridge' | 'christmas' | 'special';
  readonly name: string | null;
};

/** Queries on calendars and special days. */
export const calendarQueries = (db: Database) => {
  const calendar = cell<[number], string>(db, 'select calendar from planning_calendars where source_id = ?');
  const cycles = cell<[number], string>(db, 'select cycles from planning_cycles where source_id = ?');
  const cyclesOf = (sourceId: number): Pick<PlanningCalendar, 'cycles'> => {
    const text = cycles(sourceId);
    return text === undefined ? {} : { cycles: parsed<readonly DayCycle[]>(text) };
  };
  const names = cell<[number], string>(db, 'select days from special_days where source_id = ?');
  const namesOf = (sourceId: number): SpecialDays => {
    const text = names(sourceId);
    return text === undefined ? noSpecialDays : parsed<SpecialDays>(text);
  };
  const specialDays = (sourceId: number): NamedDay[] => specialDayList(namesOf(sourceId));
  const calendarOf = (sourceId: number): Calendar | null => {
    const text = calendar(sourceId);
    return text === undefined ? null : parsed<Calendar>(text);
  };
  return {
    calendarOf,
    /** Names of dates of a source, by people and rules. */
    namesOf,
    /** Special days of a source, by date. */
    specialDays,
    planningCalendar: (sourceId: number): PlanningCalendar => ({
      holidays: calendarOf(sourceId)?.holidays ?? null,
      specials: specialDays(sourceId),
      ...cyclesOf(sourceId),
    }),
  };
};

/** Dates of a year that are not ordinary. */
export const markedDates = (year: number, { holidays, specials }: PlanningCalendar): CalendarDay[] => {
  const typeOf = dayTypes(holidays, specials);
  return datesOfYear(year).flatMap((date): CalendarDay[] => {
    const day = typeOf(dayNumber(date));
    return day.type === 'ordinary' ? [] : [{ date, type: day.type, name: 'name' in day ? day.name : null }];
  });
};

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
  ...inWords(({ noModels }) => noModels),
  share: null,
  alternatives: [],
  working: weekday(dayNumber(date)) < 5,
  dayType: { type: 'ordinary' },
  similar: 'none',
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
  const modelsKey = cell<[number], string>(
    db,
    `select event_id || '/' || coalesce(changed_id, '') from planning_bases where source_id = ?`,
  );
  const specialDaysEvent = cell<[number], string>(
    db,
    'select event_id from special_days where source_id = ?',
  );
  const baseOf = (sourceId: number): Base | undefined => {
    const key = modelsKey(sourceId);
    if (key === undefined) return undefined;
    return keptBase(sourceId, `${key}/${specialDaysEvent(sourceId) ?? ''}`, () => {
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
    setBy: cell<[sourceId: number], string>(db, 'select event_id from planning_bases where source_id = ?'),
    modelsKey: (sourceId: number): string | undefined => modelsKey(sourceId),
  };
};
