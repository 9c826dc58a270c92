import { hash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { StoreUnavailable } from '../../application/ports/eventStore.js';
import { Database } from '../sqlite/driver.js';
import { guarded, opening } from '../sqlite/database.js';
import type { PersonKeys } from './people.js';
import type { KeptKey } from '../../application/ports/people.js';

/** A key as it is stored; `sum` is null when it is lost. */
type KeyRow = KeptKey & { readonly sum: string | null };

/** Sum over everything that is stored of a key: with a flipped bit its person would look like an erased one. */
const sumOf = ({ id, tenant, subject, secret }: KeptKey): string =>
  hash('sha256', JSON.stringify([id, tenant, subject, secret])).slice(0, 16);

const tables = `
  create table if not exists person_keys (
    id text primary key,
    tenant text not null,
    subject text not null,
    secret blob not null,
    unique (tenant, subject)
  ) strict, without rowid;
  create table if not exists key_sums (
    id text primary key,
    sum text not null
  ) strict, without rowid;`;

/** Adds the sums of keys that older versions have stored. */
const addSums = (db: Database): void => {
  const without = db
    .prepare<[], KeptKey>('select * from person_keys where id not in (select id from key_sums)')
    .all();
  const add = db.prepare('insert or ignore into key_sums (id, sum) values (?, ?)');
  if (without.length > 0)
    db.transaction(() => without.forEach(key => add.run(key.id, sumOf(key)))).immediate();
};

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
    opened.exec(tables);
    addSums(opened);
    return opened;
  });
  const columns = 'select id, tenant, subject, secret, sum from person_keys left join key_sums using (id)';
  const byPerson = db.prepare<[string, string], KeyRow>(`${columns} where tenant = ? and subject = ?`);
  const byId = db.prepare<[string], KeyRow>(`${columns} where id = ?`);
  const insert = db.prepare(
    'insert or ignore into person_keys (id, tenant, subject, secret) values (?, ?, ?, ?)',
  );
  const insertSum = db.prepare('insert or ignore into key_sums (id, sum) values (?, ?)');
  const remove = db.prepare('delete from person_keys where id = ?');
  const removeSum = db.prepare('delete from key_sums where id = ?');

  const sound = (row: KeyRow | undefined): KeptKey | undefined => {
    if (!row) return undefined;
    const { sum, ...key } = row;
    if (sum !== null && sum !== sumOf(key))
      throw new StoreUnavailable(`${file} has a damaged key of a person: restore it from a backup`);
    return key;
  };
  const keep = db.transaction((key: KeptKey): KeptKey => {
    if (insert.run(key.id, key.tenant, key.subject, key.secret).changes > 0)
      insertSum.run(key.id, sumOf(key));
    return sound(byPerson.get(key.tenant, key.subject)) ?? key;
  });
  const destroy = db.transaction((id: string): boolean => {
    removeSum.run(id);
    return remove.run(id).changes > 0;
  });

  return {
    byPerson: async ({ tenant, subject }) => guarded(() => sound(byPerson.get(tenant, subject))),
    byId: async id => guarded(() => sound(byId.get(id))),
    keep: async key => guarded(() => keep.immediate(key)),
    destroy: async id =>
      guarded(() => {
        if (destroy.immediate(id)) db.pragma('wal_checkpoint(TRUNCATE)');
      }),
    close: () => db.close(),
  };
};
