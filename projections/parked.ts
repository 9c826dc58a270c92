import type { Database } from 'better-sqlite3';
import { cell, record } from './readModel.js';
import type { EventDamaged, Recorded } from '../domain/events.js';
import { sourceOf, streams, subjectOf, tenantOf } from '../domain/streams.js';

/**
 * A subject with an event that this build cannot handle: a source, or a stream of no source. Its rows have its events
 * up to `applied`; later ones wait for a build that can handle them.
 */
export type Parked = {
  /** `source-7`, or the stream of a subject that is no source. */
  readonly subject: string;
  /** null for a subject that is no source. */
  readonly sourceId: number | null;
  /** null when no event before names it. */
  readonly tenant: string | null;
  /** The event that cannot be handled. */
  readonly position: bigint;
  readonly eventId: string;
  readonly type: string;
  readonly applied: bigint;
  /** Name of the error, or its code in SQLite: no content of the event. */
  readonly cause: string;
  /** Message of the error; it may have content of the event. */
  readonly reason: string;
  /** Version of the package that could not handle the event. */
  readonly build: string;
};

export const parkedModel = {
  name: 'parked',
  version: 1,
  schema: `
    create table parked (
      subject text primary key,
      source_id integer,
      tenant text,
      position integer not null,
      event_id text not null,
      type text not null,
      applied integer not null,
      cause text not null,
      reason text not null,
      build text not null
    ) strict, without rowid;`,
};

/** Name of the error of a damaged event. */
const damageCause: EventDamaged['name'] = 'EventDamaged';

/** Whether the bytes of the event are damaged: no build can handle it. */
export const isDamage = ({ cause }: Pick<Parked, 'cause'>): boolean => cause === damageCause;

/** Condition in SQL that a source is not parked. */
export const isNotParked = (sourceId: string): string =>
  `not exists (select 1 from parked where subject = 'source-' || ${sourceId})`;

/** Codes of SQLite about the database and not about an event. */
const codesOfDatabase =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOTADB|CORRUPT|NOMEM|INTERRUPT|PROTOCOL|PERM|AUTH)/;

/** Whether an error tells that a database cannot be used; other errors of SQLite are about the rows of an event. */
export const isOfDatabase = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && codesOfDatabase.test(String(error.code));

const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'Error';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : error.name;
};

const reasonLengthMax = 500;

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, reasonLengthMax);

type Row = Omit<Parked, 'sourceId'> & { readonly sourceId: bigint | null };

const columns =
  'subject, source_id as sourceId, tenant, position, event_id as eventId, type, applied, cause, reason, build';

/** Queries on parked subjects. */
export const parkedQueries = (db: Database) => {
  const one = db
    .prepare<[subject: string], Row>(`select ${columns} from parked where subject = ?`)
    .safeIntegers();
  const all = db.prepare<[], Row>(`select ${columns} from parked order by position`).safeIntegers();
  const count = cell<[], number>(db, 'select count(*) from parked');
  const parkedOf = (row: Row): Parked => ({
    ...row,
    sourceId: row.sourceId === null ? null : Number(row.sourceId),
  });
  const read = record(one, parkedOf);
  return {
    /** A parked subject; undefined for others. */
    one: read,
    /** The same of a source. */
    source: (sourceId: number): Parked | undefined => read(streams.source(sourceId)),
    /** All parked subjects, by the position of their event. */
    all: (): Parked[] => all.all().map(parkedOf),
    count: (): number => count() ?? 0,
  };
};

/** The parked subjects in read models of any version; none where they cannot be read. */
export const parkedIn = (db: Database): readonly Parked[] => {
  try {
    return parkedQueries(db).all();
  } catch {
    return [];
  }
};

/** Tenant that an event names: of a tenant's stream, or of a new source. */
const tenantIn = ({ stream, type, data }: Recorded): string | null => {
  const { tenant } = (data ?? {}) as { readonly tenant?: unknown };
  return tenantOf(stream) ?? (type === 'SourceCreated' && typeof tenant === 'string' ? tenant : null);
};

/**
 * Writes of parked subjects.
 * @param build version of the package
 */
export const parkedWriter = (db: Database, build: string) => {
  const put = db.prepare(
    `insert or replace into parked
       (subject, source_id, tenant, position, event_id, type, applied, cause, reason, build)
     values ($subject, $sourceId, $tenant, $position, $eventId, $type, $applied, $cause, $reason, $build)`,
  );
  const applied = db
    .prepare<[string], bigint>('select applied from parked where subject = ?')
    .pluck()
    .safeIntegers();
  const any = cell<[], number>(db, 'select 1 from parked limit 1');
  const advance = db.prepare('update parked set applied = ? where subject = ?');
  const setTenant = db.prepare('update parked set tenant = ? where subject = ? and tenant is null');
  const remove = db.prepare('delete from parked where subject = ?');
  const tenantOfSource = cell<[number], string>(db, 'select tenant from sources where id = ?');
  const { one } = parkedQueries(db);
  return {
    /** Parks the subject of an event. `upTo`: the rows have the events up to this position. */
    park: (event: Recorded, error: unknown, upTo: bigint): Parked => {
      const subject = subjectOf(event.stream);
      const sourceId = subject.startsWith('source-') ? sourceOf(subject) : null;
      const before = one(subject);
      const known = before?.tenant ?? (sourceId === null ? undefined : tenantOfSource(sourceId));
      const ofEvent = {
        subject,
        sourceId,
        tenant: known ?? tenantIn(event),
        position: event.position,
        eventId: event.id,
        type: event.type,
        applied: upTo,
        cause: causeOf(error),
        reason: reasonOf(error),
        build,
      };
      // A damaged event may fail in any way, so damage stays the cause.
      const parked = before && isDamage(before) ? { ...before, sourceId, applied: upTo } : ofEvent;
      put.run(parked);
      return parked;
    },
    /** Keeps a subject as other read models have parked it. */
    keep: (parked: Parked): void => void put.run(parked),
    /** Whether the rows do not have an event because its subject is parked. */
    isHeld: (event: Recorded): boolean => {
      const subject = subjectOf(event.stream);
      const upTo = applied.get(subject);
      if (upTo === undefined || event.position <= upTo) return false;
      const tenant = tenantIn(event);
      if (tenant !== null) setTenant.run(tenant, subject);
      return true;
    },
    /** Whether no subject is parked. */
    isEmpty: (): boolean => any() === undefined,
    advance: (subject: string, position: bigint): void => void advance.run(position, subject),
    release: (subject: string): void => void remove.run(subject),
  };
};
