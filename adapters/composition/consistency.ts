import { failAfterEffect, StoreUnavailable } from '../../application/eventStore.js';
import { freshness } from '../../application/freshness.js';
import type { Environment } from '../../application/environment.js';
import type { Service } from '../../application/service.js';
import type { Stores } from './openStores.js';
import type { startProjections } from './startProjections.js';

type ConsistencyParts = {
  readonly stores: Pick<Stores, 'log'>;
  readonly projections: Awaited<ReturnType<typeof startProjections>>;
  /** Throws StorageFull while disk space is short; absent for no check. */
  readonly requireRoom: (() => void) | undefined;
  readonly environment: Environment;
};

/** The rules of a service on read models that are behind the log, incomplete, or not writable. */
export const consistency = ({
  stores: { log },
  projections,
  requireRoom = () => {},
  environment,
}: ConsistencyParts): Pick<
  Service,
  'caughtUp' | 'requireRoom' | 'requireWhole' | 'freshness' | 'isProjecting'
> => {
  const rules = freshness({
    projections,
    shared: log.shared !== undefined,
    position: projections.position,
    environment,
  });
  const requireWhole = (): void => {
    if (!projections.isWhole())
      throw (
        projections.failure() ??
        new StoreUnavailable('the read models lost events and are applying them again; retry later')
      );
  };
  return {
    caughtUp: () => projections.catchUp().then(requireWhole).catch(failAfterEffect),
    requireRoom: () => {
      requireRoom();
      const failure = projections.failure();
      if (failure) throw failure;
    },
    requireWhole,
    freshness: {
      forWrite: async () => {
        requireWhole();
        await rules.forWrite();
        requireWhole();
      },
      forRead: async maxStalenessMs => {
        requireWhole();
        const seen = await rules.forRead(maxStalenessMs);
        requireWhole();
        return seen;
      },
    },
    isProjecting: () => !projections.isFailing() && projections.isWhole(),
  };
};
