import type { Database } from 'better-sqlite3';
import { datesOfYear } from '../domain/dates.js';
import { sourceOf } from '../domain/streams.js';
import { statedBounds } from '../domain/planning/editedModels.js';
import type { Assignment, CheckFacts, TypicalDays } from '../domain/planning/models.js';
import type { DayPlan } from '../domain/planning/planning.js';
import { shownModel, inWords } from '../domain/planning/planTexts.js';
import {
  baseReader,
  planWithoutModels,
  type Base,
  calendarQueries,
  shownCalendar,
  markedDates,
  type ShownCalendar,
  type CalendarDay,
  type MovedOverride,
  overrideMover,
  specialDaysWriter,
} from './planningBases.js';
import { cell, oneByOne, parsed, type ReadModel, type SourceMemo } from './readModel.js';
import type { EventOf } from '../domain/events.js';

/** Returns a function that stores new models for the planning and moves the overrides to them. */
const modelsWriter = (db: Database) => {
  const setBase = db.prepare(
    `insert or replace into planning_bases (source_id, models, assignments, learned, checks, event_id, moved)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const moveOverrides = overrideMover(db);
  const setCalendar = db.prepare(
    'insert or replace into planning_calendars (source_id, calendar) values (?, ?)',
  );
  const clearCalendar = db.prepare('delete from planning_calendars where source_id = ?');
  const setCycles = db.prepare('insert or replace into planning_cycles (source_id, cycles) values (?, ?)');
  const clearCycles = db.prepare('delete from planning_cycles where source_id = ?');
  return (event: EventOf<'ModelsReset' | 'ModelsReplaced'>): void => {
    const sourceId = sourceOf(event.stream);
    const { models, assignments, overrides } = event.data;
    const moved = moveOverrides(sourceId, overrides, models);
    const { bounds, hitRate, checks } =
      event.type === 'ModelsReset' ? event.data : { bounds: null, hitRate: null, checks: null };
    setBase.run(
      sourceId,
      JSON.stringify(models.map(({ id, name, anomaly }) => ({ id, name, anomaly }))),
      JSON.stringify(assignments),
      JSON.stringify({ bounds, hitRate }),
      JSON.stringify(checks),
      event.id,
      JSON.stringify(moved),
    );
    if (event.type === 'ModelsReset') {
      if (event.data.calendar) setCalendar.run(sourceId, JSON.stringify(event.data.calendar));
      else clearCalendar.run(sourceId);
      if (event.data.cycles) setCycles.run(sourceId, JSON.stringify(event.data.cycles));
      else clearCycles.run(sourceId);
    }
  };
};

/** Returns a function that changes a model of the planning. */
const modelChanger = (db: Database) => {
  const models = cell<[number], string>(db, 'select models from planning_bases where source_id = ?');
  const setModels = db.prepare('update planning_bases set models = ?, changed_id = ? where source_id = ?');
  const setAssignments = db.prepare('update planning_bases set assignments = ? where source_id = ?');
  return (event: EventOf<'ModelDescribed' | 'ModelAnomalyChanged'>): void => {
    const sourceId = sourceOf(event.stream);
    const { modelId } = event.data;
    const changed = 'name' in event.data ? { name: event.data.name } : { anomaly: event.data.anomaly };
    const before = parsed<Base['models']>(models(sourceId) ?? '[]');
    const after = before.map(model => (model.id === modelId ? { ...model, ...changed } : model));
    setModels.run(JSON.stringify(after), event.id, sourceId);
    if ('assignments' in event.data) setAssignments.run(JSON.stringify(event.data.assignments), sourceId);
  };
};

/** Measurements of the current models: null when people supplied the models. The calendar is kept then. */
export type LearnedFacts = {
  readonly bounds: TypicalDays['bounds'] | null;
  readonly hitRate: number | null;
  readonly calendar: ShownCalendar | null;
};

/** Read model of calendars, plans and overrides. */
export const planningModel: ReadModel = {
  name: 'planning',
  version: 8,
  schema: `
    create table planning_bases (
      source_id integer primary key,
      models text not null,
      assignments text not null,
      learned text not null,
      -- Measurements for checks; not part of any answer.
      checks text not null,
      event_id text not null,
      -- What these models did to the overrides of those before.
      moved text not null,
      -- The last event that changed a model.
      changed_id text
    ) strict;
    -- The calendar of the last analysis; kept when people replace the models.
    create table planning_calendars (
      source_id integer primary key,
      calendar text not null
    ) strict;
    -- Cycles that are no week, of the last analysis; kept when people replace the models.
    create table planning_cycles (
      source_id integer primary key,
      cycles text not null
    ) strict;
    -- Names of dates by people and rules, and the last event that changed them.
    create table special_days (
      source_id integer primary key,
      days text not null,
      event_id text not null
    ) strict;
    create table planning_overrides (
      source_id integer not null,
      date text not null,
      model_id integer not null,
      planned_by text not null,
      planned_at text not null,
      -- Name of the model that the person chose, when newer models have replaced it.
      carried_from text,
      primary key (source_id, date)
    ) strict, without rowid;`,
  applyBatch: db => {
    const setModels = modelsWriter(db);
    const changeModel = modelChanger(db);
    const override = db.prepare(
      `insert into planning_overrides (source_id, date, model_id, planned_by, planned_at) values (?, ?, ?, ?, ?)
       on conflict (source_id, date) do update set model_id = excluded.model_id, planned_by = excluded.planned_by,
         planned_at = excluded.planned_at, carried_from = null`,
    );
    const clearOverride = db.prepare('delete from planning_overrides where source_id = ? and date = ?');
    const nameDays = specialDaysWriter(db);
    return oneByOne(event => {
      const sourceId = sourceOf(event.stream);
      switch (event.type) {
        case 'SourceCreated':
        case 'SpecialDayNamed':
        case 'SpecialDayCleared':
        case 'CalendarRuleApplied':
        case 'CalendarRuleWithdrawn':
          nameDays(event);
          break;
        case 'ModelsReset':
        case 'ModelsReplaced':
          setModels(event);
          break;
        case 'ModelDescribed':
        case 'ModelAnomalyChanged':
          changeModel(event);
          break;
        case 'DayPlanned':
          override.run(sourceId, event.data.date, event.data.modelId, event.metadata.by, event.at);
          break;
        case 'DayPlanCleared':
          clearOverride.run(sourceId, event.data.date);
          break;
      }
    });
  },
};

type OverrideRow = {
  readonly model_id: number;
  readonly planned_by: string;
  readonly carried_from: string | null;
};

/** The plan of a date that a person overrode. The automatic plan becomes its first alternative. */
const overridden = (
  { models, plan }: Base,
  date: string,
  { model_id: modelId, planned_by: by, carried_from: carriedFrom }: OverrideRow,
): DayPlan => {
  const { modelId: automaticId, share, alternatives, ...automaticPlan } = plan(date);
  const automatic =
    automaticId === null || share === null ? [] : [{ modelId: automaticId, share }, ...alternatives];
  const name = models.find(({ id }) => id === modelId)?.name ?? '';
  return {
    ...automaticPlan,
    modelId,
    origin: 'manual',
    ...inWords(({ setBy }, nameOf) =>
      setBy(nameOf(shownModel({ name })), by, carriedFrom && nameOf(shownModel({ name: carriedFrom }))),
    ),
    share: automatic.find(other => other.modelId === modelId)?.share ?? null,
    alternatives: automatic.filter(other => other.modelId !== modelId).slice(0, 3),
  };
};

/** Queries on the planning, automatic or overridden by a person. */
export const planningQueries = (db: Database, bases: SourceMemo<Base | undefined>) => {
  const { calendarOf, specialDays, namesOf, planningCalendar } = calendarQueries(db);
  const { baseOf, setBy, modelsKey } = baseReader(db, planningCalendar, bases);
  const override = db.prepare<[number, string], OverrideRow>(
    'select model_id, planned_by, carried_from from planning_overrides where source_id = ? and date = ?',
  );
  const learned = cell<[number], string>(db, 'select learned from planning_bases where source_id = ?');
  const moved = cell<[number], string>(db, 'select moved from planning_bases where source_id = ?');
  const shown = (sourceId: number): ShownCalendar | null => {
    const calendar = calendarOf(sourceId);
    return calendar && shownCalendar(calendar);
  };
  const day = (sourceId: number, date: string): DayPlan => {
    const base = baseOf(sourceId);
    if (!base) return planWithoutModels(date);
    const manual = override.get(sourceId, date);
    return manual ? overridden(base, date, manual) : base.plan(date);
  };

  return {
    /** Plan of one date. */
    day,
    /** Plans of all dates of a year. */
    year: (sourceId: number, year: number): DayPlan[] => datesOfYear(year).map(date => day(sourceId, date)),
    /** Id of the event that set the current models. */
    setBy,
    /** Overrides that the current models moved from those before, or dropped, by date. */
    moved: (sourceId: number): MovedOverride[] => parsed<MovedOverride[]>(moved(sourceId) ?? '[]'),
    /** Key of the current models: another one after each change of them. */
    modelsKey,
    specialDays,
    namesOf,
    /** Measurements of the current models. */
    learned: (sourceId: number): LearnedFacts => {
      const text = learned(sourceId) ?? '{"bounds":null,"hitRate":null}';
      const { bounds, hitRate } = parsed<Pick<LearnedFacts, 'bounds' | 'hitRate'>>(text);
      return { bounds: bounds && statedBounds(bounds), hitRate, calendar: shown(sourceId) };
    },
    /** Measurements that checks need; null when people supplied the models. */
    checks: (sourceId: number): CheckFacts | null => baseOf(sourceId)?.checks ?? null,
    /** Names of the current models by id. */
    modelNames: (sourceId: number): ReadonlyMap<number, string> =>
      new Map(baseOf(sourceId)?.models.map(({ id, name }) => [id, name])),
    /** Dates of a year that are not ordinary, and the calendar that they come from. */
    calendar: (
      sourceId: number,
      year: number,
    ): { readonly days: CalendarDay[]; readonly calendar: ShownCalendar | null } => ({
      days: markedDates(year, planningCalendar(sourceId)),
      calendar: shown(sourceId),
    }),
    /** Reference days with their models. */
    assignedDays: (sourceId: number): readonly Assignment[] => baseOf(sourceId)?.assignments ?? [],
    /** Nearest model of each reference day, by date. */
    assignments: (sourceId: number): ReadonlyMap<string, number> =>
      new Map(baseOf(sourceId)?.assignments.map(({ date, modelId }) => [date, modelId])),
  };
};
