import type { Day } from './day.js';
import type { Decider } from './decider.js';
import { lookUp, emptyKeyed, put, type Keyed } from './keyed.js';
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
};

/** Largest number of days in one event. */
export const daysPerPart = 31;

export type DaysEvent = DaysImported | ClockTicked | CovariateDaysImported;

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
/** The clock has passed the deadline for new data of a source (silence.ts). */
export type ClockTicked = {
  readonly type: 'ClockTicked';
  readonly data: { readonly sourceId: number; readonly deadline: string };
};

/** Data of a covariate changed on dates of this source, which are checked again. */
export type CovariateDaysImported = {
  readonly type: 'CovariateDaysImported';
  readonly data: {
    readonly sourceId: number;
    /** The source that explains this one, under the newest id that the models of this one use. */
    readonly covariateId: number;
    /** Import into that source, or into the one that it was learned again as. */
    readonly importId: string;
    /** Revision of the last part of the import in the stream of its days. */
    readonly revision: number;
    /** Ascending dates with recent data of this source whose check knew another value or none, or was pending. */
    readonly dates: readonly string[];
  };
};

export type DaysCommand =
  | ({ readonly type: 'ImportDays' } & DaysImported['data'])
  | ({ readonly type: 'TickClock' } & ClockTicked['data'])
  | ({ readonly type: 'NoteCovariateDays' } & CovariateDaysImported['data']);

/** Number of stored parts of each import, noted imports of covariates, and the latest deadline that has passed. */
export type DaysState = {
  readonly parts: Keyed<number>;
  readonly deadline: string;
  readonly covariateImports: Keyed<true>;
};

/** Rules of `days-{id}`: the parts of an import are appended in order, each once; each deadline is passed once. */
export const days: Decider<DaysCommand, DaysEvent, DaysState> = {
  initial: { parts: emptyKeyed, deadline: '', covariateImports: emptyKeyed },
  decide: (command, state) => {
    switch (command.type) {
      case 'ImportDays': {
        const { type, ...data } = command;
        const stored = lookUp(state.parts, data.importId) ?? 0;
        if (data.part <= stored) return [];
        if (data.part !== stored + 1)
          throw new Rejection('importOutOfOrder', `got part ${data.part}, expected part ${stored + 1}`);
        return [{ type: 'DaysImported', data }];
      }
      case 'TickClock': {
        const { sourceId, deadline } = command;
        return deadline > state.deadline ? [{ type: 'ClockTicked', data: { sourceId, deadline } }] : [];
      }
      case 'NoteCovariateDays': {
        const { type, ...data } = command;
        return lookUp(state.covariateImports, data.importId) || data.dates.length === 0
          ? []
          : [{ type: 'CovariateDaysImported', data }];
      }
    }
  },
  evolve: (state, event) => {
    switch (event.type) {
      case 'DaysImported':
        return { ...state, parts: put(state.parts, event.data.importId, event.data.part) };
      case 'ClockTicked':
        return { ...state, deadline: event.data.deadline };
      case 'CovariateDaysImported':
        return { ...state, covariateImports: put(state.covariateImports, event.data.importId, true) };
    }
  },
};
