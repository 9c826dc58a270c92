import type { Database } from 'better-sqlite3';
import { durationMinutes } from '../domain/duration.js';
import type { EventOf, KnownEvent } from '../domain/events.js';
import { sourceOf } from '../domain/streams.js';
import {
  deadlineOf,
  expectedInterval,
  rhythmAfter,
  rhythmFrom,
  type Rhythm,
} from '../domain/alerts/silence.js';
import { isNotParked } from './parked.js';
import { parsed, type ReadModel } from './readModel.js';

/** A source whose data are overdue. */
export type Overdue = { readonly sourceId: number; readonly deadline: string };

/** Rhythm of a source, and the interval that people gave, in minutes. */
export type SourceRhythm = { readonly rhythm: Rhythm; readonly givenMinutes: number | null };

export const rhythmsModel: ReadModel = {
  name: 'rhythms',
  version: 1,
  schema: `
    create table rhythms (
      source_id integer primary key,
      rhythm text not null,
      given_minutes integer,
      -- Expected interval, and when data are overdue; null when no interval is known.
      interval_ms integer,
      deadline text,
      -- Latest deadline that the clock has passed.
      passed text not null
    ) strict;`,
  queryIndexes: ['rhythms_by_deadline on rhythms (deadline) where deadline > passed'],
  applyBatch: db => {
    const read = rhythmReader(db);
    const write = rhythmWriter(db);
    const stop = db.prepare('update rhythms set deadline = null where source_id = ?');
    const pass = db.prepare('update rhythms set passed = ? where source_id = ?');
    return events => {
      /** Rhythms that are not written yet: an import changes one, and a batch may have many imports of a source. */
      const changed = new Map<number, SourceRhythm>();
      const flush = (): void => {
        for (const [sourceId, rhythm] of changed) write(sourceId, rhythm);
        changed.clear();
      };
      for (const event of events) {
        if (event.type === 'SourceArchived') {
          flush();
          stop.run(sourceOf(event.stream));
        } else if (event.type === 'ClockTicked') {
          flush();
          pass.run(event.data.deadline, event.data.sourceId);
        } else if (changesRhythm(event)) {
          const sourceId = sourceOf(event.stream);
          const after = rhythmAfterEvent(changed.get(sourceId) ?? read(sourceId), event);
          if (after) changed.set(sourceId, after);
        }
      }
      flush();
    };
  },
};

type RhythmEvent = EventOf<'SourceCreated' | 'SourceDescribed' | 'SourceRestored' | 'DaysImported'>;

const changesRhythm = (event: KnownEvent): event is RhythmEvent =>
  event.type === 'DaysImported'
    ? isEffective(event)
    : event.type === 'SourceCreated' || event.type === 'SourceDescribed' || event.type === 'SourceRestored';

/** Rhythm of a source after an event; undefined for an unknown source. */
const rhythmAfterEvent = (known: SourceRhythm | undefined, event: RhythmEvent): SourceRhythm | undefined => {
  if (event.type === 'SourceCreated')
    return { rhythm: rhythmFrom(event.at), givenMinutes: givenBy(event.data.expectedInterval ?? null) };
  if (!known) return undefined;
  switch (event.type) {
    case 'SourceDescribed':
      return { ...known, givenMinutes: givenBy(event.data.expectedInterval) };
    case 'SourceRestored':
      // An archived source could not import: its whole interval begins again.
      return { ...known, rhythm: { ...known.rhythm, since: event.at } };
    case 'DaysImported':
      return { ...known, rhythm: afterImport(known.rhythm, event) };
  }
};

const givenBy = (expectedInterval: string | null): number | null =>
  expectedInterval === null ? null : (durationMinutes(expectedInterval) ?? null);

/** Whether an event makes an import of recent days effective. */
const isEffective = ({ data }: EventOf<'DaysImported'>): boolean =>
  data.kind === 'recent' && data.part >= data.parts;

const afterImport = (rhythm: Rhythm, { at, data }: EventOf<'DaysImported'>): Rhythm => {
  // Days of an import are in the order of their dates.
  const lastDate = data.days.at(-1)?.date;
  return lastDate === undefined ? rhythm : rhythmAfter(rhythm, { importId: data.importId, at, lastDate });
};

const rhythmReader = (db: Database) => {
  const read = db.prepare<[number], { rhythm: string; given_minutes: number | null }>(
    'select rhythm, given_minutes from rhythms where source_id = ?',
  );
  return (sourceId: number): SourceRhythm | undefined => {
    const row = read.get(sourceId);
    return row && { rhythm: parsed<Rhythm>(row.rhythm), givenMinutes: row.given_minutes };
  };
};

const rhythmWriter = (db: Database) => {
  const write = db.prepare(
    `insert into rhythms (source_id, rhythm, given_minutes, interval_ms, deadline, passed)
     values ($sourceId, $rhythm, $givenMinutes, $intervalMs, $deadline, '')
     on conflict (source_id) do update set rhythm = excluded.rhythm, given_minutes = excluded.given_minutes,
       interval_ms = excluded.interval_ms, deadline = excluded.deadline`,
  );
  return (sourceId: number, { rhythm, givenMinutes }: SourceRhythm): void => {
    const interval = expectedInterval(rhythm, givenMinutes);
    write.run({
      sourceId,
      rhythm: JSON.stringify(rhythm),
      givenMinutes,
      intervalMs: interval?.ms ?? null,
      deadline: deadlineOf(rhythm, interval),
    });
  };
};

/** Queries on the rhythms of imports. */
export const rhythmQueries = (db: Database) => {
  const overdue = db.prepare<[string, number, number], { source_id: number; deadline: string }>(
    `select source_id, deadline from rhythms where deadline > passed and deadline <= ? and interval_ms <= ?
       and ${isNotParked('source_id')}
     order by deadline limit cast(? as integer)`,
  );
  const next = db
    .prepare<[string], string>(
      `select deadline from rhythms where deadline > passed and deadline > ? and ${isNotParked('source_id')}
       order by deadline limit 1`,
    )
    .pluck();
  return {
    /** Rhythm of a source; undefined for an unknown source. */
    ofSource: rhythmReader(db),
    /**
     * Sources whose data are overdue and whose deadline no event has passed, earliest first.
     * @param intervalMax longest expected interval in ms
     */
    overdue: (now: string, intervalMax: number, limit: number): Overdue[] =>
      overdue.all(now, intervalMax, limit).map(row => ({ sourceId: row.source_id, deadline: row.deadline })),
    /** The next deadline after an instant. */
    nextDeadline: (now: string): string | undefined => next.get(now),
  };
};
