import type { Database } from 'better-sqlite3';
import { datesOfYear } from '../domain/dates.js';
import { sourceOf } from '../domain/events.js';
import type { Assignment, Model } from '../domain/models.js';
import { planner, type DayPlan } from '../domain/planning.js';
import { parsed, type ReadModel } from './readModel.js';

export const planningModel: ReadModel = {
  name: 'planning',
  version: 1,
  schema: `
    create table planning_bases (
      source_id integer primary key,
      models text not null,
      assignments text not null,
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
      'insert or replace into planning_bases (source_id, models, assignments, event_id) values (?, ?, ?, ?)',
    );
    const override = db.prepare(
      `insert or replace into planning_overrides (source_id, date, model_id, planned_by, planned_at)
       values (?, ?, ?, ?, ?)`,
    );
    const clear = db.prepare('delete from planning_overrides where source_id = ? and date = ?');
    const clearAll = db.prepare('delete from planning_overrides where source_id = ?');
    return event => {
      const sourceId = sourceOf(event.stream);
      switch (event.type) {
        case 'ModelsReset':
        case 'ModelsReplaced': {
          const { models, assignments } = event.data;
          const planned = models.map(({ id, name, anomaly }) => ({ id, name, anomaly }));
          base.run(sourceId, JSON.stringify(planned), JSON.stringify(assignments), event.id);
          clearAll.run(sourceId);
          break;
        }
        case 'DayPlanned':
          override.run(sourceId, event.data.date, event.data.modelId, event.metadata.by, event.at);
          break;
        case 'DayPlanCleared':
          clear.run(sourceId, event.data.date);
          break;
      }
    };
  },
};

type Base = {
  readonly models: readonly Pick<Model, 'id' | 'name' | 'anomaly'>[];
  readonly assignments: readonly Assignment[];
  readonly plan: (date: string) => DayPlan;
};

/** Planners kept ready; each holds a year of assignments. */
const cachedMax = 200;

/** Questions about the planning: automatic, but where a person has overridden it. */
export const planningQueries = (db: Database) => {
  const base = db.prepare<[number], { models: string; assignments: string; event_id: string }>(
    'select models, assignments, event_id from planning_bases where source_id = ?',
  );
  const baseId = db
    .prepare<[number], string>('select event_id from planning_bases where source_id = ?')
    .pluck();
  const override = db.prepare<[number, string], { model_id: number; planned_by: string }>(
    'select model_id, planned_by from planning_overrides where source_id = ? and date = ?',
  );
  const cache = new Map<string, Base>();

  const baseOf = (sourceId: number): Base | undefined => {
    const id = baseId.get(sourceId);
    if (id === undefined) return undefined;
    const known = cache.get(id);
    if (known) return known;
    const row = base.get(sourceId);
    if (!row) return undefined;
    const models = parsed<Base['models']>(row.models);
    const assignments = parsed<Assignment[]>(row.assignments);
    const made = { models, assignments, plan: planner(models, assignments) };
    cache.set(id, made);
    const oldest = cache.keys().next().value;
    if (cache.size > cachedMax && oldest !== undefined) cache.delete(oldest);
    return made;
  };

  const day = (sourceId: number, date: string): DayPlan => {
    const made = baseOf(sourceId);
    if (!made) return { date, modelId: null, origin: 'automatic', reason: 'the source has no models yet' };
    const manual = override.get(sourceId, date);
    if (!manual) return made.plan(date);
    const name = made.models.find(({ id }) => id === manual.model_id)?.name;
    return {
      date,
      modelId: manual.model_id,
      origin: 'manual',
      reason: `set to "${name}" by ${manual.planned_by}`,
    };
  };

  return {
    day,
    /** The id of the event that set the present models. */
    setBy: (sourceId: number): string | undefined => baseId.get(sourceId),
    /** Every date of a year. */
    year: (sourceId: number, year: number): DayPlan[] => datesOfYear(year).map(date => day(sourceId, date)),
    /** Which model each reference day belongs to. */
    assignments: (sourceId: number): ReadonlyMap<string, number> =>
      new Map(baseOf(sourceId)?.assignments.map(({ date, modelId }) => [date, modelId])),
  };
};
