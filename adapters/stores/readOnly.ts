import { existsSync, readFileSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Exported } from '../audit/exported.js';
import { guarded } from './database.js';

/** A file that is no log of Daybook. */
export class NoLog extends Error {
  readonly name = 'NoLog';
}

/** A log up to this size is read as a whole when nobody works on it. */
const wholeBytesMax = 100_000_000;
const pageSize = 200;

/**
 * A database to be read, also while others write it. SQLite needs two files beside one that others may be writing, and
 * would leave them behind; where they are not there nobody is, and a copy in memory leaves no trace and needs no right
 * to write.
 */
export const openReadOnly = (file: string): Database.Database => {
  if (existsSync(`${file}-wal`) || statSync(file).size > wholeBytesMax)
    return new Database(file, { readonly: true, fileMustExist: true });
  const bytes = readFileSync(file);
  // Bytes 18 and 19 of the header say that there is a log of writes beside the file: in memory there is none.
  if (bytes.length > 19) bytes.fill(1, 18, 20);
  return new Database(bytes);
};

type Row = Omit<Exported, 'data' | 'metadata' | 'hash'> & {
  readonly position: number;
  readonly data: string;
  readonly metadata: string;
  readonly hash: string | null;
};

/**
 * The events of a file of the embedded store in the order of the log, as far as it has come, also while a service
 * works on it. Nothing is written, not even a missing column.
 * @throws NoLog, StoreUnavailable
 */
export async function* eventsOfFile(file: string): AsyncGenerator<Exported> {
  const db = guarded(() => openReadOnly(file));
  try {
    const columns = db.prepare<[], string>(`select name from pragma_table_info('events')`).pluck().all();
    if (columns.length === 0) throw new NoLog(`${file} is no log of Daybook`);
    const hash = columns.includes('hash') ? 'hash' : 'null as hash';
    const page = db.prepare<[number], Row>(
      `select position, id, stream, revision, type, v, at, data, metadata, ${hash} from events
       where position > ? order by position limit ${pageSize}`,
    );
    for (let after = 0; ;) {
      const rows = guarded(() => page.all(after));
      for (const { position, data, metadata, hash: own, ...row } of rows) {
        after = position;
        yield {
          ...row,
          data: JSON.parse(data) as unknown,
          metadata: JSON.parse(metadata) as Exported['metadata'],
          ...(own !== null && { hash: own }),
        };
      }
      if (rows.length < pageSize) return;
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && ['SQLITE_ERROR', 'SQLITE_NOTADB'].includes(error.code))
      throw new NoLog(`${file} is no log of Daybook`);
    throw error;
  } finally {
    db.close();
  }
}
