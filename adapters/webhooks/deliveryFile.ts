import { hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Logger } from 'pino';
import {
  attemptsMax,
  type Attempt,
  type DeliveryState,
  type DeliveryStore,
  type Failing,
} from '../../application/ports/deliveries.js';
import { disposable, requireTables } from '../sqlite/database.js';

type StateRow = {
  readonly position: bigint;
  readonly replay_id: string | null;
  /** Position of the replay; null for none and in rows of older versions. Not in the sum, which those compare. */
  readonly replayed: bigint | null;
  readonly failing: string | null;
  /** null in rows of older versions. */
  readonly sum: string | null;
  /** null for none. It is not in the sum: a wrong one sends alerts earlier or once more. */
  readonly refreshed: bigint | null;
};

/** In the order of their creation. `read_from` is used by older versions only. */
const tables = [
  `CREATE TABLE progress (
    webhook_id text primary key,
    position integer not null,
    read_from integer not null,
    replay_id text,
    failing text
  ) strict, without rowid`,
  `CREATE TABLE attempts (
    webhook_id text not null,
    n integer not null,
    attempt text not null,
    primary key (webhook_id, n)
  ) strict, without rowid`,
  `CREATE TABLE ahead (
    webhook_id text not null,
    source_id text not null,
    position text not null,
    primary key (webhook_id, source_id)
  ) strict, without rowid`,
  `CREATE TABLE sums (
    webhook_id text primary key,
    sum text not null
  ) strict, without rowid`,
  `CREATE TABLE refreshes (
    webhook_id text primary key,
    at_ms integer not null
  ) strict, without rowid`,
  `CREATE TABLE replays (
    webhook_id text primary key,
    position integer not null
  ) strict, without rowid`,
];

/** Sources and positions of `ahead`, by source. */
type AheadRows = readonly (readonly [sourceId: string, position: string])[];

const sumOfText = (text: string): string => hash('sha256', text).slice(0, 16);

/** Sum over everything that is stored of the progress of a webhook: a flipped bit changes it. */
const sumOf = (row: Omit<StateRow, 'sum' | 'refreshed' | 'replayed'>, ahead: AheadRows): string => {
  return sumOfText(JSON.stringify([String(row.position), row.replay_id, row.failing, ahead]));
};

/** Text of an attempt with a sum over it. */
const attemptText = (attempt: Attempt): string =>
  JSON.stringify({ ...attempt, sum: sumOfText(JSON.stringify(attempt)) });

const statementsOn = (db: Database) => {
  requireTables(db, tables, 'the database has no deliveries of webhooks');
  const put = db.prepare(
    'insert or replace into progress (webhook_id, position, read_from, replay_id, failing) values (?, ?, 0, ?, ?)',
  );
  const last = db
    .prepare<[string], number>('select coalesce(max(n), 0) from attempts where webhook_id = ?')
    .pluck();
  const add = db.prepare('insert into attempts (webhook_id, n, attempt) values (?, ?, ?)');
  const trim = db.prepare('delete from attempts where webhook_id = ? and n <= ?');
  const note = (webhookId: string, attempt: Attempt): void => {
    const n = (last.get(webhookId) ?? 0) + 1;
    add.run(webhookId, n, attemptText(attempt));
    trim.run(webhookId, n - attemptsMax);
  };
  const putAhead = db.prepare('insert into ahead (webhook_id, source_id, position) values (?, ?, ?)');
  const clearAhead = db.prepare('delete from ahead where webhook_id = ?');
  const putSum = db.prepare('insert or replace into sums (webhook_id, sum) values (?, ?)');
  const clearSum = db.prepare('delete from sums where webhook_id = ?');
  const putRefresh = db.prepare('insert or replace into refreshes (webhook_id, at_ms) values (?, ?)');
  const clearRefresh = db.prepare('delete from refreshes where webhook_id = ?');
  const putReplay = db.prepare('insert or replace into replays (webhook_id, position) values (?, ?)');
  const clearReplay = db.prepare('delete from replays where webhook_id = ?');
  const clearProgress = db.prepare('delete from progress where webhook_id = ?');
  const forgetProgress = (webhookId: string): void => {
    for (const statement of [clearProgress, clearAhead, clearSum, clearRefresh, clearReplay])
      statement.run(webhookId);
  };
  const forgetAttempts = db.prepare('delete from attempts where webhook_id = ?');
  return {
    state: db
      .prepare<[string], StateRow>(
        `select progress.position, replay_id, replays.position as replayed, failing, sum, at_ms as refreshed
         from progress left join sums using (webhook_id) left join refreshes using (webhook_id)
           left join replays using (webhook_id)
         where webhook_id = ?`,
      )
      .safeIntegers(),
    ahead: db
      .prepare<[string], [string, string]>(
        'select source_id, position from ahead where webhook_id = ? order by source_id',
      )
      .raw(),
    attempts: db
      .prepare<[string, number], [number, string]>(
        'select n, attempt from attempts where webhook_id = ? order by n desc limit cast(? as integer)',
      )
      .raw(),
    beyond: db
      .prepare<{ end: bigint }, string>(
        `select webhook_id from progress where position > $end
         union select webhook_id from replays where position > $end
         union select webhook_id from ahead where cast(position as integer) > $end`,
      )
      .pluck(),
    dropAttempt: db.prepare('delete from attempts where webhook_id = ? and n = ?'),
    note: db.transaction(note),
    save: db.transaction((webhookId: string, state: DeliveryState, attempt?: Attempt): void => {
      const { cursor: position, replayId, replayPosition, failing, ahead, refreshedAtMs } = state;
      const replayed = replayPosition === undefined ? null : BigInt(replayPosition);
      const row = { position, replay_id: replayId, replayed, failing: failing && JSON.stringify(failing) };
      const aheadRows = Object.entries(ahead).sort(([one], [other]) => (one < other ? -1 : 1));
      put.run(webhookId, row.position, row.replay_id, row.failing);
      clearAhead.run(webhookId);
      for (const pair of aheadRows) putAhead.run(webhookId, ...pair);
      putSum.run(webhookId, sumOf(row, aheadRows));
      if (replayed === null) clearReplay.run(webhookId);
      else putReplay.run(webhookId, replayed);
      if (refreshedAtMs === undefined) clearRefresh.run(webhookId);
      else putRefresh.run(webhookId, Math.floor(refreshedAtMs));
      if (attempt) note(webhookId, attempt);
    }),
    forgetProgress: db.transaction(forgetProgress),
    forget: db.transaction((webhookId: string): void => {
      forgetProgress(webhookId);
      forgetAttempts.run(webhookId);
    }),
  };
};

/** The value of a JSON text with these fields; undefined when it is damaged. */
const parsedWith = <Value extends object>(text: unknown, fields: readonly (keyof Value & string)[]) => {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isWhole = typeof value === 'object' && value !== null && fields.every(name => name in value);
    return isWhole ? (value as Value) : undefined;
  } catch {
    return undefined;
  }
};

const failingFields = ['eventId', 'activation', 'since', 'attempts', 'nextAt'] as const;
const attemptFields = [
  'id',
  'type',
  'sourceId',
  'position',
  'at',
  'attempt',
  'status',
  'failure',
  'latencyMs',
  'outcome',
] as const;

/** The attempt of a text; undefined when it is damaged. Texts of older versions have no sum. */
const attemptOf = (text: unknown): Attempt | undefined => {
  const stored = parsedWith<Attempt & { readonly sum?: string }>(text, attemptFields);
  if (!stored) return undefined;
  const { sum, ...attempt } = stored;
  return sum === undefined || sum === sumOfText(JSON.stringify(attempt)) ? attempt : undefined;
};

/** Progress within a log with this end. */
const withinLog = (
  { cursor, ahead, replayPosition, ...state }: DeliveryState,
  end: bigint,
): DeliveryState => {
  const within = (position: bigint): bigint => (position > end ? end : position);
  const last = Object.entries(ahead).map(([id, digits]) => [id, String(within(BigInt(digits)))] as const);
  const cut = { ...state, cursor: within(cursor), ahead: Object.fromEntries(last), failing: null };
  return replayPosition === undefined
    ? cut
    : { ...cut, replayPosition: String(within(BigInt(replayPosition))) };
};

/** The progress of a webhook; undefined when its rows are damaged. */
const stateOf = (row: StateRow, ahead: AheadRows): DeliveryState | undefined => {
  const { position, replay_id: replayId, replayed, failing: text, sum, refreshed } = row;
  const failing = text === null ? null : parsedWith<Failing>(text, failingFields);
  const isWhole = ahead.every(pair => pair.every(digits => /^\d+$/.test(digits)));
  if (failing === undefined || !isWhole || (sum !== null && sum !== sumOf(row, ahead))) return undefined;
  return {
    ...{ cursor: position, ahead: Object.fromEntries(ahead), replayId, failing },
    ...(replayed !== null && { replayPosition: String(replayed) }),
    ...(refreshed !== null && { refreshedAtMs: Number(refreshed) }),
  };
};

/**
 * Deliveries of the one instance of a data folder, in a SQLite file, or in memory with `:memory:`. When the file is
 * lost or damaged, messages are delivered again from the creation of each webhook on, with the same ids; when a row
 * of the progress of one webhook is damaged, those of this webhook. A damaged attempt is left out of lists.
 */
export const deliveryFile = (file: string, logger?: Pick<Logger, 'warn'>): DeliveryStore => {
  const { use, close } = disposable(file, statementsOn, why =>
    logger?.warn({ err: why }, 'the deliveries of webhooks cannot be read; messages are delivered again'),
  );
  /** Damaged rows are deleted after this line, so that it is written once. */
  const reportDamage = (table: string, row: object, effect: string): void =>
    logger?.warn({ file, table, ...row }, `a row of the deliveries of a webhook is damaged; ${effect}`);
  const stateIn = (webhookId: string): DeliveryState | undefined =>
    use(({ state, ahead, forgetProgress }) => {
      const row = state.get(webhookId);
      const known = row && stateOf(row, ahead.all(webhookId));
      if (row && !known) {
        reportDamage('progress', { webhook: webhookId }, 'its messages are delivered again');
        forgetProgress.immediate(webhookId);
      }
      return known;
    });
  const attemptsIn = (webhookId: string, limit: number): readonly Attempt[] =>
    use(({ attempts, dropAttempt }) =>
      attempts.all(webhookId, limit).flatMap(([n, text]) => {
        const known = attemptOf(text);
        if (known) return [known];
        reportDamage('attempts', { webhook: webhookId, n }, 'the attempt is left out');
        dropAttempt.run(webhookId, n);
        return [];
      }),
    );
  return {
    claim: async webhookId => ({ state: stateIn(webhookId) }),
    save: async (webhookId, state, attempt) => {
      use(({ save }) => save.immediate(webhookId, state, attempt));
      return true;
    },
    release: async () => {},
    note: async (webhookId, attempt) => use(({ note }) => note.immediate(webhookId, attempt)),
    state: async webhookId => stateIn(webhookId),
    attempts: async (webhookId, limit) => attemptsIn(webhookId, limit),
    forget: async webhookId => use(({ forget }) => forget.immediate(webhookId)),
    cutTo: end => {
      const beyond = use(({ beyond }) => beyond.all({ end }));
      for (const webhookId of beyond) {
        const state = stateIn(webhookId);
        if (state) use(({ save }) => save.immediate(webhookId, withinLog(state, end)));
      }
      return beyond.length;
    },
    close,
  };
};
