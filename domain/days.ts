import type { Day } from './day.js';
import type { Decider } from './decider.js';
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
export type DaysState = { readonly parts: Readonly<Record<string, Readonly<Record<string, number>>>> };

const partsOf = (state: DaysState, importId: string): number =>
  state.parts[importId.slice(0, 2)]?.[importId] ?? 0;

/** The rules of `days-{id}`: parts of an import come in order, each once. */
export const days: Decider<DaysCommand, DaysEvent, DaysState> = {
  initial: { parts: {} },
  decide: ({ type: _, ...data }, state) => {
    const there = partsOf(state, data.importId);
    if (data.part <= there) return [];
    if (data.part !== there + 1)
      throw new Rejection('importOutOfOrder', `got part ${data.part}, expected part ${there + 1}`);
    return [{ type: 'DaysImported', data }];
  },
  evolve: (state, { data: { importId, part } }) => {
    const bucket = importId.slice(0, 2);
    return { parts: { ...state.parts, [bucket]: { ...state.parts[bucket], [importId]: part } } };
  },
};
