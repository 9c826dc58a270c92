import type { Database } from 'better-sqlite3';
import { readModels, type ReadModels } from '../../projections/readModels.js';
import { guarded } from './database.js';

type Action<Args extends unknown[], Result> = (...args: Args) => Result;

/** An action whose errors of SQLite become errors of the event store. */
const guard =
  <Args extends unknown[], Result>(action: Action<Args, Result>): Action<Args, Result> =>
  (...args) =>
    guarded(() => action(...args));

/**
 * Read models whose writes, and whose tree, throw StorageFull or StoreUnavailable instead of errors of SQLite, so
 * that the application needs no driver. See `guarded`.
 */
export const guardWrites = (models: ReadModels): ReadModels => ({
  ...models,
  apply: guard(models.apply),
  project: guard(models.project),
  park: guard(models.park),
  resume: guard(models.resume),
  saveCheckpoint: guard(models.saveCheckpoint),
  begin: guard(models.begin),
  commit: guard(models.commit),
  useCatchUpCache: guard(models.useCatchUpCache),
  dropIndexes: guard(models.dropIndexes),
  createIndex: guard(models.createIndex),
  tree: {
    size: guard(models.tree.size),
    node: guard(models.tree.node),
    first: guard(models.tree.first),
    byEvent: guard(models.tree.byEvent),
  },
});

/** The read models of a database, with guarded writes. */
export const guardedReadModels = (db: Database, build = ''): ReadModels => guardWrites(readModels(db, build));
