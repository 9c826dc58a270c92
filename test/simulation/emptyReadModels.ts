import { readModels } from '../../projections/readModels.js';
import { Database } from '../../adapters/sqlite/driver.js';

let file: Buffer | undefined;

/** A database of read models that hold nothing: to create its tables takes longer than to copy them. */
export const emptyReadModels = (): InstanceType<typeof Database> => {
  if (!file) {
    const db = new Database(':memory:');
    readModels(db);
    file = db.serialize();
    db.close();
  }
  return new Database(file);
};
