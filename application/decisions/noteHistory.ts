import { isCause } from '../../domain/alerts/causes.js';
import type { KnownEvent, EventOf } from '../../domain/events.js';
import { sourceOf } from '../../domain/streams.js';
import {
  dataIdOf,
  isDataChange,
  notedDates,
  type DataChange,
} from '../followUps/covariates/noteCovariateDays.js';
import { covariateValueAt, type Histories } from './covariateValues.js';
import type { Placed } from './tally.js';
import type { DayHistory } from '../../projections/dayHistory.js';

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
export const noteHistory = (history: Histories) => {
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
        window.uses.set(sourceId, [...known, { sourceId, covariateId, none, dates: new Map() }]);
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
