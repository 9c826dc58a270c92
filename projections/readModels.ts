import type { Database } from 'better-sqlite3';
import { sourcesMaxUsual } from '../domain/source/sourceState.js';
import { decode, type KnownEvent, type Recorded } from '../domain/events.js';
import { alertQueries, alertsModel } from './alerts.js';
import { acceptedChangeQueries, acceptedChangesModel } from './acceptedChanges.js';
import { calendarRuleQueries, calendarRulesModel } from './calendarRules.js';
import { covariateQueries, covariatesModel } from './covariates.js';
import { dayQueries, daysModel } from './days.js';
import { messageCauseQueries, messageCausesModel } from './messageCauses.js';
import { incidentQueries, incidentsModel } from './incidents.js';
import { messageFactQueries, messageFactsModel } from './messageFacts.js';
import { followUpQueries, followUpsModel } from './followUps.js';
import { modelQueries, modelsModel } from './models.js';
import { muteQueries, mutesModel } from './mutes.js';
import { overviewQueries, type OverviewEntry } from './overview.js';
import {
  isDamage,
  isOfDatabase,
  parkedIn,
  parkedModel,
  parkedQueries,
  parkedWriter,
  type Parked,
} from './parked.js';
import { peopleModel, peopleQueries } from './people.js';
import { planningModel, planningQueries } from './planning.js';
import type { Base } from './planningBases.js';
import { quoted, type ReadModel, sourceMemo, tableOf, tableRows, tablesOf } from './readModel.js';
import { rhythmQueries, rhythmsModel } from './rhythms.js';
import { sourceQueries } from './sources/sourceQueries.js';
import type { CountedSource, SourceSetup } from './sources/sourceRecords.js';
import { sourcesModel } from './sources/sources.js';
import { tokenQueries, tokensModel } from './tokens.js';
import { treeModel, treeQueries, type Growth } from './tree.js';
import { webhookQueries, webhooksModel } from './webhooks.js';

/** All read models. They are in one database and have one checkpoint. */
const allReadModels = [
  sourcesModel,
  daysModel,
  modelsModel,
  planningModel,
  // After the sources, whose rows its applier reads.
  calendarRulesModel,
  acceptedChangesModel,
  covariatesModel,
  alertsModel,
  incidentsModel,
  mutesModel,
  // After the sources and alerts, whose rows its applier reads.
  messageCausesModel,
  messageFactsModel,
  rhythmsModel,
  peopleModel,
  tokensModel,
  webhooksModel,
  followUpsModel,
];
const allTables: readonly Pick<ReadModel, 'name' | 'version' | 'schema' | 'queryIndexes'>[] = [
  ...allReadModels,
  parkedModel,
  treeModel,
];
/** Indexes that no `apply` uses. */
const queryIndexes = allTables.flatMap(({ queryIndexes = [] }) => queryIndexes);
const nameOf = (index: string): string => index.slice(0, index.indexOf(' '));

/** Page cache in KiB during a catch-up, and otherwise (the default of SQLite). */
const catchUpKiB = 32_768;
const defaultKiB = 2000;

/** Position that a subscription reached in the log, and the event there if it was stored. */
export type SubscriptionCheckpoint = {
  readonly position: bigint;
  readonly event: { readonly id: string; readonly stream: string; readonly revision: number } | null;
};

/** The last event of a batch. */
type Through = Pick<Recorded, 'position' | 'id' | 'stream' | 'revision'>;

const checkpointsSchema = `
  create table checkpoints (
    name text primary key,
    position integer not null,
    event_id text,
    stream text,
    revision integer
  ) strict;
  create table shapes (shape text not null) strict;`;

/** Schema and version of all read models, as text. A database with another text is rebuilt. */
const shape = JSON.stringify([
  checkpointsSchema,
  ...allTables.map(({ name, version, schema }) => [name, version, schema]),
  queryIndexes,
]);

/** Whether a database contains these read models in the current version. */
export const holdsReadModels = (db: Database): boolean =>
  db.prepare(`select 1 from sqlite_master where name = 'shapes'`).get() !== undefined &&
  db.prepare('select shape from shapes').pluck().get() === shape;

const indexesOf = (db: Database): string[] =>
  db.prepare<[], string>(`select name from sqlite_master where type = 'index'`).pluck().all();

/**
 * All rows of the read models as JSON, by table and primary key. Read models with the same events have the same rows.
 * The checkpoint of the read models is included, others are not.
 */
export function* readModelRows(db: Database): Generator<{ readonly table: string; readonly row: string }> {
  for (const table of tablesOf(db).sort()) {
    if (table === 'shapes') continue;
    const { columns, key } = tableOf(db, table);
    // JSON cannot contain binary data.
    const values = columns.map(quoted).map(name => `iif(typeof(${name}) = 'blob', hex(${name}), ${name})`);
    const rows = db
      .prepare<[], string>(
        `select json_array(${values.join(', ')}) from "${table}"
         ${table === 'checkpoints' ? `where name = 'readModels'` : ''} order by ${key.map(quoted).join(', ')}`,
      )
      .pluck();
    for (const row of rows.iterate()) yield { table, row };
  }
}

/** Deletes all tables and creates empty ones, in which these subjects are parked. */
const recreate = (db: Database, parked: readonly Parked[]): void => {
  db.transaction(() => {
    for (const table of tablesOf(db)) db.exec(`drop table "${table}"`);
    db.exec(checkpointsSchema);
    for (const { schema } of allTables) db.exec(schema);
    for (const index of queryIndexes) db.exec(`create index ${index}`);
    db.prepare('insert into shapes (shape) values (?)').run(shape);
    parked.forEach(parkedWriter(db, '').keep);
  })();
};

/** Queries on checkpoints. */
const checkpointQueries = (db: Database) => {
  const set = db.prepare(
    'insert or replace into checkpoints (name, position, event_id, stream, revision) values (?, ?, ?, ?, ?)',
  );
  const get = db
    .prepare<
      [string],
      { position: bigint; event_id: string | null; stream: string | null; revision: bigint | null }
    >('select position, event_id, stream, revision from checkpoints where name = ?')
    .safeIntegers();
  return {
    /** Checkpoint of the read models, or of another follower of the log by its name. */
    checkpoint: (name: string): SubscriptionCheckpoint => {
      const row = get.get(name);
      if (!row) return { position: 0n, event: null };
      const { position, event_id: id, stream, revision } = row;
      const isStored = id !== null && stream !== null && revision !== null;
      return { position, event: isStored ? { id, stream, revision: Number(revision) } : null };
    },
    saveCheckpoint: (name: string, position: bigint): void => {
      set.run(name, position, null, null, null);
    },
    advance: ({ position, id, stream, revision }: Through): void => {
      set.run('readModels', position, id, stream, revision);
    },
  };
};

/** Transactions of many batches. Pages that several batches change are written once, at the commit. */
const transactions = (db: Database) => ({
  begin: (): void => void db.exec('begin'),
  commit: (): void => void db.exec('commit'),
  /** Whether a transaction is open. SQLite ends it when the disk is full. */
  isOpen: (): boolean => db.inTransaction,
  /** Undoes the transaction, if one is open. The checkpoint is undone as well, so that its events are applied again. */
  rollback: (): void => {
    if (db.inTransaction) db.exec('rollback');
  },
});

/** Indexes that only queries use. Adding rows without them and sorting all rows at the end is faster. */
const indexes = (db: Database) => ({
  /** For empty read models that many events follow; `createIndex` creates the indexes afterwards. */
  dropIndexes: (): void => {
    for (const index of queryIndexes) db.exec(`drop index if exists ${nameOf(index)}`);
  },
  /** Creates one of the missing indexes; false when none is missing. */
  createIndex: (): boolean => {
    const present = new Set(indexesOf(db));
    const missing = queryIndexes.find(index => !present.has(nameOf(index)));
    if (missing !== undefined) db.exec(`create index ${missing}`);
    return missing !== undefined;
  },
});

/** The events of a batch that were applied, and the subjects that it parked. */
export type Projected = { readonly applied: readonly KnownEvent[]; readonly parked: readonly Parked[] };

/** Functions that apply events, with rows and checkpoint in one transaction. */
const applier = (db: Database, advance: (through: Through) => void, build: string) => {
  const appliers = allReadModels.flatMap(model => model.apply?.(db) ?? []);
  const batchAppliers = allReadModels.flatMap(model => model.applyBatch?.(db) ?? []);
  const grow = treeModel.grow(db);
  const parking = parkedWriter(db, build);
  const write = (events: readonly KnownEvent[]): void => {
    for (const event of events) for (const applyTo of appliers) applyTo(event);
    for (const applyTo of batchAppliers) applyTo(events);
  };
  /** The same; after an error nothing of it is left. Inside a transaction it is a savepoint. */
  const writeWhole = db.transaction(write);
  const inTransaction = <Given extends unknown[], Result>(run: (...given: Given) => Result) => {
    const alone = db.transaction(run);
    return (...given: Given): Result => (db.inTransaction ? run(...given) : alone(...given));
  };

  /** @throws the error, when it is not about an event */
  const requireOfEvent = (error: unknown): void => {
    if (!db.open || isOfDatabase(error)) throw error;
  };

  /** Applies an event, or parks its subject. */
  const writeOne = (event: Recorded): Projected => {
    try {
      const known = decode(event);
      if (known) writeWhole([known]);
      return { applied: known ? [known] : [], parked: [] };
    } catch (error) {
      requireOfEvent(error);
      return { applied: [], parked: [parking.park(event, error, event.position - 1n)] };
    }
  };

  const writeDue = (due: readonly Recorded[]): Projected => {
    try {
      const known = due.flatMap(event => decode(event) ?? []);
      writeWhole(known);
      return { applied: known, parked: [] };
    } catch (error) {
      requireOfEvent(error);
      const each = due.map(event => (parking.isHeld(event) ? { applied: [], parked: [] } : writeOne(event)));
      return { applied: each.flatMap(one => one.applied), parked: each.flatMap(one => one.parked) };
    }
  };

  return {
    /**
     * Applies the events up to `through`. Without `growth` the log has no tree here and no proofs. After an error
     * inside an open transaction its owner has to roll it back.
     */
    apply: inTransaction((events: readonly KnownEvent[], through: Through, growth?: Growth): void => {
      write(events);
      if (growth) grow(growth);
      advance(through);
    }),
    /**
     * Applies the next events of the log, as they were stored. An event that cannot be applied parks its subject: the
     * later events of the subject are left out. Errors of the database are thrown, as by `apply`.
     */
    project: inTransaction((stored: readonly Recorded[], growth?: Growth): Projected => {
      const due = parking.isEmpty() ? stored : stored.filter(event => !parking.isHeld(event));
      const projected = writeDue(due);
      if (growth) grow(growth);
      const through = stored.at(-1);
      if (through) advance(through);
      return projected;
    }),
    /** Parks the subject of an event that the rows have and that cannot be followed. */
    park: (event: Recorded, error: unknown, upTo: bigint): Parked => parking.park(event, error, upTo),
    /**
     * Applies the next events of a parked subject that were left out.
     * @param isEnd whether the read models have no later ones: then the subject is no longer parked
     * @returns false when one of them cannot be applied: the subject stays parked
     */
    resume: inTransaction((subject: string, events: readonly Recorded[], isEnd: boolean): boolean => {
      for (const event of events) {
        if (writeOne(event).parked.length > 0) return false;
        parking.advance(subject, event.position);
      }
      if (isEnd) parking.release(subject);
      return true;
    }),
  };
};

type Applier = ReturnType<typeof applier>;

/** Planners, with a year of assignments each, that are kept in memory. */
const plannersMax = 200;

/**
 * Facts of sources in memory, of as many as a tenant usually may have: lists read all of them in one order, and each
 * would miss entries of a smaller memory. Connections to one database may share them, because each names its version.
 */
export const readModelMemos = () => ({
  setups: sourceMemo<SourceSetup | undefined>(sourcesMaxUsual),
  counted: sourceMemo<CountedSource | undefined>(sourcesMaxUsual),
  overview: sourceMemo<OverviewEntry>(sourcesMaxUsual),
  bases: sourceMemo<Base | undefined>(plannersMax),
});

/** Sets the page cache. In normal work pages are written at commits only: a full disk fails no other statement. */
const setCache = (db: Database, forCatchUp: boolean): void => {
  db.pragma(`cache_size = -${forCatchUp ? catchUpKiB : defaultKiB}`);
  db.pragma(`cache_spill = ${forCatchUp ? 'on' : 'off'}`);
};

/**
 * The read models in a database. They are created when it is empty and rebuilt when they have another version. Rows and
 * checkpoint are committed together.
 * @param build version of the package, which parked subjects name
 */
export const readModels = (db: Database, build = '', memos = readModelMemos()) => {
  const { dropIndexes, createIndex } = indexes(db);
  if (!db.readonly) setCache(db, false);
  // A replay does not see damage that the hash of an event shows.
  if (!holdsReadModels(db)) recreate(db, parkedIn(db).filter(isDamage));
  const { advance, ...checkpoints } = checkpointQueries(db);
  // A snapshot writes nothing, and its statements would take most of the time that it takes to open.
  let writer = db.readonly ? undefined : applier(db, advance, build);
  const writes = () => (writer ??= applier(db, advance, build));
  return {
    sources: sourceQueries(db, memos),
    days: dayQueries(db),
    typicalDays: modelQueries(db),
    planning: planningQueries(db, memos.bases),
    calendarRules: calendarRuleQueries(db),
    acceptedChanges: acceptedChangeQueries(db),
    covariates: covariateQueries(db),
    alerts: alertQueries(db),
    incidents: incidentQueries(db),
    mutes: muteQueries(db),
    overview: overviewQueries(db, memos.overview),
    rhythms: rhythmQueries(db),
    people: peopleQueries(db),
    tokens: tokenQueries(db),
    webhooks: webhookQueries(db),
    messageCauses: messageCauseQueries(db),
    messageFacts: messageFactQueries(db),
    followUps: followUpQueries(db),
    tree: treeQueries(db),
    parked: parkedQueries(db),
    rows: tableRows(db),
    /** Version of the package that writes. */
    build: (): string => build,
    apply: (...batch: Parameters<Applier['apply']>): void => writes().apply(...batch),
    project: (...batch: Parameters<Applier['project']>): Projected => writes().project(...batch),
    park: (...fault: Parameters<Applier['park']>): Parked => writes().park(...fault),
    resume: (...batch: Parameters<Applier['resume']>): boolean => writes().resume(...batch),
    ...checkpoints,
    ...transactions(db),
    dropIndexes,
    createIndex,
    /** Sets the page cache for a catch-up or for normal work, in which it is opened. */
    useCatchUpCache: (forCatchUp: boolean): void => setCache(db, forCatchUp),
    /**
     * Deletes all rows and checkpoints; the log contains everything needed to rebuild them.
     * @param kept subjects that stay parked: no replay finds them
     */
    clear: (kept: readonly Parked[] = []): void => {
      recreate(db, kept);
      // Appliers keep facts of sources in memory.
      writer = applier(db, advance, build);
    },
  };
};

export type ReadModels = ReturnType<typeof readModels>;

/** Read models that stay as they are, for answers that take several turns of the event loop. */
export type Snapshot = { readonly models: ReadModels; readonly close: () => void };
