import type { Decider } from './decider.js';
import { lookUp, nothingKeyed, put, type Keyed } from './keyed.js';

export type CatalogEvent = {
  readonly type: 'SourceIdReserved';
  readonly data: { readonly sourceId: number; readonly requestId: string };
};
export type CatalogCommand = { readonly type: 'ReserveSourceId'; readonly requestId: string };

/** The next free id, and the id that each request received. */
export type CatalogState = { readonly nextSourceId: number; readonly reserved: Keyed<number> };

/** Rules of `catalog`: integer ids of sources, counted from 1 and never reused. */
export const catalog: Decider<CatalogCommand, CatalogEvent, CatalogState> = {
  initial: { nextSourceId: 1, reserved: nothingKeyed },
  decide: ({ requestId }, { nextSourceId, reserved }) =>
    lookUp(reserved, requestId) === undefined
      ? [{ type: 'SourceIdReserved', data: { sourceId: nextSourceId, requestId } }]
      : [],
  evolve: ({ reserved }, { data: { sourceId, requestId } }) => ({
    nextSourceId: sourceId + 1,
    reserved: put(reserved, requestId, sourceId),
  }),
};
