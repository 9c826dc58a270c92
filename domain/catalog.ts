import type { Decider } from './decider.js';
import { addSeen, hasSeen, nothingSeen, type Seen } from './seen.js';

export type CatalogEvent = {
  readonly type: 'SourceIdReserved';
  readonly data: { readonly sourceId: number; readonly requestId: string };
};
export type CatalogCommand = { readonly type: 'ReserveSourceId'; readonly requestId: string };
export type CatalogState = { readonly nextSourceId: number; readonly requests: Seen };

/** The rules of `catalog`: integer ids for sources, counted from 1 and never reused. */
export const catalog: Decider<CatalogCommand, CatalogEvent, CatalogState> = {
  initial: { nextSourceId: 1, requests: nothingSeen },
  decide: ({ requestId }, state) =>
    hasSeen(state.requests, requestId)
      ? []
      : [{ type: 'SourceIdReserved', data: { sourceId: state.nextSourceId, requestId } }],
  evolve: (state, { data }) => ({
    nextSourceId: data.sourceId + 1,
    requests: addSeen(state.requests, data.requestId),
  }),
};
