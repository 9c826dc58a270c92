import type { Decider } from './decider.js';
import { lookUp, emptyKeyed, put, type Keyed } from './keyed.js';
import { Rejection } from './rejection.js';
import { nameForm } from './source/sourceDescription.js';

/** A source is about to get a name. From `at` to `until`, two instants, no other source of the tenant may get it. */
export type NameClaim = {
  readonly requestId: string;
  readonly sourceId: number;
  readonly tenant: string;
  readonly name: string;
  readonly at: string;
  readonly until: string;
};

export type CatalogEvent =
  | {
      readonly type: 'SourceIdReserved';
      readonly data: { readonly sourceId: number; readonly requestId: string };
    }
  | { readonly type: 'SourceNameClaimed'; readonly data: NameClaim }
  /** A log whose first request is not about a source begins with its catalog, by which stores find it. */
  | { readonly type: 'LogBegun'; readonly data: { readonly requestId: string } };
export type CatalogCommand =
  | { readonly type: 'BeginLog'; readonly requestId: string }
  | { readonly type: 'ReserveSourceId'; readonly requestId: string }
  | {
      readonly type: 'ClaimSourceName';
      readonly claim: NameClaim;
      /** Requests whose claims are over, since their events are in the log. */
      readonly finished: readonly string[];
    };

/** The next free id, the id that each request received, and the claims that had not ended at the last event. */
export type CatalogState = {
  readonly nextSourceId: number;
  readonly reserved: Keyed<number>;
  readonly claims: readonly NameClaim[];
  /** Whether it has an event. */
  readonly hasBegun: boolean;
};

/** Duration of a claim in ms: longer than the append after it and than the difference of clocks. */
export const claimMs = 120_000;

/**
 * Rules of `catalog`: integer ids of sources, counted from 1 and never reused, and claims on their names. A claim
 * decides between requests for one name at the same time; afterwards the name is known from the source's own events.
 */
export const catalog: Decider<CatalogCommand, CatalogEvent, CatalogState> = {
  initial: { nextSourceId: 1, reserved: emptyKeyed, claims: [], hasBegun: false },
  decide: (command, state) => {
    switch (command.type) {
      case 'BeginLog':
        return state.hasBegun ? [] : [{ type: 'LogBegun', data: { requestId: command.requestId } }];
      case 'ReserveSourceId': {
        const { requestId } = command;
        return lookUp(state.reserved, requestId) === undefined
          ? [{ type: 'SourceIdReserved', data: { sourceId: state.nextSourceId, requestId } }]
          : [];
      }
      case 'ClaimSourceName':
        return claimName(command, state);
    }
  },
  evolve: (before, event) => {
    const state = { ...before, hasBegun: true };
    switch (event.type) {
      case 'LogBegun':
        return state;
      case 'SourceIdReserved': {
        const { sourceId, requestId } = event.data;
        return { ...state, nextSourceId: sourceId + 1, reserved: put(state.reserved, requestId, sourceId) };
      }
      case 'SourceNameClaimed': {
        const { at } = event.data;
        return { ...state, claims: [...state.claims.filter(({ until }) => until > at), event.data] };
      }
    }
  },
};

/** Claims for other sources on the name of a claim that are in force when it begins. */
export const claimsAgainst = (
  { claims }: CatalogState,
  { tenant, name, sourceId, at }: NameClaim,
): readonly NameClaim[] =>
  claims.filter(
    other =>
      other.tenant === tenant &&
      nameForm(other.name) === nameForm(name) &&
      other.sourceId !== sourceId &&
      other.until > at,
  );

const claimName = (
  { claim, finished }: Extract<CatalogCommand, { type: 'ClaimSourceName' }>,
  state: CatalogState,
): readonly CatalogEvent[] => {
  if (state.claims.some(({ requestId }) => requestId === claim.requestId)) return [];
  const other = claimsAgainst(state, claim).find(({ requestId }) => !finished.includes(requestId));
  if (other)
    throw new Rejection(
      'sourceNameTaken',
      `got the name "${claim.name}", which another request is giving to source ${other.sourceId} now; retry later`,
    );
  return [{ type: 'SourceNameClaimed', data: claim }];
};
