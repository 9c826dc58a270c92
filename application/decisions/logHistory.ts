import { createHash } from 'node:crypto';
import { isCause } from '../../domain/followUps.js';
import type { Day } from '../../domain/day.js';
import type { DayKind } from '../../domain/days.js';
import type { KnownEvent, EventOf } from '../../domain/events.js';
import { closedDay, dayWithPoints, isLearnableSoFar, type InProgress } from '../../domain/points.js';
import { covariateValue } from '../../domain/source/covariates.js';
import { sourceOf } from '../../domain/streams.js';
import type { DayHistory, DayVersion, ImportVersion } from '../../projections/dayHistory.js';
import { dataIdOf, isDataChange, notedDates, type DataChange } from '../followUps/covariates.js';
import { covariateValueAt, type Histories, calendarHistory, sourceHistory } from './sourceHistory.js';
import { type Placed, isOfData } from './tally.js';

const none: ReadonlySet<number> = new Set();

/** Covariates of the sources of a log so far: who uses them, pending checks, and the values that checks knew. */
const usesHistory = (days: DayHistory) => {
  /** Sources whose current models use a source. */
  const users = new Map<number, Set<number>>();
  /** The reverse, with every source that ever had covariates. */
  const used = new Map<number, readonly number[]>();
  /** Causes of the checks that are not complete, by source. */
  const pending = new Map<number, Set<string>>();

  const use = (id: number, covariates: readonly { readonly sourceId: number }[]): void => {
    const ids = covariates.map(({ sourceId }) => sourceId);
    for (const before of used.get(id) ?? []) users.get(before)?.delete(id);
    for (const now of ids) users.set(now, (users.get(now) ?? new Set()).add(id));
    if (ids.length > 0 || used.has(id)) used.set(id, ids);
  };

  const check = (id: number, { cause, last, days: checked }: EventOf<'DaysChecked'>['data']): void => {
    if (last) pending.get(id)?.delete(cause.id);
    if (used.has(id)) for (const day of checked) days.know(id, day);
  };

  return {
    /** Takes the next event, which the history of days has. */
    take: (event: KnownEvent): void => {
      const id = sourceOf(event.stream);
      if (isCause(event)) pending.set(id, (pending.get(id) ?? new Set()).add(event.id));
      if (event.type === 'ModelsReset') use(id, event.data.checks?.covariates ?? []);
      else if (event.type === 'ModelsReplaced') use(id, []);
      else if (event.type === 'DaysChecked') check(id, event.data);
    },
    /** Ids of the sources whose current models use a source. */
    usersOf: (covariateId: number): ReadonlySet<number> => users.get(covariateId) ?? none,
    isCheckPending: (id: number): boolean => (pending.get(id)?.size ?? 0) > 0,
  };
};

/** A covariate and a source that it explains. */
export type CovariateUse = { readonly sourceId: number; readonly covariateId: number };

/** Notes of an import for one use that were possible so far: `none` if there may be none, and lists of dates. */
type Possible = CovariateUse & { none: boolean; readonly dates: Map<string, readonly string[]> };

/** A change of recent days whose check is not recorded. Uses are by the source that is explained. */
type PendingImport = {
  readonly cause: Placed<DataChange>;
  readonly uses: Map<number, Possible[]>;
  /** Sources that have their note. */
  readonly noted: Set<number>;
};

/** An import without the note that a source requires, and the dates of that note. */
export type MissingNote = CovariateUse & {
  readonly cause: Placed<DataChange>;
  readonly dates: readonly string[];
};

/** Types of events, next to causes of checks, after which other dates may be noted. */
const changing: readonly KnownEvent['type'][] = ['DaysChecked', 'SourceCreated', 'SourceArchived'];

/**
 * Notes of imports of covariates that were possible, in a log so far. The service decides them between an import and
 * its check, from all events up to some moment: every state between the two is possible.
 */
const noteHistory = (history: Histories) => {
  const { sources, days } = history;
  const uses = usesHistory(days);
  const windows = new Map<string, PendingImport>();

  const datesOf = (
    { cause: { event } }: PendingImport,
    { sourceId, covariateId }: CovariateUse,
    n: number,
  ): string[] => {
    const id = sourceOf(event.stream);
    const isPresent = (date: string): boolean => days.lastChange(id, date) === dataIdOf(event);
    return notedDates(days.datesOf(id, event.revision).filter(isPresent), {
      isCheckPending: uses.isCheckPending(sourceId),
      hasRecent: date => days.hasRecent(sourceId, date),
      knownValue: date => days.knownValue(sourceId, covariateId, date),
      presentValue: date => covariateValueAt(history, covariateId, date, n),
    });
  };

  /** Adds the note that the state after the nth event leads to. */
  const evaluate = (window: PendingImport, possible: Possible, n: number): void => {
    const { sourceId, covariateId } = possible;
    if (window.noted.has(sourceId)) return;
    const dates = sources.isArchived(sourceId, n) ? [] : datesOf(window, possible, n);
    if (dates.length === 0 || !uses.usersOf(covariateId).has(sourceId)) possible.none = true;
    if (dates.length > 0) possible.dates.set(dates.join(), dates);
  };

  /** Ids of the covariate under which sources may use it. */
  const knownIds = ({ cause }: PendingImport): readonly number[] =>
    sources.knownIds(sourceOf(cause.event.stream));

  /** Adds the present users of the covariate. */
  const addUses = (window: PendingImport, none: boolean): void => {
    for (const covariateId of knownIds(window))
      for (const sourceId of uses.usersOf(covariateId)) {
        const known = window.uses.get(sourceId) ?? [];
        if (known.some(use => use.covariateId === covariateId)) continue;
        const isOptional = none || sources.wasUnread(covariateId, window.cause.n);
        window.uses.set(sourceId, [...known, { sourceId, covariateId, none: isOptional, dates: new Map() }]);
      }
  };

  /** Evaluates the uses that an event may have changed. */
  const update = (window: PendingImport, { event: { stream, type }, n }: Placed): void => {
    const id = sourceOf(stream);
    // Before its first use of the covariate a source had no note.
    if (type === 'ModelsReset') addUses(window, true);
    const isOfCovariate = knownIds(window).some(one => sources.lineageAt(one, n)?.ids.includes(id));
    const affected = isOfCovariate ? [...window.uses.values()].flat() : (window.uses.get(id) ?? []);
    for (const possible of affected) evaluate(window, possible, n);
  };

  const open = (cause: Placed<DataChange>): void => {
    const window: PendingImport = { cause, uses: new Map(), noted: new Set() };
    windows.set(cause.event.id, window);
    addUses(window, false);
    for (const possible of [...window.uses.values()].flat()) evaluate(window, possible, cause.n);
  };

  /** Ends the window of an import; returns the notes that it lacks. */
  const close = (causeId: string): MissingNote[] => {
    const window = windows.get(causeId);
    windows.delete(causeId);
    return [...(window?.uses.values() ?? [])].flat().flatMap(({ none, dates, ...use }) => {
      const [first] = dates.values();
      const isMissing = window && first && !none && !window.noted.has(use.sourceId);
      return isMissing
        ? [{ cause: window.cause, sourceId: use.sourceId, covariateId: use.covariateId, dates: first }]
        : [];
    });
  };

  return {
    /** Takes the next event, which the histories have; returns notes that are missing and too late. */
    take: ({ event, n }: Placed): readonly MissingNote[] => {
      uses.take(event);
      if (event.type === 'CovariateDaysImported')
        windows.get(event.metadata.cause)?.noted.add(sourceOf(event.stream));
      const missing = event.type === 'DaysChecked' ? close(event.data.cause.id) : [];
      if (isCause(event) || changing.includes(event.type))
        for (const window of windows.values()) update(window, { event, n });
      if (isCause(event) && isDataChange(event)) open({ event, n });
      return missing;
    },
    /**
     * Lists of dates that a note of an import may have; empty when the source has no use of it.
     * @returns undefined when the check of the import is recorded: then each list is possible
     */
    possibleDates: (
      causeId: string,
      { sourceId, covariateId }: CovariateUse,
    ): (readonly string[])[] | undefined => {
      const window = windows.get(causeId);
      const possible = window?.uses.get(sourceId)?.find(use => use.covariateId === covariateId);
      return window && [...(possible?.dates.values() ?? [])];
    },
  };
};

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
