import { dayMs } from '../../../domain/dates.js';
import type { Database } from 'better-sqlite3';
import type { Logger } from 'pino';
import type { Environment } from '../../../application/ports/environment.js';
import { system } from '../../environment.js';
import {
  disposable,
  hasTables,
  logEndOf,
  logEndTable,
  OutdatedDatabase,
  requireTables,
} from '../../sqlite/database.js';
import type { Answer } from '../route.js';
import { keptDays, keyInUse, keyReused, type KeptResponses } from './keptResponses.js';

type Row = { readonly digest: string; readonly command_id: string; readonly answer: string | null };

const tables = [
  `CREATE TABLE answers (
    holder text not null,
    key_digest text not null,
    digest text not null,
    command_id text not null,
    begun_at text not null,
    answer text,
    primary key (holder, key_digest)
  ) strict, without rowid`,
  'CREATE INDEX answers_by_age on answers (begun_at)',
  logEndTable,
];

/** Expired responses that are deleted at once, and the pause until the next ones, in which others have their turn. */
const purgedMax = 500;
const purgePauseMs = 20;

/** The tables of earlier versions, which had the text of keys. */
const tablesWithKeys = tables.slice(0, 2).map(sql => sql.replaceAll('key_digest', 'key'));

/**
 * Prepares the statements; creates the table in an empty database.
 * @throws OtherDatabase when the database has other contents; OutdatedDatabase when it has the text of keys
 */
const statementsOn = (db: Database) => {
  if (hasTables(db, tablesWithKeys))
    throw new OutdatedDatabase('kept responses of an earlier version have the text of their keys');
  requireTables(db, tables, 'not a database of kept responses');
  const keep = db.prepare('update answers set answer = ? where holder = ? and key_digest = ?');
  const logEnd = logEndOf(db);
  const cut = db.prepare<[bigint]>(
    `update answers set answer = null
     where case when json_valid(answer) then json_extract(answer, '$.logEnd') > ? end`,
  );
  return {
    one: db.prepare<[string, string], Row>(
      'select digest, command_id, answer from answers where holder = ? and key_digest = ?',
    ),
    start: db.prepare(
      'insert into answers (holder, key_digest, digest, command_id, begun_at) values (?, ?, ?, ?, ?)',
    ),
    keep: db.transaction((holder: string, key: string, text: string, end: bigint): void => {
      keep.run(text, holder, key);
      logEnd.raise.run(end);
    }),
    forget: db.prepare('delete from answers where holder = ? and key_digest = ?'),
    /** Removes responses kept after the end, and returns their number; a file of an earlier version is read once. */
    cutTo: db.transaction((end: bigint): number => {
      const highest = logEnd.highest.get();
      if (highest !== undefined && highest <= end) return 0;
      logEnd.set.run(end);
      return cut.run(end).changes;
    }),
    purge: db.prepare<[string]>(
      `delete from answers where (holder, key_digest) in (
         select holder, key_digest from answers indexed by answers_by_age where begun_at < ? limit ${purgedMax})`,
    ),
    clear: db.prepare('delete from answers'),
  };
};

/** A kept response with the end of the log when it was kept; earlier versions stored none. */
type StoredAnswer = Answer & { readonly logEnd?: number };

/** A kept response; undefined for damaged text, which SQLite does not detect. */
const answerOf = (text: string): Answer | undefined => {
  try {
    const stored = JSON.parse(text) as Partial<StoredAnswer> | null;
    if (typeof stored?.status !== 'number') return undefined;
    const { logEnd: _, ...answer } = stored as StoredAnswer;
    return answer;
  } catch {
    return undefined;
  }
};

/** How often expired responses are deleted. */
const purgeEveryMs = 3_600_000;

/**
 * Kept responses of one instance in a SQLite file, or in memory for `:memory:`. A damaged file, or a file with other
 * contents, such as the text of keys that earlier versions stored, is replaced by an empty one: repeated requests are
 * then new ones.
 * @param logEnd last position of the log
 */
export const keptResponsesIn = (
  file: string,
  { newId, nowMs, after }: Pick<Environment, 'newId' | 'nowMs' | 'after'> = system,
  logger?: Pick<Logger, 'warn'>,
  logEnd = (): bigint => 0n,
): KeptResponses => {
  const { use, close } = disposable(file, statementsOn, why =>
    logger?.warn({ err: why }, 'kept responses cannot be read; replacing them'),
  );
  let cancelPurge = (): void => {};
  const purge = (): void => {
    let waitMs = purgeEveryMs;
    try {
      const { changes } = use(({ purge }) => purge.run(new Date(nowMs() - keptDays * dayMs).toISOString()));
      if (changes === purgedMax) waitMs = purgePauseMs;
    } catch (error) {
      logger?.warn({ err: error }, 'expired kept responses cannot be deleted; retrying in an hour');
    }
    cancelPurge = after(waitMs, purge);
  };
  purge();
  const underWay = new Set<string>();
  const nameOf = (holder: string, key: string) => JSON.stringify([holder, key]);

  return {
    begin: async (holder, key, digest, at) => {
      const name = nameOf(holder, key);
      if (underWay.has(name)) throw keyInUse();
      const known = use(({ one }) => one.get(holder, key));
      if (known && known.digest !== digest) throw keyReused();
      const answer = known?.answer ? answerOf(known.answer) : undefined;
      if (answer) return { answer };
      const id = known?.command_id ?? newId();
      if (!known) use(({ start }) => start.run(holder, key, digest, id, at));
      underWay.add(name);
      return { id, isRetry: known !== undefined };
    },
    keep: async (holder, key, answer) => {
      underWay.delete(nameOf(holder, key));
      const end = logEnd();
      const stored: StoredAnswer = { ...answer, logEnd: Number(end) };
      use(({ keep }) => keep.immediate(holder, key, JSON.stringify(stored), end));
      return answer;
    },
    // Earlier attempts have ended: this is the only instance.
    refuse: async (holder, key) => {
      underWay.delete(nameOf(holder, key));
      use(({ forget }) => forget.run(holder, key));
      return false;
    },
    leave: (holder, key) => {
      underWay.delete(nameOf(holder, key));
    },
    cutTo: end => use(({ cutTo }) => cutTo.immediate(end)),
    clear: () => {
      use(({ clear }) => clear.run());
    },
    close: () => {
      cancelPurge();
      close();
    },
  };
};
