import type { Database } from 'better-sqlite3';
import { durationMinutes, minutesPerDay } from '../domain/dates.js';
import type { EventOf, KnownEvent } from '../domain/events.js';
import { lastPresentDate } from '../domain/futureDays.js';
import { latenessMs } from '../domain/points.js';
import { latenessDefault } from '../domain/source/sourceDescription.js';
import { sourceOf } from '../domain/streams.js';
import {
  deadlineOf,
  expectedInterval,
  givenWait,
  rhythmAfter,
  rhythmFrom,
  type Feed,
  type Rhythm,
} from '../domain/alerts/silence.js';
import { isNotParked } from './parked.js';
import { cell, parsed, type ReadModel } from './readModel.js';

/** A source whose data are overdue. */
export type Overdue = { readonly sourceId: number; readonly deadline: string };

/** Rhythm of a source, and the interval that people gave, in minutes. */
export type SourceRhythm = {
  readonly rhythm: Rhythm;
  /** The rhythm in which dates count whose slices follow from points of others: engines up to 13 used it. */
  readonly withNeighbours: Rhythm;
  /** The same with future days: engines up to 6 used it. */
  readonly withFuture: Rhythm;
  readonly givenMinutes: number | null;
  readonly feed: Feed;
  readonly first: FirstSlice;
};

/** Longest time from the first point to the end of a whole slice, in minutes, and whether the source has a feed. */
type FirstSlice = { readonly minutes: number; readonly isFed: boolean };

export const rhythmsModel: ReadModel = {
  name: 'rhythms',
  version: 5,
  schema: `
    create table rhythms (
      source_id integer primary key,
      rhythm text not null,
      -- Rhythms of older engines; null for the one before.
      with_neighbours text,
      with_future text,
      given_minutes integer,
      -- Length of a slice, null without points, and the lateness.
      slice_minutes integer,
      lateness_minutes integer not null,
      -- Minutes up to the end of the first slice of points, and whether a feed brings them.
      first_minutes integer not null,
      is_fed integer not null,
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
    const { expectedInterval = null, activitySize, aggregation, feed } = event.data;
    // The first slice of a register has no reading before it.
    const slices = aggregation === 'counter' ? 2 : 1;
    return {
      ...{ rhythm, withNeighbours: rhythm, withFuture: rhythm, givenMinutes: givenBy(expectedInterval) },
      feed: { sliceMinutes: null, latenessMinutes: latenessOf(event.data) },
      first: { minutes: (slices * minutesPerDay) / activitySize, isFed: feed !== undefined },
    };
  }
  if (!known) return undefined;
  switch (event.type) {
    case 'SourceDescribed':
      return {
        ...known,
        givenMinutes: givenBy(event.data.expectedInterval),
        feed: { ...known.feed, latenessMinutes: latenessOf(event.data) },
        first: { ...known.first, isFed: event.data.feed !== undefined },
      };
    case 'SourceRestored':
      // An archived source could not import: its whole interval begins again.
      return { ...known, ...eachRhythm(known, rhythm => ({ ...rhythm, since: event.at })) };
    case 'DaysImported':
      return { ...known, ...afterImport(known, event) };
    case 'PointsImported':
      return { ...known, ...afterPoints(known, event) };
  }
};

const latenessOf = ({ lateness = latenessDefault }: { readonly lateness?: string }): number =>
  latenessMs({ lateness }) / 60_000;

const givenBy = (expectedInterval: string | null): number | null =>
  expectedInterval === null ? null : (durationMinutes(expectedInterval) ?? null);

/** Whether an event makes an import of recent days effective. */
const isEffective = ({ data }: EventOf<'DaysImported'>): boolean =>
  data.kind === 'recent' && data.part >= data.parts;

type Rhythms = Pick<SourceRhythm, 'rhythm' | 'withNeighbours' | 'withFuture'>;

/** Changes all rhythms; those of nearly every source are one. */
const eachRhythm = (
  { rhythm, withNeighbours, withFuture }: Rhythms,
  change: (rhythm: Rhythm) => Rhythm,
): Rhythms => {
  const changed = change(rhythm);
  const older = withNeighbours === rhythm ? changed : change(withNeighbours);
  const oldest = withFuture === withNeighbours ? older : change(withFuture);
  return { rhythm: changed, withNeighbours: older, withFuture: oldest };
};

/** The rhythm after data of an import, whose last date is undefined for none. */
const afterDate =
  ({ at, data: { importId } }: EventOf<'DaysImported' | 'PointsImported'>, lastDate: string | undefined) =>
  (rhythm: Rhythm): Rhythm =>
    lastDate === undefined ? rhythm : rhythmAfter(rhythm, { importId, at, lastDate });

const afterPoints = (
  known: SourceRhythm,
  event: EventOf<'PointsImported'>,
): Rhythms & Pick<SourceRhythm, 'feed'> => {
  const { days, rule } = event.data;
  const lastOf = (some: typeof days): string | undefined =>
    some.reduce<string | undefined>((last, { date }) => (last && last > date ? last : date), undefined);
  const hasData = ({ observed, filled, gaps }: (typeof days)[number]): boolean =>
    observed.length > 0 || filled !== undefined || gaps !== undefined;
  const [last, lastWithData] = [lastOf(days), lastOf(days.filter(hasData))];
  const older = eachRhythm(known, afterDate(event, last));
  return {
    ...older,
    ...(last !== lastWithData && { rhythm: afterDate(event, lastWithData)(known.rhythm) }),
    feed: { ...known.feed, sliceMinutes: minutesPerDay / rule.activitySize },
  };
};

const afterImport = (known: Rhythms, event: EventOf<'DaysImported'>): Rhythms => {
  // Days of an import are in the order of their dates.
  const last = event.data.days.at(-1)?.date;
  const counted = lastPresentDate(event);
  const { today } = event.data.summary ?? {};
  // Data of tomorrow are a sign of the present one: later data of today are new as well.
  const present = counted !== undefined && today !== undefined && today < counted ? today : counted;
  const after = eachRhythm(known, afterDate(event, present));
  return present === last ? after : { ...after, withFuture: afterDate(event, last)(known.withFuture) };
};

const rhythmReader = (db: Database) => {
  type Row = {
    rhythm: string;
    with_neighbours: string | null;
    with_future: string | null;
    given_minutes: number | null;
    slice_minutes: number | null;
    lateness_minutes: number;
    first_minutes: number;
    is_fed: 0 | 1;
  };
  const read = db.prepare<[number], Row>(
    `select rhythm, with_neighbours, with_future, given_minutes, slice_minutes, lateness_minutes,
       first_minutes, is_fed
     from rhythms where source_id = ?`,
  );
  return (sourceId: number): SourceRhythm | undefined => {
    const row = read.get(sourceId);
    if (!row) return undefined;
    const rhythm = parsed<Rhythm>(row.rhythm);
    const withNeighbours = row.with_neighbours === null ? rhythm : parsed<Rhythm>(row.with_neighbours);
    const withFuture = row.with_future === null ? withNeighbours : parsed<Rhythm>(row.with_future);
    return {
      ...{ rhythm, withNeighbours, withFuture, givenMinutes: row.given_minutes },
      feed: { sliceMinutes: row.slice_minutes, latenessMinutes: row.lateness_minutes },
      first: { minutes: row.first_minutes, isFed: row.is_fed === 1 },
    };
  };
};

const rhythmWriter = (db: Database) => {
  const write = db.prepare(
    `insert into rhythms (source_id, rhythm, with_neighbours, with_future, given_minutes, slice_minutes,
       lateness_minutes, first_minutes, is_fed, interval_ms, deadline, passed)
     values ($sourceId, $rhythm, $withNeighbours, $withFuture, $givenMinutes, $sliceMinutes,
       $latenessMinutes, $firstMinutes, $isFed, $intervalMs, $deadline, '')
     on conflict (source_id) do update set rhythm = excluded.rhythm, with_neighbours = excluded.with_neighbours,
       with_future = excluded.with_future, given_minutes = excluded.given_minutes,
       slice_minutes = excluded.slice_minutes, lateness_minutes = excluded.lateness_minutes,
       first_minutes = excluded.first_minutes, is_fed = excluded.is_fed, interval_ms = excluded.interval_ms,
       deadline = excluded.deadline`,
  );
  return (sourceId: number, known: SourceRhythm): void => {
    const { rhythm, withNeighbours, withFuture, givenMinutes, feed, first } = known;
    // A source that waits for the first points of its feed gets none before the end of a slice.
    const sliceMinutes = feed.sliceMinutes ?? (first.isFed ? first.minutes : null);
    const interval = expectedInterval(rhythm, givenWait(givenMinutes, { ...feed, sliceMinutes }));
    write.run({
      sourceId,
      rhythm: JSON.stringify(rhythm),
      withNeighbours: withNeighbours === rhythm ? null : JSON.stringify(withNeighbours),
      withFuture: withFuture === withNeighbours ? null : JSON.stringify(withFuture),
      givenMinutes,
      ...feed,
      firstMinutes: first.minutes,
      isFed: first.isFed ? 1 : 0,
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
