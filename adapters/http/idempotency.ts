import { system, type Environment } from '../environment.js';
import { guarded, openDisposable } from '../stores/database.js';
import { Problem } from './problems.js';
import type { Answer, Begun } from './route.js';

/**
 * First answers by Idempotency-Key, so that a repeated POST gets the same answer again. They are not part
 * of the history. Each try of a request runs its commands under one id, and a command that ran already does
 * nothing when it runs again, so a crash before the answer is kept costs nothing. Without them a repeated
 * request is a new one.
 */
export type Answers = {
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
  ) => Promise<Begun | { readonly answer: Answer }>;
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

/** The answers of one instance, in a SQLite file, or in memory with `:memory:`. */
export const answersIn = (file: string, { newId }: Pick<Environment, 'newId'> = system): Answers => {
  const { db } = openDisposable(file, 'FULL', db =>
    db.exec(`
      create table if not exists answers (
        holder text not null,
        key text not null,
        digest text not null,
        command_id text not null,
        begun_at text not null,
        answer text,
        primary key (holder, key)
      ) strict, without rowid;
      create index if not exists answers_by_age on answers (begun_at);`),
  );
  const one = db.prepare<[string, string], Row>(
    'select digest, command_id, answer from answers where holder = ? and key = ?',
  );
  const start = db.prepare(
    'insert into answers (holder, key, digest, command_id, begun_at) values (?, ?, ?, ?, ?)',
  );
  const keep = db.prepare('update answers set answer = ? where holder = ? and key = ?');
  const forget = db.prepare('delete from answers where holder = ? and key = ?');
  const purge = db.prepare(`delete from answers where begun_at < ?`);
  const underWay = new Set<string>();
  const nameOf = (holder: string, key: string) => JSON.stringify([holder, key]);

  return {
    begin: async (holder, key, digest, at) => {
      const name = nameOf(holder, key);
      if (underWay.has(name)) throw keyInUse();
      const known = guarded(() => one.get(holder, key));
      if (known && known.digest !== digest) throw keyReused();
      if (known?.answer) return { answer: JSON.parse(known.answer) as Answer };
      const id = known?.command_id ?? newId();
      guarded(() => {
        purge.run(new Date(Date.parse(at) - keptDays * 86_400_000).toISOString());
        if (!known) start.run(holder, key, digest, id, at);
      });
      underWay.add(name);
      return { id, again: known !== undefined };
    },
    keep: async (holder, key, answer) => {
      underWay.delete(nameOf(holder, key));
      guarded(() => keep.run(JSON.stringify(answer), holder, key));
    },
    forget: async (holder, key) => {
      underWay.delete(nameOf(holder, key));
      guarded(() => forget.run(holder, key));
    },
    leave: (holder, key) => {
      underWay.delete(nameOf(holder, key));
    },
    clear: () => {
      db.exec('delete from answers');
    },
    close: () => db.close(),
  };
};
