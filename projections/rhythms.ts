import type { Database } from 'better-sqlite3';
import { durationMinutes } from '../domain/duration.js';
import { sourceOf, type KnownEvent } from '../domain/events.js';
import {
  deadlineOf,
  expectedInterval,
  rhythmAfter,
  rhythmFrom,
  type Rhythm,
} from '../domain/alerts/silence.js';
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
  apply: db => {
    const read = rhythmReader(db);
    const write = rhythmWriter(db);
    const stop = db.prepare('update rhythms set deadline = null where source_id = ?');
    const pass = db.prepare('update rhythms set passed = ? where source_id = ?');
    return event => {
      switch (event.type) {
        case 'SourceCreated': {
          const givenMinutes = givenBy(event.data.expectedInterval ?? null);
          write(sourceOf(event.stream), { rhythm: rhythmFrom(event.at), givenMinutes });
          break;
        }
        case 'SourceDescribed': {
          const sourceId = sourceOf(event.stream);
          const known = read(sourceId);
          if (known) write(sourceId, { ...known, givenMinutes: givenBy(event.data.expectedInterval) });
          break;
        }
        case 'SourceArchived':
          stop.run(sourceOf(event.stream));
          break;
        case 'SourceRestored': {
          // An archived source could not import: its whole interval begins again.
          const sourceId = sourceOf(event.stream);
          const known = read(sourceId);
          if (known) write(sourceId, { ...known, rhythm: { ...known.rhythm, since: event.at } });
          break;
        }
        case 'DaysImported': {
          const { sourceId } = event.data;
          const known = isEffective(event) ? read(sourceId) : undefined;
          if (known) write(sourceId, { ...known, rhythm: afterImport(known.rhythm, event) });
          break;
        }
        case 'ClockTicked':
          pass.run(event.data.deadline, event.data.sourceId);
          break;
      }
    };
  },
};

const givenBy = (expectedInterval: string | null): number | null =>
  expectedInterval === null ? null : (durationMinutes(expectedInterval) ?? null);

type DaysImported = Extract<KnownEvent, { type: 'DaysImported' }>;

/** Whether an event makes an import of recent days effective. */
const isEffective = ({ data }: DaysImported): boolean => data.kind === 'recent' && data.part >= data.parts;

const afterImport = (rhythm: Rhythm, { at, data }: DaysImported): Rhythm => {
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
      ...{ sourceId, rhythm: JSON.stringify(rhythm), givenMinutes },
      ...{ intervalMs: interval?.ms ?? null, deadline: deadlineOf(rhythm, interval) },
    });
  };
};

/** Queries on the rhythms of imports. */
export const rhythmQueries = (db: Database) => {
  const overdue = db.prepare<[string, number, number], { source_id: number; deadline: string }>(
    `select source_id, deadline from rhythms where deadline > passed and deadline <= ? and interval_ms <= ?
     order by deadline limit cast(? as integer)`,
  );
  const next = db
    .prepare<[string], string>(
      'select deadline from rhythms where deadline > passed and deadline > ? order by deadline limit 1',
    )
    .pluck();
  return {
    /** Rhythm of a source; undefined for an unknown source. */
    of: rhythmReader(db),
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
