import type { Database } from 'better-sqlite3';
import type { openReadModels } from '../adapters/composition/openLog.js';

/**
 * Returns a function that writes the rows of finished read models into new ones, each row with one insert, and then
 * the indexes: the least work of a rebuild. The rows are kept in memory.
 */
export const rowCopier = (finished: Database): ((to: ReturnType<typeof openReadModels>) => void) => {
  const names = finished
    .prepare<[], string>(`select name from sqlite_master where type = 'table' and name <> 'shapes'`)
    .pluck()
    .all();
  const tables = names.map(name => ({
    name,
    rows: finished.prepare<[], readonly unknown[]>(`select * from "${name}"`).raw().all(),
  }));
  return ({ db, models }) => {
    models.begin();
    models.dropIndexes();
    for (const { name, rows } of tables) {
      if (rows.length === 0) continue;
      const insert = db.prepare(`insert into "${name}" values (${rows[0]?.map(() => '?').join(', ')})`);
      for (const row of rows) insert.run(row);
    }
    models.commit();
    while (models.createIndex());
  };
};
