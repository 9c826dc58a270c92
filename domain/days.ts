import type { Day } from './day.js';
import type { Decider } from './decider.js';
import { lookUp, nothingKeyed, put, type Keyed } from './keyed.js';
import { Rejection } from './rejection.js';

/** Reference days are what models are learned from; recent days are what is checked. */
export type DayKind = 'reference' | 'recent';

/** What an import says of itself: input lines (0 for JSON) and samples, one a slice. */
export type ImportSummary = {
  readonly lines: number;
  readonly days: number;
  readonly missingSamples: number;
  readonly filledSamples: number;
  readonly duplicates: number;
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
};

/** Days in one event at most. */
export const daysPerPart = 31;

export type DaysEvent = {
  readonly type: 'DaysImported';
  readonly data: {
    readonly sourceId: number;
    readonly importId: string;
    readonly kind: DayKind;
    /** Counted from 1; the import takes effect with the last. */
    readonly part: number;
    readonly parts: number;
    readonly days: readonly Day[];
    /** On the last part alone. */
    readonly summary?: ImportSummary;
  };
};
export type DaysCommand = { readonly type: 'ImportDays' } & DaysEvent['data'];

/** How many parts of each import are there. */
export type DaysState = { readonly parts: Keyed<number> };

/** The rules of `days-{id}`: parts of an import come in order, each once. */
export const days: Decider<DaysCommand, DaysEvent, DaysState> = {
  initial: { parts: nothingKeyed },
  decide: ({ type: _, ...data }, state) => {
    const there = lookUp(state.parts, data.importId) ?? 0;
    if (data.part <= there) return [];
    if (data.part !== there + 1)
      throw new Rejection('importOutOfOrder', `got part ${data.part}, expected part ${there + 1}`);
    return [{ type: 'DaysImported', data }];
  },
  evolve: ({ parts }, { data: { importId, part } }) => ({ parts: put(parts, importId, part) }),
};
