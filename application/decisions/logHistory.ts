import { createHash } from 'node:crypto';
import { completeness, type Day } from '../../domain/day.js';
import type { EventOf } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import { covariateValue } from '../../domain/source/covariates.js';
import type { DayHistory, DayVersion } from '../../projections/dayHistory.js';
import { isOfData, type Placed } from './tally.js';
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

  const importDays = ({ event: { id: eventId, revision, at, data, metadata }, n }: Placed<Import>): void => {
    const { sourceId, importId, kind, part, parts } = data;
    const more = data.days.map(day => ({
      date: day.date,
      kind,
      digest: digestOf(day),
      completeness: completeness(day),
      mean: covariateValue(day, 'mean'),
      sum: covariateValue(day, 'sum'),
      present: 1 as const,
    }));
    const all = [...(staged.get(importId) ?? []), ...more];
    staged.delete(importId);
    const { correlation } = metadata;
    if (part < parts) staged.set(importId, all);
    else days.add({ sourceId, revision, position: n, importId, eventId, correlation, at }, all);
  };
  const takeBack = ({ event: { id, revision, at, data, metadata }, n }: Placed<TakenBack>): void => {
    const { sourceId, date } = data;
    const { correlation } = metadata;
    const place = { sourceId, revision, position: n, importId: id, eventId: id, correlation, at };
    days.add(place, [
      { date, kind: 'recent', digest: '', completeness: 0, mean: null, sum: null, present: 0 },
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
    skip,
    isKnown,
    /** Takes the next event; returns notes of imports of covariates that are missing. */
    take: (placed: Placed): readonly MissingNote[] => {
      const { event, n } = placed;
      const id = sourceOf(event.stream);
      if (event.stream.startsWith('days-')) revisions.set(id, event.revision);
      try {
        if (event.type === 'DaysImported') importDays({ event, n });
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
