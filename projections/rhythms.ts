import type { Database } from 'better-sqlite3';
import { durationMinutes } from '../domain/dates.js';
import type { EventOf, KnownEvent } from '../domain/events.js';
import { lastPresentDate } from '../domain/futureDays.js';
import { sourceOf } from '../domain/streams.js';
import {
  deadlineOf,
  expectedInterval,
  rhythmAfter,
  rhythmFrom,
  type Rhythm,
} from '../domain/alerts/silence.js';
import { isNotParked } from './parked.js';
import { cell, parsed, type ReadModel } from './readModel.js';

/** A source whose data are overdue. */
export type Overdue = { readonly sourceId: number; readonly deadline: string };

/** Rhythm of a source, and the interval that people gave, in minutes. */
export type SourceRhythm = {
  readonly rhythm: Rhythm;
  /** The rhythm in which future days count: engines up to 6 used it. */
  readonly withFuture: Rhythm;
  readonly givenMinutes: number | null;
};

export const rhythmsModel: ReadModel = {
  name: 'rhythms',
  version: 3,
  schema: `
    create table rhythms (
      source_id integer primary key,
      rhythm text not null,
      -- The rhythm in which future days count; null when it is the same.
      with_future text,
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

type RhythmEvent = EventOf<
  'SourceCreated' | 'SourceDescribed' | 'SourceRestored' | 'DaysImported' | 'PointsImported'
>;

const changesRhythm = (event: KnownEvent): event is RhythmEvent =>
  event.type === 'DaysImported'
    ? isEffective(event)
    : event.type === 'SourceCreated' ||
      event.type === 'SourceDescribed' ||
      event.type === 'SourceRestored' ||
      event.type === 'PointsImported';

/** Rhythm of a source after an event; undefined for an unknown source. */
const rhythmAfterEvent = (known: SourceRhythm | undefined, event: RhythmEvent): SourceRhythm | undefined => {
  if (event.type === 'SourceCreated') {
    const rhythm = rhythmFrom(event.at);
    return { rhythm, withFuture: rhythm, givenMinutes: givenBy(event.data.expectedInterval ?? null) };
  }
  if (!known) return undefined;
  switch (event.type) {
    case 'SourceDescribed':
      return { ...known, givenMinutes: givenBy(event.data.expectedInterval) };
    case 'SourceRestored':
      // An archived source could not import: its whole interval begins again.
      return { ...known, ...eachRhythm(known, rhythm => ({ ...rhythm, since: event.at })) };
    case 'DaysImported':
      return { ...known, ...afterImport(known, event) };
    case 'PointsImported': {
      const { importId, days } = event.data;
      const lastDate = days.reduce((last, { date }) => (date > last ? date : last), '');
      return {
        ...known,
        ...eachRhythm(known, rhythm => rhythmAfter(rhythm, { importId, at: event.at, lastDate })),
      };
    }
  }
};

const givenBy = (expectedInterval: string | null): number | null =>
  expectedInterval === null ? null : (durationMinutes(expectedInterval) ?? null);

/** Whether an event makes an import of recent days effective. */
const isEffective = ({ data }: EventOf<'DaysImported'>): boolean =>
  data.kind === 'recent' && data.part >= data.parts;

type Rhythms = Pick<SourceRhythm, 'rhythm' | 'withFuture'>;

/** Changes both rhythms; those of nearly every source are one. */
const eachRhythm = ({ rhythm, withFuture }: Rhythms, change: (rhythm: Rhythm) => Rhythm): Rhythms => {
  const changed = change(rhythm);
  return { rhythm: changed, withFuture: withFuture === rhythm ? changed : change(withFuture) };
};

const afterImport = (known: Rhythms, event: EventOf<'DaysImported'>): Rhythms => {
  const { importId, days } = event.data;
  const after = (lastDate: string | undefined) => (rhythm: Rhythm) =>
    lastDate === undefined ? rhythm : rhythmAfter(rhythm, { importId, at: event.at, lastDate });
  // Days of an import are in the order of their dates.
  const last = days.at(-1)?.date;
  const counted = lastPresentDate(event);
  const { today } = event.data.summary ?? {};
  // Data of tomorrow are a sign of the present one: later data of today are new as well.
  const present = counted !== undefined && today !== undefined && today < counted ? today : counted;
  if (present === last) return eachRhythm(known, after(last));
  return { rhythm: after(present)(known.rhythm), withFuture: after(last)(known.withFuture) };
};

const rhythmReader = (db: Database) => {
  type Row = { rhythm: string; with_future: string | null; given_minutes: number | null };
  const read = db.prepare<[number], Row>(
    'select rhythm, with_future, given_minutes from rhythms where source_id = ?',
  );
  return (sourceId: number): SourceRhythm | undefined => {
    const row = read.get(sourceId);
    if (!row) return undefined;
    const rhythm = parsed<Rhythm>(row.rhythm);
    const withFuture = row.with_future === null ? rhythm : parsed<Rhythm>(row.with_future);
    return { rhythm, withFuture, givenMinutes: row.given_minutes };
  };
};

const rhythmWriter = (db: Database) => {
  const write = db.prepare(
    `insert into rhythms (source_id, rhythm, with_future, given_minutes, interval_ms, deadline, passed)
     values ($sourceId, $rhythm, $withFuture, $givenMinutes, $intervalMs, $deadline, '')
     on conflict (source_id) do update set rhythm = excluded.rhythm, with_future = excluded.with_future,
       given_minutes = excluded.given_minutes, interval_ms = excluded.interval_ms, deadline = excluded.deadline`,
  );
  return (sourceId: number, { rhythm, withFuture, givenMinutes }: SourceRhythm): void => {
    const interval = expectedInterval(rhythm, givenMinutes);
    write.run({
      sourceId,
      rhythm: JSON.stringify(rhythm),
      withFuture: withFuture === rhythm ? null : JSON.stringify(withFuture),
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
    nextDeadline: cell<[now: string], string>(
      db,
      `select deadline from rhythms where deadline > passed and deadline > ? and ${isNotParked('source_id')}
       order by deadline limit 1`,
    ),
  };
};
