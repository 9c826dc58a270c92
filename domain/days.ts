import { dateOf, dayNumber } from './dates.js';
import type { Day } from './day.js';
import type { InProgress, PointsOfDay, PointsRule } from './points.js';
import type { Decider } from './decider.js';
import {
  lookUp,
  emptyKeyed,
  onDate,
  put,
  putAllOn,
  putOn,
  withKey,
  type ByDate,
  type Keyed,
} from './keyed.js';
import { Rejection } from './rejection.js';

/** Models are learned from reference days; recent days are checked. */
export type DayKind = 'reference' | 'recent';

/** Counts of an import: input lines (0 for JSON), days, and samples (one per slice). */
export type ImportSummary = {
  readonly lines: number;
  readonly days: number;
  readonly missingSamples: number;
  readonly filledSamples: number;
  readonly duplicates: number;
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
  /** Notes on sampling and converted lengths, a sentence each; absent in older events. */
  readonly notes?: readonly string[];
  /** Release of the IANA time-zone data that cut the days, such as 2025b; absent for UTC. */
  readonly zoneData?: string;
  /** Rows by a local clock that needed a decision; absent without such rows. */
  readonly localStamps?: {
    /** Rows in hours that occur twice, put in order. */
    readonly repeatedHour: number;
    /** Rows in hours that the clock skips, left out. */
    readonly skippedHour: number;
  };
  /**
   * Last date up to tomorrow by the clock of the source when the days came; null for none. Absent without days after
   * tomorrow, and in older events.
   */
  readonly countedTo?: string | null;
  /** Present date by the clock of the source; absent without days after it, and in older events. */
  readonly today?: string;
  /** Dates whose end had not come when the days came; absent for none, and in older events. */
  readonly inProgress?: readonly ({ readonly date: string } & InProgress)[];
};

/** Largest number of days in one event. */
export const daysPerPart = 31;

/** Smallest share of present dates of an import that is a series; with fewer it is a selection of days. */
const presentShareMin = 0.75;

/** Longest hole in days; a longer one separates two data sets. */
const holeMax = 31;

/**
 * Dates inside an import that it has no data of.
 * @param dates all dates of the import, ascending
 */
export const missingDates = (dates: readonly string[]): readonly string[] => {
  const numbers = dates.map(dayNumber);
  const span = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1;
  if (numbers.length === span || numbers.length < presentShareMin * span) return [];
  return numbers.slice(1).flatMap((number, index) => {
    const hole = number - (numbers[index] ?? number) - 1;
    return hole > holeMax ? [] : Array.from({ length: hole }, (_, offset) => dateOf(number - hole + offset));
  });
};

export type DaysEvent =
  DaysImported | PointsImported | DateClosed | DayTakenBack | ClockTicked | CovariateDaysImported;

export type DaysImported = {
  readonly type: 'DaysImported';
  readonly data: {
    readonly sourceId: number;
    readonly importId: string;
    readonly kind: DayKind;
    /** Counted from 1; the import takes effect with its last part. */
    readonly part: number;
    readonly parts: number;
    readonly days: readonly Day[];
    /** In the last part only. */
    readonly summary?: ImportSummary;
  };
};

/** Slices of recent days that points set. Points of a slice are stored together when it has elapsed. */
export type PointsImported = {
  readonly type: 'PointsImported';
  readonly data: {
    readonly sourceId: number;
    readonly importId: string;
    readonly rule: PointsRule;
    readonly days: readonly PointsOfDay[];
    /** Number of points in the slices that are set. */
    readonly points: number;
    /** Resets, jumps and roll-overs of a register; absent for none. */
    readonly warnings?: ImportSummary['warnings'];
  };
};

/** The local midnight of a date and the lateness of the source have passed: what is missing is a gap now. */
export type DateClosed = {
  readonly type: 'DateClosed';
  readonly data: {
    readonly sourceId: number;
    readonly date: string;
    /** Import whose day the date has. */
    readonly importId: string;
    readonly closesAt: string;
    /** By which the slices of the end of the day are filled. */
    readonly rule: PointsRule;
  };
};

/** A person took back the recent day of a date: the date has no recent data from then on, until others come. */
export type DayTakenBack = {
  readonly type: 'DayTakenBack';
  readonly data: {
    readonly sourceId: number;
    readonly date: string;
    /** Import whose day was taken back. */
    readonly importId: string;
    /** Why, in the words of the person, sealed; null for none. */
    readonly reason: string | null;
  };
};

/** The clock has passed the deadline for new data of a source (silence.ts). */
export type ClockTicked = {
  readonly type: 'ClockTicked';
  readonly data: {
    readonly sourceId: number;
    readonly deadline: string;
    /** Date of the deadline by the clock of the source; absent in older events, where that of UTC counts. */
    readonly date?: string;
  };
};

/** Data of a covariate changed on dates of this source, which are checked again. */
export type CovariateDaysImported = {
  readonly type: 'CovariateDaysImported';
  readonly data: {
    readonly sourceId: number;
    /** The source that explains this one, under the newest id that the models of this one use. */
    readonly covariateId: number;
    /** Import into that source, or into the one that it was learned again as; for a day taken back that event's id. */
    readonly importId: string;
    /** Revision of the last part of the import, or of the day taken back, in the stream of its days. */
    readonly revision: number;
    /** Ascending dates with recent data of this source whose check knew another value or none, or was pending. */
    readonly dates: readonly string[];
  };
};

export type DaysCommand =
  | ({ readonly type: 'ImportDays' } & DaysImported['data'])
  | ({
      readonly type: 'ImportPoints';
      /** `changes` when the values were computed; absent for values that replace whatever the days have. */
      readonly changes?: number;
    } & PointsImported['data'])
  | ({ readonly type: 'CloseDate' } & Omit<DateClosed['data'], 'importId' | 'closesAt'>)
  | ({ readonly type: 'TakeDayBack' } & Omit<DayTakenBack['data'], 'importId'>)
  | ({ readonly type: 'TickClock' } & ClockTicked['data'])
  | ({ readonly type: 'NoteCovariateDays' } & CovariateDaysImported['data']);

/**
 * Number of stored parts of each import, dates of unfinished imports, the import of each recent day (null when it was
 * taken back), when each date in progress closes (null for others, `closedDate` for those that have closed), the last
 * import of points, the number of changes of recent days, the last noted imports of covariates, and the latest
 * deadline that has passed.
 */
export type DaysState = {
  readonly parts: Keyed<number>;
  readonly staged: Keyed<readonly string[]>;
  readonly recent: ByDate<string | null>;
  readonly closing: ByDate<string | null>;
  readonly points: string;
  readonly changes: number;
  readonly deadline: string;
  readonly covariateImports: readonly string[];
};

/** A date whose end has come: it is never in progress again, whatever the clock of another instance says. */
const closedDate = '';

/**
 * Rules of `days-{id}`: the parts of an import are appended in order, each once; a recent day can be taken back; each
 * deadline is passed once.
 */
export const days: Decider<DaysCommand, DaysEvent, DaysState> = {
  initial: {
    parts: emptyKeyed,
    staged: emptyKeyed,
    recent: {},
    closing: {},
    points: '',
    changes: 0,
    deadline: '',
    covariateImports: [],
  },
  decide: (command, state) => {
    switch (command.type) {
      case 'ImportDays': {
        const { type, ...data } = command;
        const stored = lookUp(state.parts, data.importId) ?? 0;
        if (data.part <= stored) return [];
        if (data.part !== stored + 1)
          throw new Rejection('importOutOfOrder', `got part ${data.part}, expected part ${stored + 1}`);
        return [{ type: 'DaysImported', data: withoutReopened(data, state) }];
      }
      case 'ImportPoints': {
        const { type, changes = state.changes, ...data } = command;
        // Values from before a change of the days would replace newer ones: they are computed again.
        return data.days.length === 0 || data.importId === state.points || changes !== state.changes
          ? []
          : [
              {
                type: 'PointsImported',
                data: { ...data, days: data.days.map(day => notReopened(day, state)) },
              },
            ];
      }
      case 'CloseDate': {
        const { sourceId, date, rule } = command;
        const importId = onDate(state.recent, date);
        const closesAt = onDate(state.closing, date);
        return importId && closesAt
          ? [{ type: 'DateClosed', data: { sourceId, date, importId, closesAt, rule } }]
          : [];
      }
      case 'TakeDayBack': {
        const { type, ...data } = command;
        const importId = onDate(state.recent, data.date);
        if (importId === undefined) throw new Rejection('dayNotFound', `no recent day on ${data.date}`);
        return importId === null ? [] : [{ type: 'DayTakenBack', data: { ...data, importId } }];
      }
      case 'TickClock': {
        const { type, ...data } = command;
        return data.deadline > state.deadline ? [{ type: 'ClockTicked', data }] : [];
      }
      case 'NoteCovariateDays': {
        const { type, ...data } = command;
        return state.covariateImports.includes(data.importId) || data.dates.length === 0
          ? []
          : [{ type: 'CovariateDaysImported', data }];
      }
    }
  },
  evolve: (state, event) => {
    switch (event.type) {
      case 'DaysImported':
        return afterImport(state, event.data);
      case 'PointsImported': {
        const { importId, days: changed } = event.data;
        const closesAt = changed.map(
          ({ date, inProgress }) =>
            [date, inProgress?.closesAt ?? closedBy(onDate(state.closing, date))] as const,
        );
        const after = withDays(
          state,
          changed.map(({ date }) => date),
          importId,
          new Map(closesAt),
        );
        return { ...after, points: importId };
      }
      case 'DateClosed':
        return {
          ...state,
          changes: state.changes + 1,
          closing: putOn(state.closing, event.data.date, closedDate),
        };
      case 'DayTakenBack':
        return withDays(state, [event.data.date], null, new Map());
      case 'ClockTicked':
        return { ...state, deadline: event.data.deadline };
      case 'CovariateDaysImported':
        return { ...state, covariateImports: withKey(state.covariateImports, event.data.importId) };
    }
  },
};

/** Points of a day, which is not in progress when its date has closed. */
const notReopened = (day: PointsOfDay, { closing }: DaysState): PointsOfDay => {
  const { inProgress, ...closed } = day;
  return inProgress && onDate(closing, day.date) === closedDate ? closed : day;
};

/** Part of an import without progress of dates that have closed since its days were read. */
const withoutReopened = (data: DaysImported['data'], { closing }: DaysState): DaysImported['data'] => {
  if (!data.summary?.inProgress?.some(({ date }) => onDate(closing, date) === closedDate)) return data;
  const { inProgress, ...summary } = data.summary;
  const open = inProgress.filter(({ date }) => onDate(closing, date) !== closedDate);
  return { ...data, summary: { ...summary, ...(open.length > 0 && { inProgress: open }) } };
};

/** When a date closes after points that came after its end. */
const closedBy = (closesAt: string | null | undefined): string | null =>
  typeof closesAt === 'string' ? closedDate : null;

/**
 * State in which recent days are those of an import.
 * @param closesAt by date; null or nothing for a date that is not in progress
 */
const withDays = (
  state: DaysState,
  dates: readonly string[],
  importId: string | null,
  closesAt: ReadonlyMap<string, string | null>,
): DaysState => ({
  ...state,
  // Points that are sent again after another change of a day count again.
  points: '',
  changes: state.changes + dates.length,
  recent: putAllOn(
    state.recent,
    dates.map(date => [date, importId]),
  ),
  closing: putAllOn(
    state.closing,
    dates
      .map(date => [date, closesAt.get(date) ?? null] as const)
      .filter(([date, at]) => at !== null || onDate(state.closing, date)),
  ),
});

/** State after a part of an import; its dates are known from the last part on. */
const afterImport = (state: DaysState, data: DaysImported['data']): DaysState => {
  const { importId, kind, part, parts, days: imported } = data;
  const after = { ...state, parts: put(state.parts, importId, part) };
  if (kind === 'reference') return after;
  const dates = [...(lookUp(state.staged, importId) ?? []), ...imported.map(({ date }) => date)];
  if (part < parts) return { ...after, staged: put(state.staged, importId, dates) };
  const open = new Map(data.summary?.inProgress?.map(({ date, closesAt }) => [date, closesAt]));
  const staged = parts === 1 ? state.staged : put(state.staged, importId, []);
  return withDays({ ...after, staged }, dates, importId, open);
};
