import type { Database } from 'better-sqlite3';
import type { EventOf } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import type { Base } from './bases.js';
import { overrideMover } from './overrides.js';
import { parsed } from '../readModel.js';

/** Returns a function that stores new models for the planning and moves the overrides to them. */
export const modelsWriter = (db: Database) => {
  const setBase = db.prepare(
    `insert or replace into planning_bases (source_id, models, assignments, learned, checks, event_id, moved)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const moveOverrides = overrideMover(db);
  const setCalendar = db.prepare(
    'insert or replace into planning_calendars (source_id, calendar) values (?, ?)',
  );
  const clearCalendar = db.prepare('delete from planning_calendars where source_id = ?');
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
    }
  };
};

/** Returns a function that changes a model of the planning. */
export const modelChanger = (db: Database) => {
  const models = db
    .prepare<[number], string>('select models from planning_bases where source_id = ?')
    .pluck();
  const setModels = db.prepare('update planning_bases set models = ?, changed_id = ? where source_id = ?');
  const setAssignments = db.prepare('update planning_bases set assignments = ? where source_id = ?');
  return (event: EventOf<'ModelDescribed' | 'ModelAnomalyChanged'>): void => {
    const sourceId = sourceOf(event.stream);
    const { modelId } = event.data;
    const changed = 'name' in event.data ? { name: event.data.name } : { anomaly: event.data.anomaly };
    const before = parsed<Base['models']>(models.get(sourceId) ?? '[]');
    const after = before.map(model => (model.id === modelId ? { ...model, ...changed } : model));
    setModels.run(JSON.stringify(after), event.id, sourceId);
    if ('assignments' in event.data) setAssignments.run(JSON.stringify(event.data.assignments), sourceId);
  };
};
