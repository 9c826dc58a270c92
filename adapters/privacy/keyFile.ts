import { closeSync, openSync } from 'node:fs';
import { Database } from '../sqlite/driver.js';
import { guarded, opening } from '../sqlite/database.js';
import type { PersonKeys } from './people.js';
import type { KeptKey } from '../../application/ports/people.js';

/**
 * Keys of people in a SQLite file that only its owner can read, or in memory with `:memory:`. Deleted keys are
 * overwritten, in the file and in its write-ahead log.
 * @throws StoreUnavailable
 */
export const keyFile = (file: string): PersonKeys => {
  // SQLite creates its other files with the permissions of this file.
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600));
  const db = opening(file, () => {
    const opened = new Database(file);
    opened.pragma('journal_mode = WAL');
    opened.pragma('synchronous = FULL');
    opened.pragma('secure_delete = ON');
    opened.exec(`
      create table if not exists person_keys (
        id text primary key,
        tenant text not null,
        subject text not null,
        secret blob not null,
        unique (tenant, subject)
      ) strict, without rowid;`);
    return opened;
  });
  const byPerson = db.prepare<[string, string], KeptKey>(
    'select * from person_keys where tenant = ? and subject = ?',
  );
  const byId = db.prepare<[string], KeptKey>('select * from person_keys where id = ?');
  const insert = db.prepare(
    'insert or ignore into person_keys (id, tenant, subject, secret) values (?, ?, ?, ?)',
  );
  const remove = db.prepare('delete from person_keys where id = ?');

  return {
    byPerson: async ({ tenant, subject }) => guarded(() => byPerson.get(tenant, subject)),
    byId: async id => guarded(() => byId.get(id)),
    keep: async key =>
      guarded(() => {
        insert.run(key.id, key.tenant, key.subject, key.secret);
        return byPerson.get(key.tenant, key.subject) ?? key;
      }),
    destroy: async id =>
      guarded(() => {
        if (remove.run(id).changes > 0) db.pragma('wal_checkpoint(TRUNCATE)');
      }),
    close: () => db.close(),
  };
};
