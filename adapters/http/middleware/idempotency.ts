import type { Database } from 'better-sqlite3';
import type { Logger } from 'pino';
import { system } from '../../environment.js';
import type { Environment } from '../../../application/environment.js';
import { disposable, OtherDatabase } from '../../sqlite/database.js';
import { Problem } from './problems.js';
import type { CommandMetadata } from '../../../application/commandHandler.js';
import type { Answer } from '../route.js';

/**
 * First answers by Idempotency-Key, so that a repeated POST gets the same answer again. They are not part
 * of the history. Each try of a request runs its commands under one id, and a command that ran already does
 * nothing when it runs again, so a crash before the answer is kept costs nothing. Without them a repeated
 * request is a new one.
 */
export type KeptResponses = {
  /**
   * Begins a request under a key. Answers the id for its commands, the same at each try, or the first
   * answer if there is one.
   * @param digest of method, address and body: what the key was first used for
   * @throws Problem 422 when the key stands for another request, 409 while the first try is at work
   */
  readonly begin: (
    holder: string,
    key: string,
    digest: string,
    at: string,
  ) => Promise<Pick<CommandMetadata, 'id' | 'isRetry'> | { readonly answer: Answer }>;
  /** Keeps the answer of a request that began. */
  readonly keep: (holder: string, key: string, answer: Answer) => Promise<void>;
  /** Forgets a request that began and was refused: its key may be used again, for another body too. */
  readonly forget: (holder: string, key: string) => Promise<void>;
  /** Ends a try whose outcome is not known; the same request may be tried again. */
  readonly leave: (holder: string, key: string) => void;
  /** Forgets everything that is of this folder's log alone. */
  readonly clear: () => void;
  readonly close: () => void;
};

/** How long answers are kept. */
export const keptDays = 7;

export const keyInUse = (): Problem =>
  new Problem(409, 'keyInUse', 'the first request with this Idempotency-Key is still at work');
export const keyReused = (): Problem =>
  new Problem(422, 'keyReused', 'this Idempotency-Key was used for another request');

type Row = { readonly digest: string; readonly command_id: string; readonly answer: string | null };

const tables = [
  `CREATE TABLE answers (
    holder text not null,
    key text not null,
    digest text not null,
    command_id text not null,
    begun_at text not null,
    answer text,
    primary key (holder, key)
  ) strict, without rowid`,
  'CREATE INDEX answers_by_age on answers (begun_at)',
];

/**
 * The statements on a database of kept answers.
 * @throws OtherDatabase when it holds anything else
 */
const statementsOn = (db: Database) => {
  // SQLite keeps the text of a table as it was given, without the spaces of its lines.
  const plain = (sql: string): string => sql.replaceAll(/\s+/g, ' ');
  const there = db
    .prepare<[], string>('select sql from sqlite_master where sql is not null order by type desc')
    .pluck()
    .all();
  if (there.length === 0) for (const sql of tables) db.exec(sql);
  else if (there.map(plain).join() !== tables.map(plain).join())
    throw new OtherDatabase('this is no database of kept answers');
  return {
    one: db.prepare<[string, string], Row>(
      'select digest, command_id, answer from answers where holder = ? and key = ?',
    ),
    start: db.prepare(
      'insert into answers (holder, key, digest, command_id, begun_at) values (?, ?, ?, ?, ?)',
    ),
    keep: db.prepare('update answers set answer = ? where holder = ? and key = ?'),
    forget: db.prepare('delete from answers where holder = ? and key = ?'),
    purge: db.prepare('delete from answers where begun_at < ?'),
    clear: db.prepare('delete from answers'),
  };
};

/** A kept answer; undefined where its text is damaged, which SQLite does not notice. */
const answerOf = (text: string): Answer | undefined => {
  try {
    const answer = JSON.parse(text) as Partial<Answer> | null;
    return typeof answer?.status === 'number' ? (answer as Answer) : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The answers of one instance, in a SQLite file, or in memory with `:memory:`. A file that is damaged or of something
 * else, at the start or later, begins anew: its repeated requests are new ones.
 */
export const keptResponsesIn = (
  file: string,
  { newId }: Pick<Environment, 'newId'> = system,
  logger?: Pick<Logger, 'warn'>,
): KeptResponses => {
  const { use, close } = disposable(file, statementsOn, why =>
    logger?.warn({ err: why }, 'the kept answers cannot be read; they begin anew'),
  );
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
      use(({ purge, start }) => {
        purge.run(new Date(Date.parse(at) - keptDays * 86_400_000).toISOString());
        if (!known) start.run(holder, key, digest, id, at);
      });
      underWay.add(name);
      return { id, isRetry: known !== undefined };
    },
    keep: async (holder, key, answer) => {
      underWay.delete(nameOf(holder, key));
      use(({ keep }) => keep.run(JSON.stringify(answer), holder, key));
    },
    forget: async (holder, key) => {
      underWay.delete(nameOf(holder, key));
      use(({ forget }) => forget.run(holder, key));
    },
    leave: (holder, key) => {
      underWay.delete(nameOf(holder, key));
    },
    clear: () => {
      use(({ clear }) => clear.run());
    },
    close,
  };
};
