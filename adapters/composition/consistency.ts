import { OutcomeUnknown, StoreUnavailable } from '../../application/eventStore.js';
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

/** After an append, an unreadable log means that the outcome is unknown. */
const outcomeUnknown = (error: unknown): never => {
  if (error instanceof StoreUnavailable) throw new OutcomeUnknown(error.message, { cause: error });
  throw error;
};

/** The rules of a service on read models that are behind the log, incomplete, or not writable. */
export const consistency = ({
  stores: { log },
  projections,
  requireRoom = () => {},
  environment,
}: ConsistencyParts): Pick<Service, 'caughtUp' | 'requireRoom' | 'freshness' | 'isProjecting'> => {
  const rules = freshness({
    projections,
    shared: log.shared !== undefined,
    position: projections.position,
    environment,
  });
  /** Throws while the read models lack events that they had, for example after failed writes. */
  const requireWhole = (): void => {
    if (!projections.isWhole())
      throw (
        projections.failure() ??
        new StoreUnavailable('the read models lost events and are applying them again; retry later')
      );
  };
  return {
    caughtUp: () => projections.catchUp().then(requireWhole).catch(outcomeUnknown),
    requireRoom: () => {
      requireRoom();
      const failure = projections.failure();
      if (failure) throw failure;
    },
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
