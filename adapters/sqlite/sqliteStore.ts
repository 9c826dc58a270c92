import { written, type LogTaken, type OpenEventStore } from '../../application/eventStore.js';
import { guarded, opening } from './database.js';
import { Database } from './driver.js';
import { groupCommit } from './groupCommit.js';
import { addHashColumn, logSchema, requireOurs } from './logSchema.js';
import { appendTransaction, pageSize, pageStatements, recorded } from './logStatements.js';

/** Adds the column of hashes to logs of the first version; their events keep none. */
const addHashes = (db: Database): void => {
  const known = db.prepare(`select 1 from pragma_table_info('events') where name = 'hash'`).get();
  if (!known) db.exec(addHashColumn);
};

const hasEvents = (db: Database): boolean =>
  db.prepare(`select 1 from sqlite_schema where name = 'events' or tbl_name = 'events'`).get() !== undefined;

/**
 * Opens a log file, or creates it.
 * @throws StoreUnavailable when the file cannot be opened, UnusableLog as `requireOurs`
 */
const openLog = (file: string): Database =>
  opening(file, () => {
    const opened = new Database(file);
    try {
      opened.pragma('journal_mode = WAL');
      opened.pragma('synchronous = FULL');
      // Checked before anything is created.
      if (hasEvents(opened)) requireOurs(opened, file);
      opened.exec(logSchema);
      opened.transaction(addHashes).immediate(opened);
      opened.defaultSafeIntegers();
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
/**
 * The embedded store: one SQLite file in WAL mode. With `synchronous=FULL` an acknowledged event survives a power
 * failure.
 * @param taken  see `groupCommit`
 * @throws as `openLog`
 */
export const sqliteStore = (file: string, taken?: (error: LogTaken) => void): OpenEventStore => {
  const db = openLog(file);
  const append = appendTransaction(db);
  // Pages, because better-sqlite3 refuses writes while a statement is iterated.
  const pages = pageStatements(db);
  const group = groupCommit(db, file, taken);

  return {
    append: async (stream, expected, events) => {
      const texts = written(stream, events);
      return group.add(() => guarded(() => append(stream, expected, texts)));
    },

    async *read(stream, from = 0) {
      for (let next = from; ;) {
        const rows = guarded(() => pages.byStream.all(stream, next));
        for (const row of rows) yield recorded(row);
        if (rows.length < pageSize) return;
        next += rows.length;
      }
    },

    async *all(after, types) {
      const typeList = types && JSON.stringify(types);
      for (let position = after; ;) {
        const rows = guarded(() =>
          typeList === undefined ? pages.all.all(position) : pages.byTypes.all(position, typeList),
        );
        for (const row of rows) yield recorded(row);
        const lastRow = rows.at(-1);
        if (!lastRow || rows.length < pageSize) return;
        position = lastRow[0];
      }
    },

    close: async () => {
      group.flush();
      db.close();
    },
  };
};
