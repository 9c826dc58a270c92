import { createHash } from 'node:crypto';
import type { Day } from '../../domain/day.js';
import type { DayKind } from '../../domain/days.js';
import { closedDay, dayWithPoints, isLearnableSoFar, type InProgress } from '../../domain/points.js';
import type { EventOf, KnownEvent } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import { covariateValue } from '../../domain/source/covariates.js';
import type { DayHistory, DayVersion, ImportVersion } from '../../projections/dayHistory.js';
import { isOfData, type Placed } from './tally.js';
import { calendarHistory } from './calendarHistory.js';
import { noteHistory, type MissingNote } from './noteHistory.js';
import { sourceHistory } from './sourceHistory.js';

type Import = EventOf<'DaysImported'>;
type TakenBack = EventOf<'DayTakenBack'>;

/** Digest of everything that an import stores of a day: 128 bits of its SHA-256, in hexadecimal. */
const digestOf = ({ activity, gaps, filled, skipped }: Day): string =>
  createHash('sha256')
    .update(JSON.stringify([activity, gaps, filled, skipped ?? null]))
    .digest('hex')
    .slice(0, 32);

/** The place of an event that changes days. */
const versionPlace = (
  { id: eventId, stream, revision, at, metadata: { correlation } }: KnownEvent,
  position: number,
  importId: string,
): ImportVersion => ({ sourceId: sourceOf(stream), revision, position, importId, eventId, correlation, at });

/**
 * History of all sources and their days in a log so far. Decisions about one source that rest on another are
 * compared with it.
 * @param days empty
 */
export const logHistory = (days: DayHistory) => {
  const sources = sourceHistory();
  const notes = noteHistory({ sources, days });
  /** Days of imports without their last part, by import id. */
  const staged = new Map<string, readonly Omit<DayVersion, 'revision' | 'position'>[]>();
  /** Last revision of each stream of days. */
  const revisions = new Map<number, number>();
  const unreadable = new Set<number>();
  const calendars = calendarHistory();

  /** A recent day, or a reference day, as the history keeps it. A date in progress has no value as a covariate. */
  const versionOf = (day: Day, kind: DayKind, inProgress: InProgress | undefined) => ({
    date: day.date,
    kind,
    digest: digestOf(day),
    learnable: isLearnableSoFar(day, inProgress) ? (1 as const) : (0 as const),
    mean: inProgress ? null : covariateValue(day, 'mean'),
    sum: inProgress ? null : covariateValue(day, 'sum'),
    present: 1 as const,
    open: inProgress ? (1 as const) : (0 as const),
  });
  const importDays = ({ event, n }: Placed<Import>): void => {
    const { sourceId, importId, kind, part, parts, summary } = event.data;
    if (kind === 'recent') for (const day of event.data.days) days.keepRecent(sourceId, day);
    const more = event.data.days.map(day => versionOf(day, kind, undefined));
    const open = new Set(summary?.inProgress?.map(({ date }) => date));
    const all = [...(staged.get(importId) ?? []), ...more].map(version =>
      open.has(version.date) ? { ...version, mean: null, sum: null, open: 1 as const } : version,
    );
    staged.delete(importId);
    if (part < parts) staged.set(importId, all);
    else days.add(versionPlace(event, n, importId), all);
  };
  const importPoints = ({ event, n }: Placed<EventOf<'PointsImported'>>): void => {
    const { sourceId, importId, rule } = event.data;
    const changed = event.data.days.map(points => {
      const day = dayWithPoints(points, rule, date => days.recentDay(sourceId, date));
      days.keepRecent(sourceId, day);
      return versionOf(day, 'recent', points.inProgress);
    });
    days.add(versionPlace(event, n, importId), changed);
  };
  const closeDate = ({ event, n }: Placed<EventOf<'DateClosed'>>): void => {
    const { sourceId, date, importId, rule } = event.data;
    const day = closedDay(date, rule, date => days.recentDay(sourceId, date));
    if (!day) return;
    days.keepRecent(sourceId, day);
    days.add(versionPlace(event, n, importId), [versionOf(day, 'recent', undefined)]);
  };
  const takeBack = ({ event, n }: Placed<TakenBack>): void => {
    const { sourceId, date } = event.data;
    days.forgetRecent(sourceId, date);
    days.add(versionPlace(event, n, event.id), [
      { date, kind: 'recent', digest: '', learnable: 0, mean: null, sum: null, present: 0, open: 0 },
    ]);
  };
  /** Records that an event of a source cannot be read: nothing is said of the source from then on. */
  const skip = (sourceId: number): void => void unreadable.add(sourceId);

  /** Whether the log has the creation of a source, and this build can read all of its events. */
  const isKnown = (sourceId: number): boolean =>
    sources.created(sourceId) !== undefined && !unreadable.has(sourceId);

  return {
    sources,
    days,
    notes,
    calendars,
    skip,
    isKnown,
    /** Takes the next event; returns notes of imports of covariates that are missing. */
    take: (placed: Placed): readonly MissingNote[] => {
      const { event, n } = placed;
      const id = sourceOf(event.stream);
      if (event.stream.startsWith('days-')) revisions.set(id, event.revision);
      try {
        if (event.type === 'DaysImported') importDays({ event, n });
        else if (event.type === 'PointsImported') importPoints({ event, n });
        else if (event.type === 'DateClosed') closeDate({ event, n });
        else if (event.type === 'DayTakenBack') takeBack({ event, n });
        else sources.take(placed);
        return notes.take(placed).filter(({ cause, sourceId, covariateId }) => {
          const ids = [sourceOf(cause.event.stream), sourceId, covariateId];
          return ids.every(isKnown);
        });
      } catch (error) {
        if (!isOfData(error)) throw error;
        skip(id);
        return [];
      }
    },
    /** Last revision of the stream of days of a source, -1 for none. */
    revisionOf: (sourceId: number): number => revisions.get(sourceId) ?? -1,
  };
};

export type LogHistory = ReturnType<typeof logHistory>;
