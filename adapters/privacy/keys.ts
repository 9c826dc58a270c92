import { hash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { derivedId } from '../../application/commands/commandHandler.js';
import { StoreUnavailable, Conflict, type EventStore } from '../../application/ports/eventStore.js';
import type { KeptKey, Person } from '../../application/ports/people.js';
import { guarded, opening } from '../sqlite/database.js';
import { Database } from '../sqlite/driver.js';
import type { PersonKeys } from './people.js';

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

const columns = 'select id, tenant, subject, secret, sum from person_keys left join key_sums using (id)';

/** The key of a row. @throws StoreUnavailable for one that does not fit its sum */
const soundKey = (file: string, row: KeyRow | undefined): KeptKey | undefined => {
  if (!row) return undefined;
  const { sum, ...key } = row;
  if (sum !== null && sum !== sumOf(key))
    throw new StoreUnavailable(
      `${file} has a damaged key of a person: restore it from a backup, or erase the person`,
    );
  return key;
};

/**
 * Returns a function that finds the key of an id in an open file, which it never changes.
 * @throws StoreUnavailable
 */
export const keysIn = (db: Database, file: string): ((id: string) => KeptKey | undefined) => {
  const hasSums = db.prepare(`select 1 from sqlite_master where name = 'key_sums'`).get() !== undefined;
  const all = hasSums ? columns : 'select id, tenant, subject, secret, null as sum from person_keys';
  const byId = db.prepare<[string], KeyRow>(`${all} where id = ?`);
  return id => guarded(() => soundKey(file, byId.get(id)));
};

/** Wait for a lock of another process, and before keys are overwritten that another process was reading, in ms. */
const busyMs = 5000;
const retryMs = 10_000;

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
  const byPerson = db.prepare<[string, string], KeyRow>(`${columns} where tenant = ? and subject = ?`);
  const byId = db.prepare<[string], KeyRow>(`${columns} where id = ?`);
  const insert = db.prepare(
    'insert or ignore into person_keys (id, tenant, subject, secret) values (?, ?, ?, ?)',
  );
  const insertSum = db.prepare('insert or ignore into key_sums (id, sum) values (?, ?)');
  const remove = db.prepare('delete from person_keys where id = ?');
  const removeSum = db.prepare('delete from key_sums where id = ?');

  const sound = (row: KeyRow | undefined) => soundKey(file, row);
  const keep = db.transaction((key: KeptKey): KeptKey => {
    if (insert.run(key.id, key.tenant, key.subject, key.secret).changes > 0)
      insertSum.run(key.id, sumOf(key));
    return sound(byPerson.get(key.tenant, key.subject)) ?? key;
  });
  const destroy = db.transaction((id: string): boolean => {
    removeSum.run(id);
    return remove.run(id).changes > 0;
  });

  let retry: NodeJS.Timeout | undefined;
  /** Overwrites destroyed keys in the write-ahead log; false while another process reads the file, or a disk fails. */
  const isOverwritten = (): boolean => {
    try {
      // The event loop must not wait for the other process.
      db.pragma('busy_timeout = 0');
      const [row] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
      return row?.busy === 0;
    } catch {
      return false;
    } finally {
      db.pragma(`busy_timeout = ${busyMs}`);
    }
  };
  const overwrite = (): void => {
    clearTimeout(retry);
    if (!isOverwritten()) retry = setTimeout(overwrite, retryMs).unref();
  };
  // The process may have ended between a deletion and this.
  overwrite();

  return {
    byPerson: async ({ tenant, subject }) => guarded(() => sound(byPerson.get(tenant, subject))),
    byId: async id => guarded(() => sound(byId.get(id))),
    idOf: async ({ tenant, subject }) => guarded(() => byPerson.get(tenant, subject)?.id),
    keep: async key => guarded(() => keep.immediate(key)),
    destroy: async id =>
      guarded(() => {
        if (destroy.immediate(id)) overwrite();
      }),
    close: () => {
      clearTimeout(retry);
      db.close();
    },
  };
};

type Stored = {
  readonly id: string;
  readonly tenant: string;
  readonly subject: string;
  readonly secret: string;
};

/** Maximum cached keys. */
const cachedMax = 10_000;

/**
 * Keys of people on an event store that instances share, outside the log. Each key is in two streams, found by its id
 * and by its person. Both are deleted with the key; a scavenge on the server overwrites them.
 * @param deleteStream  deletes a stream; with the revision of its last event only when it has no later one
 */
export const keyStreams = (
  { append, read }: Pick<EventStore, 'append' | 'read'>,
  deleteStream: (stream: string, revision?: number) => Promise<void>,
): PersonKeys => {
  const keyStream = (id: string): string => `personkey-${id}`;
  const personStream = ({ tenant, subject }: Person): string =>
    `person-${derivedId('person', tenant, subject)}`;
  /** Cache of keys, by both of their streams. A destroyed key is removed in every instance. */
  const cache = new LRUCache<string, KeptKey>({ max: cachedMax });

  /** Destroyed keys, which a read that began before does not put into the cache. */
  const destroyed = new LRUCache<string, true>({ max: cachedMax });

  /** The streams may be deleted already, by another instance. */
  const forget = (id: string): void => {
    destroyed.set(id, true);
    for (const [stream, key] of [...cache.entries()]) if (key.id === id) cache.delete(stream);
  };

  const lastStored = async (stream: string) => {
    let stored: { readonly data: Stored; readonly revision: number } | undefined;
    for await (const { data, revision } of read(stream)) stored = { data: data as Stored, revision };
    return stored;
  };
  const last = async (stream: string): Promise<KeptKey | undefined> => {
    const known = cache.get(stream);
    if (known) return known;
    const stored = await lastStored(stream);
    if (!stored) return undefined;
    const key = { ...stored.data, secret: Buffer.from(stored.data.secret, 'base64') };
    if (!destroyed.has(key.id)) cache.set(stream, key);
    return key;
  };

  const add = (stream: string, { id, tenant, subject, secret }: KeptKey) =>
    append(stream, 'absent', [
      {
        id: derivedId(stream, id),
        type: 'PersonKeyMade',
        v: 1,
        data: { id, tenant, subject, secret: secret.toString('base64') } satisfies Stored,
        metadata: { by: 'people', cause: id, correlation: id },
        at: '',
      },
    ]);

  return {
    byPerson: person => last(personStream(person)),
    byId: id => last(keyStream(id)),
    idOf: async person => (await last(personStream(person)))?.id,
    keep: async key => {
      await add(keyStream(key.id), key);
      try {
        await add(personStream(key), key);
        return key;
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        // Another instance created a key for this person at the same time.
        await deleteStream(keyStream(key.id));
        return (await last(personStream(key))) ?? key;
      }
    },
    destroy: async id => {
      const key = await last(keyStream(id));
      forget(id);
      if (!key) return;
      // Another instance may have destroyed the key already, and the person may have a new one.
      const present = await lastStored(personStream(key));
      if (present?.data.id === id) await deleteStream(personStream(key), present.revision);
      await deleteStream(keyStream(id));
      forget(id);
    },
    close: () => {},
  };
};
